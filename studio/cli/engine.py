"""``studio engine``: the process that works on one run for the window."""

import argparse
import os
import signal
from pathlib import Path

HELP = ""


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("document", type=Path)
    parser.add_argument("--run", type=int, required=True)


def perform(arguments: argparse.Namespace) -> int:
    """Work until the run is finished or a request in the document says stop."""
    from studio.document.store import Document
    from studio.runs.clock import launched
    from studio.runs.early import early_workers

    if hasattr(signal, "SIGHUP"):
        # The window may go; the run stays.
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    if hasattr(os, "nice"):
        # Suggesting is work, too: the window must not wait for it (DESIGN, "Measured").
        os.nice(10)
    run_id = arguments.run
    with Document.open(arguments.document) as document, early_workers(document, run_id) as pool:
        # Loaded while the workers load theirs.
        from studio.runs.engine import Engine

        engine = Engine(document, run_id, lambda progress: None, pool, launched())
        signal.signal(signal.SIGTERM, lambda number, frame: engine.stop())
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        engine.work()
    return 0
