"""Groups of companion files: journals, foreign logs, other names of a document.

A rejection changes no byte, no other file is changed or deleted, and an opened document contains
only written data.
"""

import os
import shutil
import signal
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from studio.document import connection
from studio.document.store import Document, set_log_aside
from studio.errors import DamagedError, DocumentError, StudioError
from torture.execution import run_inline
from torture.grid import sound_table
from torture.test_modules import import_test_module
from torture.verdict import Try, Verdict

QUICK = ("--method", "RS-post", "--space", "svm-rbf", "--workers", "1", "--no-refit", "--quiet")
PAGE = 8192

Hostile = Any
"""The test module that makes hostile files."""

Whole = tuple[Path, Path]
"""A sound document and its table."""


def journals(folder: Path) -> Try:
    """Return the cases with journals, pipes and links beside a document."""
    return partial(
        _journal, import_test_module("document", "hostile_files"), sound_document(folder)
    )


def logs(folder: Path) -> Try:
    """Return the cases with mismatched files and logs."""
    return partial(
        _log,
        import_test_module("document", "hostile_files"),
        import_test_module("document", "conftest"),
    )


def links(folder: Path) -> Try:
    """Return the cases with other names of a document."""
    return partial(_link, sound_document(folder))


def sound_document(folder: Path) -> Whole:
    """Return a document with a finished run, and its table."""
    table, path = sound_table(Random(7), rows=60).write(folder), folder / "sound.studio"
    verdict, output = run_inline("a run", "run", table, "-o", path, "--budget", "3", *QUICK)
    assert verdict.kind == "unharmed", output
    return path, table


def commands(path: Path, table: Path, out: Path) -> Mapping[str, Sequence[object]]:
    """Return the arguments of each command on a document; some write to ``out``."""
    return {
        "show": (path,),
        "export": (path, "--format", "report", "-o", out),
        "predict": (path, table, "-o", out),
        "decide": (path, "--clear"),
        "resume": (path, "--quiet", "--budget", "4"),
        "fork": (path, "--budget", "2", "--quiet"),
        "refit": (path,),
        "remove": (path, "--run", "1"),
        "compare": (path, "--quiet"),
        "run": (table, "-o", path, "--budget", "1", *QUICK),
    }


def _ask(name: str, arguments: Sequence[object], description: str) -> tuple[Verdict, str]:
    return run_inline(f"{description}: {name}", name, *arguments)


# ---- journals


def _journal(
    hostile: Hostile, whole: Whole, folder: Path, rng: Random, number: int
) -> Iterator[Verdict]:
    del number
    path, (victim, output) = folder / "case.studio", (folder / "thesis.tex", folder / "out")
    shutil.copyfile(whole[0], path)
    victim.write_bytes(rng.randbytes(300))
    kind = rng.choice((*hostile.KINDS, "super-journal", "super-journal", "random", "empty"))
    suffix = rng.choice(hostile.SUFFIXES) if kind in hostile.KINDS else "-journal"
    if kind == "super-journal":
        hostile.write_rollback_journal(path, victim)
    elif kind in hostile.KINDS:
        hostile.create_special_file(path, suffix, kind, victim)
    else:
        octets = b"" if kind == "empty" else hostile.JOURNAL_MAGIC + rng.randbytes(5000)
        hostile.get_companion(path, "-journal").write_bytes(octets)
    description, content_before = f"{kind} as {suffix}", hostile.content(folder)
    name, arguments = rng.choice(list(commands(path, whole[1], output).items()))
    verdict, printed = _ask(name, arguments, description)
    yield verdict
    output.unlink(missing_ok=True)
    content_after = hostile.content(folder)
    if (
        victim.name not in content_after
        or content_after[victim.name] != content_before[victim.name]
    ):
        yield Verdict("fault", verdict.what, "a file of the user was changed or deleted")
    if verdict.kind == "reported" and content_after != content_before:
        yield Verdict("fault", verdict.what, f"it was refused, and something changed: {printed}")
    # A log index with a second hard link is not opened; the document is read without it.
    if verdict.kind == "unharmed" and (kind, suffix) != ("hard link", "-shm"):
        yield Verdict("fault", verdict.what, "it was opened")


# ---- logs


def _log(
    hostile: Hostile, conftest: Any, folder: Path, rng: Random, number: int
) -> Iterator[Verdict]:
    del number
    work, path = conftest.Work(), folder / "case.studio"
    states = _killed_run(work, path, rng)
    parting = rng.choice(PARTINGS)
    description = parting(hostile, work, path, states, rng)
    content_before = hostile.content(folder)
    content_alone = _read(shutil.copyfile(path, folder / "alone.studio"), work, False)
    (folder / "alone.studio").unlink()
    read = _read(path, work, rng.choice((True, False, None)))
    if isinstance(read, str):
        yield Verdict("reported", description, read)
        if hostile.content(folder) != content_before and parting not in (_mixed, _damaged):
            yield Verdict("fault", description, f"it was refused, and something changed: {read}")
        yield from _without_the_log(path, description)
        return
    yield Verdict("unharmed", description)
    if isinstance(content_alone, str):
        return
    if read.whose != content_alone.whose:
        yield Verdict(
            "fault", description, f"it is now {read.whose}, and was {content_alone.whose}"
        )
    if read.trials < content_alone.trials or (
        parting in FOREIGN and read.trials != content_alone.trials
    ):
        yield Verdict(
            "fault", description, f"it had {content_alone.trials} trials, and has {read.trials}"
        )
    if not read.sound and parting not in (_mixed, _damaged):
        yield Verdict("fault", description, "what is read is not what was written")


@dataclass(frozen=True)
class _Content:
    """Content of a document: owner, number of trials, and their integrity."""

    whose: str
    trials: int
    sound: bool


def _read(path: Path, work: Any, writable: bool | None) -> _Content | str:
    """Return the content of a document, or the reason for its rejection."""
    try:
        with Document.open(path, writable=writable) as document:
            runs = [row.id for row in document.runs.list_all()]
            trials = sum(document.trials.count(run) for run in runs)
            try:
                work.check_all(document)
                is_intact = True
            except (AssertionError, DamagedError):
                is_intact = False
            return _Content(str(document.notes.get("whose")), trials, is_intact)
    except DocumentError as error:
        return str(error)


def _without_the_log(path: Path, description: str) -> Iterator[Verdict]:
    try:
        set_log_aside(path)
        Document.open(path).close()
    except StudioError:
        yield Verdict("reported", f"{description}, without the log")
    else:
        yield Verdict("unharmed", f"{description}, without the log")


def _killed_run(work: Any, path: Path, rng: Random) -> list[bytes]:
    """Kill a process while it writes a document; return the states of the file."""
    with Document.create(path) as document:
        run = work.start(document)
        document.notes.set("whose", "killed")
        for number in range(1, rng.randrange(2, 30)):
            work.add(document, run, number)
    states, reader = [path.read_bytes()], os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            connection._CHECKPOINT_PAGES = rng.choice((1, 8, 1000))  # type: ignore[attr-defined]
            document = Document.open(path)
            document.owners.claim(run)
            while True:
                work.add(document, run, document.trials.count(run) + 1)
                os.write(reader[1], b".")
        finally:
            os._exit(9)
    os.close(reader[1])
    for _ in range(rng.randrange(1, 40)):
        os.read(reader[0], 1)
        states.append(path.read_bytes())
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os.close(reader[0])
    return states


Parting = Callable[[Hostile, Any, Path, list[bytes], Random], str]
"""Separates a file from its log, or not; returns a description."""


def _unchanged(hostile: Hostile, work: Any, path: Path, states: list[bytes], rng: Random) -> str:
    return "a killed process"


def _earlier_state(
    hostile: Hostile, work: Any, path: Path, states: list[bytes], rng: Random
) -> str:
    path.write_bytes(rng.choice(states))
    return "an earlier state of the file"


def _later_state(hostile: Hostile, work: Any, path: Path, states: list[bytes], rng: Random) -> str:
    log = hostile.get_companion(path, "-wal").read_bytes()
    with Document.open(path) as document:
        document.owners.claim(1)
        for _ in range(rng.randrange(1, 20)):
            work.add(document, 1, document.trials.count(1) + 1)
    hostile.get_companion(path, "-wal").write_bytes(log)
    return "a later state of the file"


def _another_document(
    hostile: Hostile, work: Any, path: Path, states: list[bytes], rng: Random
) -> str:
    other_path = path.with_name("other.studio")
    with Document.create(other_path) as document:
        run = work.start(document)
        document.notes.set("whose", "another")
        for number in range(1, rng.randrange(2, 40)):
            work.add(document, run, number)
    other_path.replace(path)
    return "another document"


def _mixed(hostile: Hostile, work: Any, path: Path, states: list[bytes], rng: Random) -> str:
    current_bytes, earlier_bytes = path.read_bytes(), rng.choice(states)
    pages = [current_bytes[at : at + PAGE] for at in range(0, len(current_bytes), PAGE)]
    for at in rng.sample(
        range(len(earlier_bytes) // PAGE), rng.randrange(1, len(earlier_bytes) // PAGE)
    ):
        pages[at] = earlier_bytes[at * PAGE : (at + 1) * PAGE]
    path.write_bytes(b"".join(pages))
    return "a file copied while it was written"


def _damaged(hostile: Hostile, work: Any, path: Path, states: list[bytes], rng: Random) -> str:
    log = hostile.get_companion(path, "-wal")
    octets = bytearray(log.read_bytes() or b"\0")
    at = rng.randrange(len(octets))
    if rng.random() < 0.5:
        octets[at] ^= 1 << rng.randrange(8)
    else:
        del octets[at:]
    log.write_bytes(octets)
    return "a damaged log"


def _deleted(hostile: Hostile, work: Any, path: Path, states: list[bytes], rng: Random) -> str:
    path.unlink()
    Document.create(path).close()
    return "a new document in place of a deleted one"


def _another_program(
    hostile: Hostile, work: Any, path: Path, states: list[bytes], rng: Random
) -> str:
    path.unlink()
    for suffix in ("-wal", "-shm"):
        hostile.get_companion(path, suffix).unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("CREATE TABLE mine (a)")
        octets = hostile.get_companion(path, "-wal").read_bytes()
    hostile.get_companion(path, "-wal").write_bytes(octets)
    return "another program's file"


PARTINGS: tuple[Parting, ...] = (
    _unchanged, _earlier_state, _earlier_state, _later_state, _another_document, _mixed,
    _mixed, _damaged, _deleted, _another_program,
)  # fmt: skip

FOREIGN = (_later_state, _another_document, _deleted)
"""Content that the log must not change."""

# ---- links


def _link(whole: Whole, folder: Path, rng: Random, number: int) -> Iterator[Verdict]:
    del number
    path, table = folder / "case.studio", whole[1]
    shutil.copyfile(whole[0], path)
    other_path = folder / "inside" / "other.studio"
    other_path.parent.mkdir()
    kind = rng.choice(("hard link", "link", "linked folder", "link to a link"))
    if kind == "hard link":
        os.link(path, other_path)
    elif kind == "linked folder":
        (folder / "inside" / "way").symlink_to(folder)
        other_path = folder / "inside" / "way" / path.name
    else:
        first = folder / "first.studio" if kind == "link to a link" else path
        if first != path:
            first.symlink_to(path)
        other_path.symlink_to(first)
    octets = path.read_bytes()
    yield from _overwritten(kind, path, other_path, table, rng)
    name, arguments = rng.choice(list(commands(other_path, table, folder / "out").items()))
    verdict, output = _ask(name, arguments, kind)
    yield verdict
    if kind == "hard link" and path.read_bytes() != octets:
        yield Verdict("fault", verdict.what, f"a document with two names was changed: {output}")
    show_verdict, output = _ask("show", (path,), f"{kind}, after {name}")
    if show_verdict.kind != "unharmed" and name != "remove":
        yield Verdict("fault", show_verdict.what, f"the document was harmed: {output[-300:]}")


def _overwritten(
    kind: str, path: Path, other_path: Path, table: Path, rng: Random
) -> Iterator[Verdict]:
    """Write an export onto its document by another name."""
    octets = path.read_bytes()
    writers: dict[str, Sequence[object]] = {
        "export": (path, "--format", rng.choice(("report", "trials", "space")), "-o", other_path),
        "predict": (path, table, "-o", other_path),
    }
    for name, arguments in writers.items():
        verdict, _ = _ask(name, arguments, f"{kind}, onto itself")
        yield verdict
        if path.read_bytes() != octets or verdict.kind != "reported":
            yield Verdict("fault", verdict.what, "the document was replaced")
    try:
        with Document.open(path, writable=None) as document:
            document.copy_to(other_path)
    except DocumentError:
        yield Verdict("reported", f"{kind}, copied onto itself")
    else:
        yield Verdict("fault", f"{kind}, copied onto itself", "it was not refused")
    if path.read_bytes() != octets:
        yield Verdict("fault", f"{kind}, copied onto itself", "the document was replaced")
