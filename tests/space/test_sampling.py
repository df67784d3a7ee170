import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.space import encoding, library
from studio.space.encoding import enumerate_all, sample
from studio.space.parameters import Categorical, Condition, Float, Integer
from studio.space.space import Space

SOME = settings(max_examples=60, deadline=None, derandomize=True)


@pytest.mark.slow
@SOME
@given(st.data())
def test_samples_are_valid_configurations(any_space, data):
    space = data.draw(any_space)
    U = sample(space, np.random.default_rng(0), 20)
    assert U.shape == (20, space.dimensions)
    for configuration in encoding.decode(space, U):
        space.validate(configuration)


def test_choices_and_their_children_are_sampled_uniformly(cash):
    U = sample(cash, np.random.default_rng(0), 8000)
    decoded = encoding.decode(cash, U)
    branches = np.unique([c["algorithm"] for c in decoded], return_counts=True)[1]
    # Five standard deviations of a share of a quarter.
    assert np.abs(branches - 2000).max() < 5 * math.sqrt(8000 * 0.25 * 0.75)
    kernels = [c["svm.kernel"] for c in decoded if c["algorithm"] == "svm"]
    shares = np.unique(kernels, return_counts=True)[1] / len(kernels)
    assert np.abs(shares - 1 / 3).max() < 5 * math.sqrt(2 / 9 / len(kernels))


def test_log_ranges_are_uniform_in_logarithm():
    space = Space("log", (Float("C", 1e-4, 1e4, True),))
    logs = np.log10([c["C"] for c in encoding.decode(space, sample(space, _rng(), 4000))])
    quarters = np.histogram(logs, bins=4, range=(-4, 4))[0]
    assert np.abs(quarters - 1000).max() < 5 * math.sqrt(4000 * 3 / 16)


def test_samples_are_determined_by_seed():
    space = library.load("sklearn-cash")
    assert np.array_equal(sample(space, _rng(), 9), sample(space, _rng(), 9), equal_nan=True)


@pytest.mark.slow
@SOME
@given(st.data())
def test_enumeration_contains_every_configuration_once(finite_space, data):
    space = data.draw(finite_space)
    U = enumerate_all(space, limit=3000)
    if U is None:
        assert space.count_configurations() > 3000
        return
    keys = encoding.make_keys(space, U)
    assert len(set(keys)) == len(keys) == space.count_configurations()
    assert np.array_equal(encoding.snap(space, U), U, equal_nan=True)
    assert set(encoding.make_keys(space, sample(space, _rng(), 50))) <= set(keys)


def test_enumeration_of_large_or_continuous_space_is_rejected():
    assert enumerate_all(Space("n", (Integer("n", 1, 11),)), limit=10) is None
    assert enumerate_all(Space("x", (Float("x", 0, 1),))) is None


def test_enumeration_varies_first_hyperparameter_slowest():
    space = Space(
        "two",
        (Categorical("a", ("x", "y")), Integer("n", 1, 2, conditions=(Condition("a", ("y",)),))),
    )
    U = enumerate_all(space)
    assert U is not None
    assert encoding.decode(space, U) == [{"a": "x"}, {"a": "y", "n": 1}, {"a": "y", "n": 2}]


def _rng() -> np.random.Generator:
    return np.random.default_rng(11)
