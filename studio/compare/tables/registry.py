"""Registry of a study's tables, in report order. A new one is one function and one line."""

from collections.abc import Callable, Sequence

from studio.compare.comparison import Comparison
from studio.compare.outcomes import CellOutcome
from studio.compare.tables.errors import errors
from studio.compare.tables.pairs import differences, pairs, wins
from studio.compare.tables.ranks import algorithms, costs, curve, measures, ranks
from studio.compare.tables.table import ResultTable

TableMaker = Callable[[Comparison, Sequence[CellOutcome]], ResultTable | None]

REGISTRY: tuple[TableMaker, ...] = (
    errors,
    ranks,
    wins,
    pairs,
    differences,
    curve,
    algorithms,
    costs,
    measures,
)
"""Each returns a table, or ``None`` without data."""


def tables(comparison: Comparison, outcomes: Sequence[CellOutcome]) -> list[ResultTable]:
    """Return every non-empty table."""
    all_tables = (maker(comparison, outcomes) for maker in REGISTRY)
    return [table for table in all_tables if table is not None]
