import numpy as np

from studio.data.column import Column
from studio.data.distinct import DistinctCells


def make_column(cells: list[str], kind: str) -> Column:
    return Column.from_cells(
        "x", kind, "feature", DistinctCells.from_cells(np.array(cells, dtype=object))
    )


def test_numbers_are_bounded_and_missing_is_nan():
    column = make_column(["1", "inf", "NA", "1e99", "x"], "number")
    np.testing.assert_array_equal(column.values, [1.0, np.nan, np.nan, 1e30, np.nan])
    assert column.missing == 3


def test_categories_are_codes_in_order_of_labels():
    column = make_column(["10", "9", "b", "", "09"], "category")
    assert column.categories == ("9", "10", "09", "b")
    assert column.values.dtype == np.int32
    assert column.values.tolist() == [1, 0, 3, -1, 2]
    assert column.missing == 1


def test_column_kind_can_be_changed_and_reverted():
    column = make_column(["2", "", "1", "2.0", "1.5"], "number")
    category = column.convert_to_kind("category")
    assert category.categories == ("1", "1.5", "2")
    assert category.values.tolist() == [2, -1, 0, 2, 1]
    np.testing.assert_array_equal(category.convert_to_kind("number").values, column.values)
    assert column.convert_to_kind("number") is column
    words_as_numbers = make_column(["a", "3", ""], "category").convert_to_kind("number")
    np.testing.assert_array_equal(words_as_numbers.values, [np.nan, 3.0, np.nan])
    assert words_as_numbers.categories == ()
