"""Formatting and parsing of hyperparameter values."""

import math
import re
from collections.abc import Sequence
from contextlib import suppress

from studio.errors import SpaceError
from studio.gui.base.number_parsing import parse_localised_number
from studio.gui.session.learner_names import format_named_value
from studio.language import N_, localise_number, tr, translate
from studio.space.base import Condition, Parameter, format_plain_number, join_values
from studio.space.choices import Boolean, Categorical, Constant
from studio.space.ranges import Float, Integer
from studio.trial import Value

RANGE_SEPARATOR = " … "
"""Separator of the ends of a range."""

_NUMBER_PATTERN = r"[+-]?(?:\d[\d\s]*(?:[.,]\d+)*|[.,]\d+)(?:e[+-]?\d+)?"
_ELLIPSIS_PATTERN = r"…|\.{2,}"
_DASH_PATTERN = r"[-–—−;:]|,\s"
_RANGE_TEMPLATE = N_("from {low} to {high}")
"""Words accepted in a typed range, in addition to the symbols."""

_MAX_INPUT_LENGTH = 60
_PLAIN_LIMIT = 1e6
_YES, _NO = N_("yes"), N_("no")
SCALE_NAMES = {False: N_("linear"), True: N_("log")}


def format_number(number: float) -> str:
    """Format a number for editing: all significant digits, 1e-5 rather than 1e-05."""
    text = repr(number) if isinstance(number, float) and number != round(number, 6) else None
    if text is None or abs(number) >= 1e16:
        text = format_plain_number(number)
        if float(text) != number:
            text = repr(number)
    return _shorten_exponent(text)


def format_short_number(number: float) -> str:
    """Format a number for display: three significant digits, in the current language."""
    if isinstance(number, int) or (math.isfinite(number) and number == int(number)):
        return localise_number(format_number(number))
    text = f"{number:.3g}"
    if "e" in text and 1 <= abs(number) < _PLAIN_LIMIT:
        return str(round(float(text)))
    return localise_number(_shorten_exponent(text))


def _shorten_exponent(text: str) -> str:
    return re.sub(r"e(?:\+|(-))0*(?=\d)", r"e\1", text)


def format_value(value: Value) -> str:
    """Format a value so that :func:`parse_value` restores it."""
    if isinstance(value, bool):
        return _YES if value else _NO
    if isinstance(value, int | float):
        return format_number(value)
    is_plain = value != "" and value.strip() == value and "," not in value and '"' not in value
    if is_plain and parse_value(value) == value and isinstance(parse_value(value), str):
        return value
    return f'"{value}"'


def format_choice(parameter: Parameter, value: Value) -> str:
    """Format a choice for display: a learner or operator by its name."""
    return _format_named_value(parameter.sets, value)


def _format_named_value(sets: str, value: Value) -> str:
    if isinstance(value, str):
        return format_named_value(sets, value)
    if isinstance(value, bool):
        return tr(_YES) if value else tr(_NO)
    return format_short_number(value)


def parse_value(text: str) -> Value:
    """Parse a value: a number, yes or no, or otherwise a string; quotes force a string."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        return text[1:-1]
    if text.lower() in {_YES, "true", tr(_YES)}:
        return True
    if text.lower() in {_NO, "false", tr(_NO)}:
        return False
    with suppress(ValueError):
        return int(text)
    with suppress(ValueError):
        if math.isfinite(number := float(text)):
            return number
    return text


def parse_number(text: str) -> float:
    """Parse a number, or raise SpaceError."""
    with suppress(ValueError):
        return parse_localised_number(text)
    raise SpaceError(
        tr("Expected a number such as 0.01 or 1e-5; {typed}.", typed=_describe_input(text))
    )


def parse_integer(text: str) -> int:
    """Parse a whole number, or raise SpaceError."""
    with suppress(ValueError):
        return int(text)
    with suppress(ValueError):
        number = parse_localised_number(text)
        if number.is_integer():
            return int(number)
    raise SpaceError(
        tr("Expected a whole number such as 5 or 100; {typed}.", typed=_describe_input(text))
    )


def parse_bound(parameter: Parameter, text: str) -> float:
    """Parse a number of the type of the range."""
    return parse_integer(text) if isinstance(parameter, Integer) else parse_number(text)


def split_range(text: str) -> tuple[str, str] | None:
    """Split a typed range into its ends; ``None`` if it is not a range.

    "1 … 30", "1..30", "1 - 30", "1 to 30", "from 1 to 30", "[1, 30]", "0,1 … 0,5"; one end may be
    missing before or after dots. Words are those of the current language, or English.
    """
    separators = "|".join(
        re.escape(word)
        for word in {*_split_template(_RANGE_TEMPLATE), *_split_template(tr(_RANGE_TEMPLATE))}
    )
    match = re.fullmatch(
        rf"[\[(]?(?:(?:{separators})\s)?\s*(?P<low>{_NUMBER_PATTERN})?\s*"
        rf"(?P<between>{_ELLIPSIS_PATTERN}|{_DASH_PATTERN}|\b(?:{separators})\b)\s*(?P<high>{_NUMBER_PATTERN})?\s*[\])]?",
        text.strip(),
        re.IGNORECASE,
    )
    if match is None:  # one of two ends is invalid: the caller reports a clearer error
        parts = re.split(rf"\s*(?:{_ELLIPSIS_PATTERN}|–|;|\b(?:{separators})\b)\s*", text.strip())
        return (parts[0], parts[1]) if len(parts) == 2 else None
    low, high = match["low"] or "", match["high"] or ""
    is_open_ended = re.fullmatch(_ELLIPSIS_PATTERN, match["between"]) is not None
    return (low, high) if (low and high) or is_open_ended else None


def _split_template(template: str) -> list[str]:
    return re.sub(r"\{\w+\}", " ", template).split()


def parse_range(parameter: Parameter, text: str) -> tuple[float, float]:
    """Parse "1 … 30", "1 to 30", "1 - 30" or "1..30" (:func:`split_range`), or raise SpaceError."""
    bounds = split_range(text)
    if bounds is None or not all(bounds):
        raise SpaceError(
            tr("Expected the smallest and the largest value, such as 1 … 30 or 1 to 30.")
        )
    return parse_bound(parameter, bounds[0]), parse_bound(parameter, bounds[1])


def parse_values(text: str) -> tuple[Value, ...]:
    """Parse comma-separated values; quoted commas belong to a value."""
    parts = re.findall(r'(?:"[^"]*"|[^,"])+', text)
    return tuple(parse_value(part) for part in parts if part.strip())


def format_values(parameter: Parameter) -> str:
    """Format a hyperparameter's range, choices or value for editing."""
    if isinstance(parameter, Float | Integer):
        return f"{format_number(parameter.low)}{RANGE_SEPARATOR}{format_number(parameter.high)}"
    if isinstance(parameter, Constant):
        return format_value(parameter.value)
    assert isinstance(parameter, Categorical | Boolean)
    return ", ".join(format_value(value) for value in parameter.choices)


def format_range(parameter: Parameter) -> str:
    """Format a hyperparameter's range, choices or value for display."""
    if isinstance(parameter, Categorical | Boolean):
        return ", ".join(format_choice(parameter, value) for value in parameter.choices)
    if isinstance(parameter, Float | Integer):
        return localise_number(format_values(parameter))
    if isinstance(parameter, Constant) and isinstance(parameter.value, str):
        return format_choice(parameter, parameter.value)
    return format_values(parameter)


def format_rule_condition(rule: Condition) -> str:
    """Format a rule's condition on its parent: "rbf or sigmoid", "2 … 5"."""
    if rule.values is not None:
        texts = [_format_named_value(rule.parent, value) for value in rule.values]
        return translate(join_values(texts, "or")) or tr("no value")
    low = None if rule.low is None else format_short_number(rule.low)
    high = None if rule.high is None else format_short_number(rule.high)
    if low is None:
        return tr("any value") if high is None else tr("at most {number}", number=high)
    return tr("at least {number}", number=low) if high is None else f"{low}{RANGE_SEPARATOR}{high}"


def format_rules(rules: Sequence[Condition]) -> str:
    """Format all rules: "kernel is rbf or poly and C is at least 10"."""
    return tr(" and ").join(
        tr("{name} is {values}", name=rule.parent, values=format_rule_condition(rule))
        for rule in rules
    )


def _describe_input(text: str) -> str:
    text = text.strip()
    if not text:
        return tr("the field is empty")
    shortened = text if len(text) <= _MAX_INPUT_LENGTH else text[:_MAX_INPUT_LENGTH] + "…"
    return tr("you typed “{text}”", text=shortened)
