"""The tabs of a study: the answer, ranks with wins and pairs, the course, and the runs."""

from dataclasses import dataclass
from typing import NamedTuple

from studio.gui.base.language import mark
from studio.gui.pages.compare.sections import DIAGRAM, TABLE

ANSWER, RANKS, TIME, RUNS = "answer", "ranks", "time", "runs"


class Section(NamedTuple):
    """One table or diagram of a tab: its kind and key, and its title while there is nothing."""

    kind: str
    key: str
    title: str


@dataclass(frozen=True)
class Tab:
    """A tab of results.

    Attributes
    ----------
    key, title, tip : str
        The last two in English.
    sections : tuple of Section
        What it shows from top to bottom.
    """

    key: str
    title: str
    tip: str
    sections: tuple[Section, ...] = ()


TABS = (
    Tab(
        ANSWER,
        mark("Answer"),
        mark("The test errors of each method, how much they vary, and what they cost"),
        (
            Section(TABLE, "errors", mark("Errors")),
            Section(DIAGRAM, "box-plots", mark("Spread")),
            Section(TABLE, "algorithms", mark("Algorithms")),
            Section(TABLE, "cost", mark("Cost")),
            Section(TABLE, "searches", mark("Searches")),
        ),
    ),
    Tab(
        RANKS,
        mark("Ranks"),
        mark("Who is ahead, and whether that may be chance"),
        (
            Section(TABLE, "ranks", mark("Ranks")),
            Section(DIAGRAM, "critical-difference", mark("Critical difference")),
            Section(TABLE, "wins", mark("Wins")),
            Section(TABLE, "pairs", mark("Pairs")),
            Section(TABLE, "differences", mark("Differences")),
        ),
    ),
    Tab(
        TIME,
        mark("Over time"),
        mark("Who would be ahead had the search ended earlier"),
        (
            Section(DIAGRAM, "rank-over-iterations", mark("Ranks")),
            Section(DIAGRAM, "probability-over-iterations", mark("Pairs")),
            Section(TABLE, "rank-over-iterations", mark("Ranks")),
        ),
    ),
    Tab(
        RUNS,
        mark("Runs"),
        mark("Every data set by every method: which runs are done, and what was left out"),
    ),
)
"""The tabs in their order."""
