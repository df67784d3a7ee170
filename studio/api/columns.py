"""From what a caller hands over as X to numbers and categories, the same in fit and predict."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from studio.arrays import Floats
from studio.data.column import Column, Role


@dataclass(frozen=True)
class FrameReader:
    """Reads pandas data frames with the categories that the first one had.

    Columns of numbers and truth values stay numbers; every other column is one of categories,
    distinguished by their text. Missing cells, and categories that the first frame did not have,
    are NaN.

    Attributes
    ----------
    names : tuple
        The columns, as the frame calls them.
    categories : tuple
        For each column ``None`` for numbers, or its categories in the order of their codes.
    """

    names: tuple[Any, ...]
    categories: tuple[tuple[str, ...] | None, ...]

    @classmethod
    def of(cls, frame: Any) -> "FrameReader":
        """Learn which columns hold categories, and which."""
        from pandas.api.types import is_bool_dtype, is_numeric_dtype

        found: list[tuple[str, ...] | None] = []
        for position in range(frame.shape[1]):
            column = frame.iloc[:, position]
            if is_numeric_dtype(column.dtype) or is_bool_dtype(column.dtype):
                found.append(None)
            else:
                found.append(tuple(sorted(column.dropna().astype(str).unique().tolist())))
        return cls(tuple(frame.columns), tuple(found))

    def numbers(self, frame: Any) -> Any:
        """Return the frame with numbers in every column: float64, NaN where missing."""
        import pandas as pd

        read = {}
        for position, labels in enumerate(self.categories):
            column = frame.iloc[:, position]
            if labels is None:
                read[position] = pd.to_numeric(column, errors="coerce").astype(np.float64)
            else:
                place = {label: float(code) for code, label in enumerate(labels)}
                words = column.astype(str).where(column.notna(), None)
                read[position] = words.map(place).astype(np.float64)
        numbers = pd.DataFrame(read, index=frame.index)
        numbers.columns = frame.columns
        return numbers


def is_frame(X: Any) -> bool:
    """Return whether X is a pandas data frame, without loading pandas for those that are not."""
    return type(X).__module__.split(".")[0] == "pandas" and hasattr(X, "columns")


def feature_column(name: str, values: Floats, categories: tuple[str, ...] | None) -> Column:
    """Return a feature of values (n,): numbers, or codes of categories with NaN where missing."""
    if categories is None:
        return Column(name, "number", "feature", np.where(np.isfinite(values), values, np.nan))
    codes = np.where(np.isnan(values), -1, values).astype(np.int32)
    return Column(name, "category", "feature", codes, categories)


def role_column(name: str, role: Role, cells: Any) -> Column:
    """Return a column with a role of its own (weight, group, time) from a frame's column."""
    from pandas.api.types import is_numeric_dtype

    if is_numeric_dtype(cells.dtype):
        return Column(name, "number", role, np.asarray(cells, dtype=np.float64))
    words = cells.astype(str).where(cells.notna(), None)
    labels = tuple(sorted(words.dropna().unique().tolist()))
    place = {label: code for code, label in enumerate(labels)}
    codes = words.map(place).fillna(-1).to_numpy(dtype=np.int32)
    return Column(name, "category", role, codes, labels)
