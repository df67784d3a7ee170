"""Alignment of the axes of plots in docks: left axes in a column, tops in a row."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from studio.gui.base import theme
from studio.gui.pages.live.dock import Dock
from studio.gui.plots.base.plot import Alignment, Plot

MAX_DIFFERENCE = 28
"""Difference of adjacent widths, in pixels at a scale of 1, up to which axes are aligned: names of
rows beside a plot would take too much of one with numbers.
"""


def align_cards(docks: Iterable[Dock], alignments: Mapping[str, Alignment]) -> None:
    """Reserve equal widths of left axes in each column, and rows of legends in each row.

    Args:
        docks: The visible ones.
        alignments: Alignment of each plot by key; missing for plots not drawn yet.
    """
    columns: defaultdict[int, list[tuple[Plot, Alignment]]] = defaultdict(list)
    rows: defaultdict[int, list[tuple[Plot, Alignment]]] = defaultdict(list)
    for dock in docks:
        if dock.plot is not None and dock.key in alignments and not dock.isFloating():
            card = dock.plot, alignments[dock.key]
            columns[dock.x()].append(card)
            rows[dock.y()].append(card)
    for cards in columns.values():
        with_axis = [card for card in cards if card[1].left_width]
        max_difference = theme.pixels(MAX_DIFFERENCE)
        widths = align_similar([each.left_width for _, each in with_axis], max_difference)
        for (plot, _), width in zip(with_axis, widths, strict=True):
            plot.painter.reserve_left_width(width)
    for cards in rows.values():
        # A short plot has no room for an empty row, and one with other lines would not be aligned.
        alike = [card for card in cards if not (card[1].is_short or card[0].extra_height)]
        counts = align_similar([each.rows for _, each in alike], 1)
        rows_by_plot = {plot: n_rows for (plot, _), n_rows in zip(alike, counts, strict=True)}
        for plot, alignment in cards:
            plot.legend.reserve_rows(rows_by_plot.get(plot, alignment.rows))


def align_similar(sizes: Sequence[int], max_difference: int) -> list[int]:
    """Return for each size the largest of its group; groups differ by more than the maximum."""
    largest: dict[int, int] = {}
    group: list[int] = []
    for size in sorted(sizes):
        if group and size - group[-1] > max_difference:
            group = []
        group.append(size)
        largest |= dict.fromkeys(group, size)
    return [largest[size] for size in sizes]
