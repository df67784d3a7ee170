"""Spaces shared by the tests of acquisition."""

import numpy as np
import pytest

from studio.space.parameters import Boolean, Categorical, Condition, Float, Integer, Ordinal
from studio.space.space import Space


@pytest.fixture(scope="session")
def box() -> Space:
    """Return a space of two unconditional numbers."""
    return Space("box", (Float("x", 0.0, 1.0), Float("y", 0.0, 1.0)))


@pytest.fixture(scope="session")
def finite() -> Space:
    """Return a conditional space of 2 * (3 * 4) + 1 + 7 = 32 configurations."""
    return Space(
        "finite",
        (
            Categorical("algorithm", ("a", "b", "c")),
            Boolean("a.fast", conditions=(Condition("algorithm", ("a",)),)),
            Ordinal("a.size", ("s", "m", "l"), conditions=(Condition("algorithm", ("a",)),)),
            Integer("a.k", 1, 4, conditions=(Condition("algorithm", ("a",)),)),
            Integer("c.depth", 2, 8, conditions=(Condition("algorithm", ("c",)),)),
        ),
    )


@pytest.fixture(scope="session")
def mixed() -> Space:
    """Return a conditional space with continuous numbers and integers."""
    return Space(
        "mixed",
        (
            Categorical("algorithm", ("svm", "forest", "bayes")),
            Float("svm.C", 1e-5, 1e5, log=True, conditions=(Condition("algorithm", ("svm",)),)),
            Float("svm.width", 1e-5, 1e5, log=True, conditions=(Condition("algorithm", ("svm",)),)),
            Integer("forest.trees", 1, 100, conditions=(Condition("algorithm", ("forest",)),)),
        ),
    )


@pytest.fixture
def rng() -> np.random.Generator:
    """Return a generator with a fixed seed."""
    return np.random.default_rng(20_26)
