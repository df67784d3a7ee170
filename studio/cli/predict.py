"""``studio predict``: predictions for a new table."""

import argparse
import gc
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studio.cli.output import (
    add_progress_arguments,
    handle_sigterm,
    make_reporter,
    open_document,
    print_json,
    print_line,
)
from studio.cli.table_arguments import add_reading_arguments, make_read_options
from studio.errors import UsageError
from studio.export.formats.base import KNOWN_SUFFIXES
from studio.phrases import count_phrase
from studio.system.files import is_same_file

if TYPE_CHECKING:
    import numpy as np

    from studio.analysis.answers.rows import ExpectedOutcome
    from studio.export.predictions import TablePredictions

HELP = "Predict the rows of a new table with a run's ensemble."

PREVIEW_COLUMNS = 200
PREVIEW_ROWS = 20
"""Maximum numbers of rows and columns in the preview in the JSON object."""

GC_THRESHOLD = 1_000_000
"""Threshold of garbage collection: most objects of this process are permanent modules."""

PICKLE_WARNING = (
    "Loading a pickle runs any code in it, with your permissions. Only load it if you created it "
    "or trust its source; then confirm with --trust."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("model", type=Path, metavar="FILE.studio",
                        help="a document, or an exported pickle with --trust")  # fmt: skip
    parser.add_argument("table", type=Path, metavar="NEW.csv")
    parser.add_argument("-o", "--output", type=Path, metavar="OUT.csv",
                        help="the file to write, replaced if it exists, with the separator and the "
                             "decimal mark of NEW.csv (if that has no decimals: of the training "
                             "table), or an "
                             "Excel workbook if it ends in .xlsx; with --top the rows are printed "
                             "without it")  # fmt: skip
    parser.add_argument("--run", type=int, help="which run (default: the newest with a result)")
    parser.add_argument("--trial", type=int, metavar="N",
                        help="predict with this single trial instead of the ensemble")  # fmt: skip
    add_reading_arguments(parser, ", if not as in training")
    parser.add_argument("--interval", type=float, metavar="SHARE",
                        help="for numbers: also write the interval that contains the true value "
                             "with this probability, such as 0.9")  # fmt: skip
    parser.add_argument("--top", type=int, metavar="N",
                        help=(
                            "write only the N rows with the highest probability of a class, or the "
                            "largest values, in that order with their own columns, and report "
                            "their expected outcome"
                        ))  # fmt: skip
    parser.add_argument("--class", dest="positive_class", metavar="NAME",
                        help="with --top: the class to look for (default: the rarest)")  # fmt: skip
    parser.add_argument("--rows-folder", type=Path, help=argparse.SUPPRESS)  # for the window
    parser.add_argument("--with-rows", action="store_true",
                        help=(
                            "write the rows' own columns before their predictions (always with "
                            "--top)"
                        ))  # fmt: skip
    parser.add_argument("--for-spreadsheet", action="store_true",
                        help="put an apostrophe before cells that a spreadsheet would run as a "
                             "formula (without it, every label is written as it is)")  # fmt: skip
    parser.add_argument("--trust", action="store_true", help=PICKLE_WARNING)
    add_progress_arguments(parser)


def run_command(arguments: argparse.Namespace) -> int:
    """Predict the rows and write the predictions."""
    gc.set_threshold(GC_THRESHOLD)
    from studio.deferred import defer_imports

    defer_imports()
    from studio.export.predictions import format_csv, make_prediction_rows, write_predictions

    _check_arguments(arguments)
    predicted, notes = _predict(arguments)
    if arguments.rows_folder is not None:
        from studio.helper.predicted_rows import store_predictions

        store_predictions(predicted, arguments.rows_folder)
    includes_table_columns = arguments.with_rows or arguments.top is not None
    expected_outcome, observed_text = None, ""
    if arguments.top is not None:
        selected_rows, expected_outcome, observed_text = _select_top_rows(arguments, predicted)
        if not expected_outcome:
            missing_notes = predicted.no_estimate_reason, observed_text
            notes += [each for each in missing_notes if each and each not in notes]
        predicted = predicted.select_rows(selected_rows)
    write_options = {
        "include_columns": includes_table_columns,
        "for_spreadsheet": arguments.for_spreadsheet,
    }
    if arguments.output is not None:
        write_predictions(predicted, arguments.output, **write_options)
    if arguments.json:
        sentence = (
            {}
            if arguments.top is None
            else {"expected": _to_json(expected_outcome, predicted, observed_text)}
        )
        print_json(
            {
                "rows": len(predicted.values),
                "output": None if arguments.output is None else str(arguments.output),
                "notes": notes,
                "unlike": list(predicted.training_comparison.sentences),
                "separator": predicted.separator,
                "preview": make_prediction_rows(predicted, PREVIEW_ROWS),
                **_make_preview(predicted, include_columns=includes_table_columns),
                **sentence,
            }
        )
        return 0
    for note in (*notes, *predicted.training_comparison.sentences):
        print_line(f"note: {note}", sys.stderr)
    if expected_outcome is not None:
        _print_expected(expected_outcome, predicted.caution, observed_text)
    if arguments.output is None:
        sys.stdout.write(
            format_csv(predicted, **write_options).decode("utf-8-sig").replace("\r\n", "\n")
        )
        return 0
    count_text = count_phrase("1 prediction", "{count:,} predictions", len(predicted.values))
    print_line(f"Wrote {count_text} to {arguments.output}")
    return 0


def _check_arguments(arguments: argparse.Namespace) -> None:
    """Reject invalid combinations with a UsageError, before reading anything."""
    if not arguments.model.exists():
        raise UsageError(f"There is no file {arguments.model}. Check its name and folder.")
    if arguments.output is None and arguments.top is None and arguments.rows_folder is None:
        raise UsageError("Give the output file with -o, or the number of printed rows with --top.")
    if arguments.top is not None and arguments.top < 1:
        raise UsageError("--top takes the number of rows, 1 or more.")
    if arguments.positive_class is not None and arguments.top is None:
        raise UsageError("--class is the class by which --top sorts. Also give --top.")
    suffix = "" if arguments.output is None else arguments.output.suffix.lower()
    if suffix in KNOWN_SUFFIXES - {".csv", ".tsv", ".xlsx"}:
        raise UsageError(
            "Predictions are written as CSV, or as an Excel workbook if -o ends in .xlsx; "
            f"{suffix} is another format."
        )
    for file in (arguments.model, arguments.table):
        if arguments.output is not None and is_same_file(file, arguments.output):
            raise UsageError(f"The predictions would replace {file}. Choose another name for -o.")


def _predict(arguments: argparse.Namespace) -> "tuple[TablePredictions, list[str]]":
    from studio.data.read_options import ReadOptions
    from studio.deferred import hide_library
    from studio.document.atomic_files import is_document
    from studio.export.predict import predict_pickle, predict_table

    read_options = make_read_options(arguments)
    reading = ReadOptions.from_json(read_options)
    if is_document(arguments.model):
        from studio.runs.requests import choose_run, describe_run_choice

        with hide_library("pyarrow"):  # pandas only parses numbers here
            import pandas  # noqa: F401
        with open_document(arguments.model, writable=None) as document, handle_sigterm():
            row = choose_run(document, arguments.run, with_result=True)
            resolved_run_id = describe_run_choice(document, row, arguments.run)
            predictions = predict_table(
                document,
                row.id,
                arguments.table,
                reading if read_options else None,
                interval=arguments.interval,
                progress=make_reporter(arguments),
                trial=arguments.trial,
                with_expected_outcome=arguments.top is not None
                or arguments.rows_folder is not None,
            )
        return predictions, [*filter(None, (resolved_run_id,)), *predictions.notes]
    if arguments.interval is not None:
        raise UsageError(
            "An exported pickle contains no errors for intervals; use the document instead."
        )
    if arguments.trial is not None:
        raise UsageError("A pickle contains no trials: --trial is for .studio documents.")
    if not arguments.trust:
        raise UsageError(f"{arguments.model} is not a .studio document. {PICKLE_WARNING}")
    predictions = predict_pickle(arguments.model, arguments.table, reading)
    return predictions, list(predictions.notes)


def _select_top_rows(
    arguments: argparse.Namespace, predictions: "TablePredictions"
) -> "tuple[np.ndarray[Any, Any], ExpectedOutcome | None, str]":
    """Return the top-ranked rows, (k,), their expected outcome, if known, and the observed one.

    The latter is a sentence; empty if it is not known.
    """
    from studio.analysis.selected_rows import OutcomeEstimator, make_row_groups, select_first_rows
    from studio.analysis.selected_rows_text import describe_observed
    from studio.export.predictions import format_rows

    rows, positive_class = format_rows(predictions), predictions.positive_code
    if predictions.raw is None and rows.classes and arguments.positive_class is None:
        raise UsageError("A pickle has no class frequencies. Name the class with --class.")
    if arguments.positive_class is not None:
        if not rows.classes:
            raise UsageError("--class is for classes; this run predicts numbers.")
        if arguments.positive_class not in rows.classes:
            raise UsageError(
                "There is no class {name!r}; available: {names}.",
                name=arguments.positive_class,
                names=", ".join(rows.classes),
            )
        positive_class = rows.classes.index(arguments.positive_class)
    selected_rows = select_first_rows(rows, arguments.top, positive_class)
    observed_text = describe_observed(rows, selected_rows, positive_class)
    if rows.unseen_rows is None:
        return selected_rows, None, observed_text
    outcome = OutcomeEstimator.learn(rows, positive_class).estimate_outcome(
        make_row_groups(rows, selected_rows, positive_class)
    )
    return selected_rows, outcome, observed_text


def _to_json(
    expected: "ExpectedOutcome | None", predictions: "TablePredictions", observed_text: str
) -> dict[str, object] | None:
    from studio.analysis.selected_rows_text import describe_expected_outcome

    if expected is None:
        return None
    sentence = describe_expected_outcome(expected)
    return {
        **asdict(expected),
        "sentence": sentence,
        "observed": observed_text,
        "caution": predictions.caution,
    }


def _print_expected(expected: "ExpectedOutcome", caution: str, observed_text: str) -> None:
    from studio.analysis.selected_rows_text import describe_expected_outcome

    print_line(f"{describe_expected_outcome(expected)} {observed_text}".strip(), sys.stderr)
    if caution:
        print_line(f"note: {caution}", sys.stderr)


def _make_preview(
    predictions: "TablePredictions", *, include_columns: bool
) -> dict[str, list[list[str]]]:
    """Return a header and the table's own columns of the first predicted rows, if requested."""
    from studio.export.predictions import get_input_columns

    if not include_columns or predictions.input_table is None:
        return {}
    return {
        "rows_preview": get_input_columns(predictions.input_table, PREVIEW_ROWS, PREVIEW_COLUMNS)
    }
