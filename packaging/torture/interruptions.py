"""Group 9, fourth part: ``kill -9`` of each command on a finished run."""

import contextlib
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

from studio.document.store import Document
from torture.execution import perform_inline, run_inline
from torture.grid import sound_table
from torture.tables import QUICK
from torture.test_modules import import_test_module
from torture.verdict import Try, Verdict, check_expected

DOCUMENT, OUT = "case.studio", "out"
COMMANDS: dict[str, tuple[str, ...]] = {
    "predict": (DOCUMENT, "table.csv", "-o", f"{OUT}.csv"),
    "export": (DOCUMENT, "--format", "pickle", "-o", f"{OUT}.pkl"),
    "export report": (DOCUMENT, "--format", "report", "-o", f"{OUT}.html"),
    "refit": (DOCUMENT, "--run", "1"),
    "fork": (DOCUMENT, "--run", "1", "--at", "2", "--method", "RS-post"),
    "decide": (DOCUMENT, "--run", "1", "--threshold", "0.3"),
    "learning-curve": (DOCUMENT, "--run", "1"),
    "remove": (DOCUMENT, "--run", "2"),
    "remove after a migration": (DOCUMENT, "--run", "2"),
}
"""Commands in the folder of a case; the last one has a document of version 3."""


@dataclass(frozen=True)
class _CompletedCommand:
    """A command without interruption.

    Attributes:
        before: The folder before it.
        files: Names of the files after it.
        seconds: Its wall time.
        calls: Number of its disk accesses through SQLite.
        predictions: The output of ``predict``.
    """

    before: Path
    files: set[str]
    seconds: float
    calls: int
    predictions: bytes | None


def interruptions(folder: Path) -> Try:
    """Train two runs; return the cases with kills, each after the undisturbed command."""
    trained, old = folder / "trained", folder / "old"
    for each in (trained, old):
        each.mkdir()
    grid = sound_table(Random(8), rows=300)
    grid.set_column(grid.target, ["ab"[len(cell) % 2] for cell in grid.column(grid.target)])
    table = grid.write(trained).rename(trained / "table.csv")
    for _ in range(2):
        arguments = ("run", table, "-o", trained / DOCUMENT, *QUICK, "--no-refit")
        verdict, printed = run_inline("training", *arguments)
        assert verdict.kind == "unharmed", printed
    import_test_module("document", "old_documents").unpack("3-numbers", old).rename(old / DOCUMENT)
    return partial(
        _attempt,
        cache(
            lambda command: _complete(
                command, old if "migration" in command else trained, folder / command
            )
        ),
    )


def _complete(command: str, before: Path, place: Path) -> _CompletedCommand:
    """Run a command undisturbed in a copy of a folder."""
    shutil.copytree(before, place)
    begun = time.monotonic()
    code, calls = _killed(command, place, None, 0)
    seconds = time.monotonic() - begun
    assert code == 0, (place / ".output").read_text()
    out = place / f"{OUT}.csv"
    predictions = out.read_bytes() if out.exists() else None
    return _CompletedCommand(before, _names(place), seconds, calls, predictions)


def _attempt(
    complete: Callable[[str], _CompletedCommand], folder: Path, rng: Random, number: int
) -> Iterator[Verdict]:
    command = list(COMMANDS)[number % len(COMMANDS)]
    whole = complete(command)
    place = folder / "case"
    shutil.copytree(whole.before, place)
    if rng.random() < 0.5 and whole.calls:
        at = rng.randint(1, whole.calls)
        what = f"{command}, killed at write {at}"
        _killed(command, place, None, at)
    else:
        seconds = rng.uniform(0, whole.seconds)
        what = f"{command}, killed after {seconds:.2f} s"
        _killed(command, place, seconds, 0)
    yield Verdict("unharmed", what)
    if whole.predictions is not None and (place / f"{OUT}.csv").exists():
        yield from check_expected(what, (place / f"{OUT}.csv").read_bytes(), whole.predictions)
    yield from check_expected(what, _read_recorded_run(place), _read_recorded_run(whole.before))
    with Document.open(place / DOCUMENT, writable=False) as document:
        gone = len(document.runs.list_all()) < 2
    if not (gone and command.startswith("remove")):
        code, _ = _killed(command, place, None, 0)
        if code:
            yield Verdict("fault", f"{what}: again", (place / ".output").read_text()[-500:])
        yield from check_expected(f"{what}: files", _names(place), whole.files)
        if whole.predictions is not None:
            yield from check_expected(what, (place / f"{OUT}.csv").read_bytes(), whole.predictions)


def _killed(command: str, place: Path, seconds: float | None, at: int) -> tuple[int, int]:
    """Run a command in a child process, and kill it after a time or at its n-th write.

    Returns:
        code: Its exit code, negative if it was killed.
        calls: Number of its disk accesses through SQLite, 0 if it was killed.
    """
    disk = import_test_module("document", "failing_disk").FailingDisk
    counted = place / ".calls"
    pid = os.fork()
    if pid == 0:
        code = 99
        try:
            os.chdir(place)
            failing = disk(at, at, "kill")
            with (place / ".output").open("w", buffering=1) as stream:
                code = perform_inline((command.split(maxsplit=1)[0], *COMMANDS[command]), stream)
            counted.write_text(str(failing.count))
        finally:
            os._exit(code)
    if seconds is not None:
        time.sleep(seconds)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return code, int(counted.read_text()) if code == 0 else 0


def _names(place: Path) -> set[str]:
    return {each.name for each in place.iterdir()} - {".output", ".calls"}


def _read_recorded_run(place: Path) -> list[Any]:
    """Return the results of the first run."""
    with Document.open(place / DOCUMENT, writable=False) as document:
        return [
            (dict(row.trial.configuration), row.trial.loss, row.iteration.members)
            for row in document.trials.list_rows(document.runs.list_all()[0].id)
        ]
