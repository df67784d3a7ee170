"""Group 9, second half: the n-th write of a run fails (ENOSPC, EIO, torn), for every n."""

import contextlib
import os
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from studio.document import connection
from studio.document.store import Document
from torture.execution import perform_inline, run_inline
from torture.grid import sound_table
from torture.test_modules import import_test_module
from torture.verdict import Try, Verdict, check_expected, judge_exit

FOR_EVER = 10**9
FAULTS = (
    ("full", 0), ("full", FOR_EVER), ("error", 0), ("error", FOR_EVER), ("kill", 0),
)  # fmt: skip
"""Kind of failure (no space; half of the bytes and an error; half of the bytes and a kill), and the
number of further failing writes.
"""

MOST = 300
"""The largest n before a release; the run has slightly fewer writes."""

_WORDS = (
    "--method", "RS-post", "--budget", "4", "--space", "svm-rbf", "--workers", "1", "--no-refit",
)  # fmt: skip
_TRIAL = re.compile(r"^ *(\d+)/4  ", re.MULTILINE)


def writes(folder: Path) -> Try:
    """Finish a run undisturbed; return the cases with failing writes."""
    disk = import_test_module("document", "failing_disk").FailingDisk
    table, path = sound_table(Random(5), rows=60).write(folder), folder / "whole.studio"
    verdict, printed = run_inline("a run", "run", table, "-o", path, *_WORDS)
    assert verdict.kind == "unharmed", printed
    return partial(_attempt, disk, (table, _read_recorded_run(path)))


def _attempt(
    disk: Any, sound: tuple[Path, list[Any]], folder: Path, rng: Random, number: int
) -> Iterator[Verdict]:
    table, whole = sound
    (kind, more), first = FAULTS[number % len(FAULTS)], 1 + number // len(FAULTS) % MOST
    what = f"{kind} at write {first}{' and all after' if more else ''}"
    path = folder / "case.studio"
    printed = folder / "output.txt"
    arguments = ("run", table, "-o", path, *_WORDS)
    status = _in_child_process(lambda: disk(first, first + more, kind), arguments, printed)
    text = printed.read_text()
    if kind == "kill" and os.WIFSIGNALED(status):
        verdict = Verdict("unharmed", what)
    else:
        verdict = judge_exit(what, os.waitstatus_to_exitcode(status), text)
    yield verdict
    if not path.exists():
        return
    reported = len(_TRIAL.findall(text))
    shown, said_then = run_inline(f"{what}: show", "show", path)
    if shown.kind != "unharmed" and reported:
        yield Verdict("fault", shown.what, f"{reported} trials are lost: {said_then[-300:]}")
    elif shown.kind == "unharmed":
        kept = _read_recorded_run(path)
        if len(kept) < reported or kept != whole[: len(kept)]:
            yield Verdict("fault", what, f"{reported} trials were reported, {len(kept)} kept")
        gone_on, said_then = run_inline(f"{what}: resume", "resume", path, "--quiet")
        if gone_on.kind == "unharmed":
            yield from check_expected(f"{what}: resumed", _read_recorded_run(path), whole)
        else:
            yield Verdict("fault", gone_on.what, gone_on.why or said_then[-300:])


def _in_child_process(fail: Callable[[], Any], arguments: tuple[object, ...], printed: Path) -> int:
    """Run a command in a forked process with a failing disk; return its exit status."""
    pid = os.fork()
    if pid == 0:
        code = 99
        try:
            with printed.open("w", buffering=1) as stream:
                # Move every commit into the file immediately, so that those writes also fail.
                connection._CHECKPOINT_PAGES = 1  # type: ignore[attr-defined]
                kept = fail()
                code = perform_inline(arguments, stream)
                del kept
        finally:
            os._exit(code)
    try:
        return os.waitpid(pid, 0)[1]
    except BaseException:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, 9)
        raise


def _read_recorded_run(path: Path) -> list[Any]:
    with Document.open(path, writable=False) as document:
        return [
            (dict(row.trial.configuration), row.trial.loss, row.iteration.members)
            for run in document.runs.list_all()
            for row in document.trials.list_rows(run.id)
        ]
