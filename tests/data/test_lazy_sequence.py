"""Sequences with lazily created items."""

import pytest

from studio.data.duplicates import LazySequence


def test_lazy_item_is_created_on_access() -> None:
    created_places: list[int] = []

    def make(place: int) -> str:
        created_places.append(place)
        return "abcd"[place]

    letters = LazySequence(4, make)
    assert (len(letters), created_places) == (4, [])
    assert (letters[1], letters[-1]) == ("b", "d")
    assert created_places == [1, 3]
    assert letters[1:3] == ["b", "c"]
    assert list(letters) == ["a", "b", "c", "d"]
    with pytest.raises(IndexError):
        letters[4]
