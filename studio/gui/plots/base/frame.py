"""Frame of a plot: header, legend, drawing area, read-out and empty state."""

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QEvent,
    QIODevice,
    QObject,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetrics,
    QGuiApplication,
    QImage,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPen,
    QRegion,
    QResizeEvent,
    QShortcut,
)
from PySide6.QtWidgets import QLabel, QSizePolicy, QStackedLayout, QWidget

from studio.document.atomic_files import write_file
from studio.figures.figure import Figure
from studio.gui.base import theme
from studio.gui.base.preferences import get_appearance
from studio.gui.base.saving import encode_png
from studio.gui.plots.base.header import FullScreen, Header
from studio.gui.plots.painting.canvas import (
    apply_canvas_theme,
    count_named_rows,
    make_canvas,
    set_vector_painting,
)
from studio.gui.plots.painting.hover import Hover
from studio.gui.plots.painting.legend import MAX_ROWS, Legend
from studio.gui.plots.painting.painter import Painter
from studio.gui.plots.painting.scale import LegendWithScale, ScaleBar
from studio.gui.widgets import kit
from studio.language import N_, tr
from studio.printable import escape_name


class ReadoutLabel(QLabel):
    """A wrapped label that keeps its largest number of lines, so that the plot does not move."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "small")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def setText(self, text: str) -> None:
        if text != self.text():
            super().setText(text)
            self._keep_height(self.minimumHeight())

    def reset_height(self) -> None:
        """Reset the height for another run or type size."""
        self._keep_height(0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._keep_height(0)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._keep_height(0)

    def _keep_height(self, min_height: int) -> None:
        self.ensurePolished()
        # QLabel's hint is never less than its minimum height.
        available = QRect(0, 0, max(1, self.width()), 10_000)
        text_rect = self.fontMetrics().boundingRect(
            available, Qt.TextFlag.TextWordWrap, self.text()
        )
        self.setFixedHeight(max(min_height, text_rect.height()))


EXPORT_SCALE = 2


def _find_note_area(plot: QWidget, note: str) -> QRect:
    """Return where a note is written below a widget; without height if there is none."""
    margin = 2 * theme.GRID
    metrics = QFontMetrics(theme.font(theme.SMALL))
    width = plot.width() - 2 * margin
    area = metrics.boundingRect(0, 0, width, plot.height(), _NOTE_FLAGS, note)
    return QRect(margin, plot.height(), width, area.height() + theme.GRID if note else 0)


_NOTE_FLAGS = int(Qt.TextFlag.TextWordWrap)


def _find_page_size(plot: QWidget, note: str) -> QSize:
    return plot.size() + QSize(0, _find_note_area(plot, note).height())


def _render(plot: QWidget, painter: QPainter, note: str) -> None:
    """Draw a widget, and a note below it."""
    tokens = theme.current()
    painter.fillRect(QRect(QPoint(), _find_page_size(plot, note)), theme.colour(tokens.surface))
    plot.render(painter, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
    painter.setFont(theme.font(theme.SMALL))
    painter.setPen(theme.colour(tokens.muted))
    painter.drawText(_find_note_area(plot, note), _NOTE_FLAGS, note)


def render_image(plot: QWidget, note: str) -> QImage:
    """Render a widget, and a note below it, at twice the screen's resolution."""
    size = _find_page_size(plot, note)
    picture = QImage(size * EXPORT_SCALE, QImage.Format.Format_RGB32)
    picture.setDevicePixelRatio(EXPORT_SCALE)
    painter = QPainter(picture)
    _render(plot, painter, note)
    painter.end()
    return picture


def render_svg(plot: QWidget, title: str, note: str) -> bytes:
    """Render a widget, and a note below it, as SVG with vector lines and text."""
    from PySide6.QtSvg import QSvgGenerator

    svg_bytes = QByteArray()
    buffer = QBuffer(svg_bytes)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    size = _find_page_size(plot, note)
    generator.setSize(size)
    generator.setViewBox(QRect(QPoint(), size))
    # One unit is one screen pixel; Qt's default is 1/72 inch.
    generator.setResolution(plot.logicalDpiX())
    generator.setTitle(title)
    painter = QPainter(generator)
    _render(plot, painter, note)
    painter.end()
    return bytes(svg_bytes.data())


def format_csv(names: Sequence[str], rows: Sequence[Sequence[object]]) -> bytes:
    """Format a table as CSV (UTF-8), with headers safe for spreadsheets."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerows([escape_name(each) for each in row] for row in (names, *rows))
    return text.getvalue().encode()


NO_RUN = N_(
    "No run is selected.\nStart one on the Run page, or open a cell of a comparison on the "
    "Compare page."
)

_MIN_LEAD_HEIGHT = 560
"""Height of a plot from which its lead has a place, at a scale of 1.

Shorter plots stand in rows, where it would move the tops of their drawings apart.
"""

_MIN_AUDIENCE_HEIGHT = 340
"""Height of a plot from which an audience, in full screen or presentation mode, sees its lead, or
in full screen its read-out; at a scale of 1.
"""

_MAX_LEGEND_SHARE = 0.2
"""Maximum share of a high plot for its legend."""

LOW_HEIGHT, LOWER_HEIGHT, LOWEST_HEIGHT = 640, 500, 420
"""Heights in pixels below which the read-out is only shown at the pointer, and the legend has at
most two rows or one row.
"""

TIME_KEYS = (
    Qt.Key.Key_Left,
    Qt.Key.Key_Right,
    Qt.Key.Key_PageUp,
    Qt.Key.Key_PageDown,
    Qt.Key.Key_Home,
    Qt.Key.Key_End,
    Qt.Key.Key_Space,
)
"""Keys that change the iteration, wherever the focus is within a plot."""

_TAB_REASONS = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)
"""Focus reasons of the keyboard; Qt uses a different one when a page or a button disappears."""


class PlotFrame(QWidget):
    """A plot's frame, without the drawing: read-out, hover, keys and export.

    Attributes:
        key, title: Its name in the settings, and its displayed name.
        min_alone_lead_height: Height from which its lead has a place if no plot is beside it, at a
            scale of 1.
        summary: One plain line that describes the content.
        explanation: How to read it, for newcomers, in a few plain sentences.

    Signals:
        enlarging_requested: Enlarging this plot, or restoring all, was requested.
        time_key: A key of :data:`TIME_KEYS` was pressed.
        redraw_requested: The size has changed, so the plot must be redrawn.
    """

    key: ClassVar[str] = ""
    title: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    search_terms: ClassVar[str] = ""
    explanation: ClassVar[str] = ""
    source: ClassVar[str] = ""
    min_alone_lead_height: ClassVar[int] = _MIN_LEAD_HEIGHT

    enlarging_requested = Signal()
    time_key = Signal(int)
    redraw_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._has_key_focus = False
        self.setObjectName(f"plot-{self.key}")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(f"{tr(self.title)}: {tr(self.summary)}")
        self.header = Header(
            tr(self.title), tr(self.summary), tr(self.explanation), tr(self.source)
        )
        self.header.enlarging_requested.connect(self.enlarging_requested)
        self.header.full_screen_requested.connect(self.toggle_full_screen)
        self._lead = ""
        self._full_screen: FullScreen | None = None
        self._subject_text = ""
        self.legend = Legend()
        self.canvas = make_canvas()
        self.canvas.setAccessibleName(tr(self.title))
        self.scale = ScaleBar()
        self.scale.hide()
        self._read_out = ReadoutLabel()
        self._read_out.setAccessibleName(tr("Read-out"))
        self.current_figure: Figure | None = None
        self.painter = Painter(self.canvas)
        self._hover = Hover(self, self.canvas, self.describe_item_at, self.painter.find_panel)
        # With a parent from the start: the layout shows its first widget immediately, and without
        # one it would be a separate window, which flashes and closes open menus.
        self._empty_label = QLabel(tr(NO_RUN), self)
        self._empty_label.setProperty("role", "muted")
        self._empty_label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty_label.setTextFormat(Qt.TextFormat.PlainText)
        self._empty_label.setWordWrap(True)
        drawing, spacing = QWidget(self), theme.GRID // 2
        self.legend_with_scale = LegendWithScale(self.legend, self.scale)
        content = (self.legend_with_scale, (self.canvas, 1), self._read_out)
        self._content = kit.column(*content, parent=drawing, spacing=spacing)
        self._pages = QStackedLayout()
        self._pages.addWidget(self._empty_label)
        self._pages.addWidget(drawing)
        self.lead_label = kit.label("", "muted", wrap=True)
        self.lead_label.hide()
        kit.column(self.header, self.lead_label, (self._pages, 1), parent=self, spacing=spacing)
        self.set_margins(2 * theme.GRID, theme.GRID)
        self.canvas.scene().sigMouseMoved.connect(self._on_hover)
        self.canvas.scene().sigMouseClicked.connect(self._on_click)
        self.canvas.viewport().installEventFilter(self)
        theme.get_notifier().changed.connect(self._on_theme_change)
        apply_canvas_theme(self.canvas)

    # Content ------------------------------------------------------------------------------

    def refresh(self, *_: object) -> None:
        """Redraw after a choice in the plot."""
        raise NotImplementedError

    def describe_item_at(self, position: QPointF) -> str:
        """Describe the item at a position of the scene; empty for nothing."""
        raise NotImplementedError

    def make_default_text(self) -> str:
        """Return the read-out; the hovered item is described at the pointer."""
        return "" if self.current_figure is None else self.current_figure.default_text

    def handle_scene_click(self, position: QPointF) -> None:
        """Handle a click at a position of the scene."""
        raise NotImplementedError

    def get_table(self) -> tuple[Sequence[str], Sequence[Sequence[object]]]:
        """Return the drawn numbers: column names, and rows."""
        raise NotImplementedError

    def get_note(self) -> str:
        """Return what exports say below the drawing, as the window does; empty for nothing."""
        return ""

    # State --------------------------------------------------------------------------------

    def set_margins(self, horizontal: int, vertical: int) -> None:
        """Set the margins at both sides, and above and below, in pixels."""
        self.setContentsMargins(horizontal, vertical, horizontal, vertical)

    @property
    def max_named_rows(self) -> int:
        """Number of names that fit vertically."""
        return count_named_rows(self.canvas)

    @property
    def extra_height(self) -> int:
        """Height in pixels of the plot's additional lines, besides header, legend and read-out."""
        standard_widgets = (self.legend_with_scale, self.canvas, self._read_out)
        content, height = self._content, 0
        for index in range(content.count()):
            line = content.itemAt(index)
            if content.stretch(index) or line is None or line.widget() in standard_widgets:
                continue
            if not line.isEmpty():
                # Before its first layout, a widget has the height of a window.
                height += min(line.geometry().height(), line.sizeHint().height())
        return height

    @property
    def empty_text(self) -> str:
        """The empty state's text; empty while something is drawn."""
        return self._empty_label.text() if self._pages.currentIndex() == 0 else ""

    @property
    def read_out(self) -> str:
        """The description of the hovered item, otherwise the read-out."""
        return self._hover.text or self._read_out.text()

    def show_lead(self, text: str) -> None:
        """Show a sentence above the drawing if the plot is tall enough.

        In full screen it takes the place of the read-out, if both have no room.
        """
        self._lead = text
        self._fit_texts()

    def show_empty_state(self, reason: str) -> None:
        """Show the empty state with this text."""
        self.show_lead("")
        self._empty_label.setText(reason)
        self._pages.setCurrentIndex(0)
        self._hover.hide()
        self._read_out.reset_height()

    def toggle_full_screen(self) -> None:
        """Enter or leave full screen."""
        if self._full_screen is not None:
            self._full_screen.close()
            return
        self.header.full_button.hide()  # the window has a button to leave presentation mode
        self._full_screen = FullScreen(self, tr(self.title), self._subject_text)
        self._full_screen.left.connect(self._on_full_screen_end)
        self._fit_explanations()
        # Also if a button there has the focus, which arrow keys would otherwise move.
        for key in TIME_KEYS:
            if key != Qt.Key.Key_Space:
                shortcut = QShortcut(QKeySequence(key), self._full_screen)
                shortcut.activated.connect(partial(self.time_key.emit, key))

    def show_full_screen_title(self, subtitle: str) -> None:
        """Name the run and iteration above the plot in full screen."""
        self._subject_text = subtitle
        if self._full_screen is not None:
            self._full_screen.about_label.setText(subtitle)

    def _on_full_screen_end(self) -> None:
        self._full_screen = None
        self._fit_explanations()
        self.header.full_button.show()
        self.setFocus()

    def add_below_legend(self, widget: QWidget) -> None:
        """Insert a widget between legend and drawing."""
        self._content.insertWidget(1, widget)

    def show_drawing(self) -> None:
        """Show the drawing in place of the empty state."""
        self._pages.setCurrentIndex(1)
        self._read_out.setText(self.make_default_text())
        self.header.set_tooltip_text(self.make_default_text())
        self._hover.update_description()

    # Export -------------------------------------------------------------------------------

    def save_picture(self, path: Path) -> None:
        """Export the plot with its title and legend as PNG at twice the screen's resolution.

        Raises:
            ExportError: If it cannot be written; likewise in :meth:`save_vectors` and
                :meth:`save_numbers`.
        """
        with self._export_mode():
            content = encode_png(render_image(self, self.get_note()))
        write_file(path, content)

    def save_vectors(self, path: Path) -> None:
        """Export the plot as SVG, for print and for editing."""
        with self._export_mode():
            content = render_svg(self, tr(self.title), self.get_note())
        write_file(path, content)

    def save_numbers(self, path: Path) -> None:
        """Export the drawn numbers as CSV, with a column of the note if there is one."""
        names, rows = self.get_table()
        note = self.get_note()
        if note:
            names, rows = (*names, "note"), [(*row, note) for row in rows]
        write_file(path, format_csv(names, rows))

    def copy_picture(self) -> None:
        """Copy the picture."""
        with self._export_mode():
            picture = render_image(self, self.get_note())
        QGuiApplication.clipboard().setImage(picture)

    @contextmanager
    def _export_mode(self) -> Iterator[None]:
        """Hide the buttons during export, and draw dots as vector shapes."""
        self.clear_hover()
        self.header.show_buttons(False)
        set_vector_painting(self.canvas, True)
        try:
            yield
        finally:
            self.header.show_buttons(True)
            set_vector_painting(self.canvas, False)

    # Internals -----------------------------------------------------------------------------

    def _on_theme_change(self, _: Any) -> None:
        self.header.apply_theme()
        self.legend.apply_theme()
        self._read_out.reset_height()
        self._fit_explanations()
        apply_canvas_theme(self.canvas)  # the figure's colours follow on the next update
        self._hover.apply_theme()
        if self.isVisible():
            self.refresh()

    def clear_hover(self) -> None:
        """Remove crosshair and label, so that they are not exported."""
        self._hover.hide()
        self._read_out.setText(self.make_default_text())

    def _on_hover(self, position: QPointF) -> None:
        if self._pages.currentIndex() == 1:
            self._hover.describe_item_at(position)

    def _on_click(self, event: Any) -> None:
        if self._pages.currentIndex() == 1 and event.button() == Qt.MouseButton.LeftButton:
            if event.double():
                self.refresh()
            else:
                self.handle_scene_click(event.scenePos())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Reset the read-out when the pointer leaves, and redraw on resize (also by the legend)."""
        if event.type() == QEvent.Type.Resize:
            self.redraw_requested.emit()
        if event.type() == QEvent.Type.Leave and self._pages.currentIndex() == 1:
            self.clear_hover()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide lines around the drawing where space is scarce."""
        super().resizeEvent(event)
        self._fit_explanations()
        self.redraw_requested.emit()

    def _fit_explanations(self) -> None:
        """Reserve most of a short plot for the drawing by hiding explanations line by line."""
        height = self.height()
        rows = {LOWEST_HEIGHT: 1, LOWER_HEIGHT: 2}
        pixels = int if get_appearance().is_presenting else theme.pixels
        fitting_counts = (rows[each] for each in rows if height < pixels(each))
        most = MAX_ROWS
        if height >= pixels(LOW_HEIGHT):  # in full screen: nobody can point at a tooltip there
            most = max(most, int(_MAX_LEGEND_SHARE * height / self.legend.row_height))
        self.legend.limit_rows(next(fitting_counts, most))
        self._fit_texts()

    def _fit_texts(self) -> None:
        """Show the lead and the read-out if the plot is tall enough."""
        in_full_screen = self._full_screen is not None
        # An audience has no pointer either.
        is_shown_to_audience = in_full_screen or get_appearance().is_presenting
        lead_height = _MIN_AUDIENCE_HEIGHT if is_shown_to_audience else _MIN_LEAD_HEIGHT
        if 2 * self.width() > self.window().width():  # it stands alone
            lead_height = min(lead_height, self.min_alone_lead_height)
        read_out_height = LOW_HEIGHT
        if in_full_screen:
            read_out_height = _MIN_LEAD_HEIGHT if self._lead else _MIN_AUDIENCE_HEIGHT
        height = self.height()
        kit.show_text(self.lead_label, self._lead if height >= theme.pixels(lead_height) else "")
        self._read_out.setVisible(height >= theme.pixels(read_out_height))

    def event(self, event: QEvent) -> bool:
        """Reserve F1 for this plot over a shortcut of the window."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_F1
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the explanation on F1; change the iteration by arrows, Home, End and Space."""
        if event.key() == Qt.Key.Key_F1:
            self.header.explain()
        elif event.key() in TIME_KEYS and not event.modifiers():
            self.time_key.emit(event.key())
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._has_key_focus = event.reason() in _TAB_REASONS
        self.update()
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._has_key_focus = False
        self.update()
        super().focusOutEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._has_key_focus:
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(theme.colour(theme.current().accent), 2))
            painter.drawRoundedRect(
                QRectF(self.rect()).adjusted(1, 1, -1, -1), theme.CARD, theme.CARD
            )
            painter.end()
