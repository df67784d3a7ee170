"""Translatable sentences with their arguments.

Messages of other packages reach the window as a :class:`Phrase`: the English text with its template
and values. :func:`phrase_to_json` and :func:`phrase_from_json` convert phrases in messages between
processes and in records of a document.
"""

import math
import numbers
import re
import string
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from studio.numerals import format_number

Value = str | int | float
"""The value of a slot: a name, a number, or a nested phrase (also a ``str``)."""

MAX_LENGTH = 100_000
"""Maximum number of characters of a parsed phrase, as phrases can be nested."""

_NUMBER_FORM = re.compile(r",?(\.\d{1,2})?[defg%]?")


class Phrase(str):
    """An English text that keeps its template and its values.

    It can be printed, compared and stored like any text; operations that change it (``+``,
    ``join``, ``lower``) return an ordinary text, so nest phrases instead.

    Args:
        template: With a slot ``{name}`` or ``{name:,}`` for each value; used unchanged if there are
            none.
        values: Numbers for the slots with a number format; texts for all others.

    Raises:
        ValueError: If a slot has no value, or a number format has no number.
    """

    template: str
    values: Mapping[str, Value]

    def __new__(cls, template: str, values: Mapping[str, Value]) -> "Phrase":
        formatted = super().__new__(cls, fill_template(template, values))
        formatted.template, formatted.values = template, values
        return formatted

    def __getnewargs__(self) -> tuple[str, Mapping[str, Value]]:  # type: ignore[override]
        """Return the arguments of :meth:`__new__`, for copies."""
        return self.template, self.values

    def __str__(self) -> str:
        """Return the phrase itself, so that ``str(error)`` can be a phrase."""
        return self


def phrase(template: str, /, **values: object) -> str:
    """Return a message for users, whose template is in the catalogue.

    Args:
        template: English, as of :meth:`str.format`: ``{name}``, ``{name!r}``, ``{count:,}``.
            Literals are extracted by ``packaging/translations.py``. A phrase with values is
            returned unchanged.
        values: For the slots. Names are not translated; translatable words must be phrases
            themselves.
    """
    if isinstance(template, Phrase):
        if template.values or not values:
            return template
        template = template.template
    slots = _iterate_slots(template) if values else ()
    return Phrase(
        template,
        {
            name: _format_value(values[name], *form_and_conversion)
            for name, *form_and_conversion in slots
        },
    )


def count_phrase(one: str, many: str, count: int, /, **values: object) -> str:
    """Return the plural form for ``{count}``: "1 row", "{count:,} rows"."""
    return phrase(one if count == 1 else many, count=count, **values)


def join_phrases(parts: Iterable[str], separator: str = " ") -> str:
    """Join texts, including phrases, skipping empty ones."""
    non_empty = [text for text in parts if text]
    if len(non_empty) == 1:
        return non_empty[0]
    values: dict[str, Value] = {f"part_{index}": text for index, text in enumerate(non_empty)}
    return Phrase(separator.join(f"{{{name}}}" for name in values), values)


def join_quoted(names: Iterable[str], max_names: int = 5, separator: str = ", ") -> str:
    """Join quoted names, with an ellipsis if there are more than ``max_names``."""
    all_names = list(names)
    values: dict[str, Value] = {
        f"name_{k}": repr(name) for k, name in enumerate(all_names[:max_names])
    }
    slots = separator.join(f"{{{slot}!r}}" for slot in values)
    return Phrase(slots + (f"{separator}…" if len(all_names) > max_names else ""), values)


def fill_template(
    template: str,
    values: Mapping[str, Value],
    number: Callable[[int | float, str], str] = format_number,
    word: Callable[[str], str] = str,
    in_quotes: Callable[[str], str] = str,
) -> str:
    """Fill a template's slots with values; raise ValueError if they do not fit."""
    if not values:
        return template
    chunks = []
    try:
        for literal, name, form, conversion in string.Formatter().parse(template):
            chunks.append(literal)
            if name is None:
                continue
            value = values[name]
            if isinstance(value, str):
                chunks.append(in_quotes(value) if conversion == "r" else word(value))
            else:
                chunks.append(number(value, form or ""))
    except (KeyError, OverflowError) as error:
        raise ValueError(f"a phrase and its values do not fit: {error}") from error
    return "".join(chunks)


def phrase_to_json(value: Any) -> Any:
    """Encode a JSON value with its phrases, at any depth, for :func:`phrase_from_json`."""
    if isinstance(value, Phrase):
        encoded = {"$phrase": value.template, "values": phrase_to_json(value.values)}
        return encoded if _is_safe(value.template, value.values) else str.__str__(value)
    if isinstance(value, Mapping):
        return {key: phrase_to_json(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [phrase_to_json(each) for each in value]
    return value


def phrase_from_json(decoded: dict[str, Any]) -> Any:
    """Decode a phrase or return other JSON (``object_hook``); raise ValueError if invalid."""
    match decoded:
        case {"$phrase": str(template), "values": dict(values), **others} if not others:
            if not _is_safe(template, values):
                raise ValueError("not a phrase of this program")
            return Phrase(template, values)
    return decoded


def _is_safe(template: str, values: Mapping[str, object]) -> bool:
    """Whether formatting a phrase, which may be untrusted, is harmless."""
    slots = list(_iterate_slots(template)) if values else []
    texts = [len(value) for value in values.values() if isinstance(value, str)]
    return (
        all(isinstance(value, str | int | float) for value in values.values())
        and all(
            _NUMBER_FORM.fullmatch(form) or isinstance(values.get(name), str)
            for name, form, _ in slots
        )
        and len(slots) * max(texts, default=0) <= MAX_LENGTH
    )


def _iterate_slots(template: str) -> Iterator[tuple[str, str, str]]:
    """Yield name, format and conversion ("r" or none) of each slot."""
    for _, name, form, conversion in string.Formatter().parse(template):
        if name is not None:
            yield name, form or "", conversion or ""


def _format_value(value: object, form: str, conversion: str) -> Value:
    """Return a value in a phrase's form: a text, or a number if one is formatted."""
    if conversion == "r":
        return format(repr(value), form)
    if not form:
        return str(value)
    if isinstance(value, numbers.Real) and math.isfinite(value):
        return int(value) if isinstance(value, numbers.Integral) else float(value)
    return format(value, form)
