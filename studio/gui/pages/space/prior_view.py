"""The prior covariance of the space under a chosen kernel: what a search could learn from what."""

from itertools import zip_longest

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.gui.base import theme
from studio.gui.base.language import said, tr
from studio.gui.base.theme import GRID
from studio.gui.pages.space.editor import Editor
from studio.gui.pages.space.prior_model import (
    DRAWS,
    EXPLANATION,
    FILLINGS,
    SOURCE,
    PriorPicture,
    kernels,
    prior_picture,
)
from studio.gui.plots.asking import Asker, Helper, Query
from studio.gui.plots.painting.scale import scale_table
from studio.gui.plots.painting.scale_bar import ScaleBar
from studio.gui.widgets import kit
from studio.gui.widgets.fields import Choice
from studio.helper.prior_covariance import Prior

_BRACKET, _GAP, _WIDEST = 5, 4, 110


class PriorMatrix(QWidget):
    """Paints the matrix with a bracket for each branch."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.picture: PriorPicture | None = None
        self.note = ""
        self.pointed: tuple[int, int] | None = None
        self.lines = [kit.ElidedLabel("", "small") for _ in range(3)]
        self._image = QImage()
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(160, 140)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(tr("Prior covariance"))
        self.setToolTip(f"{tr(EXPLANATION)}\n{tr(SOURCE)}")

    def show_picture(self, picture: PriorPicture | None, note: str = "") -> None:
        """Draw another matrix, or say why there is none."""
        self.picture, self.note, self.pointed = picture, note, None
        if picture is not None and picture.size:
            shares = np.clip(np.nan_to_num(picture.values) * 255, 0, 255).astype(int)
            pixels = np.ascontiguousarray(scale_table()[shares])
            size = picture.size
            self._image = QImage(
                pixels.tobytes(), size, size, 3 * size, QImage.Format.Format_RGB888
            ).copy()
        self._show_words()
        self.update()

    def sizeHint(self) -> QSize:
        """Ask for a square with room for the branches' names."""
        return QSize(320, 240)

    # ---- places

    def _names_width(self) -> float:
        """Return the room that the names of the branches take."""
        if self.picture is None or not any(branch for branch, _, _ in self.picture.brackets):
            return 0.0
        metrics = QFontMetricsF(theme.font(theme.SMALL))
        widest = max(metrics.horizontalAdvance(b) for b, _, _ in self.picture.brackets)
        return float(min(widest, _WIDEST, self.width() / 3)) + _GAP

    def square(self) -> QRectF:
        """Return where the matrix is drawn."""
        left = self._names_width() + _BRACKET + _GAP
        top = _BRACKET + _GAP
        side = max(1.0, min(self.width() - left, self.height() - top))
        return QRectF(left, top, side, side)

    def cell_at(self, at: QPointF) -> tuple[int, int] | None:
        """Return the row and column at a place."""
        square, picture = self.square(), self.picture
        if picture is None or not picture.size or not square.contains(at):
            return None
        scale = picture.size / square.width()
        last = picture.size - 1
        row = min(int((at.y() - square.top()) * scale), last)
        return row, min(int((at.x() - square.left()) * scale), last)

    # ---- pointing

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Say what is compared where one points."""
        self.pointed = self.cell_at(event.position())
        self._show_words()
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Say what the whole holds."""
        super().leaveEvent(event)
        self.pointed = None
        self._show_words()
        self.update()

    def _show_words(self) -> None:
        picture = self.picture
        words: tuple[str, ...] = ()
        if picture is not None:
            words = picture.words_at(*self.pointed) if self.pointed else picture.summary()
        for line, text in zip_longest(self.lines, words, fillvalue=""):
            assert isinstance(line, kit.ElidedLabel)
            line.setText(text)
        self.setAccessibleDescription("\n".join(words) or self.note)

    # ---- drawing

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the matrix, the brackets with their branches, and the cell that is pointed at."""
        del event
        painter = QPainter(self)
        tokens = theme.current()
        painter.setFont(theme.font(theme.SMALL))
        picture = self.picture
        if picture is None or not picture.size:
            painter.setPen(QColor(tokens.muted))
            flags = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap)
            painter.drawText(self.rect(), flags, self.note)
            return
        square = self.square()
        painter.drawImage(square, self._image)
        cell = square.width() / picture.size
        self._paint_brackets(painter, picture, square, cell)
        if self.pointed is not None:
            row, column = self.pointed
            wide = max(cell, 3.0)
            painter.setPen(QPen(QColor(tokens.surface), 3))
            rect = QRectF(square.left() + column * cell, square.top() + row * cell, wide, wide)
            painter.drawRect(rect)
            painter.setPen(QPen(QColor(tokens.text), 1))
            painter.drawRect(rect)

    def _paint_brackets(
        self, painter: QPainter, picture: PriorPicture, square: QRectF, cell: float
    ) -> None:
        tokens, metrics = theme.current(), QFontMetricsF(painter.font())
        line = metrics.height()
        free = -1e9
        for branch, start, end in picture.brackets:
            if not branch:
                continue
            painter.setPen(QPen(QColor(tokens.muted), 1.5))
            first, last = start * cell + 1, end * cell - 1
            x, y = square.left() - _GAP, square.top()
            painter.drawLine(QPointF(x, y + first), QPointF(x, y + last))
            top = square.top() - _GAP
            painter.drawLine(
                QPointF(square.left() + first, top), QPointF(square.left() + last, top)
            )
            for at in (first, last):
                painter.drawLine(QPointF(x, y + at), QPointF(x + 2, y + at))
                painter.drawLine(
                    QPointF(square.left() + at, top), QPointF(square.left() + at, top + 2)
                )
            middle = y + (first + last) / 2 - line / 2
            if middle < free or middle + line > self.height() + 2:
                continue
            free = middle + line * 0.8
            room = self._names_width() - _GAP
            text = metrics.elidedText(branch, Qt.TextElideMode.ElideMiddle, room)
            painter.setPen(QColor(tokens.text))
            painter.drawText(
                QRectF(0, middle, room, line),
                Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
                text,
            )


class PriorView(QWidget):
    """Chooser of the kernel, its sentence, the matrix.

    Parameters
    ----------
    editor : Editor
        Whose space is meant.
    helper : Helper
        Who computes.
    """

    def __init__(self, editor: Editor, helper: Helper, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._editor = editor
        self._asker = Asker(
            helper,
            "prior_covariance",
            Prior,
            self._answer,
            self._refused,
            channel="space:prior_covariance",
        )
        offered: list[tuple[object, str]] = [(k.key, said(k.title)) for k in kernels()]
        self.kernel = Choice(offered, lambda _: self._ask())
        self.kernel.setAccessibleName(tr("Kernel"))
        self.kernel.setToolTip(tr("Which covariance function compares configurations"))
        self.kernel.show_value(kernels()[0].key)
        fillings: list[tuple[object, str]] = [(key, tr(words)) for key, words in FILLINGS.items()]
        self.filling = Choice(fillings, lambda _: self._ask())
        self.filling.setAccessibleName(tr("Inactive settings are filled"))
        self.filling.setToolTip(
            tr("The value used for inactive settings, which this kernel compares too")
        )
        self.filling.show_value("middle")
        self.filling_row = QWidget()
        inside = kit.row(kit.label(tr("Inactive settings are filled"), "small"), self.filling)
        inside.setStretch(1, 1)
        self.filling_row.setLayout(inside)
        self.summary = kit.label("", "small", wrap=True)
        self.matrix = PriorMatrix()
        self.scale = ScaleBar()
        self.scale.show_scale(tr("correlation"), "0", "1")
        self.scale.setToolTip(f"{tr(EXPLANATION)}\n{tr(SOURCE)}")
        kit.column(
            self.kernel,
            self.filling_row,
            self.summary,
            self.scale,
            (self.matrix, 1),
            kit.column(*self.matrix.lines, spacing=0),
            on=self,
            spacing=GRID // 2,
        )
        editor.meaning_changed.connect(self._ask)

    @property
    def chosen(self) -> str:
        """The chosen kernel's key."""
        return kernels()[max(0, self.kernel.currentIndex())].key

    def showEvent(self, event: object) -> None:
        """Ask when somebody looks; nothing is computed before."""
        del event
        self._ask()

    def _ask(self) -> None:
        space, meaning = self._editor.space, self._editor.meaning
        facts = next(each for each in kernels() if each.key == self.chosen)
        self.summary.setText(said(facts.summary))
        self.filling_row.setVisible(not facts.conditional)
        if not self.isVisible():
            return
        if space is None or meaning is None or meaning.dimensions is None:
            self._asker.forget()
            self.matrix.show_picture(
                None, tr("The picture comes back when the space is fixed or has a setting.")
            )
            return
        filling = list(FILLINGS)[max(0, self.filling.currentIndex())]
        arguments = {
            "space": space.to_json(),
            "kernel": self.chosen,
            "n": DRAWS,
            "seed": 0,
            "imputation": filling,
        }
        if self.matrix.picture is None:
            self.matrix.show_picture(None, tr("Comparing a hundred random configurations…"))
        self._asker.ask(Query(arguments, kind="prior", moment=(space, self.chosen, filling)))

    def _answer(self, query: Query, prior: Prior) -> None:
        space = self._editor.space
        if space is None or query.moment[0] != space:  # type: ignore[index]
            # Another space is being compared already; its answer comes next.
            return
        picture = prior_picture(prior, space)
        self.matrix.show_picture(picture if picture.size else None, picture.reason)

    def _refused(self, message: str) -> None:
        self.matrix.show_picture(None, said(message))
