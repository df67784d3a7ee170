"""``studio export``: take a trained ensemble home."""

import argparse
import sys
from pathlib import Path

from studio.cli.output import print_json

NAME = "export"
HELP = "Write a run's ensemble as a pickle that needs scikit-learn and pandas alone."


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("document", type=Path, metavar="FILE.studio")
    parser.add_argument("--pickle", type=Path, required=True, metavar="OUT.pkl")
    parser.add_argument("--run", type=int, help="which run (default: the newest with a result)")
    parser.add_argument("--json", action="store_true", help="print one JSON object at the end")


def perform(arguments: argparse.Namespace) -> int:
    """Train, write, check."""
    from studio.document.store import Document
    from studio.export.bundle import export_pickle
    from studio.runs.choose import choose_run

    with Document.open(arguments.document) as document:
        run_id = choose_run(document, arguments.run, with_result=True).id
        about = export_pickle(document, run_id, arguments.pickle)
    if arguments.json:
        print_json(about)
        return 0
    for note in about["notes"]:
        print(f"note: {note}", file=sys.stderr)
    print(
        f"Wrote {about['path']}, checked in a fresh process; its packages and columns are beside."
    )
    return 0
