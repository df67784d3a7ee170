"""How many plots fit side by side, and where each is; without Qt."""

from collections.abc import Sequence
from typing import ClassVar, Protocol, TypeVar

from studio.gui.plots.base.plot import QUESTIONS

FIRST = ("progress", "slice", "membership", "diversity")
"""The plots that experts see at first."""

PLOT = (260, 200)
"""Width and height in pixels that the drawing of a plot has at least, where it has a cell."""

_AROUND = (46, 90)
"""Pixels of a cell beside the drawing: margins, head and legend."""

_MOST = (4, 3)


class DescribedPlot(Protocol):
    """What is read of a class of plots."""

    key: ClassVar[str]
    question: ClassVar[str]


Kind = TypeVar("Kind", bound=DescribedPlot)


def grouped(plots: Sequence[type[Kind]]) -> list[tuple[str, list[type[Kind]]]]:
    """Return each question with its plots, in the order of the questions and of the registry."""
    return [
        (question, found)
        for question in QUESTIONS
        if (found := [plot for plot in plots if plot.question == question])
    ]


def shape_for(count: int, width: float, height: float, own: float = 0) -> tuple[int, int]:
    """Return how many columns and rows a page has for this many plots; its size is in pixels.

    Args:
        count: The plots.
        width, height: The page's size.
        own: Height of lines that one of the plots has beside the usual ones.
    """
    cell = (PLOT[0] + _AROUND[0], PLOT[1] + _AROUND[1] + own)
    columns, rows = (
        max(1, min(most, int(size // least)))
        for most, size, least in zip(_MOST, (width, height), cell, strict=True)
    )
    rows = min(rows, max(2, -(-count // columns)))
    return max(1, min(columns, -(-count // rows))), rows


def cells(
    keys: Sequence[str], width: float, height: float = float("inf"), own: float = 0
) -> list[list[list[str]]]:
    """Place plots on a page: columns of rows of tabs, the first tab in front.

    Args:
        keys: The plots, the most important first.
        width, height: The page's size in pixels, where type is not larger than usual: with larger
            type (when presenting), the size divided by its scale.
        own: As :func:`shape_for` has it.
    """
    room, rows = shape_for(len(keys), width, min(height, 1e6), own)
    places = room * rows
    columns: list[list[list[str]]] = [[] for _ in range(room)]
    for number, key in enumerate(keys):
        if number < places:
            columns[number % room].append([key])
        else:
            place = number % places
            columns[place % room][place // room].append(key)
    return columns
