import numpy as np

from studio.data.distinct import DistinctCells


def test_each_distinct_text_is_parsed_once():
    cells = DistinctCells.from_cells(np.array(["1", " x ", "1", "?", ""], dtype=object))
    assert cells.texts == ("1", " x ", "?", "")
    assert cells.codes.tolist() == [0, 1, 0, 2, 3]
    assert cells.counts.tolist() == [2, 1, 1, 1]
    assert cells.missing.tolist() == [False, False, True, True]
    assert cells.labels == ["1", "x", None, None]
    np.testing.assert_array_equal(cells.numbers, [1.0, np.nan, np.nan, np.nan])
