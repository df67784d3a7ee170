"""Choosing the class that curves are about."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox

from studio.gui.base.language import tr
from studio.gui.base.theme import GRID
from studio.gui.widgets.drop_down import DropDown


class ClassChooser(DropDown):
    """A drop-down of classes.

    Parameters
    ----------
    whole : bool
        Whether "all classes" (code -1) stands before them where there are more than two.
    """

    chosen = Signal(int)

    def __init__(self, *, whole: bool) -> None:
        super().__init__()
        self._whole = whole
        self._classes: tuple[str, ...] = ()
        self.setAccessibleName(tr("Class that the curve is about"))
        self.setToolTip(
            tr("The class that the curve is about, one against the rest, or the mean of all")
            if whole
            else tr("The class that the curve is about")
        )
        self.setMinimumContentsLength(8)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.activated.connect(lambda _: self.chosen.emit(self.code))

    @property
    def code(self) -> int:
        """The chosen class; -1 for all."""
        return int(self.currentData())

    def offer(self, classes: Sequence[str], code: int) -> None:
        """Show these classes, and one of them as chosen; without a signal."""
        if tuple(classes) != self._classes:
            self._classes = tuple(classes)
            self.clear()
            if self._whole and len(classes) > 2:
                self.addItem(tr("all classes"), -1)
            for number, name in enumerate(classes):
                self.addItem(name, number)
            longest = max(self.fontMetrics().horizontalAdvance(name) for name in classes)
            self.view().setMinimumWidth(min(longest, 50 * GRID) + 5 * GRID)
        self.setCurrentIndex(self.findData(code))
