"""The first page: a sample, a file of one's own, or where one stopped last time."""

import json
import time
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from studio.assets import RESOURCES
from studio.gui import icons, kit, places, theme
from studio.gui.theme import GRID

_WIDTH = 920


@dataclass(frozen=True)
class Sample:
    """A table that ships with the program."""

    path: Path
    title: str
    summary: str
    target: str


def samples() -> list[Sample]:
    """Return the sample tables."""
    folder = RESOURCES / "samples"
    listed = json.loads((folder / "samples.json").read_text("utf-8"))["samples"]
    return [
        Sample(folder / each["file"], each["title"], each["summary"], each["target"])
        for each in listed
    ]


class DropArea(QFrame):
    """A dashed field to drop a table on, or to press for the file dialog."""

    pressed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setMinimumHeight(168)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName("Open a table")
        self.setToolTip("CSV or TSV, also as .gz, or .zip with one table")
        heading = kit.label("Drop a table here", "section")
        heading.setAlignment(Qt.AlignmentFlag.AlignCenter)
        hint = kit.label("CSV or TSV, also .gz and .zip – or press to choose a file", "muted")
        hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column = QVBoxLayout(self)
        column.addStretch(1)
        column.addSpacing(48)
        column.addWidget(heading)
        column.addWidget(hint)
        column.addStretch(1)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the dashed edge and the sign of a table."""
        tokens = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        active = self.hasFocus() or self.underMouse()
        pen = QPen(theme.colour(tokens.accent if active else tokens.border), 1.5)
        pen.setDashPattern([4, 3])
        painter.setPen(pen)
        painter.setBrush(theme.colour(tokens.accent_soft if active else tokens.surface))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 10, 10)
        picture = icons.pixmap("data", tokens.accent, 36, self.devicePixelRatioF())
        painter.drawPixmap(round(self.width() / 2 - 18), round(self.height() / 2 - 54), picture)
        painter.end()

    def enterEvent(self, event: object) -> None:
        """Light up."""
        self.update()

    def leaveEvent(self, event: object) -> None:
        """Go dark."""
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Ask for a file."""
        self.pressed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ask for a file on Return and Space."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space}:
            self.pressed.emit()
        else:
            super().keyPressEvent(event)


class WelcomePage(QWidget):
    """Samples, a place to drop a table, recent documents."""

    sample_chosen = Signal(object)
    table_wanted = Signal()
    document_wanted = Signal()
    recent_chosen = Signal(Path)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "page")
        body = QWidget()
        body.setMaximumWidth(_WIDTH)
        column = QVBoxLayout(body)
        column.setContentsMargins(3 * GRID, 4 * GRID, 3 * GRID, 4 * GRID)
        column.setSpacing(GRID)
        column.addStretch(2)
        column.addWidget(kit.label("Ensemble Studio", "display"))
        column.addWidget(
            kit.label(
                "From a table to a set of models that predict better together.", "muted", wrap=True
            )
        )
        column.addSpacing(3 * GRID)
        self.drop_area = DropArea()
        self.drop_area.pressed.connect(self.table_wanted)
        column.addWidget(self.drop_area)
        column.addSpacing(3 * GRID)
        column.addWidget(kit.label("Or try a sample", "section"))
        self._samples = QHBoxLayout()
        self._samples.setSpacing(2 * GRID)
        for sample in samples():
            self._samples.addWidget(self._sample_card(sample), 1)
        column.addLayout(self._samples)
        column.addSpacing(3 * GRID)
        heading = kit.row(
            kit.label("Go on where you stopped", "section"),
            None,
            kit.button(
                "Open a document…",
                self.document_wanted.emit,
                kind="link",
                tip="Open a .studio file",
            ),
        )
        column.addLayout(heading)
        self._recent = QGridLayout()
        self._recent.setSpacing(2 * GRID)
        column.addLayout(self._recent)
        column.addStretch(3)
        centred = QWidget()
        middle = QHBoxLayout(centred)
        middle.setContentsMargins(0, 0, 0, 0)
        middle.addStretch(1)
        middle.addWidget(body, 100)
        middle.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(kit.scrolled(centred))
        self.refresh()

    def refresh(self) -> None:
        """Read the list of recent documents anew."""
        kit.clear(self._recent)
        found = places.recent()[:4]
        if not found:
            hint = "Documents that you open appear here. Everything is saved as you go."
            self._recent.addWidget(kit.label(hint, "muted", wrap=True), 0, 0)
        for position, path in enumerate(found):
            self._recent.addWidget(self._recent_card(path), position // 2, position % 2)

    def _sample_card(self, sample: Sample) -> QWidget:
        frame, column = kit.card()
        column.addWidget(kit.label(sample.title, "section"))
        column.addWidget(kit.label(sample.summary, "muted", wrap=True))
        column.addStretch(1)
        column.addLayout(
            kit.row(
                kit.button(
                    "Open the sample",
                    lambda: self.sample_chosen.emit(sample),
                    tip=f"Open {sample.path.name}; predict {sample.target}",
                    name=f"Open the sample {sample.title}",
                ),
                None,
            )
        )
        return frame

    def _recent_card(self, path: Path) -> QWidget:
        frame, column = kit.card()
        where = "not saved under a name yet" if places.is_untitled(path) else str(path.parent)
        name = kit.ElidedLabel(path.stem)
        name.setFont(theme.font(theme.BODY, bold=True))
        when = time.strftime("%d %b %Y, %H:%M", time.localtime(path.stat().st_mtime))
        about = kit.column(
            name,
            kit.ElidedLabel(f"{when} · {where}", "small", Qt.TextElideMode.ElideMiddle),
            spacing=2,
        )
        line = QHBoxLayout()
        line.addLayout(about, 1)
        line.addWidget(
            kit.button(
                "Open",
                lambda: self.recent_chosen.emit(path),
                tip=str(path),
                name=f"Open {path.stem}",
            )
        )
        column.addLayout(line)
        return frame
