"""The diversity surrogate of DivBO: several LightGBM models."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from studio.arrays import Floats
from studio.parts import option
from studio.surrogates.diversity.base import (
    DiversityPosterior,
    DiversitySurrogate,
    Model,
    check_observed,
)
from studio.surrogates.diversity.pair_trees import PairTrees

_FEW_COLUMNS = 3
"""Up to this many columns, 5/6 of them, rounded, are all."""

_SOME_COLUMNS: dict[str, Any] = {"feature_fraction": 5 / 6}
_SOME_PAIRS: dict[str, Any] = {"bagging_fraction": 5 / 6, "bagging_freq": 1}

_MAX_KEPT = 16
"""Models that are kept from one suggestion to the next; each takes about a megabyte."""

_KEPT: dict[tuple["LightGBM", bytes], Model] = {}
"""Models by their settings and a digest of all that they learned from, the latest used last."""


@dataclass(frozen=True)
class LightGBM(DiversitySurrogate):
    """Models that differ by the columns that their trees draw, and later by what they have seen.

    DivBO names neither their number nor their settings. These were chosen by the Kendall tau
    between predicted and true diversities of new configurations with those observed (250 random
    trials of sklearn-cash on two data sets): 100 trees of 63 leaves at learning rate 0.2 reach
    0.95, LightGBM's own 31 leaves at 0.1 reach 0.90 in the same time, and OpenBox's surrogate (0.03
    and, by a misprint, 22 leaves) 0.80.

    A tree sees 5/6 of the columns, as in OpenBox; without that all seeds give the same model. (Of
    the two columns of a single hyperparameter's pairs none can be spared; there each tree sees 5/6
    of the pairs.)

    With few trials all models learn from all pairs. From ``in_turn`` trials on the models are
    renewed in turn: with five of them and n trials they are those of the first n, n − 1, …, n − 4
    (decision 34). The model of the first m trials is a function of them and of m, its seed, and of
    nothing else: whether it is still there from an earlier suggestion or is trained again, it is
    the same, and a suggestion that finds the others has one to train.

    A leaf may hold 3 pairs and a bin one, since 5 trials make no more than 25 pairs. One thread and
    fixed histograms: the same rows and seed give the same bits.
    """

    key: ClassVar[str] = "lightgbm"
    title: ClassVar[str] = "LightGBM"
    summary: ClassVar[str] = (
        "Several boosted tree models learn from all pairs of trials how differently they predict. "
        "Where the models disagree, the prediction is uncertain."
    )
    reference: ClassVar[str] = "DivBO 3.1; Ke et al. 2017"

    models: int = option(5, low=1, high=100, help="Models, whose spread is the uncertainty.")
    trees: int = option(100, low=1, high=10_000, help="Trees of each model.")
    leaves: int = option(63, low=2, high=1024, help="Maximum number of leaves of a tree.")
    rate: float = option(0.2, low=1e-3, high=1.0, help="Share of a tree's correction that counts.")
    in_turn: int = option(
        200,
        low=2,
        high=1_000_000,
        unit="trials",
        help="From this many trials on, each new trial renews one model and the others wait their "
        "turn; before, all learn from all trials every time.",
    )

    def fit(self, U: Floats, diversity: Floats, rng: np.random.Generator) -> DiversityPosterior:
        """Fit to observed diversities of trials in the order in which they finished.

        U has shape (k, D), diversity (k, k). Where models are renewed in turn, nothing is drawn
        from ``rng``.
        """
        newest = len(U)
        oldest = newest - self.models + 1
        if newest < self.in_turn or 2 * oldest < newest:
            return super().fit(U, diversity, rng)
        check_observed(U, diversity)
        return DiversityPosterior(
            [self._of_first(U[:m], diversity[:m, :m]) for m in range(newest, oldest - 1, -1)]
        )

    def _of_first(self, U: Floats, diversity: Floats) -> Model:
        """Return the model of trials (n, D), diversity (n, n), trained unless still there."""
        learned = hashlib.blake2b(np.ascontiguousarray(U).data)
        learned.update(np.ascontiguousarray(diversity).data)
        name = (self, learned.digest())
        model = _KEPT.pop(name, None)
        if model is None:
            alone, rng = replace(self, models=1), np.random.default_rng(len(U))
            (model,) = super(LightGBM, alone).fit(U, diversity, rng).models
        _KEPT[name] = model
        while len(_KEPT) > _MAX_KEPT:
            del _KEPT[next(iter(_KEPT))]
        return model

    def train(self, X: Floats, y: Floats, rng: np.random.Generator) -> Sequence[Model]:
        """Bin the pairs X (n, 2D), y (n,) once and train the models in turn on one thread."""
        import lightgbm

        drawing = _SOME_PAIRS if X.shape[1] <= _FEW_COLUMNS else {}
        binned = lightgbm.Dataset(X, y)
        made: list[Model] = []
        for seed in rng.integers(2**31 - 1, size=self.models).tolist():
            settings = {**self._settings(), **_SOME_COLUMNS, **drawing, "seed": seed}
            booster = lightgbm.train(settings, binned, self.trees, keep_training_booster=True)
            made.append(PairTrees.of_text(booster.model_to_string()))
        return made

    def _settings(self) -> dict[str, Any]:
        return {
            "objective": "regression",
            "num_leaves": self.leaves,
            "learning_rate": self.rate,
            "min_data_in_leaf": 3,
            "min_data_in_bin": 1,
            "feature_pre_filter": False,
            "num_threads": 1,
            "deterministic": True,
            # The trees do not depend on these two, their cost does: a sixth less.
            "force_row_wise": True,
            "is_enable_sparse": False,
            "verbose": -1,
        }
