"""Requests to the helper: newest query first, outdated answers dropped, no starvation."""

from collections.abc import Callable
from typing import Any

import pytest

from studio.gui.plots.base.helper_requests import HelperRequester, HelperRequesterFactory, Query
from studio.tasks import Task, task


@task("anything")
def compute_anything() -> dict[str, Any]:
    raise NotImplementedError


@task("count")
def count_anything() -> int:
    raise NotImplementedError


class DelayedHelper:
    """A helper that answers recorded requests on demand."""

    def __init__(self) -> None:
        self.requests: list[tuple[dict[str, Any], Callable[[Any], None]]] = []
        self.cancelled = 0

    def request(
        self, task: Task[..., Any], arguments: Any, done: Any, failed: Any, channel: Any = None
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
def replies() -> list[Any]:
    return []


@pytest.fixture
def requester(delayed_helper: DelayedHelper, replies: list[Any]) -> HelperRequester:
    return HelperRequesterFactory(delayed_helper, "plot")(
        compute_anything, lambda query, reply: replies.append(query.version), replies.append
    )


def query(kind: str, moment: int) -> Query:
    return Query({"kind": kind, "moment": moment}, kind, moment)


def test_requester_sends_newest_pending_query(
    requester: HelperRequester, delayed_helper: DelayedHelper, replies: list[Any]
) -> None:
    for moment in (1, 2, 3, 4):
        requester.submit(query("C", moment))
    assert len(delayed_helper.requests) == 1
    delayed_helper.answer(0)
    assert replies == [1]
    assert [arguments["moment"] for arguments, _ in delayed_helper.requests] == [1, 4]


def test_requester_ignores_replies_to_replaced_queries(
    requester: HelperRequester, delayed_helper: DelayedHelper, replies: list[Any]
) -> None:
    requester.submit(query("C", 1))
    requester.submit(query("gamma", 1))
    assert len(delayed_helper.requests) == 2
    delayed_helper.answer(0)
    assert replies == []
    delayed_helper.answer(1)
    assert replies == [1]


def test_requester_does_not_repeat_completed_query(
    requester: HelperRequester, delayed_helper: DelayedHelper
) -> None:
    requester.submit(query("C", 1))
    delayed_helper.answer(0)
    requester.submit(query("C", 1))
    assert len(delayed_helper.requests) == 1


def test_requester_ignores_replies_after_reset(
    requester: HelperRequester, delayed_helper: DelayedHelper, replies: list[Any]
) -> None:
    requester.submit(query("C", 1))
    requester.clear()
    delayed_helper.answer(0)
    assert replies == []
    assert delayed_helper.cancelled == 1


def test_requester_reports_ill_typed_reply(
    delayed_helper: DelayedHelper, replies: list[Any]
) -> None:
    requester = HelperRequesterFactory(delayed_helper, "plot")(
        count_anything, lambda query, answer: replies.append(answer), replies.append
    )
    requester.submit(query("C", 1))
    requester.submit(query("C", 2))
    delayed_helper.answer(0)
    assert "int, not dict" in replies[0]
    assert len(delayed_helper.requests) == 2
