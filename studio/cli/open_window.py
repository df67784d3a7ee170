"""``studio open``: the window."""

import argparse
import os
import sys

from studio.errors import StudioError

HELP = "Open the window, with a .studio document or a CSV table if one is named."


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("file", nargs="?", help="a .studio document, or a table to begin with")


def perform(arguments: argparse.Namespace) -> int:
    """Show the window until it is closed.

    Raises
    ------
    StudioError
        If there is no screen; Qt itself would end the process without a word that helps.
    """
    if not _has_screen():
        raise StudioError(
            "There is no screen here to open a window on. 'studio run' works without one, and "
            "'studio picture' shows a document as a picture."
        )
    from studio.gui.app import main

    return main(arguments.file)


def _has_screen() -> bool:
    """Return whether Qt has somewhere to draw: always but on a Linux without a display."""
    if not sys.platform.startswith("linux"):
        return True
    named = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return any(os.environ.get(name) for name in named)
