"""Histories without training: predictions that depend on the configuration alone."""

import dataclasses
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from studio.proposers.base import SuggestionContext
from studio.seeds import derive
from studio.space.encoding import decode, sample
from studio.space.space import Space
from studio.trial import Configuration, History, Trial

ROWS = 60

QUICK: Mapping[str, Mapping[str, int]] = {
    "gp": {"surrogate.samples": 1, "surrogate.burn_in": 1, "surrogate.starts": 1},
    "local-search": {"maximiser.starts": 4, "maximiser.candidates": 100},
    "sobol-lbfgs": {"maximiser.starts": 2, "maximiser.points": 128, "maximiser.iterations": 5},
    "global-local": {"maximiser.everywhere": 200, "maximiser.around": 20},
    "lightgbm": {"diversity.models": 2, "diversity.trees": 10, "diversity.rows": 20_000},
}
"""Overrides for cheap parts: poorer models with the same behaviour."""


def make_predictions(configuration: Configuration, truth: np.ndarray, n_classes: int) -> np.ndarray:
    """Return stored predictions with an accuracy that depends on the configuration."""
    key = repr(sorted(configuration.items())).encode()
    rng = np.random.default_rng(zlib.crc32(key))
    if not n_classes:
        return (truth + rng.normal(0, rng.uniform(0.1, 2), ROWS)).astype(np.float32)
    scores = rng.random((ROWS, n_classes))
    scores[np.arange(ROWS), truth] += rng.uniform(0, 1)
    return (scores / scores.sum(axis=1, keepdims=True)).astype(np.float16)


class HistoryMaker:
    """Makes artificial histories for a space and a task."""

    def __init__(self, space: Space, n_classes: int = 3) -> None:
        self.space = space
        self.n_classes = n_classes
        rng = np.random.default_rng(7)
        self.truth = rng.integers(n_classes, size=ROWS) if n_classes else rng.normal(size=ROWS)

    def history(
        self, configurations: Sequence[Configuration], failed: Callable[[int], bool] | None = None
    ) -> History:
        history = History(self.truth, self.n_classes)
        for configuration in configurations:
            self.extend(history, configuration, failed)
        return history

    def extend(
        self,
        history: History,
        configuration: Configuration,
        failed: Callable[[int], bool] | None = None,
    ) -> None:
        number = len(history) + 1
        if failed is not None and failed(number):
            history.append(Trial(number, configuration, number, None, "it failed"), None)
            return
        stored = make_predictions(configuration, self.truth, self.n_classes)
        if self.n_classes:
            loss = float((stored.argmax(axis=1) != self.truth).mean())
        else:
            loss = float(((stored - self.truth) ** 2).mean())
        history.append(Trial(number, configuration, number, loss), stored)

    @staticmethod
    def quick(parts: Mapping[str, str]) -> dict[str, Any]:
        """Return overrides for cheap parts of a preset."""
        part_options = [QUICK.get(part, {}) for part in parts.values()]
        return {name: value for options in part_options for name, value in options.items()}

    @staticmethod
    def with_selection(history: History, seed: int) -> History:
        """Return the history with random losses on selection rows."""
        rng = np.random.default_rng(seed)
        history_with_selection = History(history.truth, history.n_classes)
        for trial in history.trials:
            selection = None if trial.loss is None else float(rng.random())
            predictions = None if trial.loss is None else history.get_predictions(trial.number)
            history_with_selection.append(
                dataclasses.replace(trial, selection=selection), predictions
            )
        return history_with_selection

    def draw(self, count: int, seed: int = 1) -> list[Configuration]:
        return decode(self.space, sample(self.space, np.random.default_rng(seed), count))

    def search(self, history: History, pending: Sequence[Configuration] = ()) -> SuggestionContext:
        started = len(history) + len(pending)
        return SuggestionContext(
            space=self.space,
            history=history,
            pending=tuple(pending),
            seed=derive(0, "suggest", started + 1),
            ensemble_seed=derive(0, "ensemble"),
            budget=100,
        )


@pytest.fixture
def make_faker() -> type[HistoryMaker]:
    return HistoryMaker
