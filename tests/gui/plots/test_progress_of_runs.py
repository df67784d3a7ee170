"""Several runs in the progress plot: a common axis of time, and runs side by side."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.document.trials import Iteration
from studio.figures.figure import Pointer
from studio.figures.ink import MUTED, get_run_ink
from studio.figures.marks import Dots, Line
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.quality.progress import HeadlinePlot, ProgressPlot
from studio.gui.plots.quality.progress_model import describe_iteration
from studio.gui.plots.quality.progress_strip import end_at_scale
from studio.measure import Measure
from studio.runs.settings import RunSettings
from studio.trial import Trial
from tests.facts import contains_facts
from tests.gui.plots.progress_subjects import make_overlay, make_progress_data
from tests.gui.plots.test_progress import SubjectMaker, series


def with_times(run: RunSeries, ends: Sequence[float]) -> RunSeries:
    """Return a run whose iterations ended at these seconds."""
    iterations = [
        replace(each, details={"elapsed": end})
        for each, end in zip(run.iterations, ends, strict=True)
    ]
    return RunSeries(run.measure, trials=run.trials, iterations=iterations)


def test_runs_share_time_axis() -> None:
    short = with_times(series([0.5, 0.4]), [10.0, 60.0])
    long = with_times(series([0.6, 0.1, 0.1, 0.05, 0.05]), [1.0, 2.0, 3.0, 4.0, 61.0])
    overlaid = (make_overlay("EO", 3, long),)
    data = make_progress_data(short, None, overlaid, by_time=True)
    assert data.ensemble_validation.x.tolist() == pytest.approx([10, 60, 60, 60.61])
    assert data.overlaid_curves[0].validation.x[[0, -1]].tolist() == pytest.approx([1, 61.61])
    assert data.dots[:, 0].tolist() == [10, 60]
    assert data.end_of_curves == 60
    iterations = [data.find_iteration(x) for x in (9, 10, 59.9, 60, 99)]
    assert iterations == [0, 1, 1, 2, 2]
    assert make_progress_data(short, None, overlaid).timeline is None
    assert make_progress_data(short, None, by_time=True).timeline is None
    untimed = make_overlay("EO", 3, series([0.1] * 5))
    assert make_progress_data(short, None, (untimed,), by_time=True).timeline is None
    slow = with_times(long, [1.0, 2.0, 3.0, 4.0, 600.0])
    minutes = make_progress_data(
        short, None, side_by_side=(make_overlay("EO", 3, slow),), by_time=True
    )
    assert minutes.end_of_curves == 1.0


def test_time_axis_begins_shortly_before_first_trial(
    qtbot: Any, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plot = ProgressPlot(plot_helper)
    qtbot.addWidget(plot)
    for first, low in ((40.0, 38.0), (5.0, 0.0)):
        one = with_times(series([0.5, 0.4]), [first, 100.0])
        other = with_times(series([0.5, 0.4]), [first + 10.0, 90.0])
        overlays = (make_overlay("EO", 3, other),)
        subject = replace(make_subject(2), series=one, overlays=overlays, by_time=True)
        plot.follow(subject)
        axis = plot.make_figure(plot.data, subject).panels[0].x
        assert axis.low == pytest.approx(low)


def test_time_curves_end_at_selected_iteration() -> None:
    short = with_times(series([0.5, 0.4]), [10.0, 60.0])
    long = with_times(series([0.6, 0.1, 0.1, 0.05, 0.05]), [1.0, 2.0, 3.0, 4.0, 61.0])
    overlaid = (make_overlay("EO", 3, long, selected_iteration=4),)
    data = make_progress_data(short, 1, overlaid, by_time=True, seconds=10.0)
    curves = (data.ensemble_validation, data.overlaid_curves[0].validation)
    assert [each.x[-1] for each in curves] == pytest.approx([10.3, 10.3], abs=0.01)
    assert curves[1].y[-1] == pytest.approx(5), "its last state by then"


def test_time_axis_is_labelled(qtbot: Any, plot_helper: Any, make_subject: SubjectMaker) -> None:
    plot = ProgressPlot(plot_helper)
    qtbot.addWidget(plot)
    short = with_times(series([0.5, 0.4]), [10.0, 60.0])
    long = with_times(series([0.6, 0.1, 0.1, 0.05, 0.05]), [1.0, 2.0, 3.0, 4.0, 61.0])
    overlaid = (make_overlay("EO", 3, long),)
    subject = replace(make_subject(2), series=short, overlays=overlaid, by_time=True)
    plot.follow(subject)
    panel = plot.make_figure(plot.data, subject).panels[0]
    assert contains_facts(panel.x.label, "time", "(s)") and panel.x.high > 61
    text = plot.describe_hovered(plot.data, subject, Pointer(0, 30.0, 40.0, 0.1, 0.1))
    assert contains_facts(text, "iteration 1") and "EO" not in text
    with qtbot.waitSignal(plot.iteration_picked) as blocker:
        plot.handle_click(plot.data, Pointer(0, 30.0, 40.0, 0.1, 0.1))
    assert blocker.args == [1], "the iteration that had ended after 30 s"


def test_side_by_side_axes_of_fork_are_equal(
    qtbot: Any, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plot = HeadlinePlot(plot_helper)
    qtbot.addWidget(plot)
    parent, other = (
        make_subject(9),
        make_overlay("fork", 3, series([0.6, 0.1]), settings=RunSettings(forked={"iteration": 1})),
    )
    fork = replace(parent, settings=RunSettings(forked={"run": 1, "iteration": 2}))
    highest = [
        plot.make_figure(plot.data, each).panels[0].y.high
        for each in (
            replace(parent, side_by_side=(other,)),
            replace(fork, side_by_side=(replace(other, settings=RunSettings()),)),
        )
        if plot.follow(each) is None
    ]
    assert highest[0] == highest[1]


def test_refitted_single_model_has_dot_in_side_by_side(
    qtbot: Any, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plot = ProgressPlot(plot_helper)
    qtbot.addWidget(plot)
    alone = replace(make_subject(20), test_loss=0.3, single_test_loss=0.28, refit="refitted")
    other = make_overlay("EO", 3, series([0.6, 0.1]))
    for subject, has_dot in ((alone, True), (replace(alone, side_by_side=(other,)), True),
                           (replace(alone, overlays=(other,)), False)):  # fmt: skip
        plot.follow(subject)
        assert plot.current_figure is not None
        dots = [each for each in plot.current_figure.marks if isinstance(each, Dots)]
        assert any(each.y.tolist() == pytest.approx([28.0]) for each in dots) == has_dot


def test_side_by_side_runs_share_range() -> None:
    calm, wild = series([0.30, 0.29, 0.28]), series([0.9, 0.5, 0.2, 0.1, 0.1])
    versions = [
        make_progress_data(
            run,
            None,
            test_loss=own,
            side_by_side=(make_overlay("other", 2, other, test_loss=theirs),),
        )
        for run, own, other, theirs in ((calm, 0.35, wild, 0.02), (wild, 0.02, calm, 0.35))
    ]
    assert versions[0].low == versions[1].low
    assert versions[0].high == versions[1].high
    assert versions[0].last == versions[1].last


@pytest.mark.parametrize("by_time", [False, True])
def test_side_by_side_runs_of_different_metrics_share_x_axis(by_time: bool) -> None:
    short = with_times(series([0.5, 0.4]), [10.0, 60.0])
    other = series([0.6, 0.1, 0.1, 0.05, 0.05], Measure("log loss", "nats"))
    long = with_times(other, [1.0, 2.0, 3.0, 4.0, 90.0])
    first, second = (
        make_progress_data(
            run, None, side_by_side=(make_overlay("beside", 2, beside),), by_time=by_time
        )
        for run, beside in ((short, long), (long, short))
    )
    assert first.last == second.last == 5
    assert (first.timeline and first.timeline.last) == (second.timeline and second.timeline.last)
    assert (first.timeline is not None) is by_time


def test_time_axis_is_kept_with_run_of_other_metric() -> None:
    short = with_times(series([0.5, 0.4]), [10.0, 60.0])
    like = make_overlay("like", 2, with_times(series([0.6, 0.1]), [20.0, 40.0]))
    other = series([0.6, 0.1], Measure("log loss", "nats"))
    unlike = make_overlay("unlike", 3, with_times(other, [1.0, 90.0]))
    for overlaid in ((unlike,), (unlike, like)):
        data = make_progress_data(short, None, overlaid, by_time=True)
        assert data.timeline is not None and data.timeline.last == 90
        for curves in data.overlaid_curves:
            assert curves.validation.x[0] == 20, "its own time"


def test_far_first_trial_does_not_set_scale() -> None:
    data = make_progress_data(series([0.88, *np.geomspace(0.12, 0.05, 19).tolist()]), None)
    curves = (data.single_validation, data.single_test, data.ensemble_test)
    settled = np.concatenate([data.ensemble_validation.y[4:], *(each.y[4:] for each in curves)])
    assert settled.max() - settled.min() > 0.7 * (data.high - data.low)
    assert data.low <= settled.min() and data.high < 40


def test_end_of_run_keeps_scale() -> None:
    run = series([0.30, 0.28, 0.12, *[0.10] * 10, *[0.08] * 30])
    live = make_progress_data(run, None)
    ended = make_progress_data(
        run, None, test_loss=0.181, single_test_loss=0.182, refit="refitted",
    )  # fmt: skip
    selected = make_progress_data(run, 5, test_loss=0.181)
    assert live.high < 40, "the first losses are cut"
    assert {(each.low, each.high) for each in (ended, selected)} == {(live.low, live.high)}
    assert ended.final == pytest.approx(18.1), "it has ended"


def make_level_run(losses: Sequence[float]) -> RunSeries:
    """Return a run with these losses in all curves."""
    run = RunSeries(Measure())
    run.extend(
        [Trial(n, {}, n, loss, "") for n, loss in enumerate(losses, start=1)],
        [Iteration(n, n, each, each, each, each) for n, each in enumerate(losses, start=1)],
    )
    return run


def test_first_loss_beyond_scale_is_named(
    qtbot: Any, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    run = make_level_run([0.368, *[0.044] * 11, *[0.026] * 8, *[0.018] * 40])
    data = make_progress_data(run, None)
    assert data.cut_level == pytest.approx(36.8)
    assert 2.6 < data.high < 4.4, "most of the course"
    names = []
    for chosen in (1, None):
        plot = ProgressPlot(plot_helper)
        qtbot.addWidget(plot)
        plot.resize(900, 400)
        plot.follow(replace(make_subject(2), selected_iteration=chosen, series=run))
        assert plot.current_figure is not None
        names.append([each.name for each in plot.current_figure.marks if "36.8 %" in each.name])
    assert len(names[0]) == 1 and names[0] == names[1], "no entry appears midway"
    data = make_progress_data(make_level_run([*[0.368] * 22, *[0.018] * 38]), None)
    assert data.cut_level is None and data.high > 36.8


def test_scale_shrinks_gradually_during_run() -> None:
    losses = [0.88, 0.8, 0.7, 0.2, *[0.12] * 20, *[0.115] * 20]
    spans = []
    for count in range(4, len(losses) + 1):
        data = make_progress_data(series(losses[:count]), None)
        for curve in (data.ensemble_validation, data.single_test):
            assert data.low < curve.y[-1] < data.high
        spans.append(data.high - data.low)
    ratios = np.divide(spans[1:], spans[:-1])
    assert ratios.min() > 0.6 and ratios[1:].max() < 1.1
    assert spans[-1] < 30, "the last losses fill the plot"


def test_trial_beyond_scale_is_arrow_above_curves(
    qtbot: Any, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plot = ProgressPlot(plot_helper)
    qtbot.addWidget(plot)
    plot.resize(900, 400)
    run = series([0.88, *[0.12, 0.11] * 10])
    plot.follow(replace(make_subject(2), series=run))
    data, figure = plot.data, plot.current_figure
    assert data is not None and figure is not None
    (arrow,) = (each for each in figure.marks if isinstance(each, Dots) and each.shape == "up")
    assert arrow.x.tolist() == [1] and arrow.y[0] > data.high
    curves = [each for each in figure.marks if isinstance(each, Line)]
    assert curves and all(np.nanmax(each.y) <= data.high for each in curves)


def test_curve_ends_at_scale() -> None:
    curve = Line(
        x=np.array([1.0, 2, 2, 3, 3, 4, 4, 5]), y=np.array([9.0, 9, 2, 2, 8, 8, 1, 1]), ink=MUTED
    )
    ended = end_at_scale(curve, 5.0)
    assert isinstance(ended, Line)
    assert ended.x.tolist() == [1, 2, 2, 3, 3, 4, 4, 4, 5]
    np.testing.assert_array_equal(ended.y, [np.nan, 5, 2, 2, 5, np.nan, 5, 1, 1])


def make_easier_run(*, tested: bool) -> RunSeries:
    """Return a run with validation losses of 40 % and 20 %, and test losses of 38 % and 36 %."""
    run, tests = RunSeries(), (0.38, 0.36) if tested else (None, None)
    iterations = [
        Iteration(number, number, loss, loss, loss, test)
        for number, loss, test in zip((1, 2), (0.4, 0.2), tests, strict=True)
    ]
    run.extend(series([0.4, 0.2]).trials, iterations)
    return run


def test_overlay_with_other_validation_rows_has_only_its_test_curve(
    qtbot: Any, plot_helper: Any
) -> None:
    subject = Subject(Path("w.studio"), 1, series([0.5, 0.45]), None, None)
    plot = ProgressPlot(plot_helper)
    qtbot.addWidget(plot)
    plot.resize(1100, 600)
    plot.show()
    overlay = make_overlay("other", 2, make_easier_run(tested=True))
    for only_test in (False, True):
        overlaid = replace(overlay, only_test_is_comparable=only_test)
        plot.follow(replace(subject, overlays=(overlaid,)))
        assert plot.current_figure is not None
        lines = [each for each in plot.current_figure.marks if isinstance(each, Line)]
        drawn = {each.dashed for each in lines if each.ink == get_run_ink(2) and len(each.x)}
        assert drawn == ({True} if only_test else {True, False})
        text = describe_iteration(subject.series, 2, [overlaid])
        assert ("36.00 %" in text, "20.00 %" in text) == (only_test, not only_test)
        low = plot.current_figure.panels[0].y.low
        assert low is not None and (low > 20.0) == only_test, "the axis has its test losses only"
    untested = make_overlay("other", 2, make_easier_run(tested=False), only_test_is_comparable=True)
    data = make_progress_data(subject.series, None, [untested])
    assert len(data.overlaid_curves[0].validation.x), "it is all that is known"
