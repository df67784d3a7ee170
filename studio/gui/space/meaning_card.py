"""What the space means: its size, what to mend, and random examples to light up in the tree."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from studio.gui import kit, theme
from studio.gui.space.editor import Editor
from studio.gui.space.meaning import headline
from studio.gui.space.outline import Key
from studio.gui.theme import GRID
from studio.gui.wording import count
from studio.space.base import Problem

_MOST_ERRORS, _MOST_NOTES = 3, 1
_EXAMPLE_HEIGHT = 40
_REST = Qt.ItemDataRole.UserRole


class _ExampleDelegate(QStyledItemDelegate):
    """Two lines: the algorithm, and its values."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Draw one example, marked where it is the one that is lit up."""
        tokens = theme.current()
        title, rest = index.data(Qt.ItemDataRole.DisplayRole), index.data(_REST)
        rect = option.rect
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if chosen:
            painter.setPen(Qt.PenStyle.NoPen)
            alpha = 0.14 if tokens.is_dark else 0.08
            painter.setBrush(theme.colour(tokens.good, alpha))
            painter.drawRect(rect)
            painter.setBrush(theme.colour(tokens.good))
            painter.drawRect(rect.x(), rect.y(), 3, rect.height())
        inside = rect.adjusted(12, 4, -8, -4)
        lines = [(title, True), (rest, False)] if title else [(rest, False)]
        height = inside.height() // len(lines)
        for number, (text, bold) in enumerate(lines):
            painter.setFont(theme.font(theme.BODY if bold else theme.SMALL, bold=bold))
            painter.setPen(theme.colour(tokens.text if bold else tokens.muted))
            line = inside.adjusted(0, number * height, 0, 0)
            line.setHeight(height)
            metrics = painter.fontMetrics()
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, line.width())
            painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, shown)
        painter.restore()

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Return rows of one height."""
        return QSize(100, _EXAMPLE_HEIGHT)


class MeaningCard(QWidget):
    """Figures, problems and examples of the editor's space."""

    def __init__(self, editor: Editor, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._editor = editor
        self.dimensions = kit.label("", "title")
        self.size_label = kit.label("", "title")
        figures = kit.row(
            self.dimensions,
            kit.label("dimensions", "small"),
            _gap(),
            self.size_label,
            kit.label("configurations", "small"),
            None,
            spacing=6,
        )
        self._problems = QVBoxLayout()
        self._problems.setSpacing(2)
        self.examples = QListWidget()
        self.examples.setItemDelegate(_ExampleDelegate(self.examples))
        self.examples.setAccessibleName("Random examples")
        self.examples.setUniformItemSizes(True)
        self.examples.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.examples.currentRowChanged.connect(self._choose)
        self.again = kit.button(
            "Resample", editor.resample, kind="quiet", tip="Draw other random examples"
        )
        self._heading = kit.label("Random examples", "section")
        self.examples.setMinimumHeight(_EXAMPLE_HEIGHT)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GRID)
        column.addLayout(figures)
        column.addLayout(self._problems)
        column.addLayout(kit.row(self._heading, None, self.again))
        column.addWidget(self.examples, 1)
        column.addStretch()
        self._shown: object = None
        editor.meaning_changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        told = self._editor.meaning
        if told is None:
            return
        number = self._editor.example_number
        if told is not self._shown:
            self._shown = told
            whole = told.dimensions is not None
            self.dimensions.setText(str(told.dimensions) if whole else "–")
            self.size_label.setText(told.size if whole else "–")
            endless = "Infinitely many" if told.size == "∞" else ""
            self.size_label.setToolTip(endless)
            self._show_problems((*told.errors, *told.notes), len(told.errors))
            for part in (self._heading, self.again, self.examples):
                part.setVisible(bool(told.examples))
            self._show_examples()
        blocked = self.examples.blockSignals(True)
        self.examples.setCurrentRow(-1 if number is None else number)
        self.examples.blockSignals(blocked)

    def _show_examples(self) -> None:
        told, space = self._editor.meaning, self._editor.space
        assert told is not None
        assert space is not None
        blocked = self.examples.blockSignals(True)
        self.examples.clear()
        for configuration in told.examples:
            title, rest = headline(space, configuration)
            item = QListWidgetItem(title)
            item.setData(_REST, rest or "no settings of its own")
            item.setToolTip("\n".join(f"{name} = {v}" for name, v in configuration.items()))
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{title}: {rest}")
            self.examples.addItem(item)
        self.examples.blockSignals(blocked)

    def _show_problems(self, problems: tuple[Problem, ...], errors: int) -> None:
        kit.clear(self._problems)
        # Examples need the room that a long list of remarks would take.
        most = _MOST_ERRORS if errors else _MOST_NOTES
        for number, problem in enumerate(problems[:most]):
            wrong = number < errors
            about = f"{problem.parameter}: " if problem.parameter else ""
            line = kit.label(about + problem.message, "problem" if wrong else "small", wrap=True)
            self._problems.addWidget(line)
            if problem.parameter:
                self._problems.addLayout(kit.row(self._link(problem), None))
        rest = problems[most:]
        if rest:
            made = kit.label(f"and {count(len(rest), 'more remark')}", "small")
            made.setToolTip("\n".join(f"{each.parameter}: {each.message}" for each in rest[:20]))
            self._problems.addWidget(made)
        if errors:
            words = "Examples come back when this is mended; nothing is lost until then."
            self._problems.addWidget(kit.label(words, "small", wrap=True))

    def _link(self, problem: Problem) -> QPushButton:
        return kit.button(
            f"Show {problem.parameter}",
            lambda: self._editor.choose(Key(problem.parameter)),
            kind="link",
            tip="Look at it in the tree",
        )

    def _choose(self, number: int) -> None:
        self._editor.choose_example(None if number < 0 else number)


def _gap() -> QWidget:
    made = QWidget()
    made.setFixedWidth(GRID)
    return made
