"""The first card of the Run page: a description of the next run, its duration, and Start."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QWidget

from studio.gui.base.theme import GRID
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.decisions import group_findings
from studio.gui.drafts.starter import Starter
from studio.gui.widgets import kit
from studio.language import N_, ntr, tr

_TIME_WIDTH = 22 * GRID
_START_TIP = N_("Start a run with the settings of the Data, Space and Run pages")


def describe_open_decisions(data: DataModel) -> str:
    """State how many findings about the table await a decision; empty for none."""
    count = len(group_findings(data.draft).open_findings)
    if not count:
        return ""
    return ntr(
        "{count} decision is open on the Data page.",
        "{count} decisions are open on the Data page.",
        count,
    )


class StartCard(QFrame):
    """Describes the next run, and starts it.

    Args:
        advice: The line that describes the next run.
        time: The field of the time limit.
        notes: Sentences about the duration.
    """

    data_page_requested = Signal()
    """The Data page was requested, for its open decisions."""

    def __init__(
        self, starter: Starter, data: DataModel, *, advice: QWidget, time: QWidget, notes: QWidget
    ) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._starter, self._data = starter, data
        self.start_button = kit.button(
            tr("Start the run"), starter.start, kind="primary", icon="play", tip=tr(_START_TIP)
        )
        time.setMaximumWidth(_TIME_WIDTH)
        self.decisions_label = kit.label("", "warning")
        self.data_button = kit.button(
            tr("Decide there"),
            self.data_page_requested.emit,
            kind="link",
            tip=tr("Open the Data page, where the questions about the table are"),
        )
        kit.column(
            kit.label(tr("Next run"), "title"),
            advice,
            kit.row((time, 0), None, spacing=2 * GRID),
            kit.row(self.decisions_label, self.data_button, None, spacing=2 * GRID),
            kit.row(self.start_button, (notes, 1), spacing=2 * GRID),
            parent=self,
            spacing=GRID + GRID // 2,
            margin=2 * GRID,
        )
        starter.readiness_changed.connect(self._show)
        data.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        kit.enable_unless(self.start_button, self._starter.get_blocking_problem(), tr(_START_TIP))
        text = describe_open_decisions(self._data)
        kit.show_text(self.decisions_label, text)
        self.data_button.setVisible(bool(text))
