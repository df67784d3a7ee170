"""Boosting with early stopping on held-out rows or by time, for any library.

Library-specific code is in: :mod:`~studio.learners.lightgbm` (LightGBM),
:mod:`~studio.learners.xgboost`, :mod:`~studio.learners.catboost`.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.awake_clock import read_awake_seconds
from studio.learners.base import Learner
from studio.learners.facts import MAX_CATEGORIES, TableFacts
from studio.learners.operators.encoders import Encoder, OneHotEncoding, TargetMeans
from studio.learners.self_replacing_steps import SelfReplacingStep, ValidationData

TRAINING_TIME_SHARE = 0.7
"""Share of the time limit for adding rounds, as predictions with many rounds are slow."""

TOTAL_TIME_SHARE = 0.85
"""Share of the time limit for rounds and their predictions, once the prediction time is known: with
18 classes and trees of 128 leaves it is twice the training time.
"""

PROBED_ROWS = 256
"""Number of validation rows for timing predictions, each time the rounds have doubled."""

REFERENCE_LEARNING_RATE = 0.05

DEFAULT_ROUNDS = 300
"""Number of rounds without validation rows or a number from an earlier training."""


def compute_patience(n_rows: int, best: int, learning_rate: float) -> int:
    """Return the patience: rounds without improvement after the best one so far.

    It follows AutoGluon (longer on few rows, where rounds are cheap and the validation loss is
    noisy, and after a late best round), but is shorter for higher learning rates.
    """
    min_patience = 100 if n_rows <= 10_000 else max(20, 1_000_000 // n_rows)
    learning_rate_factor = min(1.0, REFERENCE_LEARNING_RATE / learning_rate)
    return int(max(min_patience * learning_rate_factor, 0.3 * best + 20))


Predict = Callable[[Floats], object]
"""Predicts rows, shape (k, d)."""


class EarlyStopper:
    """Decides when to stop, by patience or by time.

    Args:
        validation_data: The validation rows, and the time for training and predicting.
    """

    def __init__(self, n_rows: int, learning_rate: float, validation_data: ValidationData) -> None:
        self._best, self._lowest_loss = 0, float("inf")
        self._rows, self._rate = n_rows, learning_rate
        self.validation_data, self._start_time = validation_data, read_awake_seconds()
        self._timed_rounds, self._seconds_per_round = 0, 0.0

    @property
    def rounds(self) -> int:
        """The rounds up to the best one, at least 1."""
        return max(1, self._best)

    def is_over(self, rounds: int, loss: float, predict: Predict | None = None) -> bool:
        """Evaluate the validation loss after a round; return whether to stop.

        Args:
            predict: Predicts rows, (k, d), with the rounds so far; ``None``: its duration is not
                measured.
        """
        if loss < self._lowest_loss:
            self._best, self._lowest_loss = rounds, loss
        patience = compute_patience(self._rows, self._best, self._rate)
        return self._is_late(rounds, predict) or rounds - self._best >= patience

    def _is_late(self, rounds: int, predict: Predict | None) -> bool:
        seconds = self.validation_data.seconds
        if seconds is None:
            return False
        is_due = self.validation_data.to_predict and rounds >= 2 * self._timed_rounds
        if predict is not None and is_due:
            self._check_time(rounds, predict)
        elapsed = read_awake_seconds() - self._start_time
        predicting = rounds * self._seconds_per_round
        return (
            elapsed > TRAINING_TIME_SHARE * seconds
            or elapsed + predicting > TOTAL_TIME_SHARE * seconds
        )

    def _check_time(self, rounds: int, predict: Predict) -> None:
        assert self.validation_data.X is not None, "a stopper requires validation rows"
        rows = self.validation_data.X[:PROBED_ROWS]
        start = read_awake_seconds()
        predict(rows)
        per_row = (read_awake_seconds() - start) / len(rows)
        self._timed_rounds = rounds
        self._seconds_per_round = per_row * self.validation_data.to_predict / rounds


class RoundsTraining(SelfReplacingStep):
    """Trains an estimator that grows by rounds; returns the rounds up to the best.

    Args:
        options: Of the library's estimator, including the learning rate.
        rounds: Maximum number of rounds, or the known number without rows to watch; ``None``:
            unspecified.

    Attributes:
        max_rounds: Rounds after which training ends even if the loss still falls.
    """

    max_rounds: ClassVar[int] = 4000

    def __init__(
        self, options: Mapping[str, Any], *, rounds: int | None, is_classification: bool
    ) -> None:
        self.options, self.rounds, self.is_classification = dict(options), rounds, is_classification

    def train(self, X: Floats, y: AnyArray, sample_weight: Floats | None) -> Any:
        """Boost on X of shape (n, d), y of shape (n,), with early stopping."""
        scorable_rows = self._select_scorable_rows(y)
        if scorable_rows is None:
            rounds = self.rounds or DEFAULT_ROUNDS
            self.self_tuned_values = {"rounds": rounds}
            return self.train_rounds(X, y, sample_weight, rounds)
        stopper = EarlyStopper(len(X), self.options["learning_rate"], scorable_rows)
        max_rounds = self.rounds or self.max_rounds
        model = self.train_rounds(X, y, sample_weight, max_rounds, stopper)
        self.self_tuned_values = {"rounds": stopper.rounds}
        return model

    def set_options(self, settings: Mapping[str, Any]) -> None:
        self.options.update(settings)

    @abstractmethod
    def train_rounds(
        self,
        X: Floats,
        y: AnyArray,
        sample_weight: Floats | None,
        rounds: int,
        stopper: EarlyStopper | None = None,
    ) -> Any:
        """Return an estimator of this many rounds, or of ``stopper.rounds``.

        X is (n, d), y and weights (n,). The stopper is given the loss on its validation rows, at
        least one, after each round.
        """

    def _select_scorable_rows(self, y: AnyArray) -> ValidationData | None:
        """Return the validation rows that can be scored: those with a class in y, (n,)."""
        validation_data = self.validation_data
        if validation_data.X is None or validation_data.y is None:
            return None
        is_known = np.ones(len(validation_data.y), dtype=bool)
        if self.is_classification:
            is_known = np.isin(validation_data.y, np.unique(y))
        if not is_known.any():
            return None
        weights = None if validation_data.weights is None else validation_data.weights[is_known]
        X, y = validation_data.X[is_known], validation_data.y[is_known]
        return replace(validation_data, X=X, y=y, weights=weights)


@dataclass(frozen=True)
class BoostedLearner(Learner):
    """Base of the learners whose training is a :class:`RoundsTraining`."""

    monotone = True
    self_tuned_hyperparameters = ("rounds",)
    supports_missing = True
    needs_scaling = False

    def make_default_encoder(self, facts: TableFacts) -> Encoder:
        """Return the default encoder, for spaces without a choice of encoders.

        It is one-hot if each category can have a column, otherwise by mean targets. LightGBM's own
        categorical splits were slightly better on one of nine tables only (docs/decisions/0030).
        """
        return TargetMeans() if facts.max_categories > MAX_CATEGORIES else OneHotEncoding()
