"""Whether the method that is being put together can work: asked of the helper, newest first."""

import dataclasses
from typing import Any

from PySide6.QtCore import QObject, Signal

from studio.gui.base.helper_client import HelperClient
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.run_model import RunModel
from studio.helper.answers import Encoded, decode
from studio.helper.methods import Possible
from studio.runs.settings import Source


class MethodCheck(QObject):
    """What is wrong with the next run's method, and which parts would not fit into it.

    Args:
        data: Names the task and how rows are divided.
        run: The draft.
        helper: Who checks.

    Attributes:
        found: What the helper said of it; nothing is wrong before it is known.
    """

    changed = Signal()

    def __init__(
        self, data: DataModel, run: RunModel, helper: HelperClient, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._data, self._run, self._helper = data, run, helper
        self._asked: dict[str, Any] | None = None
        self.found = Possible()
        data.changed.connect(self.ask)
        run.changed.connect(self.ask)

    def ask(self) -> None:
        """Ask again if anything that matters is another one."""
        task = self._data.draft.resolved_task
        if task is None or not self._data.has_file:
            return
        data = self._data.draft
        settings = self._run.draft.settings(task, None, data.plan, data.advised)
        asked = dataclasses.replace(
            settings, source=Source(task=task, monotone=data.constraints)
        ).to_json()
        if asked == self._asked:
            return
        self._asked = asked
        self._helper.request(
            "check_method",
            {"settings": asked},
            self._arrived,
            self._refused,
            channel="check_method",
        )

    def _arrived(self, reply: Encoded) -> None:
        self._take(decode(Possible, *reply))

    def _refused(self, message: str) -> None:
        self._take(Possible(message))

    def _take(self, found: Possible) -> None:
        if found != self.found:
            self.found = found
            self.changed.emit()
