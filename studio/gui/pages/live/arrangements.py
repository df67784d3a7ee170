"""Named arrangements of the plots, and how many fit side by side; without Qt."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, TypeVar

from studio.gui.base.language import mark
from studio.gui.plots.questions import ENSEMBLE, GOOD, QUESTIONS, SEARCH, WORK

ROWS = 2
"""Plots above one another at most."""

_LOW = 430
"""Height below which plots are not stacked: they would show more text than data."""

_OVERVIEW = ("progress", "slice", "membership", "diversity")
_WIDTHS = ((760, 1), (1650, 2), (2600, 3))
_MOST_COLUMNS = 4


class Described(Protocol):
    """What is read of a class of plots."""

    key: ClassVar[str]
    question: ClassVar[str]


Kind = TypeVar("Kind", bound=Described)


@dataclass(frozen=True)
class Arrangement:
    """Plots to be shown together.

    Attributes
    ----------
    key, title, summary : str
        Its name in settings, its name on the screen, and what it is good for.
    plots : tuple of str
        Keys of plots, the most important first.
    tabs : bool
        Whether plots for which there is no cell go behind others as tabs; else they are left out.
    """

    key: str
    title: str
    summary: str
    plots: tuple[str, ...]
    tabs: bool


def grouped(plots: Sequence[type[Kind]]) -> list[tuple[str, list[type[Kind]]]]:
    """Return each question with its plots, in the order of the questions and of the registry."""
    return [
        (question, found)
        for question in QUESTIONS
        if (found := [plot for plot in plots if plot.question == question])
    ]


def arrangements(plots: Sequence[type[Described]]) -> tuple[Arrangement, ...]:
    """Return the arrangements that the page offers, Overview first."""
    keys = {question: tuple(p.key for p in found) for question, found in grouped(plots)}
    there = [plot.key for plot in plots]
    first = [key for key in _OVERVIEW if key in there]
    # On a large screen the overview adds the next plot of each question in turn.
    depth = max((len(found) for found in keys.values()), default=0)
    turns = [found[i] for i in range(depth) for found in keys.values() if i < len(found)]
    overview = (*first, *(key for key in turns if key not in first))
    named = [
        Arrangement(
            "overview",
            mark("Overview"),
            mark("Progress, the surrogate, the ensemble's members and their diversity"),
            overview,
            tabs=False,
        )
    ]
    for question, title in (
        (SEARCH, mark("Search")),
        (ENSEMBLE, mark("Ensemble")),
        (GOOD, mark("Errors")),
        (WORK, mark("Work")),
    ):
        if question in keys:
            named.append(Arrangement(question, title, QUESTIONS[question], keys[question], True))
    return tuple(named)


def columns_for(width: float, count: int, rows: int = ROWS) -> int:
    """Return how many columns ``count`` plots take on a page ``width`` pixels wide."""
    fitting = next((number for below, number in _WIDTHS if width < below), _MOST_COLUMNS)
    return max(1, min(fitting, -(-count // rows)))


def cells(
    arrangement: Arrangement, width: float, height: float = float("inf")
) -> list[list[list[str]]]:
    """Place an arrangement's plots on a page: columns of rows of tabs, the first tab in front.

    Parameters
    ----------
    arrangement : Arrangement
        What is placed.
    width, height : float
        The page's size in pixels, where type is not larger than usual: with larger type (when
        presenting), the size divided by its scale.
    """
    rows = ROWS if height >= _LOW else 1
    room = columns_for(width, len(arrangement.plots), rows)
    places = room * rows
    columns: list[list[list[str]]] = [[] for _ in range(room)]
    for number, key in enumerate(arrangement.plots):
        if number < places:
            columns[number % room].append([key])
        elif arrangement.tabs:
            place = number % places
            columns[place % room][place // room].append(key)
    return columns
