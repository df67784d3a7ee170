"""Every value within a JSON value, with its replacements."""

from collections.abc import Callable, Iterator
from typing import Any

STRANGE: tuple[object, ...] = (
    None, True, -1, 0, 2**62, 0.5, 1e308, "", "\x1b[2J", "no such thing", [], [1], [[]], {},
    {"more": 1},
)  # fmt: skip
"""Replacements of a value."""


def iter_places(
    content: Any, above: tuple[Any, ...] = ()
) -> Iterator[tuple[str, Callable[[Any, object], None]]]:
    """Yield the path of every value within a JSON value, with a function to replace it."""
    inside: dict[Any, Any] = content if isinstance(content, dict) else {}
    if isinstance(content, list):
        inside = dict(enumerate(content))
    for key, value in inside.items():
        place = (*above, key)

        def change(whole: Any, strange: object, place: tuple[Any, ...] = place) -> None:
            for step in place[:-1]:
                whole = whole[step]
            whole[place[-1]] = strange

        yield "/".join(map(str, place)), change
        yield from iter_places(value, place)
