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
    """Answers the tasks of the plots at once, or when told to."""

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
            done(encode(getattr(self, task)(arguments)))

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
            "followed": True,
            "objective": "validation loss",
            "explanation": "The others are held as in trial 3.",
            "reason": self.reason,
            "draws_are": "draws",
            "in_metric": True,
            "acquisition_title": "Expected improvement",
        }
        arrays = {
            "grid": grid,
            "draws": 0.2 + 0.001 * np.stack([grid, grid[::-1]]),
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

    def surrogate_map(self, arguments: dict[str, Any]) -> Any:
        cells = np.linspace(0.1, 0.4, 12).reshape(1, 3, 4)
        words = {
            "objective": "validation loss",
            "in_metric": True,
            "x": arguments["x"],
            "y": arguments["y"],
            "panels": ["rbf-svm"],
            "held": ["the next configuration"],
            "following": [0.0, 0.5, 0.5],
            "followed": True,
            "left_out": 0,
            "acquisition_title": "Expected improvement",
            "note": "",
            "reason": self.reason,
        }
        arrays = {
            "mean": cells,
            "sd": cells / 10,
            "acquisition": cells - 0.1,
            "trial_panels": np.array([0, 0]),
            "trial_numbers": np.array([2, 3]),
            "trial_x": np.array([0.2, 0.8]),
            "trial_y": np.array([0.1, 0.9]),
            "trial_targets": np.array([0.21, 0.33]),
        }
        return words, arrays

    def covariance(self, arguments: dict[str, Any]) -> Any:
        words = {
            "objective": "validation loss",
            "in_metric": True,
            "branches": ["knn", "forest", "forest"],
            "kernel": "Conditional (over Matérn 5/2)",
            "amplitude": 0.05,
            "noise": 0.01,
            "explanation": "Compares settings only within the same branch.",
            "reason": self.reason,
        }
        arrays = {
            "matrix": np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.25], [0.0, 0.25, 1.0]]),
            "numbers": np.array([2, 1, 3]),
            "conditions": np.array([0, 1, 2]),
        }
        return words, arrays

    def calibration(self, arguments: dict[str, Any]) -> Any:
        words = {
            "objective": "validation loss",
            "in_metric": True,
            "unpredicted": 2,
            "failed": 1,
            "reason": self.reason,
        }
        arrays = {
            "numbers": np.array([3, 5, 6, 7]),
            "predicted": np.array([0.2, 0.2, 0.1, 0.3]),
            "sd": np.array([0.05, 0.01, 0.02, 0.01]),
            "came": np.array([0.23, 0.19, 0.18, 0.1]),
        }
        return words, arrays

    def importance(self, arguments: dict[str, Any]) -> Any:
        branch = arguments["branch"]
        words = {
            "names": ["algorithm", f"{branch}.a", f"{branch}.b", f"{branch}.c"],
            "scopes": ["", branch, branch, branch],
            "model": "the run's surrogate (Gaussian process)",
            "models_are": "draws",
            "models": 10,
            "reason": self.reason,
        }
        arrays = {
            "share": np.array([0.7, 0.2, np.nan, 0.5]),
            "spread": np.array([0.004, 0.05, np.nan, 0.1]),
            "tried": np.array([20, 6, 1, 6]),
        }
        return words, arrays

    def search_diversity(self, arguments: dict[str, Any]) -> Any:
        numbers = np.array([n for n in range(2, arguments["iteration"] + 1) if n not in FAILED])
        arrays = {
            "numbers": numbers,
            "least": 0.3 + 0.01 * (numbers % 7),
            "nearest": np.ones(len(numbers), dtype=np.int64),
        }
        return {"more": False}, arrays

    def search_agreement(self, arguments: dict[str, Any]) -> Any:
        arrays = {"numbers": np.array([10, 15]), "taus": np.array([0.4, 0.6])}
        return {"applies": True, "more": False}, arrays

    def contributions(self, arguments: dict[str, Any]) -> Any:
        own = np.array([0.1, 0.2, 0.3])
        words = {"reason": self.reason, "validation": 0.1, "test": 0.12}
        arrays = {
            "members": np.array([2, 3, 5]),
            "own_test": own + 0.02,
            "without_validation": 0.1 + np.array([0.01, 0.0, -0.02]),
            "without_test": 0.12 + np.array([0.02, -0.01, 0.0]),
        }
        return words, arrays

    def by_hand(self, arguments: dict[str, Any]) -> Any:
        numbers = [number for number, _ in arguments["members"]]
        words = {
            "validation": 0.01 * len(numbers),
            "test": 0.02 * len(numbers),
            "real_validation": 0.05,
            "real_test": 0.1,
            "combination": "vote",
            "rule": "Members vote.",
            "weighable": True,
            "reason": self.reason,
        }
        return words, {"numbers": np.array(numbers), "own_test": 0.3 * np.ones(len(numbers))}

    def ensemble_objective(self, arguments: dict[str, Any]) -> Any:
        numbers = np.array([n for n in range(1, arguments["iteration"] + 1) if n not in FAILED])
        count = len(numbers)
        every = 3 if arguments["every_slot"] else 0
        lined = arguments["parameter"] is not None
        grid = np.linspace(1.0, 10.0, 20) if lined else np.empty(0)
        words = {
            "slot": 1,
            "searched": 1,
            "loss": "Squared margin",
            "of_metric": False,
            "note": "The trial takes the place of the slot's member.",
            "log": False,
            "choices": [],
            "whole": 0.1,
            "reason": self.reason,
        }
        arrays = {
            "numbers": numbers,
            "own": 0.1 + 0.01 * numbers,
            "together": np.where(numbers == 2, np.nan, 0.08 + 0.002 * numbers),
            "members": numbers < 4,
            "places": numbers / 2.0 if lined else numbers.astype(float),
            "each_slot": 0.1 + 0.001 * np.arange(every * count).reshape(every, count),
            "holders": np.array([2, 1, 3]),
            "grid": grid,
            "mean": 0.1 + 0.001 * grid,
            "sd": 0.01 + 0.0 * grid,
            "each_mean": np.empty((0, len(grid))),
        }
        return words, arrays

    def margins(self, arguments: dict[str, Any]) -> Any:
        grid = np.linspace(-1.0, 1.0, 5)
        curves = [
            {"key": "zero-one", "title": "Error of the vote", "formula": "1 where M < 0"},
            {"key": "sqm", "title": "Squared margin", "formula": "(1 − M)²/4"},
        ]
        words = {
            "own": "sqm",
            "size": 3,
            "of_values": False,
            "meaning": "",
            "note": "",
            "wrong": 0.1,
            "low": 0.3,
            "mean": 0.4,
            "curves": curves,
            "reason": self.reason,
        }
        arrays = {
            "grid": grid,
            "values": np.array([[1, 1, 0.5, 0, 0], (1 - grid) ** 2 / 4]),
            "points_x": np.array([-1.0, -1 / 3, 1 / 3, 1.0]),
            "points_y": np.array([1.0, 4 / 9, 1 / 9, 0.0]),
            "edges": np.array([-1.0, 0.0, 1.0]),
            "counts": np.array([1, 9]),
        }
        return words, arrays

    def prediction_errors(self, arguments: dict[str, Any]) -> Any:
        words = {
            "classes": ["no", "yes"],
            "about": 1 if arguments["about"] is None else arguments["about"],
            "members": 3,
            "single": 2,
            "count": 10,
            "combination": "vote",
            "weighted": False,
            "losses": [0.3, 0.4],
            "reason": self.reason,
        }
        line = np.array([[0.0, 0.5, 1.0], [0.0, 0.5, 1.0]])
        bins = np.full((2, 10), np.nan)
        bins[:, 2], bins[:, 9] = 0.25, 1.0
        empty = np.empty(0)
        arrays = {
            "confusion": np.array([[4, 2], [1, 3]]),
            "roc_x": line,
            "roc_y": np.array([[0.0, 0.75, 1.0], [0.0, 0.5, 1.0]]),
            "roc_area": np.array([0.625, 0.5]),
            "pr_x": line,
            "pr_y": np.array([[1.0, 0.8, 0.4], [1.0, 0.5, 0.4]]),
            "pr_area": np.array([0.6, 0.45]),
            "bin_counts": np.array([[0, 0, 4, 0, 0, 0, 0, 0, 0, 6]] * 2),
            "bin_said": bins,
            "bin_came": bins,
            "bin_error": np.array([0.1, 0.2]),
            "listed": np.array([7, 3]),
            "listed_truth": np.array([1, 0]),
            "listed_said": np.array([1, 1]),
            "listed_spread": np.array([0.5, 0.75]),
            "listed_other": np.array([0, 0]),
        }
        unused = ("dots", "dots_truth", "dots_said", "edges", "bars", "rmse", "mae", "bias", "r2")
        return words, arrays | dict.fromkeys(unused, empty)

    def column_plan(self, arguments: dict[str, Any]) -> Any:
        words = {
            "names": ["a", "b", "colour"],
            "members": [2, 3],
            "of_members": 3,
            "weight": 0.75,
            "training_rows": 60,
            "rows": 20,
            "of_rows": 20,
            "folds": 1,
            "fit_seconds": 3.2,
            "ask_seconds": 30.0,
            "classes": ["no", "yes"],
            "target": "target",
            "reason": self.reason,
        }
        return words, {}

    def column_effects(self, arguments: dict[str, Any]) -> Any:
        words = {
            "done": True,
            "reason": "",
            "plan": self.column_plan(arguments)[0],
            "loss": 0.2,
            "notes": [],
            "labels": {"0": [], "2": ["red", "green"]},
            "missing": {"0": 1, "2": 0},
        }
        arrays = {
            "rises": np.array([[0.1, np.nan, 0.3], [0.2, np.nan, 0.3]]),
            "grid-0": np.array([0.0, 1.0, 2.0]),
            "means-0": np.array([[0.5, 0.5], [0.4, 0.6], [0.1, 0.9]]),
            "edges-0": np.array([0.0, 1.0, 2.0]),
            "counts-0": np.array([30, 50]),
            "grid-2": np.array([0.0, 1.0]),
            "means-2": np.array([[0.7, 0.3], [0.2, 0.8]]),
            "edges-2": np.empty(0),
            "counts-2": np.array([20, 60]),
        }
        return words, arrays


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
