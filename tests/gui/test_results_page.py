"""The results page."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from studio import language
from studio.analysis.answers.ensemble import Contributions
from studio.analysis.headline_text import BETTER_BY_METRIC
from studio.compare.study_notes import STUDY
from studio.data.metrics.plain_score import PlainScore, RankedHits
from studio.document.decision import Decision
from studio.document.results import BestSingleModel
from studio.document.trials import Iteration
from studio.figures.shapes import TextLabel
from studio.gui.base.localisation import set_languages
from studio.gui.base.preferences import get_appearance
from studio.gui.drafts.run_model import RunModel
from studio.gui.pages.results.page import ResultsPage
from studio.gui.pages.results.views.answer import AnswerView
from studio.gui.pages.results.views.errors import ErrorsPage
from studio.gui.pages.results.views.leaderboard import LeaderboardView
from studio.gui.pages.results.views.registry import QUESTIONS, Question
from studio.gui.plots.base.helper_requests import HelperRequester
from studio.gui.session.session import Session
from studio.gui.widgets import kit
from studio.trial import Trial
from tests.facts import contains_facts
from tests.gui.tables import texts
from tests.gui.visible_content import get_visible_text, press
from tests.results import make_result

RESULT = make_result(
    kept_bytes=2_500_000,
    single=BestSingleModel(3),
    difference_interval=(-0.05, 0.01),
    test_rows=50,
    test_error_single=0.06,
    test_error_ensemble=0.04,
    test_interval=(0.01, 0.07),
    single_interval=(0.02, 0.1),
)


@pytest.fixture
def page(session: Session, helper: Any, qtbot: QtBot) -> ResultsPage:
    results_page = ResultsPage(session, RunModel(session, helper), helper)
    qtbot.addWidget(results_page)
    return results_page


@pytest.fixture
def answer(page: ResultsPage) -> AnswerView:
    return page.views.get_view(AnswerView)


def add_run(session: Session) -> int:
    document = session.document
    split = {"train": np.arange(4), "validation": np.arange(4, 8), "test": np.arange(8, 12)}
    source = {"path": "customers 2026.csv", "target": "Churned"}
    settings = {"method": "EO-sqm", "metric": "error", "budget": 2, "source": source}
    run = document.runs.add("EO-sqm", settings, split=split)
    document.trials.add(
        run,
        Trial(1, {"algorithm": "knn", "knn.n_neighbors": 3}, 0, 0.05),
        np.zeros((4, 2), np.float16),
        None,
        Iteration(1, 1, 0.05, None, 0.05, None, ((1, 1.0),)),
    )
    failed = Trial(2, {"algorithm": "qda"}, 0, None, "It ran out of memory.", "Allow it more.")
    document.trials.add(run, failed, None, None, Iteration(2, 1, 0.05, None, 0.05))
    session.following.poll()
    session.run_selection.choose_run(run)
    return run


@pytest.mark.slow
def test_starved_run_can_be_continued_from_its_answer(
    page: ResultsPage, answer: AnswerView, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.show()
    run = add_run(session)
    assert not answer.continue_button.isVisible(), "it has not ended"
    score = PlainScore(50, True, 0.96, None, 0.85, False, True, True)
    session.document.runs.set_result(run, replace(RESULT, headline=score))
    session.document.runs.set_state(run, "finished")
    session.following.poll()
    assert answer.continue_button.isVisible()
    requests: list[tuple[Any, ...]] = []
    monkeypatch.setattr(session.control, "send_request", lambda *given: requests.append(given))
    answer.continue_button.click()
    assert requests == [(run, "budget", {"budget": None, "seconds": 300.0})]

    view = session.runs.get_view(run)
    view.pending_request = "continue"
    page.show_answer()
    assert not answer.continue_button.isVisible(), "it is being continued"
    view.pending_request = ""

    exhausted = replace(RESULT, headline=score, exhausted="Nothing is left.")
    session.document.runs.set_result(run, exhausted)
    session.following.poll()
    assert not answer.continue_button.isVisible()


@pytest.mark.slow
@pytest.mark.parametrize("width", [500, 1100])
def test_results_tabs_do_not_move(
    page: ResultsPage, session: Session, qtbot: QtBot, width: int
) -> None:
    page.resize(width, 700)
    page.show()
    run = add_run(session)
    QApplication.processEvents()
    position_before = page.views.mapTo(page, page.views.rect().topLeft())
    session.document.runs.set_result(run, RESULT)
    session.following.poll()
    QApplication.processEvents()
    assert page.views.mapTo(page, page.views.rect().topLeft()) == position_before
    assert "2.5" in page.subtitle_label.toolTip(), "what is kept"


def test_results_page_without_run_shows_hint(page: ResultsPage) -> None:
    assert get_visible_text(page).startswith("No run yet\n")
    assert not page.predict_card.choose_button.isEnabled()
    assert not any(each.isEnabled() for each in page.export_card.buttons.values())


def test_results_page_links_to_comparison(page: ResultsPage, session: Session) -> None:
    session.set_note(STUDY, {})
    session.runs.changed.emit()
    assert contains_facts(get_visible_text(page), "a comparison\n", "Compare")


def test_error_scale_is_localised(
    answer: AnswerView, session: Session, request: pytest.FixtureRequest
) -> None:
    request.addfinalizer(lambda: set_languages(language.ENGLISH))
    set_languages("fr")
    run = add_run(session)
    session.document.runs.set_result(run, RESULT)
    session.document.runs.set_state(run, "finished")
    session.following.poll()
    assert answer.chart._make_diagram is not None
    shapes = answer.chart._make_diagram(720).shapes
    entries = [each.text for each in shapes if isinstance(each, TextLabel)]
    assert "7,5\u202f%" in entries


def test_ensemble_equal_to_best_single_model_has_one_bar(
    answer: AnswerView, session: Session
) -> None:
    run = add_run(session)
    assert "Ensemble" not in answer.chart.accessibleName(), "so far"
    session.document.runs.set_result(run, replace(RESULT, single=BestSingleModel(1)))
    session.document.runs.set_state(run, "finished")
    session.following.poll()
    name = answer.chart.accessibleName()
    assert "est single model" in name and "Ensemble" not in name


def test_finished_run_shows_members_and_actions(
    page: ResultsPage, answer: AnswerView, session: Session
) -> None:
    run = add_run(session)
    assert not page.export_card.buttons["pickle"].isEnabled()
    session.document.runs.set_result(run, RESULT)
    session.document.runs.set_state(run, "finished")
    session.following.poll()
    assert "Churned · customers 2026" in get_visible_text(page)
    assert contains_facts(get_visible_text(page), "Error rate", "50 test rows")
    assert "4.0 %   (1.0 % to 7.0 %)" in answer.chart.accessibleName()
    assert "may be chance" in get_visible_text(page)
    assert texts(answer.members.records)[0] == [
        "100 %",
        "1",
        "Nearest neighbours",
        "5.0 %",
        "–",
        "–",
        "–",
        "n_neighbors 3",
    ]
    assert page.predict_card.choose_button.isEnabled()
    assert page.export_card.buttons["pickle"].isEnabled()
    assert not page.refit_card.isVisibleTo(page), "its members are trained already"
    assert "document (2.5 MB)" in page.subtitle_label.toolTip()
    assert not page.predict_card.waiting_label.isVisibleTo(page)
    page.resize(1000, 700)
    assert not page.grab().isNull()


def test_timed_out_run_can_be_extended(
    page: ResultsPage, monkeypatch: pytest.MonkeyPatch, session: Session
) -> None:
    run = add_run(session)
    session.document.runs.change_settings(run, {"budget": None, "seconds": 60.0})
    session.document.runs.set_result(run, replace(RESULT, trials=2, seconds=60.0))
    session.document.runs.set_state(run, "finished")
    session.following.poll()
    started: list[int] = []
    monkeypatch.setattr(session.control, "start", started.append)
    press(page, "Continue")
    assert started == [run]
    settings = session.document.runs.get(run).settings
    assert settings["budget"] == 62
    assert settings["seconds"] is None, "the engine would have no time left"


def test_result_tables_pass_model_tester(
    page: ResultsPage, answer: AnswerView, session: Session, qtmodeltester: Any
) -> None:
    add_run(session)
    qtmodeltester.check(answer.members.records)
    qtmodeltester.check(page.views.get_view(LeaderboardView).table.records)


def test_contributions_are_requested_when_visible(
    page: ResultsPage, answer: AnswerView, helper: Any, qtbot: QtBot, session: Session
) -> None:
    contributions = Contributions(
        members=np.array([1]),
        member_validation_losses=np.array([0.05]),
        member_test_losses=np.array([0.06]),
        without_validation=np.array([0.07]),
        without_test=np.array([0.03]),
        validation=0.05,
        test=0.04,
        best_single_trial=3,
    )
    run = add_run(session)
    session.document.runs.set_result(run, RESULT)
    session.document.runs.set_state(run, "finished")
    session.following.poll()
    assert helper.asked == []
    helper.replaced["contributions"] = lambda _: contributions
    page.show()
    qtbot.waitUntil(lambda: not answer.members.isColumnHidden(4))
    cells = texts(answer.members.records)[0]
    assert cells[3:7] == ["5.0 %", "6.0 %", "+2.00", "−1.00"]


@pytest.mark.parametrize(("average", "is_reported"), [(0.96, False), (0.87, True)])
def test_differing_metric_is_shown_beside_headline(
    page: ResultsPage,
    session: Session,
    helper: Any,
    qtbot: QtBot,
    average: float,
    is_reported: bool,
) -> None:
    headline = PlainScore(50, True, average, None, 0.85, False, True, True)
    run = add_run(session)
    session.document.runs.set_result(run, replace(RESULT, headline=headline))
    session.document.runs.set_state(run, "finished")
    session.following.poll()
    helper.replaced["contributions"] = lambda _: Contributions(constant_loss=0.5)
    page.show()
    qtbot.waitUntil(lambda: "For comparison: guessing" in get_visible_text(page))
    assert (
        contains_facts(get_visible_text(page), "metric of this", "4.0 %", "50.0 %") is is_reported
    )


def test_run_better_by_its_metric_has_no_warning(answer: AnswerView, session: Session) -> None:
    score = PlainScore(50, True, 0.84, None, 0.85, False, True, False, by_metric=True)
    run = add_run(session)
    session.document.runs.set_result(run, replace(RESULT, headline=score))
    session.document.runs.set_state(run, "finished")
    session.following.poll()
    visible_labels = [each for each in answer.findChildren(QLabel) if not each.isHidden()]
    assert any(BETTER_BY_METRIC in each.text() for each in visible_labels)
    assert not [each.text() for each in visible_labels if each.property("role") == "warning"]


@pytest.mark.slow
@pytest.mark.parametrize("overruled", [(), ("'closed' was kept although it may contain …",)])
@pytest.mark.parametrize(
    "headline", [None, PlainScore(50, True, 0.96, None, 0.85, False, True, True)]
)
def test_answer_lists_overruled_findings(
    answer: AnswerView, session: Session, overruled: tuple[str, ...], headline: PlainScore | None
) -> None:
    run = add_run(session)
    session.document.runs.set_result(run, replace(RESULT, headline=headline, overruled=overruled))
    session.document.runs.set_state(run, "finished")
    session.following.poll()
    assert answer.overruled.get_text() == "".join(overruled)
    assert answer.overruled.isHidden() is not bool(overruled)


@pytest.mark.slow
def test_answer_for_two_classes_shows_ranking(answer: AnswerView, session: Session) -> None:
    yes = RankedHits("Yes", 20, 12, 25, True, ((0.0, 0.0), (1.0, 1.0)))
    headline = PlainScore(
        50, True, 0.96, None, 0.85, False, True, True, yes, ranked_other=replace(yes, label="No")
    )
    run = add_run(session)
    session.document.runs.set_result(run, replace(RESULT, headline=headline))
    session.document.runs.set_state(run, "finished")
    session.following.poll()
    assert not answer.figure.isHidden()
    assert contains_facts(get_visible_text(answer), "20 rows", "12 are “Yes”", "Right for")
    session.document.runs.decide(run, Decision("No", 0.4))
    session.following.poll()
    assert contains_facts(get_visible_text(answer), "20 rows", "12 are “No”")
    assert "Right for" not in get_visible_text(answer), "of labels that are not the decision's"
    current = answer.decision_link.text()
    later = replace(RESULT, headline=headline, trials=RESULT.trials + 1)
    session.document.runs.set_result(run, later)
    session.following.poll()
    assert answer.decision_link.text() != current
    session.document.runs.set_result(run, replace(RESULT, headline=replace(headline, ranked=None)))
    session.document.runs.decide(run, None)
    session.following.poll()
    assert "48 of 50" in get_figure_texts(answer), "without a ranking, the rows that are right"
    values = PlainScore(50, False, 7.5, 6.0, 20.0, False, True, True, guess_middle=12.0)
    for score, shown in ((values, ("± 6", "± 12")), (replace(values, metric="MAPE"), ())):
        session.document.runs.set_result(run, replace(RESULT, headline=score))
        session.following.poll()
        assert answer.figure.isHidden() is not bool(shown)
        assert contains_facts(get_figure_texts(answer), *shown)


def get_figure_texts(answer: AnswerView) -> str:
    make = answer.figure._make_diagram
    shapes = () if make is None else make(720.0).shapes
    texts = (each.text for each in shapes if isinstance(each, TextLabel))
    return " ".join(texts).replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.slow
def test_late_error_summary_does_not_shift_layout(
    page: ResultsPage, session: Session, helper: Any, qtbot: QtBot
) -> None:
    helper.holds_replies = True  # the plot has no data yet
    run = add_run(session)
    session.document.runs.set_result(run, RESULT)
    session.document.runs.set_state(run, "finished")
    session.following.poll()
    page.resize(1222, 692)
    page.show()
    press(page, "Errors")
    view = page.views.get_view(ErrorsPage)
    qtbot.wait(50)
    assert view.sentence.isHidden()
    position_before = view.plot.mapTo(page, QPoint())
    kit.show_text(view.sentence, "Wrong for 3 of 4 rows.")
    qtbot.wait(50)
    assert view.plot.mapTo(page, QPoint()) == position_before


@pytest.mark.slow
def test_missing_stored_model_is_reported_before_request(
    page: ResultsPage, session: Session
) -> None:
    run = add_run(session)
    nothing = replace(RESULT, kept_bytes=0, kept_reason="It is too large.")
    session.document.runs.set_result(run, nothing)
    session.document.runs.set_state(run, "finished")
    session.following.poll()
    assert page.predict_card.waiting_label.text() == nothing.kept_reason
    assert page.predict_card.waiting_label.isVisibleTo(page)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda each: each.key)
def test_each_question_opens_its_view(
    page: ResultsPage, session: Session, question: Question
) -> None:
    add_run(session)
    page.views.open(question.key)
    assert page.views.chips[question.key].isChecked()
    assert page.views.get_view(question.view).area.isVisibleTo(page.views)


@pytest.mark.slow
def test_question_focus_follows_selection(
    page: ResultsPage, session: Session, qtbot: QtBot
) -> None:
    add_run(session)
    page.show()
    page.activateWindow()
    qtbot.waitUntil(page.isActiveWindow)
    first, second = (page.views.chips[QUESTIONS[k].key] for k in (0, 1))
    first.setFocus()
    QTest.mouseClick(second, Qt.MouseButton.LeftButton)
    assert second.hasFocus() and not first.hasFocus()
    second.clearFocus()
    page.views.open(QUESTIONS[0].key)
    assert not first.hasFocus(), "the focus is elsewhere"


@pytest.mark.slow
def test_views_use_separate_request_channels(
    session: Session, helper: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    channels: list[str] = []
    begin = HelperRequester.__init__

    def note(asker: Any, *given: Any, channel: str) -> None:
        channels.append(channel)
        begin(asker, *given, channel=channel)

    monkeypatch.setattr(HelperRequester, "__init__", note)
    page = ResultsPage(session, RunModel(session, helper), helper)
    qtbot.addWidget(page)
    add_run(session)
    for question in QUESTIONS:
        page.views.open(question.key)
    assert channels
    assert [each for each in channels if channels.count(each) > 1] == []


@pytest.mark.slow
def test_presentation_mode_hides_side_panel(page: ResultsPage, session: Session) -> None:
    add_run(session)
    page.resize(1400, 800)
    page.show()
    QApplication.processEvents()
    assert page.side.isVisible()
    get_appearance().set_presenting(True)
    try:
        QApplication.processEvents()
        assert page.views.isVisible() and not page.side.isVisible()
        page.side_chip.click()
        QApplication.processEvents()
        assert page.side.isVisible(), "one press away"
    finally:
        get_appearance().set_presenting(False)
    QApplication.processEvents()
    assert page.views.isVisible() and page.side.isVisible() and not page.side_chip.isVisible()


@pytest.mark.slow
def test_narrow_results_page_shows_views_or_exports(page: ResultsPage, session: Session) -> None:
    add_run(session)
    page.resize(1100, 600)
    page.show()
    QApplication.processEvents()
    assert page.views.isVisible() and page.side.isVisible() and not page.side_chip.isVisible()
    page.resize(824, 480)
    QApplication.processEvents()
    assert page.views.isVisible() and not page.side.isVisible()
    page.side_chip.click()
    QApplication.processEvents()
    assert page.side.isVisible() and not page.views.isVisible()
    assert page.side.width() > 700
    QTest.keyClick(page.side_chip, Qt.Key.Key_Escape)
    assert page.views.isVisible() and not page.side_chip.isChecked()
    page.side_chip.click()
    page.show_view("answer")
    assert page.views.isVisible() and not page.side.isVisible() and not page.side_chip.isChecked()
    page.side_chip.click()
    page.resize(1100, 600)
    QApplication.processEvents()
    assert page.side.isVisible() and page.side.width() == 344
    page.resize(824, 480)  # as an opened help panel does
    QApplication.processEvents()
    assert page.views.isVisible() and not page.side.isVisible()


@pytest.mark.slow
def test_opening_document_resets_results_view(
    page: ResultsPage, session: Session, tmp_path: Path
) -> None:
    add_run(session)
    page.views.open("leaderboard")
    session.create(tmp_path / "other.studio")
    assert page.views.current_key == "answer"


def test_stopped_run_without_model_shows_instructions(page: ResultsPage, session: Session) -> None:
    page.show()
    stopped = session.document.runs.add("EO-sqm", {"method": "EO-sqm", "metric": "error"})
    session.document.runs.set_state(stopped, "stopped")
    session.following.poll()
    session.run_selection.choose_run(stopped)
    assert "Continue it" in get_visible_text(page)


@pytest.mark.slow
def test_results_page_scrolls_to_top_for_another_run(page: ResultsPage, session: Session) -> None:
    page.resize(1100, 260)
    page.show()
    runs = [add_run(session) for _ in range(2)]
    QApplication.processEvents()
    bars = [page.side.verticalScrollBar(), page.views.get_view(AnswerView).area.verticalScrollBar()]
    for bar in bars:
        bar.setValue(bar.maximum())
    assert all(bar.value() > 0 for bar in bars)
    session.following.poll()
    session.runs.changed.emit()
    assert all(bar.value() > 0 for bar in bars), "the same run stays where it is"
    session.run_selection.choose_run(runs[0])
    assert all(bar.value() == 0 for bar in bars)
