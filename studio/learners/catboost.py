"""CatBoost with early stopping on held-out rows; an optional library."""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.learners.base import CLASSIFICATION, REGRESSION, LibraryDependency
from studio.learners.domains import NOT_NEGATIVE, SHARE, LowerBoundedInteger, make_settings
from studio.learners.facts import TableFacts
from studio.learners.library import (
    COLUMNS,
    DEVICE,
    EACH_COLUMN,
    FILES,
    SET_BY_LIMITS,
    SET_BY_LOGGING,
    SET_BY_TASK,
    LibrarySettings,
)
from studio.learners.self_replacing_steps import make_softmax
from studio.learners.values import LearnerValues
from studio.learners.watched_rounds import (
    DEFAULT_ROUNDS,
    BoostedLearner,
    EarlyStopper,
    RoundsTraining,
)
from studio.trial import Value

_ALIASES = (
    ("max_bin", "border_count"),
    ("num_leaves", "max_leaves"),
    ("min_child_samples", "min_data_in_leaf"),
)
"""Parameter names of other libraries, with CatBoost's equivalents."""


@dataclass(frozen=True)
class _CatBoost(LibrarySettings):
    """Estimators whose ``get_params`` returns explicitly set values only."""

    def list_names(self, estimator: Any) -> tuple[str, ...]:
        parameters = inspect.signature(type(estimator).__init__).parameters
        excluded = {"self", "kwargs", *(alias for alias, _ in _ALIASES)}
        return tuple(name for name in parameters if name not in excluded)

    def list_aliases(self, name: str) -> tuple[str, ...]:
        """Return the alias of a parameter that CatBoost adopted from other libraries."""
        return tuple(
            own if name == alias else alias for alias, own in _ALIASES if name in (alias, own)
        )

    def get_defaults(self, estimator: Any) -> Mapping[str, Value | None]:
        """Return the learner's own defaults; CatBoost computes the rest from the rows."""
        return {**dict.fromkeys(self.list_names(estimator)), **super().get_defaults(estimator)}


_CATBOOST = _CatBoost(
    "CatBoost",
    {
        **dict.fromkeys(
            ("loss_function", "objective", "eval_metric", "custom_metric", "custom_loss",
             "class_weights", "target_border", "class_names", "classes_count"), SET_BY_TASK,
        ),
        **dict.fromkeys(
            ("eval_fraction", "od_pval", "od_wait", "od_type", "early_stopping_rounds",
             "use_best_model", "best_model_min_trees", "callback"), SET_BY_LIMITS,
        ),
        **dict.fromkeys(("logging_level", "silent", "metric_period", "name"), SET_BY_LOGGING),
        **dict.fromkeys(
            ("train_dir", "save_snapshot", "snapshot_file", "snapshot_interval",
             "allow_writing_files", "final_ctr_computation_mode", "input_borders",
             "output_borders", "metadata", "ctr_history_unit"), FILES,
        ),
        **dict.fromkeys(
            ("task_type", "device_config", "devices", "gpu_ram_part", "gpu_cat_features_storage",
             "data_partition", "pinned_memory_size", "used_ram_limit",
             "dev_score_calc_obj_block_size"), DEVICE,
        ),
        **dict.fromkeys(
            ("monotone_constraints", "feature_weights", "first_feature_use_penalties",
             "per_object_feature_penalties", "per_float_feature_quantization"), EACH_COLUMN,
        ),
        **dict.fromkeys(
            ("cat_features", "text_features", "embedding_features", "ignored_features",
             "dictionaries", "tokenizers", "feature_calcers", "text_processing", "simple_ctr",
             "combinations_ctr", "per_feature_ctr", "ctr_description", "counter_calc_method",
             "ctr_leaf_count_limit", "ctr_target_border_count", "max_ctr_complexity",
             "store_all_simple_ctr", "one_hot_max_size", "fixed_binary_splits", "has_time",
             "sampling_unit"), COLUMNS,
        ),
    },
    {
        "max_leaves": ("grow_policy", "Lossguide"),
        "bagging_temperature": ("bootstrap_type", "Bayesian"),
        "approx_on_full_history": ("boosting_type", "Ordered"),
        "mvs_reg": ("bootstrap_type", "MVS"),
    },
    {
        "grow_policy": ("SymmetricTree", "Depthwise", "Lossguide"),
        "bootstrap_type": ("Bernoulli", "Bayesian", "MVS", "No"),
        "boosting_type": ("Plain", "Ordered"),
        "auto_class_weights": ("None", "Balanced", "SqrtBalanced"),
        "score_function": ("Cosine", "L2", "NewtonCosine", "NewtonL2"),
        "leaf_estimation_method": ("Newton", "Gradient", "Exact"),
        "leaf_estimation_backtracking": ("AnyImprovement", "No", "Armijo"),
        "model_shrink_mode": ("Constant", "Decreasing"),
        "random_score_type": ("NormalWithModelSizeDecrease", "Gumbel"),
        "feature_border_type": (
            "GreedyLogSum", "Median", "Uniform", "UniformAndQuantiles", "MaxLogSum", "MinEntropy",
        ),
        "sampling_frequency": ("PerTreeLevel", "PerTree"),
        "nan_mode": ("Min", "Max", "Forbidden"),
    },
)  # fmt: skip


MAX_DEPTH = 10
"""Maximum depth of a tree: each level doubles the leaves, even empty ones."""

BORDERS = 64
"""Number of bins of a column: a quarter of the default, in a quarter of the time."""


BOOTSTRAPS_WITHOUT_SHARE = ("Bayesian", "No")


class CatBoostTraining(RoundsTraining):
    """Trains a ``CatBoostClassifier`` or ``CatBoostRegressor``.

    A round of CatBoost takes about as long on 100 rows as on 1,000, and several times as long as
    one of LightGBM, so the number of rounds is limited to its default.
    """

    max_rounds = 1000

    def train_rounds(
        self,
        X: Floats,
        y: AnyArray,
        sample_weight: Floats | None,
        rounds: int,
        stopper: EarlyStopper | None = None,
    ) -> Any:
        from catboost import Pool

        model = self._make_estimator(rounds)
        if stopper is None:
            model.fit(X, y, sample_weight=sample_weight)
        else:
            watched = stopper.validation_data
            model.fit(
                X,
                y,
                sample_weight=sample_weight,
                eval_set=Pool(watched.X, watched.y, weight=watched.weights),
                callbacks=[_StopByClock(stopper)],
            )
            model.shrink(stopper.rounds)
        return _to_plain_model(model)

    def set_options(self, settings: Mapping[str, Any]) -> None:
        """Set further options; some bootstrap types have no sampling rate."""
        super().set_options(settings)
        if self.options["bootstrap_type"] in BOOTSTRAPS_WITHOUT_SHARE:
            del self.options["subsample"]

    def make_library_estimator(self) -> Any:
        return self._make_estimator(DEFAULT_ROUNDS)

    def _make_estimator(self, rounds: int) -> Any:
        from catboost import CatBoostClassifier, CatBoostRegressor

        make = CatBoostClassifier if self.is_classification else CatBoostRegressor
        return make(**self.options, iterations=rounds)


class _StopByClock:
    def __init__(self, stopper: EarlyStopper) -> None:
        self._stopper = stopper

    def after_iteration(self, info: Any) -> bool:
        """Report the validation loss to the stopper after a round; return whether to continue."""
        (losses,) = info.metrics["validation"].values()
        return not self._stopper.is_over(info.iteration, losses[-1])


def _to_plain_model(model: Any) -> Any:
    """Return the model, or with several classes its scores followed by a softmax.

    CatBoost returns labels of several classes with shape (n, 1), which scikit-learn does not
    accept.
    """
    classes = np.asarray(getattr(model, "classes_", ()))
    if classes.size <= 2:
        return model
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import FunctionTransformer

    raw = {"prediction_type": "RawFormulaVal", "thread_count": 1}
    scores = FunctionTransformer(model.predict, kw_args=raw)
    return Pipeline([("scores", scores), ("softmax", make_softmax(classes))])


@dataclass(frozen=True)
class CatBoost(BoostedLearner):
    """CatBoost on the log loss, with early stopping."""

    key = "catboost"
    title = "CatBoost"
    noun = "CatBoost"
    colour_index = 10
    summary = (
        "Grows trees with a single question per level, which makes them different from other "
        "trees, and stops when predictions of held-out rows no longer improve. Needs the library "
        "CatBoost, including where its pickle is loaded."
    )
    reference = "Prokhorenkova et al. 2018 (CatBoost)"
    tasks = CLASSIFICATION
    library = _CATBOOST
    library_names = MappingProxyType(
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
    required_library = LibraryDependency("CatBoost", "catboost", "catboost")
    hyperparameters = make_settings(
        rounds=LowerBoundedInteger(),
        learning_rate=SHARE,
        max_depth=LowerBoundedInteger(),
        reg_lambda=NOT_NEGATIVE,
        random_strength=NOT_NEGATIVE,
        subsample=SHARE,
        colsample_bylevel=SHARE,
    )

    def make_estimator(self, values: LearnerValues, facts: TableFacts) -> Any:
        loss, constraint = _make_loss(facts), facts.make_constraint("monotone_constraints")
        # At least two rows per tree are required, and their number is random.
        subsample = values.get_number("subsample", 0.8, low=min(1.0, 20.0 / facts.n_rows))
        return CatBoostTraining(
            {
                "loss_function": loss,
                "eval_metric": f"{loss}{';' if ':' in loss else ':'}hints=skip_train~true",
                **values.read(learning_rate=0.1, random_strength=1.0),
                "depth": values.get_integer("max_depth", 6, high=MAX_DEPTH),
                "l2_leaf_reg": values.get_number("reg_lambda", 3.0),
                "bootstrap_type": "Bernoulli",
                "subsample": subsample,
                "rsm": values.get_number("colsample_bylevel", 1.0),
                "border_count": BORDERS,
                "leaf_estimation_iterations": 1,
                "use_best_model": False,
                "thread_count": 1,
                "random_seed": facts.seed,
                "allow_writing_files": False,
                "logging_level": "Silent",
                **{name: list(signs) for name, signs in constraint.items()},
            },
            **values.read(rounds=None),
            is_classification=facts.n_classes > 0,
        )


def _make_loss(facts: TableFacts) -> str:
    if facts.level is not None:
        return f"Quantile:alpha={facts.level}"
    if not facts.n_classes:
        return "RMSE"
    return "Logloss" if facts.seen_classes == 2 else "MultiClass"


@dataclass(frozen=True)
class CatBoostRegressor(CatBoost):
    """CatBoost on the squared or pinball loss, with early stopping."""

    key = "catboost-regressor"
    title = "CatBoost (regression)"
    tasks = REGRESSION
    prediction_type = "values"
