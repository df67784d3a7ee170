"""Simulated tables and predictions with known true losses."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import ndtr

from studio.arrays import AnyArray, Floats, Integers
from studio.data.intervals.resampling import get_units
from studio.data.metrics.base import Metric
from studio.data.metrics.registry import REGISTRY

METRICS: tuple[Metric, ...] = tuple(each() for each in REGISTRY)

SIZES = (20, 50, 200, 2000)
"""Test rows."""

GROUP_ROWS = {20: 2, 50: 5, 200: 10, 2000: 50}
"""Rows of a group: 10, 10, 20 and 40 groups."""

SHARES = (0.6, 0.3, 0.1)
"""Frequencies of the classes."""

CORRELATION = 0.8
"""Of a row with the previous one in time."""

TRUTH_ROWS = 400_000
"""Rows for computing the true losses."""

_NOT_ABOVE_0 = np.array([-1.0, 0.0])
"""Targets rejected by metrics of amounts."""

_SURE = 0.01
"""Uncertainty of predictions that are never wrong."""


@dataclass(frozen=True)
class Population:
    """Distribution of rows and predictions.

    Attributes:
        rate: Share of wrong labels, or of the target's variance that predictions leave unexplained.
        rows: Whether rows are independent, err in groups (labels all together; half of the variance
            of residuals), or depend on the row before (:data:`CORRELATION`).
        weighted: Whether rows weigh between 1 and 10, uniform on a logarithmic scale.
    """

    rate: float
    rows: str = "alone"
    weighted: bool = False


@dataclass(frozen=True, eq=False)
class TestRows:
    """Test rows.

    Attributes:
        truth: Shape (n,). Classes or values.
        predictions: Shape (n, C) or (n,). One for each model.
        weights: Shape (n,). Of the rows.
        units: Shape (n,). What the program resamples.
    """

    truth: AnyArray
    predictions: tuple[AnyArray, ...]
    weights: Floats | None
    units: Integers | None


def sample(
    population: Population,
    metric: Metric,
    n_rows: int,
    rng: np.random.Generator,
    better: tuple[float, ...] = (1.0,),
) -> TestRows:
    """Draw test rows and predictions for them.

    Args:
        better: For each model its rate in relation to the population's. Two models agree on half of
            the rows (groups).
    """
    draw = _Draw(population, n_rows, rng)
    make = _draw_values if "regression" in metric.tasks else _draw_classes
    truth, predictions = make(draw, better)
    if metric.find_problem(_NOT_ABOVE_0):
        truth, predictions = np.exp(truth), tuple(np.exp(each) for each in predictions)
    if metric.tasks == ("binary",):
        truth, predictions = _split_second_class(truth, predictions)
    weights = 10.0 ** rng.random(n_rows) if population.weighted else None
    rows = np.arange(n_rows)
    times = rows.astype(np.float64) if population.rows == "times" else None
    return TestRows(truth, predictions, weights, get_units(rows, draw.groups, times))


@lru_cache(maxsize=64)
def compute_true_losses(rate: float) -> dict[str, float]:
    """Return the loss of each metric on very many rows.

    It is the same for all populations of the rate: neighbours and weights do not affect a
    row's distribution.
    """
    found: dict[str, float] = {}
    for metric in METRICS:
        drawn = sample(Population(rate), metric, TRUTH_ROWS, np.random.default_rng(7))
        found[metric.key] = metric.compute_loss(drawn.truth, drawn.predictions[0])
    return found


@dataclass(frozen=True, eq=False)
class _Draw:
    """Random numbers of possibly dependent rows."""

    population: Population
    n_rows: int
    rng: np.random.Generator

    @property
    def groups(self) -> Integers | None:
        if self.population.rows != "groups":
            return None
        return np.arange(self.n_rows) // GROUP_ROWS.get(self.n_rows, 10)

    def together(self) -> Floats:
        """Return standard normal numbers, (n_rows,), the same for all rows of a group."""
        if self.groups is not None:
            drawn: Floats = self.rng.normal(size=self.groups[-1] + 1)[self.groups]
            return drawn
        fresh = self.rng.normal(size=self.n_rows)
        if self.population.rows == "times":
            from scipy.signal import lfilter

            fresh[1:] *= np.sqrt(1 - CORRELATION**2)
            fresh = lfilter([1.0], [1.0, -CORRELATION], fresh)
        return fresh

    def half(self) -> Floats:
        """Return standard normal numbers, (n_rows,), of which groups share half of the variance."""
        if self.groups is None:
            return self.together()
        own = self.rng.normal(size=self.n_rows)
        mixed: Floats = np.sqrt(0.5) * (self.together() + own)
        return mixed


def _draw_classes(draw: _Draw, better: tuple[float, ...]) -> tuple[Integers, tuple[Floats, ...]]:
    """Return classes and calibrated probabilities.

    A prediction is wrong with a chance c in (0, ½), which it knows: the class it names has the
    probability 1 − c, the others share c.
    """
    n_rows, rng, n_classes = draw.n_rows, draw.rng, len(SHARES)
    truth = rng.choice(n_classes, size=n_rows, p=SHARES)
    other = (truth + 1 + rng.integers(n_classes - 1, size=n_rows)) % n_classes

    def predicted(factor: float) -> Floats:
        rate = draw.population.rate * factor
        chance = _draw_chances(ndtr(draw.together()), rate or _SURE)
        wrong = (ndtr(draw.together()) < chance) & (rate > 0)
        given = np.repeat(chance[:, None] / (n_classes - 1), n_classes, axis=1)
        given[np.arange(n_rows), np.where(wrong, other, truth)] = 1 - chance
        return given

    return truth, _mix_half(draw, predicted, better)


def _split_second_class(
    truth: AnyArray, predictions: tuple[AnyArray, ...]
) -> tuple[AnyArray, tuple[AnyArray, ...]]:
    """Return a two-class problem, (n,), (n, 2), of the first class against all others."""
    two = tuple(np.column_stack([1 - each[:, 0], each[:, 0]]) for each in predictions)
    return (truth == 0).astype(np.int64), two


def _draw_chances(uniform: Floats, rate: float) -> Floats:
    """Return chances in (0, ½) with the mean ``rate``: half of a power of a uniform number."""
    power = 0.5 / rate - 1.0
    chances: Floats = 0.5 * uniform**power
    return np.maximum(chances, 1e-12)


def _draw_values(draw: _Draw, better: tuple[float, ...]) -> tuple[Floats, tuple[Floats, ...]]:
    """Return values and predictions, (n_rows,) each; Laplace residuals have more large ones."""
    truth = draw.half()

    def predicted(factor: float) -> Floats:
        uniform = ndtr(draw.half()) - 0.5
        tails = np.maximum(1 - 2 * np.abs(uniform), 1e-12)
        residuals = -np.sign(uniform) * np.log(tails) / np.sqrt(2)
        found: Floats = truth + np.sqrt(draw.population.rate * factor) * residuals
        return found

    return truth, _mix_half(draw, predicted, better)


def _mix_half(
    draw: _Draw, predicted: Callable[[float], Floats], better: tuple[float, ...]
) -> tuple[Floats, ...]:
    if len(better) == 1:
        return (predicted(better[0]),)
    common = predicted(1.0)
    models = []
    for factor in better:
        own = draw.together() > 0
        fresh = predicted(factor)
        models.append(np.where(own.reshape(-1, *[1] * (common.ndim - 1)), fresh, common))
    return tuple(models)
