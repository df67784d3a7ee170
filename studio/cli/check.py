"""``studio check``: reading options, decisions and problems of a table."""

import argparse
import re
import shlex
from typing import TYPE_CHECKING

from studio.cli.output import print_json
from studio.cli.table_arguments import add_table_arguments, make_source
from studio.phrases import count_phrase

if TYPE_CHECKING:
    from studio.data.check import CheckedTable, CheckedTestTable, End
    from studio.data.description import Finding

HELP = "Show how a table is read, the roles and kinds of its columns, and its problems."

_MAX_NAME_LENGTH, _MAX_CLASSES = 32, 10
"""Maximum length of a printed name, and number of listed classes."""

_MIN_GROUPED = 10_000
"""Absolute value from which digits are grouped."""

_PLAIN_NUMBER = re.compile(r"-?[0-9]*(\.[0-9]*)?(e[-+]?[0-9]+)?", re.IGNORECASE)
"""Numbers in the default format, which is not printed."""

_OPTIONS = {
    "kind": "--kind",
    "role": "--role",
    "treatment": "--treat",
    "reading": "--read",
    "monotone": "--monotone",
}

_MARK_NAMES = {"\t": "tab", " ": "blank", "": "none", "True": "yes", "False": "no"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.description = (
        "Reads a table like 'studio run', but trains nothing. The exit code is 0 even for findings "
        "of level stop, and 1 if the table is refused."
    )
    add_table_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run_command(arguments: argparse.Namespace) -> int:
    """Read and describe the table, and print the result."""
    from studio.data.check import check, to_json
    from studio.data.second_file import read_like_training
    from studio.runs.table_files import read_source

    source = make_source(arguments)
    raw = read_source(source)
    report = check(
        raw,
        source.kinds,
        source.roles,
        source.target,
        source.treatments,
        monotone=source.monotone,
        task=source.task,
        test=read_like_training(arguments.test, raw.options, raw.names) if arguments.test else None,
    )
    if arguments.json:
        print_json(to_json(report))
    else:
        _print_report(report)
    return 0


def _print_report(report: "CheckedTable") -> None:
    raw = report.raw
    columns = count_phrase("1 column", "{count:,} columns", len(raw.names))
    print(f"{raw.source}: {_format_rows(raw.n_rows)}, {columns}")
    evidence = raw.describe_mark_evidence()
    marks = {"decimal": raw.marks.decimal, "thousands": raw.marks.thousands}
    for name, value in {**vars(raw.options), **marks}.items():
        if value not in {None, ()} and (value != "" or name in evidence):
            text = value if not isinstance(value, tuple) else _format_list(value)
            label = _MARK_NAMES.get(str(text), str(text))
            print(f"  {name:<13}{label:<9}{evidence.get(name, '')}".rstrip())
    print(f"  {'learned from':<13}{_format_rows(len(report.problem.y))}")
    print(f"  {'target':<13}{report.target.name}. {report.target.reason}")
    print(f"  {'task':<13}{report.task.task}{_format_classes(report)}. {report.task.reason}")
    for sentence in report.constraints:
        print(f"  {'constraint':<13}{sentence}")
    if report.test is not None:
        _print_test(report.test)
    print()
    _print_columns(report)
    last, ignored = "", {each.name for each in report.columns if each.role == "ignore"}
    for each in report.findings:
        if each.level != last:
            print(f"\n{each.level.capitalize()}")
            last = each.level
        _print_finding(each, ignored)


def _format_list(values: tuple[str, ...] | tuple[tuple[str, str], ...]) -> str:
    """Format words, or pairs of column and text, on one line."""
    return ", ".join(each if isinstance(each, str) else f"{each[0]}: {each[1]}" for each in values)


def _format_classes(report: "CheckedTable") -> str:
    """Format the classes with their counts: " (no 2,538, yes 462)"."""
    import numpy as np

    classes = report.problem.classes
    if not classes:
        return ""
    counts = np.bincount(report.problem.y, minlength=len(classes))
    class_texts = [
        f"{str(label)[:_MAX_NAME_LENGTH]} {count:,}"
        for label, count in zip(classes[:_MAX_CLASSES], counts.tolist(), strict=False)
    ]
    return f" ({', '.join(class_texts)}{', …' if len(classes) > _MAX_CLASSES else ''})"


def _format_rows(count: int) -> str:
    return count_phrase("1 row", "{count:,} rows", count)


def _print_test(test: "CheckedTestTable") -> None:
    print(
        f"  {'test':<13}{test.usable:,} of {_format_rows(test.rows)} usable; also in the "
        f"training table: {test.repeated:,}"
    )
    for note in test.notes:
        print(f"  {'':<13}{note}")


def _print_columns(report: "CheckedTable") -> None:
    from studio.data.check import find_example, get_kind_word

    width = min(_MAX_NAME_LENGTH, max(len("column"), *(len(each.name) for each in report.columns)))
    header = f"  {'column':<{width}}  {'role':<8}{'kind':<9}{'missing':>8}{'distinct':>10}  range"
    print(header)
    for i, (column, limits) in enumerate(zip(report.columns, report.ranges, strict=True)):
        name = column.name if len(column.name) <= width else column.name[: width - 1] + "…"
        format_sample = find_example(report.raw.get_distinct(i), column)
        range_text = "" if None in limits else " to ".join(map(_shorten_number, limits))
        if not _PLAIN_NUMBER.fullmatch(format_sample):
            range_text += f", written {format_sample}"
        print(
            f"  {name:<{width}}  {column.role:<8}{get_kind_word(column):<9}{column.missing:>8,}"
            f"{column.distinct:>10,}  {range_text}".rstrip()
        )


def _shorten_number(value: "End") -> str:
    if not isinstance(value, float):
        return str(value)
    # Four-digit values may be years, so their digits are not grouped.
    return f"{value:,.8g}" if abs(value) >= _MIN_GROUPED else f"{value:.8g}"


def _print_finding(finding: "Finding", ignored: set[str]) -> None:
    from studio.data.findings import format_finding

    is_excluded = len(finding.columns) == 1 and finding.columns[0] in ignored
    print(f"  {format_finding(finding)}{' It is left out.' if is_excluded else ''}")
    for each in finding.remedies:
        option = _OPTIONS[each.choice]
        if each.value:
            argument = shlex.quote(f"{finding.columns[0]}={each.value}")
            print(f"      {option} {argument}  {each.effect}".rstrip())
