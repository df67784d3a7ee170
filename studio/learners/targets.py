"""Regressors for which the unit and the middle of the target must not matter."""

from typing import Any

import numpy as np


def on_standard_target(regressor: Any) -> Any:
    """Return the regressor on a target of zero mean and unit variance."""
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.preprocessing import StandardScaler

    return TransformedTargetRegressor(regressor, transformer=StandardScaler(), check_inverse=False)


def shifted(pipeline: Any, centre: float) -> Any:
    """Return a pipeline that was trained on targets minus a centre, so that it predicts targets.

    Parameters
    ----------
    pipeline : Pipeline
        Trained; its last step gets the centre added to what it predicts.
    centre : float
        In the target's unit.
    """
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import StandardScaler

    name, regressor = pipeline.steps[-1]
    scaler = StandardScaler(with_std=False).fit(np.array([[centre]]))
    whole = TransformedTargetRegressor(regressor, transformer=scaler, check_inverse=False)
    # What its fit would set, without training the regressor again.
    whole.regressor_, whole.transformer_, whole._training_dim = regressor, scaler, 1
    return Pipeline([*pipeline.steps[:-1], (name, whole)])
