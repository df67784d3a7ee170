"""The ``.studio`` file: one SQLite database that engine, window and command line share."""

from studio.document.drafts import SpaceRow
from studio.document.follow import Changes, Follower
from studio.document.journal import Message, Running
from studio.document.processes import Owner
from studio.document.runs import Request, RunRow
from studio.document.store import Document
from studio.document.tables import TableRow
from studio.document.trials import Iteration, TrialRow

__all__ = [
    "Changes",
    "Document",
    "Follower",
    "Iteration",
    "Message",
    "Owner",
    "Request",
    "RunRow",
    "Running",
    "SpaceRow",
    "TableRow",
    "TrialRow",
]
