"""Subjects of the plots, created from a session."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from studio.figures.ink import get_run_ink
from studio.gui.plots.base.subjects import Subjects, get_measure
from studio.gui.session.run_data import RunData
from studio.gui.session.run_view import RunView
from studio.gui.session.session import Session
from studio.runs.settings import RunSettings, TableSource
from studio.trial import Trial
from tests.results import make_result


def make_session(chosen: RunView | None, overlaid: list[RunView] | None = None) -> Session:
    run_selection = SimpleNamespace(
        run=chosen,
        iteration=None,
        overlaid_runs=overlaid or [],
        by_time=False,
        seconds=None,
        get_iteration=lambda _: None,
    )
    return cast(
        Session,
        SimpleNamespace(
            path=Path("w.studio"), run_selection=run_selection, run_data=RunData(lambda: None)
        ),
    )


def test_subject_is_none_without_run() -> None:
    assert Subjects(make_session(None)).get_current() is None


def test_overlaid_runs_are_updated(make_view: Callable[..., RunView]) -> None:
    view, other = make_view(id=1, name="EO"), make_view(id=2, name="", settings={"method": "RS"})
    subjects = Subjects(make_session(view, [other]))
    first = subjects.get_current()
    assert first is not None
    assert [each.name for each in first.overlays] == ["RS"]
    other.trials.append(Trial(1, {}, 1, 0.5, ""))
    second = subjects.get_current()
    assert second is not None
    assert second.overlays[0].series.losses.tolist() == [0.5]
    assert second.end_reason == ""


def test_ended_run_without_trials_gives_reason(make_view: Callable[..., Any]) -> None:
    failed = make_view(state="failed", message="The table has gone.")
    subject = Subjects(make_session(failed)).get_current()
    assert subject is not None
    assert failed.row.message in subject.end_reason
    assert "Run page" in subject.end_reason
    failed.trials.append(Trial(1, {}, 1, 0.5, ""))
    subject = Subjects(make_session(failed)).get_current()
    assert subject is not None
    assert subject.end_reason == ""


def test_metric_has_unit() -> None:
    measure = get_measure(RunSettings(source=TableSource(task="binary"), metric="error"))
    assert measure.unit == "%"
    assert get_measure(RunSettings()).unit == "%"
    assert get_measure(RunSettings(source=TableSource(task="regression"), metric="rmse")).unit == ""


def test_interrupted_run_without_trials_shows_remedy(make_view: Callable[..., RunView]) -> None:
    view = make_view(state="running")
    view.is_alive = False
    subject = Subjects(make_session(view)).get_current()
    assert subject is not None and "Continue it" in subject.end_reason
    view.is_alive = True
    subject = Subjects(make_session(view)).get_current()
    assert subject is not None and subject.end_reason == ""


def test_side_by_side_runs_share_axes_only(make_view: Callable[..., RunView]) -> None:
    view, other = make_view(id=1, name="EO"), make_view(id=2, name="RS")
    assert Subjects(make_session(view)).get_side_by_side() == ()
    pair = Subjects(make_session(view, [other])).get_side_by_side()
    assert [each.name for each in pair] == ["EO", "RS"]
    assert [each.side_by_side[0].name for each in pair] == ["RS", "EO"]
    assert [each.overlays for each in pair] == [(), ()]


def test_columns_keep_order_and_colour_of_overlaid_runs(make_view: Callable[..., RunView]) -> None:
    runs = [make_view(id=each, name=name) for each, name in ((1, "a"), (2, "b"), (3, "c"))]
    for run in runs:
        subjects = Subjects(make_session(run, [each for each in runs if each is not run]))
        columns = subjects.get_side_by_side(3)
        assert [each.name for each in columns] == ["a", "b", "c"]
        assert [each.run_ink for each in columns] == [get_run_ink(each) for each in (1, 2, 3)]
        assert all(len(each.side_by_side) == 2 for each in columns)
        current = subjects.get_current()
        assert current is not None and current.run_ink == get_run_ink(run.row.id)
    columns = Subjects(make_session(runs[0], runs[1:])).get_side_by_side(2)
    assert [each.name for each in columns] == ["a", "c"], "the chosen run, and the last overlaid"


def test_subject_records_refit_of_single_model(make_view: Callable[..., RunView]) -> None:
    for left, expected in (
        ((1,), ("1 of 2 refitted", "")),
        ((2,), ("1 of 2 refitted", "refitted")),
    ):
        result = make_result((1, 0.3), (2, 0.7), not_refitted=left)
        view = make_view(state="finished", result=result)
        subject = Subjects(make_session(view)).get_current()
        assert subject is not None and (subject.refit, subject.single_refit) == expected


def test_result_subject_contains_final_members(make_view: Callable[..., RunView]) -> None:
    view = make_view(state="finished", result=make_result((2, 0.3), (4, 0.7), trials=1))
    view.trials.append(Trial(1, {}, 1, 0.5, ""))
    subject = Subjects(make_session(view)).get_current()
    assert subject is not None and subject.final_members == ((2, 0.3), (4, 0.7))
    view.trials.append(Trial(2, {}, 1, 0.5, ""))
    subject = Subjects(make_session(view)).get_current()
    assert subject is not None and subject.final_members == (), "the run was continued"
