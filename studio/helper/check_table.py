"""Does another file fit? Asked before anything is trained or written.

Task ``check_table``: one that a run is to predict; ``second_file``: one to test by.
"""

from dataclasses import dataclass
from pathlib import Path

from studio.helper.table_spec import TableSpec


@dataclass(frozen=True)
class Fits:
    """What can be used of a file.

    Attributes:
        rows: How many rows.
        notes: What was kept although it may contain the answer, what is missing, unknown or not as
            it was in training, and how labels are decided.
        unlike: How the rows are unlike those that were learned from, in sentences; empty where they
            are not, or where there are too few to judge.
        compared: Whether there were enough rows to judge.
        differs: Whether somebody should look at that before the rows are predicted.
    """

    rows: int
    notes: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()
    compared: bool = False
    differs: bool = False


def check_table(document: Path, run: int, path: Path) -> Fits:
    """Read a file and compare it with a run's columns.

    Args:
        document: The document.
        run: The run.
        path: The file.
    """
    from studio.analysis.new_rows.compare import new_rows
    from studio.document.store import Document
    from studio.runs.fitting import fit_file, training_options
    from studio.runs.load import follow

    with Document.open(document, writable=False) as opened:
        like = training_options(opened, run)
        prepared, _ = follow(opened, run)
        row = opened.runs.get(run)
    found = fit_file(path, prepared.problem.recipe(), like)
    decided = () if row.decision is None else (row.decision.sentence, row.decision_note)
    notes = (*prepared.overruled, *found.notes, *filter(None, decided))
    unlike = new_rows(prepared, found.encoded)
    other_marks = len(found.notes) > len(found.encoded.notes)
    doubts = (found.encoded.differs, other_marks, prepared.overruled, row.decision_note)
    return Fits(
        found.raw.n_rows,
        notes,
        unlike.sentences,
        not unlike.reason,
        differs=any(doubts) or bool(unlike.sentences),
    )


def second_file(table: TableSpec, test_path: Path) -> Fits:
    """Read both files and encode the second as a run would.

    Args:
        table: The table that is learned from.
        test_path: The second file.

    Raises:
        DataError: If it cannot be read, lacks a needed column, or no row of it can be judged.
    """
    from studio.data.problem import Problem
    from studio.data.second_file import read_like, read_second

    first = table.table()
    problem = Problem.from_table(first, table.task, table.monotone)
    raw = read_like(test_path, first.options, first.known_names)
    second, notes = read_second(raw, problem, first)
    return Fits(len(second.y), (*notes, *second.notes(problem)))
