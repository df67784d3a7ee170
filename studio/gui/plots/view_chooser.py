"""Choosing one of the views that a plot has."""

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QWidget

from studio.gui.base.language import tr
from studio.gui.widgets.drop_down import DropDown

_LONGEST = 24
"""Letters for which a chooser has room in any case."""


class ViewChooser(DropDown):
    """A drop-down of views.

    Parameters
    ----------
    views : Mapping
        Each view's key, and its name marked for translation.
    name, tip : str
        What is chosen, for screen readers, and the tooltip; both as they are shown.
    """

    chosen = Signal(str)

    def __init__(
        self, views: Mapping[str, str], name: str, tip: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setToolTip(tip)
        self.setMinimumContentsLength(max(13, min(_LONGEST, *(len(tr(t)) for t in views.values()))))
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        for key, title in views.items():
            self.addItem(tr(title), key)
        longest = max(self.fontMetrics().horizontalAdvance(tr(t)) for t in views.values())
        self.view().setMinimumWidth(longest + 40)
        self.activated.connect(lambda _: self.chosen.emit(self.key))

    @property
    def key(self) -> str:
        """The key of the view that is shown."""
        return str(self.currentData())

    def show_key(self, key: str) -> None:
        """Show another view, as if the user had chosen it."""
        self.setCurrentIndex(self.findData(key))
        self.chosen.emit(key)
