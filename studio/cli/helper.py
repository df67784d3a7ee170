"""``studio helper``: the process that computes for the window."""

import argparse

HELP = ""


def declare(parser: argparse.ArgumentParser) -> None:
    """Add no arguments."""


def perform(arguments: argparse.Namespace) -> int:
    """Serve the window's requests until it closes the pipe."""
    from studio.helper.server import serve

    return serve()
