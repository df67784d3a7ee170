"""LightGBM: for a given number of rounds, or until rows held out from training get no better."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from studio.arrays import AnyArray, Floats
from studio.learners.base import CLASSIFICATION, REGRESSION, Learner
from studio.learners.domains import (
    NOT_NEGATIVE,
    SHARE,
    Flag,
    Positive,
    Whole,
    settings,
)
from studio.learners.facts import TableFacts
from studio.learners.handover import Watched
from studio.learners.library.light_gbm import LIGHT_GBM, WATCHED_LIGHT_GBM
from studio.learners.values import Values
from studio.learners.watched_rounds import UNWATCHED_ROUNDS, BoostedLearner, Clock, RoundsTraining


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


class BoostedTreesTraining(RoundsTraining):
    """Trains an ``LGBMClassifier`` or ``LGBMRegressor``.

    Args:
        options, rounds, classes: See :class:`~studio.learners.watched_rounds.RoundsTraining`.
        categories: Columns of codes, which LightGBM splits as categories.
    """

    def __init__(
        self,
        options: Mapping[str, Any],
        *,
        rounds: int | None,
        classes: bool,
        categories: Sequence[int] = (),
    ) -> None:
        super().__init__(options, rounds=rounds, classes=classes)
        self.categories = list(categories)

    def train(self, X: Floats, y: AnyArray, sample_weight: Floats | None) -> Any:
        """Boost on X of shape (n, d), y of shape (n,), until the watched rows get no better."""
        model = super().train(X, y, sample_weight)
        if self.categories:
            # A clone, which has nothing but the parameters, is then trained alike.
            model.set_params(categorical_feature=self.categories)
        return model

    def boosted(self, X: Floats, y: AnyArray, sample_weight: Floats | None, rounds: int) -> Any:
        """Return an estimator of exactly this many rounds; X is (n, d), y and weights (n,)."""
        model = self._made(rounds)
        model.fit(X, y, sample_weight=sample_weight, categorical_feature=self._codes())
        return model

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
        model = self._made(most)
        model.fit(
            X,
            y,
            sample_weight=sample_weight,
            eval_X=(watched.X,),
            eval_y=(watched.y,),
            eval_sample_weight=None if watched.weights is None else [watched.weights],
            categorical_feature=self._codes(),
            callbacks=[_Ending(clock)],
        )
        # What is handed over holds no trees after the best round, and says how many it has.
        model._Booster = _first(model.booster_, clock.rounds)
        model._best_iteration = 0
        model.set_params(n_estimators=clock.rounds)
        return model

    def library_estimator(self) -> Any:
        """Return an estimator with these options."""
        return self._made(UNWATCHED_ROUNDS)

    def _made(self, rounds: int) -> Any:
        from lightgbm import LGBMClassifier, LGBMRegressor

        make = LGBMClassifier if self.classes else LGBMRegressor
        return make(**self.options, n_estimators=rounds)

    def _codes(self) -> Any:
        return self.categories or "auto"


class _Ending:
    """LightGBM's callback: ends the training when the clock says so."""

    order = 30
    before_iteration = False

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def __call__(self, state: Any) -> None:
        """Show the watched rows' loss to the clock after a round."""
        from lightgbm.callback import EarlyStopException

        loss = state.evaluation_result_list[0][2]
        if self._clock.over(state.iteration + 1, loss, state.model.predict):
            raise EarlyStopException(self._clock.rounds - 1, state.evaluation_result_list)


def _first(booster: Any, rounds: int) -> Any:
    from lightgbm import Booster

    return Booster(model_str=booster.model_to_string(num_iteration=rounds))
