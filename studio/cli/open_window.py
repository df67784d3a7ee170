"""``studio open``: the window."""

import argparse

from studio.errors import StudioError
from studio.system.screen import has_screen

HELP = "Open the window, with a .studio document or a CSV table if one is named."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("file", nargs="?", help="a .studio document, or a table to begin with")


def run_command(arguments: argparse.Namespace) -> int:
    """Show the window until it is closed; raise StudioError if there is no screen."""
    if not has_screen():
        raise StudioError(
            "There is no screen for a window. 'studio run' works without one, and 'studio picture' "
            "writes a document's view as a picture."
        )
    from studio.gui.app import main

    return main(arguments.file)
