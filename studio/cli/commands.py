"""The list of commands; a new one is one file and one line here."""

import argparse
from collections.abc import Callable
from typing import Protocol

from studio.cli import (
    bench,
    engine,
    export,
    helper,
    methods,
    open_window,
    picture,
    predict,
    resume,
    run,
    show,
    spaces,
)


class Command(Protocol):
    """What the file of a command holds."""

    NAME: str
    HELP: str
    declare: Callable[[argparse.ArgumentParser], None]
    perform: Callable[[argparse.Namespace], int]


COMMANDS = (
    open_window,
    run,
    resume,
    show,
    predict,
    export,
    methods,
    spaces,
    bench,
    picture,
    engine,
    helper,
)
