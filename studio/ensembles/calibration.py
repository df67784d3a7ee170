"""Temperature scaling of mean probabilities, fitted to the validation rows.

The mean of differing probabilities is underconfident. With the mean probabilities p̄ of a row,

    p_c = (p̄_c + ε)^(1/T) / Σ_k (p̄_k + ε)^(1/T),

and T minimises the mean log loss −ln p(true class) of the validation rows; T < 1 makes
probabilities more extreme. This is temperature scaling (Guo et al. 2017, ICML, section 4.2) of the
logarithms of mean probabilities, since members have no common logits. The order of classes is
preserved, so no predicted class changes. Measurements are in
docs/decisions/0035-temperature-of-mean-probabilities.md.
"""

import numpy as np

from studio.arrays import Floats, Integers
from studio.ensembles.weights import count_effective_rows
from studio.phrases import phrase

EPSILON = 1e-4
"""ε, a minimum probability for classes not predicted by any member; adding it, unlike clipping,
keeps the order.
"""

MAX_TEMPERATURE = 4.5
"""Maximum of T and 1/T: more extreme values would depend on a few rows."""

PRIOR_ROWS = 300
"""Number of rows at which the logarithm of T is halved (:func:`fit_temperature`)."""

PRIOR_ROWS_CHOSEN = 1000
"""The same number if the log loss of these rows was used to select the members."""


def apply_temperature(probabilities: Floats, temperature: float) -> Floats:
    """Return probabilities at a temperature, in new rows that sum to 1, shape (n, C).

    Ties and order are preserved.

    Args:
        probabilities: Shape (n, C). Mean probabilities.
        temperature: Above 0; 1 changes them only by ε.
    """
    scores = _compute_logits(probabilities)
    scores /= temperature
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=1, keepdims=True)
    return scores


def fit_temperature(
    probabilities: Floats,
    truth: Integers,
    weights: Floats | None = None,
    prior_rows: int = PRIOR_ROWS,
) -> float:
    """Return the temperature fitted to rows, shrunk towards 1 if rows are few.

    The best T of n rows is raised to the power n/(n + few): the T of 100 rows depends on the few
    rows with confident errors. With weights, n is the effective number of rows
    (:func:`studio.ensembles.weights.count_effective_rows`).

    Args:
        probabilities: Shape (n, C), n > 0. Mean probabilities of rows unseen by the members.
        truth: Shape (n,). True class codes.
        weights: Shape (n,). At least 0, not all 0; ``None``: equal.
        prior_rows: Number of rows at which the logarithm of T is halved.
    """
    rows = count_effective_rows(weights, len(truth))
    best = find_best_temperature(probabilities, truth, weights)
    return float(best ** (rows / (rows + prior_rows)))


def find_best_temperature(
    probabilities: Floats, truth: Integers, weights: Floats | None = None
) -> float:
    """Return the temperature with the lowest log loss for rows, in [1/4.5, 4.5].

    Args:
        probabilities, truth, weights: See :func:`fit_temperature`.
    """
    return find_best_temperature_of_scores(_compute_logits(probabilities), truth, weights)


def find_best_temperature_of_scores(
    scores: Floats, truth: Integers, weights: Floats | None = None, highest: float = MAX_TEMPERATURE
) -> float:
    """Return the T in [1/4.5, ``highest``] of softmax(scores / T) with the lowest log loss.

    The log loss is convex in 1/T, so a bounded search along ln T finds its only minimum.

    Args:
        scores: Shape (n, C). At most 0, so that nothing overflows.
        truth, weights: See :func:`fit_temperature`.
    """
    from scipy.optimize import minimize_scalar

    true_scores = scores[np.arange(len(truth)), truth]

    def log_loss(log_temperature: float) -> float:
        sharpness = np.exp(-log_temperature)
        log_losses = np.log(np.exp(sharpness * scores).sum(axis=1)) - sharpness * true_scores
        return float(np.average(log_losses, weights=weights))

    bounds = -float(np.log(MAX_TEMPERATURE)), float(np.log(highest))
    best_logarithm = float(minimize_scalar(log_loss, bounds=bounds, method="bounded").x)
    # The bounded search only approaches an optimum at a bound.
    return float(np.exp(min((best_logarithm, *bounds), key=log_loss)))


def is_valid_temperature(temperature: float) -> bool:
    """Return whether a temperature is valid."""
    return 1.0 / MAX_TEMPERATURE <= temperature <= MAX_TEMPERATURE


_MIN_EFFECT = 0.02
"""Minimum distance of a temperature from 1 that is worth a sentence."""


def describe_temperature(temperature: float) -> str:
    """Describe the effect of a temperature in a sentence; empty for a negligible one."""
    if abs(temperature - 1.0) < _MIN_EFFECT:
        return ""
    effect = phrase("sharpened") if temperature < 1.0 else phrase("softened")
    return phrase(
        "Probabilities are {done} by a temperature of {temperature:g}, learned from the "
        "validation rows.",
        done=effect,
        temperature=round(temperature, 2),
    )


def _compute_logits(probabilities: Floats) -> Floats:
    """Return ln(p̄ + ε) minus its row's maximum, (n, C), which cannot overflow."""
    scores: Floats = np.log(probabilities + EPSILON)
    scores -= scores.max(axis=1, keepdims=True)
    return scores
