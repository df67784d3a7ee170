"""``studio predict``: predictions for a new table."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from studio.cli.opened import opened
from studio.cli.output import print_json, print_line
from studio.cli.reporting import add_progress, reporter, stoppable
from studio.cli.table_arguments import add_reading, reading_from
from studio.errors import UsageError
from studio.phrases import counted
from studio.system.files import is_same_file

if TYPE_CHECKING:
    from studio.export.predict import TablePredictions

HELP = "Predict the rows of a new table with a run's ensemble."

PREVIEW_COLUMNS = 200
PREVIEW_ROWS = 20
"""Rows of predictions and the rows' own columns in the JSON object, for a first look."""

TRUST = (
    "Loading a pickle runs whatever code is in it, with all your rights. Only do so if you made "
    "it yourself or trust whoever gave it to you; then confirm it with --trust."
)


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("model", type=Path, metavar="FILE.studio",
                        help="a document, or an exported pickle with --trust")  # fmt: skip
    parser.add_argument("table", type=Path, metavar="NEW.csv")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="OUT.csv")
    parser.add_argument("--run", type=int, help="which run (default: the newest with a result)")
    parser.add_argument("--trial", type=int, metavar="N",
                        help="predict with this trial alone instead of the ensemble")  # fmt: skip
    add_reading(parser, ", if not as in training")
    parser.add_argument("--interval", type=float, metavar="SHARE",
                        help="for numbers: also write the interval that contains the true value "
                             "with this probability, such as 0.9")  # fmt: skip
    parser.add_argument("--with-rows", action="store_true",
                        help="write the rows' own columns before their predictions, with the "
                             "table's separator and decimal mark")  # fmt: skip
    parser.add_argument("--for-spreadsheet", action="store_true",
                        help="put an apostrophe before cells that a spreadsheet would run as a "
                             "formula (without it, every label is written as it is)")  # fmt: skip
    parser.add_argument("--trust", action="store_true", help=TRUST)
    add_progress(parser)


def perform(arguments: argparse.Namespace) -> int:
    """Predict and write."""
    from studio.data.read_options import ReadOptions
    from studio.deferred import defer_statistics
    from studio.document.whole_files import is_document
    from studio.export.predict import (
        predict_pickle,
        predict_table,
        table_of,
        write_predictions,
    )

    defer_statistics()
    chosen = ""
    asked = reading_from(arguments)
    reading = ReadOptions.from_json(asked)
    if not arguments.model.exists():
        raise UsageError(f"There is no file {arguments.model}. Check its name and folder.")
    for file in (arguments.model, arguments.table):
        if is_same_file(file, arguments.output):
            raise UsageError(f"The predictions would replace {file}. Choose another name for -o.")
    if is_document(arguments.model):
        from studio.runs.run_lookup import choose_run, which_run

        with opened(arguments.model, writable=None) as document, stoppable():
            row = choose_run(document, arguments.run, with_result=True)
            chosen = which_run(document, row) if arguments.run is None else ""
            predicted = predict_table(
                document,
                row.id,
                arguments.table,
                reading if asked else None,
                interval=arguments.interval,
                progress=reporter(arguments),
                trial=arguments.trial,
            )
    elif arguments.interval is not None:
        raise UsageError(
            "An exported pickle does not know how far it was off; ask the document for intervals."
        )
    elif arguments.trial is not None:
        raise UsageError("A pickle holds no trials: --trial is for .studio documents.")
    elif arguments.trust:
        predicted = predict_pickle(arguments.model, arguments.table, reading)
    else:
        raise UsageError(f"{arguments.model} is not a .studio document. {TRUST}")
    write_predictions(
        predicted,
        arguments.output,
        beside=arguments.with_rows,
        for_spreadsheet=arguments.for_spreadsheet,
    )
    notes = [*filter(None, (chosen,)), *predicted.notes]
    if arguments.json:
        print_json(
            {
                "rows": len(predicted.values),
                "output": str(arguments.output),
                "notes": notes,
                "unlike": list(predicted.unlike.sentences),
                "separator": predicted.separator if arguments.with_rows else ",",
                "preview": table_of(predicted, PREVIEW_ROWS),
                **_rows_preview(predicted, beside=arguments.with_rows),
            }
        )
        return 0
    for note in (*notes, *predicted.unlike.sentences):
        print_line(f"note: {note}", sys.stderr)
    written = counted("1 prediction", "{count:,} predictions", len(predicted.values))
    print_line(f"Wrote {written} to {arguments.output}")
    return 0


def _rows_preview(predicted: "TablePredictions", *, beside: bool) -> dict[str, list[list[str]]]:
    """Return the rows' own columns to the first predictions, a heading before them, if wanted."""
    from studio.export.predict import own_columns

    if not beside or predicted.raw is None:
        return {}
    return {"rows_preview": own_columns(predicted.raw, PREVIEW_ROWS, PREVIEW_COLUMNS)}
