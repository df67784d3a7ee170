"""scikit-learn's names of the metrics that the program minimises."""

from collections.abc import Mapping

SCORERS: Mapping[str, str] = {
    "accuracy": "error",
    "balanced_accuracy": "balanced-error",
    "f1_macro": "f1",
    "neg_brier_score": "brier",
    "neg_log_loss": "log-loss",
    "neg_mean_absolute_error": "mae",
    "neg_median_absolute_error": "median-absolute-error",
    "neg_root_mean_squared_error": "rmse",
    "neg_mean_squared_error": "rmse",
    "r2": "r2",
    "roc_auc": "auc",
    "roc_auc_ovr": "auc",
}
"""Our metric by the scorer that orders models in the same way."""


def metric_key(name: str) -> str | None:
    """Return our key of a metric, which may be named as scikit-learn's scorers are.

    Parameters
    ----------
    name : str
        Our own key, a scorer's name, or "auto".
    """
    return None if name == "auto" else SCORERS.get(name, name)
