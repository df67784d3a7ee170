"""``studio conduct``: the process that conducts a document's study for the window."""

import argparse
from pathlib import Path

from studio.cli.settings import add_settings_arguments
from studio.compare.choices import ComputeResources

HELP = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("document", type=Path)
    add_settings_arguments(parser, ComputeResources)


def run_command(arguments: argparse.Namespace) -> int:
    """Work until the study is finished or the document contains a stop request."""
    from studio.compare.study import load_study
    from studio.compare.study_runner import run_study
    from studio.system.processes import BACKGROUND_NICENESS, lower_priority
    from studio.system.signals import HANG_UP, INTERRUPT, TERMINATE, handle_signals, ignore_signals

    ignore_signals(INTERRUPT, HANG_UP)  # the window may close; the study continues
    lower_priority(BACKGROUND_NICENESS)  # cell workers and their workers inherit the priority
    stop_signals: list[int] = []
    handle_signals(lambda number, _: stop_signals.append(number), TERMINATE)
    run_study(
        arguments.document,
        load_study(arguments.document),
        arguments.workers,
        lambda _: None,
        lambda: bool(stop_signals),
        cluster=arguments.cluster or "",
    )
    return 0
