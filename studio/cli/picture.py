"""``studio picture``: what the window shows of a document, as a PNG, without a screen."""

import argparse
from pathlib import Path

NAME = "picture"
HELP = "Write a picture of the window with a document open, without a screen."

PAGES = ("data", "space", "run", "live", "results")


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("document", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True, help="the PNG to write")
    parser.add_argument("--page", choices=PAGES, default="live")
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--width", type=int, default=1440)
    parser.add_argument("--height", type=int, default=900)


def perform(arguments: argparse.Namespace) -> int:
    """Write the picture."""
    from studio.gui.picture import take

    take(
        arguments.document,
        arguments.output,
        page=arguments.page,
        dark=arguments.dark,
        size=(arguments.width, arguments.height),
    )
    print(f"Wrote {arguments.output}")
    return 0
