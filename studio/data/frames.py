"""Tables from pandas data frames: typed columns are kept, others are parsed as text."""

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np

from studio.arrays import AnyArray, Flags, Floats
from studio.data.column_format import ColumnFormat, infer_formats
from studio.data.date_guess import DateGuess
from studio.data.dates import DateFormat
from studio.data.distinct import DistinctCells
from studio.data.duplicates import LazySequence
from studio.data.formats.base import format_cell
from studio.data.numbers import MAX_EXACT_INTEGER, NumberFormat
from studio.data.read_options import ReadOptions
from studio.data.reading import RawTable

_NO_MISSING_WORDS: frozenset[str] = frozenset(("",))
_SCALARS = (str, bytes, bool, int, float, Decimal, np.generic, datetime.date, datetime.time,
            datetime.timedelta)  # fmt: skip


@dataclass(frozen=True)
class NumberCells(DistinctCells):
    """Numeric cells: values of shape (k,), float64, NaN where missing."""

    values: Floats = None  # type: ignore[assignment]

    @classmethod
    def from_numbers(cls, values: Floats) -> "NumberCells":
        """Convert a numeric column's cells, shape (n_rows,)."""
        codes = np.arange(len(values), dtype=np.int64)
        texts = LazySequence(len(values), lambda index: format_cell(float(values[index])))
        return cls(codes, texts, values=values)

    @property
    def plain_numbers(self) -> Floats:
        """The numbers themselves, shape (k,)."""
        return self.values

    @cached_property
    def numbers(self) -> Floats:
        return self.values

    def match_words(self, words: frozenset[str]) -> Flags:
        """Return which numbers are missing, shape (k,), if "" is one of the words."""
        return np.isnan(self.values) & ("" in words)

    @cached_property
    def missing(self) -> Flags:
        return np.isnan(self.values)


@dataclass(frozen=True)
class BooleanCells(DistinctCells):
    """Boolean cells: words, or 1 and 0 if the column was numeric in training."""

    @cached_property
    def numbers(self) -> Floats:
        """1 for true and 0 for false, shape (k,); NaN where missing."""
        value_of = {"True": 1.0, "False": 0.0}
        return np.array([value_of.get(text, np.nan) for text in self.texts], dtype=np.float64)


@dataclass(frozen=True)
class FrameTable(RawTable):
    """A data frame as a table: cells, and formats where types determine them."""

    distinct_cells: tuple[DistinctCells, ...] = ()
    typed_formats: tuple[ColumnFormat | None, ...] = ()
    rows: int = 0

    @property
    def n_rows(self) -> int:
        return self.rows

    def get_cells(self, position: int) -> DistinctCells:
        return self.distinct_cells[position]

    @cached_property
    def formats(self) -> tuple[ColumnFormat, ...]:
        """The format of each column: by its type, else inferred from its cells."""
        untyped = [i for i, each in enumerate(self.typed_formats) if each is None]
        guessed = iter(
            infer_formats([self.names[i] for i in untyped], lambda i: self.get_cells(untyped[i]))
        )
        return tuple(each or next(guessed) for each in self.typed_formats)


def make_table_from_frame(frame: Any, names: Sequence[str] | None = None) -> FrameTable:
    """Convert a data frame to a table.

    Numbers are kept exactly, and dates as timestamps; booleans, categories, strings and objects are
    parsed as text, like the cells of a file.

    Args:
        names: New names of its columns; ``None`` keeps them.

    Raises:
        TypeError: If a cell is a collection.
        ValueError: If a column holds complex numbers or infinities.
    """
    columns = [_convert_column(frame.iloc[:, i]) for i in range(frame.shape[1])]
    return _make_table(frame.columns if names is None else names, columns, len(frame))


def make_table_from_matrix(matrix: Floats, names: Sequence[str]) -> FrameTable:
    """Convert a matrix of numbers, shape (n, d), to a table with these names."""
    number = ColumnFormat("number", "numbers")
    cells = [NumberCells.from_numbers(matrix[:, i]) for i in range(len(names))]
    return _make_table(names, [(each, number) for each in cells], len(matrix))


def _make_table(
    names: Iterable[object],
    columns: Sequence[tuple[DistinctCells, ColumnFormat | None]],
    n_rows: int,
) -> FrameTable:
    return FrameTable(
        names=tuple(map(str, names)),
        coded=(),
        options=ReadOptions(),
        evidence={},
        notes=(),
        source="X",
        sha256="",
        aliases=((),) * len(columns),
        distinct_cells=tuple(cells for cells, _ in columns),
        typed_formats=tuple(column_format for _, column_format in columns),
        rows=n_rows,
    )


def _convert_column(series: Any) -> tuple[DistinctCells, ColumnFormat | None]:
    """Return a column's cells, and its format if the type determines it."""
    import pandas as pd
    from pandas.api import types

    kind = series.dtype
    if types.is_complex_dtype(kind):
        raise ValueError(f"Complex data not supported\n{series.name!r} holds complex numbers.")
    if types.infer_dtype(series, skipna=True) == "boolean":
        words = _to_texts(series)
        truth = ColumnFormat("category", "truth", missing_words=_NO_MISSING_WORDS)
        return BooleanCells(words.codes, words.texts), truth
    if isinstance(kind, pd.CategoricalDtype):
        return _to_texts(series), ColumnFormat("category", "words", missing_words=_NO_MISSING_WORDS)
    if types.is_datetime64_any_dtype(kind):
        dates = DateGuess(DateFormat("year-first"))
        return _to_texts(series), ColumnFormat("date", "dates", date=dates)
    if types.is_timedelta64_dtype(kind):
        days = np.asarray(series / pd.Timedelta(days=1), dtype=np.float64)
        column_format = ColumnFormat("number", "durations", NumberFormat(duration=True))
        return NumberCells.from_numbers(days), column_format
    if types.is_numeric_dtype(kind):
        numbers = np.asarray(series.astype("float64"), dtype=np.float64)
        if np.isinf(numbers).any():
            raise _make_infinite_error(series)
        needs_text = (
            types.is_integer_dtype(kind)
            and np.nanmax(np.abs(numbers), initial=0) >= MAX_EXACT_INTEGER  # 2⁵³ + 1 is rounded
        )
        if not needs_text:
            return NumberCells.from_numbers(numbers), ColumnFormat("number", "numbers")
    return _to_texts(series), None


def _to_texts(series: Any) -> DistinctCells:
    """Format cells of any type as text; missing ones as ""."""
    import pandas as pd

    if series.dtype == object:
        kinds = set(map(type, series[series.notna()]))
        unsupported = next((kind for kind in kinds if not issubclass(kind, _SCALARS)), None)
        if unsupported is not None:
            raise _make_scalar_error(unsupported.__name__, series)
    try:
        codes, uniques = pd.factorize(series, use_na_sentinel=True)
    except NotImplementedError as error:  # nested types of Arrow
        raise _make_scalar_error(str(series.dtype), series) from error
    if any(isinstance(each, float | np.floating) and np.isinf(each) for each in uniques):
        raise _make_infinite_error(series)
    texts = [format_cell(each) for each in uniques]
    if (codes < 0).any():
        codes = np.where(codes < 0, len(texts), codes)
        texts.append("")
    distinct_texts: dict[str, int] = {}
    text_codes: AnyArray = np.array(
        [distinct_texts.setdefault(text, len(distinct_texts)) for text in texts], dtype=np.int64
    )
    return DistinctCells(
        text_codes[codes] if len(text_codes) else codes.astype(np.int64), tuple(distinct_texts)
    )


def _make_scalar_error(kind: str, series: Any) -> TypeError:
    return TypeError(
        f"argument must be a string or a number, not {kind!r}: {series.name!r} holds it. Convert "
        "the column, as by astype(str), or leave it out."
    )


def _make_infinite_error(series: Any) -> ValueError:
    return ValueError(
        f"Input X contains infinity: {series.name!r} does. Replace it by a number, or by NaN where "
        "it is missing."
    )
