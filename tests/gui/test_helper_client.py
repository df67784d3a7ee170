"""The client of the helper process, tested with a minimal helper."""

import signal
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import psutil
import pytest
from PySide6.QtCore import QProcess
from pytestqt.qtbot import QtBot

from studio.gui.base import helper_client
from studio.gui.base.helper_client import HelperClient
from studio.helper.answers import Encoded
from studio.helper.protocol import HelperMessage, ProtocolError
from studio.tasks import Task
from tests.hostile_json import HOSTILE

pytestmark = pytest.mark.slow

HELPER = """
import os, sys, time
import numpy as np
from studio.helper import server

def done(name, arguments):
    if name == "die":
        os._exit(3)
    if name == "hang" or arguments.get("hang"):
        time.sleep(60)
    if name == "wait":
        time.sleep(0.3)
    if name == "say":
        text = arguments["text"].encode()
        os.write(int(os.environ["SAYS"]), len(text).to_bytes(4, "big") + text)
    return {"name": name, "pid": os.getpid(), **arguments, "a": np.arange(3)}

server.run_task = done
private_output = server._reserve_output

def said_on():
    sent = private_output()
    os.environ["SAYS"] = str(sent)
    return sent

server._reserve_output = said_on
raise SystemExit(server.serve())
"""


def make_task(name: str, *, is_slow: bool = False) -> Task[..., Any]:
    """Return a task of that minimal helper."""
    return Task(name, lambda: None, is_slow)


class ReplyRecorder:
    def __init__(self) -> None:
        self.replies: list[dict[str, Any]] = []
        self.errors: list[str] = []

    def done(self, reply: Encoded) -> None:
        answer, arrays = reply
        np.testing.assert_array_equal(arrays[answer["a"]], np.arange(3))
        self.replies.append(answer)

    def failed(self, message: str) -> None:
        self.errors.append(message)


@pytest.fixture
def client() -> Iterator[HelperClient]:
    new_client = HelperClient(command=[sys.executable, "-c", HELPER])
    yield new_client
    new_client.close()


@pytest.fixture
def reply_recorder() -> ReplyRecorder:
    return ReplyRecorder()


def test_helper_replies_arrive_in_order(
    client: HelperClient, reply_recorder: ReplyRecorder, qtbot: QtBot
) -> None:
    for number in range(3):
        client.request(make_task("x"), {"n": number}, reply_recorder.done, reply_recorder.failed)
    assert client.is_busy
    qtbot.waitUntil(lambda: len(reply_recorder.replies) == 3)
    assert [reply["n"] for reply in reply_recorder.replies] == [0, 1, 2]
    assert not client.is_busy


def test_newest_request_of_channel_replaces_older_requests(
    client: HelperClient, reply_recorder: ReplyRecorder, qtbot: QtBot
) -> None:
    client.request(make_task("wait"), {"n": -1}, reply_recorder.done, reply_recorder.failed)
    tickets = [
        client.request(
            make_task("wait"), {"n": n}, reply_recorder.done, reply_recorder.failed, "slice"
        )
        for n in range(5)
    ]
    assert [ticket.is_pending for ticket in tickets] == [False] * 4 + [True]
    qtbot.waitUntil(lambda: not client.is_busy)
    assert [reply["n"] for reply in reply_recorder.replies] == [-1, 4]


def test_crashed_helper_restarts_and_fails_only_current_request(
    client: HelperClient, reply_recorder: ReplyRecorder, qtbot: QtBot
) -> None:
    client.request(make_task("die"), {}, reply_recorder.done, reply_recorder.failed)
    client.request(make_task("x"), {"n": 1}, reply_recorder.done, reply_recorder.failed)
    qtbot.waitUntil(lambda: len(reply_recorder.replies) == 1)
    assert len(reply_recorder.errors) == 1
    assert "restarted" in reply_recorder.errors[0]


@pytest.mark.parametrize(
    "header",
    [
        {},
        {"id": 1},
        {"id": [], "reply": 1},
        {"id": float("inf"), "error": "e"},
        {"id": 1, "error": 3},
    ],
)
def test_message_without_answer_is_rejected(header: dict[str, Any]) -> None:
    with pytest.raises(ProtocolError):
        helper_client._parse_answer(HelperMessage(header))


@pytest.mark.parametrize("text", [HOSTILE[0], '{"arrays": []}'], ids=["no message", "no answer"])
def test_invalid_reply_fails_request(
    client: HelperClient, reply_recorder: ReplyRecorder, qtbot: QtBot, text: str
) -> None:
    client.request(make_task("say"), {"text": text}, reply_recorder.done, reply_recorder.failed)
    client.request(make_task("x"), {"n": 1}, reply_recorder.done, reply_recorder.failed)
    qtbot.waitUntil(lambda: len(reply_recorder.replies) == 1)
    assert len(reply_recorder.errors) == 1
    assert "restarted" in reply_recorder.errors[0]


@pytest.mark.skipif(sys.platform == "win32", reason="SIGSTOP is a POSIX signal")
def test_suspended_helper_replies_after_resumption(
    client: HelperClient, reply_recorder: ReplyRecorder, qtbot: QtBot
) -> None:
    helper = _suspended_helper(client, reply_recorder, qtbot)
    client.request(make_task("x"), {"n": 2}, reply_recorder.done, reply_recorder.failed)
    qtbot.wait(500)
    assert [reply["n"] for reply in reply_recorder.replies] == [1]
    assert client.is_busy
    helper.send_signal(signal.SIGCONT)
    qtbot.waitUntil(lambda: not client.is_busy)
    assert [(reply["n"], reply["pid"]) for reply in reply_recorder.replies] == [
        (1, helper.pid),
        (2, helper.pid),
    ]
    assert reply_recorder.errors == []


@pytest.mark.skipif(sys.platform == "win32", reason="SIGSTOP is a POSIX signal")
def test_suspended_helper_terminates_with_window(
    client: HelperClient, reply_recorder: ReplyRecorder, qtbot: QtBot
) -> None:
    helper = _suspended_helper(client, reply_recorder, qtbot)
    client.request(make_task("x"), {"n": 2}, reply_recorder.done, reply_recorder.failed)
    client.close()
    assert not helper.is_running()


def _suspended_helper(
    client: HelperClient, reply_recorder: ReplyRecorder, qtbot: QtBot
) -> psutil.Process:
    """Return the helper's process after its first answer, suspended."""
    client.request(make_task("x"), {"n": 1}, reply_recorder.done, reply_recorder.failed)
    qtbot.waitUntil(lambda: not client.is_busy)
    helper = psutil.Process(reply_recorder.replies[0]["pid"])
    helper.send_signal(signal.SIGSTOP)
    return helper


def test_cancelling_long_computation_frees_helper(
    client: HelperClient,
    reply_recorder: ReplyRecorder,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(helper_client, "KILL_TIMEOUT", 0.0)
    hanging = client.request(make_task("hang"), {}, reply_recorder.done, reply_recorder.failed)
    client.request(make_task("x"), {"n": 2}, reply_recorder.done, reply_recorder.failed)
    qtbot.wait(300)
    hanging.cancel()
    assert not hanging.is_pending
    qtbot.waitUntil(lambda: len(reply_recorder.replies) == 1)
    assert reply_recorder.errors == []


def test_failed_helper_start_is_reported(reply_recorder: ReplyRecorder, qtbot: QtBot) -> None:
    client = HelperClient(command=["/nowhere/at-all"])
    client.request(make_task("x"), {}, reply_recorder.done, reply_recorder.failed)
    qtbot.waitUntil(lambda: reply_recorder.errors != [])
    assert "be started" in reply_recorder.errors[0]
    client.close()


class FailingProcess(QProcess):
    """A process that fails to start, as without free descriptors."""

    def start(self, *_: Any) -> None:
        self.errorOccurred.emit(QProcess.ProcessError.FailedToStart)


def test_rejected_helper_start_is_reported_after_request(
    reply_recorder: ReplyRecorder, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        helper_client, "make_process", lambda _command, parent: FailingProcess(parent)
    )
    client = HelperClient(command=["/nowhere/at-all"])
    client.request(make_task("x"), {}, reply_recorder.done, reply_recorder.failed)
    assert len(reply_recorder.errors) == 0
    qtbot.waitUntil(lambda: reply_recorder.errors != [])
    assert "be started" in reply_recorder.errors[0]
    client.close()


def test_closed_helper_client_invokes_no_callbacks(
    client: HelperClient, reply_recorder: ReplyRecorder, qtbot: QtBot
) -> None:
    client.request(make_task("x"), {}, reply_recorder.done, reply_recorder.failed)
    client.close()
    qtbot.wait(200)
    assert reply_recorder.replies == []
    assert reply_recorder.errors == []


def test_slow_task_does_not_block_other_tasks(
    client: HelperClient, reply_recorder: ReplyRecorder, qtbot: QtBot
) -> None:
    slow = make_task("slow", is_slow=True)
    hanging = client.request(
        slow, {"hang": True}, reply_recorder.done, reply_recorder.failed, channel="a"
    )
    client.request(make_task("x"), {"n": 1}, reply_recorder.done, reply_recorder.failed)
    qtbot.waitUntil(lambda: len(reply_recorder.replies) == 1)
    assert hanging.is_pending
    assert client.is_busy
    # A channel has one pending request across all processes: the new one replaces the hanging one.
    client.request(
        make_task("x"), {"n": 2}, reply_recorder.done, reply_recorder.failed, channel="a"
    )
    assert not hanging.is_pending
    qtbot.waitUntil(lambda: len(reply_recorder.replies) == 2)
    assert reply_recorder.errors == []


def test_idle_slow_process_terminates_and_restarts(
    reply_recorder: ReplyRecorder, qtbot: QtBot
) -> None:
    client = HelperClient(command=[sys.executable, "-c", HELPER], idle_seconds=0.05)
    slow = make_task("slow", is_slow=True)
    assert not client.slow_process.has_process
    client.request(slow, {}, reply_recorder.done, reply_recorder.failed)
    qtbot.waitUntil(lambda: len(reply_recorder.replies) == 1)
    qtbot.waitUntil(lambda: not client.slow_process.has_process)
    client.request(slow, {}, reply_recorder.done, reply_recorder.failed)
    qtbot.waitUntil(lambda: len(reply_recorder.replies) == 2)
    assert reply_recorder.replies[0]["pid"] != reply_recorder.replies[1]["pid"]
    assert reply_recorder.errors == []
    client.close()


def test_newer_request_cancels_long_computation(
    client: HelperClient,
    reply_recorder: ReplyRecorder,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(helper_client, "OUTDATED_TIMEOUT", 0.0)
    client.request(make_task("x"), {}, reply_recorder.done, reply_recorder.failed)
    qtbot.waitUntil(lambda: len(reply_recorder.replies) == 1)
    client.request(make_task("hang"), {}, reply_recorder.done, reply_recorder.failed, channel="a")
    client.request(
        make_task("x"), {"n": 2}, reply_recorder.done, reply_recorder.failed, channel="a"
    )
    qtbot.waitUntil(lambda: len(reply_recorder.replies) == 2)
    assert reply_recorder.replies[1]["n"] == 2
    assert reply_recorder.errors == []
