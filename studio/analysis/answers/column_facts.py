"""Record of ``column_facts``: statistics of one column, and its relation to the target."""

from dataclasses import dataclass

from studio.arrays import Floats, Integers
from studio.data.column import ColumnKind
from studio.data.dates import DatePart


@dataclass(frozen=True)
class Against:
    """Rows and target statistics in k groups of the column's values.

    Attributes:
        labels: The groups' values, of a category; empty for numbers and dates.
        edges: Shape (k + 1,), float64. Where groups of numbers begin and end (of dates, days since
            1970); empty for a category.
        rows: Shape (k,), int64. How many rows each has.
        classes: The C most frequent classes of the target, the first first; empty where it has
            none.
        counts: Shape (k, C), int64. Rows by class.
        unknown: Shape (k,), int64. Rows without a class, where the target has classes; else 0.
        middle, low, high: Shape (k,), float64. Mean and quartiles of a target of numbers; empty
            where it has classes.
        centres: Shape (k,), float64. Means of the column's own numbers, where the target has
            numbers too; NaN in an empty group.
    """

    labels: tuple[str, ...]
    edges: Floats
    rows: Integers
    classes: tuple[str, ...]
    counts: Integers
    unknown: Integers
    middle: Floats
    low: Floats
    high: Floats
    centres: Floats


@dataclass(frozen=True)
class ColumnFacts:
    """Statistics of a column.

    Attributes:
        name: The column.
        kind: What it holds.
        filled, missing, distinct: Rows with and without a value, different values.
        quantiles: Minimum, lower quartile, median, upper quartile, maximum (of dates, days since
            1970); empty for a category and where nothing is filled.
        mean: Of numbers and dates; NaN without.
        frequent: The most frequent values, and their rows.
        against: Its groups, with the target.
        written: How its dates are written; ``None`` of other columns.
    """

    name: str
    kind: ColumnKind
    filled: int
    missing: int
    distinct: int
    quantiles: tuple[float, ...]
    mean: float
    frequent: tuple[tuple[str, int], ...]
    against: Against
    written: DatePart | None = None
