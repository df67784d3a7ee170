"""Spaces and observations shared by the tests of surrogates."""

import numpy as np
import pytest

from studio.space.parameters import Categorical, Condition, Float, Integer
from studio.space.space import Space


@pytest.fixture(scope="session")
def box() -> Space:
    """Return a space of two unconditional numbers."""
    return Space("box", (Float("x", 0.0, 1.0), Float("y", 0.0, 1.0)))


@pytest.fixture(scope="session")
def tree() -> Space:
    """Return a space in which two of three algorithms have numeric hyperparameters."""
    return Space(
        "tree",
        (
            Categorical("algorithm", ("a", "b", "c")),
            Float("a.x", 0.0, 1.0, conditions=(Condition("algorithm", ("a",)),)),
            Float("a.y", 0.0, 1.0, conditions=(Condition("algorithm", ("a",)),)),
            Integer("b.k", 1, 30, conditions=(Condition("algorithm", ("b",)),)),
        ),
    )


@pytest.fixture(scope="session")
def nested() -> Space:
    """Return a space of a choice with a dependent choice, and a number."""
    return Space(
        "nested",
        (
            Categorical("algorithm", ("a", "b")),
            Categorical("a.loss", ("p", "q", "r"), conditions=(Condition("algorithm", ("a",)),)),
            Float("x", 0.0, 1.0),
        ),
    )


@pytest.fixture
def rng() -> np.random.Generator:
    """Return a generator with a fixed seed."""
    return np.random.default_rng(20_26)
