"""Group 9, third part: too little memory, files, sizes, outputs, temporary folders."""

import os
import resource
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random

from torture.execution import STUDIO, run_process
from torture.grid import sound_table
from torture.tables import check_table
from torture.verdict import Verdict

SPACE = ("--method", "RS", "--space", "svm-rbf", "--budget", "3", "--workers", "1", "--quiet")


@dataclass(frozen=True)
class MissingResource:
    """A resource that a command lacks.

    Attributes:
        what: In words.
        prepare: Called in the new process.
        variables: Of its environment.
        mute: Whether the error output is closed, so that only the exit code reports.
    """

    what: str
    prepare: Callable[[], None]
    variables: dict[str, str] = field(default_factory=dict)
    mute: bool = False


Limit = Callable[[Random], MissingResource]


def attempt(folder: Path, rng: Random, number: int) -> Iterator[Verdict]:
    """Run under one limit, then continue without it."""
    grid = sound_table(rng, rows=60)
    grid.set_column(grid.target, ["ab"[row % 2] for row in range(60)])
    table, path = grid.write(folder), folder / "limited.studio"
    lack = LIMITS[number % len(LIMITS)](rng)
    arguments = [STUDIO, "run", table, "-o", path, *SPACE]
    verdict, printed = run_process(
        lack.what, arguments, folder, prepare=lack.prepare, **lack.variables
    )
    yield Verdict("reported", lack.what) if lack.mute and not printed else verdict
    if path.exists():
        yield run_process(
            f"{lack.what}: resumed without it", [STUDIO, "resume", path, "--quiet"], folder
        )[0]
    grid.done = [f"{lack.what}: again without it"]
    yield from check_table(grid, table, folder)


def _file_size(rng: Random) -> MissingResource:
    size = rng.choice((0, 1000, 20_000, 60_000, 100_000, 200_000))
    return MissingResource(f"files of {size} bytes at most", _limited("RLIMIT_FSIZE", size))


def _open_files(rng: Random) -> MissingResource:
    many = rng.choice((8, 12, 16, 20, 24, 32, 48))
    return MissingResource(f"{many} open files at most", _limited("RLIMIT_NOFILE", many))


def _memory(rng: Random) -> MissingResource:
    size = rng.choice((300, 500, 650, 800, 1200, 2000))
    return MissingResource(f"{size} MB of memory", _limited("RLIMIT_AS", size << 20))


def _no_output(rng: Random) -> MissingResource:
    which = rng.choice(((1,), (2,), (1, 2), (0, 1, 2)))
    if rng.random() < 0.5:
        return MissingResource(f"closed streams {which}", partial(_closed, which), mute=2 in which)
    return MissingResource(f"full streams {which}", partial(_full, which), mute=2 in which)


def _no_temporary_folder(rng: Random) -> MissingResource:
    place = rng.choice(("/nowhere", "/dev/full", "/proc", "/dev/null/x"))
    return MissingResource(f"the temporary folder {place}", lambda: None, {"TMPDIR": place})


def _limited(name: str, value: int) -> Callable[[], None]:
    return partial(resource.setrlimit, getattr(resource, name), (value, value))


def _closed(which: tuple[int, ...]) -> None:
    for number in which:
        os.close(number)


def _full(which: tuple[int, ...]) -> None:
    for number in which:
        full = os.open("/dev/full", os.O_RDWR)
        os.dup2(full, number)
        os.close(full)


LIMITS: tuple[Limit, ...] = (_file_size, _open_files, _memory, _no_output, _no_temporary_folder)
