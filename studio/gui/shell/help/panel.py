"""Help panel beside the page, or over its lower part (F1)."""

from collections.abc import Callable, Iterable
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, QUrl
from PySide6.QtGui import (
    QDesktopServices,
    QImageReader,
    QKeyEvent,
    QResizeEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextLength,
    QTextTable,
    QWheelEvent,
)
from PySide6.QtWidgets import QButtonGroup, QFrame, QHBoxLayout, QTextBrowser, QWidget

from studio.assets import GUIDE
from studio.gui.base import theme
from studio.gui.base.command import Command
from studio.gui.base.theme import GRID
from studio.gui.shell.help import context_help, glossary, guide
from studio.gui.shell.help.context_help import escape_markdown
from studio.gui.widgets import kit
from studio.gui.widgets.flow import FlowLayout
from studio.language import tr

PANEL_WIDTH = 360

_MIN_WIDTH_BESIDE = theme.MIN_WINDOW_SIZE[0] + PANEL_WIDTH
"""Minimum window width for the panel beside the page at a scale of 1, so that pages fit."""

_COVERED_SHARE = 0.4
"""Share of the page's height below the panel, if it is over the page."""

_FIRST_COLUMN_PERCENT = 68
"""Width of a table's first column in percent, so that the tables of a list are aligned."""

_LINE_SPACING = 4
_LINE_DISTANCE = QTextBlockFormat.LineHeightTypes.LineDistanceHeight.value
_HEADING_SIZES = {1: theme.TITLE, 2: theme.LARGE}


def apply_text_style(document: QTextDocument) -> None:
    """Apply the window's type sizes and spacing to a Markdown document."""
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    block = document.begin()
    while block.isValid():
        shape = block.blockFormat()
        level = shape.headingLevel()
        in_list = block.textList() is not None
        shape.setLineHeight(theme.pixels(_LINE_SPACING), _LINE_DISTANCE)
        shape.setTopMargin(2 * GRID if level and block.position() else 0)
        shape.setBottomMargin(GRID / 2 if in_list or level else GRID)
        cursor.setPosition(block.position())
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
        cursor.setBlockFormat(shape)
        if level:
            letters = QTextCharFormat()
            letters.setFont(theme.font(_HEADING_SIZES.get(level, theme.BODY), bold=True))
            cursor.setCharFormat(letters)
        block = block.next()
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            _style_table(frame)
    document.setIndentWidth(3 * GRID)
    cursor.endEditBlock()


def _style_table(table: QTextTable) -> None:
    """Remove a table's lines and set it to the text's width."""
    shape = table.format()
    shape.setBorder(0)
    shape.setCellPadding(2)
    shape.setCellSpacing(0)
    percent = QTextLength.Type.PercentageLength
    shape.setWidth(QTextLength(percent, 100))
    if table.columns() == 2:
        shares = (_FIRST_COLUMN_PERCENT, 100 - _FIRST_COLUMN_PERCENT)
        shape.setColumnWidthConstraints([QTextLength(percent, share) for share in shares])
    table.setFormat(shape)


class GuideReader(QTextBrowser):
    """Shows the program's Markdown; images are loaded one at a time, to stay responsive."""

    def __init__(self) -> None:
        super().__init__()
        self.setOpenLinks(False)
        self.setProperty("role", "reader")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._pending_images: list[str] = []
        self._heading = ""
        self._image_timer = QTimer(self, interval=0, singleShot=True)
        self._image_timer.timeout.connect(self._load_next_image)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Record a requested image; nothing is loaded from the network."""
        path = QUrl(name).path()
        if (
            kind == QTextDocument.ResourceType.ImageResource.value
            and path not in self._pending_images
        ):
            self._pending_images.append(path)
            self._image_timer.start()
        return None

    def _load_next_image(self) -> None:
        if not self._pending_images:
            return
        name = self._pending_images.pop(0)
        path = (GUIDE / name).resolve()
        if path.is_relative_to(GUIDE.resolve()) and path.is_file():
            self._add_image(path, name)
        if self._pending_images:
            self._image_timer.start()

    def _add_image(self, path: Path, name: str) -> None:
        reader = QImageReader(str(path))
        size = reader.size()
        if not size.isValid():
            return
        ratio = self.devicePixelRatioF()
        width = round(max(120, self.viewport().width() - 4 * GRID) * ratio)
        reader.setScaledSize(QSize(width, round(width * size.height() / size.width())))
        image = reader.read()
        image.setDevicePixelRatio(ratio)
        document = self.document()
        document.addResource(QTextDocument.ResourceType.ImageResource.value, QUrl(name), image)
        document.markContentsDirty(0, document.characterCount())
        self._scroll_to_heading()

    def show_markdown(self, markdown: str, heading: str = "") -> None:
        """Show a text from its start, or from one of its headings."""
        self._heading = heading
        self.setMarkdown(markdown)
        apply_text_style(self.document())
        self.moveCursor(self.textCursor().MoveOperation.Start)
        self._scroll_to_heading()

    def _scroll_to_heading(self) -> None:
        """Scroll to the heading, again with each picture above it, and after a new layout."""
        if not self._heading:
            return
        block = self.document().begin()
        while block.isValid() and block.text() != self._heading:
            block = block.next()
        if block.isValid():
            top = self.document().documentLayout().blockBoundingRect(block).top()
            self.verticalScrollBar().setValue(round(top))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Keep the reader's scroll position."""
        self._heading = ""
        super().wheelEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the heading at the top after a change of width."""
        super().resizeEvent(event)
        self._scroll_to_heading()


class HelpPanel(QFrame):
    """Four tabs: context, guide, glossary, shortcuts."""

    def __init__(self, commands: Callable[[], Iterable[Command]]) -> None:
        super().__init__()
        self.setProperty("role", "help")
        self.setAccessibleName(tr("Help"))
        self._commands = commands
        self._page = ""
        views = QButtonGroup(self)
        self.context_button, self.guide_button, self.glossary_button, self.shortcuts_button = (
            kit.chip(text, show, tip=tip, group=views)
            for text, show, tip in (
                (tr("Here"), self.show_context_help, tr("Help for this page")),
                (tr("Guide"), self.show_guide, tr("The whole guide")),
                (tr("Glossary"), self.show_glossary, tr("Glossary of the program's terms")),
                (tr("Keys"), self.show_shortcuts, tr("All shortcuts")),
            )
        )
        close = kit.button(
            "", self.hide, kind="quiet", icon="cross", name=tr("Close help"), tip=tr("Close (Esc)")
        )
        chips = QWidget()
        FlowLayout(*views.buttons(), parent=chips)
        self.reader = GuideReader()
        self.reader.setAccessibleName(tr("Help text"))
        self.reader.setToolTip(tr("Links lead to the guide"))
        self.reader.anchorClicked.connect(self._follow_link)
        kit.column(
            kit.row((chips, 1), (close, 0, Qt.AlignmentFlag.AlignTop)),
            (self.reader, 1),
            parent=self,
            margin=GRID,
        )
        theme.get_notifier().changed.connect(self._fit)
        self._fit()
        self.hide()

    def _fit(self) -> None:
        if self.reader.document().characterCount() > 1:
            apply_text_style(self.reader.document())

    # ---- content

    def open_context_help(self, page: str) -> None:
        """Show help for a page."""
        self._page = page
        self.show()
        self.show_context_help()

    def follow_page(self, page: str) -> None:
        """Update to the current page, if context help is open."""
        self._page = page
        if self.isVisible() and self.context_button.isChecked():
            self.show_context_help()

    def show_context_help(self) -> None:
        """Show context help."""
        self.context_button.setChecked(True)
        self.reader.show_markdown(context_help.format_as_markdown(self._page))

    def show_guide(self, chapter: str = "", heading: str = "") -> None:
        """Show a chapter from a heading, or the list of chapters if there are several."""
        self.guide_button.setChecked(True)
        chapters = guide.load_chapters()
        if not chapter and len(chapters) == 1:
            chapter = next(iter(chapters))
        if chapter in chapters:
            self.reader.show_markdown(chapters[chapter], heading)
        else:
            # Their titles are numbered, so bullets would be redundant.
            contents = "\n\n".join(
                f"[{escape_markdown(guide.get_title(text))}](guide:{name})"
                for name, text in chapters.items()
            )
            self.reader.show_markdown(f"# {tr('Guide')}\n\n{contents}")

    def show_glossary(self, word: str = "") -> None:
        """Show the glossary, from a word."""
        self.glossary_button.setChecked(True)
        self.show()
        self.reader.show_markdown(glossary.format_glossary(), word)

    def show_shortcuts(self) -> None:
        """Show the list of shortcuts."""
        self.shortcuts_button.setChecked(True)
        self.show()
        self.reader.show_markdown(format_shortcuts(self._commands()))

    def _follow_link(self, link: QUrl) -> None:
        if link.scheme() == "guide":
            self.show_guide(link.path())
        elif link.scheme() == "" and link.path().endswith(".md"):
            self.show_guide(Path(link.path()).name)
        elif link.scheme() in {"http", "https"}:
            QDesktopServices.openUrl(link)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close on Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
        else:
            super().keyPressEvent(event)


class HelpPlacement(QObject):
    """Places the panel beside the page if both fit, else over its lower part.

    The top of the page, with the main result, stays visible in whole lines.

    Args:
        panel: It becomes a child of ``container``.
        container: The widget that the panel may partly cover.
    """

    def __init__(
        self, panel: HelpPanel, page: QWidget, row: QHBoxLayout, container: QWidget
    ) -> None:
        super().__init__(panel)
        self._panel, self._page, self._layout, self._container = panel, page, row, container
        panel.setParent(container)
        # Deferred to the next event, when the page has its new size.
        self._placement_timer = QTimer(self, interval=0, singleShot=True)
        self._placement_timer.timeout.connect(self._place_panel)
        for each in (panel, page):
            each.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Update the placement once the panel is shown, and after a resize of the page."""
        if watched is self._panel:
            has_changed = event.type() == QEvent.Type.Show
        else:
            has_changed = event.type() in {QEvent.Type.Resize, QEvent.Type.Move}
        if has_changed and self._panel.isVisible():
            self._placement_timer.start()
        return super().eventFilter(watched, event)

    def _place_panel(self) -> None:
        fits_beside = self._container.width() >= theme.pixels(_MIN_WIDTH_BESIDE)
        if fits_beside != (self._layout.indexOf(self._panel) >= 0):
            if fits_beside:
                self._layout.addWidget(self._panel)
            else:
                self._layout.removeWidget(self._panel)
        page = self._page.geometry()
        self._panel.setFixedWidth(theme.pixels(PANEL_WIDTH) if fits_beside else page.width())
        if not fits_beside:
            height = round(_COVERED_SHARE * page.height())
            self._panel.setGeometry(page.left(), page.bottom() + 1 - height, page.width(), height)
            self._panel.raise_()


def group_commands(commands: Iterable[Command]) -> dict[str, list[Command]]:
    """Return the commands with shortcuts, by group."""
    groups: dict[str, list[Command]] = {}
    for command in commands:
        if command.keys_text:
            groups.setdefault(command.group, []).append(command)
    return groups


def format_shortcuts(commands: Iterable[Command]) -> str:
    """Return the list of shortcuts, a table per group."""
    parts = [f"# {tr('Keys')}"]
    for group, members in group_commands(commands).items():
        rows = "\n".join(
            f"| {each.title} | **{_escape_cell(each.keys_text)}** |" for each in members
        )
        table_header = f"| {tr('Command')} | {tr('Keys')} |\n|---|---|"
        parts.append(f"## {group}\n\n{table_header}\n{rows}")
    return "\n\n".join(parts)


def _escape_cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*")
