"""What the views of the results page have in common."""

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QScrollArea

from studio.gui.base.command_job import JobLane
from studio.gui.drafts.run_model import RunModel
from studio.gui.plots.base.asking import Asks
from studio.gui.session.run_view import RunView
from studio.gui.session.session import Session
from studio.gui.widgets import kit
from studio.gui.widgets.flow import Flowing
from studio.questions.columns import ColumnsWork


@dataclass(frozen=True)
class Tools:
    """What views work with.

    Attributes:
        session: The open document.
        models: Titles and units of metrics.
        asks: Makes its askers, for what is heavy.
        lane: One job at a time: predictions, exports, refits.
        effects: What the columns have to do with the predictions, found out once for all views.
    """

    session: Session
    models: RunModel
    asks: Asks
    lane: JobLane
    effects: ColumnsWork


class ResultView(Flowing):
    """One question that a result answers; built when somebody first looks at it.

    Args:
        tools: What it works with.
    """

    view_wanted = Signal(str)
    """Another view is to be shown: its key."""

    page_wanted = Signal(str)
    """Another page is to be shown: its key."""

    said = Signal(str)
    """What was done, for the window to confirm."""

    trial_wanted = Signal(int)
    """Predictions and exports are to be of one trial alone: its number."""

    row_wanted = Signal(object, str)
    """One row is to be shown with these values of its form, and where they are from."""

    table_wanted = Signal()
    """A table of new rows is to be chosen."""

    again_wanted = Signal()
    """The table of new rows that was predicted last is to be predicted again."""

    def __init__(self, tools: Tools) -> None:
        super().__init__()
        self.tools = tools
        self.area: QScrollArea = kit.scrolled(self)

    def show_run(self, view: RunView, *, ready: bool) -> None:
        """Show what is known of a run with at least one model.

        Args:
            view: The run.
            ready: Whether it has ended, with a result that can be used.
        """
        raise NotImplementedError
