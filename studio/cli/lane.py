"""``studio lane``: a worker process of ``studio compare``, which runs cells one after another."""

import argparse
from pathlib import Path

HELP = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("document", type=Path)
    parser.add_argument("--lanes", type=int, default=1)


def run_command(arguments: argparse.Namespace) -> int:
    """Work until standard input ends."""
    from studio.compare.cell_workers import run_cell_worker

    run_cell_worker(arguments.document, arguments.lanes)
    return 0
