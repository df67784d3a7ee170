"""The progress plot: selected iteration, overlaid runs, generalisation gap, final choices."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from studio.analysis.answers.surrogate import PosteriorChoices
from studio.document.trials import Iteration
from studio.figures.figure import Pointer
from studio.figures.ink import ENSEMBLE, SINGLE, get_run_ink
from studio.figures.ink import make_series_ink as ink
from studio.figures.marks import Dots, Line, WordMarks
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.quality.progress import (
    HeadlinePlot,
    ProgressPlot,
    describe_chosen_trial,
    make_chosen_curves,
)
from studio.gui.plots.quality.progress_model import (
    Timeline,
    describe_final_models,
    describe_gap,
    describe_iteration,
)
from studio.gui.plots.quality.progress_strip import Strip
from studio.helper.answers import encode
from studio.language import tr
from studio.measure import Measure
from studio.runs.settings import RunSettings
from studio.tasks import Task
from studio.trial import FailureKind, Trial
from tests.facts import contains_facts
from tests.gui.painted_texts import list_bottom_numbers
from tests.gui.plots.progress_subjects import make_overlay, make_progress_data

SubjectMaker = Callable[..., Subject]


def series(ensemble: Sequence[float], measure: Measure | None = None) -> RunSeries:
    """Return a run with these validation losses, and test losses 0.1 higher."""
    run_series = RunSeries(measure or Measure())
    run_series.extend(
        [Trial(n, {}, n, loss, "") for n, loss in enumerate(ensemble, start=1)],
        [
            Iteration(n, n, loss + 0.01, loss + 0.2, loss, loss + 0.1)
            for n, loss in enumerate(ensemble, start=1)
        ],
    )
    return run_series


def test_run_of_failed_trials_shows_message_instead_of_axes(
    plot_helper: Any, qtbot: Any, make_subject: SubjectMaker
) -> None:
    plot = HeadlinePlot(plot_helper)
    qtbot.addWidget(plot)
    run = RunSeries(Measure())
    run.extend([Trial(1, {}, 1, None, "")], [])
    subject = replace(make_subject(3), series=run)
    assert "first point" in plot.explain_empty(subject)
    ended = replace(subject, end_reason="It has ended.")
    assert plot.explain_empty(ended) == "It has ended."
    run.extend([*run.trials, Trial(2, {}, 2, 0.5, "")], [])
    assert plot.explain_empty(subject) == ""


def test_progress_keeps_range_at_earlier_iteration() -> None:
    run = series([0.5, 0.4, 0.3, 0.2])
    now, then = make_progress_data(run, None), make_progress_data(run, 2)
    assert then.ensemble_validation.x.tolist() == [1, 2, 2, 2.5]
    assert then.ensemble_validation.y.tolist() == pytest.approx([50, 50, 40, 40])
    assert then.dots[:, 0].tolist() == [1, 2]
    assert (then.low, then.high, then.last) == (now.low, now.high, now.last)


def test_overlaid_runs_are_aligned_by_iteration() -> None:
    run, other = series([0.5, 0.4, 0.3]), series([0.6, 0.1, 0.1, 0.05, 0.05])
    overlaid = (
        make_overlay("logs", 2, series([1.0], Measure("log loss", "nats"))),
        make_overlay("EO", 3, other),
    )
    live = make_progress_data(run, None, overlaid)
    assert [(each.name, each.ink) for each in live.overlaid_curves] == [("EO", get_run_ink(3))]
    assert live.other_metric_runs == ("logs",)
    assert live.last == 5
    assert live.overlaid_curves[0].validation.x[-1] == 5.5
    back = make_progress_data(run, 2, [replace(each, selected_iteration=2) for each in overlaid])
    assert back.overlaid_curves[0].validation.x[-1] == 2.5
    assert back.overlaid_curves[0].test.y[-1] == pytest.approx(20)
    assert "EO 10.00 %" in describe_iteration(run, 2, overlaid)


@pytest.mark.parametrize(
    ("test", "gap", "expected"),
    [
        (
            0.1234,
            [0.0034, 0.05],
            "optimism gap 2.34 percentage points (95 % interval 0.34 to 5.00)",
        ),
        (
            0.02,
            [-0.12, -0.01],
            "test better than validation by 8.00 percentage points (95 % interval 1.00 to 12.00)",
        ),
        (0.1234, [-0.0034, 0.05], ""),
        (0.1234, None, ""),
        (None, None, ""),
    ],
)
def test_significant_gap_is_described(
    test: float | None, gap: list[float] | None, expected: str
) -> None:
    record = Iteration(1, 1, 0.1, test, 0.1, test, details={"gap": gap})
    assert describe_gap(record, Measure()) == expected
    run = RunSeries(Measure())
    run.extend([Trial(1, {}, 1, 0.1, "")], [record])
    assert make_progress_data(run, None).has_gap == expected.startswith("optimism")


def test_incremental_series_equals_full_series() -> None:
    full_series, incremental_series = series([0.5, 0.4, 0.3, 0.2]), RunSeries(Measure())
    for end in (1, 1, 3, 4):
        incremental_series.extend(full_series.trials[:end], full_series.iterations[:end])
    np.testing.assert_array_equal(incremental_series.losses, full_series.losses)
    for name in vars(full_series.curves):
        np.testing.assert_array_equal(
            getattr(incremental_series.curves, name), getattr(full_series.curves, name)
        )


ANSWER = PosteriorChoices(
    iterations=np.array([2, 4]),
    trials=np.array([1, 3]),
    validation=np.array([0.5, 0.3]),
    test=np.array([0.6, np.nan]),
)


def test_posterior_mean_choice_is_shown_per_iteration() -> None:
    run = series([0.5, 0.4, 0.3, 0.2])
    assert make_chosen_curves(ANSWER, run, 1) is None
    early, late = make_chosen_curves(ANSWER, run, 3), make_chosen_curves(ANSWER, run, 4)
    assert early is not None
    assert late is not None
    assert early.validation.y.tolist() == pytest.approx([50, 50])
    assert late.number == 3
    assert "trial 3: 30.00 % validation, – test" in describe_chosen_trial(late, run)


def test_progress_draws_overlaid_runs_and_choices(qtbot: Any, make_subject: SubjectMaker) -> None:
    class Answers:
        def request(
            self, task: Task[..., Any], arguments: Any, done: Any, failed: Any, channel: Any
        ) -> Any:
            assert (task.name, channel) == ("posterior_choices", "progress:posterior_choices")
            done(encode(ANSWER))
            return self

        def cancel(self) -> None: ...

    plot = ProgressPlot(Answers())  # type: ignore[arg-type]
    qtbot.addWidget(plot)
    base = replace(make_subject(20), name="first")
    other = make_overlay("second", 2, series([0.4, 0.3, 0.2]))
    settings = RunSettings(overrides={"ensemble": "posterior-mean"})
    plot.follow(replace(base, overlays=(other,), settings=settings))
    assert plot.legend.names[:2] == ("first", "second (overlay)"), "runs before their details"
    assert not any("best single" in each for each in plot.legend.names)
    assert plot.legend.names.count("first: posterior-mean choice") == 1
    assert plot.legend.names.count("on test rows") == 1, "for all dashed lines"
    assert "" not in plot.legend.names
    assert "second (overlay)" in plot.legend.names
    assert "posterior-mean choice" in plot.read_out
    _, rows = plot.get_table()
    assert len(rows) == 20 + 3
    plot.follow(replace(base, overlays=(), settings=RunSettings()))
    assert "second (overlay)" not in plot.legend.names


def test_final_models_are_labelled_at_end_of_run(
    qtbot: Any, make_subject: SubjectMaker, plot_helper: Any
) -> None:
    plot = ProgressPlot(plot_helper)
    qtbot.addWidget(plot)
    going = make_subject(20)
    plot.follow(going)
    assert "final models, test" not in plot.legend.names
    over = replace(going, test_loss=0.777)
    plot.follow(over)
    assert "final models, test" in plot.legend.names
    assert contains_facts(plot.read_out, "not refitted", "77.70 %")
    plot.follow(replace(over, refit="refitted", single_refit="refitted", single_test_loss=0.666))
    assert contains_facts(plot.read_out, "refitted", "ensemble 77.70 %", "best single 66.60 %")
    assert [each for each in plot.legend.names if "(refitted)" in each]
    data = plot.data
    assert data is not None and data.low < 77.7 < data.high
    at = Pointer(panel=0, x=20.0, y=77.7, dx=0.1, dy=0.1)
    assert contains_facts(plot.describe_hovered(data, over, at), "not refitted", "77.70 %")
    assert "refitted" not in plot.describe_hovered(data, over, replace(at, x=19.0))
    plot.follow(replace(over, selected_iteration=7))
    assert "final models, test" not in plot.legend.names
    assert "refitted" not in plot.read_out


def test_legend_shows_failed_trials_and_overlays(
    qtbot: Any, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plot = ProgressPlot(plot_helper)
    qtbot.addWidget(plot)
    subject = make_subject(9)
    subject = replace(subject, overlays=(make_overlay("EO", 3, series([0.6, 0.1])),), test_loss=0.2)
    plot.follow(subject)
    figure = plot.make_figure(plot.data, subject)
    (failed,) = [each for each in figure.marks if each.name.startswith("failed trials")]
    assert isinstance(failed, Dots)
    assert (failed.shape, failed.legend_sample) == ("triangle", "down")
    assert "each trial" in plot.legend.names
    assert plot.current_figure is not None
    ends = [each.text for each in plot.current_figure.panels[0].end_labels]
    assert ends[-2:] == ["EO: 10.0 %", "EO, test: 20.0 %"]


@pytest.mark.slow
def test_line_labels_show_last_values(qtbot: Any, plot_helper: Any) -> None:
    run = series([0.5, 0.4])
    subject = Subject(Path("w.studio"), 1, run, None, None, test_loss=0.3)
    plot = HeadlinePlot(plot_helper)
    qtbot.addWidget(plot)
    plot.show()
    for width, has_labels in ((900, True), (420, False)):
        plot.resize(width, 400)
        QApplication.processEvents()
        plot.follow(subject)
        assert plot.current_figure is not None
        ends = [end.text for end in plot.current_figure.panels[0].end_labels]
        tests = ["best single, test 60.0 %", "ensemble, test 30.0 %"]
        assert ends == (["best single 41.0 %", "ensemble 40.0 %", *tests] if has_labels else [])
        assert ("ensemble" in plot.legend.names) != has_labels
        plot.follow(replace(subject, refit="refitted"))
        assert plot.current_figure is not None
        last = [end.text for end in plot.current_figure.panels[0].end_labels][-1:]
        assert last == (["ensemble, test, refitted 30.0 %"] if has_labels else [])
        plot.follow(subject)


@pytest.mark.slow
def test_exports_name_differences_of_overlaid_runs(
    qtbot: Any, plot_helper: Any, tmp_path: Path
) -> None:
    run = series([0.5, 0.4])
    alone = Subject(Path("w.studio"), 1, run, None, None)
    sentence = "Different test rows: not comparable"
    both = replace(alone, overlays=(make_overlay("EO", 2, run),), differences=sentence)
    plot = HeadlinePlot(plot_helper)
    qtbot.addWidget(plot)
    plot.resize(700, 400)
    plot.show()
    found = []
    for subject in (alone, both):
        plot.follow(subject)
        QApplication.processEvents()
        picture, drawing, table = (tmp_path / f"plot.{kind}" for kind in ("png", "svg", "csv"))
        plot.save_picture(picture)
        plot.save_vectors(drawing)
        plot.save_numbers(table)
        text, rows = drawing.read_text(encoding="utf-8"), table.read_text(encoding="utf-8")
        n_named = sum(sentence in line for line in rows.splitlines())
        found.append((QImage(str(picture)).height(), sentence in text, n_named))
    (height, *_), (taller, is_drawn, n_rows) = found
    assert found[0] == (2 * plot.height(), False, 0)
    assert (taller > height, is_drawn, n_rows) == (True, True, 4), "two iterations of two runs"
    plot.copy_picture()
    assert QApplication.clipboard().image().height() == taller


@pytest.mark.parametrize("losses", [[0.5], [0.5, 0.4, 0.4]])
def test_axis_of_few_trials_ends_at_last_trial(
    losses: list[float], qtbot: Any, plot_helper: Any
) -> None:
    plot = HeadlinePlot(plot_helper)
    qtbot.addWidget(plot)
    plot.resize(900, 400)
    plot.show()
    plot.follow(Subject(Path("w.studio"), 1, series(losses), None, None))
    QApplication.processEvents()
    assert list_bottom_numbers(plot) == [str(number) for number in range(1, len(losses) + 1)]


@pytest.mark.parametrize("refitted", [False, True])
def test_simple_plot_shows_test_error_of_best_single_model(
    refitted: bool, qtbot: Any, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plot = HeadlinePlot(plot_helper)
    qtbot.addWidget(plot)
    plot.resize(1000, 400)
    plot.show()
    QApplication.processEvents()
    subject = replace(
        make_subject(),
        test_loss=0.3,
        single_test_loss=0.28,
        refit="refitted" if refitted else "",
        single_refit="refitted" if refitted else "",
    )
    plot.follow(subject)
    assert plot.current_figure is not None
    ends = {end.text: end.ink for end in plot.current_figure.panels[0].end_labels}
    suffix = ", refitted" if refitted else ""
    lines = [each for each in ends if each.startswith("best single, test")]
    assert len(lines) == 1 + refitted, "the search's line has its own label"
    assert ends[f"best single, test{suffix} 28.0 %"] == ink(SINGLE), "as the Answer page says"
    assert ends[f"ensemble, test{suffix} 30.0 %"] == ink(ENSEMBLE)
    dashed = [each for each in plot.current_figure.marks if getattr(each, "dashed", False)]
    assert {ink(SINGLE), ink(ENSEMBLE)} <= {each.ink for each in dashed}
    plot.follow(replace(subject, selected_iteration=2))
    assert "28.0 %" not in " ".join(end.text for end in plot.current_figure.panels[0].end_labels)


@pytest.mark.parametrize("single_refit", ["", "refitted"])
def test_single_model_shows_no_number_of_refitted_members(
    single_refit: str, qtbot: Any, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plot = HeadlinePlot(plot_helper)
    qtbot.addWidget(plot)
    plot.resize(1000, 400)
    plot.show()
    QApplication.processEvents()
    subject = replace(
        make_subject(),
        test_loss=0.3,
        single_test_loss=0.28,
        refit="3 of 5 refitted",
        single_refit=single_refit,
    )
    plot.follow(subject)
    QApplication.processEvents()  # the drawing replaces the empty state
    plot.follow(subject)
    assert plot.current_figure is not None
    ends = [end.text for end in plot.current_figure.panels[0].end_labels]
    suffix = f", {single_refit}" if single_refit else ""
    assert f"best single, test{suffix} 28.0 %" in ends
    assert "ensemble, test, 3 of 5 refitted 30.0 %" in ends
    description = describe_final_models(
        0.3, 0.28, subject.series.measure, "3 of 5 refitted", single_refit
    )
    assert "30.00 % (3 of 5 refitted)" in description
    assert description.endswith("28.00 % (refitted)" if single_refit else "28.00 %")


@pytest.mark.parametrize("members", [1, 2])
def test_single_member_ensemble_is_drawn_as_single_model(
    members: int, qtbot: Any, plot_helper: Any
) -> None:
    run = series([0.5, 0.4])
    run.iterations[:] = [
        replace(
            each,
            single_validation=each.ensemble_validation,
            members=tuple((number, 1 / members) for number in range(1, members + 1)),
        )
        for each in run.iterations
    ]
    run = RunSeries(run.measure, trials=run.trials, iterations=run.iterations)
    subject = Subject(Path("w.studio"), 1, run, None, None, test_loss=0.3)
    plot = HeadlinePlot(plot_helper)
    qtbot.addWidget(plot)
    plot.resize(900, 400)
    plot.show()
    plot.follow(subject)
    assert plot.current_figure is not None
    ends = {end.text: end.ink for end in plot.current_figure.panels[0].end_labels}
    single = {"best single 40.0 %": ink(SINGLE)}
    if members == 1:
        assert ends == single | {"test 30.0 %": ink(SINGLE)}
    else:
        both = {"ensemble 40.0 %": ink(ENSEMBLE), "ensemble, test 30.0 %": ink(ENSEMBLE)}
        assert ends == single | both | {"best single, test 60.0 %": ink(SINGLE)}


@pytest.mark.slow
def test_overlaid_runs_are_labelled_by_name(
    qtbot: Any, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plot = HeadlinePlot(plot_helper)
    qtbot.addWidget(plot)
    plot.resize(1000, 400)
    plot.show()
    short = series([0.6, 0.1])
    mine = replace(make_subject(9), name="fork of best", overlays=(make_overlay("best", 3, short),))
    plot.follow(mine)
    assert plot.current_figure is not None
    ends = plot.current_figure.panels[0].end_labels
    names = [end.text.rsplit(": ", 1)[0] for end in ends if not end.text.startswith("failed")]
    assert names == ["fork of best", "fork of best, test", "best", "best, test"]
    marks = [each for each in plot.current_figure.marks if isinstance(each, Line)]
    widths = {each.ink: each.weight for each in marks if each.weight != "hair" and not each.dashed}
    assert widths == {get_run_ink(mine.run_id): "thick", get_run_ink(3): "line"}
    runs = {end.text.startswith("best"): end.ink for end in ends[-4:]}
    assert runs == {False: get_run_ink(mine.run_id), True: get_run_ink(3)}, "its own colour"
    final = make_overlay("best", 3, short, test_loss=0.05, refit="refitted")
    plot.follow(replace(mine, overlays=(final,)))
    texts = [end.text for end in plot.current_figure.panels[0].end_labels]
    assert "best, test, refitted: 5.0 %" in texts, "as in its chip and in the headline"
    plot.follow(replace(mine, overlays=(), side_by_side=mine.overlays))
    ends_beside = plot.current_figure.panels[0].end_labels
    inks_beside = {end.ink for end in ends_beside if "%" in end.text}
    assert inks_beside == {get_run_ink(mine.run_id)}, "as its heading"
    plot.follow(mine)
    dots = [
        each.ink for each in plot.current_figure.marks if isinstance(each, Dots) and each.size == 7
    ]
    assert {ink.with_opacity(1.0) for ink in dots} == {runs[False]}
    leaders = [
        mark.x[0]
        for mark in plot.current_figure.marks
        if isinstance(mark, Line) and mark.weight == "hair"
    ]
    assert leaders.count(2.5) == 2, "from the end of the shorter run to its label"
    long = "A search of random forests with a very long name, number "
    both = replace(mine, name=long + "1", overlays=(make_overlay(long + "2", 3, short),))
    plot.follow(both)
    texts = [end.text for end in plot.current_figure.panels[0].end_labels]
    assert len(set(texts)) == len(texts) >= 4 and any("…" in each for each in texts)
    plot.resize(440, 400)
    plot.follow(both)
    ends = plot.current_figure.panels[0].end_labels
    assert [end.text for end in ends if end.text.startswith("test")] == [
        "test 8.8 %",
        "test 20.0 %",
    ]
    assert any(name.startswith(long) for name in plot.legend.names), "the legend names the runs"
    plot.resize(1000, 150)
    plot.follow(both)
    assert plot.current_figure.panels[0].end_labels == [], "no labels rather than overlapping ones"


def test_single_model_method_has_no_ensemble(qtbot: Any, plot_helper: Any) -> None:
    run = series([0.5, 0.4])
    alone = [
        replace(each, single_validation=each.ensemble_validation, members=((1, 1.0),))
        for each in run.iterations
    ]
    run = RunSeries(run.measure, trials=run.trials, iterations=alone)
    plot = ProgressPlot(plot_helper)
    qtbot.addWidget(plot)
    plot.follow(Subject(Path("w.studio"), 1, run, None, None))
    assert plot.current_figure is not None
    names = [*plot.legend.names, *(end.text for end in plot.current_figure.panels[0].end_labels)]
    assert "best single" in " ".join(names)
    assert "ensemble" not in " ".join((*names, plot.read_out))


def test_fork_is_marked_before_its_first_trial(
    qtbot: Any, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plot = ProgressPlot(plot_helper)
    qtbot.addWidget(plot)

    def marked(subject: Subject) -> list[float]:
        plot.prepare(subject)
        figure = plot.make_figure(plot.data, subject)
        word_marks = [each for each in figure.marks if isinstance(each, WordMarks)]
        return [float(each.x[0]) for each in word_marks if each.texts == [tr("fork")]]

    own = make_subject(20)
    fork = replace(own, settings=replace(own.settings, forked={"run": 1, "iteration": 8}))
    assert marked(own) == []
    assert marked(fork) == [8.5]
    figure = plot.make_figure(plot.data, fork)
    word = [mark for mark in figure.marks if isinstance(mark, WordMarks)][-1]
    symbols = [float(y) for mark in figure.marks if isinstance(mark, Dots) for y in mark.y]
    assert word.y[0] > max(symbols), "no symbol covers it"
    assert marked(replace(fork, selected_iteration=7)) == []


@pytest.mark.slow
def test_failed_trials_are_drawn_in_strip(qtbot: Any, plot_helper: Any) -> None:
    run = RunSeries(Measure())
    trials = [
        Trial(1, {}, 1, 0.3),
        Trial(2, {}, 2, None, "poor", failure="early"),
        Trial(3, {}, 3, None, "broken", failure="crash"),
        Trial(4, {}, 4, 0.2),
    ]
    run.extend(trials, [Iteration(n, 1, 0.3, 0.32, 0.29, 0.31) for n in (1, 2, 3, 4)])
    subject = Subject(Path("w.studio"), 1, run, None, None)
    plot = HeadlinePlot(plot_helper)
    qtbot.addWidget(plot)
    plot.show()
    for size in ((900, 400), (420, 240)):
        plot.resize(*size)
        QApplication.processEvents()
        plot.follow(subject)
        data, figure = plot.data, plot.current_figure
        assert data is not None and figure is not None
        (panel,) = figure.panels
        signs = {
            each.shape: each
            for each in figure.marks
            if isinstance(each, Dots) and each.size == 9  # those beyond the scale are larger
        }
        assert signs["cross"].x.tolist() == [2] and signs["triangle"].x.tolist() == [3]
        for each in signs.values():
            assert data.high < each.y[0] < panel.y.high
        label_texts = [end.text for end in panel.end_labels[:2]]
        assert not panel.end_labels or (
            contains_facts(label_texts[0], "failed", "1")
            and contains_facts(label_texts[1], "early", "1")
        )
        left_axis = next(iter(plot.canvas.ci.items)).getAxis("left")
        levels = left_axis.tickValues(*left_axis.range, left_axis.height())
        assert all(at <= data.high for _, places in levels for at in places)
    plot.follow(replace(subject, selected_iteration=1))
    assert plot.current_figure is not None and plot.current_figure.panels[0].y.high == panel.y.high


def test_trials_before_fork_are_drawn_but_not_counted(make_subject: SubjectMaker) -> None:
    run = RunSeries()
    ends: tuple[FailureKind | None, ...] = (None, "early", None, "early", "early", None)
    run.extend(
        [Trial(n, {}, n, None if e else 0.4, "", failure=e) for n, e in enumerate(ends, 1)],
        [Iteration(n, 1, 0.3, 0.32, 0.29, 0.31) for n in range(1, 7)],
    )
    data = make_progress_data(run, None, n_copied=3)
    strip = Strip(data.high, {"early": 0.1}, 0.2, has_fork=True)
    (own, copied) = [each for each in strip.make_marks(data) if isinstance(each, Dots)]
    assert own.x.tolist() == [4, 5] and copied.x.tolist() == [2]
    by_time = replace(data, timeline=Timeline(np.array([1.0, 2.0, 4.0, 30.0, 31.0, 32.0]), 32.0))
    assert by_time.fork == 4.0, "its own first trial took the time from then on"
    assert contains_facts(own.name, "2") and not copied.name
    assert [contains_facts(each.text, "early", "2") for each in strip.make_end_labels(data)] == [
        True
    ]


def test_dashed_line_labels_contain_model_names(qtbot: Any, plot_helper: Any) -> None:
    subject = Subject(Path("w.studio"), 1, series([0.5, 0.4]), None, None, test_loss=0.3)
    plot = ProgressPlot(plot_helper)
    qtbot.addWidget(plot)
    plot.show()
    plot.resize(1100, 500)
    QApplication.processEvents()
    plot.follow(subject)
    assert plot.current_figure is not None
    ends = [end.text for end in plot.current_figure.panels[0].end_labels]
    assert {"ensemble, test 30.0 %"} == {each for each in ends if "30.0" in each}


def test_failed_trials_are_counted_by_reason() -> None:
    run = RunSeries()
    ends: tuple[FailureKind | None, ...] = (None, "early", "time", "early", None)
    run.extend(
        [
            Trial(n, {}, n, None if end else 0.4, "no" if end else "", failure=end or "other")
            for n, end in enumerate(ends, start=1)
        ],
        [Iteration(n, 1, 0.4, 0.4, 0.4, 0.4) for n in range(1, 6)],
    )
    now, then = make_progress_data(run, None), make_progress_data(run, 2)
    assert (now.early.tolist(), now.late.tolist()) == ([2, 4], [3])
    assert (then.early.tolist(), then.late.tolist(), then.has_late) == ([2], [], True)


@pytest.mark.slow
def test_shaded_areas_are_labelled_in_plot(qtbot: Any, plot_helper: Any) -> None:
    run = RunSeries(Measure())
    trials = [Trial(1, {}, 1, 0.1), Trial(2, {}, 2, None, "broken", failure="crash")]
    gap = {"gap": [0.01, 0.05]}
    records = [Iteration(n, 1, 0.1, 0.12, 0.1, 0.14, details=gap) for n in (1, 2)]
    run.extend(trials, records)
    plot = HeadlinePlot(plot_helper)
    qtbot.addWidget(plot)
    plot.resize(900, 400)
    plot.show()
    QApplication.processEvents()
    plot.follow(Subject(Path("w.studio"), 1, run, None, None))
    areas = [tr("worse on test rows, beyond chance"), tr("trials not fully trained")]
    assert sorted(plot.legend.names) == sorted(areas), "an audience sees no caption"
    expert = ProgressPlot(plot_helper)
    qtbot.addWidget(expert)
    expert.resize(900, 400)
    expert.follow(Subject(Path("w.studio"), 1, run, None, None))
    assert expert.current_figure is not None
    assert {*areas} <= {mark.name for mark in expert.current_figure.marks}, "one name in both views"
    plot.resize(900, 180)
    QApplication.processEvents()
    plot.refresh()
    assert not plot.legend.names, "the drawing needs the height"
    plot.resize(900, 400)
    QApplication.processEvents()
    calm = RunSeries(Measure())
    calm.extend(trials[:1], [Iteration(1, 1, 0.1, 0.12, 0.1, 0.14)])
    plot.follow(Subject(Path("w.studio"), 2, calm, None, None))
    assert not plot.legend.names
