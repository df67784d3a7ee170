"""``studio remove``: permanent removal of runs from a document."""

import argparse
from pathlib import Path

from studio.cli.output import format_size, open_document

HELP = "Permanently remove runs and their trials from a document, also damaged ones."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("document", type=Path, metavar="FILE.studio")
    parser.add_argument(
        "--run", type=int, action="append", required=True, help="which run (may be repeated)"
    )


def run_command(arguments: argparse.Namespace) -> int:
    """Remove all of them, or none if one cannot be removed."""
    from studio.runs.requests import choose_run

    run_ids = sorted(set(arguments.run))
    with open_document(arguments.document) as document:
        existing_ids = {row.id for row in document.runs.list_all()}
        # complete only after the runs were read
        damaged_ids = (each.run_id for each in document.damaged_records)
        existing_ids.update(run_id for run_id in damaged_ids if run_id is not None)
        for run_id in run_ids:
            if run_id not in existing_ids:
                choose_run(document, run_id)
        with document.run_transaction():
            for run_id in run_ids:
                document.remove_run(run_id)
        print(f"Removed: run {', '.join(map(str, run_ids))}.")
        if vacuum_error := document.vacuum_free_pages():
            print(f"The document is {format_size(vacuum_error)} smaller.")
        if freed_bytes := document.count_free_bytes():
            print(f"Free space in it for new data: {format_size(freed_bytes)}.")
    return 0
