"""Values of a choice as chips: add, remove, rename, reorder, set the default."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QMimeData, Qt, QTimer
from PySide6.QtGui import QDrag, QDragEnterEvent, QDropEvent, QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from studio.gui.base import theme
from studio.gui.base.command import REMOVE_KEYS
from studio.gui.base.tooltips import escape_mnemonics, make_plain_tip
from studio.gui.pages.space import edits
from studio.gui.pages.space.formatting import (
    format_choice,
    format_short_value,
    format_value,
    parse_value,
)
from studio.gui.pages.space.outline import OutlineRow
from studio.gui.widgets import kit
from studio.gui.widgets.flow import FlowLayout
from studio.language import ntr, tr
from studio.space.choices import Categorical
from studio.space.space import Space
from studio.trial import Value

VALUE_MIME = "application/x-ensemble-studio-value"
MAX_CHIPS = 60
"""Maximum number of chips; further values are edited as text in the tree."""


class Chip(kit.Button):
    """A value's chip; the default has a check mark in addition to its colour."""

    def __init__(self, chips: "Chips", value: Value, parameter: Categorical) -> None:
        name, is_default = format_choice(parameter, value), value == parameter.default
        super().__init__(name)
        self.value, self._chips = value, chips
        self.setProperty("kind", "chip")
        self.setCheckable(True)
        self.setChecked(is_default)
        self.setAcceptDrops(True)
        if is_default:
            kit.set_icon(self, "check")
        text = tr("the default") if is_default else tr("a value")
        self.setAccessibleName(f"{name}, {text}")
        tip = tr(
            "{value}. Space makes it the default, F2 renames it, Delete removes it, "
            "Alt+arrows move it; or drag it.",
            value=name + (f" ({text})" if is_default else ""),
        )
        self.setToolTip(make_plain_tip(tip))
        self.clicked.connect(lambda: chips.make_default(value))
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        for title, keys, apply in (
            (tr("Make it the default"), "", chips.make_default),
            (tr("Rename"), "F2; Return; Enter", chips.edit),
            (tr("Move left"), "Alt+Left", partial(chips.move_by, -1)),
            (tr("Move right"), "Alt+Right", partial(chips.move_by, 1)),
            (tr("Remove"), REMOVE_KEYS, chips.remove),
        ):
            action = self.addAction(escape_mnemonics(title))
            action.setShortcuts(QKeySequence.listFromString(keys))
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            action.triggered.connect(lambda _=False, apply=apply: apply(value))

    def nextCheckState(self) -> None:
        """Keep the check state, which is set by the edited choice."""

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Rename the value in place."""
        self._chips.edit(self.value)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the value once the pointer leaves the chip."""
        if self.isDown() and not self.rect().contains(event.position().toPoint()):
            self.setDown(False)
            drag = QDrag(self)
            drag.setMimeData(self.make_mime_data())
            drag.setPixmap(self.grab())
            drag.exec(Qt.DropAction.MoveAction)

    def make_mime_data(self) -> QMimeData:
        """Return the dragged data: the value's text."""
        data = QMimeData()
        data.setData(VALUE_MIME, format_value(self.value).encode())
        return data

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept other values of the same choice."""
        if event.mimeData().hasFormat(VALUE_MIME):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Insert the dragged value at this position."""
        text = bytes(event.mimeData().data(VALUE_MIME).data()).decode()
        self._chips.move_to(parse_value(text), self.value)
        event.acceptProposedAction()


class Chips(QWidget):
    """All values of a choice, and a chip to add one.

    Args:
        apply: Called with an edit of the space, ``edit(space, row)``; returns False on rejection.
        store_draft: Called with a field ("choices", or "choices rbf" while rbf is renamed) and its
            invalid text, or ``None``.
    """

    def __init__(
        self,
        apply: Callable[[Callable[[Space, OutlineRow], edits.SpaceEdit]], bool],
        store_draft: Callable[[str, str | None], object],
    ) -> None:
        super().__init__()
        self._apply, self._store_draft = apply, store_draft
        self.on_problem: Callable[[str], object] = lambda _: None
        self._parameter: Categorical | None = None
        self.chips: list[Chip] = []
        self.line: ChipLine | None = None
        self._flow = FlowLayout(parent=self)
        self._focus_value: Value | None = None

    def show_choice(self, parameter: Categorical, drafts: Sequence[tuple[str, str]] = ()) -> None:
        """Show a choice's values, and invalid input."""
        if parameter == self._parameter:
            return
        self._build(parameter)
        for field, text in drafts:
            name, _, initial_text = field.partition(" ")
            if name != "choices":
                continue
            if initial_text:
                self.edit(parse_value(initial_text))
            else:
                self.add()
            if self.line is not None:
                self.line.setText(text)
                self._check(text)

    def _build(self, parameter: Categorical) -> None:
        focused, self._focus_value = self._focus_value, None
        if focused is None:
            focused = next((chip.value for chip in self.chips if chip.hasFocus()), None)
        self._parameter = parameter
        if self.line is not None:
            self.line.ended = True
        kit.clear(self._flow)
        self.line = None
        self.chips = [Chip(self, value, parameter) for value in parameter.choices[:MAX_CHIPS]]
        for chip in self.chips:
            self._flow.addWidget(chip)
            if focused is not None and chip.value == focused:
                chip.setFocus()
        n_hidden = len(parameter.choices) - MAX_CHIPS
        if n_hidden > 0:
            text = ntr("and {count} more, in the tree", "and {count} more, in the tree", n_hidden)
            self._flow.addWidget(kit.label(text, "small"))
        tip = tr("Add a value to the choice")
        self.add_button = kit.button(tr("Add"), self.add, kind="chip", icon="add", tip=tip)
        self._flow.addWidget(self.add_button)
        self.updateGeometry()

    @property
    def _values(self) -> tuple[Value, ...]:
        return () if self._parameter is None else self._parameter.choices

    # ---- input

    def add(self) -> None:
        """Start typing a new value at the end."""
        self._start_input(self._flow.count() - 1, None)

    def edit(self, value: Value) -> None:
        """Start renaming a value in place."""
        for index, chip in enumerate(self.chips):
            if chip.value == value:
                chip.hide()
                self._start_input(index, value)

    def _start_input(self, index: int, value: Value | None) -> None:
        if self.line is not None:
            self.line.deleteLater()
        self.line = line = ChipLine(self, value)
        line.textEdited.connect(self._check)
        self._flow.insert(index, line)
        line.show()
        line.setFocus()
        self.updateGeometry()

    def finish(self) -> None:
        """Commit and close the input."""
        if self.line is not None:
            self.line.finish()
            self.line.ended = True

    def _check(self, text: str) -> None:
        """Show at each key press whether the name is already in use."""
        assert self.line is not None
        name = text.strip()
        is_taken = name != self.line.initial_text and name in map(format_short_value, self._values)
        message = tr("The value {value} exists already; choose another name.", value=name)
        self.on_problem(message if is_taken else "")
        kit.set_role(self.line, "false" if is_taken else "true", "valid")

    def commit(self, old: Value | None, text: str) -> bool:
        """Rename a value, or add one (``None``); return whether it succeeded."""
        self._focus_value = new_value = parse_value(text)
        if old is None:
            return self._apply_edit(edits.add_value, new_value)
        return self._apply_edit(edits.rename_value, old, new_value)

    def store_invalid(self, old: Value | None, text: str | None) -> None:
        """Store invalid input; ``None`` clears it."""
        self._store_draft("choices" if old is None else f"choices {format_value(old)}", text)

    def end_input(self) -> None:
        """Close the input field and show the chips."""
        self.on_problem("")
        if self._parameter is not None:
            self._build(self._parameter)

    def _apply_edit(self, edit: Callable[..., edits.SpaceEdit], *arguments: object) -> bool:
        """Apply an edit of the choice, keeping the row selected."""
        return self._apply(
            lambda space, row: edit(space, row, *arguments)._replace(selected_key=row.key)
        )

    # ---- other edits

    def make_default(self, value: Value) -> None:
        """Make a value the default."""
        self._focus_value = value
        self._apply_edit(partial(edits.set_values, default=value))

    def remove(self, value: Value) -> None:
        """Remove a value with the branches that only it activates."""
        remaining = [each for each in self._values if each != value]
        index = min(self._values.index(value), len(remaining) - 1)
        self._focus_value = remaining[index] if remaining else None
        self._apply_edit(edits.remove_value, value)

    def move_by(self, step: int, value: Value) -> None:
        """Move a value by one position."""
        index = self._values.index(value) + step
        if 0 <= index < len(self._values):
            self.move_to(value, self._values[index])

    def move_to(self, value: Value, other: Value) -> None:
        """Move a value to another one's position."""
        if value != other and value in self._values:
            self._focus_value = value
            self._apply_edit(edits.move_value, value, self._values.index(other))


class ChipLine(QLineEdit):
    """Input field for the name of a value, or of a new one (``None``); Escape cancels."""

    def __init__(self, chips: Chips, value: Value | None) -> None:
        self.initial_text = "" if value is None else format_value(value)
        super().__init__(self.initial_text)
        self._chips, self._value = chips, value
        self.ended = False
        self.setFixedWidth(theme.pixels(112))
        self.setAccessibleName(tr("Value"))
        self.setPlaceholderText(tr("new value"))
        self.selectAll()
        self.editingFinished.connect(self.finish)

    def finish(self, *, cancel: bool = False) -> None:
        """Commit or cancel the input."""
        text = self.text().strip()
        if self.ended:
            return
        is_unchanged = cancel or not text or text == self.initial_text
        self.ended = is_unchanged or self._chips.commit(self._value, text)
        self._chips.store_invalid(self._value, None if self.ended else text)
        if is_unchanged:
            # The field is still handling the event that removes it.
            QTimer.singleShot(0, self, self._chips.end_input)
        elif not self.ended:
            kit.set_role(self, "false", "valid")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Cancel on Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.finish(cancel=True)
        else:
            super().keyPressEvent(event)
