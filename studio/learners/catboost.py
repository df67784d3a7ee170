"""CatBoost that stops when held-out rows get no better; an optional library."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.learners.base import CLASSIFICATION, REGRESSION, Library
from studio.learners.domains import (
    NOT_NEGATIVE,
    SHARE,
    Whole,
    settings,
)
from studio.learners.facts import TableFacts
from studio.learners.handover import Watched
from studio.learners.library.catboost import CATBOOST
from studio.learners.softmax import softmax_of
from studio.learners.values import Values
from studio.learners.watched_rounds import (
    UNWATCHED_ROUNDS,
    BoostedLearner,
    Clock,
    RoundsTraining,
)

DEEPEST = 10
"""Levels of a tree: each doubles the leaves of all trees, be they empty."""

BORDERS = 64
"""Places at which a column may be cut: a quarter of its usual number, at a quarter of the time."""


SHARELESS = ("Bayesian", "No")
"""Ways to draw rows for each tree that take no share of them."""


class CatBoostTraining(RoundsTraining):
    """Trains a ``CatBoostClassifier`` or ``CatBoostRegressor``.

    A round of CatBoost takes about as long on 100 rows as on 1,000, several times as long as one of
    LightGBM; so there are no more of them than its own usual number.
    """

    most_rounds = 1000

    def boosted(self, X: Floats, y: AnyArray, sample_weight: Floats | None, rounds: int) -> Any:
        """Return an estimator of exactly this many rounds; X is (n, d), y and weights (n,)."""
        model = self._made(rounds)
        model.fit(X, y, sample_weight=sample_weight)
        return _plain(model)

    def boosted_until(
        self,
        X: Floats,
        y: AnyArray,
        sample_weight: Floats | None,
        most: int,
        *,
        watched: Watched,
        clock: Clock,
    ) -> Any:
        """Return an estimator of ``clock.rounds`` rounds; X is (n, d), y and weights (n,)."""
        from catboost import Pool

        model = self._made(most)
        aside = Pool(watched.X, watched.y, weight=watched.weights)
        model.fit(X, y, sample_weight=sample_weight, eval_set=aside, callbacks=[_Ending(clock)])
        model.shrink(clock.rounds)
        return _plain(model)

    def give(self, settings: Mapping[str, Any]) -> None:
        """Take further options; some ways to draw rows have no share of them."""
        super().give(settings)
        if self.options["bootstrap_type"] in SHARELESS:
            del self.options["subsample"]

    def library_estimator(self) -> Any:
        """Return an estimator with these options."""
        return self._made(UNWATCHED_ROUNDS)

    def _made(self, rounds: int) -> Any:
        from catboost import CatBoostClassifier, CatBoostRegressor

        make = CatBoostClassifier if self.classes else CatBoostRegressor
        return make(**self.options, iterations=rounds)


class _Ending:
    """CatBoost's callback: ends the training when the clock says so."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def after_iteration(self, info: Any) -> bool:
        """Show the watched rows' loss to the clock after a round; return whether to continue."""
        (losses,) = info.metrics["validation"].values()
        return not self._clock.over(info.iteration, losses[-1])


def _plain(model: Any) -> Any:
    """Return the model, or with several classes its scores followed by a softmax.

    Its own labels of several classes are a column of shape (n, 1), which is not a vector of labels
    to scikit-learn.
    """
    classes = np.asarray(getattr(model, "classes_", ()))
    if classes.size <= 2:
        return model
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import FunctionTransformer

    raw = {"prediction_type": "RawFormulaVal", "thread_count": 1}
    scores = FunctionTransformer(model.predict, kw_args=raw)
    return Pipeline([("scores", scores), ("softmax", softmax_of(classes))])


@dataclass(frozen=True)
class CatBoost(BoostedLearner):
    """CatBoost on the log loss, as many rounds as the watched rows ask for."""

    key = "catboost"
    title = "CatBoost"
    noun = "CatBoost"
    place = 10
    summary = (
        "Grows trees whose levels ask one question each, so that they differ from other "
        "trees, and stops when rows held out from training get no better. Needs the library "
        "CatBoost, also where its pickle is loaded."
    )
    reference = "Prokhorenkova et al. 2018 (CatBoost)"
    tasks = CLASSIFICATION
    library = CATBOOST
    renamed = MappingProxyType(
        {
            **dict.fromkeys(
                ("iterations", "n_estimators", "num_boost_round", "num_trees"), "rounds"
            ),
            "eta": "learning_rate",
            "depth": "max_depth",
            "l2_leaf_reg": "reg_lambda",
            "rsm": "colsample_bylevel",
        }
    )
    needs = Library("CatBoost", "catboost", "catboost")
    hyperparameters = settings(
        rounds=Whole(),
        learning_rate=SHARE,
        max_depth=Whole(),
        reg_lambda=NOT_NEGATIVE,
        random_strength=NOT_NEGATIVE,
        subsample=SHARE,
        colsample_bylevel=SHARE,
    )

    def estimator(self, values: Values, facts: TableFacts) -> Any:
        """Return the training of a ``CatBoostClassifier`` or ``CatBoostRegressor``."""
        loss, constraint = _loss(facts), facts.constraint("monotone_constraints")
        # Fewer rows than two of each tree are refused, and how many it draws is left to chance.
        share = values.real("subsample", 0.8, low=min(1.0, 20.0 / facts.n_rows))
        return CatBoostTraining(
            {
                "loss_function": loss,
                "eval_metric": f"{loss}{';' if ':' in loss else ':'}hints=skip_train~true",
                "learning_rate": values.number("learning_rate", 0.1),
                "depth": values.whole("max_depth", 6, high=DEEPEST),
                "l2_leaf_reg": values.real("reg_lambda", 3.0),
                "random_strength": values.real("random_strength", 1.0),
                "bootstrap_type": "Bernoulli",
                "subsample": share,
                "rsm": values.number("colsample_bylevel", 1.0),
                "border_count": BORDERS,
                "leaf_estimation_iterations": 1,
                "use_best_model": False,
                "thread_count": 1,
                "random_seed": facts.seed,
                "allow_writing_files": False,
                "logging_level": "Silent",
                **{name: list(signs) for name, signs in constraint.items()},
            },
            rounds=values.whole("rounds", 1) if "rounds" in values else None,
            classes=facts.n_classes > 0,
        )


def _loss(facts: TableFacts) -> str:
    if facts.level is not None:
        return f"Quantile:alpha={facts.level}"
    if not facts.n_classes:
        return "RMSE"
    return "Logloss" if facts.seen_classes == 2 else "MultiClass"


@dataclass(frozen=True)
class CatBoostRegressor(CatBoost):
    """CatBoost on the squared or pinball loss, as many rounds as the watched rows ask for."""

    key = "catboost-regressor"
    title = "CatBoost (regression)"
    tasks = REGRESSION
    predicts = "values"
