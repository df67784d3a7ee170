"""Labels of categories and classes, and the lookup of a cell's label.

In a column of words or codes every spelling is a separate label, as written: 01 is not 1, 250.1 not
250.10. Only Unicode composition (NFC), blanks and invisible characters are normalised. A cell of a
new table is assigned
1. the label with this spelling, else 2. the only label with the same number (1.0 where 1 is known,
since pandas and Excel reformat whole columns), but neither of two such labels, else 3. none.

TRUE, True and true are equivalent if only one of them is known; 1 and 0 also match them if there is
no other label. The rules are two dictionaries (:class:`LabelKeys`), so an exported pickle behaves
identically with pandas alone.
"""

import math
import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from studio.arrays import Floats, Integers
from studio.data.numbers import MAX_EXACT_INTEGER, MAX_MAGNITUDE, PLAIN, NumberFormat, parse_numbers
from studio.data.texts import Texts

BOOLEAN_WORDS = ("true", "false")

INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200e\u200f\u2060\ufeff"))
"""Characters without width, for ``str.translate``; joiners shape letters, so they remain."""

_MICRO = str.maketrans("\u00b5\u03bc", "\u03bc\u00b5")

_DIGIT_BOUNDS = ("-", ":")  # characters between these by code point begin a canonical number


def normalise_label(text: str) -> str:
    """Normalise a cell to a label: composed (NFC), visible, with single blanks inside."""
    label = " ".join(text.translate(INVISIBLE).split())
    return label if label.isascii() else unicodedata.normalize("NFC", label)


def format_number_label(number: float) -> str:
    """Return a number's canonical label (not NaN): digits if whole, else 15 significant digits.

    Numbers beyond ±:data:`MAX_MAGNITUDE` have the label of the limit, as in columns of numbers.
    """
    if math.isfinite(number):
        if abs(number) <= MAX_EXACT_INTEGER and number == int(number):
            return str(int(number))
        number = min(max(number, -MAX_MAGNITUDE), MAX_MAGNITUDE)
    return f"{number:.15g}"


def round_significant(numbers: Floats) -> Floats:
    """Round numbers, (n,), to 15 digits, common to all readers; clip them like numeric columns."""
    clipped = np.clip(numbers, -MAX_MAGNITUDE, MAX_MAGNITUDE).tolist()
    return np.array([float(f"{number:.15g}") for number in clipped], dtype=np.float64)


@dataclass(frozen=True)
class LabelKeys:
    """Lookup of a label's code: by the labels in order, and by labels merged into them."""

    categories: Sequence[str]
    merged: Sequence[tuple[str, str]] = ()
    number_format: NumberFormat = PLAIN

    @cached_property
    def _codes(self) -> dict[str, int]:
        codes = {category: code for code, category in enumerate(self.categories)}
        return codes | {label: codes[category_of] for label, category_of in self.merged}

    @cached_property
    def codes_by_spelling(self) -> Mapping[str, int]:
        """The code of each spelling."""
        codes = self._codes
        composed = [label for label in codes if not label.isascii()]
        # The micro sign and the Greek letter look alike.
        words = {label.translate(_MICRO): codes[label] for label in composed}
        words |= {unicodedata.normalize("NFD", label): codes[label] for label in composed} | codes
        booleans = [label for label in codes if label.lower() in BOOLEAN_WORDS]
        spelling_counts = Counter(map(str.lower, booleans))
        for label in booleans:
            if spelling_counts[label.lower()] == 1:
                variants = (label.lower(), label.upper(), label.capitalize())
                words |= dict.fromkeys(variants, codes[label])
        return words

    @cached_property
    def numbers(self) -> Mapping[float, int]:
        """The code of each number with a single label."""
        codes = self._codes
        labels = list(codes)
        numbers = parse_numbers(labels, self.number_format)
        # Infinite labels are words, as no numeric column contains them.
        is_finite = np.isfinite(numbers)
        keys = round_significant(numbers[is_finite]).tolist()
        codes_of: dict[float, set[int]] = {}
        for key, i in zip(keys, np.flatnonzero(is_finite).tolist(), strict=True):
            codes_of.setdefault(key, set()).add(codes[labels[i]])
        booleans = {label.lower(): codes[label] for label in labels}
        if booleans.keys() == {*BOOLEAN_WORDS} and len(labels) == len(booleans):
            return {1.0: booleans["true"], 0.0: booleans["false"]}
        return {key: each.pop() for key, each in codes_of.items() if len(each) == 1}

    def encode(self, labels: Sequence[str | None]) -> list[int]:
        """Return the codes of labels, length n; -1 for unknown labels and ``None``."""
        words = self.codes_by_spelling
        codes = [-1 if label is None else words.get(label, -1) for label in labels]
        unmatched = [i for i, code in enumerate(codes) if code < 0 and labels[i] is not None]
        if unmatched and self.numbers:
            numbers = parse_numbers([labels[i] or "" for i in unmatched], self.number_format)
            is_finite = np.isfinite(numbers)
            keys = round_significant(np.where(is_finite, numbers, 0.0)).tolist()
            for i, key, is_number in zip(unmatched, keys, is_finite.tolist(), strict=True):
                if is_number:
                    codes[i] = self.numbers.get(key, -1)
        return codes


def sort_labels(distinct: Iterable[str]) -> tuple[str, ...]:
    """Sort distinct labels: numbers by value first, then words by code point."""
    labels = Texts.from_distinct(list(dict.fromkeys(distinct)))
    return tuple(labels.select(rank_labels(labels)))


def rank_labels(labels: Texts) -> Integers:
    """Return the ranks of distinct labels, (k,): numbers by value, then words by code point."""
    sorted_indices = labels.sort_indices()
    sorted_labels = labels.select(sorted_indices)
    first, last = (bisect_left(sorted_labels, bound) for bound in _DIGIT_BOUNDS)
    numbers = np.array(list(map(_find_number, sorted_labels[first:last])), dtype=np.float64)
    is_word = np.ones(len(labels), dtype=np.bool_)
    is_word[first:last] = np.isnan(numbers)
    by_value = np.argsort(numbers, kind="stable")[: int((~is_word).sum())]
    return np.concatenate([sorted_indices[first:last][by_value], sorted_indices[is_word]])


def _find_number(label: str) -> float:
    """Return the number of a label as it is usually written ("1", not "1.0"); otherwise NaN."""
    # float() also parses words such as "1_0".
    try:
        number = float(label)
    except ValueError:
        return np.nan
    return number if format_number_label(number) == label else np.nan


def to_whole_numbers(distinct: Sequence[str]) -> list[int] | None:
    """Return labels as integers if all are integers, else ``None``."""
    if not all(label.lstrip("-").isascii() and label.lstrip("-").isdigit() for label in distinct):
        return None
    numbers = [int(label) for label in distinct]
    return numbers if [str(number) for number in numbers] == list(distinct) and numbers else None


def normalise_spelling(label: str) -> str:
    """Return a label normalised for case, blanks or signs between words, width and full stop."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", label).casefold())
    folded = _BETWEEN_WORDS.sub("", folded)
    spelling = "".join(
        each for each in folded if not each.isspace() and unicodedata.category(each) != "Cf"
    )
    return spelling.rstrip(".") or spelling


_BETWEEN_WORDS = re.compile(r"(?<=[^\W\d_]{2})[-_](?=[^\W\d_]{2})")

_MIN_LETTERS, _MIN_FREQUENT_ROWS, _MAX_RARE_SHARE = 5, 20, 0.05
"""Minimum number of letters of a word with a typing error, minimum rows of the correct word, and
maximum row count of the misspelling relative to it.
"""

_MAX_LENGTH = 200  # maximum length of compared labels: the cost is quadratic in the length


def find_misspellings(labels: Sequence[str], rows: Sequence[int]) -> tuple[tuple[str, str], ...]:
    """Return rare labels, each with a frequent label that differs by one typing error.

    A letter is missing, added, wrong or swapped with its neighbour; codes with digits are excluded,
    and so are pairs that differ at their ends: asymptomatic, niña.
    """
    spellings = map(normalise_spelling, labels)
    words = [
        (label, n, spelling_key)
        for label, n, spelling_key in zip(labels, rows, spellings, strict=True)
        if len(spelling_key) <= _MAX_LENGTH and spelling_key.isalpha()
    ]
    frequent: dict[str, tuple[str, int]] = {}
    for label, n, spelling_key in words:
        if n >= _MIN_FREQUENT_ROWS and len(spelling_key) >= _MIN_LETTERS:
            for each in _generate_deletions(spelling_key):
                frequent.setdefault(each, (label, n))
    pairs = []
    for label, n, spelling_key in words:
        similar = {frequent[each] for each in _generate_deletions(spelling_key) if each in frequent}
        pairs += [
            (label, other)
            for other, n_rows in sorted(similar)
            if n <= _MAX_RARE_SHARE * n_rows
            and _is_typing_error(spelling_key, normalise_spelling(other))
        ][:1]
    return tuple(pairs)


def _generate_deletions(word: str) -> set[str]:
    return {word, *(word[:i] + word[i + 1 :] for i in range(len(word)))}


def _is_typing_error(one: str, other: str) -> bool:
    pairs = enumerate(zip(one, other, strict=False))
    start = next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))
    first, second = one[start:], other[start:]
    is_wrong = first[1:] == second[1:] != ""
    is_missing = first[1:] == second or first == second[1:]
    is_swapped = first[:2] == second[1::-1] and first[2:] == second[2:]
    return first != second and (is_swapped or (start > 0 and (is_wrong or is_missing)))


_MIN_CODE = 4  # minimum number of digits of codes that may have lost leading zeros

TRUTHS = {
    word: str(truth)
    for truth, words in (
        (True, "true t 1 yes y ja j oui o sí si s sim tak evet да"),
        (False, "false f 0 no n nein non não nao nie hayır нет"),
    )
    for word in words.split()
}
"""The truth values of words, in lower case, of several languages."""


_LETTER_PAIRS = ({"y", "n"}, {"j", "n"}, {"t", "f"})


def are_both_truths(words: Set[str]) -> bool:
    """Return whether words in lower case are yes and no; N and S may be north and south."""
    has_letter = any(len(word) == 1 and word.isalpha() for word in words)
    return {TRUTHS.get(word) for word in words} == {*TRUTHS.values()} and (
        not has_letter or words in _LETTER_PAIRS
    )


def group_similar_labels(labels: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """Return the groups of similar but unequal labels, each in the given order.

    If all labels consist of digits, 01067 and 1067 are also similar (but not 01 and 1); if all are
    truth values, so are TRUE and 1, and no and N.
    """
    spellings = {label: normalise_spelling(label) for label in labels}
    are_truths = TRUTHS.keys() >= {*spellings.values()}
    are_numbers = all(map(str.isdigit, spellings.values()))
    groups: dict[str, dict[str, None]] = {}
    for label, spelling in spellings.items():
        key = spelling.lstrip("0") if are_numbers and len(spelling) >= _MIN_CODE else spelling
        groups.setdefault(TRUTHS[spelling] if are_truths else key, {})[label] = None
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)
