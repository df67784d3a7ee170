"""Columns that number or name the rows: row numbers, also shuffled, and keys of a database.

Whole numbers, nearly all different, are an identifier where the name means one, or where they leave
out (nearly) no number between the first and the last, as row numbers do in any order. Measured
numbers repeat some and leave out many: of 20 drawn from as many, a third is never drawn. Years and
ranks are counted without gaps, too, and stay.
"""

import re
import unicodedata
from collections.abc import Sequence

import numpy as np

from studio.arrays import Floats
from studio.data.distinct import Distinct
from studio.data.ownership import named_after_owner
from studio.phrases import phrase

FEW_ROWS = 20
"""Below this number of rows, chance makes columns look like identifiers or leaks."""

MAX_DIFFERENT = 0.9
"""Share of different values above which a column may name the rows; below, their owners."""

_FEW_GAPS = 0.9
"""Share of the numbers between the first and the last that row numbers take at least."""

_FEW_MISSING = 0.05
"""Share of the rows that may lack a number."""

_YEARS = (1700.0, 2100.0)

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[^\W\d_a-zA-Z]+")
_ANYWHERE = frozenset(("id", "ids", "uuid", "guid", "identifier", "identifiant", "matricule", "ид"))
_AT_THE_END = frozenset(
    ("nr", "no", "num", "number", "numbers", "nummer", "numero", "numer", "key", "pk", "row",
     "rows", "kennung", "schluessel", "schlussel", "номер")
)  # fmt: skip
_GLUED = re.compile(
    r"(?:row|record|rec|order|invoice|ticket|transaction|trans|txn|case|sample|item|product|article|"
    r"booking|loan|claim|policy|event|session|image|photo|house|property|listing|line|entry|obs|"
    r"observation|serial|doc|document|file|job|unique|visit|encounter|emp|std|cust|pass|acct)"
    r"(?:id|no|nr|num|number|key|idx|index)|.{3,}(?:nummer|number)|(?:.*[^\W\d_a-z])?(?:编号|番号|번호)"
)
_INDEX = frozenset(
    ("index", "idx", "unnamed", "level", "rownames", "row names", "row index", "record index")
)
_MEASURED = frozenset(
    ("rank", "ranking", "rang", "position", "place", "platz",
     "year", "yr", "jahr", "annee", "ano", "anno", "jaar", "rok", "год",
     "age", "alter", "edad", "eta", "idade", "leeftijd", "wiek")
)  # fmt: skip


def identifies_rows(
    name: str, aliases: Sequence[str], cells: Distinct, missing: int, distinct: int
) -> str:
    """Say why a column of numbers only tells rows apart; empty where it does not.

    Args:
        name: The column's name.
        aliases: Other names under which pandas would show it: "Unnamed: 0" for an index without a
            name.
        cells: Its cells.
        missing, distinct: Rows without a number, and different numbers.
    """
    filled = len(cells.codes) - missing
    numbers = cells.numbers[~np.isnan(cells.numbers)]
    if filled < FEW_ROWS or not MAX_DIFFERENT * filled < distinct <= len(numbers):
        return ""  # or they are dates
    if not np.array_equal(numbers, np.round(numbers)) or np.isinf(numbers).any():
        return ""
    if any(map(is_key_name, (name, *aliases))):
        return phrase(
            "It is named like an identifier, and {distinct:,} of {filled:,} numbers are different.",
            distinct=distinct,
            filled=filled,
        )
    if missing > _FEW_MISSING * len(cells.codes) or not _counts(name, numbers, distinct):
        return ""
    if distinct == filled and np.all(np.diff(cells.numbers[cells.codes]) == 1.0):
        return phrase("It numbers the rows like an identifier.")
    return phrase(
        "It numbers the rows in another order: of the whole numbers from {low:,} to {high:,} it "
        "has {distinct:,}.",
        low=int(numbers.min()),
        high=int(numbers.max()),
        distinct=distinct,
    )


def _counts(name: str, numbers: Floats, distinct: int) -> bool:
    """Whether whole numbers, (k,), leave out next to none and are neither years nor ranks."""
    low, high = numbers.min(), numbers.max()
    if distinct < _FEW_GAPS * (high - low + 1):
        return False
    if not _MEASURED.isdisjoint(_words(name)):
        return False
    return not _YEARS[0] <= low <= high <= _YEARS[1]


def is_key_name(name: str) -> bool:
    """Whether a name means a key of the rows: "PassengerId", "account_no", "Unnamed: 0", "#"."""
    words = _words(name)
    if not words:
        return name.strip() in {"#", "№", "Nº", "N°"}
    glued = "".join(words)
    return (
        not _ANYWHERE.isdisjoint(words)
        or (words[-1] in _AT_THE_END and not name[-1].isdigit())  # NO2 is a gas
        or " ".join(words) in _INDEX
        or _GLUED.fullmatch(words[-1]) is not None
        or named_after_owner(glued)
    )


def _words(name: str) -> list[str]:
    """Take a name apart into words without marks: "EmployeeNumber", "N° Client" → "n", "client"."""
    bare = unicodedata.normalize("NFKD", name)
    letters = "".join(each for each in bare if not unicodedata.combining(each))
    return [word.casefold() for word in _WORD.findall(letters)]
