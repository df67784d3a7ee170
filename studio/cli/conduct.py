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
    from studio.cli.compare import StopFlag
    from studio.compare.study import load_study
    from studio.compare.study_runner import run_study
    from studio.system.processes import BACKGROUND_NICENESS, lower_priority
    from studio.system.signals import HANG_UP, INTERRUPT, TERMINATE, handle_signals, ignore_signals

    ignore_signals(INTERRUPT, HANG_UP)  # the window may close; the study continues
    lower_priority(BACKGROUND_NICENESS)  # cell workers and their workers inherit the priority
    stop_flag = StopFlag()
    handle_signals(stop_flag.request_stop, TERMINATE)
    study = load_study(arguments.document)
    run_study(
        arguments.document,
        study,
        arguments.workers,
        lambda step: None,
        lambda: stop_flag.is_set,
        cluster=arguments.cluster or "",
    )
    return 0
