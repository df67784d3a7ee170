"""What the cells of a column are, and how they are written, decided from all of them."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from studio.arrays import Flags, Floats, Integers
from studio.data.column import ColumnKind
from studio.data.dates import DateFormat, DateGuess, are_compact, guess_dates
from studio.data.distinct import Distinct
from studio.data.missing import MISSING_TOKENS, NUMBER_FILLERS, WORD_TOKENS
from studio.data.number_guess import NumberGuess, file_decimal, guess_numbers
from studio.data.numbers import EXACT, PLAIN, NumberFormat

READABLE = 0.95
"""A column in which at least this share of the filled cells are numbers is one of numbers."""

_DURATION = re.compile(
    r"-?(?:[0-9]+ days?,? )?-?\+?[0-9]{1,3}:[0-5][0-9](?::[0-5][0-9](?:\.[0-9]+)?)?"
)

_FEW_WORDS, _MANY_NUMBERS = 2, 10
"""Different words that mean "missing" at most, and different numbers beside them at least."""

_FEWEST_AMOUNTS, _SMALL_AMOUNTS = 20, 0.05
"""Different zero-padded numbers that amounts have at least, and the share of those that are not 0
which lies below a hundredth of the largest."""

Reason = Literal[
    "empty", "numbers", "mostly-numbers", "padded-amounts", "padded-codes", "long-numbers",
    "hex-codes", "lists", "mixed-units", "durations", "dates", "truth", "words", "mixed",
]  # fmt: skip


@dataclass(frozen=True)
class ColumnFormat:
    """How a column is read.

    Attributes
    ----------
    kind : ColumnKind
        What its cells are.
    reason : Reason
        Why.
    number_format : NumberFormat
        How its numbers are written, if it holds any.
    missing_words : frozenset of str
        Cells that hold nothing.
    date : DateGuess or None
        How its dates are written, if it holds any.
    numbers : NumberGuess or None
        What decided the format of its numbers.
    unread : tuple of str
        Some of the cells that a column of numbers or dates cannot read, and that count as missing.
    n_unread, n_filled : int
        Rows with such cells, and rows with any.
    """

    kind: ColumnKind
    reason: Reason
    number_format: NumberFormat = PLAIN
    missing_words: frozenset[str] = MISSING_TOKENS
    date: DateGuess | None = None
    numbers: NumberGuess | None = None
    unread: tuple[str, ...] = ()
    n_unread: int = 0
    n_filled: int = 0


def formats_of(
    names: Sequence[str],
    columns: Sequence[Distinct],
    *,
    separator: str = "",
    chosen: NumberFormat | None = None,
) -> tuple[ColumnFormat, ...]:
    """Decide how each column is read.

    Parameters
    ----------
    names : sequence of str, length d
        The columns' names.
    columns : sequence of Distinct, length d
        Their cells.
    separator : str
        What separates the file's cells.
    chosen : NumberFormat or None
        The decimal mark, and what groups digits, as the user chose them for the whole file.
    """
    found = [
        _format(name, cells, separator, "", chosen)
        for name, cells in zip(names, columns, strict=True)
    ]
    decimal = file_decimal(each.numbers for each in found)
    if decimal and chosen is None:
        for at, each in enumerate(found):
            if each.numbers is not None and (each.numbers.open_mark or each.reason == "lists"):
                found[at] = _format(names[at], columns[at], separator, decimal, None)
    return tuple(found)


def _format(
    name: str, cells: Distinct, separator: str, decimal: str, chosen: NumberFormat | None
) -> ColumnFormat:
    stripped = cells.stripped
    empty = np.array([text in MISSING_TOKENS for text in stripped], dtype=np.bool_)
    filler = np.array([text in NUMBER_FILLERS for text in stripped], dtype=np.bool_)
    filled = ~empty & ~filler
    texts, counts = list(itertools.compress(stripped, filled.tolist())), cells.counts[filled]
    if not texts:
        return _of_nothing(cells, empty)
    guess = guess_numbers(
        name, texts, counts, separator=separator, file_decimal=decimal, chosen=chosen
    )
    if guess is not None:
        format_ = _of_numbers(cells, texts, guess, filled)
        if format_ is not None:
            return format_
    if all(map(_DURATION.fullmatch, texts)):
        return ColumnFormat("number", "durations", NumberFormat(duration=True))
    fallback = guess.number_format if guess is not None else (chosen or PLAIN)
    dates = guess_dates(texts, counts)
    if dates is not None and not dates.is_open:
        return _of_dates(cells, texts, dates, filled, fallback)
    boolean = all(text.lower() in {"true", "false"} for text in texts)
    mixed = guess is not None
    reason: Reason = "truth" if boolean else "mixed" if mixed else "words"
    if guess is not None and guess.is_list:
        reason = "lists"
    elif guess is not None and guess.mixed_units:
        reason = "mixed-units"
    unread: tuple[str, ...] = ()
    if mixed:
        numbers = cells.read_as(fallback, MISSING_TOKENS).numbers
        words = np.isnan(numbers) & filled
        unread = _first(cells, words)
        n_unread = int(cells.counts[words].sum())
        return ColumnFormat(
            "category", reason, fallback, WORD_TOKENS, dates, guess, unread, n_unread,
            int(counts.sum()),
        )  # fmt: skip
    return ColumnFormat("category", reason, fallback, WORD_TOKENS, dates, guess)


def _of_nothing(cells: Distinct, empty: Flags) -> ColumnFormat:
    """Return the format of a column without a word that is one for certain."""
    words = {text for text in cells.stripped if text not in WORD_TOKENS}
    if len(words) > 1 or (words and not empty.all()):
        return ColumnFormat("category", "words", missing_words=WORD_TOKENS)
    return ColumnFormat("number", "empty")


def _of_numbers(
    cells: Distinct, texts: list[str], guess: NumberGuess, filled: Flags
) -> ColumnFormat | None:
    """Return the format of a column of numbers, or of codes that look like numbers."""
    number_format = guess.number_format
    if guess.is_list:
        return None
    numbers = cells.read_as(number_format, MISSING_TOKENS).numbers
    readable = filled & ~np.isnan(numbers)
    words = filled & np.isnan(numbers)
    n_numbers, n_words = int(cells.counts[readable].sum()), int(cells.counts[words].sum())
    n_filled = n_numbers + n_words
    unread = _first(cells, words)
    made = ColumnFormat(
        "number",
        "mostly-numbers" if n_words else "numbers",
        number_format,
        numbers=guess,
        unread=unread,
        n_unread=n_words,
        n_filled=n_filled,
    )
    if _are_hex(texts, words):
        return replace(made, kind="category", reason="hex-codes", missing_words=WORD_TOKENS)
    several = int(readable.sum()) >= _MANY_NUMBERS and n_words < n_numbers
    repeated = cells.counts[words] > 1
    fill = several and 0 < len(repeated) <= _FEW_WORDS and bool(repeated.all())
    if n_words > (1 - READABLE) * n_filled and not fill:
        return None
    if not n_words and are_compact(texts):
        return replace(made, kind="date", reason="dates", date=DateGuess(DateFormat("compact")))
    reason = _seem_codes(cells, numbers, readable) if number_format == PLAIN else None
    if reason is None:
        return made
    kind: ColumnKind = "number" if reason == "padded-amounts" else "category"
    return replace(made, kind=kind, reason=reason)


def _seem_codes(cells: Distinct, numbers: Floats, readable: Flags) -> Reason | None:
    """Return why cells that are all digits seem to be codes, or amounts padded with zeros."""
    exact = list(itertools.compress(cells.stripped, readable.tolist()))
    if not all(text.isdigit() for text in exact):
        return None
    if any(len(text) > 1 and text[0] == "0" for text in exact):
        amounts = _seem_amounts(exact, numbers[readable], cells.counts[readable])
        return "padded-amounts" if amounts else "padded-codes"
    long = int(cells.counts[readable & (numbers > EXACT)].sum())
    return "long-numbers" if 2 * long > int(cells.counts[readable].sum()) else None


def _of_dates(
    cells: Distinct, texts: list[str], dates: DateGuess, filled: Flags, fallback: NumberFormat
) -> ColumnFormat:
    lost = filled & np.isnan(cells.moments(dates.format))
    return ColumnFormat(
        "date", "dates", fallback, MISSING_TOKENS, dates, None, _first(cells, lost),
        int(cells.counts[lost].sum()), int(cells.counts[filled].sum()),
    )  # fmt: skip


def _first(cells: Distinct, chosen: Flags) -> tuple[str, ...]:
    return tuple(itertools.islice(itertools.compress(cells.stripped, chosen.tolist()), 3))


def _are_hex(texts: list[str], words: Flags) -> bool:
    """Whether cells such as 5E1 beside 7f3a are codes of digits and letters, not powers of ten."""
    powers = [
        text for text in texts if text[:1].isdigit() and text.isalnum() and "e" in text.lower()
    ]
    if not powers:
        return False
    return bool(words.any()) and all(text.isalnum() for text in texts)


def _seem_amounts(texts: list[str], numbers: Floats, counts: Integers) -> bool:
    """Whether zero-padded digits are sizes rather than codes, judging by the cells alone.

    Codes fill the room that their digits have: of numbers below 10,000 given out in turn, one in a
    hundred lies below 100. Amounts crowd at its lower end, and there are many of them.
    """
    widths = {len(text) for text in texts}
    filled = numbers > 0
    small = counts[filled & (numbers < numbers.max() / 100)].sum()
    many = len(numbers) >= _FEWEST_AMOUNTS
    return len(widths) == 1 and many and bool(small >= _SMALL_AMOUNTS * counts[filled].sum())
