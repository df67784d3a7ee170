"""XGBoost with early stopping on held-out rows; an optional library."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.learners.base import CLASSIFICATION, REGRESSION, LibraryDependency
from studio.learners.domains import (
    NOT_NEGATIVE,
    SHARE,
    LowerBoundedInteger,
    Positive,
    make_settings,
)
from studio.learners.facts import TableFacts
from studio.learners.library import (
    COLUMNS,
    DEVICE,
    EACH_COLUMN,
    REPRODUCIBLE,
    ROUNDS,
    SET_BY_LIMITS,
    SET_BY_TASK,
    LibrarySettings,
)
from studio.learners.values import LearnerValues
from studio.learners.watched_rounds import (
    DEFAULT_ROUNDS,
    BoostedLearner,
    EarlyStopper,
    RoundsTraining,
)

_XGBOOST = LibrarySettings(
    "XGBoost",
    {
        **dict.fromkeys(("objective", "eval_metric", "multi_strategy", "base_score"), SET_BY_TASK),
        **dict.fromkeys(("early_stopping_rounds", "importance_type"), SET_BY_LIMITS),
        **dict.fromkeys(("missing", "enable_categorical", "feature_types"), COLUMNS),
        **dict.fromkeys(("tree_method", "validate_parameters"), REPRODUCIBLE),
        **dict.fromkeys(
            ("monotone_constraints", "interaction_constraints", "feature_weights"), EACH_COLUMN
        ),
        "device": DEVICE,
        "booster": ROUNDS,
    },
    documented_choices={
        "grow_policy": ("depthwise", "lossguide"),
        "sampling_method": ("uniform", "gradient_based"),
    },
)


MAX_DEPTH = 16
"""Maximum depth of a tree: each level doubles the nodes."""


class XgBoostTraining(RoundsTraining):
    """Trains an ``XGBClassifier`` or ``XGBRegressor``.

    Args:
        options, rounds: See :class:`~studio.learners.watched_rounds.RoundsTraining`.
        n_classes: Of the whole problem (training rows may lack some); 0 for regression.
        level: The quantile to predict; ``None`` for the mean.
    """

    def __init__(
        self,
        options: Mapping[str, Any],
        *,
        rounds: int | None,
        n_classes: int,
        level: float | None = None,
    ) -> None:
        super().__init__(options, rounds=rounds, is_classification=n_classes > 0)
        self.n_classes, self.level = n_classes, level

    def train_rounds(
        self,
        X: Floats,
        y: AnyArray,
        sample_weight: Floats | None,
        rounds: int,
        stopper: EarlyStopper | None = None,
    ) -> Any:
        import xgboost

        rows = xgboost.QuantileDMatrix(X, y, weight=sample_weight, nthread=1)
        if stopper is None:
            return self._wrap_booster(xgboost.train(self._make_settings(), rows, rounds), rounds)

        def is_over(ending: Any, model: Any, epoch: int, evals_log: Any) -> bool:
            del ending, model
            (losses,) = evals_log["watched"].values()
            return stopper.is_over(epoch + 1, losses[-1])

        # Created dynamically, as the base is unknown without the library.
        base = xgboost.callback.TrainingCallback
        callback_class = type("StopByClock", (base,), {"after_iteration": is_over})
        watched = stopper.validation_data
        watched_rows = xgboost.DMatrix(watched.X, watched.y, weight=watched.weights, nthread=1)
        booster = xgboost.train(
            self._make_settings(),
            rows,
            rounds,
            evals=[(watched_rows, "watched")],
            callbacks=[callback_class()],
            verbose_eval=False,
        )
        return self._wrap_booster(booster[: stopper.rounds], stopper.rounds)

    def _make_settings(self) -> dict[str, Any]:
        if not self.is_classification:
            return {**self.options, **_make_objective(self.level)}
        if self.n_classes == 2:
            return {**self.options, "objective": "binary:logistic", "eval_metric": "logloss"}
        return {**self.options, "objective": "multi:softprob", "num_class": self.n_classes}

    def make_library_estimator(self) -> Any:
        return self._make_estimator(DEFAULT_ROUNDS)

    def _make_estimator(self, rounds: int) -> Any:
        from xgboost import XGBClassifier, XGBRegressor

        make = XGBClassifier if self.is_classification else XGBRegressor
        return make(**self.options, n_estimators=rounds)

    def _wrap_booster(self, booster: Any, rounds: int) -> Any:
        """Return the trees as an estimator of the library.

        It cannot be trained directly, as it rejects class codes with gaps (rows without a rare
        class).
        """
        model = self._make_estimator(rounds)
        model.load_model(booster.save_raw())
        return model


@dataclass(frozen=True)
class XgBoost(BoostedLearner):
    """XGBoost on the log loss, with early stopping."""

    key = "xgboost"
    title = "XGBoost"
    noun = "XGBoost"
    colour_index = 9
    summary = (
        "Another way to grow small trees one after the other, level by level, which stops when "
        "predictions of held-out rows no longer improve. Needs the library XGBoost, including "
        "where its pickle is loaded."
    )
    reference = "Chen and Guestrin 2016 (XGBoost)"
    tasks = CLASSIFICATION
    library = _XGBOOST
    library_names = MappingProxyType({"n_estimators": "rounds"})
    required_library = LibraryDependency("XGBoost", "xgboost", "xgboost")
    hyperparameters = make_settings(
        rounds=LowerBoundedInteger(),
        learning_rate=Positive(),
        max_depth=LowerBoundedInteger(),
        min_child_weight=NOT_NEGATIVE,
        subsample=SHARE,
        colsample_bytree=SHARE,
        reg_alpha=NOT_NEGATIVE,
        reg_lambda=NOT_NEGATIVE,
    )

    def make_estimator(self, values: LearnerValues, facts: TableFacts) -> Any:
        # An empty subsample would grow empty trees.
        subsample = values.get_number("subsample", 1.0, low=min(1.0, 2.0 / facts.n_rows))
        return XgBoostTraining(
            {
                **values.read(learning_rate=0.1, min_child_weight=1.0, colsample_bytree=1.0),
                "max_depth": values.get_integer("max_depth", 6, high=MAX_DEPTH),
                "subsample": subsample,
                **values.read(reg_alpha=0.0, reg_lambda=1.0),
                "missing": np.nan,
                "tree_method": "hist",
                "n_jobs": 1,
                "random_state": facts.seed,
                "verbosity": 0,
                **facts.make_constraint("monotone_constraints"),
            },
            **values.read(rounds=None),
            n_classes=facts.n_classes,
            level=facts.level,
        )


def _make_objective(level: float | None) -> dict[str, Any]:
    if level is None:
        return {"objective": "reg:squarederror"}
    return {"objective": "reg:quantileerror", "quantile_alpha": level}


@dataclass(frozen=True)
class XgBoostRegressor(XgBoost):
    """XGBoost on the squared or pinball loss, with early stopping."""

    key = "xgboost-regressor"
    title = "XGBoost (regression)"
    tasks = REGRESSION
    prediction_type = "values"
