"""The predicted statistic, and regressors invariant to the target's unit, location and scale."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from studio.arrays import AnyArray, Floats

MAX_EXTRAPOLATION = 10.0
"""Maximum ratio of a prediction to the largest training target, after a logarithm: a linear model
of logarithms may otherwise predict huge values.
"""

MAX_COMPARED_ROWS = 2000
"""Number of training rows for the bias correction after a logarithm."""


def standardise_target(regressor: Any) -> Any:
    """Return the regressor on a target of zero mean and unit variance."""
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.preprocessing import StandardScaler

    return TransformedTargetRegressor(regressor, transformer=StandardScaler(), check_inverse=False)


@dataclass(frozen=True)
class TargetScale:
    """The transformation of targets for a regressor, and its inverse.

    Attributes:
        centre: Value subtracted from targets, in their unit, except before a logarithm.
        unit: Targets become log(1 + target / unit); ``None`` leaves them unchanged.
        floor: A lower bound of predictions, in the target's unit.
        unbiased: Whether predictions from logarithms are multiplied by a factor that makes them
            unbiased on the training rows (Duan 1983: the smearing estimate, as a ratio).
    """

    centre: float = 0.0
    unit: float | None = None
    floor: float | None = None
    unbiased: bool = False

    def transform(self, y: AnyArray) -> AnyArray:
        """Transform targets of shape (n,)."""
        if self.unit is not None:
            return np.log1p(y / self.unit)
        return y - self.centre if self.centre else y

    def wrap_pipeline(self, pipeline: Any, X: Floats, y: Floats, weights: Floats | None) -> Any:
        """Return a pipeline trained on :meth:`transform` that predicts targets.

        Args:
            pipeline: Trained; the inverse is added to its last step.
            X, y, weights: Shapes (n, d), (n,) and (n,). The training data; weights may be ``None``.
        """
        from sklearn.compose import TransformedTargetRegressor
        from sklearn.pipeline import Pipeline

        steps = self._fit_steps(y)
        if not steps:
            return pipeline
        if self.unit is not None and self.unbiased:
            steps[0][1].scale_ *= _compute_ratio(pipeline, X[:MAX_COMPARED_ROWS], y, weights)
        name, regressor = pipeline.steps[-1]
        inverse = Pipeline(steps) if len(steps) > 1 else steps[0][1]
        regressor_on_target = TransformedTargetRegressor(
            regressor, transformer=inverse, check_inverse=False
        )
        # The fitted attributes, without training the regressor again.
        regressor_on_target.regressor_ = regressor
        regressor_on_target.transformer_ = inverse
        regressor_on_target._training_dim = 1
        return Pipeline([*pipeline.steps[:-1], (name, regressor_on_target)])

    def _fit_steps(self, targets: Floats) -> list[tuple[str, Any]]:
        """Return the transformers fitted on targets (n,), to be inverted in reverse order."""
        from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, StandardScaler

        if self.unit is not None:
            lower = None if self.floor is None else float(np.log1p(self.floor / self.unit))
            upper = float(targets.max() + np.log(MAX_EXTRAPOLATION))
            return [
                ("unit", MaxAbsScaler().fit(np.array([[self.unit]]))),
                ("logarithm", FunctionTransformer(np.log1p, np.expm1, check_inverse=False)),
                ("range", _make_clipper(lower, upper)),
            ]
        steps: list[tuple[str, Any]] = []
        if self.floor is not None:
            steps.append(("range", _make_clipper(self.floor, None)))
        if self.centre:
            centring = StandardScaler(with_std=False).fit(np.array([[self.centre]]))
            steps.append(("centre", centring))
        return steps


def _compute_ratio(pipeline: Any, X: Floats, y: Floats, weights: Floats | None) -> float:
    """Return the ratio of mean targets to mean predictions, by their logarithms; X is (m, d)."""
    row_weights = None if weights is None else weights[: len(X)]
    if row_weights is not None and not row_weights.any():
        return 1.0
    true_targets = np.expm1(y[: len(X)])
    predictions = np.expm1(np.minimum(pipeline.predict(X), y.max()))
    mean = float(np.average(np.maximum(predictions, 0.0), weights=row_weights))
    return float(np.average(true_targets, weights=row_weights)) / mean if mean > 0 else 1.0


def _make_clipper(lower: float | None, upper: float | None) -> Any:
    from sklearn.preprocessing import FunctionTransformer

    bounds = {"a_min": lower, "a_max": upper}
    return FunctionTransformer(inverse_func=np.clip, inv_kw_args=bounds, check_inverse=False)


@dataclass(frozen=True)
class PredictionTarget:
    """The predicted statistic and the target's bounds; unknown for older runs.

    Attributes:
        level: The quantile requested by the metric, ½ for the median; ``None`` for the mean.
            Learners that support quantiles predict it.
        floor: A lower bound of predictions, in the target's unit, if any.
        unit: The unit u of training on the logarithm, log(1 + value / u); ``None`` if values may be
            negative.
        unbiased: Whether predictions on the log scale are corrected to be unbiased like the mean;
            otherwise they are lower, about the median.
        relative: Whether errors are relative to the true value, which is then never 0: rows are
            weighted by 1 / |value|.
    """

    level: float | None = None
    floor: float | None = None
    unit: float | None = None
    unbiased: bool = False
    relative: bool = False

    def compute_weights(self, weights: Floats | None, y: AnyArray) -> Floats | None:
        """Return the rows' training weights, shape (n,); ``None`` if all are equal.

        Weights are the rows' own, shape (n,), if any; y, (n,), is the target.
        """
        if not self.relative:
            return weights
        row_weights = (1.0 if weights is None else weights) / np.abs(y)
        scaled: Floats = row_weights * (len(y) / row_weights.sum())
        return scaled
