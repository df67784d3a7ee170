import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.space import encoding
from studio.space.encoding import sample
from studio.space.neighbours import find_neighbours
from studio.space.parameters import (
    Boolean,
    Categorical,
    Condition,
    Constant,
    Float,
    Integer,
    Ordinal,
)
from studio.space.space import Space

SOME = settings(max_examples=60, deadline=None, derandomize=True)


def list_neighbours(
    space: Space, configuration: dict, seed: int = 0, **options: object
) -> list[dict]:
    U = encoding.encode(space, [configuration])
    V, _ = find_neighbours(space, U, np.random.default_rng(seed), **options)
    return encoding.decode(space, V)


@pytest.mark.slow
@SOME
@given(st.data())
def test_neighbours_differ_in_one_hyperparameter_and_its_children(any_space, data):
    space = data.draw(any_space)
    U = sample(space, np.random.default_rng(data.draw(st.integers(0, 99))), 6)
    V, origin = find_neighbours(space, U, np.random.default_rng(1))
    assert np.array_equal(encoding.snap(space, V), V, equal_nan=True)
    assert (np.diff(origin) >= 0).all()
    before = encoding.decode(space, U)
    for after, row in zip(encoding.decode(space, V), origin, strict=True):
        old = before[row]
        changed_names = [name for name in old.keys() & after.keys() if old[name] != after[name]]
        assert len(changed_names) == 1
        for name in after.keys() - old.keys():
            value = encoding.decode(space, encoding.encode(space, [after]))[0][name]
            expected = space.get_parameter(name).get_default()
            if isinstance(expected, float):
                assert value == pytest.approx(expected, rel=1e-6, abs=1e-6)
            else:
                assert value == expected


@pytest.mark.slow
@SOME
@given(st.data())
def test_neighbours_include_all_other_values_of_active_choices(any_space, data):
    space = data.draw(any_space)
    U = sample(space, np.random.default_rng(2), 3)
    V, origin = find_neighbours(space, U, np.random.default_rng(1))
    after = encoding.decode(space, V)
    for row, old in enumerate(encoding.decode(space, U)):
        near = [c for c, at in zip(after, origin, strict=True) if at == row]
        for name, value in old.items():
            parameter = space.get_parameter(name)
            reached = {c[name] for c in near if name in c} - {value}
            if isinstance(parameter, Ordinal):
                index = parameter.choices.index(value)
                around = {index - 1, index + 1} & set(range(len(parameter.choices)))
                assert reached == {parameter.choices[i] for i in around}
            elif isinstance(parameter, Categorical | Boolean):
                assert reached == set(parameter.choices) - {value}
            elif isinstance(parameter, Integer):
                around = {value - 1, value + 1} & set(range(parameter.low, parameter.high + 1))
                assert around <= reached


def test_children_of_new_branch_get_defaults(cash):
    near = list_neighbours(cash, {"algorithm": "lda"})
    assert near == [
        {"algorithm": "svm", "svm.kernel": "linear", "svm.C": 10.0},
        {"algorithm": "knn", "knn.neighbours": 5},
        {"algorithm": "bayes"},
    ]


def test_remaining_active_children_keep_values(cash):
    here = {"algorithm": "svm", "svm.kernel": "rbf", "svm.C": 0.5, "svm.width": 0.25}
    poly = [c for c in list_neighbours(cash, here) if c.get("svm.kernel") == "poly"]
    assert poly == [{**here, "svm.kernel": "poly", "svm.degree": 3}]
    linear = [c for c in list_neighbours(cash, here) if c.get("svm.kernel") == "linear"]
    assert linear == [{"algorithm": "svm", "svm.kernel": "linear", "svm.C": 0.5}]


def test_float_has_neighbours_in_both_directions():
    space = Space("line", (Float("x", 0, 1),))
    up, down = (c["x"] for c in list_neighbours(space, {"x": 0.5}))
    assert down < 0.5 < up
    many = [c["x"] for c in list_neighbours(space, {"x": 0.5}, per_float=8)]
    assert sum(value > 0.5 for value in many) == sum(value < 0.5 for value in many) == 4


def test_steps_are_clipped_at_bounds():
    space = Space("line", (Float("x", 0, 1),))
    assert {c["x"] for c in list_neighbours(space, {"x": 0.5}, sigma=100.0)} == {0.0, 1.0}
    assert len(list_neighbours(space, {"x": 1.0})) == 1


def test_step_size_follows_sigma_of_row():
    space = Space("line", (Float("x", 0, 1),))
    U = np.array([[0.5], [0.5]])
    V, origin = find_neighbours(
        space, U, np.random.default_rng(0), per_float=20, sigma=np.array([0.1, 0.001])
    )
    steps = np.abs(V[:, 0] - 0.5)
    assert steps[origin == 1].max() < 0.01 < steps[origin == 0].max()


def test_integer_step_is_one_and_scales_with_wide_range():
    narrow = Space("narrow", (Integer("n", 1, 10),))
    assert sorted(c["n"] for c in list_neighbours(narrow, {"n": 5})) == [4, 6]
    assert [c["n"] for c in list_neighbours(narrow, {"n": 10})] == [9]
    wide = Space("wide", (Integer("n", 0, 1000),))
    reached = sorted(c["n"] for c in list_neighbours(wide, {"n": 500}))
    assert reached[1:3] == [499, 501]
    assert reached[0] < 498
    assert reached[3] > 502


def test_constants_and_one_point_ranges_do_not_change():
    space = Space("fixed", (Constant("a", 1), Integer("k", 3, 3), Categorical("c", ("x",))))
    V, origin = find_neighbours(space, np.empty((4, 0)), np.random.default_rng(0))
    assert V.shape == (0, 0)
    assert origin.shape == (0,)


def test_empty_rows_have_no_neighbours(cash):
    V, origin = find_neighbours(cash, np.empty((0, 6)), np.random.default_rng(0))
    assert V.shape == (0, 6)
    assert not len(origin)


def test_neighbours_are_determined_by_generator(cash):
    U = sample(cash, np.random.default_rng(0), 10)
    first, _ = find_neighbours(cash, U, np.random.default_rng(5))
    second, _ = find_neighbours(cash, U, np.random.default_rng(5))
    assert np.array_equal(first, second, equal_nan=True)


def test_float_parent_switches_its_children():
    space = Space(
        "range",
        (Float("x", 0, 1), Integer("n", 1, 9, conditions=(Condition("x", high=0.5),), default=7)),
    )
    near = list_neighbours(space, {"x": 0.51}, sigma=0.3, per_float=6)
    assert any(c == {"x": c["x"], "n": 7} for c in near if c["x"] <= 0.5)
    assert all(("n" in c) == (c["x"] <= 0.5) for c in near)
