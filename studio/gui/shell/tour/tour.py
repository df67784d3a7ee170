"""Show me around: what to look at and what to do, one short step after the other."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QWidget

from studio.gui.base.theme import GRID
from studio.gui.widgets import kit
from studio.language import N_, tr

_WIDTH = 340


class TourStep(NamedTuple):
    """A step: its page, the name of what it points at, and what it says."""

    page: str
    points_at: str
    title: str
    text: str


STEPS: tuple[TourStep, ...] = (
    TourStep(
        "data",
        "table",
        N_("This is the table"),
        N_(
            "Each row is one example. The blue column is the one to predict (the target); "
            "the others are what models learn from. Press a column's header to change that."
        ),
    ),
    TourStep(
        "data",
        "split",
        N_("Some rows are kept aside"),
        N_(
            "Models learn from most rows. Others compare the models, and the test rows are used "
            "only once, for an honest final error."
        ),
    ),
    TourStep(
        "data",
        "run",
        N_("Press Run"),
        N_(
            "The method was chosen for you. It tries models one after another, learns which "
            "settings are good, and builds a team of models that vote (an ensemble). The tour "
            "continues when the run has begun."
        ),
    ),
    TourStep(
        "live",
        "plots",
        N_("Watch it learn"),
        N_(
            "Each trial is a model with other settings. The lines show the error of the best "
            "single model and of the ensemble so far: lower is better."
        ),
    ),
    TourStep(
        "live",
        "slider",
        N_("Look back at any moment"),
        N_(
            "Drag the slider: every plot goes back with it. Live brings you to the newest model "
            "again."
        ),
    ),
    TourStep(
        "results",
        "result",
        N_("What you get"),
        N_(
            "When the run has finished you see the error on the test rows, the members and "
            "their weights. Predict new rows here, or export the ensemble."
        ),
    ),
)


class TourCard(QFrame):
    """The step's text with Back, Next and End, and a frame around what it points at.

    Args:
        place: Returns the widget that a name of a step means, or ``None`` where it is not on the
            screen.
        show: Brings a step's page, and what the step speaks of, to the screen.
        ready: Says whether there is what a step speaks of.
        kept: What the card never covers.
        window: The window that it lies over.
    """

    def __init__(
        self,
        place: Callable[[str], QWidget | None],
        show: Callable[[TourStep], None],
        ready: Callable[[TourStep], bool],
        kept: Sequence[QWidget],
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self.setProperty("role", "card")
        self.setFixedWidth(_WIDTH)
        self.number = 0
        self._place, self._show, self._window = place, show, window
        self._ready, self._kept = ready, kept
        self.spotlight = QFrame(window)
        self.spotlight.setProperty("role", "pointed")
        self.spotlight.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._count = kit.label("", "small")
        self._title = kit.label("", "section", wrap=True)
        self._text = kit.label("", wrap=True)
        self.back = kit.button(
            tr("Back"), lambda: self.go(self.number - 1), kind="quiet", tip=tr("The previous step")
        )
        self.next = kit.button(
            tr("Next"), lambda: self.go(self.number + 1), kind="primary", tip=tr("The next step")
        )
        self.end = kit.button(
            tr("End the tour"), lambda: self.go(0), kind="quiet", tip=tr("Close the tour (Escape)")
        )
        buttons = kit.row(self.end, None, self.back, self.next)
        kit.column(self._count, self._title, self._text, buttons, on=self, margin=2 * GRID)
        window.installEventFilter(self)
        self.go(0)

    def go(self, number: int) -> None:
        """Show a step, from 1; 0 and what follows the last one end the tour."""
        self.number = number if number <= len(STEPS) else 0
        self.setVisible(self.number > 0)
        self.spotlight.setVisible(self.number > 0)
        if not self.number:
            return
        step = STEPS[self.number - 1]
        self._count.setText(tr("Step {number} of {all}", number=self.number, all=len(STEPS)))
        self._title.setText(tr(step.title))
        self._text.setText(tr(step.text))
        self.next.setText(tr("Finish") if self.number == len(STEPS) else tr("Next"))
        self.next.setAccessibleName(self.next.text())
        self.back.setEnabled(self.number > 1)
        self.next.setEnabled(self.number == len(STEPS) or self._ready(STEPS[self.number]))
        self.setAccessibleName(f"{tr(step.title)}: {tr(step.text)}")
        self._show(step)
        (self.next if self.next.isEnabled() else self.end).setFocus()
        self._settle()

    def go_on(self) -> None:
        """Go on to the next step where this one waited for what that speaks of."""
        if self.number and not self.next.isEnabled() and self._ready(STEPS[self.number]):
            self.go(self.number + 1)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay in place when the window, or what is meant, changes its size or page."""
        if event.type() in {QEvent.Type.Resize, QEvent.Type.LayoutRequest} and self.isVisible():
            self._settle()
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """End the tour on Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.go(0)
        else:
            super().keyPressEvent(event)

    def _settle(self) -> None:
        """Frame what is meant, and move to the corner of the window that is farthest from it."""
        self.adjustSize()
        target = self._place(STEPS[self.number - 1].points_at)
        area = self._window.rect().adjusted(2 * GRID, 2 * GRID, -2 * GRID, -2 * GRID)
        meant = QRect()
        if target is not None and target.isVisible():
            target.installEventFilter(self)  # it may get its size only once its page is laid out
            meant = QRect(target.mapTo(self._window, QPoint(0, 0)), target.size())
            self.spotlight.setGeometry(meant.adjusted(-4, -4, 4, 4) & self._window.rect())
        self.spotlight.setVisible(not meant.isNull())
        kept = [
            QRect(each.mapTo(self._window, QPoint(0, 0)), each.size())
            for each in self._kept
            if each.isVisible()
        ]
        self.move(_free_corner(area, self.size(), meant, kept))
        self.spotlight.raise_()
        self.raise_()


def _free_corner(area: QRect, size: QSize, meant: QRect, kept: Sequence[QRect]) -> QPoint:
    """Return the corner at which a card hides least, the lower right first.

    Args:
        area, size: Of the window, and of the card.
        meant, kept: What a step points at, and what counts more than that.
    """
    right, bottom = area.right() - size.width(), area.bottom() - size.height()
    corners = [
        QPoint(right, bottom),
        QPoint(area.left(), bottom),
        QPoint(right, area.top()),
        QPoint(area.left(), area.top()),
    ]

    def hidden(corner: QPoint) -> tuple[int, int]:
        card = QRect(corner, size)
        return sum(_pixels(card & each) for each in kept), _pixels(card & meant)

    return min(corners, key=hidden)


def _pixels(over: QRect) -> int:
    return max(0, over.width()) * max(0, over.height())
