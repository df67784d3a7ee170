"""Log-normal errors: an efficient loss for selecting among models of amounts.

If the errors of the logarithms are normal with constant variance, their mean square follows from
the likelihood. It distinguishes models with fewer rows than absolute or squared errors, which are
dominated by the few largest rows.
"""

from collections.abc import Sequence

import numpy as np

from studio.arrays import AnyArray, Floats

MIN_ROWS = 500
"""Minimum number of rows: on fewer, the tests accept non-normal errors."""

MIN_P_VALUE = 0.01
"""Minimum p-value of both tests."""

MAX_EXCESS = 1.05
"""Maximum variance of a model's errors relative to the lowest, for testing them: the best model may
by chance predict amounts rather than logarithms.
"""

MIN_SPREAD = 0.5
"""Minimum standard deviation of the errors: below it, logarithms are nearly linear."""


class LogErrorLoss:
    """The mean squared error of log(1 + value), apart from an offset common to all models.

    Args:
        offset: The mean error of the models: metrics whose best constant is not the median are
            minimised by predictions with an offset.
    """

    def __init__(self, offset: float) -> None:
        self._offset = offset

    def __call__(self, truth: AnyArray, predictions: AnyArray) -> float:
        """Return the loss of predictions; truth and predictions have shape (n,)."""
        return float(np.mean(np.square(_compute_log_errors(truth, predictions) - self._offset)))


def make_log_error_loss(truth: AnyArray, pool: Sequence[AnyArray]) -> LogErrorLoss | None:
    """Return the loss if the best models' log errors are normal and homoscedastic, else ``None``.

    Normality is tested by skewness and kurtosis (D'Agostino and Pearson 1973), homoscedasticity by
    Spearman's correlation of the absolute error with the prediction.

    Args:
        truth: Shape (n,).
        pool: Predictions, shape (n,), of each model.
    """
    from scipy.stats import normaltest, spearmanr

    if len(truth) < MIN_ROWS or truth.min() < 0:
        return None
    errors = [_compute_log_errors(truth, each) for each in pool]
    variances = np.array([each.var() for each in errors])
    if not np.sqrt(variances.min()) >= MIN_SPREAD:
        return None
    for index in np.flatnonzero(variances <= MAX_EXCESS * variances.min()):
        sizes = np.abs(errors[int(index)] - errors[int(index)].mean())
        if (
            normaltest(errors[int(index)]).pvalue >= MIN_P_VALUE
            and spearmanr(sizes, pool[int(index)]).pvalue >= MIN_P_VALUE
        ):
            return LogErrorLoss(float(np.median([each.mean() for each in errors])))
    return None


def _compute_log_errors(truth: AnyArray, predictions: AnyArray) -> Floats:
    """Return log(1 + truth) − log(1 + prediction), shape (n,); predictions below 0 count as 0."""
    errors: Floats = np.log1p(truth) - np.log1p(np.maximum(predictions, 0.0))
    return errors
