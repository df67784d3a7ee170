"""Alignment of the left axes of plots above one another."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from studio.gui.base import theme
from studio.gui.pages.live.dock import Dock

MAX_DIFFERENCE = 28
"""Difference of adjacent widths, in pixels at a scale of 1, up to which axes are aligned: names of
rows beside a plot would take too much of one with numbers.
"""


def align_left_axes(docks: Iterable[Dock], widths: Mapping[str, int]) -> None:
    """Reserve equal widths of left axes in each column of docks.

    Args:
        docks: The visible ones.
        widths: In pixels, needed by the left axis of the plot of a key; 0 for none.
    """
    columns: defaultdict[int, list[Dock]] = defaultdict(list)
    for dock in docks:
        if dock.plot is not None and not dock.isFloating() and widths.get(dock.key):
            columns[dock.x()].append(dock)
    for column in columns.values():
        aligned = group_widths([widths[dock.key] for dock in column])
        for dock, width in zip(column, aligned, strict=True):
            if dock.plot is not None:
                dock.plot.reserve_left_width(width)


def group_widths(widths: Sequence[int]) -> list[int]:
    """Return for each width the largest of its group; groups differ by more than the maximum."""
    largest: dict[int, int] = {}
    group: list[int] = []
    for width in sorted(widths):
        if group and width - group[-1] > theme.pixels(MAX_DIFFERENCE):
            group = []
        group.append(width)
        largest |= dict.fromkeys(group, width)
    return [largest[width] for width in widths]
