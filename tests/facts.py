"""The facts in a message, independent of its wording: the values of its slots.

Tests identify messages by these values and by the error's class, so that the wording can change.
"""

from collections.abc import Callable, Iterator
from typing import Any

from studio.phrases import Phrase


def facts(text: str | BaseException) -> dict[str, Any]:
    """Return the slot values of a phrase, or of an error's phrase, by name.

    Nested phrases contribute their values, not their words; quoted names are one text. A name in
    several slots has the list of their values. Quoted values include their quotation marks.
    """
    values_by_name: dict[str, Any] = {}
    for name, value in _slots(text.args[0] if isinstance(text, BaseException) else text):
        if name in values_by_name:
            before = values_by_name[name]
            values_by_name[name] = [*(before if isinstance(before, list) else [before]), value]
        else:
            values_by_name[name] = value
    return values_by_name


def about(**expected: Any) -> Callable[[BaseException], bool]:
    """Return a check for ``pytest.raises`` that an error's message has these facts."""

    def check(error: BaseException) -> bool:
        error_facts = facts(error)
        assert {**error_facts, **expected} == error_facts, (
            f"expected {expected}; found {error_facts}"
        )
        return True

    return check


def contains_facts(text: str, *pieces: str) -> bool:
    """Return whether a text has these numbers and names in this order."""
    start = 0
    for piece in pieces:
        start = text.find(piece, start)
        if start < 0:
            return False
        start += len(piece)
    return True


def _slots(text: str) -> Iterator[tuple[str, Any]]:
    assert isinstance(text, Phrase), f"no phrase, so it would stay English: {text!r}"
    for name, value in text.values.items():
        if isinstance(value, Phrase) and not _all_names(value):
            yield from _slots(value)
        else:
            yield name, value


def _all_names(text: Phrase) -> bool:
    return bool(text.values) and all(slot.startswith("name_") for slot in text.values)
