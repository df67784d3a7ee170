"""Labels at the ends of the progress plot's curves."""

from dataclasses import replace
from typing import Any

import pytest

from studio.document.trials import GAP_KEY, Iteration
from studio.figures.ink import MUTED
from studio.figures.marks import Band, Dots, Line
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.painting.canvas import compute_drawing_width
from studio.gui.plots.quality.progress import HeadlinePlot
from studio.language import tr
from studio.measure import Measure
from studio.trial import Trial
from tests.gui.plots.progress_subjects import make_overlay
from tests.gui.plots.test_progress import SubjectMaker


@pytest.mark.parametrize("width", [480, 1200])
def test_names_of_narrow_plot_are_in_legend(
    width: int, qtbot: Any, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plot = HeadlinePlot(plot_helper)
    qtbot.addWidget(plot)
    plot.resize(width, 420)
    plot.follow(make_subject())
    assert plot.current_figure is not None and plot.data is not None
    ends = plot.current_figure.panels[0].end_labels
    is_wide = width > 600
    assert any(tr("ensemble") in each.text for each in ends) is is_wide
    assert (tr("ensemble") in plot.legend.names) is not is_wide
    assert sum("%" in each.text for each in ends) == 4, "all values remain"
    assert compute_drawing_width(width, ends, 400) > 0.55 * width


def test_short_labels_of_refitted_models_say_so(
    qtbot: Any, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plot = HeadlinePlot(plot_helper)
    qtbot.addWidget(plot)
    plot.resize(480, 420)
    final = {"test_loss": 0.3, "single_test_loss": 0.28}
    plot.follow(replace(make_subject(), **final, refit="refitted", single_refit="refitted"))
    assert plot.current_figure is not None
    texts = [each.text for each in plot.current_figure.panels[0].end_labels]
    assert not any(tr("ensemble") in each for each in texts), "too narrow for names"
    assert {"refitted 28.0 %", "refitted 30.0 %"} <= {*texts}


def test_short_names_of_runs_have_whole_words(
    qtbot: Any, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plot = HeadlinePlot(plot_helper)
    qtbot.addWidget(plot)
    mine = make_subject(9)
    other = make_overlay("Single model (BO-best)", 3, mine.series)
    plot.resize(600, 400)
    plot.follow(replace(mine, name="Ensemble (EO-sig)", overlays=(other,)))
    assert plot.current_figure is not None
    texts = [each.text for each in plot.current_figure.panels[0].end_labels]
    names = {each.rsplit(":", 1)[0].removesuffix(", test") for each in texts if "%" in each}
    words = {word for name in names for word in name.replace("…", " ").split()}
    assert len(names) == 2
    assert words <= {"Single", "model", "(BO-best)", "Ensemble", "(EO-sig)"}


def test_legend_entry_of_gap_does_not_appear_midway(
    qtbot: Any, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    run = RunSeries(Measure())
    run.extend(
        [Trial(n, {}, 1, 0.1) for n in (1, 2)],
        [
            Iteration(n, 1, 0.1, 0.12, 0.1, 0.14, details=gap)
            for n, gap in ((1, {}), (2, {GAP_KEY: [0.01, 0.05]}))
        ],
    )
    names, has_band = [], []
    for chosen in (1, 2):
        plot = HeadlinePlot(plot_helper)
        qtbot.addWidget(plot)
        plot.resize(900, 400)
        plot.follow(replace(make_subject(2), series=run, selected_iteration=chosen))
        assert plot.current_figure is not None
        names.append(plot.legend.names)
        has_band.append(any(isinstance(each, Band) for each in plot.current_figure.marks))
    assert names[0] == names[1] != ()
    assert has_band == [False, True]


def test_trials_do_not_cover_curves(
    qtbot: Any, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plot = HeadlinePlot(plot_helper)
    qtbot.addWidget(plot)
    plot.resize(900, 400)
    plot.follow(make_subject())
    assert plot.current_figure is not None
    marks = plot.current_figure.marks
    trials = [each for each in marks if isinstance(each, Dots) and each.ink.role == MUTED.role]
    curves = [each for each in marks if isinstance(each, Line) and each.weight != "hair"]
    assert trials and len(curves) >= 2 and all(each.outline is None for each in trials)
    highest = max(each.depth or 0.0 for each in trials)
    assert all((each.depth or 0.0) > highest for each in curves)
