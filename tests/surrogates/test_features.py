import numpy as np
import pytest

from studio.errors import SurrogateError
from studio.space.encoding import impute
from studio.surrogates.random_forest import Features
from tests.facts import about

NAN = np.nan


def rows():
    """Return one configuration of each branch: (a, x, y), (b, k), (c)."""
    return np.array([[1 / 6, 0.2, 0.9, NAN], [0.5, NAN, NAN, 0.25], [5 / 6, NAN, NAN, NAN]])


@pytest.mark.parametrize(("rule", "expected"), [("middle", 0.5), ("outside", -1.0)])
def test_inactive_coordinates_get_constant(tree, rule, expected):
    X = Features(tree, "index", rule, 0).complete(rows())
    np.testing.assert_array_equal(X, np.where(np.isnan(rows()), expected, rows()))
    hot = Features(tree, "one-hot", rule, 0).complete(rows())
    np.testing.assert_array_equal(hot[:, :3], np.eye(3))
    np.testing.assert_array_equal(hot[:, 3:], X[:, 1:])


def test_defaults_agree_with_space(tree):
    X = Features(tree, "index", "default", 0).complete(rows())
    np.testing.assert_array_equal(X[2, 1:], tree.default_units[1:])


def test_dense_draw_is_determined_by_seed(tree):
    first = Features(tree, "index", "none", 3)
    np.testing.assert_array_equal(first.complete(rows()), first.complete(rows()))
    np.testing.assert_array_equal(
        first.complete(rows()), impute(tree, rows(), "none", np.random.default_rng(3))
    )
    other = Features(tree, "index", "none", 4).complete(rows())
    assert (other != first.complete(rows())).sum() == np.isnan(rows()).sum()


def test_rows_with_common_fill_share_one_dense_draw(tree):
    filled = Features(tree, "index", "none", 3, has_common_fill=True).complete(rows())
    active = ~np.isnan(rows())
    np.testing.assert_array_equal(filled[active], rows()[active])
    assert filled[1, 1] == filled[2, 1] != filled[0, 1]
    alone = Features(tree, "index", "none", 3, has_common_fill=True).complete(rows()[2:])
    np.testing.assert_array_equal(alone[0], filled[2])


def test_inactive_choice_is_equidistant_from_all_categories(nested):
    inactive = np.array([[0.75, NAN, 0.3]])
    X = Features(nested, "one-hot", "middle", 0).complete(inactive)
    assert X.tolist() == [[0.0, 1.0, 0.5, 0.5, 0.5, 0.3]]
    X = Features(nested, "one-hot", "default", 0).complete(inactive)
    assert X.tolist() == [[0.0, 1.0, 1.0, 0.0, 0.0, 0.3]]


def test_gradient_is_mapped_to_numbers_and_zero_for_categories(nested):
    gradient = np.arange(12.0).reshape(2, 6)
    back = Features(nested, "one-hot", "middle", 0).compute_vjp(gradient)
    assert back.tolist() == [[0.0, 0.0, 5.0], [0.0, 0.0, 11.0]]
    plain = Features(nested, "index", "middle", 0)
    np.testing.assert_array_equal(plain.compute_vjp(gradient[:, :3]), gradient[:, :3])


def test_rows_of_wrong_width_are_rejected_with_message(tree):
    with pytest.raises(SurrogateError, check=about(dimensions="4", shape="(2, 3)")):
        Features(tree, "index", "middle", 0).complete(np.zeros((2, 3)))
