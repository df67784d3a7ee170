"""Findings about a column's numbers, and about treated values."""

import math
import re
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from functools import partial

import numpy as np

from studio.data import remedies
from studio.data.column import ColumnKind
from studio.data.date_guess import DATE_LIKE
from studio.data.dates import SECONDS_PER_DAY, format_date
from studio.data.description import ColumnDescription, ColumnRemedy, Finding
from studio.data.distinct import DistinctCells
from studio.data.notations import NOTATIONS
from studio.data.numbers import (
    MAX_EXACT_INTEGER,
    MAX_MAGNITUDE,
    NumberFormat,
    apply_pairs,
    clip_numbers,
)
from studio.data.outliers import find_outliers, find_placeholder_dates, find_survey_codes
from studio.data.treatments import MergeRareLabels, MergeSimilarLabels, Treatment, make_rare_name
from studio.phrases import count_phrase, join_phrases, join_quoted, phrase

_MIN_NUMBER_CELLS, _N_SAMPLED_CELLS = 10, 1000
_SHAPES, _MIN_SHARE = 5, 0.9  # common patterns, and their minimum share

_NUMBER = re.compile(
    r"[0-9]+(?:(?:,[0-9]{3})*(?:\.[0-9]+)?|(?:[.' ][0-9]{3})*(?:,[0-9]+)?)(?![.,]?[0-9])"
)
_FRACTION = re.compile(r"[0-9][.,][0-9]")
_SINGLE_NUMBER = re.compile(r"[^\w\s]{0,2}0[^0-9]*|[(\[]?-?0[,; ]+-?0[)\]]?")
_SEVERAL_NUMBERS = re.compile(r"[^\w\s(]?0[^0]*[a-z±°'\"′″×/($€£][^0]*0")

_RANGE = re.compile(
    r"(?!.*(?:[0-9]{4}-|-[0-9]{4}))([0-9]+(?:[.,][0-9]+)?)\s?[-–—]\s?([0-9]+(?:[.,][0-9]+)?)"
)
"""Ranges such as 38 - 89; 555-1234 is a telephone number."""

_MIN_CODE, _ROUNDED_CODE = 1e11, re.compile(r"[1-9](?:[.,][0-9]{1,5})?E\+1[1-9]")
"""The smallest number that Excel rounds to six digits, and such a number."""

_SHOWN_COLUMNS, _SHOWN_CHARACTERS = 5, 40  # maximum number of columns listed, and length of a name
_MAX_LISTED_NUMBERS = 3  # maximum number of treated values listed


def find_limits(cells: DistinctCells) -> list[Finding]:
    """Return the note that cells such as <0.3 and >15 are read as these limits."""
    if "bounds" not in cells.number_format.notations:
        return []
    without = apply_pairs(cells.stripped, NOTATIONS["bounds"].pairs)
    pairs = zip(cells.stripped, without, ~np.isnan(cells.numbers), strict=True)
    is_limit = np.array([number and text != rest for text, rest, number in pairs], dtype=np.bool_)
    examples = cells.stripped.select(is_limit)[:3]
    if not examples:
        return []
    sentence = count_phrase(
        "1 of {n_rows:,} cells is a limit ({listed}); it is read as the limit itself.",
        "{count:,} of {n_rows:,} cells are limits ({listed}); each is read as the limit itself.",
        int(cells.counts[is_limit].sum()),
        n_rows=len(cells.codes),
        listed=join_quoted(text[:_SHOWN_CHARACTERS] for text in examples),
    )
    return [Finding("unclear-numbers", "done", sentence, remedies.read_as_words(cells))]


def _check_rounded_codes(cells: DistinctCells) -> list[Finding]:
    """Ask about codes rounded by a spreadsheet: 4.00638E+12 for an EAN of 13 digits.

    All numbers have the length of codes, and the rounded ones at most two lengths.
    """
    first = cells.numbers[:_N_SAMPLED_CELLS]
    if not (first >= _MIN_CODE).any() or ((first > 0) & (first < _MIN_CODE)).any():
        return []
    texts = cells.stripped.select(cells.numbers > 0).to_list()
    rounded = [text for text in texts if _ROUNDED_CODE.fullmatch(text)]
    others_are_whole = all(map(str.isdigit, {*texts} - {*rounded}))
    if not rounded or len({text[-2:] for text in rounded}) > 2 or not others_are_whole:
        return []
    sentence = phrase(
        "A spreadsheet has rounded its numbers, as in {example!r}, so different codes may look "
        "alike. Export the file again with this column as text, or ignore the column.",
        example=rounded[0],
    )
    return [Finding("long-numbers", "decide", sentence, (remedies.EXCLUDE,))]


def check_precision(cells: DistinctCells) -> list[Finding]:
    """Warn of numbers that cannot be represented exactly."""
    numbers = cells.numbers
    if findings := _check_rounded_codes(cells):
        return findings
    if not len(numbers) or (
        numbers.min() > -MAX_EXACT_INTEGER and numbers.max() < MAX_EXACT_INTEGER
    ):
        return []
    findings = []
    n_infinite = int(cells.counts[np.isinf(numbers)].sum())
    finite = np.where(np.isfinite(numbers), np.abs(numbers), 0.0)
    n_huge = int(cells.counts[finite > MAX_MAGNITUDE].sum())
    if n_infinite:
        sentence = count_phrase(
            "1 cell is infinite or too large for a number; it counts as missing.",
            "{count:,} cells are infinite or too large for a number; they count as missing.",
            n_infinite,
        )
        findings.append(Finding("infinite", "done", sentence))
    if n_huge:
        sentence = count_phrase(
            "1 cell lies beyond ±{limit:g}; it is clipped to ±{limit:g}.",
            "{count:,} cells lie beyond ±{limit:g}; they are clipped to ±{limit:g}.",
            n_huge,
            limit=MAX_MAGNITUDE,
        )
        findings.append(Finding("huge-numbers", "done", sentence))
    is_rounded = (finite >= MAX_EXACT_INTEGER) & (finite <= MAX_MAGNITUDE)
    rounded = np.flatnonzero(is_rounded).tolist()
    if any(cells.texts[i].strip().lstrip("+-").isdigit() for i in rounded):
        sentence = phrase(
            "It contains whole numbers from 2⁵³ (9,007,199,254,740,992) upwards, which are "
            "rounded to about 15 digits. If they are codes or account numbers, ignore the column."
        )
        findings.append(Finding("long-numbers", "decide", sentence, (remedies.EXCLUDE,)))
    return findings


def find_other_decimal_mark(cells: DistinctCells, other_format: NumberFormat) -> Finding:
    """Warn of words that are numbers with another decimal mark than the chosen one."""
    mark = other_format.decimal
    example = next((text for text in cells.stripped if mark in text), "")[:_SHOWN_CHARACTERS]
    sentence = (
        phrase(
            "Its numbers are written with a decimal comma, as in {example!r}, but the chosen "
            "decimal mark is a point, so they are words. Choose “,” as the decimal mark on the "
            "Data page, or --decimal , on the command line.",
            example=example,
        )
        if mark == ","
        else phrase(
            "Its numbers are written with a decimal point, as in {example!r}, but the chosen "
            "decimal mark is a comma, so they are words. Choose “.” as the decimal mark on the "
            "Data page, or --decimal . on the command line.",
            example=example,
        )
    )
    return Finding(
        "decimal-mark", "decide", sentence, remedies.read_with_other_marks(cells, other_format)
    )


def check_notation(cells: DistinctCells) -> list[Finding]:
    """Warn of words with numbers in an unsupported notation: 5 ft 11 in, 12.5 ± 0.3.

    They have the same pattern and begin with a number; codes have no fractions, and no words or
    signs between numbers. Possible dates have a separate finding.
    """
    filled = ~cells.missing
    texts = cells.stripped.select(filled)[:_N_SAMPLED_CELLS].to_list()
    if all(map(DATE_LIKE.fullmatch, texts)):
        return []
    shapes = Counter(_NUMBER.sub("0", text) for text in texts)
    common_shapes = [shape for shape, _ in shapes.most_common(_SHAPES)]
    if len(texts) < _MIN_NUMBER_CELLS or sum(
        shapes[shape] for shape in common_shapes
    ) < _MIN_SHARE * len(texts):
        return []
    has_several = (
        all(map(_SEVERAL_NUMBERS.match, common_shapes))
        or common_shapes == ["(0)"]
        or _are_overlapping_ranges(texts)
    )
    has_fractions = 2 * sum(map(bool, map(_FRACTION.search, texts))) > len(texts)
    if not has_several and not (
        has_fractions and all(map(_SINGLE_NUMBER.fullmatch, common_shapes))
    ):
        return []
    sentence = phrase(
        "Its cells hold numbers in a way that cannot be read ({listed}), so they are words. Write "
        "one number in each cell, in the same unit.",
        listed=join_quoted(text[:_SHOWN_CHARACTERS] for text in texts[:3]),
    )
    return [Finding("unread-numbers", "decide", sentence)]


def _are_overlapping_ranges(texts: Sequence[str]) -> bool:
    """Whether cells are ranges from low to high numbers, rather than classes such as 18-24."""
    matches = [*map(_RANGE.fullmatch, texts)]
    if not all(matches):
        return False
    ends = [[float(end.replace(",", ".")) for end in match.groups()] for match in matches if match]
    low, high = np.array(sorted(ends)).T
    return bool((low <= high).all() and (low[1:] < high[:-1]).any())


def check_outliers(cells: DistinctCells, kind: ColumnKind, *, is_target: bool) -> list[Finding]:
    """Warn of numbers or dates far from all others; those of the target cannot be limited."""
    if kind == "date":
        return _check_placeholder_dates(cells)
    values, level_codes = cells.levels
    rows_of_value = np.bincount(level_codes + 1, cells.counts, len(values) + 1)[1:]
    outliers = find_outliers(values, rows_of_value) or find_survey_codes(values, rows_of_value)
    if not outliers:
        return []
    extremes = [value for each in outliers for value in each.codes or (each.extreme,)]
    listing = join_phrases([phrase("{value:,.8g}", value=value) for value in extremes], ", ")
    rows = sum(each.n_rows for each in outliers)
    inner_range = {"low": float(values[0]), "high": float(values[-1])}
    inner_range |= {"high" if each.is_upper else "low": each.nearest for each in outliers}
    has_codes = any(each.codes for each in outliers)
    choices = remedies.treat_outliers(outliers, clips=not is_target and not has_codes)
    slots: dict[str, object] = {"listed": listing, "count": rows, **inner_range}
    if any(each.is_doubtful for each in outliers):
        sentence = phrase(
            "{listed} in {count:,} rows may be a code such as “unknown”: the other numbers lie "
            "between {low:,.8g} and {high:,.8g}. Make it missing unless it is a real number.",
            **slots,
        )
        return [Finding("far-values", "idea", sentence, choices)]
    if all(each.is_sentinel for each in outliers):
        sentence = phrase(
            "{listed} in {count:,} rows probably means “missing”: the other numbers lie between "
            "{low:,.8g} and {high:,.8g}. Make it missing unless it is a real number.",
            **slots,
        )
        return [Finding("far-values", "decide", sentence, choices)]
    sentence = count_phrase(
        "1 value ({listed}) is far from all others, which lie between {low:,.8g} and {high:,.8g}.",
        "{count:,} values ({listed}) are far from all others, which lie between {low:,.8g} and "
        "{high:,.8g}.",
        rows,
        listed=listing,
        **inner_range,
    )
    return [Finding("far-values", "idea", sentence, choices)]


def _check_placeholder_dates(cells: DistinctCells) -> list[Finding]:
    """Ask about repeated dates far from all others: 1900-01-01."""
    days = cells.parse_dates() / SECONDS_PER_DAY
    is_known = ~np.isnan(days)
    distinct, date_codes = np.unique(days[is_known], return_inverse=True)
    rows = np.bincount(date_codes, weights=cells.counts[is_known], minlength=len(distinct))
    placeholders = find_placeholder_dates(distinct, rows)
    if not placeholders:
        return []
    other_days = np.setdiff1d(distinct, placeholders)
    is_placeholder = np.isin(days, placeholders)
    write = partial(format_date, cells.date_style)
    sentence = phrase(
        "{listed} in {count:,} rows probably means “missing”: the other dates lie between {low} "
        "and {high}. Make it missing unless it is a date.",
        listed=join_quoted(map(write, placeholders)),
        count=int(cells.counts[is_placeholder].sum()),
        low=write(float(other_days[0])),
        high=write(float(other_days[-1])),
    )
    return [Finding("far-values", "decide", sentence, remedies.remove_words(cells, is_placeholder))]


def check_treatment(cells: DistinctCells, kind: ColumnKind, treated: Treatment) -> list[Finding]:
    """Return findings about treated values, and how to revert the treatment."""
    restore = (ColumnRemedy("treatment", "", phrase("Its original values are restored.")),)
    if isinstance(treated, MergeSimilarLabels):
        sentence = phrase(
            "Labels that differ by case, spaces, width or a final full stop only, other forms of "
            "the same label, and rare misspellings are merged."
        )
        return [Finding("treated", "done", sentence, restore)] if kind == "category" else []
    if isinstance(treated, MergeRareLabels):
        if kind != "category":
            return []
        sentence = phrase(
            "Values in fewer than {rows} rows are merged into “{rare}”.",
            rows=treated.rows,
            rare=make_rare_name(cells.known_labels[0]),
        )
        return [Finding("treated", "done", sentence, restore)]
    if kind != "number":
        return []
    values = clip_numbers(cells.numbers)
    is_beyond = (values < treated.low) | (values > treated.high)
    n_beyond, beyond = int(cells.counts[is_beyond].sum()), np.unique(values[is_beyond])
    limits = {"low": treated.low, "high": treated.high}
    if math.isinf(treated.low):
        location = phrase("above {high:,.8g}", high=treated.high)
    elif math.isinf(treated.high):
        location = phrase("below {low:,.8g}", low=treated.low)
    else:
        location = phrase("below {low:,.8g} or above {high:,.8g}", **limits)
    rows = phrase("1 row") if n_beyond == 1 else phrase("{rows:,} rows", rows=n_beyond)
    if treated.beyond != "missing":
        sentence = phrase(
            "Numbers {where} are set to that limit ({rows}).", where=location, rows=rows
        )
    elif 0 < len(beyond) <= _MAX_LISTED_NUMBERS:
        sentence = count_phrase(
            "{listed} ({rows}) counts as missing, as does every number {where}.",
            "{listed} ({rows}) count as missing, as does every number {where}.",
            len(beyond),
            listed=join_phrases([phrase("{value:,.8g}", value=each) for each in beyond], ", "),
            rows=rows,
            where=location,
        )
    else:
        sentence = phrase("Numbers {where} count as missing ({rows}).", where=location, rows=rows)
    return [Finding("treated", "done", sentence, restore)]


def check_missing_words(
    columns: Sequence[ColumnDescription], labels: Mapping[str, Container[str]]
) -> list[Finding]:
    """Return findings about words read as missing, which may be labels in other columns."""
    columns_of_word: dict[str, list[str]] = {}
    for column in columns:
        for word in column.missing_words if column.role != "ignore" else ():
            columns_of_word.setdefault(word, []).append(column.name)
    return [
        Finding(
            "missing-words",
            "done",
            _describe_missing_word(word, names, [each for each in labels if word in labels[each]]),
            (),
            tuple(names),
        )
        for word, names in columns_of_word.items()
    ]


def _describe_missing_word(word: str, names: Sequence[str], others: Sequence[str]) -> str:
    def join_names(columns: Sequence[str]) -> str:
        return join_quoted((name[:_SHOWN_CHARACTERS] for name in columns), _SHOWN_COLUMNS)

    shown_word = word[:_SHOWN_CHARACTERS]
    if len(names) == 1:
        sentence = phrase("{word!r} is read as missing.", word=shown_word)
    else:
        sentence = phrase(
            "{word!r} is read as missing in {count:,} columns ({listed}).",
            word=shown_word,
            count=len(names),
            listed=join_names(names),
        )
    if not others:
        return sentence
    label_sentence = phrase(
        "In columns of words it remains a label ({listed}).", listed=join_names(others)
    )
    return join_phrases((sentence, label_sentence))
