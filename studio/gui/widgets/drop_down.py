"""A drop-down whose chosen text is cut with "…" where there is no room for it."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QHelpEvent, QPaintEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QStylePainter, QToolTip

_MARGIN = 6
"""What the style leaves free beside the text, in device-independent pixels."""


class DropDown(QComboBox):
    """A drop-down that does not widen its column: a long text is cut, and whole in the tooltip.

    Attributes:
        cut: Where; its end by default.
    """

    cut = Qt.TextElideMode.ElideRight

    def showPopup(self) -> None:
        """Let the list be as wide as its longest text, as far as the screen goes."""
        view, screen = self.view(), self.screen()
        bar = view.verticalScrollBar().sizeHint().width()
        wanted = view.sizeHintForColumn(0) + bar + 2 * view.frameWidth() + _MARGIN
        view.setMinimumWidth(min(wanted, screen.availableGeometry().width() // 2))
        super().showPopup()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the frame, the arrow, and as much of the text as there is room for."""
        del event
        painter = QStylePainter(self)
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        option.currentText = self.shown_text()
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def event(self, event: QEvent) -> bool:
        """Begin the tooltip with the whole text where it is cut."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            whole = self.currentText().strip()
            if self.shown_text() != whole:
                QToolTip.showText(event.globalPos(), f"{whole}\n{self.toolTip()}".strip(), self)
                return True
        return super().event(event)

    def shown_text(self) -> str:
        """Return the text as it is drawn; what indents it in the list is left away."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        area = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox,
            option,
            QStyle.SubControl.SC_ComboBoxEditField,
            self,
        )
        return self.fontMetrics().elidedText(
            self.currentText().strip(), self.cut, area.width() - _MARGIN
        )
