"""Group of large documents (200 runs), and of ten windows on one document.

Every command must end in time without changing other runs.
"""

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

from studio.document.store import Document
from torture.companion_files import QUICK, commands, sound_document
from torture.execution import LIMIT, STUDIO, run_inline, run_process
from torture.verdict import Try, Verdict, check_expected

RUNS, TRIALS = 200, 140
WINDOWS = 10
PAGES = ("data", "space", "run", "live", "compare", "results")


def sizes(folder: Path) -> Try:
    """Return the cases with a document of many runs."""
    path, table = sound_document(folder)
    _fill(path)
    return partial(_attempt, path, table)


def _fill(path: Path) -> None:
    """Repeat the trials of a document's one run, first within the run, then in further runs."""
    with Document.open(path) as document:
        first = document.runs.list_all()[0]
        read = partial(document.trials.read_predictions, first.id)
        stored = [
            (row, read(row.trial.number, "validation"), read(row.trial.number, "test"))
            for row in document.trials.list_rows(first.id)
        ]
        split = document.runs.split(first.id)
        for index in range(RUNS):
            run = first.id
            if index:
                run = document.runs.add(f"run {index}", first.settings, first.table_id, split)
            for number in range(document.trials.count(run) + 1, TRIALS + 1):
                row, validation, test = stored[(number - 1) % len(stored)]
                trial, iteration = (
                    replace(each, number=number) for each in (row.trial, row.iteration)
                )
                document.trials.add(run, trial, validation, test, iteration)
            if index and first.result is not None:
                document.runs.set_result(run, first.result)
                document.runs.set_state(run, "finished")


def _attempt(whole: Path, table: Path, folder: Path, rng: Random, number: int) -> Iterator[Verdict]:
    path, out = folder / "case.studio", folder / "out"
    with Document.open(whole, writable=None) as document:
        document.copy_to(path)
    names = (*commands(path, table, out), "pictures", "windows")
    name = names[number % len(names)]
    if name == "pictures":
        yield from _pictures(path, folder)
    elif name == "windows":
        yield from _windows(path, table, folder)
    else:
        arguments = commands(path, table, out)[name]
        if name in {"show", "export", "resume", "fork", "refit", "predict"}:
            arguments = (*arguments, "--run", str(rng.randint(1, RUNS)))
        verdict, printed = run_inline(f"{name} among {RUNS} runs", name, *arguments)
        yield verdict
        if verdict.kind == "reported" and name != "compare":
            yield Verdict("fault", verdict.what, f"it was refused: {printed[-300:]}")
    wanted = {"remove": -1, "run": 1, "fork": 1, "windows": 1}.get(name, 0)
    with Document.open(path, writable=False) as document:
        runs = [run.id for run in document.runs.list_all()]
        untouched = [run for run in runs if document.trials.count(run) == TRIALS]
    if name != "compare":
        yield from check_expected(f"{name}: runs", len(runs), RUNS + wanted)
    yield from check_expected(f"{name}: whole runs", len(untouched) >= RUNS - 1, True)


def _pictures(path: Path, folder: Path) -> Iterator[Verdict]:
    for page in PAGES:
        arguments = [STUDIO, "picture", path, "-o", folder / f"{page}.png", "--page", page]
        yield run_process(f"{page} with {RUNS} runs", arguments, folder)[0]


def _windows(path: Path, table: Path, folder: Path) -> Iterator[Verdict]:
    """Let ten windows follow a run of another process; each must see its end."""
    what = f"{WINDOWS} windows on one document"
    script = Path(__file__).with_name("following_window.py")
    windows = [
        subprocess.Popen(
            [sys.executable, script, path, str(RUNS + 1)],
            cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        for _ in range(WINDOWS)
    ]  # fmt: skip
    arguments = [STUDIO, "run", table, "-o", path, "--budget", "5", *QUICK]
    yield run_process(f"{what}: the run", arguments, folder)[0]
    for window in windows:
        printed = ""
        with contextlib.suppress(subprocess.TimeoutExpired):
            printed, _ = window.communicate(timeout=LIMIT)
        window.kill()
        seen = printed.strip().endswith("5 finished")
        yield Verdict("unharmed" if seen else "fault", what, "" if seen else f"it saw {printed!r}")
