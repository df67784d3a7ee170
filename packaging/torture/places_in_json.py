"""Every value within a JSON value, and what may replace it."""

from collections.abc import Callable, Iterator
from typing import Any

STRANGE: tuple[object, ...] = (
    None, True, -1, 0, 2**62, 0.5, 1e308, "", "\x1b[2J", "no such thing", [], [1], [[]], {},
    {"more": 1},
)  # fmt: skip
"""What takes the place of a value."""


def places(
    content: Any, above: tuple[Any, ...] = ()
) -> Iterator[tuple[str, Callable[[Any, object], None]]]:
    """Yield every value within a JSON value: its place, and what puts another one there."""
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
        yield from places(value, place)
