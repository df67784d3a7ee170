"""Asking the helper: the newest wish wins, late answers are dropped, a fast run never starves."""

from collections.abc import Callable
from typing import Any

import pytest

from studio.gui.plots.asking import Asker, Wish


class Held:
    """A helper that answers when told to, in the order of the requests."""

    def __init__(self) -> None:
        self.requests: list[tuple[dict[str, Any], Callable[[Any], None]]] = []
        self.cancelled = 0

    def request(
        self, task: str, arguments: Any, done: Any, failed: Any, channel: Any = None
    ) -> Any:
        self.requests.append((arguments, done))
        return self

    def cancel(self) -> None:
        self.cancelled += 1

    def answer(self, place: int) -> None:
        arguments, done = self.requests[place]
        done(({"for": arguments}, {}))


@pytest.fixture
def held() -> Held:
    return Held()


@pytest.fixture
def came() -> list[Any]:
    return []


@pytest.fixture
def asker(held: Held, came: list[Any]) -> Asker:
    return Asker(held, "slice", dict, lambda wish, reply: came.append(wish.moment), came.append)


def wish(kind: str, moment: int) -> Wish:
    return Wish({"kind": kind, "moment": moment}, kind, moment)


def test_of_wishes_that_only_grow_newer_the_last_is_asked_next(
    asker: Asker, held: Held, came: list[Any]
) -> None:
    for moment in (1, 2, 3, 4):
        asker.wish(wish("C", moment))
    assert len(held.requests) == 1
    held.answer(0)
    assert came == [1]
    assert [arguments["moment"] for arguments, _ in held.requests] == [1, 4]


def test_a_wish_of_another_kind_does_not_wait_and_the_late_answer_is_dropped(
    asker: Asker, held: Held, came: list[Any]
) -> None:
    asker.wish(wish("C", 1))
    asker.wish(wish("gamma", 1))
    assert len(held.requests) == 2
    held.answer(0)
    assert came == []
    held.answer(1)
    assert came == [1]


def test_what_was_answered_is_not_asked_again(asker: Asker, held: Held) -> None:
    asker.wish(wish("C", 1))
    held.answer(0)
    asker.wish(wish("C", 1))
    assert len(held.requests) == 1


def test_after_forgetting_nothing_comes(asker: Asker, held: Held, came: list[Any]) -> None:
    asker.wish(wish("C", 1))
    asker.forget()
    held.answer(0)
    assert came == []
    assert held.cancelled == 1


def test_an_answer_of_another_type_is_said_and_the_next_is_asked(
    held: Held, came: list[Any]
) -> None:
    asker = Asker(held, "count", int, lambda wish, answer: came.append(answer), came.append)
    asker.wish(wish("C", 1))
    asker.wish(wish("C", 2))
    held.answer(0)
    assert "as int, not dict" in came[0]
    assert len(held.requests) == 2
