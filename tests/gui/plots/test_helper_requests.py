"""Requests to the helper: newest query first, outdated answers dropped, no starvation."""

from collections.abc import Callable
from typing import Any

import pytest

from studio.gui.plots.base.helper_requests import Query, Requester, RequesterFactory


class DelayedHelper:
    """A helper that answers recorded requests on demand."""

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
        arguments, callback = self.requests[place]
        callback(({"for": arguments}, {}))


@pytest.fixture
def delayed_helper() -> DelayedHelper:
    return DelayedHelper()


@pytest.fixture
def came() -> list[Any]:
    return []


@pytest.fixture
def asker(delayed_helper: DelayedHelper, came: list[Any]) -> Requester:
    return RequesterFactory(delayed_helper, "plot")(
        "slice", dict, lambda query, reply: came.append(query.version), came.append
    )


def query(kind: str, moment: int) -> Query:
    return Query({"kind": kind, "moment": moment}, kind, moment)


def test_requester_sends_newest_pending_query(
    asker: Requester, delayed_helper: DelayedHelper, came: list[Any]
) -> None:
    for moment in (1, 2, 3, 4):
        asker.submit(query("C", moment))
    assert len(delayed_helper.requests) == 1
    delayed_helper.answer(0)
    assert came == [1]
    assert [arguments["moment"] for arguments, _ in delayed_helper.requests] == [1, 4]


def test_requester_ignores_replies_to_replaced_queries(
    asker: Requester, delayed_helper: DelayedHelper, came: list[Any]
) -> None:
    asker.submit(query("C", 1))
    asker.submit(query("gamma", 1))
    assert len(delayed_helper.requests) == 2
    delayed_helper.answer(0)
    assert came == []
    delayed_helper.answer(1)
    assert came == [1]


def test_requester_does_not_repeat_completed_query(
    asker: Requester, delayed_helper: DelayedHelper
) -> None:
    asker.submit(query("C", 1))
    delayed_helper.answer(0)
    asker.submit(query("C", 1))
    assert len(delayed_helper.requests) == 1


def test_requester_ignores_replies_after_reset(
    asker: Requester, delayed_helper: DelayedHelper, came: list[Any]
) -> None:
    asker.submit(query("C", 1))
    asker.forget()
    delayed_helper.answer(0)
    assert came == []
    assert delayed_helper.cancelled == 1


def test_requester_reports_ill_typed_reply(delayed_helper: DelayedHelper, came: list[Any]) -> None:
    asker = RequesterFactory(delayed_helper, "plot")(
        "count", int, lambda query, answer: came.append(answer), came.append
    )
    asker.submit(query("C", 1))
    asker.submit(query("C", 2))
    delayed_helper.answer(0)
    assert "int, not dict" in came[0]
    assert len(delayed_helper.requests) == 2
