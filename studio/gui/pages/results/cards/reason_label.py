"""Reasons why a card's buttons are disabled, visible and accessible."""

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QStackedLayout, QWidget

from studio.gui.base.tooltips import make_plain_tip
from studio.gui.session.run_view import RunView
from studio.gui.widgets import kit
from studio.language import tr


def describe_reason(view: RunView | None, *, ready: bool, job: str) -> str:
    """Return why a run's ensemble is currently unusable; "" if it is usable.

    Args:
        job: The subcommand of another job in progress on the page; empty for none.
    """
    if not ready and view is not None and view.is_played:
        return tr("A recording is playing. “End the recording” (above) shows the whole run.")
    if not ready:
        return tr(
            "Available once the run has ended. Stop (at the top) ends it and keeps everything."
        )
    if job == "export":
        return tr("Available once the export is done.")
    if job == "predict":
        return tr("Available once the predictions are done.")
    if job == "refit":
        return tr("Available once the refit is done.")
    return tr("Available once the learning curve is done.") if job else ""


class ReasonLabel(QLabel):
    """The reason in a focusable label, as a disabled button cannot have the focus.

    Args:
        replaced_label: A label that it replaces, in :attr:`container`, so that the buttons below do
            not move.

    Attributes:
        container: The widget to lay out: a container of both labels, or this one.
    """

    def __init__(self, replaced_label: QLabel | None = None) -> None:
        super().__init__()
        self._replaced_label = replaced_label
        self.container: QWidget = self
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setMinimumWidth(kit.MIN_LABEL_WIDTH)
        self.setProperty("role", "small")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._tips: dict[QPushButton, str] = {}
        if replaced_label is None:
            self.hide()
            return
        self.container = QWidget()
        self._stack = QStackedLayout(self.container)
        for each in (replaced_label, self):
            each.setAlignment(Qt.AlignmentFlag.AlignTop)
            self._stack.addWidget(each)

    def show_reason(self, text: str, buttons: Iterable[QPushButton]) -> None:
        """Show the reason here and in tooltips of disabled buttons; enabled ones keep theirs."""
        self.setText(text)
        self.setAccessibleName(text)
        if self._replaced_label is None:
            self.setVisible(bool(text))
        else:
            self._stack.setCurrentWidget(self if text else self._replaced_label)
        for button in buttons:
            default_tooltip = self._tips.setdefault(button, button.toolTip())
            explanation = "" if button.isEnabled() else text
            button.setToolTip(
                make_plain_tip(
                    f"{default_tooltip}\n{explanation}" if explanation else default_tooltip
                )
            )
            button.setAccessibleDescription(explanation)
