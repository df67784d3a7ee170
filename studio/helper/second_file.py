"""Task ``second_file``: whether a second file can be the test set of a table."""

from pathlib import Path

from studio.helper.check_table import Fits
from studio.helper.described import Described


def second_file(table: Described, test_path: Path) -> Fits:
    """Read both files and encode the second as a run would.

    Parameters
    ----------
    table : Described
        The table that is learned from.
    test_path : Path
        The second file.

    Raises
    ------
    DataError
        If it cannot be read, lacks a needed column, or no row of it has a known target.
    """
    from studio.data.problem import Problem
    from studio.data.reading import read

    first = table.table()
    problem = Problem.from_table(first, table.task)
    labelled = problem.codec().encode_labelled(read(test_path, first.options))
    return Fits(len(labelled.y), tuple(labelled.notes))
