"""The Compare page with stored results."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from studio.compare import study_notes
from studio.compare.answers import InterimResults
from studio.compare.choices import ComputeResources
from studio.compare.coordinator import StudyHeartbeat, load_coordinator
from studio.compare.study_notes import StudyMethod
from studio.errors import StudioError
from studio.gui.base import preferences
from studio.gui.base.preferences import get_appearance
from studio.gui.pages.compare import model
from studio.gui.pages.compare.extend_dialog import DATA, METHODS, REPETITIONS, ExtendDialog
from studio.gui.pages.compare.method_choices import AvailableMethod
from studio.gui.pages.compare.page import ComparePage
from studio.gui.pages.compare.sections import ResultSection
from studio.gui.pages.compare.study_view import ANSWER, RANKS, RUNS, TABS
from studio.gui.pages.compare.targets import make_data_entry_from_file
from studio.gui.plots.base.header import FullScreen
from studio.gui.session.session import Session
from studio.gui.shell.documents.documents import confirm_closing
from studio.gui.shell.story.story import Story
from studio.gui.shell.window import MainWindow
from studio.gui.widgets import cluster_question
from studio.gui.widgets.setting_fields import ValidatedLineEdit
from studio.language import tr
from studio.runs.settings import TableChoices
from tests.gui.compare.conftest import study_json
from tests.gui.compare.test_diagrams import DIAGRAM, TABLE
from tests.gui.test_names_and_tooltips import find_nameless
from tests.gui.visible_content import get_visible_text

pytestmark = pytest.mark.slow

Put = Callable[..., dict[tuple[str, str, int], int]]


@pytest.fixture
def full(page: ComparePage, put_study: Put, qtbot: QtBot, session: Session) -> ComparePage:
    """Return the page of a document with a finished study of 2 × 2 × 2 cells."""
    put_study(session.document)
    session.following.poll()
    page.resize(1000, 700)
    page.show()
    page.model.poll()
    qtbot.waitUntil(lambda: page.model.grid.n_planned_runs == 8)
    return page


def test_grid_shows_means_and_opens_runs(full: ComparePage, qtbot: QtBot, session: Session) -> None:
    grid = full.study_view.grid
    assert grid.cells.index(0, 1).data() == "20.0 %"
    assert grid.cells.index(0, 2).data() == "15.0 %"
    assert "8 of 8 runs" in full.study_view.progress_label.text()
    assert not full.study_view.continue_button.isVisibleTo(full)
    grid.setCurrentIndex(grid.cells.index(0, 1))
    with qtbot.waitSignal(full.run_requested) as blocker:
        qtbot.keyClick(grid, Qt.Key.Key_Return)
    run_view = session.runs.get_view(blocker.args[0])
    assert run_view.row.name.split(" · ") == ["one", "RS", "svm-rbf", "2"]
    menu = grid.make_menu(grid.cells.index(1, 2))
    assert menu is not None
    with qtbot.waitSignal(full.run_requested) as blocker:
        menu.actions()[0].trigger()
    run_view = session.runs.get_view(blocker.args[0])
    assert run_view.row.name.split(" · ") == ["two", "RS-post", "svm-rbf", "1"]
    assert not grid.grab().isNull()


def test_sentences_are_updated_with_grid(
    page: ComparePage, put_study: Put, helper: Any, session: Session, qtbot: QtBot
) -> None:
    nothing, missing = "Nothing can be compared yet.", "Not compared: RS-post."
    results = InterimResults(
        8,
        conclusions=(nothing, missing, "Predicted: y."),
        provisional_conclusions=(nothing, missing),
    )
    helper.replaced["study_results"] = lambda _: results
    page.show()
    for repetitions, headline, remarks in (
        (2, nothing, f"{missing}\nPredicted: y."),
        (3, "Comparing the finished runs…", "Predicted: y."),
    ):
        put_study(session.document, repetitions=repetitions)
        session.following.poll()
        page.model.poll()
        qtbot.waitUntil(lambda n=repetitions: page.model.grid.count("finished") == 4 * n)
        qtbot.waitUntil(lambda words=headline: page.study_view.conclusion_label.text() == words)
        assert page.study_view.remarks_label.text() == remarks
        page.model.set_watched(False)


def test_outdated_headline_is_marked_until_results_arrive(
    page: ComparePage, put_study: Put, helper: Any, session: Session, qtbot: QtBot
) -> None:
    study = page.study_view

    def put(n_repetitions: int) -> None:
        helper.replaced["study_results"] = lambda _: InterimResults(
            4 * n_repetitions, conclusions=(f"A leads by {n_repetitions}.",)
        )
        put_study(session.document, repetitions=n_repetitions)
        session.following.poll()
        page.model.poll()
        qtbot.waitUntil(lambda: page.model.grid.count("finished") == 4 * n_repetitions)

    def is_current(text: str) -> bool:
        page.model.poll()
        return study.conclusion_label.text() == text and study.conclusion_label.isEnabled()

    page.resize(1000, 700)
    page.show()
    page.model.set_watched(False)
    put(2)
    assert "finished runs…" in study.conclusion_label.text(), "no answer yet"
    assert not study.conclusion_label.isEnabled()
    study.show_tab(ANSWER)
    assert "completed by" not in get_visible_text(study), "the repetitions are complete"
    page.model.set_watched(True)
    qtbot.waitUntil(lambda: is_current("A leads by 2."))
    qtbot.wait(20)
    position, width = study.tabs.pos(), study.conclusion_label.width()
    assert not study.updating_label.isVisible()

    page.model.set_watched(False)
    put(3)
    assert study.conclusion_label.text() == "A leads by 2.", "that of the table beneath"
    assert not study.conclusion_label.isEnabled()
    assert study.updating_label.isVisible()
    qtbot.wait(20)
    assert (study.tabs.pos(), study.conclusion_label.width()) == (position, width)
    page.model.set_watched(True)
    qtbot.waitUntil(lambda: is_current("A leads by 3."))
    assert not study.updating_label.isVisible()


def test_headline_of_changed_study_is_marked(result_page: ComparePage, session: Session) -> None:
    result_page.model.set_watched(False)
    extended = {**session.document.notes.get(study_notes.STUDY), "repetitions": 9}
    session.document.notes.set(study_notes.STUDY, extended)
    result_page.model.poll()
    assert result_page.study_view.updating_label.isVisible()
    assert not result_page.study_view.conclusion_label.isEnabled()


def test_results_of_removed_runs_are_dropped(
    result_page: ComparePage, session: Session, qtbot: QtBot
) -> None:
    for view in list(session.runs.views):
        session.document.remove_run(view.row.id)
    session.following.poll()

    def is_empty() -> bool:
        result_page.model.poll()
        return result_page.model.results.finished == 0

    qtbot.waitUntil(is_empty)
    assert result_page.study_view.conclusion_label.isHidden()


def test_reason_for_missing_results_is_kept(
    result_page: ComparePage, helper: Any, put_study: Put, session: Session, qtbot: QtBot
) -> None:
    def refuse(_: Any) -> None:
        raise StudioError("The file is damaged.")

    helper.replaced["study_results"] = refuse
    put_study(session.document, repetitions=3)
    session.following.poll()
    result_page.model.poll()
    study = result_page.study_view
    qtbot.waitUntil(lambda: "damaged" in study.problem_label.text())
    session.runs.changed.emit()
    result_page.model.poll()
    assert "damaged" in study.problem_label.text()
    assert not study.conclusion_label.isEnabled(), "it is that of other runs"
    assert not study.updating_label.isVisible(), "nothing is being computed"


def test_grid_passes_model_tester(full: ComparePage, qtmodeltester: Any) -> None:
    qtmodeltester.check(full.study_view.grid.cells)
    qtmodeltester.check(full.form.methods.methods)
    qtmodeltester.check(full.form.spaces.spaces)
    qtmodeltester.check(full.form.data_sets.sets)


def test_controls_have_names_and_tabs_can_be_shown(full: ComparePage) -> None:
    for tab in TABS:
        full.study_view.show_tab(tab.key)
    assert find_nameless(full.study_view) == []


def test_cells_are_listed_only_if_selected(full: ComparePage, session: Session) -> None:
    assert len(session.runs.study_runs) == 8
    ordinary = session.document.runs.add("EO-sqm · mine", {"method": "EO-sqm"})
    session.following.poll()
    session.run_selection.choose_run(3)
    assert {view.row.id for view in session.run_selection.listed_runs} == {3, ordinary}


def test_skipped_cells_are_listed_with_reason(full: ComparePage, session: Session) -> None:
    document = session.document
    reason = "It is no table."
    StudyHeartbeat(document, 1).report(stage="ended", failures={"broken": reason})
    full.model.poll()
    rows = full.study_view.exclusions_table.records.records
    assert rows == [("broken", reason)]
    full.study_view.show_tab(RUNS)
    assert full.study_view.exclusions_table.isVisibleTo(full)
    assert "1 left out" in full.study_view.tabs.tabText(len(TABS) - 1)
    StudyHeartbeat(document, 1).report(stage="stopped", failures={})
    full.model.poll()
    assert not full.study_view.exclusions_table.isVisibleTo(full)


def test_finished_study_shows_conclusion_first(full: ComparePage) -> None:
    study = full.study_view
    is_finished = full.model.grid.count("finished") == full.model.grid.n_planned_runs
    assert study.tabs.currentIndex() == (0 if is_finished else len(TABS) - 1)
    assert (ANSWER in study.sections) == is_finished
    study.show_tab(ANSWER)
    assert [each.key for each in study.sections[ANSWER]] == [key for _, key, _ in TABS[0].sections]


def test_running_study_shows_its_runs_before_its_tables_are_read(
    page: ComparePage, session: Session
) -> None:
    session.document.notes.set(study_notes.STUDY, study_json())
    heartbeat = StudyHeartbeat(session.document, 1)
    page.show()
    session.following.poll()
    page.model.poll()
    assert page.model.study is not None and not page.model.grid.rows
    assert page.study_view.tabs.currentIndex() == len(TABS) - 1
    heartbeat.report(stage="stopped")


def test_study_of_one_data_set_has_no_ranks(
    page: ComparePage, put_study: Put, qtbot: QtBot, session: Session
) -> None:
    put_study(session.document, data=("one",))
    session.following.poll()
    page.show()
    page.model.poll()
    qtbot.waitUntil(lambda: page.model.grid.n_planned_runs == 4)
    page.study_view.show_tab(RANKS)
    visible = [each.key for each in page.study_view.sections[RANKS] if not each.isHidden()]
    assert visible == ["differences"]
    assert page.study_view.tabs.tabText(1) == "Differences"


def test_finished_comparison_shows_answer_tab(
    full: ComparePage, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = full.study_view
    study.show_tab(RUNS)
    study._is_finished = False
    position = study.tabs.pos()
    total = full.model.grid.n_planned_runs
    monkeypatch.setattr(
        type(full.model.grid), "count", lambda grid, state: total if state == "finished" else 0
    )
    study._show()
    assert study.tabs.currentIndex() == 0
    assert study.tabs.pos() == position
    study.show_tab(RUNS)
    study._show()
    assert study.tabs.currentIndex() == len(TABS) - 1, "only once: the user looks at the runs"


def test_rejected_study_shows_reason(full: ComparePage, session: Session) -> None:
    reason = "None can be used."
    StudyHeartbeat(session.document, 1).report(stage="refused", message=reason)
    full.model.poll()
    assert full.study_view.problem_label.text() == reason
    assert full.study_view.continue_button.isVisibleTo(full)


def test_finished_comparison_cannot_be_continued_while_it_is_read(
    page: ComparePage, put_study: Put, session: Session, qtbot: QtBot
) -> None:
    put_study(session.document)
    session.following.poll()
    page.show()
    page.model.poll()
    command = next(each for each in page.list_commands() if each.key == "compare.continue")
    assert not page.model.grid.rows, "the helper has not answered"
    assert "Reading" in get_visible_text(page.study_view)
    assert not page.study_view.continue_button.isVisibleTo(page)
    assert not command.is_enabled()
    qtbot.waitUntil(lambda: page.model.grid.count("finished") == 8)
    assert not command.is_enabled()


def test_last_run_is_read_when_the_comparison_ends(full: ComparePage, session: Session) -> None:
    document, run = session.document, next(iter(session.runs.ids))
    heartbeat = StudyHeartbeat(document, 1)
    document.runs.set_state(run, "running")
    session.following.poll()
    full.model.poll()
    assert full.model.is_alive and full.model.grid.count("finished") == 7
    document.runs.set_state(run, "finished")
    heartbeat.report(stage="ended")
    full.model.poll()
    assert not full.model.is_alive
    assert not full.study_view.continue_button.isVisibleTo(full)
    assert full.model.grid.count("finished") == 8


def test_comparison_is_stopped_by_request(full: ComparePage, session: Session) -> None:
    document = session.document
    heartbeat = StudyHeartbeat(document, 2)
    full.model.poll()
    assert full.model.is_alive
    assert not heartbeat.should_stop()
    full.study_view.stop_button.click()
    assert heartbeat.should_stop()
    assert not full.study_view.stop_button.isEnabled()
    heartbeat.report(stage="stopped")
    full.model.poll()
    assert not full.model.is_alive
    assert load_coordinator(document) is not None


def test_leaving_stops_comparison_if_confirmed(
    full: ComparePage, monkeypatch: pytest.MonkeyPatch, session: Session
) -> None:
    assert confirm_closing(session, full)
    heartbeat = StudyHeartbeat(session.document, 1)
    questions = []
    monkeypatch.setattr(
        "studio.gui.shell.documents.documents._ask_about_runs",
        lambda window, going, comparing: questions.append((going, comparing)) or "stop",
    )
    assert confirm_closing(session, full)
    assert questions == [(0, True)]
    assert heartbeat.should_stop()
    heartbeat.report(stage="stopped")


def test_comparison_is_extended_in_dialog(full: ComparePage, qtbot: QtBot, tmp_path: Path) -> None:
    study = full.model.study
    assert study is not None
    available_methods = [AvailableMethod(StudyMethod(name, name)) for name in ("RS", "EO-sqm")]
    methods = ExtendDialog(
        METHODS, study, available_methods, (), target_reader=full.setup.target_reader, parent=full
    )
    assert not methods.ok.isEnabled()
    assert [each.key for each in methods.methods.methods.records] == ["EO-sqm"]
    choices = methods.methods.methods
    assert choices.setData(
        choices.index(0, 0), Qt.CheckState.Checked, Qt.ItemDataRole.CheckStateRole
    )
    assert methods.ok.isEnabled()
    assert [each.name for each in methods.get_changed_settings()["methods"]] == [
        "RS",
        "RS-post",
        "EO-sqm",
    ]
    data = ExtendDialog(
        DATA, study, available_methods, (), target_reader=full.setup.target_reader, parent=full
    )
    data.data_sets.add_paths([tmp_path / "three.csv"])
    sets = data.data_sets.sets
    assert sets.setData(sets.index(0, 1), "y")
    assert data.get_changed_settings() == {
        "data": ("one", "two", str(tmp_path / "three.csv")),
        "target": {"three": "y"},
        "tables": {},
    }
    data.data_sets.add_paths([tmp_path / "one.csv"])
    assert "this comparison: one." in get_visible_text(data)
    more = ExtendDialog(
        REPETITIONS,
        study,
        available_methods,
        (),
        target_reader=full.setup.target_reader,
        parent=full,
    )
    assert not more.ok.isEnabled()
    qtbot.keyClicks(more.repetitions, "0")
    assert more.get_changed_settings() == {"repetitions": 20}
    assert more.ok.isEnabled()
    qtbot.keyClicks(more.repetitions, "x")
    assert not more.ok.isEnabled()
    for dialog in (methods, data, more):
        assert find_nameless(dialog) == []


def test_skipped_data_set_is_retried_with_other_target(full: ComparePage) -> None:
    study = full.model.study
    assert study is not None
    tables = {
        "one": TableChoices(roles={"b": "ignore"}),
        "two": TableChoices(roles={"price": "ignore", "b": "ignore"}, monotone={"a": "up"}),
    }
    edited_study = replace(study, target={"one": "y"}, tables=tables)
    dialog = ExtendDialog(
        DATA, edited_study, [], {"two"}, target_reader=full.setup.target_reader, parent=full
    )
    assert "also listed" in get_visible_text(dialog)
    sets = dialog.data_sets.sets
    assert [each.name for each in sets.records] == ["two"]
    assert dialog.ok.isEnabled(), "its file may have been corrected"
    assert dialog.get_changed_settings() == {"data": ("one", "two")}
    assert sets.setData(sets.index(0, 1), "price")
    assert dialog.ok.isEnabled()
    assert dialog.get_changed_settings() == {
        "data": ("one", "two"),
        "target": {"one": "y", "two": "price"},
        "tables": {"one": tables["one"], "two": TableChoices(roles={"b": "ignore"})},
    }
    dialog.data_sets.removed.emit(["two"])
    assert not dialog.ok.isEnabled(), "nothing to read"


def test_omitted_data_set_is_no_new_repetition(full: ComparePage) -> None:
    study, target_reader = full.model.study, full.setup.target_reader
    assert study is not None
    dialog = ExtendDialog(REPETITIONS, study, [], {"two"}, target_reader=target_reader, parent=full)
    assert not dialog.ok.isEnabled()


def test_data_sets_of_same_name_are_rejected_with_message(
    page: ComparePage, qtbot: QtBot, tmp_path: Path, session: Session
) -> None:
    study = {
        "data": [str(tmp_path / "a" / "x.csv"), str(tmp_path / "b" / "x.csv")],
        "methods": ["RS", "RS-post"],
    }
    with qtbot.waitSignal(page.failed) as failed:
        page.model.start_study(study, ComputeResources(1))
    assert "called “x”" in failed.args[0]
    assert session.read_note(study_notes.STUDY) is None


def test_study_can_be_moved_to_cluster_and_back(
    page: ComparePage, table: Path, qtbot: QtBot, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[ComputeResources] = []

    class MissingCoordinator:
        def __init__(self, document: Path, place: ComputeResources) -> None:
            started.append(place)

        def poll(self) -> int:
            return 0

    monkeypatch.setattr(model, "start_coordinator", MissingCoordinator)
    page.show()
    page.setup.add([make_data_entry_from_file(table)])
    for name in ("RS", "RS-post"):
        page.setup.set_draft(page.setup.draft.with_method(StudyMethod(name, name), True))
    page.setup.change(workers=3)
    address = page.form.fields.inputs["cluster"]
    assert isinstance(address, ValidatedLineEdit)
    qtbot.keyClicks(address, "10.0.0.5")
    qtbot.keyClick(address, Qt.Key.Key_Return)
    assert not page.form.start_button.isEnabled(), "it would work on this machine instead"
    assert "10.0.0.5" in page.form.obstacle_label.text()
    address.clear()
    qtbot.keyClicks(address, "tcp://10.0.0.5:8786")
    qtbot.keyClick(address, Qt.Key.Key_Return)
    answers: list[str | None] = [None, "tcp://10.0.0.5:8786"]
    monkeypatch.setattr(cluster_question, "_ask_for_confirmation", lambda _: answers.pop(0))
    page.start()
    assert len(answers) == 1
    assert not session.has_study, "it was not confirmed"
    page.start()
    qtbot.waitUntil(lambda: bool(started))
    assert started == [ComputeResources(3, "tcp://10.0.0.5:8786")]

    # (Its coordinator finds capacity for forty workers, then loses the cluster.)
    heartbeat = StudyHeartbeat(session.document, 40, "tcp://10.0.0.5:8786")
    message = "The connection to the cluster is lost."
    heartbeat.report(stage="refused", message=message)
    page.model.poll()
    assert page.model.resources.workers == 40
    assert page.study_view.problem_label.text() == message
    here = next(each for each in page.list_commands() if each.key == "compare.continue-here")
    page.study_view.continue_button.click()
    assert here.is_enabled()
    here.run()
    assert started[1:] == [ComputeResources(40, "tcp://10.0.0.5:8786"), ComputeResources(3)]

    # (Another user's document names the same address.)
    preferences.save(preferences.load().with_changes(clusters=""))
    answers += [None, None, ""]
    page.study_view.continue_button.click()
    page.model.extend(repetitions=2)
    assert answers == [""]
    assert len(started) == 3
    page.study_view.continue_button.click()
    assert started[3:] == [ComputeResources(40, "")]


def test_page_states_that_no_action_is_needed(page: ComparePage) -> None:
    assert "Optional:" in get_visible_text(page)


@pytest.fixture
def result_page(
    page: ComparePage, put_study: Put, helper: Any, session: Session, qtbot: QtBot
) -> Iterator[ComparePage]:
    """Return the page with a table and two diagrams of a finished study."""
    diagrams = {key: replace(DIAGRAM, key=key) for key in ("critical-difference", "box-plots")}
    results = InterimResults(
        8, ("A", "B"), {"ranks": TABLE, "errors": TABLE}, diagrams, conclusions=("A is ahead.",)
    )
    helper.replaced["study_results"] = lambda _: results
    put_study(session.document)
    session.following.poll()
    page.resize(1000, 700)
    page.show()
    page.model.poll()
    qtbot.waitUntil(lambda: "A is ahead." in page.study_view.conclusion_label.text())
    yield page
    get_appearance().set_presenting(False)


def test_empty_sections_are_last(result_page: ComparePage, qtbot: QtBot) -> None:
    result_page.study_view.show_tab(ANSWER)
    sections = result_page.study_view.sections[ANSWER]
    expected = [each.key for each in sorted(sections, key=lambda each: each.is_empty)]
    assert expected[:2] == ["errors", "box-plots"] != [each.key for each in sections[:2]]
    qtbot.waitUntil(
        lambda: [each.key for each in sorted(sections, key=lambda each: each.y())] == expected
    )


def test_presented_diagram_can_enter_and_leave_full_screen(
    result_page: ComparePage, qtbot: QtBot
) -> None:
    result_page.study_view.show_tab(RANKS)
    get_appearance().set_presenting(True)
    result_page.study_view.fill_screen()
    (full,) = result_page.window().findChildren(FullScreen)
    assert full.isVisible()
    assert full.about_label.text() == "A is ahead.", "the conclusion stays in view"
    assert full.about_label.wordWrap(), "a long one is not cut off"
    assert full.leave_button.isVisible()
    assert tr("Leave full screen") in full.leave_button.text()
    qtbot.mouseClick(full.leave_button, Qt.MouseButton.LeftButton)
    (main,) = [e for e in result_page.study_view.sections[RANKS] if e.key == "critical-difference"]
    qtbot.waitUntil(lambda: main.view.isVisible() and main.view.hasHeightForWidth())


def test_presentation_mode_shows_explanation_of_brackets(qtbot: QtBot) -> None:
    section = ResultSection("table", "algorithms", "Chosen algorithms")
    qtbot.addWidget(section)
    section.show_results(InterimResults(1, ("A", "B"), {"algorithms": TABLE}))
    section.show()
    try:
        get_appearance().set_presenting(True)
        assert (
            section.explanation_label.isVisible() and "brackets" in section.explanation_label.text()
        )
    finally:
        get_appearance().set_presenting(False)


def test_headline_and_remarks_mention_final_models(
    result_page: ComparePage, session: Session
) -> None:
    study = result_page.study_view
    assert result_page.model.study is not None and result_page.model.study.refit
    study.show_tab(ANSWER)
    assert study.conclusion_label.text() == "A is ahead."
    assert "final models" in study.remarks_label.text()
    result_page.model.study = replace(result_page.model.study, refit=False)
    result_page.model.results_changed.emit()
    assert study.conclusion_label.text() == "A is ahead."
    assert "final models" not in study.remarks_label.text()
    assert "without a refit" in study.remarks_label.text()


def test_f5_presents_comparison_without_stopping_it(
    put_study: Put, helper: Any, session: Session, qtbot: QtBot
) -> None:
    put_study(session.document)
    session.following.poll()
    window = MainWindow(session, helper)
    qtbot.addWidget(window)
    window.show()
    window.show_page("compare")
    page = window.get_page_widget("compare")
    assert isinstance(page, ComparePage)
    qtbot.waitUntil(lambda: page.is_showing_study)
    try:
        for _ in range(2):
            window.window_actions.show_slides()
            assert get_appearance().is_presenting
        assert not window.findChildren(Story), "that is of a run"
    finally:
        get_appearance().set_presenting(False)
