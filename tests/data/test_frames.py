"""Data frames as tables."""

import numpy as np
import pandas as pd
import pytest

from studio.data import frames
from studio.data.columns import describe_all_columns
from studio.data.frames import make_table_from_frame


def test_frame_numbers_are_formatted_lazily(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = np.random.default_rng(0).normal(size=1000)
    numbers[:10] = np.nan
    formatted_values: list[float] = []
    spelled = frames.format_cell
    monkeypatch.setattr(
        frames, "format_cell", lambda value: formatted_values.append(value) or spelled(value)
    )
    table = make_table_from_frame(pd.DataFrame({"x": numbers, "y": ["a", "b"] * 500}))
    column = describe_all_columns(table, "y")[0]
    assert (column.missing, column.distinct, column.missing_words) == (10, 990, ())
    assert sum(each == each for each in formatted_values) < 30  # not NaN
