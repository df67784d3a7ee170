"""``studio helper``: the process that computes for the window."""

import argparse

HELP = ""


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments: there are none."""


def perform(arguments: argparse.Namespace) -> int:
    """Answer the window's requests until it closes the pipe."""
    from studio.helper.server import serve

    return serve()
