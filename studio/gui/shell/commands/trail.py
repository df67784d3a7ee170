"""The last things that were done, by name only: for the report of a crash."""

from collections import deque
from collections.abc import Callable
from functools import cache

_LENGTH = 30


class Trail:
    """Remembers the names of the last actions; never what was typed or which data was used."""

    def __init__(self) -> None:
        self._names: deque[str] = deque(maxlen=_LENGTH)
        self._follower: Callable[[str], object] | None = None

    def note(self, name: str) -> None:
        """Remember that this was done."""
        self._names.append(name)
        if self._follower is not None:
            self._follower(name)

    def follow(self, follower: Callable[[str], object] | None) -> None:
        """Pass each action to this function from now on; ``None``: to no one."""
        self._follower = follower

    @property
    def names(self) -> tuple[str, ...]:
        """What was done, the newest last."""
        return tuple(self._names)


@cache
def trail() -> Trail:
    """Return the one trail of this process."""
    return Trail()
