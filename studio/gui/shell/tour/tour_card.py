"""The guided first run on the screen: a card with the step, and a frame around what it means."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QWidget

from studio.gui.base import theme
from studio.gui.base.language import tr
from studio.gui.base.theme import GRID
from studio.gui.shell.tour.tour import STEPS, Tour, TourStep
from studio.gui.widgets import kit

_WIDTH = 340


class Spotlight(QWidget):
    """A frame around a widget; it takes neither mouse nor focus."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the frame."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.colour(theme.current().accent), 3))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(2, 2, -2, -2), 8, 8)
        painter.end()


class TourCard(QFrame):
    """The step's text with Back, Next and End; it is placed where it hides least.

    Parameters
    ----------
    tour : Tour
        What is shown.
    place : callable
        Returns the widget that a name of a step means, or ``None`` where it is not on the screen.
    show : callable
        Brings a step's page, and what the step speaks of, to the screen.
    window : QWidget
        The window that it lies over.
    """

    def __init__(
        self,
        tour: Tour,
        place: Callable[[str], QWidget | None],
        show: Callable[[TourStep], None],
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self.setProperty("role", "card")
        self.setFixedWidth(_WIDTH)
        self._tour, self._place, self._show = tour, place, show
        self._window = window
        self._shown = 0
        self.spotlight = Spotlight(window)
        self._count = kit.label("", "small")
        self._title = kit.label("", "section", wrap=True)
        self._text = kit.label("", wrap=True)
        self._hint = kit.label("", "small", wrap=True)
        self.back = kit.button(tr("Back"), tour.back, kind="quiet", tip=tr("The previous step"))
        self.next = kit.button(tr("Next"), tour.next, kind="primary", tip=tr("The next step"))
        self.end = kit.button(
            tr("End the tour"), tour.end, kind="quiet", tip=tr("Close the tour (Escape)")
        )
        kit.column(
            self._count,
            self._title,
            self._text,
            self._hint,
            kit.row(self.end, None, self.back, self.next),
            on=self,
            margin=2 * GRID,
        )
        tour.changed.connect(self._show_step)
        window.installEventFilter(self)
        self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay in place when the window, or what is meant, changes its size or page."""
        if event.type() in {QEvent.Type.Resize, QEvent.Type.LayoutRequest} and self.isVisible():
            self._settle()
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """End the guide on Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self._tour.end()
        else:
            super().keyPressEvent(event)

    def _show_step(self) -> None:
        step = self._tour.step
        self.setVisible(step is not None)
        self.spotlight.setVisible(step is not None)
        if step is None:
            self._shown = 0
            return
        self._count.setText(tr("Step {number} of {all}", number=self._tour.number, all=len(STEPS)))
        self._title.setText(tr(step.title))
        self._text.setText(tr(step.text))
        hint = self._tour.hint()
        kit.show_text(self._hint, hint)
        last = self._tour.number == len(STEPS)
        waited = not self.next.isEnabled()
        self.next.setText(tr("Finish") if last else tr("Next"))
        self.next.setAccessibleName(self.next.text())
        self.next.setEnabled(self._tour.done or last)
        self.back.setEnabled(self._tour.number > 1)
        self.setAccessibleName(f"{tr(step.title)}: {tr(step.text)}")
        if self._shown != self._tour.number:
            self._shown, waited = self._tour.number, True
            self._show(step)
            if not self.next.isEnabled():  # what has to be pressed first is at hand
                (self._place(step.points_at) or self.back).setFocus()
        if waited and self.next.isEnabled():
            self.next.setFocus()
        self._settle()

    def _settle(self) -> None:
        """Frame what is meant, and move to the corner of the window that is farthest from it."""
        step = self._tour.step
        if step is None:
            return
        self.adjustSize()
        target = self._place(step.points_at)
        area = self._window.rect().adjusted(2 * GRID, 2 * GRID, -2 * GRID, -2 * GRID)
        meant = QRect()
        if target is not None and target.isVisible():
            target.installEventFilter(self)  # it may get its size only once its page is laid out
            corner = target.mapTo(self._window, QPoint(0, 0))
            meant = QRect(corner, target.size())
            self.spotlight.setGeometry(meant.adjusted(-4, -4, 4, 4) & self._window.rect())
        self.spotlight.setVisible(not meant.isNull())
        self.move(_free_corner(area, self.size().width(), self.size().height(), meant))
        self.spotlight.raise_()
        self.raise_()


def _free_corner(area: QRect, width: int, height: int, meant: QRect) -> QPoint:
    """Return the corner at which a card hides least of what is meant, the lower right first."""
    right, bottom = area.right() - width, area.bottom() - height
    corners = [
        QPoint(right, bottom),
        QPoint(area.left(), bottom),
        QPoint(right, area.top()),
        QPoint(area.left(), area.top()),
    ]

    def hidden(corner: QPoint) -> int:
        over = QRect(corner.x(), corner.y(), width, height) & meant
        return over.width() * over.height()

    return min(corners, key=hidden)
