"""Tab order, focus and messages for keyboard users."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from studio.gui.pages.space.outline import RowKey
from studio.gui.pages.space.page import SpacePage
from studio.gui.widgets import kit
from studio.space.base import Condition
from studio.space.editing import change
from studio.space.library import load
from tests.gui.visible_content import iter_visible

pytestmark = pytest.mark.slow


def focused() -> QWidget | None:
    """Return the focused widget."""
    return QApplication.focusWidget()


def test_tab_order_follows_layout(page: SpacePage, qtbot: QtBot) -> None:
    page.activateWindow()
    page.editor.select_row(RowKey("rbf-svm.C"))
    page.editor.select_row(RowKey("algorithm"))
    page.editor.select_row(RowKey("rbf-svm.C"))
    QApplication.processEvents()  # new widgets are shown after the next layout
    page.tree.setFocus()
    fields = page.details.fields
    focus_order: list[QWidget] = []
    while not focus_order or (focus_order[-1] is not page.tabs and len(focus_order) < 40):
        qtbot.keyClick(focus_order[-1] if focus_order else page.tree, Qt.Key.Key_Tab)
        focus_widget = focused()
        assert focus_widget is not None
        focus_order.append(focus_widget)
    assert focus_order[:5] == [
        fields[name].control for name in ("name", "kind", "low", "default", "high")
    ]
    assert focus_order[-2:] == [fields["note"].control, page.tabs]


def test_new_rule_gets_focus(page: SpacePage) -> None:
    page.activateWindow()
    page.editor.select_row(RowKey("rbf-svm.C"))
    rules = page.details.rules
    assert rules is not None
    rules.add_button.setFocus()
    rules.add_rule()
    focus_widget = focused()
    assert focus_widget is not None and focus_widget.accessibleName().startswith("Rule 2: ")
    drop = next(
        each
        for each in reversed(rules.findChildren(QWidget))
        if each.accessibleName() == "Remove rule 1"
    )
    drop.setFocus()
    page.editor.apply_edit(
        lambda space: (
            change(space, "rbf-svm.C", conditions=(Condition("algorithm", ("rbf-svm", "knn")),)),
            "rules",
            None,
            "",
        )
    )
    focus_widget = focused()
    assert focus_widget is not None and focus_widget.toolTip() == "Remove this rule"


def test_undo_clears_edit_message(page: SpacePage) -> None:
    page.editor.replace_space(load("svm-rbf"))
    page.editor.rejected.emit("One rule was left out.")
    assert page.banner.isVisible()
    page.editor.session.space.history.undo()
    assert not page.banner.isVisible()


def test_value_row_counts_dependents(page: SpacePage) -> None:
    value = RowKey("algorithm", 0, Condition("algorithm", ("rbf-svm",)))
    page.editor.select_row(value)

    def get_details_text() -> str:
        return " ".join(each.text() for each in page.details.findChildren(QLabel))

    assert "2 hyperparameters active" in get_details_text()
    page.editor.select_row(RowKey("rbf-svm.C"))
    page.editor.remove()
    page.editor.select_row(value)
    assert "1 hyperparameter active" in get_details_text()
    page.editor.session.space.history.undo()
    assert "2 hyperparameters active" in get_details_text()


def test_space_remarks_are_not_truncated(page: SpacePage, qtbot: QtBot) -> None:
    space = load("sklearn-cash")
    page.editor.replace_space(
        change(space, "tree.max_depth", conditions=(Condition("algorithm", ("knn",)),))
    )
    page.editor.flush()
    labels = [
        each
        for each in page.summary_card.findChildren(QLabel)
        if each.wordWrap() and each.isVisible() and each.text()
    ]
    assert labels
    qtbot.waitUntil(
        lambda: all(each.height() >= each.heightForWidth(each.width()) for each in labels)
    )


def test_shipped_spaces_have_one_description(page: SpacePage) -> None:
    (button,) = (
        each for each in iter_visible(page, QPushButton) if each.accessibleName() == "Start from"
    )
    button.menu().aboutToShow.emit()
    titles = [action.text() for action in button.menu().actions()]
    assert "Three branches (example)" in titles
    assert not any(text.count("(") > 1 for text in titles)


def test_button_hover_ends_when_menu_closes(qtbot: QtBot) -> None:
    button, menu = kit.button("More", lambda: None), QMenu()
    qtbot.addWidget(button)
    qtbot.addWidget(menu)
    kit.attach_menu(button, menu)
    button.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, True)
    button.move(5_000, 5_000)  # the pointer is elsewhere
    menu.aboutToHide.emit()
    assert not button.underMouse()
