"""Named arrangements of the plots, and how many fit side by side; without Qt."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, TypeVar

from studio.gui.base.language import mark
from studio.gui.plots.base.questions import ENSEMBLE, GOOD, QUESTIONS, SEARCH, WORK

ROWS = 2
"""Plots above one another at most."""

_LOW = 520
"""Height below which plots are not stacked: they would show more text than data."""

_OVERVIEW = ("progress", "slice", "membership", "diversity")
_WIDTHS = ((760, 1), (1650, 2), (2600, 3))
_MOST_COLUMNS = 4


class DescribedPlot(Protocol):
    """What is read of a class of plots."""

    key: ClassVar[str]
    question: ClassVar[str]


Kind = TypeVar("Kind", bound=DescribedPlot)


@dataclass(frozen=True)
class Arrangement:
    """Plots to be shown together.

    Attributes
    ----------
    key, title, summary : str
        Its name in settings, its name on the screen, and what it is good for.
    plots : tuple of str
        Keys of plots, the most important first.
    least : int
        How many of them are there on every page: those without a cell go behind others as tabs. The
        rest is left out where there is no cell.
    """

    key: str
    title: str
    summary: str
    plots: tuple[str, ...]
    least: int


def grouped(plots: Sequence[type[Kind]]) -> list[tuple[str, list[type[Kind]]]]:
    """Return each question with its plots, in the order of the questions and of the registry."""
    return [
        (question, found)
        for question in QUESTIONS
        if (found := [plot for plot in plots if plot.question == question])
    ]


def arrangements(plots: Sequence[type[DescribedPlot]]) -> tuple[Arrangement, ...]:
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
            least=len(first),
        )
    ]
    for question, title in (
        (SEARCH, mark("Search")),
        (ENSEMBLE, mark("Ensemble")),
        (GOOD, mark("Errors")),
        (WORK, mark("Work")),
    ):
        if question in keys:
            plots_of = keys[question]
            named.append(
                Arrangement(question, title, QUESTIONS[question], plots_of, least=len(plots_of))
            )
    return tuple(named)


def shape_for(width: float, height: float) -> tuple[int, int]:
    """Return how many columns and rows of plots a page has room for; its size is in pixels."""
    columns = next((number for below, number in _WIDTHS if width < below), _MOST_COLUMNS)
    return columns, ROWS if height >= _LOW else 1


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
    most, rows = shape_for(width, height)
    room = max(1, min(most, -(-len(arrangement.plots) // rows)))
    places = room * rows
    columns: list[list[list[str]]] = [[] for _ in range(room)]
    for number, key in enumerate(arrangement.plots):
        if number < places:
            columns[number % room].append([key])
        elif number < arrangement.least:
            place = number % places
            columns[place % room][place // room].append(key)
    return columns
