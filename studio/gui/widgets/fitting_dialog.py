"""A dialog that grows with its messages."""

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QDialog


class FittingDialog(QDialog):
    """Never lower than its wrapped texts need; its width is the user's choice."""

    def event(self, event: QEvent) -> bool:
        """Grow when the layout needs more."""
        handled = super().event(event)
        if event.type() in {QEvent.Type.LayoutRequest, QEvent.Type.Show}:
            layout = self.layout()
            needed_height = layout.totalHeightForWidth(self.width()) if layout is not None else 0
            if needed_height > self.height():
                self.resize(self.width(), needed_height)
        return handled
