"""Labels at the ends of the progress plot's curves."""

from typing import Any

import pytest

from studio.gui.plots.painting.canvas import compute_drawing_width
from studio.gui.plots.quality.progress import HeadlinePlot
from studio.language import tr
from tests.gui.plots.test_progress import SubjectOf


@pytest.mark.parametrize("width", [480, 1200])
def test_names_of_narrow_plot_are_in_legend(
    width: int, qtbot: Any, plot_helper: Any, subject_of: SubjectOf
) -> None:
    plot = HeadlinePlot(plot_helper)
    qtbot.addWidget(plot)
    plot.resize(width, 420)
    plot.follow(subject_of())
    assert plot.current_figure is not None and plot.data is not None
    ends = plot.current_figure.panels[0].end_labels
    is_wide = width > 600
    assert any(tr("ensemble") in each.text for each in ends) is is_wide
    assert (tr("ensemble") in plot.legend.names) is not is_wide
    assert sum("%" in each.text for each in ends) == 4, "all values remain"
    assert compute_drawing_width(width, ends, 400) > 0.55 * width
