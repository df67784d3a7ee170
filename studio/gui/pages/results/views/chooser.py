"""The chips of the questions that a result answers, and the view of the chosen one."""

from functools import partial
from typing import TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QStackedWidget, QWidget

from studio.gui.base.theme import GRID
from studio.gui.pages.results.views.registry import QUESTIONS
from studio.gui.plots.base.asking import ResultView, Tools
from studio.gui.session.run_view import RunView
from studio.gui.widgets import kit
from studio.gui.widgets.flow import Flow
from studio.language import tr

V = TypeVar("V", bound=ResultView)


class Views(QWidget):
    """One chip a question; a view is built when it is first chosen.

    Args:
        tools: What the views work with.
    """

    page_wanted = Signal(str)
    said = Signal(str)
    trial_wanted = Signal(int)
    row_wanted = Signal(object, str)
    table_wanted = Signal()
    again_wanted = Signal()

    def __init__(self, tools: Tools) -> None:
        super().__init__()
        self._tools = tools
        self._questions = {each.key: each for each in QUESTIONS}
        self._built: dict[type[ResultView], ResultView] = {}
        self._run: tuple[RunView, bool] | None = None
        group = QButtonGroup(self)
        self.chips = {
            each.key: kit.chip(
                tr(each.title), partial(self.open, each.key), tip=tr(each.tip), group=group
            )
            for each in QUESTIONS
        }
        bar = QWidget()
        Flow(*self.chips.values(), on=bar, gap=GRID)
        self._stack = QStackedWidget()
        kit.column(bar, (self._stack, 1), on=self, spacing=2 * GRID)
        self.open(QUESTIONS[0].key)

    def open(self, key: str) -> None:
        """Show what answers a question."""
        self.chosen = key
        self.chips[key].setChecked(True)
        self._stack.setCurrentWidget(self._current().area)
        self._refresh()

    def view(self, kind: type[V]) -> V:
        """Return the view of a kind, built now if nobody has looked at it yet."""
        if kind not in self._built:
            self._built[kind] = self._build(kind)
        built = self._built[kind]
        assert isinstance(built, kind)
        return built

    def _current(self) -> ResultView:
        return self.view(self._questions[self.chosen].view)

    def show_run(self, view: RunView, *, ready: bool) -> None:
        """Offer the questions that make sense for the run, and show the chosen one."""
        self._run = (view, ready)
        for key, chip in self.chips.items():
            chip.setVisible(self._questions[key].fits(view))
        if not self._questions[self.chosen].fits(view):
            self.open(QUESTIONS[0].key)
        self._refresh()

    def _build(self, kind: type[ResultView]) -> ResultView:
        view = kind(self._tools)
        view.view_wanted.connect(self.open)
        view.page_wanted.connect(self.page_wanted)
        view.said.connect(self.said)
        view.trial_wanted.connect(self.trial_wanted)
        view.row_wanted.connect(self.row_wanted)
        view.table_wanted.connect(self.table_wanted)
        view.again_wanted.connect(self.again_wanted)
        self._stack.addWidget(view.area)
        return view

    def _refresh(self) -> None:
        if self._run is not None:
            run, ready = self._run
            self._current().show_run(run, ready=ready)
