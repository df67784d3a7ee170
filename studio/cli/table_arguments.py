"""Command-line arguments for a table and its reading options, shared by all commands."""

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from studio.cli.settings import get_given_values
from studio.data.dialect import QUOTES
from studio.errors import UsageError

if TYPE_CHECKING:
    from studio.data.column import ColumnKind
    from studio.runs.settings import TableSource

W = TypeVar("W", bound=str)

_FORMAT_PATTERN = r"(?:decimal|thousands|dates|missing):.*"
"""Pattern of a column's format, which begins with one of the known words."""

_READING_OPTIONS = (
    "separator",
    "encoding",
    "sheet",
    "quote",
    "decimal",
    "thousands",
    "header",
    "skip",
)

_HEADER_VALUES = {"none": False, "no": False, "yes": True}


def add_table_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the table, its columns' roles, and reading options."""
    parser.add_argument(
        "table",
        metavar="DATA.csv",
        type=Path,
        help="the table (.csv or .tsv, also in .gz or .zip; .xlsx, .parquet)",
    )
    parser.add_argument("--target", metavar="NAME", help="the column to predict")
    parser.add_argument("--task", default="auto",
                        choices=("auto", "binary", "multiclass", "regression"))  # fmt: skip
    parser.add_argument("--role", action="append", default=[], metavar="COLUMN=ROLE",
                        help="feature, target, ignore, group, time or weight")  # fmt: skip
    add_kind_argument(parser)
    parser.add_argument("--treat", action="append", default=[], metavar="COLUMN=TREATMENT",
                        help="odd values: 'missing 0..500', 'limit ..500' (numbers beyond), or "
                             "'merge 10' (values in fewer rows are merged), or "
                             "'merge alike' (labels that differ only in spelling)")  # fmt: skip
    parser.add_argument("--monotone", action="append", default=[], metavar="COLUMN=WAY",
                        help="a column of numbers or dates never lowers the prediction (up) or "
                             "never raises it (down); of two classes, the probability of the "
                             "rarer one")  # fmt: skip
    add_reading_arguments(parser)
    parser.add_argument("--test", type=Path, metavar="FILE", help="a second table as test set")


def add_kind_argument(parser: argparse.ArgumentParser, scope_text: str = "") -> None:
    """Add kinds of columns; ``scope_text`` describes their tables."""
    parser.add_argument("--kind", action="append", default=[], metavar="COLUMN=KIND",
                        help="number, category, date or text; may be repeated"
                             f"{scope_text}")  # fmt: skip


def parse_kinds(arguments: argparse.Namespace) -> "dict[str, ColumnKind]":
    """Return the kinds given by :func:`add_kind_argument` by column, or raise UsageError."""
    from studio.data.column import KINDS

    return _check_choices(parse_pairs(arguments.kind, "COLUMN=KIND"), KINDS, "kind")


def add_reading_arguments(parser: argparse.ArgumentParser, default_text: str = "") -> None:
    """Add reading options; ``default_text`` describes the default."""
    separator = f"the field separator (a character, or 'tab'){default_text}"
    parser.add_argument("--sep", dest="separator", metavar="SEP", help=separator)
    parser.add_argument("--encoding", help="such as utf-8 or cp1252")
    parser.add_argument("--quote", choices=QUOTES,
                        help=(
                            "quote character around cells with separators; '' for none"
                        ))  # fmt: skip
    parser.add_argument("--decimal", choices=(".", ","), metavar="MARK",
                        help="the decimal mark of all columns: point or comma")  # fmt: skip
    parser.add_argument("--thousands", choices=("", ",", ".", " ", "'", "_"), metavar="MARK",
                        help=(
                            "the thousands separator of all columns: comma, point, space, "
                            "apostrophe, underscore, or '' for none"
                        ))  # fmt: skip
    parser.add_argument("--sheet", metavar="NAME", help="the sheet of an Excel workbook")
    parser.add_argument("--header", metavar="ROW|none",
                        help="the row of the file with the names, from 1, or 'none'")  # fmt: skip
    parser.add_argument("--skip", type=int, metavar="N",
                        help="leave out the first N rows of the file")  # fmt: skip
    parser.add_argument("--missing", metavar="WORDS",
                        help=(
                            "words for missing cells in any column, separated by bars: "
                            "'none|unknown'"
                        ))  # fmt: skip
    parser.add_argument("--read", action="append", default=[], metavar="COLUMN=HOW",
                        help=(
                            "format of a column: 'decimal:comma,thousands:point', "
                            "'dates:month-first' or 'missing:NA|none'"
                        ))  # fmt: skip


def make_read_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the :class:`ReadOptions` of the reading arguments as JSON, or raise UsageError."""
    from studio.data.read_options import ReadOptions

    options = get_given_values(arguments, _READING_OPTIONS)
    header = options.pop("header", None)
    if header in _HEADER_VALUES:
        options["header"] = _HEADER_VALUES[header]
    elif header is not None and header.isdecimal():
        options["header_row"] = int(header)
    elif header is not None:
        raise UsageError(
            "--header must be the number of the row with the names, or 'none'; "
            f"{header!r} was given."
        )
    if arguments.missing is not None:
        options["missing"] = [word.strip() for word in arguments.missing.split("|")]
    if arguments.read:
        options["columns"] = parse_pairs(arguments.read, "COLUMN=HOW", _FORMAT_PATTERN)
    ReadOptions.from_json(options)
    return options


def make_source(arguments: argparse.Namespace) -> "TableSource":
    """Return the source given by :func:`add_table_arguments`; raise UsageError if invalid."""
    from studio.data.column import DIRECTIONS, ROLES
    from studio.runs.settings import TableSource

    for file in (arguments.table, arguments.test):
        if file is not None and not file.exists():
            raise UsageError(f"There is no file {file}. Check its name and folder.")
    return TableSource(
        path=str(arguments.table.resolve()),
        test_path=str(arguments.test.resolve()) if arguments.test else "",
        target=arguments.target,
        task=arguments.task,
        reading=make_read_options(arguments),
        roles=_check_choices(parse_pairs(arguments.role, "COLUMN=ROLE"), ROLES, "role"),
        kinds=parse_kinds(arguments),
        treatments=_parse_treatments(parse_pairs(arguments.treat, "COLUMN=TREATMENT")),
        monotone=_check_choices(parse_pairs(arguments.monotone, "COLUMN=WAY"), DIRECTIONS, "way"),
    )


def _check_choices(pairs: dict[str, str], allowed: tuple[W, ...], noun: str) -> dict[str, W]:
    """Check the words after column names before anything is created."""
    choices: dict[str, W] = {}
    for name, word in pairs.items():
        if word not in allowed:
            raise UsageError(
                f"The {noun} of {name!r} must be one of {', '.join(allowed)}; {word!r} was given."
            )
        choices[name] = allowed[allowed.index(word)]
    return choices


def _parse_treatments(pairs: dict[str, str]) -> dict[str, str]:
    """Return the treatments of columns in canonical spelling."""
    from studio.data.treatments import parse_treatment

    return {name: parse_treatment(text).to_text() for name, text in pairs.items()}


def parse_pairs(texts: list[str], form: str, value: str = "[^=]*") -> dict[str, str]:
    """Return ``["a=b", …]`` as a dict, split at the last ``=``, as column names may contain one.

    Args:
        value: Regular expression for the text after the ``=``.

    Raises:
        UsageError: If there is no such ``=``, no name before it, or a repeated name.
    """
    pairs: dict[str, str] = {}
    for text in texts:
        parts = re.fullmatch(f"(.+)=({value})", text, re.DOTALL)
        if parts is None:
            raise UsageError(f"{text!r} was given where {form} is expected.")
        if pairs.setdefault(parts[1], parts[2]) != parts[2]:
            raise UsageError(
                f"Both {parts[1]}={pairs[parts[1]]} and {text} were given; leave one of them out."
            )
    return pairs
