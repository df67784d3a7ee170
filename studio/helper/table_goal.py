"""Task ``table_goal``: what would be predicted on a table, by its first rows."""

from dataclasses import dataclass

from studio.data.tasks import Task, guess_target
from studio.helper.preview import task_of
from studio.helper.table_spec import QUICK_ROWS, TableSpec


@dataclass(frozen=True)
class TableGoal:
    """What is predicted.

    Attributes:
        target: The column, guessed where none was chosen.
        task: Whether as classes or as numbers.
    """

    target: str
    task: Task


def table_goal(table: TableSpec) -> TableGoal:
    """Read the first rows of a table; what the helper keeps of another one stays.

    Raises:
        DataError: If the file cannot be read.
    """
    from studio.data.findings import described_by_choice
    from studio.data.read_options import ReadOptions
    from studio.data.reading import read

    raw = read(table.path, ReadOptions.from_json(dict(table.options)), max_rows=QUICK_ROWS)
    target = table.target if table.target in raw.names else guess_target(raw.names).name
    seen = described_by_choice(raw, table.kinds, table.roles, target, table.treatments)
    column = next(each for each in seen if each.role == "target")
    return TableGoal(column.name, task_of(raw, column, table.task).task)
