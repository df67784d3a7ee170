"""LightGBM that stops when rows held out from training get no better."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from studio.learners.base import CLASSIFICATION, REGRESSION
from studio.learners.boosted_trees_training import BoostedTreesTraining
from studio.learners.domains import (
    NOT_NEGATIVE,
    SHARE,
    Flag,
    Positive,
    Whole,
    settings,
)
from studio.learners.facts import TableFacts
from studio.learners.library.light_gbm import WATCHED_LIGHT_GBM
from studio.learners.values import Values
from studio.learners.watched_rounds import BoostedLearner


@dataclass(frozen=True)
class BoostedTrees(BoostedLearner):
    """LightGBM on the log loss, as many rounds as the watched rows ask for."""

    key = "boosted-trees"
    title = "Boosted trees"
    noun = "boosted trees"
    place = 0
    summary = (
        "Grows small trees one after the other, each on what those before got wrong, and "
        "stops when rows held out from training get no better. Strong on most tables of 500 "
        "rows or more."
    )
    reference = "Ke et al. 2017 (LightGBM)"
    tasks = CLASSIFICATION
    library = WATCHED_LIGHT_GBM
    renamed = MappingProxyType({"n_estimators": "rounds"})
    hyperparameters = settings(
        rounds=Whole(),
        learning_rate=Positive(),
        num_leaves=Whole(2),
        min_child_samples=Whole(),
        subsample=SHARE,
        colsample_bytree=SHARE,
        reg_alpha=NOT_NEGATIVE,
        reg_lambda=NOT_NEGATIVE,
        extra_trees=Flag(),
        cat_smooth=NOT_NEGATIVE,
        cat_l2=NOT_NEGATIVE,
        max_cat_to_onehot=Whole(),
    )

    def estimator(self, values: Values, facts: TableFacts) -> Any:
        """Return the training of an ``LGBMClassifier`` or ``LGBMRegressor``."""
        # A share of the rows that holds none is refused by LightGBM.
        share = values.real("subsample", 1.0, low=min(1.0, 2.0 / facts.n_rows))
        return BoostedTreesTraining(
            {
                "learning_rate": values.number("learning_rate", 0.05),
                "num_leaves": values.whole("num_leaves", 31),
                "min_child_samples": values.whole("min_child_samples", 20),
                "subsample": share,
                # Without a frequency LightGBM takes no notice of the share.
                "subsample_freq": int(share < 1.0),
                "colsample_bytree": values.number("colsample_bytree", 1.0),
                "reg_alpha": values.real("reg_alpha", 0.0),
                "reg_lambda": values.real("reg_lambda", 0.0),
                "extra_trees": values.flag("extra_trees", False),
                "cat_smooth": values.real("cat_smooth", 10.0),
                "cat_l2": values.real("cat_l2", 10.0),
                "max_cat_to_onehot": values.whole("max_cat_to_onehot", 4),
                "n_jobs": 1,
                "random_state": facts.seed,
                "deterministic": True,
                "force_row_wise": True,
                "verbosity": -1,
                **_objective(facts.level),
                **facts.constraint("monotone_constraints"),
            },
            rounds=values.whole("rounds", 1) if "rounds" in values else None,
            classes=facts.task != "regression",
            categories=range(facts.n_columns - facts.n_codes, facts.n_columns),
        )


def _objective(level: float | None) -> dict[str, Any]:
    """Return LightGBM's loss; of the mean of values, and of classes, it is the usual one."""
    return {} if level is None else {"objective": "quantile", "alpha": level}


@dataclass(frozen=True)
class BoostedTreesRegressor(BoostedTrees):
    """LightGBM on the squared or pinball loss, as many rounds as the watched rows ask for."""

    key = "boosted-trees-regressor"
    title = "Boosted trees (regression)"
    tasks = REGRESSION
    predicts = "values"
