#!/usr/bin/env python3
"""Write the manual pages of ``studio`` and ``ensemble-studio`` from the command line itself.

    python packaging/man_pages.py

``bundle.py`` does it for every release; the pages are not kept in the repository. General tools
(argparse-manpage, help2man) repeat every description and usage, and do not support internal
commands.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from studio.cli.entry import COMMANDS, load_command, make_parser
from studio.version import VERSION

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "packaging" / "linux" / "share" / "man" / "man1"

_WINDOW = """\
.SH NAME
ensemble-studio \\- the window of Ensemble Studio
.SH SYNOPSIS
.B ensemble\\-studio
.RI [ FILE ]
.SH DESCRIPTION
Opens the window, with a .studio document or a table if one is named, else with what was open last.
Without a screen it ends with a sentence that says so.
It is the same as
.BR "studio open" .
.SH EXIT STATUS
0 when the window was closed, 1 if it could not be opened.
.SH SEE ALSO
.BR studio (1)
"""

_END = """\
.SH EXIT STATUS
0 done, 1 failed, 2 wrong use, 130 stopped with everything kept.
.SH FILES
.TP
.I *.studio
A document: an SQLite database with a table, its runs and all their trials. Opening one runs nothing
that is in it.
.SH EXAMPLES
.EX
studio run data.csv \\-\\-target y \\-\\-seconds 60 \\-o work.studio
studio predict work.studio new.csv \\-o predictions.csv
studio export work.studio \\-\\-format pickle \\-o model.pkl
.EE
.SH SEE ALSO
.BR ensemble\\-studio (1)
"""


def pages() -> dict[str, str]:
    """Return the text of every page by file name."""
    return {
        "studio.1": _render_head("studio") + "".join(_render_lines()) + _END,
        "ensemble-studio.1": _render_head("ensemble-studio") + _WINDOW,
    }


def _render_head(name: str) -> str:
    # Without a date, so that the output is reproducible.
    return f'.TH {_escape_plain(name.upper())} 1 "" "Ensemble Studio {VERSION}" "User Commands"\n'


def _render_lines() -> Iterator[str]:
    top = make_parser()
    yield ".SH NAME\nstudio \\- automatic machine learning that ends in an ensemble\n"
    yield ".SH SYNOPSIS\n.B studio\n.RI [ COMMAND ]\n.RI [ ARGUMENT ...]\n"
    yield f".SH DESCRIPTION\n{_format_paragraph(top.description or '')}\n"
    yield ".SH OPTIONS\n"
    for action in top._actions:
        if not isinstance(action, argparse._SubParsersAction):
            yield from _render_argument(action)
    yield ".SH COMMANDS\n"
    subparsers = next(a for a in top._actions if isinstance(a, argparse._SubParsersAction))
    for name in COMMANDS:
        if not load_command(name).HELP:
            continue  # used only by the program's own processes
        added = subparsers.choices[name]
        arguments = [each for each in added._actions if each.dest != "help"]
        description = _format_paragraph(added.description or "")
        yield f".SS {_quote(_render_usage(name, arguments))}\n{description}\n"
        for action in arguments:
            yield from _render_argument(action)


def _render_usage(name: str, arguments: list[argparse.Action]) -> str:
    options = [each for each in arguments if each.option_strings]
    required = [
        f"{each.option_strings[0]} {_format_value(each)}" for each in options if each.required
    ]
    placeholder = ["[OPTION ...]"] if len(options) > len(required) else []
    values = [_format_value(each) for each in arguments if not each.option_strings]
    return " ".join(["studio", name, *placeholder, *required, *values])


def _render_argument(action: argparse.Action) -> Iterator[str]:
    if action.help == argparse.SUPPRESS:
        return
    value = _format_value(action)
    names = [f"\\fB{_escape_plain(each)}\\fR" for each in action.option_strings]
    value_text = f"\\fI{_escape_plain(value)}\\fR" if value else ""
    yield f".TP\n{', '.join(names)}{' ' if names and value_text else ''}{value_text}\n"
    help_text = (action.help or "") % {**vars(action), "prog": "studio"}
    # A tag without a text would use the next tag as its text.
    yield f"{_format_paragraph(help_text)}\n" if help_text else "\\&\n"


def _format_value(action: argparse.Action) -> str:
    """Return the placeholder of an argument's value; empty for flags."""
    if action.nargs == 0:
        return ""
    if action.metavar:
        metavar = action.metavar if isinstance(action.metavar, str) else " ".join(action.metavar)
    elif action.choices:
        metavar = "{" + ",".join(map(str, action.choices)) + "}"
    else:
        metavar = action.dest.upper() if action.option_strings else action.dest
    formats = {"?": "[{}]", "*": "[{} ...]", "+": "{} ..."}
    return formats.get(str(action.nargs), "{}").format(metavar)


def _escape_plain(text: str) -> str:
    """Return a text escaped for roff."""
    return text.replace("\\", "\\e").replace("-", "\\-")


def _format_paragraph(text: str) -> str:
    """Return a paragraph, with lines escaped that resemble requests."""
    escaped = _escape_plain(text)
    return f"\\&{escaped}" if escaped[:1] in (".", "'") else escaped


def _quote(text: str) -> str:
    return '"' + _escape_plain(text).replace('"', "\\(dq") + '"'


def main() -> int:
    """Write the pages."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
