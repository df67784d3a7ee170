"""``studio lane``: a process of ``studio compare`` that works on one cell after another."""

import argparse
from pathlib import Path

NAME = "lane"
HELP = ""


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("document", type=Path)


def perform(arguments: argparse.Namespace) -> int:
    """Work until standard input ends."""
    from studio.compare.lanes import be_a_lane

    be_a_lane(arguments.document)
    return 0
