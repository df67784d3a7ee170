"""Sequences whose items are made when asked for, since all at once take much memory."""

from collections.abc import Callable, Sequence
from typing import TypeVar, overload

Item = TypeVar("Item")


class Lazy(Sequence[Item]):
    """Items that are made when asked for.

    Args:
        length: How many there are.
        make: Returns one by its place, which is not negative.
    """

    def __init__(self, length: int, make: Callable[[int], Item]) -> None:
        self._places, self._make = range(length), make

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, which: int) -> Item: ...
    @overload
    def __getitem__(self, which: slice) -> list[Item]: ...
    def __getitem__(self, which: int | slice) -> Item | list[Item]:
        if isinstance(which, slice):
            return list(map(self._make, self._places[which]))
        return self._make(self._places[which])
