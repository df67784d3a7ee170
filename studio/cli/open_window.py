"""``studio open``: the window."""

import argparse

NAME = "open"
HELP = "Open the window, with a .studio document or a CSV table if one is named."


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("file", nargs="?", help="a .studio document, or a table to begin with")


def perform(arguments: argparse.Namespace) -> int:
    """Show the window until it is closed."""
    from studio.gui.app import main

    return main(arguments.file)
