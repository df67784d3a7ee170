"""Findings about a table, with buttons for their remedies."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QVBoxLayout, QWidget

from studio.data.description import ColumnRemedy
from studio.gui.base.theme import GRID
from studio.gui.drafts import decisions
from studio.gui.drafts.data_model import DataModel
from studio.gui.pages.data.finding_display import DisplayedFinding, FindingAction
from studio.gui.widgets import kit
from studio.gui.widgets.flow import FlowLayout
from studio.gui.widgets.keyboard_focus import find_focusable, focus_nearest
from studio.language import tr

_MAX_EFFECT_LENGTH = 80
"""Maximum number of characters of an effect beside other remedies."""


class FindingList(QWidget):
    """Findings with their remedies beneath.

    Args:
        narrow: Whether each remedy is on a separate, wrapped line.
        n_lines: Minimum number of lines reserved for a sentence.
    """

    def __init__(
        self, model: DataModel, *, narrow: bool = False, kind: str = "chip", n_lines: int = 1
    ) -> None:
        super().__init__()
        self._model, self._narrow, self._kind, self._lines = model, narrow, kind, n_lines
        self._notes: tuple[DisplayedFinding, ...] = ()
        self._column = kit.column(parent=self)
        self.hide()

    def show_notes(self, notes: Sequence[DisplayedFinding]) -> None:
        """Show findings."""
        if tuple(notes) == self._notes:
            return
        self._notes = tuple(notes)
        widgets = find_focusable(self)
        focused = self.window().focusWidget()
        focus_index = widgets.index(focused) if focused in widgets else None
        if focus_index is not None:
            self.window().setFocus()  # or Qt would focus the next list, and scroll to it
        kit.clear(self._column)
        for each in self._notes:
            self._column.addLayout(self._make_row(each))
        self.setVisible(bool(self._notes))
        if focus_index is not None:
            # New findings are shown once the layout contains them.
            QTimer.singleShot(0, self, partial(focus_nearest, self, focus_index))

    def _make_row(self, note: DisplayedFinding) -> QVBoxLayout:
        label = kit.label(note.text, wrap=True, selectable=True)
        label.setMinimumHeight(self._lines * self.fontMetrics().lineSpacing())
        label.setAlignment(Qt.AlignmentFlag.AlignTop)
        row = kit.column(label, spacing=GRID // 2)
        buttons = [self._make_button(note, each) for each in note.actions]
        if self._is_stacked(note):
            for each in buttons:
                row.addWidget(each)
        elif buttons:
            row.addLayout(FlowLayout(*buttons, gap=2 * GRID, line_gap=GRID // 2))
        return row

    def _is_stacked(self, note: DisplayedFinding) -> bool:
        """Whether each remedy is on a separate line, with its effect wrapped."""
        is_long = any(len(each.effect) > _MAX_EFFECT_LENGTH for each in note.actions)
        return self._narrow or len(note.actions) == 1 or is_long

    def _make_button(self, note: DisplayedFinding, action: FindingAction) -> QWidget:
        name, apply = action.text, partial(self._apply, note, action.remedy)
        if note.column:
            name = tr("{name}: {words}", name=note.column, words=action.text)
        tip = action.effect or tr("Do not ask again.")
        button = kit.button(action.text, apply, kind=self._kind, tip=tip, name=name)
        widget = QWidget()
        line = kit.row(button, parent=widget, spacing=GRID)
        if action.effect and note.finding.level != "stop":
            wraps = self._is_stacked(note)
            line.addWidget(kit.label(action.effect, "small", wrap=wraps), 1)
        else:
            line.addStretch(1)
        return widget

    def _apply(self, note: DisplayedFinding, remedy: ColumnRemedy | None) -> None:
        if remedy is not None:
            decisions.apply_remedy(self._model, note.finding, remedy)
        elif note.is_kept:
            decisions.restore_finding(self._model, note.finding)
        else:
            decisions.dismiss_finding(self._model, [note.finding])
