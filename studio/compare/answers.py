"""Records of a document's study: its grid of cells, and their results."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from studio.compare.tables.table import ResultTable
from studio.figures.shapes import Diagram


@dataclass(frozen=True)
class GridRow:
    """A data set in one space.

    Attributes:
        name: The data set.
        space: The space's name; empty while the data set's task is not known.
        task, target: What is predicted; empty while the table has not been read.
        guessed: Whether the target was guessed.
        rows: Rows with a target, 0 while the table has not been read.
        left_out: Why the data set cannot be used; empty where it can.
        runs: For each method and repetition the run, ``None`` where it does not exist yet.
        refused: Likewise, why there will be none: the method is none for the task, say; empty texts
            where there is or may be one.
    """

    name: str
    space: str
    task: str
    target: str
    rows: int
    left_out: str
    runs: tuple[tuple[int | None, ...], ...]
    guessed: bool = False
    refused: tuple[tuple[str, ...], ...] = ()

    def why_not(self, method: int, repetition: int) -> str:
        """Return why a cell, by its indices, has no run; empty if it may have one."""
        return self.left_out or (self.refused[method][repetition] if self.refused else "")


@dataclass(frozen=True)
class StudyGrid:
    """All rows of a study's grid, in order."""

    rows: tuple[GridRow, ...] = ()


@dataclass(frozen=True)
class StudySoFar:
    """Interim results of a study.

    Attributes:
        finished: Cells that it rests on.
        methods: Those with at least one of them.
        tables: All tables that have something to say, by key.
        diagrams: All diagrams that have something to show, by key.
        report: Everything as one Markdown page; empty without a finished cell.
        verdict: What it comes to, a sentence each, the most important one first.
        passing: Those of its sentences that the next cell to finish may belie.
        thorough: Whether the Poisson-binomial probabilities are among it.
    """

    finished: int = 0
    methods: tuple[str, ...] = ()
    tables: Mapping[str, ResultTable] = field(default_factory=dict)
    diagrams: Mapping[str, Diagram] = field(default_factory=dict)
    report: str = ""
    verdict: tuple[str, ...] = ()
    passing: tuple[str, ...] = ()
    thorough: bool = True
