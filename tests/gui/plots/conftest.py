"""A run that looks like a real one, and a helper that answers what plots ask."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.document.trials import Iteration
from studio.gui.plots.series import RunSeries
from studio.gui.plots.subject import Subject
from studio.space.encoding import decode
from studio.space.library import load
from studio.space.sampling import sample
from studio.space.space import Space
from studio.trial import Trial

FAILED = (4, 9)


def make_series(space: Space, length: int) -> RunSeries:
    """Return a run of so many iterations whose ensemble grows to five members."""
    rng = np.random.default_rng(1)
    root = space.root_choice()
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
    """Answers the two tasks of the plots at once, or when told to."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.held = False
        self.reason = ""
        self._waiting: list[Callable[[], None]] = []

    def request(
        self,
        task: str,
        arguments: dict[str, Any],
        done: Callable[[Any], None],
        failed: Callable[[str], None],
        channel: str | None = None,
    ) -> "PlotHelper":
        self.asked.append((task, arguments))

        def answer() -> None:
            done(getattr(self, task)(arguments))

        self._waiting.append(answer)
        if not self.held:
            self.release()
        return self

    def cancel(self) -> None:
        self._waiting = []

    def release(self) -> None:
        waiting, self._waiting = self._waiting, []
        for answer in waiting:
            answer()

    def slice(self, arguments: dict[str, Any]) -> Any:
        grid = np.linspace(1.0, 30.0, 30)
        words = {
            "parameter": arguments["parameter"],
            "log": False,
            "choices": [],
            "next_value": 7.0,
            "objective": "validation loss",
            "explanation": "The others are held as in trial 3.",
            "reason": self.reason,
        }
        arrays = {
            "grid": grid,
            "mean": 0.2 + 0.001 * grid,
            "sd": np.full(30, 0.02),
            "acquisition": np.exp(-((grid - 7) ** 2)),
            "trial_values": np.array([3.0, np.nan, 12.0]),
            "trial_targets": np.array([0.21, 0.4, 0.22]),
            "trial_numbers": np.array([1, 2, 3]),
        }
        return words, arrays

    def diversity(self, arguments: dict[str, Any]) -> Any:
        matrix = np.array([[0.0, 0.1, 0.3], [0.1, 0.0, 0.2], [0.3, 0.2, 0.0]])
        arrays = {"members": np.array([2, 3, 5]), "diversity": matrix, "disagreement": matrix / 2}
        return {"reason": self.reason}, arrays


@pytest.fixture(scope="session")
def space() -> Space:
    return load("sklearn-cash")


@pytest.fixture
def plot_helper() -> PlotHelper:
    return PlotHelper()


@pytest.fixture
def series_of(space: Space) -> Callable[[int], RunSeries]:
    return lambda length: make_series(space, length)


@pytest.fixture
def subject_of(space: Space) -> Callable[..., Subject]:
    def make(length: int = 20, chosen: int | None = None, run_id: int = 1) -> Subject:
        return Subject(Path("work.studio"), run_id, make_series(space, length), chosen, space)

    return make
