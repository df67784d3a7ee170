"""``studio compare``: comparison of methods on many data sets, in one document."""

import argparse
import contextlib
import dataclasses
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studio.cli.foreground import STOPPED_EXIT_CODE, add_run_output_arguments
from studio.cli.output import print_json, print_line
from studio.cli.settings import add_settings_arguments, get_given_values
from studio.cli.table_arguments import (
    add_kind_argument,
    add_reading_arguments,
    make_read_options,
    parse_kinds,
)
from studio.compare.choices import ComputeResources, StudySettings
from studio.errors import DataError, UsageError
from studio.measure import format_duration, format_loss, format_time_left
from studio.printable import sanitise_line
from studio.setting import get_setting_names
from studio.system.files import is_same_file
from studio.system.signals import INTERRUPT, TERMINATE, handle_signals

if TYPE_CHECKING:
    from studio.compare.comparison import Comparison
    from studio.compare.study import Study
    from studio.compare.study_runner import StudyRunResult, StudyStep

HELP = "Compare methods on data sets: a study file, or every table of a folder."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("study", metavar="STUDY.json|FOLDER|FILE.studio",
                        help="a study file, a shipped study, a folder of tables, or a document "
                        "whose study to continue")  # fmt: skip
    parser.add_argument("-o", "--output", type=Path, metavar="FILE.studio",
                        help=(
                            "the document; if it already contains this study, it is continued"
                        ))  # fmt: skip
    parser.add_argument("--data", dest="folder", type=Path, metavar="FOLDER",
                        help="where data sets are (default: beside the study)")  # fmt: skip
    parser.add_argument(
        "--size", metavar="NAME", help="one of the study's sizes: quick, decisive or full"
    )
    parser.add_argument("--methods", metavar="A,B", help="compare these; see 'studio methods'")
    parser.add_argument("--with", dest="others", metavar="optuna,…",
                        help="also compare these searches of other libraries")  # fmt: skip
    parser.add_argument("--spaces", metavar="A,B", help="search in these; see 'studio spaces'")
    parser.add_argument("--target", metavar="NAME", help="the column to predict in all data sets")
    add_kind_argument(parser, ", and applies to all data sets")
    add_reading_arguments(parser)
    parser.add_argument("--split", metavar="60/20/20",
                        help="percent, or a protocol (docs/comparing.md)")  # fmt: skip
    add_settings_arguments(parser, StudySettings)
    add_settings_arguments(parser, ComputeResources)
    parser.add_argument("--report", type=Path, metavar="FILE.md",
                        help="write a report there, replacing an earlier one")  # fmt: skip
    parser.add_argument("--tables", type=Path, metavar="FOLDER",
                        help="write tables as CSV and LaTeX, diagrams as SVG, and every run in "
                        "runs.csv there")  # fmt: skip
    add_run_output_arguments(parser)


def run_command(arguments: argparse.Namespace) -> int:
    """Run the study, then print (and write) its results; return 0 if any cell has finished."""
    from studio.compare.study_runner import run_study
    from studio.runs.limits import explain_worker_limit

    study = make_study(arguments)
    arguments.output = _get_output_path(arguments)
    if arguments.tables is not None:
        _check_output_folder(arguments.tables, study, arguments.output.resolve().parent)
    if limit_note := explain_worker_limit(0 if arguments.cluster else arguments.workers or 0):
        print(limit_note, file=sys.stderr, flush=True)
    stop_signals: list[int] = []
    restore = handle_signals(lambda number, _: stop_signals.append(number), INTERRUPT, TERMINATE)
    try:
        study_result = run_study(
            arguments.output,
            study,
            arguments.workers,
            _make_reporter(arguments),
            lambda: bool(stop_signals),
            cluster=arguments.cluster or "",
        )
    finally:
        restore()
    if study_result.runs:
        _print_conclusion(arguments, study, study_result)
    if study_result.is_stopped:
        print("Stopped; everything is kept. Run the same command to continue.", file=sys.stderr)
        return STOPPED_EXIT_CODE
    return 0 if study_result.runs else 1


def _get_output_path(arguments: argparse.Namespace) -> Path:
    """Return the path of the document: the given one, or that of the continued study."""
    from studio.compare.study import DOCUMENT_SUFFIX

    if arguments.output is not None:
        return Path(arguments.output)
    if Path(arguments.study).suffix.lower() != DOCUMENT_SUFFIX:
        raise UsageError("Give the document in which to keep the study: -o FILE.studio.")
    return Path(arguments.study)


def _check_output_folder(tables: Path, study: "Study", document_path: Path) -> None:
    """Reject an output folder with data sets: results would replace some, or be read as data sets.

    The data sets of a study without a folder are expected next to the document.
    """
    from studio.compare.datasets import locate

    for entry in study.data:
        with contextlib.suppress(DataError):  # the reader reports a missing file
            path, _ = locate(entry, study.folder or document_path)
            if is_same_file(path.parent, tables):
                raise UsageError(
                    "The tables would be written among the data sets, into the folder of {path}. "
                    "Choose another folder for --tables.",
                    path=path,
                )


def make_study(arguments: argparse.Namespace) -> "Study":
    """Return the study specified by the arguments; raise UsageError if one is invalid."""
    from studio.assets import RESOURCES
    from studio.compare.methods import find_peer_methods
    from studio.compare.study import load_study
    from studio.data.metrics.registry import find_new_metric

    path = Path(arguments.study)
    shipped_folder = RESOURCES / "studies"
    # Even if a folder has that name, such as the one with its tables; ./NAME selects the folder.
    if arguments.study in {each.stem for each in shipped_folder.glob("*.json")}:
        path = shipped_folder / f"{arguments.study}.json"
    if not path.exists():
        names = ", ".join(sorted(each.stem for each in shipped_folder.glob("*.json")))
        raise UsageError(f"There is no study or folder {arguments.study!r}; available: {names}.")
    if arguments.folder is not None and not arguments.folder.is_dir():
        raise UsageError(f"There is no folder {arguments.folder} with data sets.")
    changes = get_given_values(
        arguments, ("folder", "target", "split", *get_setting_names(StudySettings))
    )
    if read_options := make_read_options(arguments):
        changes["reading"] = read_options
    for name in ("methods", "spaces"):
        if (text := getattr(arguments, name)) is not None:
            changes[name] = [each.strip() for each in text.split(",")]
    if "metric" in changes:
        find_new_metric(changes["metric"], None)
    study = load_study(path, arguments.size, changes)
    if kinds := parse_kinds(arguments):
        study = study.with_kinds(kinds)
    other_methods = [each.strip() for each in (arguments.others or "").split(",") if each.strip()]
    added_methods = [each for each in find_peer_methods(other_methods) if each not in study.methods]
    return (
        dataclasses.replace(study, methods=(*study.methods, *added_methods))
        if added_methods
        else study
    )


def _make_reporter(arguments: argparse.Namespace) -> Any:
    """Return a callback that prints a line per finished cell."""
    from studio.compare.cell_names import get_displayed_name

    stream = sys.stderr if arguments.json else sys.stdout

    def report(step: "StudyStep") -> None:
        name = get_displayed_name(step.name)
        if step.message:
            print_line(f"{name}: {step.message}", sys.stderr)
        elif not arguments.quiet:
            width = len(str(step.total))
            error = format_loss(step.error, step.unit)
            remaining_text = (
                ""
                if step.remaining_seconds is None
                else f"   {format_time_left(step.remaining_seconds)} to go"
            )
            print(
                f"{step.done:{width}}/{step.total}  {sanitise_line(name):45} {error:>10}"
                f"   {format_duration(step.seconds):>11}{remaining_text}",
                file=stream,
                flush=True,
            )

    return report


def _print_conclusion(
    arguments: argparse.Namespace, study: "Study", study_result: "StudyRunResult"
) -> None:
    """Read, write and print the results of the finished cells."""
    from studio.compare.results import read_results

    results = read_results(arguments.output, study, study_result)
    if arguments.report is not None:
        results.write_report(arguments.report, arguments.tables)
    if arguments.tables is not None:
        results.write_tables(arguments.tables)
    if arguments.json:
        print_json(results.to_json())
    elif not arguments.quiet:
        print()
        for sentence in results.conclusions:
            print_line(sentence)
        print()
        for line in _format_ranks(results.comparison):
            print(line)
        for sentence in results.remarks:
            print_line(f"  {sentence}")


def _format_ranks(comparison: "Comparison") -> list[str]:
    """Return a line for each method with the numbers of the report's table of ranks."""
    from studio.compare.tables.table import format_rank_interval
    from studio.numerals import format_number

    if len(comparison.complete) < 2:
        return []
    return [
        f"  {sanitise_line(name):24} mean rank {format_number(mean, '.2f')}   "
        f"by repetition {format_number(rank.mean, '.2f')} {format_rank_interval(rank)}".rstrip()
        for name, mean, rank in zip(
            comparison.ranked, comparison.mean_ranks, comparison.ranks, strict=True
        )
    ]
