"""Parsing of numbers and durations in input fields, by the same rules everywhere."""

import math
import re

from studio.language import localise_number

_GROUPED_NUMBER = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?")


def parse_localised_number(text: str) -> float:
    """Parse a number; commas and spaces are separators according to the language.

    "1,500" is 1500 in English and 1.5 in French; "1,5" is 1.5 in both, "1 500" is 1500.

    Raises:
        ValueError: If it is not a number, or not finite.
    """
    normalised = re.sub(r"(?<=\d)\s(?=\d)", "", text.strip()).replace("−", "-")
    if _GROUPED_NUMBER.fullmatch(normalised) and localise_number(",") == ",":
        normalised = normalised.replace(",", "")
    number = float(normalised.replace(",", "."))
    if not math.isfinite(number):
        raise ValueError
    return number


_SECONDS = {"s": 1, "sec": 1, "m": 60, "mn": 60, "min": 60, "h": 3600, "hr": 3600}
"""Seconds per unit or abbreviation in a duration; full words are looked up by first letter."""

_UNIT_WORD = re.compile(r"(s|sec|second|seconde|m|mn|min|minute|h|hr|hour|heure)s?\.?")
_PART = re.compile(r"([\d.,\s\u202f]+)\s*([a-z]+\.?)?(?:\s*(?:,|and\b|et\b))?\s*")


def parse_duration(text: str, unit: str = "s") -> float:
    """Parse a duration: "40 s", "2 min", "1:30", "1 h 20 min", "1h20", or a plain number.

    Args:
        unit: The unit of a plain number, and of the result: "s", "min" or "h".

    Raises:
        ValueError: If it is not a duration, or not positive.
    """
    normalised = text.strip().lower()
    seconds = _parse_clock(normalised) if ":" in normalised else _sum_parts(normalised, unit)
    if not seconds > 0:
        raise ValueError
    return seconds / _SECONDS[unit]


def _parse_clock(text: str) -> float:
    """Return the seconds of "1:30" or "1:02:30"."""
    numbers = text.split(":")
    if len(numbers) > 3 or not all(each.isdecimal() for each in numbers):
        raise ValueError
    values = list(map(int, numbers))
    if max(values[1:]) >= 60:
        raise ValueError
    return float(sum(value * 60**exponent for exponent, value in enumerate(reversed(values))))


def _sum_parts(text: str, unit: str) -> float:
    """Return the seconds of parts in descending units; a final bare number has the next unit."""
    seconds, exponent, previous_scale = 0.0, 0, math.inf
    while exponent < len(text):
        part = _PART.match(text, exponent)
        if part is None:
            raise ValueError
        amount, word = part.groups()
        if word is not None:
            scale = _get_scale(word)
        elif exponent == 0 and part.end() == len(text):
            scale = _SECONDS[unit]
        else:
            scale = int(previous_scale) // 60 if previous_scale < math.inf else 0
        if not 1 <= scale < previous_scale:
            raise ValueError
        value = parse_localised_number(amount)
        if value < 0:
            raise ValueError
        seconds += value * scale
        exponent, previous_scale = part.end(), scale
    return seconds


def _get_scale(word: str) -> int:
    unit_word = _UNIT_WORD.fullmatch(word)
    if unit_word is None:
        raise ValueError
    unit = unit_word[1]
    return _SECONDS[unit] if unit in _SECONDS else _SECONDS[unit[0]]
