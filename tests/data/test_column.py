import numpy as np

from studio.data.column import Column
from studio.data.distinct import Distinct


def of(cells: list[str], kind: str) -> Column:
    return Column.from_cells("x", kind, "feature", Distinct.of(np.array(cells, dtype=object)))


def test_numbers_are_bounded_and_missing_is_nan():
    column = of(["1", "inf", "NA", "1e99", "x"], "number")
    np.testing.assert_array_equal(column.values, [1.0, np.nan, np.nan, 1e30, np.nan])
    assert column.missing == 3


def test_categories_are_codes_in_the_order_of_labels():
    column = of(["10", "9", "b", "", "09"], "category")
    assert column.categories == ("9", "10", "09", "b")
    assert column.values.dtype == np.int32
    assert column.values.tolist() == [1, 0, 3, -1, 2]
    assert column.missing == 1


def test_kinds_change_both_ways():
    column = of(["2", "", "1", "2.0", "1.5"], "number")
    category = column.as_kind("category")
    assert category.categories == ("1", "1.5", "2")
    assert category.values.tolist() == [2, -1, 0, 2, 1]
    np.testing.assert_array_equal(category.as_kind("number").values, column.values)
    assert column.as_kind("number") is column
    words = of(["a", "3", ""], "category").as_kind("number")
    np.testing.assert_array_equal(words.values, [np.nan, 3.0, np.nan])
    assert words.categories == ()
