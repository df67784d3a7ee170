"""One calm line on the run page: what would suit the table, and a button that takes it."""

from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from studio.data.splits.plan import SplitPlan
from studio.gui import kit
from studio.gui.data_model import DataModel
from studio.gui.helper_client import HelperClient
from studio.gui.helper_lane import Reply
from studio.gui.language import said, tr
from studio.gui.run_model import RunModel
from studio.gui.session.session import Session
from studio.gui.theme import GRID

_MOST_CELLS = 20_000_000
"""Of larger tables the helper would need too long just for a suggestion."""


class AdviceModel(QObject):
    """What the helper advises for the table as it is described on the data page.

    Parameters
    ----------
    data : DataModel
        The table.
    run : RunModel
        Takes the method and the metric.
    session : Session
        Takes the space.
    helper : HelperClient
        Computes the advice.
    """

    changed = Signal()

    def __init__(
        self,
        data: DataModel,
        run: RunModel,
        session: Session,
        helper: HelperClient,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._data, self._run, self._session, self._helper = data, run, session, helper
        self._request: dict[str, Any] | None = None
        self._advice: dict[str, Any] | None = None

    @property
    def advice(self) -> dict[str, Any] | None:
        """The helper's answer for the table as it is described now; ``None`` without one."""
        return self._advice if self._request == self._data.draft.request() else None

    @property
    def is_followed(self) -> bool:
        """Whether the next run does what is advised already."""
        advice = self.advice
        if advice is None:
            return False
        draft, task = self._run.draft, self._data.draft.resolved_task
        catalogue = self._run.catalogue
        if task is None or catalogue is None:
            return False
        space = self._session.space.value
        plan = SplitPlan.from_json(self._kept_seed(advice["plan"]))
        return (
            (draft.method_for(task), dict(draft.overrides)) == (advice["method"], {})
            and (draft.metric or catalogue["defaults"][task]) == advice["metric"]
            and SplitPlan.from_json(self._data.draft.plan) == plan
            and space is not None
            and space.name == advice["space"]
        )

    def ask(self) -> None:
        """Ask for advice, once for each description of the table."""
        draft = self._data.draft
        preview, request = draft.preview, draft.request()
        if preview is None or not preview["complete"] or request == self._request:
            return
        if draft.n_rows * len(preview["columns"]) > _MOST_CELLS:
            return
        self._request, self._advice = request, None
        self._helper.request("advice", request, self._came, self._refused, channel="advice")

    def take(self) -> None:
        """Set method, space, metric and division of the next run as advised."""
        from studio.space.library import load

        advice = self.advice
        if advice is None:
            return
        self._run.change(method=advice["method"], overrides={}, metric=advice["metric"])
        self._data.change(plan=self._kept_seed(advice["plan"]))
        self._session.space.put(load(advice["space"]), tr("take the advised space"))
        self.changed.emit()

    def _kept_seed(self, plan: dict[str, Any]) -> dict[str, Any]:
        return {**plan, "seed": self._data.draft.plan["seed"]}

    def _came(self, reply: Reply) -> None:
        self._advice, _ = reply
        self.changed.emit()

    def _refused(self, message: str) -> None:
        # The data page and the start of the run say what is wrong with the table.
        del message
        self._advice = None
        self.changed.emit()


class AdviceLine(QFrame):
    """Shows the advice; hidden where there is none."""

    def __init__(self, model: AdviceModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._model = model
        self.sentence = kit.label("", "small", wrap=True, selectable=True)
        self.sentence.setAccessibleName(tr("What suits this table"))
        self.use = kit.button(
            tr("Use it"), model.take, tip=tr("Take this method, space, metric and division of rows")
        )
        row = QHBoxLayout(self)
        row.setContentsMargins(2 * GRID, GRID, 2 * GRID, GRID)
        row.setSpacing(2 * GRID)
        row.addWidget(self.sentence, 1)
        row.addWidget(self.use)
        model.changed.connect(self.show_advice)
        self.show_advice()

    def show_advice(self) -> None:
        """Show what is advised for the table at hand, and whether it is followed already."""
        advice = self._model.advice
        self.setVisible(advice is not None)
        if advice is not None:
            self.sentence.setText(said(advice["sentence"]))
            self.use.setVisible(not self._model.is_followed)
