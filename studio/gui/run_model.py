"""The run page's model: the draft of the next run, kept in the document, and the catalogue."""

from typing import Any

from PySide6.QtCore import QObject, Signal

from studio.data.metrics.registry import REGISTRY as METRICS
from studio.gui.helper_client import HelperClient, Reply
from studio.gui.run_draft import RunDraft
from studio.gui.session import Session

_NOTE = "window.run"


class RunModel(QObject):
    """What the next run does.

    Parameters
    ----------
    session : Session
        Where the draft is kept.
    helper : HelperClient
        Who knows the catalogue.
    """

    changed = Signal()
    """The draft is another one."""

    catalogue_came = Signal()
    """:attr:`catalogue` is filled."""

    failed = Signal(str)

    def __init__(
        self, session: Session, helper: HelperClient, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._helper = helper
        self._asked = False
        self.draft = RunDraft()
        self.catalogue: dict[str, Any] | None = None
        session.document_changed.connect(self._load)

    def change(self, **values: Any) -> None:
        """Change choices of the draft and keep it."""
        draft = self.draft.changed(**values)
        if draft == self.draft:
            return
        self.draft = draft
        if self._session.is_open:
            self._session.set_note(_NOTE, draft.to_json())
        self.changed.emit()

    def ask_catalogue(self) -> None:
        """Fetch the catalogue from the helper, once."""
        if not self._asked:
            self._asked = True
            self._helper.request("catalogue", {}, self._came, self.failed.emit)

    def method(self, key: str) -> dict[str, Any]:
        """Return a preset of the catalogue."""
        assert self.catalogue is not None
        found: dict[str, Any] = next(
            each for each in self.catalogue["methods"] if each["name"] == key
        )
        return found

    def unit(self, metric: str) -> str:
        """Return a metric's unit; empty for one that this version does not know."""
        return next((each.unit for each in METRICS if each.key == metric), "")

    def title(self, metric: str) -> str:
        """Return a metric's name for people; its key where this version does not know it."""
        return next((each.title for each in METRICS if each.key == metric), metric)

    def _came(self, reply: Reply) -> None:
        self.catalogue, _ = reply
        self.catalogue_came.emit()

    def _load(self) -> None:
        stored = self._session.note(_NOTE) if self._session.is_open else None
        self.draft = RunDraft() if stored is None else RunDraft.from_json(stored)
        self.changed.emit()
