import math

import numpy as np
import pytest

from studio.surrogates.chain import make_initial_state
from studio.surrogates.evidence import compute_log_evidence, make_blocks
from studio.surrogates.gp import maximise_evidence
from studio.surrogates.kernels.distance import Matern


def make_blocks_of(X, y, groups=None):
    groups = np.zeros(len(X), dtype=np.int64) if groups is None else groups
    return make_blocks(Matern(), X, groups, y)


def test_maximum_is_locally_optimal(rng):
    X = rng.random((30, 2))
    y = np.sin(6.0 * X[:, 0]) + 0.3 * rng.standard_normal(30)
    blocks = make_blocks_of(X, y, np.repeat([0, 1], 15))
    theta = maximise_evidence(blocks, make_initial_state(2), 3, rng)
    best = compute_log_evidence(blocks, theta)
    assert math.exp(theta.log_noise) == pytest.approx(0.09, rel=0.8)
    for name in ("mean", "log_amplitude", "log_noise"):
        for step in (-0.05, 0.05):
            shifted_values = {**vars(theta), name: getattr(theta, name) + step}
            assert compute_log_evidence(blocks, type(theta)(**shifted_values)) <= best + 1e-6


def test_more_starts_do_not_lower_maximum(rng):
    X, y = rng.random((12, 2)), rng.standard_normal(12)
    values = [
        compute_log_evidence(
            make_blocks_of(X, y),
            maximise_evidence(
                make_blocks_of(X, y), make_initial_state(2), starts, np.random.default_rng(0)
            ),
        )
        for starts in (1, 6)
    ]
    assert values[1] >= values[0] - 1e-9


@pytest.mark.parametrize("size", [0, 1, 4])
def test_maximum_without_observations_equals_start(size, rng):
    start = make_initial_state(2)
    blocks = make_blocks_of(rng.random((size, 2)), np.zeros(size)) if size else []
    assert maximise_evidence(blocks, start, 3, rng) is start


def test_length_scale_of_irrelevant_dimension_is_unchanged(rng):
    X = np.column_stack([rng.random(8), np.full(8, 0.5)])
    theta = maximise_evidence(
        make_blocks_of(X, rng.standard_normal(8)), make_initial_state(2), 2, rng
    )
    assert theta.log_length_scales[1] == 0.0
    assert theta.log_length_scales[0] != 0.0
