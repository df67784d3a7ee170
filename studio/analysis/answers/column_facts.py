"""Record of ``compute_column_facts``: statistics of one column, and its relation to the target."""

from dataclasses import dataclass

from studio.arrays import Floats, Integers
from studio.data.column import ColumnKind
from studio.data.dates import DatePart


@dataclass(frozen=True)
class TargetStatistics:
    """Rows and target statistics in k groups of the column's values.

    Attributes:
        labels: The categories; empty for numbers and dates.
        edges: Shape (k + 1,), float64. Boundaries of groups of numbers (for dates, days since
            1970); empty for a category.
        rows: Shape (k,), int64.
        classes: The C most frequent classes of the target, in this order; empty for numbers.
        counts: Shape (k, C), int64. Rows by class.
        n_unknown: Shape (k,), int64. Rows without a class; 0 for a numeric target.
        middle, low, high: Shape (k,), float64. Mean and quartiles of a numeric target; empty for
            classes.
        group_means: Shape (k,), float64. Means of the column's numbers, for a numeric target; NaN
            for an empty group.
    """

    labels: tuple[str, ...]
    edges: Floats
    rows: Integers
    classes: tuple[str, ...]
    counts: Integers
    n_unknown: Integers
    middle: Floats
    low: Floats
    high: Floats
    group_means: Floats


@dataclass(frozen=True)
class ColumnFacts:
    """Statistics of a column.

    Attributes:
        n_filled, n_missing, distinct: Rows with and without a value, and number of distinct values.
        quantiles: Minimum, lower quartile, median, upper quartile, maximum (of dates, days since
            1970); empty for a category and without values.
        mean: Mean of numbers or dates; NaN if there are none.
        frequent: The most frequent values, with their numbers of rows.
        date_format: The format of its dates; ``None`` for other columns.
    """

    name: str
    kind: ColumnKind
    n_filled: int
    n_missing: int
    distinct: int
    quantiles: tuple[float, ...]
    mean: float
    frequent: tuple[tuple[str, int], ...]
    target_statistics: TargetStatistics
    date_format: DatePart | None = None
