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


@dataclass(frozen=True)
class _CatBoost(LibrarySettings):
    """Estimators whose ``get_params`` holds only what was set."""

    def names(self, estimator: Any) -> tuple[str, ...]:
        """Return the arguments of the estimator."""
        known = inspect.signature(type(estimator).__init__).parameters
        return tuple(name for name in known if name not in {"self", "kwargs"})

    def defaults(self, estimator: Any) -> Mapping[str, Value | None]:
        """Return what the learner sets; CatBoost computes the rest from the rows."""
        return {**dict.fromkeys(self.names(estimator)), **super().defaults(estimator)}


CATBOOST = _CatBoost(
    "CatBoost",
    {
        **dict.fromkeys(
            ("loss_function", "objective", "eval_metric", "custom_metric", "custom_loss",
             "class_names", "classes_count"), AIM,
        ),
        **dict.fromkeys(
            ("od_pval", "od_wait", "od_type", "early_stopping_rounds", "use_best_model",
             "best_model_min_trees", "callback"), ENDING,
        ),
        **dict.fromkeys(("logging_level", "silent", "metric_period", "name"), QUIET),
        **dict.fromkeys(
            ("train_dir", "save_snapshot", "snapshot_file", "snapshot_interval",
             "allow_writing_files", "final_ctr_computation_mode", "input_borders",
             "output_borders", "metadata", "ctr_history_unit"), FILES,
        ),
        **dict.fromkeys(
            ("task_type", "device_config", "devices", "gpu_ram_part", "gpu_cat_features_storage",
             "pinned_memory_size", "used_ram_limit", "dev_score_calc_obj_block_size"), DEVICE,
        ),
        **dict.fromkeys(
            ("monotone_constraints", "feature_weights", "first_feature_use_penalties",
             "per_object_feature_penalties", "per_float_feature_quantization"), EACH_COLUMN,
        ),
        **dict.fromkeys(
            ("cat_features", "text_features", "embedding_features", "ignored_features"), COLUMNS,
        ),
    },
    {
        "max_leaves": ("grow_policy", "Lossguide"),
        "bagging_temperature": ("bootstrap_type", "Bayesian"),
        "mvs_reg": ("bootstrap_type", "MVS"),
    },
)  # fmt: skip
