"""Whether points (or commas) before three digits mark decimals or group thousands, by column.

A number such as 34.513 can be read in both ways. What tells is the rest of its column: where the
mark is always followed by groups of three digits, and several whole numbers without a mark are all
below a thousand, the mark groups thousands; any other decimal, or a whole number of a thousand or
more without a mark, shows that it does not.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from studio.arrays import AnyArray
from studio.data.missing import MISSING_TOKENS, NUMBER_FILLERS
from studio.data.numbers import NumberFormat, parse_numbers
from studio.phrases import phrase

Verdict = Literal["nothing", "decimals", "groups", "open"]

SEVERAL = 3
"""Different whole numbers below a thousand, 0 not counted, that show that a mark groups digits."""

_FIRST = 200
"""Cells of a column that are looked at before all of them are."""

_READABLE = 0.95
"""The share of the filled cells that are numbers in a column of numbers."""

_LISTED = 3

_GROUPED = {
    mark: re.compile(rf"[+-]?[1-9][0-9]{{0,2}}(?:{re.escape(mark)}[0-9]{{3}})+") for mark in ".,"
}
_SMALL = re.compile(r"[+-]?(?:0|[1-9][0-9]{0,2})")


@dataclass(frozen=True)
class Seen:
    """What a column shows.

    Attributes
    ----------
    verdict : Verdict
        Nothing; that its marks are decimals; that they group thousands; or that both can be.
    example, small : str
        The first number with a mark, and the first one below a thousand without; "" if none.
    """

    verdict: Verdict
    example: str = ""
    small: str = ""


@dataclass(frozen=True)
class Grouping:
    """How numbers are written after all columns were looked at.

    Attributes
    ----------
    number_format : NumberFormat
        The format.
    evidence : dict
        By option of reading, the sentence that says how another format than the guess is known.
    notes : tuple of str
        What is not known.
    """

    number_format: NumberFormat
    evidence: dict[str, str]
    notes: tuple[str, ...] = ()


def regrouped(guess: NumberFormat, names: Sequence[str], columns: Sequence[AnyArray]) -> Grouping:
    """Return whether the guessed decimal mark groups thousands instead.

    Parameters
    ----------
    guess : NumberFormat
        What the file's first lines showed.
    names : sequence of str
        The columns' names.
    columns : sequence of arrays of str objects, each of shape (n_rows,)
        The cells below them.
    """
    mark = guess.decimal
    if guess.thousands:
        return Grouping(guess, {})
    marked = {
        name: column
        for name, column in zip(names, columns, strict=True)
        if mark in "\n".join(column)
    }
    # The first cells of nearly every table with decimals tell; all cells are the other tables'.
    if any(of_cells(column[:_FIRST], mark).verdict == "decimals" for column in marked.values()):
        return Grouping(guess, {})
    found: dict[str, Seen] = {}
    for name, column in marked.items():
        if _words(column[:_FIRST], mark):
            continue
        found[name] = of_cells(column, mark)
        if found[name].verdict == "decimals":
            return Grouping(guess, {})
    telling = next((seen for seen in found.values() if seen.verdict == "groups"), None)
    if telling is not None:
        other = "," if mark == "." else "."
        return Grouping(
            NumberFormat(other, mark),
            {
                "decimal": phrase(
                    "No number shows which it is; {decimal!r} is assumed.", decimal=other
                ),
                "thousands": phrase(
                    "Digits are grouped by {thousands!r}: it is always followed by three digits, "
                    "as in {example!r}, and numbers without it are below 1,000, as {small!r} is.",
                    thousands=mark,
                    example=telling.example,
                    small=telling.small,
                ),
            },
        )
    unclear = {name: seen for name, seen in found.items() if seen.verdict == "open"}
    if not unclear:
        return Grouping(guess, {})
    listed = ", ".join(map(repr, list(unclear)[:_LISTED])) + ("…" if len(unclear) > _LISTED else "")
    return Grouping(
        guess,
        {},
        (
            phrase(
                "{mark!r} may mark decimals or group thousands in {listed}: three digits always "
                "follow it, as in {example!r}. It is read as the decimal mark; if it groups "
                "thousands, choose that where it says how the file was read.",
                mark=mark,
                listed=listed,
                example=next(iter(unclear.values())).example,
            ),
        ),
    )


def of_cells(cells: Iterable[str], mark: str) -> Seen:
    """Return what the cells of a column show about a mark between digits.

    Parameters
    ----------
    cells : iterable of str
        The cells, missing ones and words among them.
    mark : str
        ``"."`` or ``","``.
    """
    filled = [cell for cell in dict.fromkeys(map(str.strip, cells)) if _is_filled(cell)]
    grouped = [cell for cell in filled if _GROUPED[mark].fullmatch(cell)]
    small = [cell for cell in filled if _SMALL.fullmatch(cell)]
    others = [cell for cell in filled if not _SMALL.fullmatch(cell)]
    others = [cell for cell in others if not _GROUPED[mark].fullmatch(cell)]
    readable = [
        cell
        for cell, number in zip(others, parse_numbers(others, NumberFormat(mark)), strict=True)
        if not np.isnan(number)
    ]
    n_numbers = len(grouped) + len(small) + len(readable)
    if n_numbers < _READABLE * len(filled):
        return Seen("nothing")
    if any(mark in cell for cell in readable) or (grouped and readable):
        return Seen("decimals")
    if not grouped:
        return Seen("nothing")
    if any(cell.count(mark) > 1 for cell in grouped):
        return Seen("groups", grouped[0], next(iter(small), ""))
    several = len({cell.lstrip("+-") for cell in small} - {"0"}) >= SEVERAL
    return Seen("groups" if several else "open", grouped[0], next(iter(small), ""))


def _words(cells: Iterable[str], mark: str) -> bool:
    """Return whether most of the first cells are words."""
    filled = [cell for cell in map(str.strip, cells) if _is_filled(cell)]
    numbers = parse_numbers([cell.replace(mark, "") for cell in filled])
    return bool(filled) and float(np.isnan(numbers).mean()) > 1 - _READABLE


def _is_filled(cell: str) -> bool:
    return cell not in MISSING_TOKENS and cell not in NUMBER_FILLERS
