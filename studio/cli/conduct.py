"""``studio conduct``: the process that works on a document's study for the window."""

import argparse
from pathlib import Path

HELP = ""


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("document", type=Path)
    parser.add_argument("--lanes", type=int)
    parser.add_argument("--cluster", default="")


def perform(arguments: argparse.Namespace) -> int:
    """Work until the study is finished or a request in the document says stop."""
    from studio.cli.compare import Stop
    from studio.compare.conduct import conduct
    from studio.compare.study import load_study
    from studio.system.signals import END, HANG_UP, INTERRUPT, hear, ignore

    ignore(INTERRUPT, HANG_UP)  # the window may go; the study stays
    stop = Stop()
    hear(stop.hear, END)
    study = load_study(arguments.document)
    conduct(
        arguments.document,
        study,
        arguments.lanes,
        lambda step: None,
        lambda: stop.heard,
        cluster=arguments.cluster,
    )
    return 0
