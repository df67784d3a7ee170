"""CatBoost: parameters by the signature of its estimators, types by its documentation."""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studio.learners.library.base import (
    AIM,
    COLUMNS,
    DEVICE,
    EACH_COLUMN,
    ENDING,
    FILES,
    QUIET,
    LibrarySettings,
)
from studio.trial import Value

_SAME = (
    ("max_bin", "border_count"),
    ("num_leaves", "max_leaves"),
    ("min_child_samples", "min_data_in_leaf"),
)
"""Names of other libraries, each with CatBoost's own."""


def _turned(pair: tuple[str, str]) -> tuple[str, str]:
    return pair[1], pair[0]


@dataclass(frozen=True)
class _CatBoost(LibrarySettings):
    """Estimators whose ``get_params`` holds only what was set."""

    def names(self, estimator: Any) -> tuple[str, ...]:
        """Return the arguments of the estimator."""
        known = inspect.signature(type(estimator).__init__).parameters
        left = {"self", "kwargs", *(theirs for theirs, _ in _SAME)}
        return tuple(name for name in known if name not in left)

    def aliases(self, name: str) -> tuple[str, ...]:
        """Return the other name of a parameter that CatBoost has from other libraries."""
        return tuple(there for here, there in (*_SAME, *map(_turned, _SAME)) if here == name)

    def defaults(self, estimator: Any) -> Mapping[str, Value | None]:
        """Return what the learner sets; CatBoost computes the rest from the rows."""
        return {**dict.fromkeys(self.names(estimator)), **super().defaults(estimator)}


CATBOOST = _CatBoost(
    "CatBoost",
    {
        **dict.fromkeys(
            ("loss_function", "objective", "eval_metric", "custom_metric", "custom_loss",
             "class_weights", "target_border", "class_names", "classes_count"), AIM,
        ),
        **dict.fromkeys(
            ("eval_fraction", "od_pval", "od_wait", "od_type", "early_stopping_rounds",
             "use_best_model", "best_model_min_trees", "callback"), ENDING,
        ),
        **dict.fromkeys(("logging_level", "silent", "metric_period", "name"), QUIET),
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
