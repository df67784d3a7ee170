"""The run page: the next run, the list of runs, what failed in them, and what they said."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStackedWidget, QTabBar, QVBoxLayout, QWidget

from studio.gui.advice_line import AdviceModel
from studio.gui.data_model import DataModel
from studio.gui.language import tr
from studio.gui.run_form import RunForm
from studio.gui.run_model import RunModel
from studio.gui.session import Session
from studio.gui.starter import Starter
from studio.gui.theme import GRID


class RunPage(QWidget):
    """Tabs over the form of the next run and what is known of those there are."""

    def __init__(
        self,
        model: RunModel,
        data: DataModel,
        session: Session,
        advice: AdviceModel,
        starter: Starter,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setProperty("role", "page")
        self.form = RunForm(model, data, session, advice, starter.check)
        self.tabs = QTabBar()
        self.tabs.setExpanding(False)
        self.tabs.setDrawBase(False)
        self.tabs.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.tabs.setAccessibleName(tr("Parts of this page"))
        self.stack = QStackedWidget()
        self._add(tr("New run"), self.form)
        self.tabs.currentChanged.connect(self.stack.setCurrentIndex)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, GRID, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.tabs)
        column.addWidget(self.stack, 1)

    def _add(self, title: str, inside: QWidget) -> None:
        self.tabs.addTab(title)
        self.stack.addWidget(inside)
