"""Format of a column's cells, inferred from all of them."""

import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from studio.arrays import Flags, Floats, Integers
from studio.data.column import ColumnKind
from studio.data.date_guess import (
    DateGuess,
    find_named_dates,
    find_six_digit_dates,
    find_unseparated_dates,
    fit_century,
    guess_dates,
    guess_timestamp_unit,
    is_date_name,
)
from studio.data.dates import ORDERS, SHORT_ORDERS, DateFormat
from studio.data.distinct import DistinctCells
from studio.data.labels import are_both_truths
from studio.data.missing import (
    CLASS_WORDS,
    MISSING_TOKENS,
    NUMBER_FILLERS,
    SIGN_TOKENS,
    WORD_TOKENS,
    is_mostly_valid,
)
from studio.data.notations import BEFORE_SHAPES, BOUND
from studio.data.number_guess import NumberGuess, find_file_decimal, guess_numbers
from studio.data.numbers import (
    CLOCK_WITH_WORDS,
    MAX_EXACT_INTEGER,
    MAX_MAGNITUDE,
    PLAIN,
    NumberFormat,
    apply_pairs,
    parse_numbers,
)
from studio.data.read_options import ColumnReading
from studio.data.texts import Texts

_DURATION_PART = (
    r"[0-9.]+\s*(?i:d|h|m|s|days?|hrs?|hours?|std|mins?|minutes?|secs?|seconds?|sek)"
    r"\.?,?\s*(?![A-Za-z])"
)
_DURATION = re.compile(
    r"-?(?:[0-9]+ days?,? )?-?\+?[0-9]{1,3}:[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]+)?)?"
    r"|[0-9]{1,3}:[0-5][0-9][.,][0-9]+"
    r"|P(?=.)(?:[0-9]+D)?(?:T(?=.)(?:[0-9]+H)?(?:[0-9]+M)?(?:[0-9.]+S)?)?"
    rf"|(?:{_DURATION_PART}){{1,4}}|{CLOCK_WITH_WORDS}"
)
"""Durations and times of day: clocks, also with days or AM and PM, ISO 8601, and numbers with
units.
"""

_CLEAR_DURATION = re.compile(rf".*:.*|P.*|(?:{_DURATION_PART}){{2,}}|{CLOCK_WITH_WORDS}")
"""A duration other than a number with a unit."""

_SAMPLE_SIZE = 20  # distinct cells sampled; at least half of a column of durations are durations

_MIN_AMOUNTS, _SMALL_AMOUNTS = 20, 0.05
"""Minimum number of distinct zero-padded amounts, and the share of the non-zero ones below a
hundredth of the largest.
"""

_POWER = re.compile("[0-9]+e[0-9]+", re.IGNORECASE)
_PHONES = re.compile(r"(?:\+[1-9][0-9]{8,14}(?:\n|$))+")
_VERSION = re.compile(r"[0-9]{1,3}(?:\.(?:[0-9]|[1-3][0-9]))?")
_LIMIT = re.compile(BOUND)
_CHAPTER = re.compile(r"(?!0+\.)[0-9]{2,}\.[0-9]+")
_MIN_CHAPTER_ROWS = 2  # minimum mean number of rows of padded codes
_MAX_VERSIONS = 200  # maximum number of versions in a column
_MAX_CHANCE = 0.01  # maximum probability that decimals have such endings by chance

Reason = Literal[
    "empty", "numbers", "mostly-numbers", "padded-amounts", "padded-codes", "long-numbers",
    "hex-codes", "versions", "lists", "limits", "mixed-units", "durations", "dates", "truth",
    "words", "mixed", "declared",
]  # fmt: skip


@dataclass(frozen=True)
class ColumnFormat:
    """The format of a column.

    Attributes:
        unread: Examples of cells that are not valid numbers or dates; they count as missing.
        n_unread, n_filled: Numbers of rows with such cells, and of rows with any cell.
        alternative_format: A format with another decimal mark, in which the words are numbers.
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
    alternative_format: NumberFormat | None = None


def infer_formats(
    names: Sequence[str],
    get_cells: Callable[[int], DistinctCells],
    *,
    separator: str = "",
    chosen: NumberFormat | None = None,
    missing: Sequence[str] = (),
    readings: Mapping[str, ColumnReading] | None = None,
    categories: Container[int] = (),
) -> tuple[ColumnFormat, ...]:
    """Infer each column's format.

    Args:
        get_cells: Returns a column's cells by its index; they are released after use.
        chosen: Number marks chosen by the user for the whole file.
        missing: The user's additional words for missing cells in any column.
    """
    default = ColumnReading(
        None if chosen is None else chosen.decimal, None if chosen is None else chosen.thousands
    )
    unchosen, overrides = ColumnReading(), readings or {}
    choices = [overrides.get(name, unchosen).with_defaults(default) for name in names]
    readers = [
        _Reader(name, separator, "", choice, frozenset(missing))
        for name, choice in zip(names, choices, strict=True)
    ]
    formats = [each.format(get_cells(i)) for i, each in enumerate(readers)]
    # "County 0, Alabama" is not evidence for a decimal mark.
    decimal = find_file_decimal(
        each.numbers for each in formats if each.kind == "number" or each.n_unread < each.n_filled
    )
    grouping = {
        each.number_format.thousands
        for each in formats
        if each.numbers is not None and each.numbers.grouped_rows and not each.numbers.open_mark
    }
    for i, each in enumerate(formats):
        is_open = each.numbers is not None and (
            each.numbers.open_mark
            or each.reason == "lists"
            or (each.numbers.decimal_rows and each.number_format.decimal != decimal)
        )
        if decimal and is_open and readers[i].choice.number_format is None:
            second_guess = replace(readers[i], decimal=decimal).format(get_cells(i))
            guess, mark = second_guess.numbers, second_guess.number_format.thousands
            if guess is not None and mark == guess.open_mark and mark in grouping:
                # A certain grouping mark of one column applies to all columns.
                second_guess = replace(second_guess, numbers=replace(guess, open_mark=""))
            formats[i] = second_guess
    order = _find_certain_order(formats)
    for i, each in enumerate(formats):
        choice = readers[i].choice
        if order and each.date is not None and each.date.is_open and choice.order is None:
            has_short_year = "short" in each.date.format.order
            date_order = next(
                o for o in (ORDERS, SHORT_ORDERS)[has_short_year] if o.startswith(order)
            )
            dated = replace(readers[i], choice=replace(choice, order=date_order))
            formats[i] = dated.format(get_cells(i))
        if i in categories and formats[i].kind == "number" and choice.number_format is None:
            words = readers[i].find_missing_words(WORD_TOKENS)
            formats[i] = replace(
                formats[i], kind="category", reason="declared", missing_words=words
            )
    return tuple(formats)


def _find_certain_order(formats: Sequence[ColumnFormat]) -> str:
    """Return whether the dates of a file have the "day" or the "month" first; "" if unknown.

    Named months are not evidence for the order of numeric dates.
    """
    certain = {
        each.date.format.order.split("-")[0]
        for each in formats
        if each.kind == "date" and each.date is not None and not each.date.format.has_words
    } & {"day", "month"}
    return certain.pop() if len(certain) == 1 else ""


@dataclass(frozen=True)
class _Reader:
    """Context for interpreting a column, apart from its cells.

    Attributes:
        name, separator, decimal: The column's name, the file's separator, and the decimal mark of
            other columns.
        missing: The user's words for missing cells in any column.
    """

    name: str
    separator: str
    decimal: str
    choice: ColumnReading
    missing: frozenset[str]

    def find_missing_words(self, defaults: frozenset[str]) -> frozenset[str]:
        """Return the words for missing cells, if some of them are usual markers."""
        if self.choice.missing is not None:
            return frozenset(("", *self.choice.missing))
        return defaults | self.missing

    def find_missing_labels(self, texts: Texts, *, is_single: bool = False) -> frozenset[str]:
        """Return the words for missing cells among distinct words, at most one if single."""
        markers = self.find_missing_words(WORD_TOKENS)
        # Most columns have neither, so their words need not be decoded.
        n_signs = texts.find_among(SIGN_TOKENS - markers).sum()
        has_class_words = texts.find_among(CLASS_WORDS - markers).any()
        if n_signs or has_class_words:
            ignored = markers | SIGN_TOKENS
            words = [text for text in texts if text not in ignored]
            if n_signs == 1 < len(words) and all(text[0].isalnum() for text in words):
                markers |= SIGN_TOKENS
        if has_class_words:
            text_values = {word.lower() for word in words if word not in CLASS_WORDS}
            if are_both_truths(text_values):
                # R's NA, and Python's None; a none beside yes and no may be a third class.
                markers |= CLASS_WORDS if text_values == {"true", "false"} else {"NA"}
        # "null" or "?" is the only alternative.
        is_needed = is_single and sum(text not in markers for text in texts) == 1
        return self.find_missing_words(frozenset(("",)) if is_needed else markers)

    def format(self, cells: DistinctCells) -> ColumnFormat:
        result = self._format(cells)
        if result.kind != "category" or self.choice.number_format is None:
            return result
        unrestricted = replace(self.choice, decimal=None, thousands=None)
        guessed = replace(self, decimal="", choice=unrestricted)._format(cells)
        is_sure = guessed.numbers is not None and not guessed.numbers.open_mark
        is_other = guessed.number_format.decimal != self.choice.number_format.decimal
        if guessed.kind == "number" and is_sure and is_other:
            return replace(result, alternative_format=guessed.number_format)
        return result

    def _format(self, cells: DistinctCells) -> ColumnFormat:
        tokens = self.find_missing_words(MISSING_TOKENS)
        empty = cells.read_as(PLAIN, tokens).missing
        filled = ~(empty | cells.match_words(NUMBER_FILLERS))
        texts = cells.stripped.select(filled)
        counts = cells.counts[filled]
        if not texts:
            return _make_empty_format(cells, empty, self)
        order = self.choice.order
        is_free = self.choice.number_format is None
        named_dates = find_named_dates(self.name, texts) if is_free else None
        guess = guess_numbers(
            self.name,
            texts,
            counts,
            separator=self.separator,
            file_decimal=self.decimal,
            user_format=self.choice.number_format,
            plain=cells.plain_numbers[filled],
        )
        is_clock = re.fullmatch(CLOCK_WITH_WORDS, texts[0]) is not None
        if guess is not None and order is None and named_dates is None and not is_clock:
            numeric_format = _infer_number_format(cells, texts, guess, filled, self)
            if numeric_format is not None:
                return numeric_format
        if order is None and (durations := _infer_duration_format(cells, texts, filled, tokens)):
            return durations
        fallback = guess.number_format if guess is not None else self.choice.number_format or PLAIN
        dates = named_dates or guess_dates(texts, counts)
        if order is not None:
            chosen_format = DateFormat(order, dates is not None and dates.format.has_words)
            dates = DateGuess(fit_century(chosen_format, texts))
        if dates is not None and not dates.is_open:
            return _make_date_format(cells, dates, filled, fallback, tokens)
        reason: Reason = "words"
        if all(text.lower() in {"true", "false"} for text in texts):
            reason = "truth"
        markers = self.find_missing_labels(cells.stripped, is_single=len(texts) == 1)
        result = ColumnFormat("category", reason, fallback, markers, dates, guess)
        if guess is None:
            return result
        reason = "lists" if guess.is_list else "mixed-units" if guess.mixed_units else "mixed"
        is_word = np.isnan(cells.read_as(guess.number_format, MISSING_TOKENS).numbers) & filled
        return _count_unread(replace(result, reason=reason), cells, is_word, filled)


def _make_empty_format(cells: DistinctCells, empty: Flags, reader: _Reader) -> ColumnFormat:
    """Return the format of a column without certain words; ``empty``: shape (n,)."""
    tokens = reader.find_missing_words(WORD_TOKENS)
    words = {text for text in cells.stripped if text not in tokens}
    if len(words) > 1 or (words and not empty.all()):
        return ColumnFormat("category", "words", missing_words=tokens)
    return ColumnFormat("number", "empty", missing_words=reader.find_missing_words(MISSING_TOKENS))


def _infer_number_format(
    cells: DistinctCells, texts: Texts, guess: NumberGuess, filled: Flags, reader: _Reader
) -> ColumnFormat | None:
    """Return the format of numbers, or of codes that look like numbers; ``filled``: shape (n,)."""
    number_format = guess.number_format
    if guess.is_list:
        return None
    numbers = cells.read_as(number_format, MISSING_TOKENS).numbers
    is_word = filled & np.isnan(numbers)
    is_number = filled ^ is_word
    counts, word_counts = cells.counts[is_number], cells.counts[is_word]
    column_format = ColumnFormat(
        "number",
        "mostly-numbers" if is_word.any() else "numbers",
        number_format,
        reader.find_missing_words(MISSING_TOKENS),
        numbers=guess,
    )
    column_format = _count_unread(column_format, cells, is_word, filled)
    is_huge = is_number & (np.abs(numbers) > MAX_MAGNITUDE)
    if is_huge.any():
        is_power = np.array([_POWER.fullmatch(text) is not None for text in cells.stripped])
        is_huge &= is_power & (2 * is_power.sum() >= is_number.sum())  # else a sentinel
    codes: Reason | None = "hex-codes" if _are_hex(texts, is_word | is_huge) else None
    if len(texts) <= _SAMPLE_SIZE and _have_choices_as_limits(cells, number_format, is_number):
        codes = "limits"
    if codes is not None:
        words = reader.find_missing_words(WORD_TOKENS)
        return replace(column_format, kind="category", reason=codes, missing_words=words)
    if not is_mostly_valid(counts, word_counts):
        return None
    dates = find_unseparated_dates(cells.stripped.select(is_number))
    if number_format == PLAIN and is_date_name(reader.name):
        unit = guess_timestamp_unit(numbers[is_number])
        if dates is None and unit not in {None, "serial"}:
            dates = DateGuess(DateFormat(unit))
        dates = dates or find_six_digit_dates(cells.stripped.select(is_number))
    if dates is not None:
        return _make_date_format(
            cells, dates, filled, number_format, reader.find_missing_words(MISSING_TOKENS)
        )
    is_plain_digits = replace(number_format, notations=()) == PLAIN and {*BEFORE_SHAPES}.issuperset(
        number_format.notations
    )
    reason = (
        _explain_codes(cells.read_as(number_format, MISSING_TOKENS), numbers, is_number)
        if is_plain_digits
        else None
    )
    if reason is None or reason == "padded-amounts":
        return replace(column_format, reason=reason or column_format.reason)
    words = column_format.missing_words | reader.find_missing_labels(cells.stripped)
    return replace(column_format, kind="category", reason=reason, missing_words=words)


def _have_choices_as_limits(
    cells: DistinctCells, number_format: NumberFormat, is_number: Flags
) -> bool:
    """Whether some of few numbers, (n,), differ only by a limit.

    They are integers ("< 1 year" and "1 year"), or opposite limits ("ab 7,50 €", "bis 7,50 €").
    """
    if "bounds" not in number_format.notations or not number_format.plain_units:
        return False
    numbers = cells.read_as(number_format, MISSING_TOKENS).numbers[is_number]
    notations = tuple(key for key in number_format.notations if key != "bounds")
    without = replace(number_format, notations=notations)
    is_limit = np.isnan(cells.read_as(without, MISSING_TOKENS).numbers[is_number])
    limits = cells.stripped.select(np.flatnonzero(is_number)[is_limit])
    different = set(zip(map(_get_limit_sign, limits), numbers[is_limit].tolist(), strict=True))
    if len(different) > len(np.unique(numbers[is_limit])):
        return True
    return not (numbers % 1).any() and bool(np.isin(numbers[is_limit], numbers[~is_limit]).any())


def _get_limit_sign(text: str) -> str:
    """Return the sign or word before a number, in one spelling; empty for 10+."""
    match = _LIMIT.match(text)
    sign = re.sub(r"[\s=]", "", match[0]).lower() if match else ""
    return sign.translate({ord("≤"): "<", ord("≥"): ">"})


def _infer_duration_format(
    cells: DistinctCells, texts: Texts, filled: Flags, tokens: frozenset[str]
) -> ColumnFormat | None:
    """Return the format of durations, if most cells are durations; ``filled``: shape (n,)."""
    sample = texts[:_SAMPLE_SIZE]
    if 2 * sum(map(bool, map(_DURATION.fullmatch, sample))) <= len(sample):
        return None
    durations = NumberFormat(duration=True)
    is_duration = [_DURATION.fullmatch(text) is not None for text in texts]
    is_word = filled.copy()
    is_word[filled] = np.isnan(parse_numbers(texts, durations)) | ~np.array(is_duration)
    duration_counts = cells.counts[filled & ~is_word]
    if not (
        is_mostly_valid(duration_counts, cells.counts[is_word])
        and any(map(_CLEAR_DURATION.fullmatch, texts))
    ):
        return None
    return _count_unread(
        ColumnFormat("number", "durations", durations, tokens), cells, is_word, filled
    )


def _explain_codes(cells: DistinctCells, numbers: Floats, readable: Flags) -> Reason | None:
    """Return why digit strings seem to be codes, or padded amounts; arrays of shape (n,)."""
    exact = cells.stripped.select(readable)
    if _are_padded_chapters(exact, cells.counts[readable]):
        return "padded-codes"
    if np.any(readable & (numbers != np.floor(numbers))):
        return "versions" if _are_versions(exact, cells.counts[readable]) else None
    if cells.number_format.pairs:
        exact = Texts.from_distinct(apply_pairs(exact, cells.number_format.pairs))
    text = exact.join_lines()
    if _PHONES.fullmatch(text):
        return "padded-codes"
    if not text.replace("\n", "").replace("-", "").isdigit():
        return None
    if re.search("\n0[0-9]", f"\n{text}"):
        amounts = _look_like_amounts(exact, numbers[readable], cells.counts[readable])
        return "padded-amounts" if amounts else "padded-codes"
    n_long = int(cells.counts[readable & (np.abs(numbers) >= MAX_EXACT_INTEGER)].sum())
    return "long-numbers" if 2 * n_long > int(cells.counts[readable].sum()) else None


def _make_date_format(
    cells: DistinctCells,
    dates: DateGuess,
    filled: Flags,
    fallback: NumberFormat,
    tokens: frozenset[str],
) -> ColumnFormat:
    invalid = filled & np.isnan(cells.parse_dates(dates.format))
    return _count_unread(
        ColumnFormat("date", "dates", fallback, tokens, dates), cells, invalid, filled
    )


def _count_unread(
    column_format: ColumnFormat, cells: DistinctCells, words: Flags, filled: Flags
) -> ColumnFormat:
    """Return a format with the numbers of filled cells and of words, masks of shape (n,)."""
    return replace(
        column_format,
        unread=tuple(cells.stripped.select(np.flatnonzero(words)[:3])),
        n_unread=int(cells.counts[words].sum()),
        n_filled=int(cells.counts[filled].sum()),
    )


def _are_hex(texts: Texts, no_number: Flags) -> bool:
    """Whether cells such as 5E1, next to 7f3a or 3e44, are hexadecimal; flags: (n,)."""
    text = texts.join_lines() if no_number.any() else ""
    powers = re.search("^[0-9].*e", text, re.MULTILINE | re.IGNORECASE)
    return powers is not None and all(map(str.isalnum, texts))


def _are_versions(texts: Texts, counts: Integers) -> bool:
    """Whether 1.9 and 1.10 are versions or chapters rather than decimals; counts: shape (k,).

    If two programs wrote decimals, with and without trailing zeros, most numbers occur in both
    spellings, and two decimals range up to 99. Versions have 10, 11, 12, and only 1.1 has a 1.10.
    Numbers with two spellings are not proper numbers.
    """
    if len(texts) > _MAX_VERSIONS or not all(map(_VERSION.fullmatch, texts)):
        return False
    if len(texts) == 2 and texts[0] in (f"{texts[1]}0", texts[1].removesuffix("0")):
        return texts[1][-3:-2] == "." or texts[0][-3:-2] == "."
    rows = dict(zip(texts, counts.tolist(), strict=True))
    long = sum(n for text, n in rows.items() if text[-1] == "0" and text[-3:-2] == ".")
    short = {text: n for text, n in rows.items() if text[-2:-1] == "."}
    single = sum(n for text, n in short.items() if f"{text}0" not in rows)
    two_digit_endings = {int(text[-2:]) for text in rows if text[-3:-2] == "."}
    if not long or not single or 2 * len(two_digit_endings) < max(two_digit_endings) - 9:
        return False
    chance: float = (1 - long / (long + sum(short.values()))) ** single
    return chance < _MAX_CHANCE


def _are_padded_chapters(texts: Texts, counts: Integers) -> bool:
    """Whether repeated cells such as 01.1, 10.1 and 62.0 are padded codes; counts: shape (k,).

    Unlike measurements of a fixed width, they differ in length, or most groups are numbered from 1
    or undivided (0), or most codes have no neighbour. Prices (09.90) and times (08.15) end in 0, 5
    or 9.
    """
    if not (
        _MIN_CHAPTER_ROWS * len(texts) <= counts.sum()
        and all(map(_CHAPTER.fullmatch, texts))
        and any(text[0] == "0" for text in texts)
        and len({text.index(".") for text in texts}) == 1
    ):
        return False
    if len({len(text) for text in texts}) > 1:
        return True
    groups: dict[str, str] = {}
    for text in texts:
        groups[text[:-1]] = groups.get(text[:-1], "") + text[-1]
    n_from_first = sum(last == "0" or ("1" in last and "0" not in last) for last in groups.values())
    if 2 * n_from_first > len(groups) and any({"1", "2"} <= {*last} for last in groups.values()):
        return True
    if texts[0][-2] != "." and {text[-1] for text in texts} <= {*"059"}:
        return False
    steps = np.diff(sorted(int(text.replace(".", "")) for text in texts))
    gaps = steps > np.gcd.reduce(steps)
    return bool(2 * np.sum(np.append(gaps, True) & np.append(True, gaps)) > len(texts))


def _look_like_amounts(texts: Sequence[str], numbers: Floats, counts: Integers) -> bool:
    """Whether zero-padded digits are amounts rather than codes, by the cells alone.

    Codes are spread over the range of their digits: of consecutive numbers below 10,000, one in a
    hundred is below 100. Amounts are concentrated at the lower end, and there are many of them.
    Both arrays have the shape (n,).
    """
    if len(set(map(len, texts))) > 1 or len(numbers) < _MIN_AMOUNTS:
        return False
    filled = numbers > 0
    n_small = counts[filled & (numbers < numbers.max() / 100)].sum()
    return bool(n_small >= _SMALL_AMOUNTS * counts[filled].sum())
