"""``studio predict``: predictions for a new table."""

import argparse
import sys
from pathlib import Path

from studio.cli.output import print_json
from studio.cli.telling import add_progress, stoppable, teller
from studio.errors import UsageError

NAME = "predict"
HELP = "Predict the rows of a new table with a run's ensemble."

PREVIEW_ROWS = 20
"""Rows of the predictions that stand in the JSON object, for whoever wants a first look."""

TRUST = (
    "Loading a pickle runs whatever code is in it, with all your rights. Only do so if you made "
    "it yourself or trust whoever gave it to you; then say so with --trust."
)


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("model", type=Path, metavar="FILE.studio",
                        help="a document, or an exported pickle with --trust")  # fmt: skip
    parser.add_argument("table", type=Path, metavar="NEW.csv")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="OUT.csv")
    parser.add_argument("--run", type=int, help="which run (default: the newest with a result)")
    parser.add_argument("--sep", help="what separates fields, if not as in training")
    parser.add_argument("--encoding")
    parser.add_argument("--sheet", metavar="NAME", help="the sheet of an Excel workbook")
    parser.add_argument("--decimal", choices=(".", ","))
    parser.add_argument("--with-rows", action="store_true",
                        help="write the rows' own columns before their predictions, with the "
                             "table's separator and decimal mark")  # fmt: skip
    parser.add_argument("--trust", action="store_true", help=TRUST)
    add_progress(parser)


def perform(arguments: argparse.Namespace) -> int:
    """Predict and write."""
    from studio.data.reading import ReadOptions
    from studio.export.predict import (
        predict_pickle,
        predict_table,
        table_of,
        write_predictions,
    )

    given = {
        name: value
        for name, value in (
            ("separator", arguments.sep),
            ("encoding", arguments.encoding),
            ("sheet", arguments.sheet),
            ("decimal", arguments.decimal),
        )
        if value is not None
    }
    reading = ReadOptions.from_json(given)
    if not arguments.model.exists():
        raise UsageError(f"There is no file {arguments.model}; check the name and the folder.")
    if _is_document(arguments.model):
        from studio.document.store import Document
        from studio.runs.choose import choose_run

        with Document.open(arguments.model) as document, stoppable():
            run_id = choose_run(document, arguments.run, with_result=True).id
            predicted = predict_table(
                document,
                run_id,
                arguments.table,
                reading if given else None,
                told=teller(arguments),
            )
    elif arguments.trust:
        predicted = predict_pickle(arguments.model, arguments.table, reading)
    else:
        raise UsageError(f"{arguments.model} is not a .studio document. {TRUST}")
    write_predictions(predicted, arguments.output, beside=arguments.with_rows)
    if arguments.json:
        print_json(
            {
                "rows": len(predicted.values),
                "output": str(arguments.output),
                "notes": list(predicted.notes),
                "preview": table_of(predicted, PREVIEW_ROWS),
            }
        )
        return 0
    for note in predicted.notes:
        print(f"note: {note}", file=sys.stderr)
    print(f"Wrote {len(predicted.values)} predictions to {arguments.output}")
    return 0


def _is_document(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\x00"
