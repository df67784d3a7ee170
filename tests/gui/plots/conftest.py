"""A small real run, an artificial run, and helpers with real and example answers."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.document.runs import RunRow
from studio.document.store import Document
from studio.document.trials import Iteration
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subjects import Subject
from studio.helper import registry
from studio.helper.answers import encode
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.settings import RunSettings, TableSource
from studio.space.encoding import decode, sample
from studio.space.library import load
from studio.space.space import Space
from studio.tasks import Task
from studio.trial import Trial
from tests.gui.plots import examples
from tests.gui.plots.examples import FAILED
from tests.small_runs import small_table  # noqa: F401

Answering = Callable[[Mapping[str, Any]], Any]


def build_series(space: Space, length: int) -> RunSeries:
    """Return a run with a number of iterations and up to five members."""
    rng = np.random.default_rng(1)
    root = space.find_root_choice()
    assert root is not None
    series = RunSeries(branch_parameter=root.name, branches=tuple(map(str, root.choices)))
    trials, iterations, good = [], [], []
    for number, configuration in enumerate(decode(space, sample(space, rng, length)), start=1):
        loss = None if number in FAILED else 0.3 * float(rng.random()) + 0.05
        trials.append(Trial(number, configuration, number, loss, "" if loss else "too slow"))
        if loss is not None:
            good.append((loss, number))
        if not good:
            iterations.append(Iteration(number))
            continue
        members = [member for _, member in sorted(good)[:5]]
        best = min(good)
        iterations.append(
            Iteration(
                number=number,
                best=best[1],
                single_validation=best[0],
                single_test=best[0] + 0.02,
                ensemble_validation=best[0] - 0.01,
                ensemble_test=best[0] + 0.005,
                members=tuple((member, 1 / len(members)) for member in members),
            )
        )
    series.extend(trials, iterations)
    return series


class PlotHelper:
    """A helper that answers requests of plots at once, or when released.

    Attributes:
        asked: Tasks and arguments.
        holds_replies: Whether answers wait for :meth:`release`.
        answers: Replies by task.
        reason: The reason for empty replies.
        error: An error for all requests.
    """

    def __init__(self, answers: Mapping[str, Answering]) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.holds_replies = False
        self.answers = dict(answers)
        self.reason = self.error = ""
        self._waiting: list[Callable[[], None]] = []

    def request(
        self,
        task: Task[..., Any],
        arguments: dict[str, Any],
        done: Callable[[Any], None],
        failed: Callable[[str], None],
        channel: str | None = None,
    ) -> "PlotHelper":
        self.asked.append((task.name, arguments))

        def answer() -> None:
            if self.error:
                failed(self.error)
                return
            response = self.answers[task.name](arguments)
            done(encode(replace(response, reason=self.reason) if self.reason else response))

        self._waiting.append(answer)
        if not self.holds_replies:
            self.release()
        return self

    def cancel(self) -> None:
        self._waiting = []

    def release(self) -> None:
        waiting, self._waiting = self._waiting, []
        for answer in waiting:
            answer()


@pytest.fixture(scope="session")
def recorded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a document with a finished EO run of 20 trials, with data for all plots."""
    path = tmp_path_factory.mktemp("recorded") / "work.studio"
    table = request.getfixturevalue("small_table")
    settings = RunSettings(
        method="EO-sqm",
        budget=20,
        workers=1,
        source=TableSource(path=str(table)),
        overrides={"proposer.slots": 3},  # few, so that the surrogate starts early
    )
    with Document.create(path) as document:
        run_id = document.runs.add("recorded", settings.to_json())
        assert Engine(document, run_id, lambda _: None, InlinePool).execute_run() == "finished"
    return path


@pytest.fixture(scope="session")
def recorded_run(recorded: Path) -> tuple[RunRow, list[Trial], list[Iteration]]:
    with Document.open(recorded, writable=False) as document:
        return document.runs.get(1), document.trials.list_all(1), document.trials.list_iterations(1)


@pytest.fixture(scope="session")
def space() -> Space:
    return load("sklearn-cash")


@pytest.fixture
def plot_helper() -> PlotHelper:
    """Return a helper with example answers."""
    return PlotHelper(examples.ANSWERS)


@pytest.fixture(scope="session")
def analysis() -> Mapping[str, Answering]:
    """Return cached answers of the analysis, by task."""

    @cache
    def compute_answer(task: str, arguments: str) -> Any:
        return registry.run_task(task, json.loads(arguments))

    def answering(task: str) -> Answering:
        return lambda arguments: compute_answer(task, json.dumps(arguments))

    return {task: answering(task) for task in registry.REGISTRY}


@pytest.fixture
def recorded_helper(analysis: Mapping[str, Answering]) -> PlotHelper:
    """Return a helper that answers with real results of the analysis."""
    return PlotHelper(analysis)


@pytest.fixture
def make_series(space: Space) -> Callable[[int], RunSeries]:
    return lambda length: build_series(space, length)


@pytest.fixture
def make_subject(space: Space) -> Callable[..., Subject]:
    """Return a function that makes artificial subjects with failed trials."""

    def make(length: int = 20, chosen: int | None = None, run_id: int = 1) -> Subject:
        return Subject(Path("work.studio"), run_id, build_series(space, length), chosen, space)

    return make


@pytest.fixture
def make_recorded_subject(recorded: Path, recorded_run: Any) -> Callable[..., Subject]:
    """Return a function that makes subjects of the recorded run at a trial."""
    row, trials, iterations = recorded_run
    space = Space.from_json(row.settings["space"])
    root = space.find_root_choice()
    assert root is not None

    def make(length: int = 20, chosen: int | None = None) -> Subject:
        series = RunSeries(branch_parameter=root.name, branches=tuple(map(str, root.choices)))
        series.extend(trials[:length], iterations[:length])
        return Subject(recorded, 1, series, chosen, space, settings=RunSettings.from_row(row))

    return make
