"""The rate of hits in the next period, predicted from its past changes.

The logits of block b of time deviate by a shift u_b, an autoregression around 0 with standard
deviation τ and autocorrelation φ, uᵦ = φ uᵦ₋₁ + τ √(1 − φ²) ε: with φ = 0 blocks are independent,
with φ near 1 the shift changes slowly. Over a grid of shifts it is a hidden Markov model (Kitagawa
1987), so the likelihood of each τ and φ and the distribution of the next shift are sums, exact even
for few hits.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.special import expit, log_expit

from studio.arrays import Floats, Integers

SHIFT_GRID = np.linspace(-2.5, 2.5, 101)
"""The grid of u."""

SD_GRID = (0.0, 0.1, 0.2, 0.35, 0.6, 1.0)
AUTOCORRELATION_GRID = (0.0, 0.5, 0.8, 0.95)
"""Values of τ and of φ, all with equal prior probability."""

_MIN_LIKELIHOOD = 1e-100  # minimum relative likelihood, so that no sum underflows


@dataclass(frozen=True, eq=False)
class PeriodShift:
    """Shifts of the logits by period.

    Attributes:
        probabilities: Shape (101,). Probability of each shift of :data:`SHIFT_GRID` in the next
            period.
        lowest, highest: The rates of hits of all rows at the lowest and the highest expected shift
            of a past block.
    """

    probabilities: Floats
    lowest: float
    highest: float

    @classmethod
    def learn(
        cls, logits: Floats, truth: Floats, counts: Floats, blocks: Integers, steps: int
    ) -> "PeriodShift":
        """Learn from rows unseen by the model.

        Args:
            logits: Shape (n,). Calibrated over all blocks.
            truth, counts: Shape (n,). Hits (0 or 1), and weights.
            blocks: Shape (n,). Codes 0, 1, … in the order of time.
            steps: Number of blocks to the next period.
        """
        likelihoods = np.column_stack(
            [
                np.bincount(blocks, counts * log_expit((2.0 * truth - 1.0) * (logits + shift)))
                for shift in SHIFT_GRID
            ]
        ).astype(np.float64)
        scores = []
        next_distributions = []
        past_shifts = []
        for deviation, autocorrelation in product(SD_GRID, AUTOCORRELATION_GRID):
            initial, transitions = _make_transitions(deviation, autocorrelation)
            score, filtered, smoothed = _smooth_shifts(likelihoods, initial, transitions)
            scores.append(score)
            next_distributions.append(filtered @ np.linalg.matrix_power(transitions, steps))
            past_shifts.append(smoothed @ SHIFT_GRID)
        model_weights = np.exp(np.array(scores) - max(scores))
        model_weights /= model_weights.sum()
        mean_past_shift = model_weights @ np.array(past_shifts)
        lowest, highest = (
            float(np.average(expit(logits + shift), weights=counts))
            for shift in (mean_past_shift.min(), mean_past_shift.max())
        )
        return cls(model_weights @ np.array(next_distributions), lowest, highest)

    def draw(self, n_draws: int, rng: np.random.Generator) -> Floats:
        """Draw shifts of the next period, shape (draws, 1)."""
        shifts: Floats = rng.choice(SHIFT_GRID, (n_draws, 1), p=self.probabilities)
        return shifts


def _make_transitions(spread: float, memory: float) -> tuple[Floats, Floats]:
    """Return the probabilities of the first shift, shape (101,), and of transitions, (101, 101)."""
    step_deviation = spread * (1.0 - memory**2) ** 0.5
    initial = _make_normal_probabilities(SHIFT_GRID[None], spread)
    transitions = _make_normal_probabilities(
        SHIFT_GRID - memory * SHIFT_GRID[:, None], step_deviation
    )
    return initial[0], transitions


def _make_normal_probabilities(distances: Floats, deviation: float) -> Floats:
    """Return normal probabilities on the grid, (k, 101), for distances from the mean, (k, 101)."""
    if not deviation:
        return np.broadcast_to(np.abs(SHIFT_GRID) < 1e-9, distances.shape).astype(np.float64)
    densities = np.exp(-0.5 * np.square(distances / deviation))
    normalised: Floats = densities / densities.sum(axis=1, keepdims=True)
    return normalised


def _smooth_shifts(
    likelihoods: Floats, start: Floats, moves: Floats
) -> tuple[float, Floats, Floats]:
    """Run the forward and backward recursions over blocks.

    Args:
        likelihoods: Shape (blocks, 101). Logarithms.
        start, moves: Shape (101,) and (101, 101). From :func:`_make_transitions`.

    Returns:
        The log likelihood; the distribution of the last block's shift, shape (101,), and of each
        block's, (blocks, 101), given all blocks.
    """
    peaks = likelihoods.max(axis=1)
    emissions = np.maximum(np.exp(likelihoods - peaks[:, None]), _MIN_LIKELIHOOD)
    log_likelihood, state, states = float(peaks.sum()), start, []
    for block, emission in enumerate(emissions):
        joint = (state @ moves if block else state) * emission
        total = float(joint.sum())
        log_likelihood, state = log_likelihood + float(np.log(total)), joint / total
        states.append(state)
    smoothed, backward = np.array(states), np.ones(len(start))
    for block in range(len(states) - 2, -1, -1):
        backward = moves @ (emissions[block + 1] * backward)
        backward = np.maximum(backward / backward.max(), _MIN_LIKELIHOOD)
        smoothed[block] *= backward
    return log_likelihood, state, smoothed / smoothed.sum(axis=1, keepdims=True)
