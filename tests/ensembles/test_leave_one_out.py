"""Leaving each member out is the same as combining the others."""

import numpy as np
import pytest

from studio.analysis.contributions import iterate_leave_one_out
from studio.ensembles.base import Combination, Ensemble, combine
from studio.ensembles.layer import Layer
from studio.errors import EnsembleError

RNG = np.random.default_rng(4)
CLASSES = [RNG.dirichlet(np.ones(3), 25).astype(np.float16) for _ in range(7)]
VALUES = [RNG.normal(size=25).astype(np.float32) for _ in range(7)]
MEMBERS = (3, 0, 6, 1, 5)
WEIGHTS = (0.4, 0.2, 0.2, 0.1, 0.1)


@pytest.mark.parametrize(
    ("combination", "temperature"), [("vote", 1.0), ("mean", 1.0), ("mean", 0.6)]
)
@pytest.mark.parametrize("size", [2, 3, 5])
def test_leave_one_out_combines_remaining_members(
    combination: Combination, temperature: float, size: int
) -> None:
    total = sum(WEIGHTS[:size])
    weights = tuple(weight / total for weight in WEIGHTS[:size])
    ensemble = Ensemble(MEMBERS[:size], weights, combination, temperature=temperature)
    pairs = list(iterate_leave_one_out(CLASSES.__getitem__, ensemble))
    assert [number for number, _ in pairs] == list(MEMBERS[:size])
    for number, combined in pairs:
        others = ensemble.select_members([other for other in ensemble.members if other != number])
        np.testing.assert_allclose(combined, combine(CLASSES.__getitem__, others), atol=2e-12)


def test_leave_one_out_is_exact_with_huge_values() -> None:
    values = [*VALUES[:3], np.full(25, 1e30, dtype=np.float32)]
    ensemble = Ensemble((0, 1, 2, 3), (0.25,) * 4, "mean")
    without = dict(iterate_leave_one_out(values.__getitem__, ensemble))
    np.testing.assert_allclose(without[3], np.mean(values[:3], axis=0), rtol=1e-6)


def test_leave_one_out_keeps_layer_of_stack() -> None:
    layer = Layer.from_coefficients(np.array([[0.5, 0.5]]), np.array([0.1]), np.array([1.0, 2.0]))
    ensemble = Ensemble((0, 1), (0.5, 0.5), "stack", layer)
    without = dict(iterate_leave_one_out(VALUES.__getitem__, ensemble))
    np.testing.assert_allclose(without[1], 0.5 * VALUES[0] + 0.5 * 2.0 + 0.1, rtol=1e-6)


def test_leave_one_out_rejects_invalid_ensembles() -> None:
    with pytest.raises(EnsembleError, match="empty without it"):
        next(iterate_leave_one_out(VALUES.__getitem__, Ensemble((0,), (1.0,), "mean")))
    with pytest.raises(EnsembleError, match="cannot vote"):
        next(iterate_leave_one_out(VALUES.__getitem__, Ensemble((0, 1), (0.5, 0.5), "vote")))
