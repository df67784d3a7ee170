"""The last predicted table of a run, stored in the document for reuse."""

from dataclasses import asdict, dataclass
from functools import partial
from typing import Self

from studio.document.notes import make_run_note_name
from studio.document.shapes import pick
from studio.gui.session.session import Session

_RECORD_NAME = "predicted"


@dataclass(frozen=True)
class StoredPredictions:
    """A table predicted with a run.

    Attributes:
        count: Number of rows that can be handled; 0 if unknown.
        looked_for: The code of the class by which rows are ranked; -1 if not chosen.
    """

    table: str
    sha256: str
    interval: bool = True
    count: int = 0
    looked_for: int = -1

    @classmethod
    def load(cls, session: Session, run_id: int) -> Self | None:
        """Return the open document's record of a run; ``None`` without predictions."""
        return session.read_value(make_run_note_name(run_id, _RECORD_NAME), partial(pick, cls))

    @classmethod
    def find(cls, session: Session, run_id: int) -> Self | None:
        """Return a run's record, else the latest of a run on the same table."""
        others = [each.row.id for each in session.runs.list_runs_with_same_table(run_id)]
        records = (cls.load(session, each) for each in (run_id, *others))
        return next((each for each in records if each is not None), None)

    @property
    def view_settings(self) -> dict[str, int]:
        """The view's settings, which are also used for other tables."""
        return {"count": self.count, "looked_for": self.looked_for}

    def store(self, session: Session, run_id: int) -> None:
        """Store it in the open document, replacing the previous one."""
        session.set_note(make_run_note_name(run_id, _RECORD_NAME), asdict(self))
