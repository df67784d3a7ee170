"""Options of the command line for how a table is read."""

import argparse
from typing import Any

from studio.cli.settings import given

_OPTIONS = ("separator", "encoding", "sheet", "decimal", "header", "skip")

_WORDS = {"none": False, "no": False, "yes": True}


def add_reading(parser: argparse.ArgumentParser, otherwise: str = "") -> None:
    """Add the options; ``otherwise`` says what holds where none is given."""
    parser.add_argument("--sep", dest="separator", metavar="SEP",
                        help=f"the field separator (a character, or 'tab'){otherwise}")  # fmt: skip
    parser.add_argument("--encoding", help="such as utf-8 or cp1252")
    parser.add_argument("--decimal", choices=(".", ","), help="the decimal mark")
    parser.add_argument("--sheet", metavar="NAME", help="the sheet of an Excel workbook")
    parser.add_argument("--header", metavar="ROW|none",
                        help="the row of the file, from 1, with the names, or 'none'")  # fmt: skip
    parser.add_argument("--skip", type=int, metavar="N",
                        help="leave out the first N rows of the file")  # fmt: skip


def reading_from(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return what was given of the options, as :meth:`ReadOptions.from_json` takes it.

    Raises
    ------
    UsageError
        If an option cannot be what it says.
    """
    from studio.data.read_options import ReadOptions
    from studio.errors import UsageError

    asked = given(arguments, _OPTIONS)
    header = asked.pop("header", None)
    if header in _WORDS:
        asked["header"] = _WORDS[header]
    elif header is not None and header.isdecimal():
        asked["header_row"] = int(header)
    elif header is not None:
        raise UsageError(
            f"--header takes the number of the row with the names, or 'none'; {header!r} was given."
        )
    ReadOptions.from_json(asked)
    return asked
