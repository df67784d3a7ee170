"""Start a process that conducts a document's study and outlives whoever started it."""

import subprocess
from pathlib import Path

from studio.children import studio_command, surroundings
from studio.runs.launch import THREAD_VARIABLES
from studio.system.starting import outliving


def conductor_command(document: Path, lanes: int) -> list[str]:
    """Return the command line of the process that conducts a document's study."""
    return studio_command("conduct", document, "--lanes", lanes)


def start_conductor(document: Path, lanes: int) -> "subprocess.Popen[bytes]":
    """Start it and return at once; what it has to say is in the document.

    Like an engine (:func:`studio.runs.launch.start_engine`) it stays in the caller's session and
    ignores SIGHUP instead.
    """
    return subprocess.Popen(
        conductor_command(document, lanes),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=surroundings(**dict.fromkeys(THREAD_VARIABLES, "1")),
        **outliving(),
    )
