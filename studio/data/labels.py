"""Canonical category labels: one label for a cell, however pandas happened to read its column.

pandas types a whole column by all its cells: the cell ``01`` comes out as ``1`` in a column of
whole numbers, as ``1.0`` beside missing cells and as ``"01"`` beside words; ``TRUE`` may come out
as ``True`` or ``"TRUE"``. So the label of a cell depends on the cell alone:

* "true" and "false" in any case → ``True``, ``False``;
* anything that reads as a number (:mod:`studio.data.numbers`) → the number: whole ones up to 2⁵³ as
  digits ("01", "1.0" and "1e0" → "1"), others with 15 significant digits ("%.15g"), which
  survive a last bit that another reader of numbers rounds otherwise;
* everything else → the text without blanks around it.
"""

import math
from collections.abc import Iterable, Sequence

from studio.data.missing import MISSING_TOKENS
from studio.data.numbers import EXACT, LIMIT, PLAIN, NumberFormat, parse_numbers

BOOLEAN_WORDS = {"true": "True", "false": "False"}


def number_label(number: float) -> str:
    """Return a number's canonical label (not NaN): digits if whole, else 15 significant digits.

    Numbers beyond ±:data:`LIMIT` have the label of the limit, as in columns of numbers.
    """
    if math.isfinite(number):
        if abs(number) <= EXACT and number == int(number):
            return str(int(number))
        number = min(max(number, -LIMIT), LIMIT)
    return f"{number:.15g}"


def labels(texts: Sequence[str], number_format: NumberFormat = PLAIN) -> list[str | None]:
    """Return the canonical label of each cell; ``None`` where the cell is missing.

    Parameters
    ----------
    texts : sequence of str
        Cells as written in the file.
    number_format : NumberFormat
        How numbers are written in the column.
    """
    stripped = [text.strip() for text in texts]
    numbers = parse_numbers(stripped, number_format)
    return [
        None
        if text in MISSING_TOKENS
        else BOOLEAN_WORDS.get(text.lower())
        or (text if math.isnan(number) else number_label(number))
        for text, number in zip(stripped, numbers.tolist(), strict=True)
    ]


def order(distinct: Iterable[str]) -> tuple[str, ...]:
    """Sort labels: numbers by value first, then words by code point; no label twice."""
    return tuple(sorted(set(distinct), key=_sort_key))


def _sort_key(label: str) -> tuple[bool, float, str]:
    # Only canonical numbers sort as numbers; float() also reads words such as "infinity" or "1_0".
    try:
        number = float(label)
    except ValueError:
        return True, 0.0, label
    return (False, number, label) if number_label(number) == label else (True, 0.0, label)


def whole_numbers(distinct: Sequence[str]) -> list[int] | None:
    """Return labels as whole numbers if every one of them is one, else ``None``."""
    if not all(label.lstrip("-").isascii() and label.lstrip("-").isdigit() for label in distinct):
        return None
    numbers = [int(label) for label in distinct]
    return numbers if [str(number) for number in numbers] == list(distinct) and numbers else None
