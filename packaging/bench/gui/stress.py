"""Measure drawing time and memory growth of each plot in a large run.

``python packaging/bench live-plots`` starts this in a separate process. The run is artificial:
1,000 trials with random predictions, with the 300 best in the ensemble at every iteration. Requests
of the plots to the helper are computed here before the measurement.
"""

import gc
import json
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from studio.document.store import Document
from studio.document.trials import Iteration
from studio.errors import StudioError
from studio.gui.app import make_app
from studio.gui.pages.live.registry import REGISTRY
from studio.gui.plots.base.plot import Plot
from studio.gui.plots.base.subjects import Subject, Subjects
from studio.gui.session.session import Session
from studio.helper.answers import Encoded, encode
from studio.helper.registry import run_task
from studio.runs.settings import RunSettings, TableSource
from studio.scratch import make_scratch_folder
from studio.tasks import Task
from studio.trial import Trial

TRIALS, MEMBERS, ROWS = 1000, 300, 600
SIZE = (560, 300)
"""Of a plot: a quarter of a window of 1280 × 800."""

_REPEATS = 20
_GROWTH_REPAINTS = 3000


class InProcessHelper:
    """A helper with fixed answers in this process, without answers to slow tasks."""

    def __init__(self) -> None:
        self._known: dict[str, Encoded | str] = {}

    def request(
        self,
        task: Task[..., Any],
        arguments: dict[str, Any],
        answered: Callable[[Encoded], None],
        failed: Callable[[str], None],
        channel: str | None = None,
    ) -> "InProcessHelper":
        """Answer a request at once; slow tasks never answer."""
        del channel
        if task.is_slow:
            return self
        asked = json.dumps([task.name, arguments])
        if asked not in self._known:
            self._known[asked] = self._answer(task.name, asked)
        answer = self._known[asked]
        if isinstance(answer, str):
            failed(answer)
        else:
            answered(answer)
        return self

    def _answer(self, task: str, asked: str) -> Encoded | str:
        try:
            return encode(run_task(task, json.loads(asked)[1]))
        except StudioError as error:
            return str(error)

    def cancel(self) -> None:
        """Do nothing: no request is pending."""


def make_document(folder: Path, trials: int = TRIALS, members: int = MEMBERS) -> Path:
    """Write a document with a simulated run of ``trials`` trials, and return its path."""
    from studio.runs.prepare import prepare
    from studio.space.encoding import decode, sample

    rng = np.random.default_rng(0)
    table, path = folder / "t.csv", folder / "stress.studio"
    x = rng.normal(size=(ROWS, 4))
    labels = np.where(x[:, 0] + 0.5 * rng.normal(size=ROWS) > 0, "yes", "no")
    lines = ["a,b,c,d,target"]
    lines += [",".join([*(f"{v:.4f}" for v in row), y]) for row, y in zip(x, labels, strict=True)]
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    settings = RunSettings(
        method="BO-post", budget=trials, workers=1, source=TableSource(path=str(table))
    )
    with Document.create(path) as document:
        run_id = document.runs.add("stress", settings.to_json())
        prepared = prepare(document, run_id, starts_run=True)
        split = prepared.split
        truth = np.eye(2)[prepared.problem.y]
        configurations = decode(prepared.space, sample(prepared.space, rng, trials))
        good: list[tuple[float, int]] = []
        elapsed = 0.0
        for number, configuration in enumerate(configurations, start=1):
            noise = rng.dirichlet([1.0, 1.0], size=ROWS)
            skill = 0.3 + 0.4 * rng.random()
            shares = (skill * truth + (1 - skill) * noise).astype(np.float16)
            validation, test = shares[split.validation], shares[split.test]
            loss = None if number % 50 == 0 else prepared.compute_loss(split.validation, validation)
            failed = loss is None
            if loss is not None:
                good = sorted([*good, (loss, number)])[:members]
            elapsed += 1.0
            trial = Trial(
                number,
                configuration,
                number,
                loss,
                "It took longer than allowed." if failed else "",
                fit_seconds=float(rng.gamma(2.0)),
                suggest_seconds=0.05,
                origin="random",
            )
            chosen = tuple((member, 1 / len(good)) for _, member in good)
            best = good[0] if good else None
            iteration = Iteration(
                number,
                None if best is None else best[1],
                None if best is None else best[0],
                None if best is None else best[0] + 0.02,
                None if best is None else best[0] - 0.01,
                None if best is None else best[0] + 0.005,
                chosen,
                {"elapsed": elapsed, "timing": [elapsed - 1.0, elapsed - 0.9]},
            )
            document.trials.add(
                run_id,
                trial,
                None if failed else validation,
                None if failed or not split.test.size else test,
                iteration,
            )
        document.runs.set_state(run_id, "stopped")
    return path


def measure(make: type[Plot], subject: Subject) -> dict[str, float]:
    """Return a plot's milliseconds of construction, drawing (median, maximum) and painting."""
    begun = time.perf_counter()
    plot = make(InProcessHelper())
    made = time.perf_counter() - begun
    plot.resize(*SIZE)
    plot.show()
    # Alternate between two iterations, as an unchanged plot is not redrawn.
    moments = [
        replace(subject, selected_iteration=chosen) for chosen in (None, subject.series.length - 1)
    ]
    for moment in moments:
        plot.follow(moment)
        make_app().processEvents()
    draws, paints = [], []
    for turn in range(_REPEATS):
        begun = time.perf_counter()
        plot.follow(moments[turn % 2])
        draws.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        plot.repaint()
        plot.canvas.viewport().repaint()
        paints.append(time.perf_counter() - begun)
        make_app().processEvents()
    found = {
        "made_ms": 1000 * made,
        "draw_ms": 1000 * statistics.median(draws),
        "draw_max_ms": 1000 * max(draws),
        "paint_ms": 1000 * statistics.median(paints),
        "drawn": float(plot.empty_text == ""),
    }
    plot.close()
    plot.deleteLater()
    return found


def state() -> tuple[float, int]:
    """Return the process's resident memory in MB, and its number of objects."""
    gc.collect()
    return psutil.Process().memory_info().rss / 2**20, len(gc.get_objects())


def growth(subject: Subject, repaints: int = _GROWTH_REPAINTS) -> dict[str, float]:
    """Return the growth in megabytes and objects after ``repaints`` of all plots."""
    plots = [make(InProcessHelper()) for make in REGISTRY]
    for plot in plots:
        plot.resize(*SIZE)
        plot.show()

    def turn(number: int) -> None:
        plot = plots[number % len(plots)]
        plot.follow(replace(subject, selected_iteration=subject.series.length - number % 7))
        plot.canvas.viewport().repaint()
        make_app().processEvents()

    for number in range(10 * len(plots)):
        turn(number)
    before = state()
    for number in range(repaints):
        turn(number)
    after = state()
    return {"growth_mb": after[0] - before[0], "growth_objects": float(after[1] - before[1])}


def main(repaints: int | str = _GROWTH_REPAINTS) -> int:
    """Run as the measured process."""
    app = make_app()
    found: dict[str, float] = {}
    with make_scratch_folder() as folder:
        session = Session()
        session.open(make_document(folder))
        subject = Subjects(session).get_current()
        assert subject is not None
        for make in REGISTRY:
            for name, value in measure(make, subject).items():
                found[f"{make.key}_{name}"] = value
        if int(repaints):
            found |= growth(subject, int(repaints))
        session.close()
    print(json.dumps(found), flush=True)
    app.processEvents()
    return 0
