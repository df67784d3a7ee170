"""Boosting that watches rows it is not trained on, and the clock."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.learners.handover import Handover

MOST_ROUNDS = 4000
"""Rounds at which training ends although the watched rows still get better."""

ON_TIME = 0.7
"""Part of the given seconds in which rounds are added: many take a while to predict with."""

USUAL_RATE = 0.05
"""Learning rate for which the patience is meant."""

UNWATCHED_ROUNDS = 300
"""Rounds where there are no rows to watch and no earlier training has settled their number."""


def patience(n_rows: int, best: int, learning_rate: float) -> int:
    """Return how many rounds without a gain are waited for after the best one so far.

    As AutoGluon does (long on few rows, where a round costs nothing and the watched error is noisy,
    and longer the later the best round came), but shorter where each round learns more.
    """
    least = 100 if n_rows <= 10_000 else max(20, 1_000_000 // n_rows)
    quicker = min(1.0, USUAL_RATE / learning_rate)
    return int(max(least * quicker, 0.3 * best + 20))


class BoostedTreesTraining(Handover):
    """Trains an ``LGBMClassifier`` or ``LGBMRegressor``; hands over the rounds up to the best.

    Parameters
    ----------
    options : Mapping
        Of LightGBM's estimator.
    rounds : int or None
        Most rounds, or the settled number where there are no rows to watch; ``None``: not said.
    classes : bool
        Whether classes are predicted.
    categories : sequence of int
        Columns of codes, which LightGBM splits as categories.
    """

    def __init__(
        self,
        options: Mapping[str, Any],
        *,
        rounds: int | None,
        classes: bool,
        categories: Sequence[int] = (),
    ) -> None:
        self.options, self.rounds, self.classes = dict(options), rounds, classes
        self.categories = list(categories)

    def train(self, X: Floats, y: AnyArray, sample_weight: Floats | None) -> Any:
        """Boost on X of shape (n, d), y of shape (n,), until the watched rows get no better."""
        model = self._trained(X, y, sample_weight)
        if self.categories:
            # For whoever trains it anew from its parameters, as an exported script does.
            model.set_params(categorical_feature=self.categories)
        return model

    def _trained(self, X: Floats, y: AnyArray, sample_weight: Floats | None) -> Any:
        from lightgbm import LGBMClassifier, LGBMRegressor

        make = LGBMClassifier if self.classes else LGBMRegressor
        watched = self.watched
        codes: Any = self.categories or "auto"
        known = np.zeros(0, dtype=bool) if watched.y is None else self._known(y, watched.y)
        if watched.X is None or not known.any():
            unwatched = make(**self.options, n_estimators=self.rounds or UNWATCHED_ROUNDS)
            unwatched.fit(X, y, sample_weight=sample_weight, categorical_feature=codes)
            self.found = {"rounds": int(unwatched.n_estimators)}
            return unwatched
        model = make(**self.options, n_estimators=self.rounds or MOST_ROUNDS)
        assert watched.y is not None
        clock = _Clock(len(X), self.options["learning_rate"], watched.seconds)
        weights: Any = None if watched.weights is None else (watched.weights[known],)
        model.fit(
            X,
            y,
            sample_weight=sample_weight,
            eval_X=(watched.X[known],),
            eval_y=(watched.y[known],),
            eval_sample_weight=weights,
            categorical_feature=codes,
            callbacks=[clock],
        )
        rounds = max(1, clock.best)
        # What is handed over holds no trees behind the best round, and says how many it has.
        model._Booster = _first(model.booster_, rounds)
        model._best_iteration = 0
        model.set_params(n_estimators=rounds)
        self.found = {"rounds": rounds}
        return model

    def _known(self, y: AnyArray, watched: AnyArray) -> AnyArray:
        """Return which watched rows can be scored: those of classes that training has."""
        if not self.classes:
            return np.ones(len(watched), dtype=bool)
        known: AnyArray = np.isin(watched, np.unique(y))
        return known


class _Clock:
    """LightGBM's callback: ends the training by patience or by time."""

    order = 30
    before_iteration = False

    def __init__(self, n_rows: int, learning_rate: float, seconds: float | None) -> None:
        self.best, self._least = 0, float("inf")
        self._rows, self._rate = n_rows, learning_rate
        self._until = None if seconds is None else time.monotonic() + ON_TIME * seconds

    def __call__(self, state: Any) -> None:
        """Look at the watched rows' loss after a round."""
        from lightgbm.callback import EarlyStopException

        loss = state.evaluation_result_list[0][2]
        rounds = state.iteration + 1
        if loss < self._least:
            self.best, self._least = rounds, loss
        late = self._until is not None and time.monotonic() > self._until
        if late or rounds - self.best >= patience(self._rows, self.best, self._rate):
            raise EarlyStopException(self.best - 1, state.evaluation_result_list)


def _first(booster: Any, rounds: int) -> Any:
    from lightgbm import Booster

    return Booster(model_str=booster.model_to_string(num_iteration=rounds))
