"""The tabs of a study: the grid, one for each kind of result, and what was left out."""

from dataclasses import dataclass

from studio.gui.base.language import mark
from studio.gui.pages.compare.sections import DIAGRAM, TABLE

RUNS, FAILURES = "runs", "failures"


@dataclass(frozen=True)
class Tab:
    """A tab of results.

    Attributes
    ----------
    key, title, tip : str
        The last two in English.
    sections : tuple of (str, str)
        Kind and key of what it shows.
    """

    key: str
    title: str
    tip: str
    sections: tuple[tuple[str, str], ...] = ()


TABS = (
    Tab(RUNS, mark("Runs"), mark("Every data set by every method: which runs are done")),
    Tab("errors", mark("Errors"), mark("The mean test error of each method"), ((TABLE, "errors"),)),
    Tab("ranks", mark("Ranks"), mark("Who is usually ahead"), ((TABLE, "ranks"),)),
    Tab("wins", mark("Wins"), mark("How often each method beats each other"), ((TABLE, "wins"),)),
    Tab(
        "pairs",
        mark("Pairs"),
        mark("Tests and effect sizes for each pair of methods"),
        ((TABLE, "pairs"), (TABLE, "differences")),
    ),
    Tab(
        "time",
        mark("Over time"),
        mark("Who would be ahead had the search ended earlier"),
        (
            (DIAGRAM, "rank-over-iterations"),
            (DIAGRAM, "probability-over-iterations"),
            (TABLE, "rank-over-iterations"),
        ),
    ),
    Tab(
        "critical",
        mark("Critical difference"),
        mark("Which methods these data sets can tell apart"),
        ((DIAGRAM, "critical-difference"),),
    ),
    Tab(
        "algorithms",
        mark("Algorithms"),
        mark("Which kinds of models were tried and selected"),
        ((TABLE, "algorithms"),),
    ),
    Tab("spread", mark("Spread"), mark("How much the errors vary"), ((DIAGRAM, "box-plots"),)),
    Tab(
        "cost",
        mark("Cost"),
        mark("What each method cost"),
        ((TABLE, "cost"), (TABLE, "searches")),
    ),
    Tab(FAILURES, mark("Left out"), mark("What could not be computed, and why")),
)
"""The tabs in their order; a new one is an entry here."""
