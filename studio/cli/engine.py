"""``studio engine``: the process that executes one run for the window."""

import argparse
from pathlib import Path

HELP = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("document", type=Path)
    parser.add_argument("--run", type=int, required=True)
    parser.add_argument("--cluster", default="")


def run_command(arguments: argparse.Namespace) -> int:
    """Work until the run is finished or the document contains a stop request."""
    from studio.document.store import Document
    from studio.runs.clock import get_process_start
    from studio.runs.pool import start_early_workers
    from studio.system.processes import BACKGROUND_NICENESS, lower_priority
    from studio.system.signals import HANG_UP, INTERRUPT, TERMINATE, handle_signals, ignore_signals

    ignore_signals(HANG_UP)  # the window may close; the run continues
    # Workers inherit the priority; suggestions must not delay the window either.
    lower_priority(BACKGROUND_NICENESS)
    run_id, cluster = arguments.run, arguments.cluster
    with (
        Document.open(arguments.document) as document,
        start_early_workers(document, run_id, cluster) as pool,
    ):
        # Imported while the workers import their own modules.
        from studio.runs.engine import Engine

        engine = Engine(
            document, run_id, lambda progress: None, pool, get_process_start(), cluster=cluster
        )
        handle_signals(lambda number, frame: engine.stop(), TERMINATE)
        ignore_signals(INTERRUPT)
        engine.execute_run()
    return 0
