"""``studio helper``: the process that computes for the window."""

import argparse

HELP = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add no arguments."""


def run_command(arguments: argparse.Namespace) -> int:
    """Serve the window's requests until it closes the pipe."""
    from studio.helper.server import serve

    return serve()
