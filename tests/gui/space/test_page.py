"""The space page: tree, form, examples and files, by mouse and keyboard."""

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QFileDialog,
    QLineEdit,
    QMenu,
    QPushButton,
    QScrollArea,
)
from pytestqt.qtbot import QtBot

from studio.gui.base import theme
from studio.gui.drafts.data_model import DataModel
from studio.gui.pages.space import edits
from studio.gui.pages.space.cells import DEFAULT, EXAMPLE, KIND, NAME, SCALE, VALUES
from studio.gui.pages.space.editor import EMPTY_SPACE
from studio.gui.pages.space.outline import RowKey
from studio.gui.pages.space.page import SpacePage
from studio.gui.session.learner_names import get_learner_name
from studio.gui.session.session import Session
from studio.gui.session.wording import OPTIONAL_PAGE_NOTE
from studio.gui.widgets.fields import Choice
from studio.language import tr, translate
from studio.runs.settings import RunSettings, TableSource
from studio.space.base import Condition
from studio.space.library import load
from studio.space.parameters import Categorical, Float
from studio.space.space import Space
from tests.facts import contains_facts
from tests.gui.space.space_page_parts import edited, line
from tests.gui.visible_content import get_visible_text

pytestmark = pytest.mark.slow

SVM = RowKey("algorithm", 0, Condition("algorithm", ("rbf-svm",)))


def typed(qtbot: QtBot, edit: QLineEdit, text: str) -> None:
    edit.setFocus()
    edit.selectAll()
    qtbot.keyClicks(edit, text)


def c(page: SpacePage) -> Float:
    space = page.editor.space
    assert space is not None
    parameter = space.get_parameter("rbf-svm.C")
    assert isinstance(parameter, Float)
    return parameter


def test_empty_page_lists_shipped_spaces(
    session: Session, data: DataModel, helper: Any, qtbot: QtBot
) -> None:
    page = SpacePage(session, data, helper)
    qtbot.addWidget(page)
    page.show()
    assert page.start_panel.isVisible()
    page.begin_with("svm-rbf")
    assert not page.start_panel.isVisible()
    assert session.space.value == load("svm-rbf")


def test_form_follows_tree_selection(page: SpacePage) -> None:
    page.editor.select_row(RowKey("rbf-svm.C"))
    assert line(page, "low").text() == "1e-5"
    page.editor.select_row(RowKey("knn.n_neighbors"))
    assert line(page, "high").text() == "30"
    page.editor.select_row(SVM)
    assert line(page, "name").text() == "rbf-svm"
    page.editor.select_row(None)
    assert line(page, "title").text() == "Nine classifiers"


def test_edited_space_description_lists_edits(page: SpacePage) -> None:
    def get_details_text() -> str:
        page.editor.select_row(None)
        QApplication.processEvents()
        return get_visible_text(page.details)

    begun = page.editor.space
    assert begun is not None
    description = get_details_text()
    assert translate(begun.summary) in description.splitlines()
    page.editor.select_row(SVM)
    page.editor.remove()
    assert page.editor.space is not None
    removed = len(begun.parameters) - len(page.editor.space.parameters)
    assert removed > 0
    assert contains_facts(get_details_text(), "Edited", begun.title)
    assert translate(begun.summary) not in get_details_text().splitlines()
    assert contains_facts(get_visible_text(page), f"{begun.title} (edited)")
    page.tree_actions.undo.trigger()
    assert get_details_text() == description


def test_typing_is_one_undo_step(page: SpacePage, qtbot: QtBot) -> None:
    page.editor.select_row(RowKey("rbf-svm.C"))
    space_before = page.editor.space
    edit = line(page, "high")
    typed(qtbot, edit, "1000")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert c(page).high == 1000
    page.tree_actions.undo.trigger()
    assert page.editor.space == space_before
    assert line(page, "high").text() == "100000"
    page.tree_actions.redo.trigger()
    assert line(page, "high").text() == "1000"


def test_cursor_position_is_kept_while_typing_name(page: SpacePage, qtbot: QtBot) -> None:
    page.activateWindow()
    page.editor.select_row(RowKey("rbf-svm.C"))
    edit = line(page, "name")
    typed(qtbot, edit, "rbf-svm.cost")
    edit.finish()  # after a pause
    assert "rbf-svm.cost" in page.editor.space
    assert edit.cursorPosition() == len("rbf-svm.cost")


def test_input_is_committed_after_pause(page: SpacePage, qtbot: QtBot) -> None:
    page.editor.select_row(RowKey("rbf-svm.C"))
    with qtbot.waitSignal(page.editor.changed):
        typed(qtbot, line(page, "low"), "0.5")
    assert c(page).low == 0.5


def test_invalid_input_is_shown_while_typing(page: SpacePage, qtbot: QtBot) -> None:
    page.editor.select_row(RowKey("rbf-svm.C"))
    field = page.details.fields["low"]
    typed(qtbot, line(page, "low"), "abc")
    assert "Expected a number" in field.note_label.text()
    assert field.note_label.property("role") == "problem"
    assert c(page).low == 1e-5
    qtbot.keyClick(line(page, "low"), Qt.Key.Key_Escape)
    assert line(page, "low").text() == "1e-5"
    assert not field.note_label.isVisible()
    typed(qtbot, line(page, "low"), "-1")
    assert "log scale" in field.note_label.text()


def test_invalid_range_is_kept_for_correction(page: SpacePage, qtbot: QtBot) -> None:
    page.editor.select_row(RowKey("rbf-svm.C"))
    typed(qtbot, line(page, "low"), "1e9")
    qtbot.keyClick(line(page, "low"), Qt.Key.Key_Return)
    page.editor.flush()
    assert c(page).low == 1e9
    assert page.summary_card.dimensions_label.text() == "–"
    assert not page.summary_card.examples.isVisible()
    typed(qtbot, line(page, "low"), "1e-4")
    qtbot.keyClick(line(page, "low"), Qt.Key.Key_Return)
    page.editor.flush()
    assert page.summary_card.dimensions_label.text() == "14"
    assert page.summary_card.examples.isVisible()


def test_unfinished_input_is_committed_on_row_change(page: SpacePage, qtbot: QtBot) -> None:
    page.editor.select_row(RowKey("rbf-svm.C"))
    typed(qtbot, line(page, "default"), "42")
    page.editor.select_row(RowKey("knn.n_neighbors"))
    assert c(page).default == 42
    assert line(page, "name").text() == "knn.n_neighbors"


def test_cell_is_edited_in_place(page: SpacePage, qtbot: QtBot) -> None:
    page.editor.select_row(RowKey("rbf-svm.C"))
    index = page.tree.space_model.get_index(page.editor.current_row, VALUES)
    edit = edited(page, index)
    edit.insert("1 …")  # QTest has no key for "…"
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert c(page).low == 1e-5, "text that cannot be read keeps the editor open"
    qtbot.keyClicks(edit, " 10")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    # The delegate commits the text in the next iteration of the event loop.
    qtbot.waitUntil(lambda: (c(page).low, c(page).high) == (1, 10))


def test_default_is_selected_in_place(page: SpacePage, qtbot: QtBot) -> None:
    page.editor.select_row(RowKey("algorithm"))
    index = page.tree.space_model.get_index(page.editor.current_row, DEFAULT)
    page.tree.setCurrentIndex(index)
    page.tree.edit(index)
    box = page.tree.viewport().findChild(QComboBox)
    assert box is not None
    box.setCurrentIndex(box.findData("lda"))
    box.activated.emit(box.currentIndex())
    assert page.editor.space is not None
    assert page.editor.space.get_parameter("algorithm").get_default() == "lda"


def test_expansion_and_selection_survive_edits(page: SpacePage) -> None:
    model = page.tree.space_model
    knn = page.editor.outline.find(RowKey("algorithm", 0, Condition("algorithm", ("knn",))))
    page.tree.setExpanded(model.get_index(knn), False)
    page.editor.select_row(SVM)
    page.editor.add("integer")
    knn = page.editor.outline.find(RowKey("algorithm", 0, Condition("algorithm", ("knn",))))
    assert not page.tree.isExpanded(model.get_index(knn))
    current_row = page.editor.current_row
    assert current_row is not None
    assert current_row.key == RowKey("rbf-svm.integer")
    assert model.get_row(page.tree.currentIndex()) == current_row


def test_name_of_new_row_is_in_edit_mode(page: SpacePage, qtbot: QtBot) -> None:
    page.editor.select_row(SVM)
    page.editor.add("float")
    edit = page.tree.viewport().findChild(QLineEdit)
    assert edit is not None
    edit.selectAll()
    qtbot.keyClicks(edit, "rbf-svm.tol")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "rbf-svm.tol" in page.editor.space)
    assert page.editor.space is not None
    assert page.editor.space.get_parameter("rbf-svm.tol").sets == "rbf-svm.tol"


def test_arrow_keys_navigate_tree(page: SpacePage, qtbot: QtBot) -> None:
    page.editor.select_row(RowKey("rbf-svm.C"))
    page.tree.setFocus()
    steps = (Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Up)
    selections = []
    for step in steps:
        qtbot.keyClick(page.tree, step)
        row = page.editor.current_row
        selections.append((row.parameter.name if row else "", len(page.editor.selected_rows)))
    assert selections == [
        ("rbf-svm.width", 1),
        ("algorithm", 1),
        ("qda.reg_param", 1),
        ("algorithm", 1),
    ]
    qtbot.keyClick(page.tree, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert {row.parameter.name for row in page.editor.selected_rows} == {
        "algorithm",
        "qda.reg_param",
    }


@pytest.mark.parametrize(
    ("key", "modifier", "what"),
    [
        (Qt.Key.Key_Delete, Qt.KeyboardModifier.NoModifier, "remove rbf-svm.C"),
        (Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier, "duplicate rbf-svm.C"),
        (Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier, "move rbf-svm.C down"),
        (Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier, "move rbf-svm.C one level up"),
    ],
)
def test_tree_supports_keyboard(
    page: SpacePage, qtbot: QtBot, key: Qt.Key, modifier: Qt.KeyboardModifier, what: str
) -> None:
    page.activateWindow()
    page.editor.select_row(RowKey("rbf-svm.C"))
    page.tree.setFocus()
    qtbot.keyClick(page.tree, key, modifier)
    assert page.editor.session.space.history.undo_text == what
    page.editor.session.space.history.undo()
    assert page.editor.session.space.history.undo_text == ""
    assert page.editor.space == load("sklearn-cash")


def test_actions_are_enabled_if_applicable(page: SpacePage) -> None:
    tree_commands = page.tree_actions.tree_commands
    page.editor.select_row(RowKey("algorithm"))
    assert not tree_commands["space.up"].isEnabled()
    assert not tree_commands["space.unnest"].isEnabled()
    assert tree_commands["space.value"].isEnabled()
    page.editor.select_row(SVM)
    assert tree_commands["space.remove"].isEnabled()
    assert not tree_commands["space.duplicate"].isEnabled()
    page.editor.select_row(RowKey("rbf-svm.C"))
    assert tree_commands["space.unnest"].isEnabled()
    assert not page.tree_actions.undo.isEnabled()


def test_toolbar_has_one_row_on_a_small_screen(page: SpacePage, qtbot: QtBot) -> None:
    page.resize(854, 456)
    page.show()
    qtbot.waitUntil(page.tree.isVisible)
    bar = page.more_button.parentWidget()
    assert bar is not None
    buttons = bar.findChildren(QPushButton, options=Qt.FindChildOption.FindDirectChildrenOnly)
    assert len(buttons) == 7
    assert len({each.geometry().center().y() for each in buttons}) == 1
    page.more_button.click()
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert page.tree_actions.tree_commands["space.nest"] in menu.actions()
    menu.close()


def test_context_menu_offers_learners(page: SpacePage) -> None:
    actions = page.tree_actions
    assert actions.tree_commands["space.learner"] in actions.make_context_menu().actions()


def test_default_of_choice_is_chosen_by_name(page: SpacePage) -> None:
    def get_control() -> Choice:
        page.editor.select_row(RowKey("algorithm"))
        control = page.details.fields["default"].control
        assert isinstance(control, Choice)
        return control

    def get_algorithm() -> Categorical:
        assert page.editor.space is not None
        parameter = page.editor.space.get_parameter("algorithm")
        assert isinstance(parameter, Categorical)
        return parameter

    choices, control = get_algorithm().choices, get_control()
    names = [control.itemText(index) for index in range(control.count())]
    assert names == [get_learner_name(str(value)) for value in choices]
    assert control.currentIndex() == choices.index(get_algorithm().default)
    control.activated.emit(2)
    assert get_algorithm().default == choices[2]
    page.editor.add_value()
    assert get_control().count() == len(names) + 1


def test_rules_are_edited_in_form(page: SpacePage) -> None:
    page.editor.select_row(RowKey("rbf-svm.C"))
    assert page.details.rules is not None
    page.details.rules.add_rule()
    assert len(c(page).conditions) == 2
    assert page.editor.space is not None
    assert not [each for each in page.editor.space.find_problems() if each.severity == "error"]
    page.editor.session.space.history.undo()
    assert len(c(page).conditions) == 1


@pytest.mark.parametrize("name", ["forest.max_depth", "rbf-svm.C"])
def test_new_rule_can_hold(page: SpacePage, name: str) -> None:
    page.editor.select_row(RowKey(name))
    rules = page.details.rules
    assert rules is not None
    rules.add_rule()
    space = page.editor.space
    assert space is not None
    rule = space.get_parameter(name).conditions[-1]
    assert rule.parent.split(".")[0] == name.split(".", maxsplit=1)[0], "of the same branch"
    assert not [each for each in space.find_problems() if each.severity == "error"]
    page.editor.flush()
    assert not page.editor.session.space.blocking_reason


def test_rule_without_possible_parent_is_explained(page: SpacePage) -> None:
    page.editor.replace_space(
        Space(
            "two",
            (
                Categorical("algorithm", choices=("knn", "tree")),
                Float("knn.a", low=0.0, high=1.0, conditions=(Condition("algorithm", ("knn",)),)),
                Float("tree.b", low=0.0, high=1.0, conditions=(Condition("algorithm", ("tree",)),)),
            ),
            tasks=(),
        )
    )
    page.editor.flush()
    page.editor.select_row(RowKey("knn.a"))
    rules = page.details.rules
    assert rules is not None
    space_before = page.editor.space
    rules.add_rule()
    assert page.editor.space == space_before
    assert rules.problem_label.text()


def test_form_opens_at_its_top(page: SpacePage, qtbot: QtBot) -> None:
    page.resize(1120, 700)
    page.editor.select_row(RowKey("rbf-svm.C"))
    bar = page.findChild(QScrollArea, "form").verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    bar.setValue(bar.maximum())
    row = page.editor.current_row
    assert row is not None
    page.editor.apply_edit(lambda space: edits.set_values(space, row, low=0.5))
    assert bar.value() > 0, "an edit of the same row does not move the form"
    page.editor.select_row(RowKey("rbf-svm.width"))
    assert bar.value() == 0


def test_selected_example_is_highlighted(page: SpacePage) -> None:
    page.summary_card.examples.setCurrentRow(2)
    meaning = page.editor.meaning
    assert meaning is not None
    assert page.editor.example == meaning.examples[2]
    page.summary_card.resample_button.click()
    assert page.editor.meaning is not meaning


def test_spaces_are_saved_and_loaded_by_dialog(
    page: SpacePage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    page.save()
    assert path.with_suffix(".json").is_file()
    assert "mine.json" in page.banner.text_label.text()
    page.begin_with("svm-rbf")
    json_path = str(path.with_suffix(".json"))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (json_path, ""))
    page.load()
    assert page.editor.space == load("sklearn-cash")
    path.with_suffix(".json").write_text("{")
    page.load()
    assert page.banner.isVisible()
    banner_text = page.banner.text_label.text()
    assert "mine.json" in banner_text and "not loaded" in banner_text
    page.begin_with("svm-rbf")
    assert not page.banner.isVisible()


def test_hostile_names_are_shown_verbatim(page: SpacePage) -> None:
    page.editor.select_row(RowKey("rbf-svm.C"))
    index = page.tree.space_model.get_index(page.editor.current_row, NAME)
    for name in ("<script>alert(1)</script>", "名前 🎉", "a" * 5_000, "x\ny"):
        page.tree.space_model.setData(index, name)
        index = page.tree.space_model.get_index(page.editor.current_row, NAME)
        assert index.data() == name
    page.editor.flush()
    page.grab()


def test_page_is_drawn_in_both_themes(page: SpacePage, qapp: QApplication) -> None:
    page.editor.select_row(RowKey("rbf-svm.C"))
    for tokens in (theme.DARK, theme.LIGHT):
        theme.apply(qapp, tokens)
        assert not page.grab().isNull()


def test_narrow_tree_hides_columns_instead_of_cutting_them(page: SpacePage) -> None:
    def get_visible_columns(width: int) -> set[int]:
        page.resize(width, 640)
        QApplication.processEvents()
        tree = page.tree
        assert tree.columnWidth(NAME) >= 188, width
        assert not tree.horizontalScrollBar().maximum(), "nothing lies beyond the edge"
        if not tree.isColumnHidden(KIND):
            assert tree.columnWidth(KIND) >= tree.sizeHintForColumn(KIND)
        columns = (KIND, VALUES, SCALE, DEFAULT, EXAMPLE)
        return {each for each in columns if not tree.isColumnHidden(each)}

    everything = {KIND, VALUES, SCALE, DEFAULT, EXAMPLE}
    assert get_visible_columns(1120) == everything
    widths = [page.tree.columnWidth(each) for each in (KIND, VALUES)]
    assert get_visible_columns(900) in ({KIND, VALUES, DEFAULT}, {VALUES, DEFAULT})
    assert get_visible_columns(800) == {VALUES, DEFAULT}
    assert get_visible_columns(1700) == everything
    assert get_visible_columns(1120) == everything, "and they come back"
    assert [page.tree.columnWidth(each) for each in (KIND, VALUES)] == widths, "as wide as before"


def test_resized_column_keeps_width(page: SpacePage) -> None:
    page.tree.setColumnWidth(VALUES, 120)
    page.resize(1160, 640)
    QApplication.processEvents()
    assert page.tree.columnWidth(VALUES) == 120


def test_page_states_that_no_change_is_needed(
    session: Session, data: DataModel, helper: Any, qtbot: QtBot
) -> None:
    page = SpacePage(session, data, helper)
    qtbot.addWidget(page)
    page.show()
    assert tr(OPTIONAL_PAGE_NOTE) in get_visible_text(page)
    page.begin_with("svm-rbf")
    assert tr(OPTIONAL_PAGE_NOTE) in page._facts_label.text()
    assert page._facts_label.heightForWidth(200) > page._facts_label.heightForWidth(2000), (
        "it is not cut"
    )


def test_optional_page_note_is_hidden_for_invalid_space(page: SpacePage) -> None:
    optional = tr(OPTIONAL_PAGE_NOTE)
    assert optional in get_visible_text(page)
    page.editor.replace_space(EMPTY_SPACE)
    assert page.editor.space is not None and page.editor.space.find_problems()
    assert optional not in get_visible_text(page)


def test_optional_page_note_is_hidden_without_suitable_learner(
    page: SpacePage, data: DataModel, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,target\n" + "1,x\n2,y\n1,y\n2,x\n" * 10, "utf-8")
    data.open_file(path)
    qtbot.waitUntil(lambda: data.is_ready)
    for key, fits in (("dummy", False), ("svr", False), ("svm-rbf", True)):
        page.begin_with(key)
        assert (tr(OPTIONAL_PAGE_NOTE) in page._facts_label.text()) == fits


def test_page_names_owner_of_space(
    session: Session, data: DataModel, helper: Any, qtbot: QtBot
) -> None:
    page = SpacePage(session, data, helper)
    qtbot.addWidget(page)
    page.show()
    page.begin_with("svm-rbf")
    settings = RunSettings(space=load("sklearn-cash").to_json(), source=TableSource(path="t.csv"))
    run_id = session.document.runs.add("first try", settings.to_json())
    session.following.poll()
    session.run_selection.choose_run(run_id)
    assert contains_facts(page._facts_label.text(), "next run", "“first try”", "“Nine classifiers”")
    page._fill_space_menu()
    page._from_menu.actions()[0].trigger()
    assert page.editor.space == load("sklearn-cash")
    assert "first try" not in page._facts_label.text()


def test_side_panel_scrolls_on_small_page(page: SpacePage, qtbot: QtBot) -> None:
    page.resize(823, 483)  # in a window of 880 × 540 (1366 × 768 at 150 %)
    page.editor.select_row(RowKey("rbf-svm.C"))
    qtbot.waitUntil(lambda: page.details.height() >= page.details.sizeHint().height() > 300)

    def is_in_sight(field: QLineEdit) -> bool:
        return not field.visibleRegion().isEmpty()

    assert not is_in_sight(page.palette_list.search)
    page.show_palette()
    qtbot.waitUntil(lambda: is_in_sight(page.palette_list.search))
