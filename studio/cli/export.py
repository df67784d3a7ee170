"""``studio export``: export of a trained ensemble, its report or its trials."""

import argparse
import sys
from pathlib import Path

from studio.cli.output import (
    add_progress_arguments,
    handle_sigterm,
    make_reporter,
    open_document,
    print_json,
    print_line,
)
from studio.errors import UsageError
from studio.export.formats.registry import REGISTRY
from studio.language import ENGLISH, set_process_language

TRIAL_HELP = "take this trial alone instead of the ensemble"
HELP = "Write a run's ensemble, report, trials or space to a file, verified where possible."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("document", type=Path, metavar="FILE.studio")
    parser.add_argument(
        "--format",
        choices=[each.key for each in REGISTRY],
        help="; ".join(f"{each.key}: {each.summary}" for each in REGISTRY).replace("%", "%%"),
    )
    parser.add_argument("-o", "--output", type=Path, metavar="OUT",
                        help="the file to write; replaced if it exists")  # fmt: skip
    parser.add_argument(
        "--pickle", type=Path, metavar="OUT.pkl", help="the same as --format pickle -o OUT.pkl"
    )
    parser.add_argument("--run", type=int, help="which run (default: the newest with a result)")
    parser.add_argument("--trial", type=int, metavar="N", help=TRIAL_HELP)
    parser.add_argument("--replace", action="store_true",
                        help=(
                            "also replace existing companion files of OUT, if OUT itself is new"
                        ))  # fmt: skip
    # Reports exported from the window are written in its language.
    parser.add_argument("--language", default=ENGLISH, help=argparse.SUPPRESS)
    add_progress_arguments(parser)


def run_command(arguments: argparse.Namespace) -> int:
    """Train the ensemble if necessary, write the export, and check it."""
    from studio.export.formats.base import ExportJob
    from studio.export.formats.registry import get_format
    from studio.runs.requests import choose_run, describe_run_choice

    set_process_language(arguments.language)
    key, path = _get_requested_export(arguments)
    export_format = get_format(key)
    with open_document(arguments.document, writable=None) as document, handle_sigterm():
        row = choose_run(document, arguments.run, with_result=True)
        resolved_run_id = describe_run_choice(document, row, arguments.run)
        job = ExportJob(
            document,
            row.id,
            path,
            make_reporter(arguments),
            trial=arguments.trial,
            replace=arguments.replace,
        )
        result = export_format.export(job)
    if arguments.json:
        print_json({"format": key, **result.to_json()})
        return 0
    for note in filter(None, (resolved_run_id, *result.notes)):
        print_line(f"note: {note}", sys.stderr)
    extra_files = ", ".join(each.name for each in result.companion_files)
    print_line(f"Wrote {result.path}" + (f" (beside it: {extra_files})" if extra_files else ""))
    if result.checked:
        print_line(result.checked)
    return 0


def _get_requested_export(arguments: argparse.Namespace) -> tuple[str, Path]:
    if arguments.pickle is not None:
        if arguments.format is not None or arguments.output is not None:
            raise UsageError("--pickle OUT.pkl replaces --format and -o; leave those out.")
        return "pickle", arguments.pickle
    if arguments.format is None or arguments.output is None:
        raise UsageError("Choose a format and a file: --format FORMAT -o FILE.")
    return arguments.format, arguments.output
