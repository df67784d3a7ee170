"""The list of commands; a new one is one file and one line here."""

import argparse
from typing import Protocol

from studio.cli import (
    bench,
    compare,
    conduct,
    engine,
    export,
    fork,
    helper,
    lane,
    methods,
    open_window,
    picture,
    predict,
    refit,
    remove,
    resume,
    run,
    show,
    spaces,
)


class Command(Protocol):
    """What the file of a command holds."""

    NAME: str
    HELP: str

    def declare(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's arguments."""

    def perform(self, arguments: argparse.Namespace) -> int:
        """Do it; return the exit code."""


COMMANDS: tuple[Command, ...] = (
    open_window,
    run,
    resume,
    fork,
    compare,
    show,
    refit,
    remove,
    predict,
    export,
    methods,
    spaces,
    bench,
    picture,
    engine,
    conduct,
    lane,
    helper,
)
