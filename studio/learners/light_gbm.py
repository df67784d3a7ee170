"""LightGBM: gradient boosting on histograms, on one thread and with reproducible sums."""

from dataclasses import dataclass
from typing import Any

from studio.learners.base import CLASSIFICATION, REGRESSION, Learner
from studio.learners.domains import (
    NOT_NEGATIVE,
    SHARE,
    Positive,
    Whole,
    settings,
)
from studio.learners.facts import TableFacts
from studio.learners.library.light_gbm import LIGHT_GBM
from studio.learners.values import Values


@dataclass(frozen=True)
class LightGbm(Learner):
    """LightGBM on the log loss."""

    key = "lightgbm"
    title = "LightGBM"
    noun = "LightGBM"
    place = 0
    summary = (
        "Gradient boosting that sorts every column into bins first, and so grows large trees "
        "fast. Strong on medium-sized and large tables; on very small ones it may find nothing "
        "to split."
    )
    reference = "Ke et al. 2017; DivBO A.3"
    tasks = CLASSIFICATION
    library = LIGHT_GBM
    weighted = True
    monotone = True
    hyperparameters = settings(
        n_estimators=Whole(),
        num_leaves=Whole(2),
        learning_rate=Positive(),
        min_child_samples=Whole(0),
        min_child_weight=NOT_NEGATIVE,
        max_depth=Whole(),
        subsample=SHARE,
        colsample_bytree=SHARE,
        reg_alpha=NOT_NEGATIVE,
        reg_lambda=NOT_NEGATIVE,
    )
    scaled = False

    def estimator(self, values: Values, facts: TableFacts) -> Any:
        """Return an ``LGBMClassifier`` or ``LGBMRegressor`` on one thread."""
        from lightgbm import LGBMClassifier, LGBMRegressor

        # A share of the rows that holds none is refused by LightGBM.
        share = values.real("subsample", 1.0, low=min(1.0, 2.0 / facts.n_rows))
        make = LGBMRegressor if facts.task == "regression" else LGBMClassifier
        return make(
            n_estimators=values.whole("n_estimators", 100),
            num_leaves=values.whole("num_leaves", 31),
            learning_rate=values.number("learning_rate", 0.1),
            min_child_samples=values.whole("min_child_samples", 20),
            min_child_weight=values.real("min_child_weight", 1e-3),
            max_depth=values.whole("max_depth", 1) if "max_depth" in values else -1,
            subsample=share,
            # Without a frequency LightGBM takes no notice of the share.
            subsample_freq=int(share < 1.0),
            colsample_bytree=values.number("colsample_bytree", 1.0),
            reg_alpha=values.real("reg_alpha", 0.0),
            reg_lambda=values.real("reg_lambda", 0.0),
            n_jobs=1,
            random_state=facts.seed,
            deterministic=True,
            force_row_wise=True,
            verbosity=-1,
            **facts.constraint("monotone_constraints"),
        )


@dataclass(frozen=True)
class LightGbmRegressor(LightGbm):
    """LightGBM on the squared loss."""

    key = "lightgbm-regressor"
    title = "LightGBM (regression)"
    reference = "Ke et al. 2017"
    tasks = REGRESSION
    predicts = "values"
