"""Regressors whose penalties must mean the same whatever the unit of the target."""

from typing import Any


def on_standard_target(regressor: Any) -> Any:
    """Return the regressor behind a target of zero mean and unit variance."""
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.preprocessing import StandardScaler

    return TransformedTargetRegressor(regressor, transformer=StandardScaler(), check_inverse=False)
