"""The view *Decide*: trying, storing and undoing decisions."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QScrollArea
from pytestqt.qtbot import QtBot

from studio.analysis.answers.predictions import ConfusionCounts, DecisionFigures
from studio.analysis.decision import compute_decision_figures
from studio.analysis.decision_text import WITHOUT_DECISION, format_rows
from studio.analysis.summary import summarise_run
from studio.cli.decide import _print_decision
from studio.cli.foreground import _describe_decision
from studio.data.metrics.curves import Curve
from studio.document.decision import OUTDATED_NOTE, Decision
from studio.document.store import Document
from studio.export.report.sections import render_decision
from studio.figures.marks import Dots
from studio.gui.drafts.run_model import RunModel
from studio.gui.pages.results.page import ResultsPage
from studio.gui.pages.results.views import decide_model as model
from studio.gui.pages.results.views.answer import AnswerView
from studio.gui.pages.results.views.decide import COSTS as COST_CURVE
from studio.gui.pages.results.views.decide import (
    GAINS,
    PRECISION,
    ROC,
    DecideForm,
    DecisionView,
    make_decision_figure,
)
from studio.gui.pages.results.views.decide_model import DecisionDraft, ThresholdRule
from studio.gui.pages.results.views.errors import ErrorsPage
from studio.gui.pages.results.views.registry import QUESTIONS
from studio.gui.plots.base.static_figure import StaticFigure
from studio.gui.session.session import Session
from studio.measure import PREFIX_MARK, format_threshold
from tests.facts import contains_facts
from tests.gui.conftest import ViewMaker
from tests.gui.plots.examples import ERRORS_OF_VALUES
from tests.gui.visible_content import get_visible_text, press
from tests.small_runs import finished_run, new_run, run_inline, small_table  # noqa: F401

FOUND = DecisionFigures(
    classes=("no", "yes"),
    positive_class="yes",
    threshold=0.3,
    count=100,
    trials=12,
    method_confusion=ConfusionCounts(10, 10, 5, 75),
    threshold_confusion=ConfusionCounts(15, 5, 20, 60),
    roc=Curve(np.array([0.0, 0.25, 1.0]), np.array([0.0, 0.75, 1.0]), 0.75),
    precision=Curve(np.array([0.0, 0.75, 1.0]), np.array([1.0, 15 / 35, 0.2]), 0.5),
    gains=Curve(np.array([0.0, 0.35, 1.0]), np.array([0.0, 0.75, 1.0]), 0.7),
)
COSTS = DecisionDraft("yes", 0.3, threshold_rule="costs", miss_cost=10.0, alarm_cost=1.0)


def test_positive_class_change_does_not_change_labels() -> None:
    draft = DecisionDraft("yes", 0.3)
    assert draft.for_class("no") == DecisionDraft("no", 0.7)
    assert draft.for_class("no").for_class("yes") == draft.for_class("yes") == draft


@pytest.mark.parametrize("way", ["f1", "hand", "costs", "capacity"])
def test_decision_stores_origin_of_threshold(way: ThresholdRule) -> None:
    decision = DecisionDraft("yes", 0.3, way).make_decision(FOUND)
    assert DecisionDraft.from_decision(decision) == DecisionDraft("yes", 0.3, way)


def test_replies_to_outdated_decisions_are_ignored() -> None:
    arguments = COSTS.query_arguments
    learned = DecisionDraft.from_answer(arguments, replace(FOUND, threshold=0.2))
    assert COSTS.with_answer(learned).threshold == 0.2
    assert COSTS.for_class("no").with_answer(learned) == COSTS.for_class("no")
    assert replace(COSTS, miss_cost=7.0).with_answer(learned).threshold == 0.3
    capacity = DecisionDraft("yes", 0.5, threshold_rule="capacity", capacity=0.2)
    assert capacity.with_answer(
        DecisionDraft.from_answer(capacity.query_arguments, FOUND)
    ) == replace(capacity, threshold=0.3)
    by_hand = DecisionDraft("yes", 0.6, "hand")
    assert by_hand.with_answer(learned) == by_hand
    assert DecisionDraft().with_answer(learned).positive_class == "yes"
    assert DecisionDraft().with_answer(learned).threshold == 0.2


def test_costs_are_compared_with_constant_predictions(capsys: pytest.CaptureFixture[str]) -> None:
    # 5 misses and 20 alarms cost 70; always "yes" 80 alarms, 80; always "no" 20 misses, 200.
    text = model.describe_costs(FOUND, COSTS)
    assert re.findall(r"\d+|“\w+”", text) == ["100", "70", "10", "“yes”", "130", "“no”"]
    decision = Decision("yes", 0.3, 10.0, 1.0, trials=12)
    _print_decision(FOUND, decision)
    for listing in (capsys.readouterr().out, render_decision(decision, FOUND, "")):
        assert re.findall("always “(yes|no)”", listing) == ["yes", "no"]
    heading, lines = model.make_table(FOUND, COSTS)
    assert len(heading) == 3
    assert lines[0] == ["“yes” found (recall)", "75 % (15 of 20)", "50 % (10 of 20)"]
    assert lines[2][1:] == ["43 % (15 of 35)", "67 % (10 of 15)"]
    assert lines[-1][1:] == ["70", "105"]


def test_costs_are_shown_in_table_currency() -> None:
    francs = replace(FOUND, currency="CHF" + PREFIX_MARK)
    assert "CHF\N{NO-BREAK SPACE}70:" in model.describe_costs(francs, COSTS)
    assert model.make_table(francs, COSTS)[1][-1][1:] == [
        "CHF\N{NO-BREAK SPACE}70",
        "CHF\N{NO-BREAK SPACE}105",
    ]
    text = _describe_decision(Decision("yes", 0.3, 50.0, 8.0), francs.currency)
    assert "a miss costs CHF\N{NO-BREAK SPACE}50," in text, "in the command line, too"
    form = DecideForm()
    form.set_currency(francs.currency)
    assert contains_facts(form.miss.accessibleName(), "(CHF)")
    assert not form._costs_note_label.isVisibleTo(form._costs_widget)
    form.set_currency("")
    assert "CHF" not in form.miss.accessibleName()
    assert form._costs_note_label.isVisibleTo(form._costs_widget)


def test_capacity_is_compared_with_share_of_test_rows() -> None:
    cells = ConfusionCounts(16, 20, 5, 259)
    found = replace(FOUND, threshold_confusion=cells, evaluation_split="test")
    draft = DecisionDraft("yes", 0.3, threshold_rule="capacity", capacity=0.1)
    rule = model.describe_rule(found, draft)
    assert contains_facts(rule, "10 %", "7 %", "test rows", "Who first?")
    rule = model.describe_rule(replace(found, evaluation_split="validation"), draft)
    assert "test rows" not in rule and contains_facts(rule, "10 %", "Who first?")


def test_threshold_is_formatted_consistently(capsys: pytest.CaptureFixture[str]) -> None:
    figures, decision = replace(FOUND, threshold=0.098421), Decision("yes", 0.098421)
    threshold_text = format_threshold(0.098421)
    assert threshold_text == "9.84 %"
    assert format_threshold(0.9996) == "99.96 %"
    _print_decision(figures, decision)
    for text in (
        model.describe_rule(figures, DecisionDraft.from_decision(decision)),
        model.describe_decision(decision, ""),
        decision.sentence,
        render_decision(decision, figures, ""),
        _describe_decision(decision),
        capsys.readouterr().out,
    ):
        assert threshold_text in text


def test_decision_caveats_are_shown() -> None:
    assert model.describe_caveats(FOUND) == ""
    text = model.describe_caveats(
        replace(FOUND, evaluation_split="validation", is_vote=True, is_weighted=True)
    )
    assert "optimistic" in text and "vote" in text and "weight" in text
    assert "before the refit" in model.describe_caveats(replace(FOUND, is_refitted=True))
    assert model.describe_decision(Decision("yes", 0.3), OUTDATED_NOTE).endswith(OUTDATED_NOTE)
    assert OUTDATED_NOTE not in model.describe_decision(Decision("yes", 0.3), "")


@pytest.mark.parametrize("split", ["test", "validation"])
def test_heading_names_total_weight_of_rows(split: Literal["test", "validation"]) -> None:
    cells = ConfusionCounts(16.5, 20.0, 5.0, 1200.0)
    figures = replace(FOUND, evaluation_split=split, count=800, threshold_confusion=cells)
    assert not contains_facts(model.describe_rows(figures), format_rows(cells.total))
    text = model.describe_rows(replace(figures, is_weighted=True))
    assert contains_facts(text, "800", format_rows(cells.total))


@pytest.mark.parametrize(
    ("curve", "x", "y"), [(ROC, 0.25, 0.75), (PRECISION, 0.75, 15 / 35), (GAINS, 0.35, 0.75)]
)
def test_operating_point_lies_on_curve(curve: str, x: float, y: float) -> None:
    figure = make_decision_figure(FOUND, curve)
    (point,) = (each for each in figure.marks if each.name == "this threshold")
    assert isinstance(point, Dots)
    assert (point.x[0], point.y[0], point.panel) == (pytest.approx(x), pytest.approx(y), 1)


def test_decision_view_needs_two_classes(make_view: ViewMaker) -> None:
    (question,) = (each for each in QUESTIONS if each.view is DecisionView)
    for task, applies in (("binary", True), ("multiclass", False), ("regression", False)):
        assert question.applies_to(make_view(settings={"source": {"task": task}})) is applies


@pytest.fixture
def page(session: Session, helper: Any, qtbot: QtBot) -> ResultsPage:
    results_page = ResultsPage(session, RunModel(session, helper), helper)
    qtbot.addWidget(results_page)
    results_page.resize(1000, 900)
    results_page.show()
    return results_page


@pytest.mark.slow
def test_wheel_over_figure_scrolls_page(
    page: ResultsPage,
    session: Session,
    finished_run: Callable[..., tuple[Path, int]],  # noqa: F811
    qtbot: QtBot,
) -> None:
    path, _ = finished_run(method="EO-sqm")
    session.open(path)
    page.resize(900, 600)
    press(page, "Decide")
    view = page.views.get_view(DecisionView)
    qtbot.waitUntil(lambda: "test row" in get_visible_text(view))
    assert "probability?" in get_visible_text(view), "two classes have a threshold"
    figure = next(each for each in view.findChildren(StaticFigure) if each.isVisible())
    area = next(each for each in page.findChildren(QScrollArea) if each.isAncestorOf(figure.canvas))
    window, bar = page.windowHandle(), area.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    bar.setValue(bar.maximum())
    background = QRect(figure.canvas.mapTo(page, QPoint(0, 0)), figure.canvas.size())
    visible_rect = background & QRect(
        area.viewport().mapTo(page, QPoint(0, 0)), area.viewport().size()
    )
    assert visible_rect.height() > 100
    stuck_points = []
    for x in range(
        visible_rect.left() + 5, visible_rect.right(), 20
    ):  # over curves, numbers and names alike
        for y in range(visible_rect.top() + 5, visible_rect.bottom(), 20):
            bar.setValue(bar.maximum())
            QTest.wheelEvent(window, QPointF(x, y), QPoint(0, 120))
            if bar.value() == bar.maximum():
                stuck_points.append((x, y))
    assert not stuck_points


@pytest.mark.slow
def test_errors_plot_links_to_decision(
    page: ResultsPage,
    session: Session,
    finished_run: Callable[..., tuple[Path, int]],  # noqa: F811
) -> None:
    path, run_id = finished_run(method="EO-sqm")
    session.open(path)
    press(page, "Errors")
    errors = page.views.get_view(ErrorsPage)
    assert errors.decide_button.isVisible()
    undecided = errors.decide_button.text()
    errors.decide_button.click()
    assert page.views.current_key == "decide"
    session.document.runs.decide(run_id, Decision("p", 0.3))
    session.following.poll()
    press(page, "Errors")
    assert errors.decide_button.text() != undecided


@pytest.mark.slow
def test_worst_rows_have_telling_columns_before_importance_is_known(
    page: ResultsPage,
    session: Session,
    helper: Any,
    finished_run: Callable[..., tuple[Path, int]],  # noqa: F811
    qtbot: QtBot,
) -> None:
    requests: list[dict[str, Any]] = []

    def answer(arguments: dict[str, Any]) -> Any:
        requests.append(arguments)
        return ERRORS_OF_VALUES

    helper.replaced["prediction_errors"] = answer
    session.open(finished_run(method="EO-sqm")[0])
    press(page, "Errors")
    qtbot.waitUntil(lambda: bool(requests))
    assert not requests[0]["columns"] and requests[0]["n_informative"] > 0


@pytest.mark.slow
def test_error_scatter_follows_height_of_drawing(
    page: ResultsPage,
    session: Session,
    helper: Any,
    finished_run: Callable[..., tuple[Path, int]],  # noqa: F811
    qtbot: QtBot,
) -> None:
    helper.replaced["prediction_errors"] = lambda _: ERRORS_OF_VALUES
    page.resize(1100, 900)
    session.open(finished_run(method="EO-sqm")[0])
    press(page, "Errors")
    plot = page.views.get_view(ErrorsPage).plot
    qtbot.waitUntil(lambda: plot.data is not None and not plot.empty_text)

    def get_size() -> tuple[float, float]:
        (axes,) = plot.canvas.ci.items
        box = axes.getViewBox()
        return box.width(), box.height()

    qtbot.waitUntil(lambda: get_size()[1] > 400 and abs(get_size()[0] - get_size()[1]) < 10)
    # Only the drawing gets another height, as in the first layout; it is then too low for a square:
    plot.header.setFixedHeight(plot.header.height() + 200)
    qtbot.waitUntil(lambda: get_size()[1] < 400 and get_size()[0] > 1.5 * get_size()[1])


@pytest.mark.slow
def test_answer_view_errors_view_and_command_use_decision(
    page: ResultsPage,
    session: Session,
    finished_run: Callable[..., tuple[Path, int]],  # noqa: F811
    qtbot: QtBot,
) -> None:
    path, run_id = finished_run(method="EO-sqm")
    session.open(path)
    press(page, "Errors")
    errors = page.views.get_view(ErrorsPage)
    label = compute_decision_figures(path, run_id).positive_class
    session.document.runs.decide(run_id, Decision(label, 0.01))
    session.following.poll()
    cells = compute_decision_figures(path, run_id).threshold_confusion
    flagged, missed = (
        round(cells.true_positives + cells.false_positives),
        round(cells.false_negatives),
    )

    def shows_decided() -> bool:
        plot_errors = errors.plot.data.errors if errors.plot.data else None
        return (
            plot_errors is not None
            and plot_errors.decision_class == label
            and not errors.plot.empty_text
        )

    qtbot.waitUntil(shows_decided)
    assert f"of {flagged} rows predicted “{label}”" in errors.sentence.text()
    assert contains_facts(errors.decide_button.text(), f"“{label}”", "1 %")
    assert (f"misses {missed} " in errors.sentence.text()) == (missed > 0)
    press(page, "Answer")
    right = f"With the decision, {round(cells.true_positives + cells.true_negatives)} of "
    qtbot.waitUntil(lambda: right in get_visible_text(page.views.get_view(AnswerView)))
    assert contains_facts(page.views.get_view(AnswerView).decision_link.text(), f"“{label}”", "1 %")
    assert right in summarise_run(session.document, run_id).headline


@pytest.mark.slow
def test_threshold_can_be_used_and_reverted(
    page: ResultsPage,
    session: Session,
    finished_run: Callable[..., tuple[Path, int]],  # noqa: F811
    qtbot: QtBot,
) -> None:
    path, run_id = finished_run(method="EO-sqm")
    session.open(path)
    press(page, "Decide")
    view = page.views.get_view(DecisionView)
    qtbot.waitUntil(lambda: "test row" in get_visible_text(view))
    assert "this ensemble vote." in get_visible_text(view)
    first = next(name for name, chip in view.form.classes.items() if chip.isChecked())
    # The initial threshold maximises F1 of the selected class, and is labelled so.
    best = compute_decision_figures(path, run_id, f1_optimal=True).threshold
    assert view.form.by_f1.isChecked() and "F1" in get_visible_text(view)
    assert view.form.draft == DecisionDraft(first, best, "f1")
    view.form.threshold.setFocus()
    view.form.threshold.selectAll()
    QTest.keyClicks(view.form.threshold, "50")
    view.form.slider.setFocus()
    QTest.keyClick(view.form.slider, Qt.Key.Key_PageDown)
    qtbot.waitUntil(lambda: "probability of 45 %" in get_visible_text(view))
    assert view.form.by_threshold.isChecked() and "F1" not in get_visible_text(view)
    assert session.document.runs.get(run_id).decision is None
    position = view.keep_button.mapTo(view, QPoint()), view._outcome.pos()
    press(view, "Use this decision")
    QTest.qWait(50)
    assert (view.keep_button.mapTo(view, QPoint()), view._outcome.pos()) == position
    decision = session.document.runs.get(run_id).decision
    result = session.document.runs.get(run_id).result
    assert decision == Decision(first, 0.45, trials=8, result=result.key)
    assert f"Decided: “{first}” from 45 %." in get_visible_text(view)
    assert not view.keep_button.isEnabled()
    press(view, "Costs")
    view.form.miss.selectAll()
    QTest.keyClicks(view.form.miss, "9")
    qtbot.waitUntil(
        lambda: (
            "the cheapest one" in get_visible_text(view)
            and "with every row" in get_visible_text(view)
        )
    )
    press(view, "Capacity")
    qtbot.waitUntil(
        lambda: (
            view.form.draft.threshold_rule == "capacity"
            and "At most 10 %" in get_visible_text(view)
        )
    )
    assert view.curves[ROC].isVisible() and not view.curves[COST_CURVE].isVisible()
    press(view, "Costs")
    qtbot.waitUntil(lambda: "the cheapest one" in get_visible_text(view))
    press(view, "Use this decision")
    by_costs = session.document.runs.get(run_id).decision
    assert by_costs is not None and (by_costs.miss_cost, by_costs.alarm_cost) == (9.0, 1.0)
    session.decisions.history.undo()
    assert session.document.runs.get(run_id).decision == decision
    assert view.form.draft == DecisionDraft(first, 0.45, "hand")
    press(view, "Capacity")
    qtbot.waitUntil(lambda: "At most 10 %" in get_visible_text(view))
    press(view, "Use this decision")
    by_capacity = session.document.runs.get(run_id).decision
    assert by_capacity is not None and by_capacity.capacity == pytest.approx(0.1)
    assert (
        view.form.draft == DecisionDraft.from_decision(by_capacity)
        and view.form.draft.threshold_rule == "capacity"
    )
    session.decisions.history.undo()
    view.clear_button.click()
    assert session.document.runs.get(run_id).decision is None
    session.decisions.history.undo()
    session.decisions.history.undo()
    assert session.document.runs.get(run_id).decision is None
    assert session.decisions.history.undo_text == ""
    session.decisions.history.redo()
    assert session.document.runs.get(run_id).decision == decision
    session.document.remove_run(run_id)
    session.following.poll()
    complaints: list[str] = []
    session.decisions.failed.connect(complaints.append)
    session.decisions.history.undo()
    assert complaints == [], "edits of a removed run cannot be undone"
    session.close()
    assert session.decisions.history.redo_text == ""


@pytest.mark.slow
def test_decision_of_earlier_run_is_offered_for_same_table(
    page: ResultsPage,
    session: Session,
    finished_run: Callable[..., tuple[Path, int]],  # noqa: F811
    run_inline: Callable[..., str],  # noqa: F811
    qtbot: QtBot,
) -> None:
    path, first = finished_run(method="EO-sqm")
    with Document.open(path) as document:
        document.runs.decide(first, Decision("yes", 0.2, 9.0, 2.0))
        settings = document.runs.get(first).settings
        second = document.runs.add("second", settings)
        foreign = {**settings, "source": {**settings["source"], "path": "other.csv"}}
        third = document.runs.add("third", foreign)
    run_inline(path, second)
    session.open(path)
    assert [each.row.id for each in session.runs.list_runs_with_same_table(second)] == [first]
    assert session.runs.list_runs_with_same_table(third) == []
    session.run_selection.choose_run(second)
    press(page, "Decide")
    view = page.views.get_view(DecisionView)
    qtbot.waitUntil(lambda: "the cheapest one" in get_visible_text(view))
    assert view.form.draft.costs == (9.0, 2.0) and view.form.draft.positive_class == "yes"
    assert contains_facts(get_visible_text(view), "No decision", "“test”")
    assert session.document.runs.get(second).decision is None
    press(view, "Use this decision")
    decision = session.document.runs.get(second).decision
    assert decision is not None and (decision.miss_cost, decision.alarm_cost) == (9.0, 2.0)
    assert "“test”" not in get_visible_text(view)
    assert "another run" in model.describe_offered_decision("best", "best")


@pytest.mark.slow
def test_outdated_decision_is_reported_and_renewable(
    page: ResultsPage,
    session: Session,
    finished_run: Callable[..., tuple[Path, int]],  # noqa: F811
    qtbot: QtBot,
) -> None:
    path, run_id = finished_run(method="EO-sqm")
    with Document.open(path) as document:
        looked_for = compute_decision_figures(path, run_id).positive_class
        document.runs.decide(run_id, Decision(looked_for, 0.45))
        result = document.runs.get(run_id).result
        document.runs.set_result(run_id, replace(result, refitted=not result.refitted))
    session.open(path)
    assert "earlier result" in page.views.get_view(AnswerView).decision_link.text()
    press(page, "Decide")
    view = page.views.get_view(DecisionView)
    qtbot.waitUntil(lambda: "earlier result" in get_visible_text(view))
    assert view.form.draft == DecisionDraft(looked_for, 0.45, "hand")
    assert view.keep_button.isEnabled()
    press(view, "Use this decision")
    qtbot.waitUntil(lambda: "earlier result" not in get_visible_text(view))
    result = session.document.runs.get(run_id).result
    assert session.document.runs.get(run_id).decision == Decision(
        looked_for, 0.45, trials=8, result=result.key
    )


@pytest.mark.slow
def test_invalid_threshold_stays_in_field(
    page: ResultsPage,
    session: Session,
    finished_run: Callable[..., tuple[Path, int]],  # noqa: F811
    qtbot: QtBot,
) -> None:
    path, _ = finished_run()
    session.open(path)
    press(page, "Decide")
    view = page.views.get_view(DecisionView)
    qtbot.waitUntil(lambda: "test row" in get_visible_text(view))
    view.form.threshold.selectAll()
    QTest.keyClicks(view.form.threshold, "130")
    assert view.form.threshold.text() == "130"
    assert "0 to 100." in get_visible_text(view)
    assert view.form.draft.threshold == pytest.approx(0.13)


def test_decision_is_worded_consistently() -> None:
    heading, _ = model.make_table(FOUND, COSTS)
    assert WITHOUT_DECISION in heading
    figure = make_decision_figure(FOUND, ROC)
    assert WITHOUT_DECISION in [each.name for each in figure.marks]
