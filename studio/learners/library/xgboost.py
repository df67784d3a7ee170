"""XGBoost: parameters by ``get_params``, types by its documentation."""

from studio.learners.library.base import (
    AIM,
    COLUMNS,
    DEVICE,
    EACH_COLUMN,
    ENDING,
    ROUNDS,
    SAME,
    LibrarySettings,
)

XGBOOST = LibrarySettings(
    "XGBoost",
    {
        **dict.fromkeys(("objective", "eval_metric", "multi_strategy", "base_score"), AIM),
        **dict.fromkeys(("early_stopping_rounds", "importance_type"), ENDING),
        **dict.fromkeys(("missing", "enable_categorical", "feature_types"), COLUMNS),
        **dict.fromkeys(("tree_method", "validate_parameters"), SAME),
        **dict.fromkeys(
            ("monotone_constraints", "interaction_constraints", "feature_weights"), EACH_COLUMN
        ),
        "device": DEVICE,
        "booster": ROUNDS,
    },
    words={
        "grow_policy": ("depthwise", "lossguide"),
        "sampling_method": ("uniform", "gradient_based"),
    },
)
