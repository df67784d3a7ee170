"""What all live plots share: header, legend, drawing area, read-out and empty state."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QLabel, QStackedLayout, QVBoxLayout, QWidget

from studio.gui import theme
from studio.gui.plots.asking import Helper
from studio.gui.plots.canvas import make_canvas
from studio.gui.plots.header import Header
from studio.gui.plots.legend import Legend
from studio.gui.plots.subject import Subject

NO_RUN = "No run is chosen.\nStart one on the Run page, or pick one in the strip below."
NO_TRIAL = "Waiting for the first trial to finish…"


class Plot(QWidget):
    """Base of the live plots.

    A plot draws the subject that it is told to follow, and says by signals what the user wants.

    Attributes
    ----------
    key, title : str
        Its name in settings, and on the screen.
    helper : Helper
        Whom a plot asks for what is too much for the window's thread.
    summary : str
        One plain line: what is seen.
    explanation : str
        What a newcomer must know to read it, in three to six plain sentences.
    source : str
        The paper and figure it is after.
    overlays : bool
        Whether it draws the runs laid over the one looked at (``Subject.overlaid``).
    """

    key: ClassVar[str] = ""
    title: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    explanation: ClassVar[str] = ""
    source: ClassVar[str] = ""
    overlays: ClassVar[bool] = False

    iteration_picked = Signal(int)

    def __init__(self, helper: Helper, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.helper = helper
        self._subject: Subject | None = None
        self.setObjectName(f"plot-{self.key}")
        self.setAccessibleName(f"{self.title}: {self.summary}")
        self.header = Header(self.title, self.summary, self.source)
        self.legend = Legend()
        self.canvas = make_canvas()
        self.canvas.setAccessibleName(self.title)
        self._words = QLabel()
        self._words.setProperty("role", "small")
        self._words.setAccessibleName("Read-out")
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._words.setMinimumWidth(1)
        self._empty = QLabel(NO_RUN)
        self._empty.setProperty("role", "muted")
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setWordWrap(True)
        drawing = QWidget()
        self._inside = inside = QVBoxLayout(drawing)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(theme.GRID // 2)
        for part in (self.legend, self.canvas, self._words):
            inside.addWidget(part, 1 if part is self.canvas else 0)
        self._pages = QStackedLayout()
        self._pages.addWidget(self._empty)
        self._pages.addWidget(drawing)
        outside = QVBoxLayout(self)
        outside.setContentsMargins(theme.GRID * 2, theme.GRID, theme.GRID * 2, theme.GRID)
        outside.setSpacing(theme.GRID // 2)
        outside.addWidget(self.header)
        outside.addLayout(self._pages, 1)
        self.canvas.scene().sigMouseMoved.connect(self._hover)
        self.canvas.scene().sigMouseClicked.connect(self._click)
        self.canvas.viewport().installEventFilter(self)
        theme.notifier().changed.connect(self._theme_changed)

    # What a plot says of itself -----------------------------------------------------------

    def missing(self, subject: Subject) -> str:
        """Return why there is nothing to draw, and what to do; empty when there is something."""
        return "" if subject.series.trials else NO_TRIAL

    def draw(self, subject: Subject) -> None:
        """Bring what is drawn up to date; items are changed in place."""
        raise NotImplementedError

    def dress(self) -> None:
        """Take the colours of the theme in force."""
        raise NotImplementedError

    def words_at(self, where: QPointF) -> str:
        """Say what lies at a position of the scene; empty for nothing."""
        raise NotImplementedError

    def words_at_rest(self) -> str:
        """Say what the read-out shows while nothing is pointed at."""
        return ""

    def table(self) -> tuple[Sequence[str], Sequence[Sequence[object]]]:
        """Return the numbers that are drawn: the columns' names, and the rows."""
        raise NotImplementedError

    def clicked(self, where: QPointF) -> None:
        """Do what a click at a position of the scene means; by default nothing."""

    # What the page calls ------------------------------------------------------------------

    def follow(self, subject: Subject | None) -> None:
        """Show this run at this iteration (None: no run is chosen)."""
        self._subject = subject
        why = NO_RUN if subject is None else self.missing(subject)
        if subject is None or why:
            self.say(why)
            return
        self.draw(subject)
        self._pages.setCurrentIndex(1)
        self._rest()

    @property
    def subject(self) -> Subject | None:
        """What is followed now."""
        return self._subject

    @property
    def empty_text(self) -> str:
        """The empty state's text; empty while something is drawn."""
        return self._empty.text() if self._pages.currentIndex() == 0 else ""

    @property
    def read_out(self) -> str:
        """The text of the read-out."""
        return self._words.text()

    def say(self, why: str) -> None:
        """Show the empty state with this text."""
        self._empty.setText(why)
        self._pages.setCurrentIndex(0)

    def save_picture(self, path: Path) -> bool:
        """Write the plot with its title and legend as PNG at twice the screen's size."""
        picture = QPixmap(self.size() * 2)
        picture.setDevicePixelRatio(2)
        picture.fill(theme.colour(theme.current().surface))
        self.render(picture)
        return picture.save(str(path), "PNG")

    def save_numbers(self, path: Path) -> None:
        """Write what is drawn as CSV; raises OSError where that is not possible."""
        names, rows = self.table()
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(names)
            writer.writerows(rows)

    def add_below_legend(self, widget: QWidget) -> None:
        """Put something of the plot's own between legend and drawing."""
        self._inside.insertWidget(1, widget)

    # Within ------------------------------------------------------------------------------

    def _theme_changed(self, _: Any) -> None:
        self.dress()
        self.follow(self._subject)

    def _rest(self) -> None:
        self._words.setText(self.words_at_rest())

    def _hover(self, where: QPointF) -> None:
        if self._pages.currentIndex() == 1:
            self._words.setText(self.words_at(where) or self.words_at_rest())

    def _click(self, event: Any) -> None:
        if self._pages.currentIndex() == 1 and event.button() == Qt.MouseButton.LeftButton:
            if event.double():
                self.follow(self._subject)
            else:
                self.clicked(event.scenePos())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Put the read-out to rest when the pointer leaves the drawing."""
        if event.type() == QEvent.Type.Leave:
            self._rest()
        return super().eventFilter(watched, event)
