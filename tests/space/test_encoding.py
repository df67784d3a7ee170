import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.errors import SpaceError
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
from tests.facts import about

SOME = settings(max_examples=60, deadline=None, derandomize=True)


def rows(space: Space, seed: int = 0, n: int = 20) -> np.ndarray:
    return sample(space, np.random.default_rng(seed), n)


@pytest.mark.slow
@SOME
@given(st.data())
def test_decode_encode_round_trip_is_exact(any_space, data):
    space = data.draw(any_space)
    U = np.random.default_rng(data.draw(st.integers(0, 99))).random((10, space.dimensions))
    snapped = encoding.snap(space, U)
    configurations = encoding.decode(space, U)
    assert np.array_equal(encoding.encode(space, configurations), snapped, equal_nan=True)
    assert np.array_equal(encoding.snap(space, snapped), snapped, equal_nan=True)
    assert encoding.decode(space, snapped) == configurations
    assert encoding.make_keys(space, U) == encoding.make_keys(space, snapped)


@pytest.mark.slow
@SOME
@given(st.data())
def test_every_decoded_row_is_valid_configuration(any_space, data):
    space = data.draw(any_space)
    for configuration in encoding.decode(space, rows(space)):
        assert space.validate(configuration) == configuration
        assert tuple(configuration) == space.find_active(configuration)


@pytest.mark.slow
@SOME
@given(st.data())
def test_coordinates_are_nan_iff_inactive(any_space, data):
    space = data.draw(any_space)
    U = rows(space)
    names = [parameter.name for parameter in space.columns]
    active = [[name in c for name in names] for c in encoding.decode(space, U)]
    assert np.array_equal(~np.isnan(U), np.array(active).reshape(U.shape))
    assert np.nanmin(U, initial=0.0) >= 0
    assert np.nanmax(U, initial=0.0) <= 1


@pytest.mark.slow
@SOME
@given(st.data())
def test_keys_are_equal_iff_configurations_are_equal(finite_space, data):
    space = data.draw(finite_space)
    U = rows(space, n=12)
    keys = encoding.make_keys(space, U)
    configurations = encoding.decode(space, U)
    for i, j in itertools.combinations(range(len(U)), 2):
        assert (keys[i] == keys[j]) == (configurations[i] == configurations[j])


@pytest.mark.slow
@SOME
@given(st.data())
def test_valid_row_keys_are_equal_iff_keys_are_equal(any_space, data):
    space = data.draw(any_space)
    U = rows(space, n=6)
    near, _ = find_neighbours(space, U, np.random.default_rng(1))
    U = np.concatenate([U, encoding.encode(space, encoding.decode(space, U)), near])
    pairs = set(zip(encoding.make_keys(space, U), encoding.compute_valid_keys(U), strict=True))
    assert (
        len(pairs)
        == len(set(encoding.make_keys(space, U)))
        == len(set(encoding.compute_valid_keys(U)))
    )


@pytest.mark.slow
@SOME
@given(st.data())
def test_condition_groups_depend_on_parent_states(any_space, data):
    space = data.draw(any_space)
    U = rows(space, n=12)
    groups = encoding.find_conditions(space, U)
    signatures = []
    for configuration in encoding.decode(space, U):
        signature = set()
        for parameter in space.parameters:
            children = space.list_children(parameter.name)
            if not children or parameter.name not in configuration:
                continue
            value = configuration[parameter.name]
            state: object = value
            if isinstance(parameter, Float | Integer):
                rules = [c for child in children for c in child.conditions]
                state = tuple(c.is_satisfied_by(value) for c in rules if c.parent == parameter.name)
            signature.add((parameter.name, state))
        signatures.append(signature)
    for i, j in itertools.combinations(range(len(U)), 2):
        assert (groups[i] == groups[j]) == (signatures[i] == signatures[j])


def test_values_without_children_form_separate_groups(cash):
    U = encoding.encode(
        cash,
        [
            {"algorithm": "bayes"},
            {"algorithm": "lda"},
            {"algorithm": "knn", "knn.neighbours": 3},
            {"algorithm": "knn", "knn.neighbours": 30},
            {"algorithm": "svm", "svm.kernel": "linear", "svm.C": 1.0},
            {"algorithm": "svm", "svm.kernel": "rbf", "svm.C": 1.0, "svm.width": 1.0},
        ],
    )
    bayes, lda, *knn, linear, rbf = encoding.find_conditions(cash, U).tolist()
    assert knn[0] == knn[1]
    assert len({bayes, lda, knn[0], linear, rbf}) == 5


def test_condition_groups_are_deterministic(cash):
    U = rows(cash, n=50)
    groups = encoding.find_conditions(cash, U)
    restored = encoding.find_conditions(Space.from_json(cash.to_json()), U[::-1])[::-1]
    assert np.array_equal(groups, restored)


def test_space_without_conditions_has_one_group():
    space = Space("flat", (Float("x", 0, 1), Boolean("y")))
    assert np.unique(encoding.find_conditions(space, rows(space))).size == 1


def test_groups_of_80_entangled_parents_are_distinct():
    parents = [Boolean(f"b{i}") for i in range(80)]
    children = [Boolean(f"c{i}", conditions=(Condition(f"b{i}", (True,)),)) for i in range(80)]
    space = Space("wide", (*parents, *children))
    U = rows(space, n=500)
    signatures = {row.tobytes() for row in np.nan_to_num(U[:, :80], nan=-1)}
    assert len(set(encoding.find_conditions(space, U).tolist())) == len(signatures)


def test_log_scale_is_uniform_in_logarithm():
    space = Space("log", (Float("C", 1e-5, 1e5, True), Integer("n", 1, 1000, True)))
    U = encoding.encode(space, [{"C": 1e-5, "n": 1}, {"C": 1.0, "n": 30}, {"C": 1e5, "n": 1000}])
    assert U[:, 0].tolist() == [0.0, 0.5, 1.0]
    middle = (np.log(30) - np.log(0.5)) / (np.log(1000.5) - np.log(0.5))
    assert U[1, 1] == pytest.approx(middle)


@pytest.mark.slow
def test_dense_uniform_draw_is_uniform_over_discrete_values():
    space = Space("even", (Integer("n", 1, 5), Categorical("c", ("a", "b", "c"))))
    grid = (np.arange(15_000) + 0.5) / 15_000
    decoded = encoding.decode(space, np.stack([grid, grid], axis=1))
    assert np.unique([c["n"] for c in decoded], return_counts=True)[1].tolist() == [3000] * 5
    assert np.unique([c["c"] for c in decoded], return_counts=True)[1].tolist() == [5000] * 3


def test_decoded_values_are_readable():
    space = Space("readable", (Float("C", 1e-5, 1e5, True), Float("x", 0, 1)))
    for configuration in encoding.decode(space, rows(space, n=200)):
        assert len(repr(configuration["C"])) <= 16
        assert len(repr(configuration["x"])) <= 12


def test_encode_decode_round_trip_of_declared_values_is_exact():
    space = Space("exact", (Float("C", 1e-5, 1e5, True), Float("x", -3, 7)))
    configurations = [
        {"C": c, "x": x} for c in (0.1, 0.3, 1e-5, 12345.678) for x in (-3.0, 0.1, 6.999)
    ]
    assert encoding.decode(space, encoding.encode(space, configurations)) == configurations


@pytest.mark.parametrize(
    ("low", "high", "log"),
    [
        (1e6, 1e6 + 1e-4, False),
        (-1e99, 1e99, False),
        (1e-99, 1e99, True),
        (1.0, 1.0000001, True),
        (1e-30, 2e-30, False),
        (0.123456789123, 0.9876543212345, False),
        (9.999999e5, 1e6, True),
    ],
)
def test_values_of_unusual_ranges_snap_inside_range(low, high, log):
    space = Space("odd", (Float("x", low, high, log),))
    U = encoding.snap(space, np.linspace(0, 1, 999)[:, None])
    values = [c["x"] for c in encoding.decode(space, U)]
    assert all(low <= value <= high for value in values)
    assert len(set(values)) > 900
    assert np.array_equal(encoding.encode(space, [{"x": v} for v in values]), U)


@pytest.mark.parametrize("log", [False, True])
def test_round_trip_of_widest_integer_ranges_is_exact(log):
    space = Space("wide", (Integer("n", 1 if log else -(10**12), 10**12, log),))
    assert space.find_problems() == []
    U = encoding.snap(space, np.random.default_rng(0).random((2000, 1)))
    configurations = encoding.decode(space, U)
    assert np.array_equal(encoding.encode(space, configurations), U)
    assert encoding.decode(space, encoding.encode(space, configurations)) == configurations
    ends = [{"n": space.parameters[0].low}, {"n": 10**12 - 1}, {"n": 10**12}]
    assert encoding.decode(space, encoding.encode(space, ends)) == ends


def test_active_coordinate_without_value_gets_default(cash):
    U = np.full((1, cash.dimensions), np.nan)
    U[0, 0] = encoding.encode(cash, [{"algorithm": "knn", "knn.neighbours": 9}])[0, 0]
    assert encoding.decode(cash, U) == [{"algorithm": "knn", "knn.neighbours": 5}]


def test_activity_is_determined_by_parents(cash):
    dense = np.full((1, cash.dimensions), 0.5)
    dense[0, 0] = 1.0
    assert encoding.decode(cash, dense) == [{"algorithm": "lda"}]


def test_constants_are_in_configurations_without_coordinate():
    space = Space("fixed", (Constant("algorithm", "rbf-svm"), Integer("k", 3, 3), Float("x", 0, 1)))
    assert space.dimensions == 1
    configuration = encoding.decode(space, np.array([[0.25]]))[0]
    assert configuration == {"algorithm": "rbf-svm", "k": 3, "x": 0.25}
    assert encoding.encode(space, [configuration]).tolist() == [[0.25]]


def test_space_of_constants_has_one_configuration():
    space = Space("still", (Constant("a", 1),))
    U = rows(space, n=3)
    assert U.shape == (3, 0)
    assert encoding.decode(space, U) == [{"a": 1}] * 3
    assert len(set(encoding.make_keys(space, U))) == 1
    assert len(encoding.make_keys(space, U)) == 3


def test_imputation_rules_fill_declared_values(cash):
    U = encoding.encode(cash, [{"algorithm": "lda"}])
    assert encoding.impute(cash, U)[0, 1:].tolist() == [0.5] * 5
    default = encoding.impute(cash, U, "default")
    assert np.array_equal(default[0, 1:], cash.default_units[1:])
    random_rows = encoding.impute(cash, U, "none", np.random.default_rng(3))
    assert np.unique(random_rows).size == 6
    assert U[0, 0] == default[0, 0] == random_rows[0, 0]


@pytest.mark.parametrize("rule", ["middle", "default", "none"])
def test_imputation_fills_inactive_coordinates_only(cash, rule):
    U = rows(cash, n=50)
    filled = encoding.impute(cash, U, rule, np.random.default_rng(1))
    active = ~np.isnan(U)
    assert not active.all()
    np.testing.assert_array_equal(filled[active], U[active])
    assert ((filled >= 0.0) & (filled <= 1.0)).all()


def test_imputation_none_equals_dense_uniform_draw(cash):
    U = np.full((4000, cash.dimensions), np.nan)
    random_rows = encoding.impute(cash, U, "none", np.random.default_rng(1))
    np.testing.assert_allclose(random_rows.mean(axis=0), 0.5, atol=0.03)
    np.testing.assert_allclose(random_rows.var(axis=0), 1 / 12, atol=0.01)
    assert np.abs(np.corrcoef(random_rows.T) - np.eye(cash.dimensions)).max() < 0.06


def test_imputation_rejects_unsupported_rules(cash):
    U = rows(cash)
    with pytest.raises(SpaceError, match="needs a generator"):
        encoding.impute(cash, U, "none")
    with pytest.raises(SpaceError, match="middle, default", check=about(rule="'mean'")):
        encoding.impute(cash, U, "mean")  # type: ignore[arg-type]


def test_numeric_parent_activates_children():
    space = Space(
        "layers",
        (
            Integer("layers", 1, 3),
            Integer("units2", 1, 9, conditions=(Condition("layers", low=2),)),
            Integer("units3", 1, 9, conditions=(Condition("layers", low=3, high=3),)),
        ),
    )
    U = encoding.encode(
        space, [{"layers": 1}, {"layers": 2, "units2": 4}, {"layers": 3, "units2": 4, "units3": 1}]
    )
    assert len(set(encoding.find_conditions(space, U).tolist())) == 3
    assert encoding.decode(space, U)[2] == {"layers": 3, "units2": 4, "units3": 1}


@pytest.mark.parametrize(
    ("configuration", "expected"),
    [
        ({"algorithm": "tree"}, {"name": "algorithm", "value": "'tree'"}),
        ({"algorithm": "knn"}, {"name": "knn.neighbours"}),
        ({"algorithm": "lda", "svm.C": 1.0}, {"name": ["svm.C", "algorithm"], "values": "svm"}),
        ({"algorithm": "lda", "depth": 1}, {"name": "'small-cash'", "name_2": "'depth'"}),
        ({"algorithm": "knn", "knn.neighbours": 31}, {"name": "knn.neighbours", "value": "31"}),
        ({"algorithm": "knn", "knn.neighbours": 1.5}, {"name": "knn.neighbours", "value": "1.5"}),
        ({"algorithm": "knn", "knn.neighbours": True}, {"name": "knn.neighbours", "value": "True"}),
        ({"algorithm": "knn", "knn.neighbours": "5"}, {"name": "knn.neighbours", "value": "'5'"}),
        ({}, {"name": "algorithm"}),
    ],
)
def test_invalid_configuration_is_rejected_with_reason(cash, configuration, expected):
    with pytest.raises(SpaceError, check=about(**expected)):
        encoding.encode(cash, [configuration])
    with pytest.raises(SpaceError, check=about(**expected)):
        cash.validate(configuration)


def test_rows_of_wrong_width_are_rejected(cash):
    with pytest.raises(SpaceError, match=r"shape \(n, 6\); \(2, 3\) was given"):
        encoding.snap(cash, np.zeros((2, 3)))


def test_empty_rows_decode_to_no_configurations(cash):
    assert encoding.encode(cash, []).shape == (0, 6)
    assert encoding.decode(cash, np.empty((0, 6))) == []
    assert encoding.make_keys(cash, np.empty((0, 6))) == []


def test_one_hot_expands_categories_only():
    space = Space(
        "mixed",
        (
            Categorical("algorithm", ("a", "b", "c")),
            Float("a.x", 0.0, 1.0, conditions=(Condition("algorithm", ("a",)),)),
            Categorical("b.loss", ("p", "q"), conditions=(Condition("algorithm", ("b",)),)),
            Ordinal("size", ("s", "m", "l")),
            Constant("fixed", 3),
            Boolean("fast"),
        ),
    )
    U = encoding.encode(
        space,
        [
            {"algorithm": "a", "a.x": 0.25, "size": "l", "fixed": 3, "fast": True},
            {"algorithm": "b", "b.loss": "q", "size": "s", "fixed": 3, "fast": False},
        ],
    )
    columns, category = encoding.get_one_hot_columns(space)
    assert columns.tolist() == [0, 0, 0, 1, 2, 2, 3, 4, 4]
    assert category.tolist() == [0, 1, 2, -1, 0, 1, -1, 0, 1]
    wide = encoding.to_one_hot(space, U)
    nan = np.nan
    expected = [
        [1, 0, 0, 0.25, nan, nan, U[0, 3], *(category[7:] == (U[0, 4] > 0.5))],
        [0, 1, 0, nan, 0, 1, U[1, 3], *(category[7:] == (U[1, 4] > 0.5))],
    ]
    np.testing.assert_array_equal(wide, np.array(expected, dtype=float))
    assert U[0, 4] != U[1, 4]


def test_one_hot_rejects_wrong_width_and_accepts_no_rows(cash):
    with pytest.raises(SpaceError, match="have shape"):
        encoding.to_one_hot(cash, np.zeros((2, 1)))
    assert encoding.to_one_hot(cash, np.empty((0, cash.dimensions))).shape == (
        0,
        len(encoding.get_one_hot_columns(cash)[0]),
    )


def test_one_hot_snaps_values_between_categories(cash):
    columns, category = encoding.get_one_hot_columns(cash)
    U = np.random.default_rng(2).random((50, cash.dimensions))
    wide = encoding.to_one_hot(cash, U)
    of_choices = category >= 0
    assert set(np.unique(wide[:, of_choices])) == {0.0, 1.0}
    for column in np.unique(columns[of_choices]):
        assert (wide[:, columns == column].sum(axis=1) == 1.0).all()
    np.testing.assert_array_equal(wide[:, ~of_choices], U[:, columns[~of_choices]])
