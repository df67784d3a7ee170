"""Frame of a plot: header, legend, drawing area, read-out and empty state."""

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QFocusEvent,
    QGuiApplication,
    QImage,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QRegion,
    QResizeEvent,
)
from PySide6.QtWidgets import QLabel, QSizePolicy, QStackedLayout, QWidget

from studio.document.whole_files import put
from studio.errors import ExportError
from studio.export.cells import safe
from studio.gui.base import theme
from studio.gui.base.png import png
from studio.gui.plots.base.header import FullScreen, Header
from studio.gui.plots.painting.canvas import (
    apply_canvas_theme,
    make_canvas,
    rows_of_room,
    shape_items,
)
from studio.gui.plots.painting.hover import Hover
from studio.gui.plots.painting.legend import MAX_ROWS, Legend
from studio.gui.plots.painting.scale import Beside, ScaleBar
from studio.gui.widgets import kit
from studio.language import N_, tr
from studio.printable import printable


class ReadOut(QLabel):
    """Wrapped words that keep the most lines they had: else each other text would move the plot."""

    def __init__(self, text: str = "") -> None:
        super().__init__(text)
        self.setProperty("role", "small")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def setText(self, text: str) -> None:
        """Show other words."""
        if text != self.text():
            super().setText(text)
            self._hold(self.minimumHeight())

    def begin(self) -> None:
        """Forget how many lines there were: another run, or another size of letters."""
        self._hold(0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Take as many lines as another width asks for."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._hold(0)

    def changeEvent(self, event: QEvent) -> None:
        """Measure again in letters of another size."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._hold(0)

    def _hold(self, least: int) -> None:
        self.ensurePolished()
        # QLabel's own measure is never less than the least height that it has.
        room = QRect(0, 0, max(1, self.width()), 10_000)
        words = self.fontMetrics().boundingRect(room, Qt.TextFlag.TextWordWrap, self.text())
        self.setFixedHeight(max(least, words.height()))


SCALE = 2
"""Pixels of a picture for each of the screen's."""


def image_of(plot: QWidget) -> QImage:
    """Return an image of a widget, at twice the screen's size, on the theme's ground."""
    picture = QImage(plot.size() * SCALE, QImage.Format.Format_RGB32)
    picture.setDevicePixelRatio(SCALE)
    picture.fill(theme.colour(theme.current().surface))
    painter = QPainter(picture)
    plot.render(painter, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
    painter.end()
    return picture


def png_of(plot: QWidget) -> bytes:
    """Return a widget's picture as a PNG file's content."""
    return png(image_of(plot))


def svg_of(plot: QWidget, title: str) -> bytes:
    """Return a widget as an SVG file's content: lines and letters, no pixels of them."""
    from PySide6.QtSvg import QSvgGenerator

    made = QByteArray()
    buffer = QBuffer(made)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(plot.size())
    generator.setViewBox(QRect(QPoint(), plot.size()))
    # One unit of the file is one pixel of the screen; else Qt counts in its default of 1/72 inch.
    generator.setResolution(plot.logicalDpiX())
    generator.setTitle(title)
    painter = QPainter(generator)
    painter.fillRect(plot.rect(), theme.colour(theme.current().surface))
    plot.render(painter, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
    painter.end()
    return bytes(made.data())


def csv_of(names: Sequence[str], rows: Sequence[Sequence[object]]) -> bytes:
    """Return a table as a CSV file's content (UTF-8), with names as spreadsheets may have them."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerows([_cell(each) for each in row] for row in (names, *rows))
    return text.getvalue().encode()


def _cell(value: object) -> object:
    return safe(printable(value)) if isinstance(value, str) else value


def write_whole(path: Path, content: bytes) -> None:
    """Write a file beside its place and move it there.

    Raises:
        ExportError: If that is not possible; what was there stays.
    """
    try:
        put(path, content)
    except OSError as error:
        raise ExportError(
            tr(
                "{path} could not be written ({reason}). Choose a folder that you can write "
                "to and that has space left.",
                path=path,
                reason=error.strerror or error,
            )
        ) from error


NO_RUN = N_(
    "No run is selected.\nStart one on the Run page, or open a cell of a comparison on the "
    "Compare page."
)

LOW, LOWEST = 420, 300
"""Heights in pixels below which there is no read-out but beside the pointer and a legend of two
rows, and below which it has one: the drawing needs the room."""

TIME_KEYS = (
    Qt.Key.Key_Left,
    Qt.Key.Key_Right,
    Qt.Key.Key_PageUp,
    Qt.Key.Key_PageDown,
    Qt.Key.Key_Home,
    Qt.Key.Key_End,
    Qt.Key.Key_Space,
)
"""Keys that move through the iterations wherever in a plot the focus is."""

_TAB_REASONS = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)
"""Of a focus that the keyboard moved; Qt gives another reason where a page or a button goes."""


class PlotFrame(QWidget):
    """A plot without what it draws: it is looked at, pointed at, walked through and taken away.

    Attributes:
        key, title: Its name in settings, and on the screen.
        summary: One plain line: what is seen.
        explanation: What a newcomer must know to read it, in three to six plain sentences.
        source: The paper and figure it is after.

    Signals:
        enlarge_wanted: This plot alone, or all again.
        time_key: A key of :data:`TIME_KEYS` was pressed.
        redraw_wanted: It has another size: what depends on the room for it is drawn again.
    """

    key: ClassVar[str] = ""
    title: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    also: ClassVar[str] = ""
    explanation: ClassVar[str] = ""
    source: ClassVar[str] = ""

    enlarge_wanted = Signal()
    time_key = Signal(int)
    redraw_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._keyed = False
        self.setObjectName(f"plot-{self.key}")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(f"{tr(self.title)}: {tr(self.summary)}")
        self.header = Header(
            tr(self.title), tr(self.summary), tr(self.explanation), tr(self.source)
        )
        self.header.enlarge_wanted.connect(self.enlarge_wanted)
        self.header.full_wanted.connect(self.toggle_full_screen)
        self._full: FullScreen | None = None
        self.legend = Legend()
        self.canvas = make_canvas()
        self.canvas.setAccessibleName(tr(self.title))
        self.scale = ScaleBar()
        self.scale.hide()
        self._words = ReadOut()
        self._words.setAccessibleName(tr("Read-out"))
        self._hover = Hover(self, self.canvas, self.words_at, self.panel_at)
        # With a parent from the first: the layout shows its first widget at once, and without
        # one that would be a separate window, which flashes and closes open menus.
        self._empty = QLabel(tr(NO_RUN), self)
        self._empty.setProperty("role", "muted")
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setTextFormat(Qt.TextFormat.PlainText)
        self._empty.setWordWrap(True)
        drawing = QWidget(self)
        self.beside = Beside(self.legend, self.scale)
        self._inside = kit.column(
            self.beside, (self.canvas, 1), self._words, on=drawing, spacing=theme.GRID // 2
        )
        self._pages = QStackedLayout()
        self._pages.addWidget(self._empty)
        self._pages.addWidget(drawing)
        kit.column(
            self.header,
            (self._pages, 1),
            on=self,
            spacing=theme.GRID // 2,
            margin=(theme.GRID * 2, theme.GRID, theme.GRID * 2, theme.GRID),
        )
        self.canvas.scene().sigMouseMoved.connect(self._point)
        self.canvas.scene().sigMouseClicked.connect(self._click)
        self.canvas.viewport().installEventFilter(self)
        theme.notifier().changed.connect(self._theme_changed)
        apply_canvas_theme(self.canvas)

    # What is in the frame -----------------------------------------------------------------

    def again(self, *_: object) -> None:
        """Redraw, because something was chosen in the plot itself."""
        raise NotImplementedError

    def apply_theme(self) -> None:
        """Take the colours of the theme in force."""
        raise NotImplementedError

    def words_at(self, where: QPointF) -> str:
        """Describe what is at a position of the scene; empty for nothing."""
        raise NotImplementedError

    def panel_at(self, where: QPointF) -> QRectF | None:
        """Return the part of the scene through which a crosshair goes; None: there is none."""
        raise NotImplementedError

    def words_at_rest(self) -> str:
        """Return the read-out; the hovered item is described beside the pointer."""
        raise NotImplementedError

    def clicked(self, where: QPointF) -> None:
        """Do what a click at a position of the scene means."""
        raise NotImplementedError

    def table(self) -> tuple[Sequence[str], Sequence[Sequence[object]]]:
        """Return the numbers that are drawn: the columns' names, and the rows."""
        raise NotImplementedError

    # What it shows ------------------------------------------------------------------------

    @property
    def rows_of_room(self) -> int:
        """The number of names that fit above one another."""
        return rows_of_room(self.canvas)

    @property
    def own_height(self) -> int:
        """Height in pixels of the plot's own lines, beside head, legend and read-out."""
        usual = (self.beside, self.canvas, self._words)
        places = range(self._inside.count())
        lines = [self._inside.itemAt(at) for at in places if not self._inside.stretch(at)]
        own = [each for each in lines if each is not None and each.widget() not in usual]
        return sum(each.geometry().height() for each in own if not each.isEmpty())

    @property
    def empty_text(self) -> str:
        """The empty state's text; empty while something is drawn."""
        return self._empty.text() if self._pages.currentIndex() == 0 else ""

    @property
    def read_out(self) -> str:
        """The description of the item under the pointer; if there is none, the read-out."""
        return self._hover.words or self._words.text()

    def say(self, why: str) -> None:
        """Show the empty state with this text."""
        self._empty.setText(why)
        self._pages.setCurrentIndex(0)
        self._hover.hide()
        self._words.begin()

    def toggle_full_screen(self) -> None:
        """Fill the screen with the plot, or put it back."""
        if self._full is not None:
            self._full.close()
            return
        self._full = FullScreen(self, tr(self.title))
        self._full.left.connect(self._left_full_screen)

    def _left_full_screen(self) -> None:
        self._full = None
        self.setFocus()

    def add_below_legend(self, widget: QWidget) -> None:
        """Put something of the plot's own between legend and drawing."""
        self._inside.insertWidget(1, widget)

    def show_drawing(self) -> None:
        """Show the drawing in place of the empty state."""
        self._pages.setCurrentIndex(1)
        self._words.setText(self.words_at_rest())
        self.header.say(self.words_at_rest())
        self._hover.again()

    # Export -------------------------------------------------------------------------------

    def save_picture(self, path: Path) -> None:
        """Write the plot with its title and legend as PNG at twice the screen's size.

        Raises:
            ExportError: If it cannot be written; so do :meth:`save_vectors` and
                :meth:`save_numbers`.
        """
        with self._undressed():
            content = png_of(self)
        write_whole(path, content)

    def save_vectors(self, path: Path) -> None:
        """Write the plot as SVG, for print and for editing."""
        with self._undressed():
            content = svg_of(self, tr(self.title))
        write_whole(path, content)

    def save_numbers(self, path: Path) -> None:
        """Write what is drawn as CSV."""
        write_whole(path, csv_of(*self.table()))

    def copy_picture(self) -> None:
        """Put the picture on the clipboard."""
        with self._undressed():
            picture = image_of(self)
        QGuiApplication.clipboard().setImage(picture)

    @contextmanager
    def _undressed(self) -> Iterator[None]:
        """Be as it is saved: without the buttons, and with dots as shapes, not as pixels."""
        self._adapt_to_saving(True)
        try:
            yield
        finally:
            self._adapt_to_saving(False)

    def _adapt_to_saving(self, saved: bool) -> None:
        self.point_at_nothing()
        self.header.show_buttons(not saved)
        shape_items(self.canvas, saved)

    # Within ------------------------------------------------------------------------------

    def _theme_changed(self, _: Any) -> None:
        self.header.apply_theme()
        self.legend.apply_theme()
        self._words.begin()
        self._leave_room()
        self.apply_theme()
        self._hover.apply_theme()
        if self.isVisible():
            self.again()

    def summarise(self, text: str) -> None:
        """Set the one-sentence summary that the header's "?" shows."""
        self.header.summary = text

    def point_at_nothing(self) -> None:
        """Take crosshair and label away: what is seen then is also what is saved."""
        self._hover.hide()
        self._words.setText(self.words_at_rest())

    def _point(self, where: QPointF) -> None:
        if self._pages.currentIndex() == 1:
            self._hover.point(where)

    def _click(self, event: Any) -> None:
        if self._pages.currentIndex() == 1 and event.button() == Qt.MouseButton.LeftButton:
            if event.double():
                self.again()
            else:
                self.clicked(event.scenePos())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Put the read-out to rest when the pointer leaves, and draw for another size.

        A legend of more rows leaves the drawing less room without the plot being resized.
        """
        if event.type() == QEvent.Type.Resize:
            self.redraw_wanted.emit()
        if event.type() == QEvent.Type.Leave and self._pages.currentIndex() == 1:
            self.point_at_nothing()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave lines around the drawing away where there is little room."""
        super().resizeEvent(event)
        self._leave_room()
        self.redraw_wanted.emit()

    def _leave_room(self) -> None:
        """Let the drawing have most of a low plot: what explains it gives way, line by line."""
        height = self.height()
        low, lowest = height < theme.pixels(LOW), height < theme.pixels(LOWEST)
        self.legend.limit_rows(1 if lowest else 2 if low else MAX_ROWS)
        self._words.setVisible(not low)

    def event(self, event: QEvent) -> bool:
        """Keep F1 for this plot where the window has a shortcut of the same key."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_F1
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Explain at F1; move through the iterations by arrows, Home, End and the space bar."""
        if event.key() == Qt.Key.Key_F1:
            self.header.explain()
        elif event.key() in TIME_KEYS and not event.modifiers():
            self.time_key.emit(event.key())
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the focus where it came from the keyboard."""
        self._keyed = event.reason() in _TAB_REASONS
        self.update()
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the mark of the focus away."""
        self._keyed = False
        self.update()
        super().focusOutEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the mark of the focus."""
        super().paintEvent(event)
        if self._keyed:
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(theme.colour(theme.current().accent), 2))
            painter.drawRoundedRect(
                QRectF(self.rect()).adjusted(1, 1, -1, -1), theme.CARD, theme.CARD
            )
            painter.end()
