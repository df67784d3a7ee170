"""Card with the space's summary: size, problems, and examples to highlight in the tree."""

from PySide6.QtCore import QSignalBlocker, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from studio.gui.base import theme
from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import make_plain_tip
from studio.gui.pages.space.editor import SpaceEditor
from studio.gui.pages.space.outline import RowKey
from studio.gui.pages.space.space_summary import SpaceSummary, format_headline
from studio.gui.pages.space.tree_model import Index
from studio.gui.pages.space.tree_view import paint_highlight
from studio.gui.widgets import kit
from studio.gui.widgets.flow import HeightForWidthWidget
from studio.language import ntr, tr, translate
from studio.space.base import SpaceProblem
from studio.space.space import Space

_MAX_ERRORS, _MAX_NOTES = 3, 1
_EXAMPLE_HEIGHT = 40
_GAP = 3 * GRID // 2
_VALUES_ROLE = Qt.ItemDataRole.UserRole


class _ExampleDelegate(QStyledItemDelegate):
    """Draws two lines: the algorithm, and its values."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        tokens = theme.current()
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            paint_highlight(painter, option.rect)
        texts = (
            (index.data(Qt.ItemDataRole.DisplayRole), theme.font(bold=True), tokens.text),
            (index.data(_VALUES_ROLE), theme.font(theme.SMALL), tokens.muted),
        )
        lines = [line for line in texts if line[0]]
        line = option.rect.adjusted(12, 4, -8, -4)
        line.setHeight(line.height() // len(lines))
        for text, font, colour in lines:
            painter.setFont(font)
            painter.setPen(theme.colour(colour))
            elided = painter.fontMetrics().elidedText(
                text, Qt.TextElideMode.ElideRight, line.width()
            )
            painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, elided)
            line.translate(0, line.height())
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(100, theme.pixels(_EXAMPLE_HEIGHT))


class SpaceSummaryCard(QWidget):
    """Size, problems and examples of the editor's space."""

    def __init__(self, editor: SpaceEditor) -> None:
        super().__init__()
        self._editor = editor
        self.dimensions_label = kit.label("", "title")
        self.activity_label = kit.label("", "small", wrap=True)
        self.size_label = kit.label("", "title")
        self._noun_label = kit.label("", "small")
        sizes = (self.size_label, kit.label(tr("configurations"), "small"))
        figures = kit.row(
            self.dimensions_label, self._noun_label, _GAP, *sizes, None, spacing=GRID // 2
        )
        # A stack ignores the height of wrapped text, and would cut it off.
        self._remarks = HeightForWidthWidget()
        self._problems = kit.column(parent=self._remarks, spacing=GRID // 2)
        self.examples = QListWidget()
        self.examples.setItemDelegate(_ExampleDelegate(self.examples))
        self.examples.setAccessibleName(tr("Random examples"))
        self.examples.setUniformItemSizes(True)
        self.examples.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.examples.currentRowChanged.connect(
            lambda number: editor.choose_example(None if number < 0 else number)
        )
        self.resample_button = kit.button(
            tr("New draw"), editor.resample, kind="quiet", tip=tr("Draw other random examples")
        )
        self.examples.setToolTip(
            tr("The selected example is highlighted in the tree; the rest is dimmed")
        )
        self.examples.setMinimumHeight(_EXAMPLE_HEIGHT)
        header = kit.row((self.activity_label, 1), self.resample_button, spacing=GRID // 2)
        layout = kit.column(figures, self._remarks, header, (self.examples, 1), parent=self)
        layout.addStretch(0)  # if there are no examples
        self._shown_meaning: object = None
        editor.meaning_changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        meaning, space = self._editor.meaning, self._editor.space
        if meaning is None or space is None:
            return
        number = self._editor.example_number
        if meaning is not self._shown_meaning:
            self._shown_meaning = meaning
            is_known = meaning.n_dimensions is not None
            self.dimensions_label.setText(str(meaning.n_dimensions) if is_known else "–")
            noun = ntr("hyperparameter", "hyperparameters", meaning.n_dimensions or 0)
            self._noun_label.setText(noun)
            self.size_label.setText(meaning.size if is_known else "–")
            self.size_label.setToolTip(tr("Infinitely many") if meaning.size == "∞" else "")
            kit.show_text(self.activity_label, meaning.active_dimensions)
            draws = ntr(
                "Number of hyperparameters of a configuration, in {count} random draw",
                "Number of hyperparameters of a configuration, in {count} random draws",
                meaning.n_draws,
            )
            self.activity_label.setToolTip(make_plain_tip(draws))
            self._show_problems((*meaning.errors, *meaning.notes), len(meaning.errors))
            for part in (self.resample_button, self.examples):
                part.setVisible(bool(meaning.examples))
            self._show_examples(meaning, space)
        with QSignalBlocker(self.examples):
            self.examples.setCurrentRow(-1 if number is None else number)

    def _show_examples(self, summary: SpaceSummary, space: Space) -> None:
        with QSignalBlocker(self.examples):
            self.examples.clear()
            for configuration in summary.examples:
                title, rest = format_headline(space, configuration)
                item = QListWidgetItem(title, self.examples)
                item.setData(_VALUES_ROLE, rest or tr("no settings"))
                tooltip = "\n".join(f"{name} = {v}" for name, v in configuration.items())
                item.setToolTip(make_plain_tip(tooltip))
                item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{title}: {rest}")

    def _show_problems(self, problems: tuple[SpaceProblem, ...], n_errors: int) -> None:
        kit.clear(self._problems)
        self._remarks.setVisible(bool(problems))
        # Limited, as the examples need the space of a long list of remarks.
        max_shown = _MAX_ERRORS if n_errors else _MAX_NOTES
        for number, problem in enumerate(problems[:max_shown]):
            prefix = f"{problem.parameter}: " if problem.parameter else ""
            role = "problem" if number < n_errors else "small"
            line = kit.label(prefix + translate(problem.message), role, wrap=True)
            self._problems.addWidget(line)
            if problem.parameter:
                self._problems.addLayout(kit.row(self._make_link(problem), None))
        remaining = problems[max_shown:]
        if remaining:
            text = ntr("and {count} more remark", "and {count} more remarks", len(remaining))
            label = kit.label(text, "small")
            lines = (f"{each.parameter}: {translate(each.message)}" for each in remaining[:20])
            label.setToolTip(make_plain_tip("\n".join(lines)))
            self._problems.addWidget(label)
        if n_errors:
            text = tr("Examples reappear once this is corrected; nothing is lost until then.")
            self._problems.addWidget(kit.label(text, "small", wrap=True))

    def _make_link(self, problem: SpaceProblem) -> QPushButton:
        return kit.button(
            tr("Show {name}", name=problem.parameter),
            lambda: self._editor.select_row(RowKey(problem.parameter)),
            kind="link",
            tip=tr("Show it in the tree"),
        )
