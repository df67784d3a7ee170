"""Intervals of sums over rows: the number of hits, the total of predicted numbers."""

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.linalg import solve
from scipy.special import expit, log_expit

from studio.arrays import Flags, Floats, Integers
from studio.data.intervals.pieces import RowGroups, estimate_intra_unit_correlation
from studio.data.intervals.prediction import SHARE
from studio.seeds import derive

_N_KNOTS = 6  # number of knots of the calibration line: quantiles of the scores


@dataclass(frozen=True, eq=False)
class CalibrationBasis:
    """The basis of a calibration line.

    The basis functions are 1, the distance from the median score, and a hinge for each knot,
    directed away from the median. Each weight is the change of slope at its knot.

    Attributes:
        median_score: The median score.
        knots: Shape (b,). The knots, ascending.
    """

    median_score: float
    knots: Floats

    @classmethod
    def from_scores(cls, scores: Floats) -> "CalibrationBasis":
        """Place the knots at quantiles of scores (n,), n > 0."""
        levels = np.arange(1, _N_KNOTS + 1) / (_N_KNOTS + 1)
        return cls(float(np.median(scores)), np.unique(np.quantile(scores, levels)))

    def compute_columns(self, scores: Floats) -> Floats:
        """Return the basis functions of scores (n,), shape (n, 2 + b)."""
        distances = scores[:, None] - self.knots
        is_above_median = self.knots >= self.median_score
        hinges = np.where(is_above_median, np.maximum(distances, 0.0), np.minimum(distances, 0.0))
        return np.column_stack([np.ones(len(scores)), scores - self.median_score, hinges])


def draw_weights(
    weights: Floats, precision: Floats, n_draws: int, rng: np.random.Generator
) -> Floats:
    """Draw normal weights, (k, draws), by their means (k,) and precision (k, k)."""
    normal = rng.standard_normal((len(weights), n_draws))
    deviations: Floats = np.linalg.solve(np.linalg.cholesky(precision).T, normal)
    return weights[:, None] + deviations


SHIFT_GRID = np.linspace(-2.5, 2.5, 101)
"""The grid of u."""

SD_GRID = (0.0, 0.1, 0.2, 0.35, 0.6, 1.0)
AUTOCORRELATION_GRID = (0.0, 0.5, 0.8, 0.95)
"""Values of τ and of φ, all with equal prior probability."""

_MIN_LIKELIHOOD = 1e-100  # minimum relative likelihood, so that no sum underflows


@dataclass(frozen=True, eq=False)
class PeriodShift:
    """Shifts of the logits by period, learned from past changes of the rate of hits.

    The logits of block b of time deviate by a shift u_b, an autoregression around 0 with standard
    deviation τ and autocorrelation φ, uᵦ = φ uᵦ₋₁ + τ √(1 − φ²) ε: with φ = 0 blocks are
    independent, with φ near 1 the shift changes slowly. Over a grid of shifts it is a hidden Markov
    model (Kitagawa 1987), so the likelihood of each τ and φ and the distribution of the next shift
    are sums, exact even for few hits.

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
        return rng.choice(SHIFT_GRID, (n_draws, 1), p=self.probabilities)


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


DRAWS = 4000

_LOGIT_OFFSET = 1e-3  # minimum distance of probabilities from 0 and 1

_LEVEL_SD, _SLOPE_SD, _SLOPE_CHANGE_SD = 2.0, 1.0, 1.0
"""Prior standard deviations of the calibration's level, slope and changes of slope."""

_MAX_NEWTON_STEPS, _CONVERGENCE_TOLERANCE = 100, 1e-8


@dataclass(frozen=True, eq=False)
class HitRates:
    """Calibrated rates of hits by probability.

    Attributes:
        basis: The form of the correction, over the logits.
        weights: Shape (k,). θ: its most probable weights.
        precision: Shape (k, k). The inverse of their covariance.
        spread: τ: the standard deviation of the error shared by the rows of a unit.
        shift: The shift of all new rows, if they belong to a later period.
    """

    basis: CalibrationBasis
    weights: Floats
    precision: Floats
    spread: float = 0.0
    shift: PeriodShift | None = None

    @classmethod
    def learn(
        cls,
        scores: Floats,
        hits: Flags,
        weights: Floats | None = None,
        *,
        units: Integers | None = None,
        n_later: int = 0,
    ) -> "HitRates":
        """Learn from rows unseen by the model.

        Args:
            scores: Shape (n,), n > 0. The rows' probabilities of the positive class.
            hits: Shape (n,). Whether each row is positive.
            weights, units: As for :meth:`studio.data.intervals.prediction.PredictionMargins.learn`.
            n_later: Number of new rows if they are later and units are blocks of time; else 0.
        """
        x = _to_logits(scores)
        basis = CalibrationBasis.from_scores(x)
        columns, truth = basis.compute_columns(x), hits.astype(np.float64)
        counts = np.ones(len(x)) if weights is None else weights
        # Weighted rows count as the number of equal ones with the same variance.
        counts = counts * counts.sum() / np.square(counts).sum()
        weights_mode, precision = _find_posterior_mode(columns, x, truth, counts)
        if units is None:
            return cls(basis, weights_mode, precision)
        if n_later:
            # The distance from the last block to the middle of the new rows.
            n_blocks = n_later / len(x) * (int(units.max()) + 1)
            steps = max(1, round((n_blocks + 1.0) / 2))
            logits = x + columns @ weights_mode
            shift = PeriodShift.learn(logits, truth, counts, units, steps)
            return cls(basis, weights_mode, precision, shift=shift)
        rates = expit(x + columns @ weights_mode)
        variances = counts * rates * (1.0 - rates)
        correlation, factor = estimate_intra_unit_correlation(
            units, counts * (truth - rates), variances
        )
        weights_mode, precision = _find_posterior_mode(columns, x, truth, counts / factor)
        return cls(basis, weights_mode, precision, correlation**0.5)

    def draw(self, row_groups: RowGroups, n_draws: int = DRAWS) -> Floats:
        """Draw numbers of hits among rows, by their probabilities, shape (draws,)."""
        rng = np.random.default_rng(derive(0, "hits"))
        x = _to_logits(row_groups.means)
        thetas = draw_weights(self.weights, self.precision, n_draws, rng)
        logits = (x[:, None] + self.basis.compute_columns(x) @ thetas).T
        if self.shift is not None:
            logits += self.shift.draw(n_draws, rng)
        rates = expit(logits + self.spread * row_groups.draw_shared_errors(n_draws, rng))
        n_hits: Floats = rng.binomial(row_groups.counts, rates).sum(axis=1).astype(np.float64)
        return n_hits


def _to_logits(scores: Floats) -> Floats:
    return np.log((scores + _LOGIT_OFFSET) / (1.0 - scores + _LOGIT_OFFSET))


def _find_posterior_mode(
    columns: Floats, x: Floats, truth: Floats, counts: Floats
) -> tuple[Floats, Floats]:
    """Return θ, (k,), and the precision, (k, k), by Newton's method.

    The columns have shape (n, k), all other arrays (n,).
    """
    prior = np.full(columns.shape[1], 1.0 / _SLOPE_CHANGE_SD**2)
    prior[:2] = 1.0 / _LEVEL_SD**2, 1.0 / _SLOPE_SD**2

    def log_posterior(theta: Floats) -> float:
        logits = x + columns @ theta
        log_likelihoods = truth * log_expit(logits) + (1.0 - truth) * log_expit(-logits)
        return float(counts @ log_likelihoods - prior @ np.square(theta) / 2)

    def compute_hessian(theta: Floats) -> Floats:
        rates = expit(x + columns @ theta)
        return (columns.T * (counts * rates * (1.0 - rates))) @ columns + np.diag(prior)

    theta = np.zeros(columns.shape[1])
    for _ in range(_MAX_NEWTON_STEPS):
        gradient = columns.T @ (counts * (truth - expit(x + columns @ theta))) - prior * theta
        step = np.linalg.solve(compute_hessian(theta), gradient)
        previous = log_posterior(theta)
        while (
            log_posterior(theta + step) < previous and np.abs(step).max() > _CONVERGENCE_TOLERANCE
        ):
            step /= 2
        theta += step
        if np.abs(step).max() <= _CONVERGENCE_TOLERANCE:
            break
    return theta, compute_hessian(theta)


@dataclass(frozen=True)
class TotalEstimate:
    """The expected total of selected rows, and the interval of the true one."""

    mean: float
    low: float
    high: float
    coverage: float = SHARE

    @classmethod
    def from_draws(cls, totals: Floats) -> "TotalEstimate":
        """Return the interval of drawn numbers, shape (m,)."""
        tail = (1.0 - SHARE) / 2
        low, high = np.quantile(totals, [tail, 1.0 - tail], method="inverted_cdf").tolist()
        return cls(float(totals.mean()), low, high)


_MIN_SIZE_SHARE = 0.1  # minimum ratio of a typical error to the mean error

_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class TotalErrors:
    """Errors of predictions, estimated from unseen rows.

    Attributes:
        unit: The divisor of predictions in the correction.
        weights: Shape (k,). θ: its most probable weights.
        precision: Shape (k, k). The inverse of their covariance.
        typical_error_weights: Shape (k,). Weights of the same columns for the typical error.
        min_typical_error: The smallest typical error.
        residuals, probabilities: Shape (n,). ε of the unseen rows, and their probabilities.
        spread: τ: the standard deviation of the error shared by the rows of a unit.
    """

    basis: CalibrationBasis
    unit: float
    weights: Floats
    precision: Floats
    typical_error_weights: Floats
    min_typical_error: float
    residuals: Floats
    probabilities: Floats
    spread: float = 0.0

    @classmethod
    def learn(
        cls,
        predictions: Floats,
        truth: Floats,
        weights: Floats | None = None,
        *,
        units: Integers | None = None,
    ) -> "TotalErrors":
        """Learn from rows unseen by the model.

        Arguments as for :meth:`studio.data.intervals.prediction.PredictionMargins.learn`.
        """
        unit = float(predictions.std()) or 1.0
        basis = CalibrationBasis.from_scores(predictions / unit)
        columns = basis.compute_columns(predictions / unit)
        counts = np.ones(len(truth)) if weights is None else weights
        # Weighted rows count as the number of equal ones with the same variance.
        counts = counts * counts.sum() / np.square(counts).sum()
        errors = truth - predictions
        # Including the bias: without it, the coverage of sums over few rows was too low.
        sizes = _fit_sizes(columns, np.abs(errors), counts)
        min_size = _MIN_SIZE_SHARE * float(np.average(np.abs(errors), weights=counts)) or _ROUNDING
        typical_errors = np.maximum(columns @ sizes, min_size)
        columns *= (typical_errors.mean() / typical_errors)[:, None]
        relative_errors = errors / typical_errors
        coefficients, precision, residuals = _fit_mean(columns, relative_errors, counts)
        probabilities = counts / counts.sum()
        spread = 0.0
        if units is not None:
            size = float(probabilities @ np.square(residuals)) or 1.0
            correlation, factor = estimate_intra_unit_correlation(
                units, counts * residuals / size**0.5, counts
            )
            spread = (correlation * size) ** 0.5
            coefficients, precision, residuals = _fit_mean(
                columns, relative_errors, counts / factor
            )
        scale = float(typical_errors.mean())
        coefficients, precision = scale * coefficients, precision / scale**2
        return cls(
            basis, unit, coefficients, precision, sizes, min_size, residuals, probabilities, spread
        )

    def draw(self, row_groups: RowGroups, n_draws: int = DRAWS) -> Floats:
        """Draw totals of the given rows, by their predictions, shape (draws,)."""
        rng = np.random.default_rng(derive(0, "totals"))
        thetas = draw_weights(self.weights, self.precision, n_draws, rng)
        columns = self.basis.compute_columns(row_groups.means / self.unit)
        typical_errors = np.maximum(columns @ self.typical_error_weights, self.min_typical_error)
        residual_indices = rng.choice(
            len(self.residuals), (n_draws, len(typical_errors)), p=self.probabilities
        )
        # For many rows together, draw their sum from its variance.
        independent_errors = self.residuals[residual_indices] * np.sqrt(row_groups.counts)
        shared_errors = (
            self.spread * row_groups.counts * row_groups.draw_shared_errors(n_draws, rng)
        )
        errors: Floats = (independent_errors + shared_errors) @ typical_errors
        corrected: Floats = (
            row_groups.counts @ row_groups.means + (row_groups.counts @ columns) @ thetas
        )
        return corrected + errors


def _fit_sizes(columns: Floats, errors: Floats, counts: Floats) -> Floats:
    """Fit the size of errors, (n,), by ridge regression; return the weights, (k,), of the basis."""
    scale = float(np.average(errors, weights=counts)) or 1.0
    prior = np.eye(columns.shape[1])
    prior[0, 0] = 0.0
    gram = (columns.T * counts) @ columns
    coefficients: Floats = solve(gram + prior, columns.T @ (counts * errors / scale))
    return scale * coefficients


def _fit_mean(columns: Floats, errors: Floats, counts: Floats) -> tuple[Floats, Floats, Floats]:
    """Return θ, (k,), precision, (k, k), and residuals, (n,), inflated for degrees of freedom."""
    gram = (columns.T * counts) @ columns
    prior = np.eye(columns.shape[1])  # standard deviation of one typical error
    size = float(np.average(np.square(errors), weights=counts))
    for _ in range(3):
        precision = gram / max(size, _ROUNDING) + prior
        theta: Floats = solve(precision, columns.T @ (counts * errors / max(size, _ROUNDING)))
        residuals: Floats = errors - columns @ theta
        effective_degrees = float(np.trace(solve(precision, gram))) / max(size, _ROUNDING)
        degrees_of_freedom = max(1.0, float(counts.sum()) - effective_degrees)
        size = float(counts @ np.square(residuals)) / degrees_of_freedom
    centre = float(np.average(residuals, weights=counts))
    inflated_residuals: Floats = (residuals - centre) * (
        float(counts.sum()) / degrees_of_freedom
    ) ** 0.5
    return theta, precision, inflated_residuals
