"""Choosers of a plot: a view, a hyperparameter of a branch, a class."""

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QComboBox

from studio.gui.base import theme
from studio.gui.base.tooltips import make_plain_tip
from studio.gui.session.learner_names import get_learner_name, get_parameter_name
from studio.gui.widgets.fields import DropDown

Items = Sequence[tuple[Any, str]]
"""Keys and labels; the key of a heading is None."""

_MIN_LETTERS, _DEFAULT_LETTERS, _MAX_LETTERS = 6, 13, 24
"""Width of a chooser in letters: minimum in a narrow plot, usual minimum, and maximum."""


class Chooser(DropDown):
    """A drop-down of labelled keys, optionally below headings.

    Args:
        name, tip: For screen readers, and the tooltip.
        min_letters: Reserved width; 0: that of the shortest name, within limits.
    """

    elide_mode = Qt.TextElideMode.ElideMiddle  # names often differ at the end
    chosen = Signal(object)
    """A choice was made: its key."""

    def __init__(self, name: str, tip: str, min_letters: int = 0) -> None:
        super().__init__()
        self._items: Items = ()
        self._letters = min_letters
        self._is_user_choice = False
        self.setAccessibleName(name)
        self.setToolTip(make_plain_tip(tip))
        self.setMinimumContentsLength(min_letters or _DEFAULT_LETTERS)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.activated.connect(lambda _: self.chosen.emit(self.key))
        self.chosen.connect(self._record_user_choice)

    def minimumSizeHint(self) -> QSize:
        """Shrink to a few letters to leave space for a plot's title."""
        spare_letters = max(0, self.minimumContentsLength() - _MIN_LETTERS)
        hint = super().minimumSizeHint()
        narrower = spare_letters * self.fontMetrics().horizontalAdvance("X")  # as Qt measures text
        return QSize(hint.width() - narrower, hint.height())

    @property
    def key(self) -> Any:
        """The key of the choice; None while there are no choices."""
        return self.currentData()

    def set_choices(self, items: Items, first: object = None) -> None:
        """Set the choices; keep the current one if it still exists, else ``first`` or the first."""
        if list(items) == self._items:
            return
        previous_key, self._items = self.key, list(items)
        grouped = any(key is None for key, _ in items)
        model = QStandardItemModel(self)
        for key, name in items:
            item = QStandardItem("    " + name if grouped and key is not None else name)
            item.setData(key, Qt.ItemDataRole.UserRole)
            if key is None:
                item.setFlags(Qt.ItemFlag.NoItemFlags)
                item.setFont(theme.font(theme.SMALL, bold=True))
            model.appendRow(item)
        self.setModel(model)
        keys = [key for key, _ in items if key is not None]
        names = [name for _, name in items]
        if not self._letters:
            shortest = min((_MAX_LETTERS, *map(len, names)))
            self.setMinimumContentsLength(max(_DEFAULT_LETTERS, shortest))
        longest = max(map(self.fontMetrics().horizontalAdvance, names), default=0)
        self.view().setMinimumWidth(min(longest, 50 * theme.GRID) + 8 * theme.GRID)
        default = next(iter(keys), None) if first is None else first
        self.choose(previous_key if previous_key in keys else default)

    def choose(self, key: object) -> None:
        """Select a choice without a signal; unknown keys are ignored."""
        index = next((k for k, (each, _) in enumerate(self._items) if each == key), -1)
        if index >= 0 and key is not None:
            self.setCurrentIndex(index)

    def suggest(self, key: object) -> None:
        """Select a choice unless the user has made one."""
        if not self._is_user_choice:
            self.choose(key)

    def reset(self) -> None:
        """Discard the user's choice, so that another run may suggest one."""
        self._is_user_choice = False

    def _record_user_choice(self, _: object) -> None:
        self._is_user_choice = True

    def enable(self, key: object, enabled: bool) -> None:
        """Enable or disable a key."""
        model = self.model()
        assert isinstance(model, QStandardItemModel), "it was made here"
        model.item(self.findData(key)).setEnabled(enabled)

    def show_key(self, key: object) -> None:
        """Select a choice with a signal."""
        self.choose(key)
        self.chosen.emit(key)


def group_hyperparameters(groups: Mapping[str, Sequence[str]]) -> Items:
    """Return hyperparameters below the branches that activate them; others without heading."""
    items: list[tuple[Any, str]] = []
    for title, names in groups.items():
        items += [(None, get_learner_name(title))] if title else []
        items += [(name, get_parameter_name(name)) for name in names]
    return items
