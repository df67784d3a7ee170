"""Choosing a hyperparameter from a list grouped by branch."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QComboBox, QWidget

from studio.gui.base import theme
from studio.gui.base.language import tr
from studio.gui.plots.slice_model import ParameterGroup
from studio.gui.widgets.drop_down import DropDown


class ParameterChooser(DropDown):
    """A drop-down whose branches are headings that cannot be chosen."""

    chosen = Signal(str)
    cut = Qt.TextElideMode.ElideMiddle  # what tells two apart is at the end

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._groups: tuple[ParameterGroup, ...] = ()
        self.setAccessibleName(tr("Hyperparameter along which the surrogate is drawn"))
        self.setToolTip(tr("The hyperparameter along which the surrogate is drawn"))
        self.setMinimumContentsLength(14)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.activated.connect(lambda _: self.chosen.emit(self.name))

    @property
    def name(self) -> str:
        """The hyperparameter chosen; empty while there is none."""
        return str(self.currentData() or "")

    def offer(self, groups: Sequence[ParameterGroup], first: str) -> None:
        """Show these groups; keep the choice where it still is there, else take ``first``."""
        if tuple(groups) == self._groups:
            return
        kept, self._groups = self.name, tuple(groups)
        model = QStandardItemModel(self)
        names = []
        for group in groups:
            if group.title:
                heading = QStandardItem(group.title)
                heading.setFlags(Qt.ItemFlag.NoItemFlags)
                heading.setFont(theme.font(theme.SMALL, bold=True))
                model.appendRow(heading)
            for name in group.names:
                item = QStandardItem(("    " if group.title else "") + name)
                item.setData(name, Qt.ItemDataRole.UserRole)
                model.appendRow(item)
                names.append(name)
        self.setModel(model)
        longest = max((self.fontMetrics().horizontalAdvance(name) for name in names), default=0)
        self.view().setMinimumWidth(longest + 8 * theme.GRID)
        self.choose(kept if kept in names else first)

    def choose(self, name: str) -> None:
        """Show another choice, without a signal; nothing where it is not offered."""
        place = self.findData(name, Qt.ItemDataRole.UserRole)
        if place >= 0:
            self.setCurrentIndex(place)
