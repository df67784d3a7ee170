"""Caches of the most recently used values."""

from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def get_or_compute(cache: "OrderedDict[K, V]", key: K, make: Callable[[], V], max_size: int) -> V:
    """Return the cached or newly made value of a key; only the last ``max_size`` are kept."""
    if key not in cache:
        cache[key] = make()
    cache.move_to_end(key)
    while len(cache) > max_size:
        cache.popitem(last=False)
    return cache[key]
