"""Task ``column_facts``: look at one column of a table closely."""

from studio.analysis.answers.column_facts import ColumnFacts
from studio.data.column import ColumnKind
from studio.helper.table_spec import TableSpec


def column_facts(
    table: TableSpec, name: str, kind: ColumnKind, target: str | None, *, classes: bool
) -> ColumnFacts:
    """Return what is in a column, and how the target goes with it.

    Args:
        table: The table.
        name, kind: The column, and what it holds.
        target: The column to predict.
        classes: Whether that has classes.
    """
    from studio.analysis.column_facts import column_facts as looked_at

    raw = table.raw()
    goal = None if target in {None, name} else raw.distinct(raw.position(str(target)))
    return looked_at(
        name,
        raw.distinct(raw.position(name)),
        kind,
        table.limits(name) if kind == "number" else None,
        goal,
        classes=classes,
    )
