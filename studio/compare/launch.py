"""Start a process that conducts a document's study and outlives whoever started it."""

import subprocess
from pathlib import Path

from studio.children import studio_command, surroundings
from studio.runs.launch import THREAD_VARIABLES
from studio.system.starting import outliving


def conductor_command(document: Path, lanes: int, cluster: str = "") -> list[str]:
    """Return the command line of the process that conducts a document's study.

    On a cluster as many cells are worked on at a time as it has room for; here it is ``lanes``.
    """
    place = ("--cluster", cluster) if cluster else ("--lanes", lanes)
    return studio_command("conduct", document, *place)


def start_conductor(document: Path, lanes: int, cluster: str = "") -> "subprocess.Popen[bytes]":
    """Start it and return at once; what it has to say is in the document.

    Like an engine (:func:`studio.runs.launch.start_engine`) it stays in the caller's session and
    ignores SIGHUP instead.
    """
    return subprocess.Popen(
        conductor_command(document, lanes, cluster),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=surroundings(**dict.fromkeys(THREAD_VARIABLES, "1")),
        **outliving(),
    )
