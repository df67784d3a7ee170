"""Main effects against closed forms (Hutter, Hoos and Leyton-Brown 2014, eq. 3-8)."""

import numpy as np
import pytest

from studio.analysis.surrogate.coordinates import make_branch_row
from studio.analysis.surrogate.importances import compute_main_effect, compute_shares
from studio.space.base import Condition
from studio.space.branches import list_branch_parameters
from studio.space.choices import Categorical
from studio.space.library import load
from studio.space.parameters import Float, Integer
from studio.space.space import Space

CUBE = Space("cube", tuple(Float(name, 0.0, 1.0) for name in "abc"))
DUMMY = load("dummy")


def effect(space, name, function, where=None):
    column = [each.name for each in space.columns].index(name)
    shares = compute_main_effect(space, column, function, np.random.default_rng(1), where)
    assert shares is not None
    return shares


def test_additive_function_has_importances_of_squared_slopes() -> None:
    """f = 3a + b: variances 9/12 and 1/12 of a uniform draw, so 90 % and 10 %."""

    def function(U):
        return (3 * U[:, 0] + U[:, 1])[None, :]

    assert effect(CUBE, "a", function) == pytest.approx(0.9, abs=0.01)
    assert effect(CUBE, "b", function) == pytest.approx(0.1, abs=0.01)
    assert effect(CUBE, "c", function) == pytest.approx(0.0, abs=1e-12)


def test_pure_interaction_has_no_main_effects() -> None:
    def function(U):
        return ((U[:, 0] - 0.5) * (U[:, 1] - 0.5))[None, :]

    assert effect(CUBE, "a", function) == pytest.approx(0.0, abs=0.03)


def test_main_effect_with_interaction_equals_closed_form() -> None:
    """f = a b: V_a = V_b = (1/4)/12 = 1/48, V = E a² E b² - 1/16 = 7/144, so 3/7 each."""

    def function(U):
        return (U[:, 0] * U[:, 1])[None, :]

    assert effect(CUBE, "b", function) == pytest.approx(3 / 7, abs=0.04)


def test_importance_is_computed_per_model() -> None:
    def function(U):
        return np.array([U[:, 0], U[:, 1], np.full(len(U), 0.3)])

    shares = effect(CUBE, "a", function)
    assert shares[0] == pytest.approx(1.0)
    assert shares[1] == pytest.approx(0.0, abs=1e-12)
    assert np.isnan(shares[2])


def test_additive_table_has_exact_importances() -> None:
    rng = np.random.default_rng(0)
    by_other, by_value = rng.normal(size=7), rng.normal(size=5)
    table = (by_other[:, None] + by_value[None, :])[None]
    expected = by_value.var() / (by_value.var() + by_other.var())
    assert compute_shares(table) == pytest.approx(expected)


def test_importance_of_branch_choice_resamples_child_hyperparameters() -> None:
    """f = 0, 1, 2 + x_c: means 0, 1, 2.5; within c, x_c explains all of the variance."""

    def function(U):
        choice = np.round(U[:, 0] * 3 - 0.5)
        return (choice + np.where(choice == 2, np.nan_to_num(U[:, 3]), 0.0))[None, :]

    means = np.array([0.0, 1.0, 2.5])
    expected = means.var() / (means.var() + 1 / 36)
    assert effect(DUMMY, "choice", function) == pytest.approx(expected, abs=0.01)
    assert effect(DUMMY, "x_c", function, make_branch_row(DUMMY, "choice", "c")) == pytest.approx(
        1.0
    )
    in_a = effect(DUMMY, "x_a", function, make_branch_row(DUMMY, "choice", "a"))
    assert np.isnan(in_a).all()


def test_inactive_hyperparameter_has_no_effect() -> None:
    impossible = make_branch_row(DUMMY, "choice", "b")
    column = [each.name for each in DUMMY.columns].index("x_a")
    assert (
        compute_main_effect(
            DUMMY, column, lambda U: U[:, :1].T, np.random.default_rng(0), impossible
        )
        is None
    )


def test_branch_contains_hyperparameters_at_any_depth() -> None:
    space = Space(
        "deep",
        (
            Categorical("algorithm", ("svm", "tree")),
            Categorical(
                "kernel", ("rbf", "linear"), conditions=(Condition("algorithm", ("svm",)),)
            ),
            Float("gamma", 0.1, 1.0, conditions=(Condition("kernel", ("rbf",)),)),
            Integer("depth", 1, 9, conditions=(Condition("algorithm", ("tree",)),)),
            Float("share", 0.1, 1.0),
        ),
    )
    assert list_branch_parameters(space, "svm") == ("kernel", "gamma")
    assert list_branch_parameters(space, "tree") == ("depth",)
