"""Qt model of the tree: a row per hyperparameter or value, with editable columns."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)
from PySide6.QtGui import QColor, QFont, QIcon

from studio.errors import SpaceError
from studio.gui.base import icons, theme
from studio.gui.base.tooltips import make_plain_tip
from studio.gui.pages.space import cells, edits, moves
from studio.gui.pages.space.branches import LEARNERS
from studio.gui.pages.space.cells import COLUMNS, DEFAULT, EXAMPLE, KIND, NAME, SCALE, VALUES
from studio.gui.pages.space.editor import SpaceEditor
from studio.gui.pages.space.edits import SpaceEdit
from studio.gui.pages.space.formatting import format_choice, format_rules
from studio.gui.pages.space.outline import OutlineRow, RowKey
from studio.gui.session.learner_names import get_learner_name
from studio.language import tr, translate
from studio.learners.choice import ALGORITHM
from studio.learners.operators.base import EMPTY, STAGES
from studio.learners.space_problems import find_all_problems
from studio.space.base import SpaceProblem

ROW_MIME = "application/x-ensemble-studio-row"
LEARNER_MIME = "application/x-ensemble-studio-learner"
TEXT_MIME = "text/plain"
NO_INDEX = QModelIndex()
Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole


class SpaceTreeModel(QAbstractItemModel):
    """The editor's outline as an item model; the internal id is the row number.

    If the set of rows is unchanged, only changed rows are signalled; otherwise the model is reset.
    """

    def __init__(self, editor: SpaceEditor, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._editor = editor
        self._outline = editor.outline
        self._problems = self._group_problems()
        self._highlighted, self._excluded = editor.highlighted, editor.excluded
        self._getters_by_role: dict[int, Callable[[OutlineRow, int], Any]] = {
            Role.DisplayRole: self._format_text,
            Role.EditRole: self._get_editable_text,
            Role.ToolTipRole: self._make_tooltip,
            Role.AccessibleTextRole: self._format_accessible_text,
            Role.ForegroundRole: self._choose_colour,
            Role.FontRole: self._choose_font,
            Role.DecorationRole: self._choose_icon,
        }
        editor.changed.connect(self._rebuild)
        editor.meaning_changed.connect(self._update_highlight)
        editor.drafts_changed.connect(self._update_drafts)

    # ---- rows

    def get_row(self, index: Index) -> OutlineRow | None:
        """Return the row of an index; ``None`` for the root."""
        return self._outline.rows[index.internalId()] if index.isValid() else None

    def get_index(self, row: OutlineRow | None, column: int = NAME) -> QModelIndex:
        """Return the index of a row."""
        return QModelIndex() if row is None else self.createIndex(row.position, column, row.number)

    def is_highlighted(self, index: Index) -> bool:
        """Whether the selected example activates the row."""
        return index.isValid() and index.internalId() in self._highlighted

    def index(self, row: int, column: int, parent: Index = NO_INDEX) -> QModelIndex:
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        return self.createIndex(row, column, self._outline.get_children(self.get_row(parent))[row])

    def parent(self, index: Index = NO_INDEX) -> QModelIndex:  # type: ignore[override]
        row = self.get_row(index)
        return QModelIndex() if row is None else self.get_index(self._outline.get_parent(row))

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        """Return the number of child rows; only the first column has any."""
        if parent.isValid() and parent.column() != NAME:
            return 0
        return len(self._outline.get_children(self.get_row(parent)))

    def columnCount(self, parent: Index = NO_INDEX) -> int:
        return len(COLUMNS)

    # ---- cells

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(COLUMNS):
            return None
        title, tip, *_ = COLUMNS[section]
        by_role: dict[int, str] = {Role.DisplayRole: tr(title), Role.ToolTipRole: tr(tip)}
        return by_role.get(role)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        row = self.get_row(index)
        getter = self._getters_by_role.get(role)
        return None if row is None or getter is None else getter(row, index.column())

    def _format_text(self, row: OutlineRow, column: int) -> str:
        parameter = row.parameter
        learner = _get_learner_key(row)
        if column == NAME:
            label = get_learner_name(learner) if learner else self._outline.get_label(row)
            if row.further_rules:
                label += f"   {tr('also only if {rules}', rules=row.further_rules)}"
            return label
        if row.rule is not None:
            is_first_excluded = row.number in self._excluded and row.parent not in self._excluded
            if column == VALUES and is_first_excluded:
                return self._editor.searched.remark
            if column != KIND:
                return ""
            return tr("Learner") if learner else tr("Operator") if _get_operator_key(row) else ""
        if column == EXAMPLE:
            value = (self._editor.example or {}).get(parameter.name)
            return "" if value is None else format_choice(parameter, value)
        draft = self._get_draft(row, column)
        return cells.format_cell(parameter, column) if draft is None else draft

    def _get_editable_text(self, row: OutlineRow, column: int) -> str:
        draft = self._get_draft(row, column)
        text = cells.get_editable_text(row, column) if draft is None else draft
        return text.removeprefix(self._get_hidden_prefix(row)) if column == NAME else text

    def _get_hidden_prefix(self, row: OutlineRow) -> str:
        """Return the part of a hyperparameter's name that the tree leaves out: its learner."""
        return (
            row.parameter.name.removesuffix(self._outline.get_label(row))
            if row.rule is None
            else ""
        )

    def _complete_text(self, row: OutlineRow, column: int, text: str) -> str:
        """Return a cell's input, with a name's hidden prefix."""
        prefix = self._get_hidden_prefix(row) if column == NAME else ""
        return text if text.strip().startswith(prefix) else prefix + text.strip()

    def _get_draft(self, row: OutlineRow, column: int) -> str | None:
        return self._editor.drafts.get_text(row.key, COLUMNS[column].editable_field)

    def _format_accessible_text(self, row: OutlineRow, column: int) -> str:
        return f"{tr(COLUMNS[column].title)}: {self._format_text(row, column) or tr('nothing')}"

    def _make_tooltip(self, row: OutlineRow, column: int) -> str:
        """Return a cell's problems, and the description of its hyperparameter."""
        parameter, lines = row.parameter, self._find_cell_problems(row, column)
        if column == NAME and row.rule is None:
            lines.append(f"{parameter.name}: {translate(parameter.describe())}.")
            if parameter.note:
                lines.append(parameter.note)
            if parameter.conditions:
                rules = format_rules(parameter.conditions)
                lines.append(tr("Active only if {rules}.", rules=rules))
            if parameter.sets != parameter.name:
                lines.append(tr("The learner reads it as {name}.", name=parameter.sets))
        if column == KIND and (key := _get_learner_key(row) or _get_operator_key(row)):
            lines.append(tr("In space files: {name}", name=key))
        lines = lines or [self._format_text(row, column)]
        if column in {NAME, VALUES} and row.rule is None:  # a narrow tree hides these columns
            lines += [
                f"{tr(COLUMNS[each].title)}: {text}"
                for each in (DEFAULT, EXAMPLE)
                if (text := self._format_text(row, each))
            ]
        return make_plain_tip("\n".join(lines))

    def _choose_colour(self, row: OutlineRow, column: int) -> QColor:
        tokens = theme.current()
        if self._find_cell_problems(row, column, "error"):
            return QColor(tokens.bad)
        if column == EXAMPLE:
            return QColor(tokens.good)
        is_inactive = self._editor.example is not None and row.number not in self._highlighted
        if is_inactive or row.number in self._excluded:
            return QColor(tokens.muted)
        is_muted = row.rule is not None and column != NAME
        return QColor(tokens.muted if is_muted or column in {KIND, SCALE} else tokens.text)

    def _choose_font(self, row: OutlineRow, column: int) -> QFont | None:
        bold = column == EXAMPLE or (column == NAME and row.rule is not None)
        return theme.font(bold=True) if bold else None

    def _choose_icon(self, row: OutlineRow, column: int) -> QIcon | None:
        errors = [each for each in self._find_problems(row) if each.severity == "error"]
        has_error = column == NAME and (errors or self._editor.drafts.get_drafts(row.key))
        return icons.make_icon("warning", theme.current().bad, 16) if has_error else None

    # ---- problems

    def _group_problems(self) -> dict[str, list[SpaceProblem]]:
        groups: dict[str, list[SpaceProblem]] = {}
        space = self._editor.space
        if space is not None:
            for each in (*find_all_problems(space), *self._editor.library_problems):
                groups.setdefault(each.parameter, []).append(each)
        return groups

    def _find_problems(self, row: OutlineRow) -> list[SpaceProblem]:
        return [] if row.rule is not None else self._problems.get(row.parameter.name, [])

    def _find_cell_problems(self, row: OutlineRow, column: int, *severities: str) -> list[str]:
        """Return a cell's problems, optionally of some severities; drafts are errors."""
        fields, space = COLUMNS[column].problem_fields, self._editor.space
        messages = [
            translate(each.message)
            for each in self._find_problems(row)
            if each.field in fields and each.severity in (severities or {each.severity})
        ]
        for field, text in self._editor.drafts.get_drafts(row.key):
            if field in fields and space is not None:
                messages.append(edits.explain_invalid_input(space, row, field, text))
        return messages

    # ---- editing

    def flags(self, index: Index) -> Qt.ItemFlag:
        row = self.get_row(index)
        item_flags = Qt.ItemFlag.ItemIsDropEnabled
        if row is not None:
            item_flags |= Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
            if row.rule is None or row.value is not None:
                item_flags |= Qt.ItemFlag.ItemIsDragEnabled
            if cells.is_editable(row, index.column()):
                item_flags |= Qt.ItemFlag.ItemIsEditable
        return item_flags

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        """Apply the input; reject invalid text with a message."""
        row = self.get_row(index)
        column, text = index.column(), str(value)
        if row is None or role != Role.EditRole or not cells.is_editable(row, column):
            return False
        if text == self._get_editable_text(row, column):
            return True
        self.store_draft(index, None)
        value = self._complete_text(row, column, text)
        is_changed = self._editor.apply_edit(
            lambda space: cells.edit_cell(space, row, column, value), names_row=column == NAME
        )
        if is_changed:
            return True
        self.store_draft(index, text)
        return False

    def store_draft(self, index: Index, text: str | None) -> None:
        """Store a cell's invalid input; ``None`` clears it."""
        row, field = self.get_row(index), COLUMNS[index.column()].editable_field
        if row is not None and field:
            draft = None if text is None else self._complete_text(row, index.column(), text)
            self._editor.drafts.store(row.key, field, draft)

    def find_problem(self, index: Index, text: str) -> str:
        """Return why a text is invalid in a cell; empty if it is valid."""
        row, space = self.get_row(index), self._editor.space
        if row is not None and space is not None:
            try:
                column = index.column()
                cells.edit_cell(space, row, column, self._complete_text(row, column, text))
            except SpaceError as error:
                return translate(str(error))
        return ""

    # ---- drag and drop

    def supportedDropActions(self) -> Qt.DropAction:
        """Return the drop actions: rows are moved, learners and text are copied."""
        return Qt.DropAction.MoveAction | Qt.DropAction.CopyAction

    def mimeTypes(self) -> list[str]:
        """Return the accepted types: rows of this tree, a learner, branches as text."""
        return [ROW_MIME, LEARNER_MIME, TEXT_MIME]

    def mimeData(self, indexes: Any) -> QMimeData:
        """Return the rows' numbers, for this tree only, and the branches as text."""
        rows = [self._outline.rows[index.internalId()] for index in indexes]
        top_rows = moves.select_topmost_rows(self._outline, rows)
        data = QMimeData()
        data.setData(ROW_MIME, ",".join(str(row.number) for row in top_rows).encode())
        data.setText(moves.format_rows(self._outline, top_rows))
        return data

    def canDropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index
    ) -> bool:
        if self._editor.space is None:
            return False
        if data.hasFormat(ROW_MIME):
            return self._drop_data(data, row, parent) is not None
        return data.hasFormat(LEARNER_MIME) or data.hasText()

    def dropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index
    ) -> bool:
        """Move rows or insert a drop; always False, so that the view does not remove rows."""
        if data.hasFormat(ROW_MIME):
            edit = self._drop_data(data, row, parent)
            if edit is not None:
                self._editor.apply_edit(lambda _: edit)
        elif data.hasFormat(LEARNER_MIME):
            self._editor.add_learner(bytes(data.data(LEARNER_MIME).data()).decode())
        elif data.hasText():
            self._editor.paste(data.text(), self.get_row(parent))
        return False

    def _drop_data(self, data: QMimeData, row: int, parent: Index) -> SpaceEdit | None:
        space = self._editor.space
        numbers = bytes(data.data(ROW_MIME).data()).decode().split(",")
        n_rows = len(self._outline.rows)
        if space is None or not all(word.isdigit() and int(word) < n_rows for word in numbers):
            return None
        dragged_rows = [self._outline.rows[int(word)] for word in numbers]
        return moves.drop_all(space, self._outline, dragged_rows, self.get_row(parent), row)

    # ---- editor

    def _rebuild(self) -> None:
        previous, current = self._outline, self._editor.outline
        has_same_rows = [(r.key, r.parent) for r in previous.rows] == [
            (r.key, r.parent) for r in current.rows
        ]
        if not has_same_rows:
            self.beginResetModel()
        previous_problems, self._problems = self._problems, self._group_problems()
        self._outline, self._highlighted = current, self._editor.highlighted
        self._excluded = self._editor.excluded
        if not has_same_rows:
            self.endResetModel()
            return
        for old, new in zip(previous.rows, current.rows, strict=True):
            name = new.parameter.name
            if old != new or previous_problems.get(name) != self._problems.get(name):
                self._emit_change(new)

    def _update_drafts(self, key: RowKey) -> None:
        row = self._outline.find(key)
        if row is not None:
            self._emit_change(row)

    def _update_highlight(self) -> None:
        previous = self._highlighted | self._excluded
        self._highlighted, self._excluded = self._editor.highlighted, self._editor.excluded
        for number in previous | self._highlighted | self._excluded:
            self._emit_change(self._outline.rows[number])

    def _emit_change(self, row: OutlineRow) -> None:
        self.dataChanged.emit(self.get_index(row), self.get_index(row, EXAMPLE))


def _get_learner_key(row: OutlineRow) -> str:
    """Return the learner that a row stands for, one value of the choice of learners, or ""."""
    is_value = row.parameter.sets == ALGORITHM and row.value is not None
    return str(row.value) if is_value and row.value in LEARNERS else ""


def _get_operator_key(row: OutlineRow) -> str:
    """Return the operator that a row stands for, one value of the choice of a stage, or ""."""
    is_value = row.parameter.sets in STAGES and row.value not in {None, EMPTY}
    return str(row.value) if is_value else ""
