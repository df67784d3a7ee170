"""Which lines of the parallel coordinates share a colour, and which."""

import numpy as np
from PySide6.QtGui import QColor

from studio.arrays import Integers
from studio.gui.base import theme
from studio.gui.base.inks import colour
from studio.gui.base.language import tr
from studio.gui.plots.base.colours import branch_inks
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.painting.legend import LegendEntry
from studio.gui.plots.painting.scale import scale_colour
from studio.gui.plots.search.parallel_model import ERROR_GROUPS, ParallelPicture, error_groups


def line_groups(
    picture: ParallelPicture, series: RunSeries, by: str
) -> tuple[Integers, list[QColor], list[LegendEntry]]:
    """Return the group of each line, shape (t,), the groups' colours and the legend.

    Parameters
    ----------
    picture : ParallelPicture
        The lines.
    series : RunSeries
        The run.
    by : str
        "error" or "branch": what the colours mean.
    """
    look = theme.current()
    bad = QColor(look.bad)
    # Where there is no choice of an algorithm, nothing but the error is left to be shown.
    if by == "error" or series.branch_parameter is None:
        groups = error_groups(picture.losses)
        shares = np.linspace(0.0, 0.82 if look.is_dark else 0.92, ERROR_GROUPS)
        # The best has the most contrast with the ground: dark on light, light on dark.
        scale = [scale_colour(1.0 - share if look.is_dark else share) for share in shares]
        entries = [
            LegendEntry(tr("lowest error"), "line", scale[0]),
            LegendEntry(tr("middle"), "line", scale[ERROR_GROUPS // 2]),
            LegendEntry(tr("highest error"), "line", scale[-1]),
        ]
        colours = scale
    else:
        found = [series.branch(int(number)) for number in picture.numbers]
        inks = branch_inks([*series.branches, *found])
        table = {name: colour(ink) for name, ink in inks.items() if name in set(found)}
        place = {name: row for row, name in enumerate(table)}
        groups = np.array([place[each] for each in found], dtype=np.int64)
        groups[~np.isfinite(picture.losses)] = -1
        colours = list(table.values())
        entries = [LegendEntry(name or tr("trials"), "line", each) for name, each in table.items()]
    failed = groups < 0
    if failed.any():
        groups = np.where(failed, len(colours), groups)
        colours = [*colours, bad]
        entries.append(LegendEntry(tr("no result"), "line", bad))
    if not picture.selected.all():
        entries.append(LegendEntry(tr("not selected"), "line", QColor(look.border)))
    return groups, colours, entries
