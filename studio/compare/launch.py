"""Start a process that conducts a document's study and outlives whoever started it."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from studio.children import studio_command, surroundings
from studio.runs.launch import THREAD_VARIABLES
from studio.system.starting import outliving


@dataclass(frozen=True)
class StudyPlace:
    """Where a study's cells are worked on.

    Attributes
    ----------
    lanes : int
        Cells at the same time on this machine; a cluster does as many as it has room for.
    cluster : str
        A scheduler's address or ``local:N``; empty for this machine.
    """

    lanes: int
    cluster: str = ""


def conductor_command(document: Path, place: StudyPlace) -> list[str]:
    """Return the command line of the process that conducts a document's study."""
    where = ("--cluster", place.cluster) if place.cluster else ("--lanes", place.lanes)
    return studio_command("conduct", document, *where)


def start_conductor(document: Path, place: StudyPlace) -> "subprocess.Popen[bytes]":
    """Start it and return at once; what it has to say is in the document.

    Like an engine (:func:`studio.runs.launch.start_engine`) it stays in the caller's session and
    ignores SIGHUP instead.
    """
    return subprocess.Popen(
        conductor_command(document, place),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=surroundings(**dict.fromkeys(THREAD_VARIABLES, "1")),
        **outliving(),
    )
