"""The groups; a new one is a file and a line."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from torture import archives, dialects, encodings, limits, targets, unusual_files, values
from torture.companion_files import journals, links, logs
from torture.dialogs import dialogs
from torture.documents import documents
from torture.interruptions import interruptions
from torture.kills import kills
from torture.learners import learners
from torture.predictions import predictions
from torture.sizes import sizes
from torture.spaces import spaces
from torture.suspension import suspension
from torture.tables import hostile_tables
from torture.trust import trust
from torture.verdict import Try
from torture.window import window
from torture.writes import FAULTS, MOST, writes


@dataclass(frozen=True)
class Group:
    """Cases of one kind.

    Attributes:
        begin: Given a folder, makes the shared files of all cases; returns a function that runs
            one.
        cases: Number before a release.
    """

    begin: Callable[[Path], Try]
    cases: int


GROUPS = {
    "encodings": Group(lambda folder: hostile_tables(encodings.DAMAGES), 60),
    "dialects": Group(lambda folder: hostile_tables(dialects.DAMAGES), 72),
    "places": Group(lambda folder: unusual_files.attempt, 60),
    "values": Group(lambda folder: hostile_tables(values.DAMAGES), 64),
    "targets": Group(lambda folder: hostile_tables(targets.DAMAGES), 64),
    "predictions": Group(predictions, 150),
    "spaces": Group(spaces, 150),
    "learners": Group(learners, 8),
    "kills": Group(kills, 18),
    "interruptions": Group(interruptions, 72),
    "writes": Group(writes, MOST * len(FAULTS)),
    "limits": Group(lambda folder: limits.attempt, 20),
    "documents": Group(documents, 200),
    "journals": Group(journals, 120),
    "logs": Group(logs, 150),
    "links": Group(links, 60),
    "trust": Group(trust, 80),
    "suspension": Group(suspension, 12),
    "sizes": Group(sizes, 12),
    "archives": Group(lambda folder: archives.attempt, 80),
    "window": Group(window, 24),
    "dialogs": Group(dialogs, 200),
}
