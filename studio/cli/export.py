"""``studio export``: export of a trained ensemble, its report or its trials."""

import argparse
import sys
from pathlib import Path

from studio.cli.output import (
    add_progress,
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
HELP = "Write a run's ensemble, report, trials or space to a file, checked where it can be."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("document", type=Path, metavar="FILE.studio")
    parser.add_argument(
        "--format",
        choices=[each.key for each in REGISTRY],
        help="; ".join(f"{each.key}: {each.summary}" for each in REGISTRY).replace("%", "%%"),
    )
    parser.add_argument("-o", "--output", type=Path, metavar="OUT", help="the file to write")
    parser.add_argument(
        "--pickle", type=Path, metavar="OUT.pkl", help="the same as --format pickle -o OUT.pkl"
    )
    parser.add_argument("--run", type=int, help="which run (default: the newest with a result)")
    parser.add_argument("--trial", type=int, metavar="N", help=TRIAL_HELP)
    parser.add_argument("--replace", action="store_true",
                        help="also replace files that have the names of those beside OUT, where "
                             "OUT itself replaces none")  # fmt: skip
    # For the window: a report's readers expect its language.
    parser.add_argument("--language", default=ENGLISH, help=argparse.SUPPRESS)
    add_progress(parser)


def run_command(arguments: argparse.Namespace) -> int:
    """Train if necessary, write, check."""
    from studio.export.formats.base import Job
    from studio.export.formats.registry import get_format
    from studio.runs.requests import choose_run, resolve_run

    set_process_language(arguments.language)
    key, path = _get_requested_export(arguments)
    chosen = get_format(key)
    with open_document(arguments.document, writable=None) as document, handle_sigterm():
        row = choose_run(document, arguments.run, with_result=True)
        chosen_run = resolve_run(document, row, arguments.run)
        job = Job(
            document,
            row.id,
            path,
            make_reporter(arguments),
            trial=arguments.trial,
            replace=arguments.replace,
        )
        written = chosen.export(job)
    if arguments.json:
        print_json({"format": key, **written.to_json()})
        return 0
    for note in filter(None, (chosen_run, *written.notes)):
        print_line(f"note: {note}", sys.stderr)
    extra_files = ", ".join(each.name for each in written.beside)
    print_line(f"Wrote {written.path}" + (f" (beside it: {extra_files})" if extra_files else ""))
    if written.checked:
        print_line(written.checked)
    return 0


def _get_requested_export(arguments: argparse.Namespace) -> tuple[str, Path]:
    if arguments.pickle is not None:
        if arguments.format is not None or arguments.output is not None:
            raise UsageError("--pickle OUT.pkl replaces --format and -o; leave those out.")
        return "pickle", arguments.pickle
    if arguments.format is None or arguments.output is None:
        raise UsageError("Choose what to write and where: --format FORMAT -o FILE.")
    return arguments.format, arguments.output
