"""Ranking of pairs of untried configurations by surrogates: DivBO 4.2 and figure 2."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from bench.trained import trained_history
from studio.ensembles.diversity import get_history_diversity
from studio.space.encoding import encode
from studio.space.space import Space
from studio.surrogates.random_forest import RandomForest
from studio.surrogates.registry import DIVERSITY_SURROGATES
from studio.trial import History

PERFORMANCE = "performance"
"""The surrogate of the loss, drawn beside the others in the paper (PRF-p)."""


@dataclass(frozen=True)
class Correlation:
    """One point of the figure.

    Attributes:
        surrogate: Key of a diversity surrogate, or ``performance``.
        observed: Number of fitted trials.
        tau: Kendall's tau between predictive means and the truth: of all pairs of held-out
            configurations, or of their losses.
        cpu_seconds: Of the fit and the predictions.
    """

    surrogate: str
    observed: int
    tau: float
    cpu_seconds: float


def correlations(
    space: Space, history: History, counts: Sequence[int], held_out: int = 50, seed: int = 0
) -> list[Correlation]:
    """Fit every surrogate to the first trials of a history and evaluate it on the last.

    Args:
        space: The trials' space.
        history: Random configurations (the paper: 300).
        counts: How many of the first successful trials to fit to (up to 250).
        held_out: How many of the last to predict.
        seed: Seed of the fits.
    """
    from scipy.stats import kendalltau

    numbers, truth = get_history_diversity(history)
    trials = [history.trials[number - 1] for number in numbers.tolist()]
    rows = encode(space, [trial.configuration for trial in trials])
    losses = np.array([trial.loss for trial in trials], dtype=float)
    new = rows[-held_out:]
    pairs = np.triu_indices(held_out, k=1)
    found = []
    with threadpool_limits(limits=1):
        for count in counts:
            for made in DIVERSITY_SURROGATES:
                begun = time.process_time()
                rng = np.random.default_rng(seed)
                posterior = made().fit(rows[:count], truth[:count, :count], rng)
                means = posterior.predict(new, new)[0][pairs]
                seconds = time.process_time() - begun
                known = truth[-held_out:, -held_out:][pairs]
                tau = float(kendalltau(means, known).statistic)
                found.append(Correlation(made.key, count, tau, seconds))
            begun = time.process_time()
            rng = np.random.default_rng(seed)
            fitted = RandomForest().fit(space, rows[:count], losses[:count], rng)
            expected = fitted.predict(new)[0].mean(axis=0)
            seconds = time.process_time() - begun
            tau = float(kendalltau(expected, losses[-held_out:]).statistic)
            found.append(Correlation(PERFORMANCE, count, tau, seconds))
    return found


def diversity_surrogates() -> dict[str, float | None]:
    """Measure figure 2 at two of its points, on sklearn-cash and handwritten digits.

    Returns:
        ``cpu_s`` of all fits; ``tau_KEY_COUNT`` of each surrogate.
    """
    points = correlations(*trained_history(150), counts=(25, 100))
    figures: dict[str, float | None] = {
        "cpu_s": sum(point.cpu_seconds for point in points),
        "against": None,
    }
    for point in points:
        figures[f"tau_{point.surrogate}_{point.observed}"] = point.tau
    return figures
