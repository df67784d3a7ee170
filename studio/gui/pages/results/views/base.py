"""What the views of the results page have in common."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QScrollArea

from studio.gui.drafts.run_model import RunModel
from studio.gui.pages.results.cards.job_line import Lane
from studio.gui.pages.results.views.effects_work import EffectsWork
from studio.gui.plots.asking import Asker, Helper, Query
from studio.gui.session.run_view import RunView
from studio.gui.session.session import Session
from studio.gui.widgets import kit
from studio.gui.widgets.flowing import Flowing

A = TypeVar("A")


@dataclass(frozen=True)
class Tools:
    """What views work with.

    Attributes
    ----------
    session : Session
        The open document.
    models : RunModel
        Titles and units of metrics.
    helper : Helper
        Computes what is heavy.
    lane : Lane
        One job at a time: predictions, exports, refits.
    effects : EffectsWork
        What the columns have to do with the predictions, found out once for all views.
    """

    session: Session
    models: RunModel
    helper: Helper
    lane: Lane
    effects: EffectsWork

    def asks(
        self,
        task: str,
        answer: type[A],
        done: Callable[[Query, A], None],
        failed: Callable[[str], None] = lambda _: None,
    ) -> Asker[A]:
        """Return who asks the helper for a task in the page's name."""
        return Asker(self.helper, task, answer, done, failed, channel=f"results:{task}")


class View(Flowing):
    """One question that a result answers; built when somebody first looks at it.

    Parameters
    ----------
    tools : Tools
        What it works with.
    """

    view_wanted = Signal(str)
    """Another view shall be shown: its key."""

    page_wanted = Signal(str)
    """Another page shall be shown: its key."""

    trial_wanted = Signal(int)
    """Predictions and exports shall be of one trial alone: its number."""

    def __init__(self, tools: Tools) -> None:
        super().__init__()
        self.tools = tools
        self.area: QScrollArea = kit.scrolled(self)

    def show_run(self, view: RunView, *, ready: bool) -> None:
        """Show what is known of a run with at least one model.

        Parameters
        ----------
        view : RunView
            The run.
        ready : bool
            Whether it has ended, with a result that can be used.
        """
        raise NotImplementedError
