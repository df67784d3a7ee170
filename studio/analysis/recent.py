"""Caches of the most recently used values."""

from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def recall(known: "OrderedDict[K, V]", key: K, make: Callable[[], V], most: int) -> V:
    """Return the value of a key, made if it is not known; only the last ``most`` are kept."""
    if key not in known:
        known[key] = make()
    known.move_to_end(key)
    while len(known) > most:
        known.popitem(last=False)
    return known[key]
