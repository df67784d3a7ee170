"""The list of commands; a new one is one file and one line here."""

import argparse
import importlib
from collections.abc import Mapping
from typing import Protocol, cast


class CommandModule(Protocol):
    """What the file of a command holds."""

    HELP: str

    def declare(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's arguments."""

    def perform(self, arguments: argparse.Namespace) -> int:
        """Do it; return the exit code."""


COMMANDS: Mapping[str, str] = {
    "open": "open_window",
    "run": "run",
    "resume": "resume",
    "fork": "fork",
    "compare": "compare",
    "check": "check",
    "show": "show",
    "refit": "refit",
    "remove": "remove",
    "decide": "decide",
    "predict": "predict",
    "export": "export",
    "learning-curve": "learning_curve",
    "methods": "methods",
    "spaces": "spaces",
    "picture": "picture",
    "engine": "engine",
    "conduct": "conduct",
    "lane": "lane",
    "helper": "helper",
}
"""The module of this room that holds each command, in the order of ``studio --help``."""


def command(name: str) -> CommandModule:
    """Return a command; its module is imported only now, so that none waits for the others'."""
    return cast(CommandModule, importlib.import_module(f"studio.cli.{COMMANDS[name]}"))
