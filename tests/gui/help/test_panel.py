"""The help panel."""

import pytest
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtGui import QTextDocument, QTextTable
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QWidget
from pytestqt.qtbot import QtBot

from studio.data.metrics.registry import REGISTRY
from studio.gui.base.command import Command
from studio.gui.base.theme import GRID
from studio.gui.pages.results.views.registry import QUESTIONS
from studio.gui.shell.help import guide
from studio.gui.shell.help.context_help import QUESTION_TOPICS
from studio.gui.shell.help.glossary import list_terms
from studio.gui.shell.help.panel import PANEL_WIDTH, HelpPanel, HelpPlacement
from studio.language import tr


@pytest.fixture
def panel(qtbot: QtBot) -> HelpPanel:
    window = QMainWindow()
    new_panel = HelpPanel(
        lambda: [Command("a", "Document", "New document", lambda: None, "Ctrl+N")]
    )
    window.setCentralWidget(new_panel)
    qtbot.addWidget(window)
    new_panel.keeper = window  # type: ignore[attr-defined]
    window.show()
    return new_panel


def text(panel: HelpPanel) -> str:
    return panel.reader.toPlainText()


def test_help_describes_page(panel: HelpPanel) -> None:
    panel.open_context_help("run")
    assert "What to do" in text(panel) and "Press Run" in text(panel)
    panel.follow_page("data")
    assert "column to predict" in text(panel)


def test_page_help_links_to_chapter(panel: HelpPanel) -> None:
    panel.open_context_help("results")
    panel.reader.anchorClicked.emit(QUrl("guide:06-taking-it-home.md"))
    assert panel.guide_button.isChecked()
    assert guide.get_title(guide.load_chapters()["06-taking-it-home.md"]) in text(panel)


def test_help_starts_with_description_of_page_question(panel: HelpPanel) -> None:
    for each in QUESTIONS:
        panel.open_context_help(f"results.{each.key}")
        title, first, *_ = text(panel).splitlines()
        assert (title, first) == (each.title, tr(QUESTION_TOPICS[each.key].description))
    panel.follow_page("results.errors")
    assert text(panel).startswith("Errors")


def test_guide_shows_local_images_only(panel: HelpPanel, qtbot: QtBot) -> None:
    panel.open_context_help("data")
    panel.show_guide(next(iter(guide.load_chapters())))
    kind = QTextDocument.ResourceType.ImageResource.value
    document = panel.reader.document()
    qtbot.waitUntil(lambda: document.resource(kind, QUrl("pictures/data.png")) is not None)
    assert document.resource(kind, QUrl("pictures/data.png")).width() <= 2 * panel.width()
    panel.reader.setMarkdown("![x](../../LICENSE) ![y](https://example.org/y.png)")
    qtbot.wait(0)
    assert document.resource(kind, QUrl("../../LICENSE")) is None


def test_help_lists_shortcuts_and_closes_on_escape(panel: HelpPanel, qtbot: QtBot) -> None:
    panel.show_shortcuts()
    assert "New document" in text(panel) and "Ctrl+N" in text(panel)
    qtbot.keyClick(panel, Qt.Key.Key_Escape)
    assert not panel.isVisible()


def test_glossary_opens_at_requested_word(panel: HelpPanel, qtbot: QtBot) -> None:
    terms = dict(list_terms())
    metrics = {each.title for each in REGISTRY if each.key in {"error", "log-loss", "auc"}}
    assert metrics | {"Trial", "Fold", "Ensemble", "Leak", "Refit", "Drift"} <= set(terms)
    assert len(terms) >= 20 and all(each.endswith(".") for each in terms.values())
    panel.window().resize(400, 400)
    panel.show_glossary("Surrogate")
    assert panel.glossary_button.isChecked()
    qtbot.waitUntil(lambda: panel.reader.verticalScrollBar().value() > 0)
    assert "Surrogate" in panel.reader.cursorForPosition(QPoint(1, 2 * GRID)).block().text()
    qtbot.mouseClick(panel.glossary_button, Qt.MouseButton.LeftButton)
    assert panel.reader.verticalScrollBar().value() == 0


def test_controls_have_names_and_tooltips(panel: HelpPanel) -> None:
    for button in (
        panel.context_button,
        panel.guide_button,
        panel.glossary_button,
        panel.shortcuts_button,
    ):
        assert button.accessibleName() and button.toolTip()


def test_help_panel_overlays_bottom_of_narrow_page(qtbot: QtBot) -> None:
    window = QMainWindow()
    container, page = QWidget(), QWidget()
    row = QHBoxLayout(container)
    row.addWidget(page, 1)
    window.setCentralWidget(container)
    qtbot.addWidget(window)
    help_panel = HelpPanel(list)
    HelpPlacement(help_panel, page, row, container)
    window.resize(880, 540)
    window.show()
    help_panel.open_context_help("data")
    qtbot.waitUntil(lambda: help_panel.geometry().bottom() == page.geometry().bottom())
    assert row.indexOf(help_panel) < 0 and page.width() > 800
    assert help_panel.width() == page.width(), "whole lines of the page stay readable above it"
    assert help_panel.geometry().top() > page.geometry().center().y()
    window.resize(1366, 700)
    qtbot.waitUntil(lambda: row.indexOf(help_panel) == 1)
    qtbot.waitUntil(lambda: page.geometry().right() < help_panel.geometry().left())
    assert help_panel.width() < 400
    window.resize(1000, 700)
    qtbot.waitUntil(lambda: row.indexOf(help_panel) < 0)
    qtbot.waitUntil(lambda: help_panel.geometry().bottom() == page.geometry().bottom())


def test_help_table_columns_are_aligned(qtbot: QtBot) -> None:
    names = ("New", "Stop the run and keep its results")
    help_panel = HelpPanel(
        lambda: [Command(each, each, each, lambda: None, "Ctrl+N") for each in names]
    )
    qtbot.addWidget(help_panel)
    help_panel.show_shortcuts()
    cursor, lefts = help_panel.reader.textCursor(), set()
    for frame in help_panel.reader.document().rootFrame().childFrames():
        assert isinstance(frame, QTextTable)
        cursor.setPosition(frame.cellAt(0, 1).firstPosition())
        lefts.add(help_panel.reader.cursorRect(cursor).left())
    assert len(names) > len(lefts) == 1


def test_chips_are_not_truncated_in_narrow_panel(panel: HelpPanel, qtbot: QtBot) -> None:
    panel.guide_button.setText("A longer name of the guide")
    panel.setFixedWidth(PANEL_WIDTH)
    panel.show_glossary()
    qtbot.waitUntil(lambda: panel.shortcuts_button.y() > panel.context_button.y())
    for each in (
        panel.context_button,
        panel.guide_button,
        panel.glossary_button,
        panel.shortcuts_button,
    ):
        assert each.width() == each.sizeHint().width()
    chips = panel.context_button.parentWidget()
    assert chips is not None and chips.height() < 3 * panel.context_button.height()
