"""Short names of runs, which keep what distinguishes them."""

from collections.abc import Callable, Iterator, Sequence
from itertools import product

_ELLIPSIS = "…"

_MAX_LETTERS = 24
"""Maximum letters of each end of a name without blanks: longer ones never fit."""


def find_differing_parts(names: Sequence[str]) -> list[str]:
    """Return the names without the words with which all of them begin, or end.

    Each keeps a word at least; all get their place in the list if two are equal.
    """
    words = [name.split() for name in names]
    shortest = min(map(len, words), default=0)
    start = end = 0
    if len(names) > 1:
        while start < shortest - 1 and len({each[start] for each in words}) == 1:
            start += 1
        while end < shortest - start - 1 and len({each[-1 - end] for each in words}) == 1:
            end += 1
    parts = [" ".join(each[start : len(each) - end]).strip(" ·") for each in words]
    if len({*parts}) == len(parts):
        return parts
    return [f"{index} {part}" for index, part in enumerate(parts, start=1)]


def split_brackets(name: str) -> tuple[str, str]:
    """Return the parts of a name before and within its brackets; the name twice without any."""
    outer, _, inner = name.removesuffix(")").rpartition("(")
    if not name.endswith(")") or not inner:
        return name, name
    return outer.strip() or inner, inner


def abbreviate(name: str, others: Sequence[str], fits: Callable[[str], bool]) -> str:
    """Return the longest fitting text of a name's start and end that none of the others has.

    Words are kept whole if possible. If no such text fits, it is the ellipsis.

    Args:
        others: The other names; equal ones are ignored, as no text distinguishes them.
        fits: Whether a text has room.
    """
    if fits(name):
        return name
    different_names = [each for each in others if each != name]
    for separator in (" ", ""):
        for text in _list_abbreviations(name, different_names, separator):
            if fits(text):
                return text
    return _ELLIPSIS


def _list_abbreviations(name: str, others: Sequence[str], separator: str) -> Iterator[str]:
    """Yield texts that distinguish a name: those with both ends first, then the longest."""
    parts, *other_parts = (each.split() if separator else list(each) for each in (name, *others))
    longest = len(parts) if separator else _MAX_LETTERS
    max_kept = min(len(parts) - 1, 2 * longest)
    for has_both, n_kept in product((True, False), range(max_kept, 0, -1)):
        counts = range(1, n_kept) if has_both else (0, n_kept)
        splits = [
            (parts[:n], parts[len(parts) - n_kept + n :])
            for n in counts
            if max(n, n_kept - n) <= longest
        ]
        distinct_splits = [
            (separator.join(first), separator.join(last))
            for first, last in splits
            if not any(_has_ends(each, first, last) for each in other_parts)
        ]
        for ends in sorted(distinct_splits, key=_rank, reverse=True):
            yield separator.join(filter(None, (ends[0], _ELLIPSIS, ends[1])))


def _rank(ends: tuple[str, str]) -> tuple[int, int]:
    """Rank ends of similar length highest, then long ones."""
    return min(map(len, ends)), sum(map(len, ends))


def _has_ends(parts: Sequence[str], first: Sequence[str], last: Sequence[str]) -> bool:
    n_last = len(parts) - len(last)
    return n_last >= len(first) and parts[: len(first)] == first and parts[max(0, n_last) :] == last
