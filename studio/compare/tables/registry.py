"""A study's tables, in report order. A new one needs one function and one line."""

from collections.abc import Sequence

from studio.compare.comparison import Comparison
from studio.compare.outcomes import CellOutcome
from studio.compare.tables.errors import make_errors_table
from studio.compare.tables.pairs import make_differences_table, make_pairs_table, make_wins_table
from studio.compare.tables.ranks import (
    make_algorithms_table,
    make_costs_table,
    make_curve_table,
    make_measures_table,
    make_ranks_table,
)
from studio.compare.tables.table import ResultTable


def make_tables(comparison: Comparison, outcomes: Sequence[CellOutcome]) -> list[ResultTable]:
    """Return every non-empty table."""
    all_tables = (
        make_errors_table(comparison, outcomes),
        make_ranks_table(comparison),
        make_wins_table(comparison),
        make_pairs_table(comparison),
        make_differences_table(comparison),
        make_curve_table(comparison),
        make_algorithms_table(comparison, outcomes),
        make_costs_table(comparison, outcomes),
        make_measures_table(comparison, outcomes),
    )
    return [table for table in all_tables if table is not None]
