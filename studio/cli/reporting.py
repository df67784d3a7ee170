"""How long commands report how far they are: a line for people, or JSON for the window."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from studio.cli.output import print_json
from studio.export.progress import OnProgress, silent
from studio.system.signals import END, hear


def add_progress(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that say what is reported meanwhile and at the end."""
    parser.add_argument("--json", action="store_true", help="print one JSON object at the end")
    parser.add_argument(
        "--progress",
        action="store_true",
        help="with --json: also print a JSON object for each step",
    )


def reporter(arguments: argparse.Namespace) -> OnProgress:
    """Return what reports a step, as the arguments ask for it."""
    if not arguments.json:
        return _for_people
    return _as_json if arguments.progress else silent


def _for_people(what: str, done: int, of: int) -> None:
    if of:
        print(f"{what}: {done} of {of}", file=sys.stderr, flush=True)
    else:
        print(f"{what} …", file=sys.stderr, flush=True)


def _as_json(what: str, done: int, of: int) -> None:
    print_json({"progress": what, "done": done, "of": of})


@contextmanager
def stoppable() -> Iterator[None]:
    """Take SIGTERM for Ctrl+C inside, so that scratch folders and workers are cleared away."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    restore = hear(interrupt, END)
    try:
        yield
    finally:
        restore()
