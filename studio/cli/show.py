"""``studio show``: the content of a document."""

import argparse

from studio.cli.foreground import print_summary
from studio.cli.output import add_run_arguments, open_document
from studio.phrases import count_phrase

HELP = "Show a run of a document: its state, its errors, its ensemble."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_run_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run_command(arguments: argparse.Namespace) -> int:
    """Print the summary."""
    from studio.analysis.summary import summarise_run
    from studio.runs.requests import choose_run

    with open_document(arguments.document, writable=False) as document:
        content = summarise_run(document, choose_run(document, arguments.run, is_view_only=True).id)
        n_earlier = len(document.runs.list_all()) - 1
    print_summary(content, arguments)
    if n_earlier and arguments.run is None and not arguments.json:
        earlier_text = count_phrase("1 earlier run", "{count:,} earlier runs", n_earlier)
        print(f"  ({earlier_text} in this document; choose one with --run)")
    return 0
