"""What the space means: its size, what to mend, and random examples to light up in the tree."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QGridLayout,
    QListWidget,
    QListWidgetItem,
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

_MOST_PROBLEMS = 4
_EXAMPLE_HEIGHT = 44
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
            alpha = 0.13 if tokens.is_dark else 0.07
            painter.setBrush(theme.colour(tokens.accent, alpha))
            painter.drawRect(rect)
            painter.setBrush(theme.colour(tokens.accent))
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
        figures = QGridLayout()
        figures.setHorizontalSpacing(3 * GRID)
        figures.setVerticalSpacing(0)
        for column, (figure, words) in enumerate(
            ((self.dimensions, "dimensions"), (self.size_label, "configurations"))
        ):
            figures.addWidget(figure, 0, column)
            figures.addWidget(kit.label(words, "small"), 1, column)
        figures.setColumnStretch(2, 1)
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
        self._heading = kit.row(kit.label("Random examples", "section"), None, self.again)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GRID)
        column.addLayout(figures)
        column.addLayout(self._problems)
        column.addLayout(self._heading)
        column.addWidget(self.examples, 1)
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
            self.again.setEnabled(bool(told.examples))
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
        for number, problem in enumerate(problems[:_MOST_PROBLEMS]):
            wrong = number < errors
            about = f"{problem.parameter}: " if problem.parameter else ""
            line = kit.label(about + problem.message, "problem" if wrong else "small", wrap=True)
            if problem.parameter:
                line = self._link(line, problem)
            self._problems.addWidget(line)
        more = len(problems) - _MOST_PROBLEMS
        if more > 0:
            self._problems.addWidget(kit.label(f"and {count(more, 'more remark')}.", "small"))
        if errors:
            words = "Examples come back when this is mended; nothing is lost until then."
            self._problems.addWidget(kit.label(words, "small", wrap=True))

    def _link(self, line: QWidget, problem: Problem) -> QWidget:
        show = kit.button(
            "Show",
            lambda: self._editor.choose(Key(problem.parameter)),
            kind="link",
            name=f"Show {problem.parameter}",
            tip="Look at it in the tree",
        )
        holder = QWidget()
        row = kit.row(line, show)
        row.setStretch(0, 1)
        row.setAlignment(show, Qt.AlignmentFlag.AlignTop)
        holder.setLayout(row)
        return holder

    def _choose(self, number: int) -> None:
        self._editor.choose_example(None if number < 0 else number)
