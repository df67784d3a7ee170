"""The set-up of a comparison before its start."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from studio.compare.study import parse_study
from studio.compare.study_notes import StudyMethod
from studio.gui.base.question import QuestionBox
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.run_model import RunModel
from studio.gui.pages.compare.draft import OPEN_SPACE, StudyDraft
from studio.gui.pages.compare.page import ComparePage
from studio.gui.pages.compare.targets import (
    TargetReader,
    make_data_entry_by_name,
    make_data_entry_from_file,
)
from studio.gui.session.session import Session
from studio.gui.widgets.fold import CollapsibleSection
from studio.gui.widgets.setting_fields import ChoiceCheckBox
from studio.helper.tables import TableTarget
from studio.runs.settings import RunSettings, TableChoices
from studio.space import editing
from studio.space.library import load
from studio.space.space import Space
from studio.tasks import Task
from tests.facts import contains_facts
from tests.gui.test_names_and_tooltips import find_nameless

pytestmark = pytest.mark.slow


def test_page_without_study_shows_setup(page: ComparePage, qtbot: QtBot) -> None:
    page.show()
    assert page.form.isVisible()
    assert not page.study_view.isVisible()
    assert not page.form.start_button.isEnabled()
    assert "one data set" in page.form.obstacle_label.text()
    assert find_nameless(page.form) == []


def test_methods_are_searched_and_checked(
    page: ComparePage, qtbot: QtBot, session: Session, models: RunModel
) -> None:
    models.request_catalogue()
    qtbot.waitUntil(lambda: bool(page.setup.available_methods))
    methods = page.form.methods.methods
    everything = methods.rowCount()
    page.form.methods.search.setText("EO-sqm")
    assert 0 < methods.rowCount() < everything
    position = [each.key for each in methods.records].index("EO-sqm")
    index = methods.index(position, 0)
    assert methods.setData(index, Qt.CheckState.Checked, Qt.ItemDataRole.CheckStateRole)
    assert page.setup.draft.method_names == ("EO-sqm",)
    assert index.data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
    assert session.read_note("window.compare")["methods"][0]["name"] == "EO-sqm"


def test_setup_shows_targets_and_spaces(page: ComparePage, table: Path, qtbot: QtBot) -> None:
    form = page.form
    page.setup.add([make_data_entry_from_file(table)])
    page.setup.change(methods=tuple(StudyMethod(each, each) for each in ("best", "RS")))
    qtbot.waitUntil(lambda: bool(page.setup.tasks))
    assert form.data_sets.sets.index(0, 1).data() == "target (guessed)"
    assert contains_facts(
        form.space_note_label.text(), "best", "“Proven models”", "RS", "“Nine classifiers”"
    )
    form.common_space_button.click()
    assert page.setup.draft.spaces == ("sklearn-cash",)
    assert form.common_space_button.isHidden()
    page.setup.change(spaces=(None,), methods=(StudyMethod("RS", "RS"),))
    assert contains_facts(form.space_note_label.text(), "Every method", "“Nine classifiers”.")
    assert "Proven" not in form.space_note_label.text()


def test_setup_states_split_of_each_data_set(page: ComparePage, table: Path, qtbot: QtBot) -> None:
    other = table.with_name("other.csv")
    other.write_text(table.read_text())
    by_time = TableChoices(roles={"a": "time"})
    page.setup.add([make_data_entry_from_file(table, "target", by_time)])
    note = page.form.split.note_label
    assert "latest rows" in note.text() and "stratified" not in note.text()
    page.setup.add([make_data_entry_from_file(other, "target")])
    qtbot.waitUntil(lambda: "other: classes" in note.text())
    assert "tiny: in time" in note.text()


def test_setup_controls_do_not_move_when_notes_appear(
    page: ComparePage, table: Path, qtbot: QtBot
) -> None:
    form = page.form
    page.resize(1220, 710)
    page.show()
    below = next(
        e
        for e in form.findChildren(CollapsibleSection)
        if e.header_button.accessibleName() == "More settings"
    )
    controls = (form.start_button, form.methods, below)

    def locate() -> list[QPoint]:
        qtbot.wait(50)
        return [each.mapTo(page, QPoint()) for each in controls]

    before = locate()
    page.setup.add([make_data_entry_from_file(table)])
    page.setup.change(methods=tuple(StudyMethod(each, each) for each in ("best", "RS")))
    qtbot.waitUntil(lambda: bool(page.setup.tasks))
    assert form.space_note_label.text()
    assert locate() == before
    assert before[0].y() + form.start_button.height() < page.height()


def test_method_search_lists_exact_name_first(
    page: ComparePage, qtbot: QtBot, models: RunModel
) -> None:
    models.request_catalogue()
    qtbot.waitUntil(lambda: bool(page.setup.available_methods))
    page.form.methods.search.setText("ESMBO")
    keys = [each.key for each in page.form.methods.methods.records]
    assert len(keys) > 1
    assert keys[0] == "ESMBO"


def test_tables_are_not_read_before_approval(session: Session, table: Path) -> None:
    """The draft of a foreign document may name any file."""
    requested_paths: list[str] = []

    class RecordingHelper:
        def request(self, task: Task[..., Any], arguments: dict[str, Any], *_: Any) -> None:
            requested_paths.append(arguments["table"]["path"])

    entry = make_data_entry_from_file(table)
    assert TargetReader(session, RecordingHelper()).get_table_target(entry) is None
    assert requested_paths == []
    TargetReader(session, RecordingHelper()).mark_as_opened([entry])
    TargetReader(session, RecordingHelper()).get_table_target(entry)
    session.approved_files.clear()
    TargetReader(session, RecordingHelper()).get_table_target(entry)
    assert requested_paths == [str(table)] * 2, "also in a later window"


def test_leaking_columns_are_confirmed_before_start(
    page: ComparePage, table: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    head, *rows = table.read_text().splitlines()
    leaking = [f"{row},{'2024-01-02' if row.endswith('yes') else ''}" for row in rows]
    table.write_text("\n".join([f"{head},closed on", *leaking]) + "\n")
    page.setup.add([make_data_entry_from_file(table, "target")])
    page.setup.change(methods=tuple(StudyMethod(each, each) for each in ("RS", "RS-post")))
    qtbot.waitUntil(lambda: bool(page.setup.tasks))
    sets = page.form.data_sets.sets
    assert contains_facts(sets.index(0, 2).data(), "1")
    begun: list[dict[str, Any]] = []
    monkeypatch.setattr(page.model, "start_study", lambda study, place: begun.append(study))
    for pressed, role in ((2, None), (0, "ignore")):
        monkeypatch.setattr(QMessageBox, "exec", lambda box, at=pressed: box.buttons()[at].click())
        page.start()
        (entry,) = page.setup.draft.data
        assert entry.choices.roles.get("closed on") == role
        assert len(begun) == (role is not None)


def test_free_text_is_asked_about_before_start(
    page: ComparePage, table: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    head, *rows = table.read_text().splitlines()
    words = ["refund", "late", "parcel", "invoice", "login", "crash", "screen", "thanks"]
    texts = [" ".join(words[(number * k) % 8] for k in (1, 3, 5)) for number in range(len(rows))]
    lines = [f"{text} {n},{row}" for n, (text, row) in enumerate(zip(texts, rows, strict=True))]
    table.write_text("\n".join([f"note,{head}", *lines]) + "\n")
    page.setup.add([make_data_entry_from_file(table, "target")])
    page.setup.change(methods=tuple(StudyMethod(each, each) for each in ("RS", "RS-post")))
    qtbot.waitUntil(lambda: bool(page.setup.tasks))
    assert contains_facts(page.form.data_sets.sets.index(0, 2).data(), "1")
    begun: list[dict[str, Any]] = []
    questions: list[str] = []
    monkeypatch.setattr(page.model, "start_study", lambda study, place: begun.append(study))
    undecided = page.setup.draft.data
    answers = {"cancel": {}, "omit": {"note": "category"}, "learn": {"note": "text"}}
    for answer, kinds in answers.items():
        page.setup.change(data=undecided)

        def press(box: QuestionBox, name: str = answer) -> int:
            questions.append(box.text())
            next(each for each in box.buttons() if each.objectName() == name).click()
            return 0

        monkeypatch.setattr(QuestionBox, "exec", press)
        page.start()
        (entry,) = page.setup.draft.data
        assert entry.choices.kinds == kinds
        assert len(begun) == (answer != "cancel")
        if begun:
            assert begun.pop()["tables"][table.stem]["kinds"] == kinds
            page.start()
            assert begun.pop() and "note" in questions.pop()
            assert not questions, "asked once"
        questions.clear()


def test_comparison_uses_space_as_edited_at_start(page: ComparePage, session: Session) -> None:
    spaces = page.form.spaces.spaces
    assert OPEN_SPACE not in [each.key for each in spaces.records]
    edited = editing.change(load("svm-rbf"), "rbf-svm.C", low=1e-3)
    session.space.replace(load("svm-rbf"), "start")
    session.space.replace(edited, "edit")
    position = [each.key for each in spaces.records].index(OPEN_SPACE)
    assert position == 1
    assert spaces.records[position].texts[0].endswith(f": {edited.title}")
    index = spaces.index(position, 0)
    assert spaces.setData(index, Qt.CheckState.Checked, Qt.ItemDataRole.CheckStateRole)
    assert page.setup.draft.spaces == (OPEN_SPACE,)
    page.setup.change(
        data=(make_data_entry_by_name("digits"),), methods=(StudyMethod("RS", "RS"),) * 2
    )
    (stored_space,) = page.setup.to_study()["spaces"]
    assert Space.from_json(stored_space).parameters == edited.parameters
    assert (stored_space["name"], stored_space["title"]) == (
        "svm-rbf-edited",
        f"{edited.title} (edited)",
    )
    session.space.replace(load("svm-rbf"), "back")
    assert page.setup.to_study()["spaces"] == ["svm-rbf"]  # the shipped one, unchanged
    problem = "C: it is upside down."
    session.space.set_blocking_problem(problem)
    assert problem in page.setup.blocking_reason
    session.space.set_blocking_problem("")


def test_method_without_suitable_task_blocks_start(
    page: ComparePage, monkeypatch: pytest.MonkeyPatch
) -> None:
    methods = tuple(StudyMethod(key, key) for key in ("EO-sqm", "RS"))
    page.setup.change(
        data=(make_data_entry_by_name("digits"), make_data_entry_by_name("breast_cancer")),
        methods=methods,
    )
    tasks: dict[str, Any] = {"digits": "regression", "breast_cancer": "regression"}

    def get_target(entry: Any) -> Any:
        if entry.name not in tasks:
            return None
        return TableTarget("target", tasks[entry.name])

    monkeypatch.setattr(page.setup.target_reader, "get_table_target", get_target)
    assert "EO-sqm" in page.setup.blocking_reason
    tasks["breast_cancer"] = "multiclass"
    assert page.setup.blocking_reason == "", "the cells of the other data set are left out"
    del tasks["breast_cancer"]
    assert page.setup.blocking_reason == "", "its task is not known"


def test_space_from_file_is_stored_in_study(page: ComparePage, tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    custom_space = replace(load("svm-rbf"), name="mine", title="My space")
    path.write_text(custom_space.to_text(), encoding="utf-8")
    page.form.spaces.file_chosen.emit(path)
    assert page.setup.draft.spaces == (str(path),)
    assert page.setup.to_study()["spaces"] == [custom_space.to_json()]
    path.write_text("{", encoding="utf-8")
    page.form.spaces.file_chosen.emit(path)
    assert "mine.json" in page.form.spaces.problem_label.text()
    assert not page.form.spaces.problem_label.isHidden()


def test_open_table_is_added_with_its_decisions(
    page: ComparePage, data: DataModel, session: Session, table: Path, qtbot: QtBot
) -> None:
    page.resize(1200, 800)
    page.show()
    data.open_file(table)
    qtbot.waitUntil(lambda: data.is_ready)
    sets = page.form.data_sets
    sets.open_button.click()
    assert page.setup.to_study()["tables"] == {}
    assert sets.sets.index(0, 2).data() == ""
    data.set_role("b", "ignore")
    data.set_effect("a", "up")
    data.change(treatments={"a": "limit ..2"}, options={"missing": ["none"]})
    qtbot.waitUntil(lambda: data.is_ready and not data.busy)
    sets.open_button.click()
    (entry,) = page.setup.draft.data
    assert replace(entry.choices, task="binary") == data.draft.make_source().choices
    cell = sets.sets.index(0, 2)
    left_out, way, treated, _ = decisions = cell.data(Qt.ItemDataRole.ToolTipRole).splitlines()
    assert contains_facts(left_out, "out: b")
    assert contains_facts(way, "a (up)") and contains_facts(treated, "a (limit ..2)")
    assert cell.data() == ", ".join(decisions)
    assert StudyDraft.from_json(session.read_note("window.compare")) == page.setup.draft
    page.setup.add_folder(table.parent)
    assert page.setup.draft.data == (entry,), "the folder holds the same file"
    methods = tuple(StudyMethod(each, each) for each in ("RS", "RS-post"))
    page.setup.change(methods=methods)
    study = parse_study(json.loads(json.dumps(page.setup.to_study())))
    assert study.get_choices("tiny") == entry.choices
    page.setup.set_draft(page.setup.draft.with_target("tiny", "b"))
    (entry,) = page.setup.draft.data
    assert (entry.choices.roles, entry.choices.monotone) == ({}, {})
    assert contains_facts(cell.data(), "a (limit ..2)", "reading") and "out" not in cell.data()
    data.open_file(table)
    qtbot.waitUntil(lambda: data.is_ready and not data.busy)
    sets.open_button.click()
    assert cell.data() == "", "no more decisions there"


def test_imbalanced_open_table_defaults_to_log_loss(
    page: ComparePage, data: DataModel, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "late.csv"
    rows = (f"{i},{i * 7 % 13},{'yes' if i % 12 == 0 else 'no'}" for i in range(120))
    path.write_text("\n".join(("a,b,late", *rows)), encoding="utf-8")
    data.open_file(path)
    qtbot.waitUntil(lambda: data.is_ready)
    page.form.data_sets.open_button.click()
    assert page.setup.draft.metric == "log-loss"
    assert contains_facts(page.form.space_note_label.text(), "Log loss")
    page.setup.change(metric="error")
    page.form.data_sets.open_button.click()
    assert page.setup.draft.metric == "error", "the user's choice is kept"


def test_setup_names_target_document(page: ComparePage, session: Session, qtbot: QtBot) -> None:
    page.show()
    page.setup.add([make_data_entry_by_name("digits")])
    assert session.path is not None
    assert session.path.name in page.form.resources_label.text()
    session.document.runs.add("mine", RunSettings().to_json())
    session.following.poll()
    new = page.setup.new_document_path
    assert new is not None
    assert contains_facts(page.form.resources_label.text(), "new document", new.name)
    page.setup.change(methods=tuple(StudyMethod(each, each) for each in ("RS", "RS-post")))
    page.model.start_study = lambda study, place: None  # type: ignore[method-assign]
    page.start()
    assert session.path == new


def test_unsupported_runs_are_listed_before_start(page: ComparePage, qtbot: QtBot) -> None:
    page.setup.add([make_data_entry_by_name("diabetes"), make_data_entry_by_name("breast_cancer")])
    page.setup.change(methods=tuple(StudyMethod(each, each) for each in ("RS", "EO-sqm")))
    qtbot.waitUntil(lambda: len(page.setup.tasks) == 2)
    assert page.form.start_button.isEnabled()
    assert contains_facts(page.form.space_note_label.text(), "EO-sqm", "diabetes")
    assert "breast_cancer" not in page.form.space_note_label.text()
    n_left_out = page.setup.draft.repetitions
    assert contains_facts(
        page.form.sentence_label.text(), f"{n_left_out} left out = {3 * n_left_out} runs"
    )


def test_several_search_spaces_can_be_selected(page: ComparePage) -> None:
    spaces = page.form.spaces.spaces
    keys = [each.key for each in spaces.records]

    def tick(key: str | None) -> None:
        index = spaces.index(keys.index(key), 0)
        assert spaces.setData(index, Qt.CheckState.Checked, Qt.ItemDataRole.CheckStateRole)

    def ticked() -> list[object]:
        role, checked = Qt.ItemDataRole.CheckStateRole, Qt.CheckState.Checked
        rows = range(spaces.rowCount())
        return [keys[row] for row in rows if spaces.index(row, 0).data(role) == checked]

    assert ticked() == [None]
    tick("svm-rbf")
    tick("forest-smbeo")
    assert set(ticked()) == {"svm-rbf", "forest-smbeo"}
    assert page.setup.draft.spaces == ("svm-rbf", "forest-smbeo")
    tick(None)
    assert ticked() == [None]


def test_refit_checkbox_follows_declaration(page: ComparePage) -> None:
    box = page.form.fields.inputs["refit"]
    assert isinstance(box, ChoiceCheckBox)
    assert box.isChecked()
    box.click()
    assert not page.setup.draft.refit
    page.setup.change(refit=True)
    assert box.isChecked()


def test_shipped_study_finds_tables_in_folder(page: ComparePage, tmp_path: Path) -> None:
    page.setup.choose_preset("eo-ensembles")
    assert "this computer" in page.form.obstacle_label.text()
    folder = tmp_path / "tables"
    folder.mkdir()
    for entry in page.setup.draft.data:
        (folder / f"{entry.name}.csv").write_text("a,b\n1,2\n")
    (folder / "another.csv").write_text("a,b\n1,2\n")
    page.setup.add_folder(folder)
    assert page.form.start_button.isEnabled()
    assert "another" not in [each.name for each in page.setup.draft.data]


def test_folder_is_added_completely(page: ComparePage, tmp_path: Path) -> None:
    for name in ("x.csv", "y.csv"):
        (tmp_path / name).touch()
    page.form.data_sets.add_paths([tmp_path])
    assert [each.name for each in page.setup.draft.data] == ["x", "y"]
    page.form.data_sets.table.selectRow(0)
    page.form.data_sets.remove_button.click()
    assert [each.name for each in page.setup.draft.data] == ["y"]
