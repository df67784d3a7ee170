"""The values of a choice as chips, edited by mouse and keyboard."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QDrag
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from studio.gui.pages.space.chips import Chip, Chips
from studio.gui.pages.space.outline import RowKey
from studio.gui.pages.space.page import SpacePage
from studio.gui.session.learner_names import get_learner_name
from studio.space.parameters import Categorical

pytestmark = pytest.mark.slow

NONE, ALT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.AltModifier


@pytest.fixture
def chips(page: SpacePage) -> Chips:
    page.begin_with("svm-kernels")
    page.editor.select_row(RowKey("kernel"))
    page.editor.flush()
    return get_chips(page)


def get_chips(page: SpacePage) -> Chips:
    assert page.details.chips is not None
    return page.details.chips


def kernel(page: SpacePage) -> Categorical:
    assert page.editor.space is not None
    parameter = page.editor.space.get_parameter("kernel")
    assert isinstance(parameter, Categorical)
    return parameter


def press(page: SpacePage, chip: Chip, key: Qt.Key, held: Qt.KeyboardModifier = NONE) -> None:
    page.activateWindow()
    chip.setFocus()
    QTest.keyClick(chip, key, held)


def test_default_chip_has_check_mark(chips: Chips) -> None:
    marked = [chip for chip in chips.chips if not chip.icon().isNull()]
    assert [chip.isChecked() for chip in marked] == [True]
    assert "the default" in marked[0].accessibleName()


def test_chips_use_learner_names_of_tree(page: SpacePage) -> None:
    page.begin_with("sklearn-cash")
    page.editor.select_row(RowKey("algorithm"))
    page.editor.flush()
    chips = get_chips(page).chips
    assert [chip.text() for chip in chips] == [get_learner_name(str(c.value)) for c in chips]


def test_clicked_value_becomes_default(page: SpacePage, chips: Chips) -> None:
    chips.chips[-1].click()
    assert kernel(page).default == kernel(page).choices[-1]
    get_chips(page).chips[-1].click()
    assert kernel(page).default == kernel(page).choices[-1]


def test_adding_existing_value_is_reported(page: SpacePage, chips: Chips, qtbot: QtBot) -> None:
    choices_before = kernel(page).choices
    chips.add_button.click()
    assert chips.line is not None
    qtbot.keyClicks(chips.line, str(choices_before[0]))
    assert "choose another name" in page.details.fields["choices"].note_label.text()
    qtbot.keyClicks(chips.line, "x")
    qtbot.keyClick(chips.line, Qt.Key.Key_Return)
    assert kernel(page).choices == (*choices_before, f"{choices_before[0]}x")
    page.editor.session.space.history.undo()
    assert kernel(page).choices == choices_before


def test_renaming_value_updates_rules(page: SpacePage, chips: Chips) -> None:
    chip = next(chip for chip in chips.chips if chip.value == "poly")
    press(page, chip, Qt.Key.Key_F2)
    assert chips.line is not None
    assert chips.line.text() == "poly"
    chips.line.setText("polynomial")
    chips.line.finish()
    assert "polynomial" in kernel(page).choices
    assert page.editor.space is not None
    rules = [rule for p in page.editor.space.parameters for rule in p.conditions]
    assert any("polynomial" in (rule.values or ()) for rule in rules)
    assert not any("poly" in (rule.values or ()) for rule in rules)


def test_escape_discards_chip_edit(page: SpacePage, chips: Chips, qtbot: QtBot) -> None:
    before = kernel(page)
    chips.edit(before.choices[0])
    line = chips.line
    assert line is not None
    qtbot.keyClicks(line, "zzz")
    qtbot.keyClick(line, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: chips.line is None)
    assert kernel(page) == before


@pytest.mark.parametrize(
    ("key", "modifier", "what"),
    [
        (Qt.Key.Key_Delete, NONE, "remove kernel = rbf"),
        (Qt.Key.Key_Right, ALT, "move a value of kernel"),
        (Qt.Key.Key_Left, ALT, "move a value of kernel"),
    ],
)
def test_chips_are_removed_and_moved_by_keyboard(
    page: SpacePage, chips: Chips, key: Qt.Key, modifier: Qt.KeyboardModifier, what: str
) -> None:
    choices_before = kernel(page).choices
    chip = next(chip for chip in chips.chips if chip.value == "rbf")
    press(page, chip, key, modifier)
    assert page.editor.session.space.history.undo_text == what
    assert kernel(page).choices != choices_before


def test_chips_are_reordered_by_drag(page: SpacePage, chips: Chips) -> None:
    choices_before = kernel(page).choices
    chips.move_to(choices_before[0], choices_before[2])
    assert kernel(page).choices == (
        choices_before[1],
        choices_before[2],
        choices_before[0],
        *choices_before[3:],
    )
    assert [chip.value for chip in get_chips(page).chips] == list(kernel(page).choices)
    assert chips.chips[0].make_mime_data().formats()
    assert "Rename" in [action.text() for action in chips.chips[0].actions()]


def test_chips_wrap_in_narrow_field(chips: Chips) -> None:
    flow = chips.layout()
    assert flow is not None
    assert flow.heightForWidth(120) > flow.heightForWidth(2_000)


def test_invalid_chip_text_is_kept_for_correction(qtbot: QtBot) -> None:
    def refuse(_: object) -> bool:
        return False

    invalid_inputs: list[object] = []
    alone = Chips(refuse, lambda *held: invalid_inputs.append(held))
    qtbot.addWidget(alone)
    alone.show_choice(Categorical("k", ("a", "b")))
    alone.show()
    alone.add()
    assert alone.line is not None
    alone.line.setText("c")
    alone.line.finish()
    assert alone.line.property("valid") == "false"
    assert invalid_inputs == [("choices", "c")]


def test_arrow_keys_move_between_chips(page: SpacePage, chips: Chips) -> None:
    press(page, chips.chips[0], Qt.Key.Key_Right)
    assert chips.chips[1].hasFocus()
    press(page, chips.chips[1], Qt.Key.Key_Return)
    assert chips.line is not None
    assert chips.line.text() == chips.chips[1].value


def test_drag_starts_when_pointer_leaves_chip(
    chips: Chips, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    dragged: list[Qt.DropAction] = []
    monkeypatch.setattr(QDrag, "exec", lambda _, action: dragged.append(action))
    chip = chips.chips[0]
    inside, outside = chip.rect().center(), chip.rect().bottomRight() + QPoint(9, 9)
    qtbot.mousePress(chip, Qt.MouseButton.LeftButton, pos=inside)
    qtbot.mouseMove(chip, inside + QPoint(2, 0))
    assert not dragged
    qtbot.mouseMove(chip, outside)
    qtbot.mouseRelease(chip, Qt.MouseButton.LeftButton, pos=outside)
    assert dragged == [Qt.DropAction.MoveAction]
