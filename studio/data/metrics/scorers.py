"""scikit-learn's names of the metrics that the program minimises."""

from collections.abc import Mapping

SCORERS: Mapping[str, str] = {
    "accuracy": "error",
    "average_precision": "average-precision",
    "balanced_accuracy": "balanced-error",
    "f1_macro": "f1",
    "matthews_corrcoef": "mcc",
    "neg_brier_score": "brier",
    "neg_log_loss": "log-loss",
    "neg_mean_absolute_error": "mae",
    "neg_mean_absolute_percentage_error": "mape",
    "neg_median_absolute_error": "median-absolute-error",
    "neg_root_mean_squared_error": "rmse",
    "neg_mean_squared_error": "rmse",
    "neg_root_mean_squared_log_error": "rmsle",
    "neg_mean_squared_log_error": "rmsle",
    "r2": "r2",
    "roc_auc": "auc",
    "roc_auc_ovr": "auc",
}
"""Our metric by the scorer that orders models in the same way; taken wherever a key is."""
