"""The helper's loop."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from studio.errors import DataError
from studio.helper import server
from studio.helper.protocol import MessageUnpacker, pack
from tests.hostile_json import HOSTILE

ALL = {
    "options": {}, "kinds": {}, "roles": {}, "treatments": {}, "monotone": {}, "target": None,
    "task": "auto", "document": None, "stored": None,
}  # fmt: skip
COMMAND = [
    sys.executable,
    "-c",
    "from studio.helper.server import serve; raise SystemExit(serve())",
]


def test_requests_are_served_in_order_unless_cancelled() -> None:
    inbox = server.Inbox()
    for number in (1, 2, 3):
        inbox.put({"id": number, "task": "any", "arguments": {}})
    inbox.put({"cancel": 2})
    inbox.close()
    assert inbox.get() == {"id": 1, "task": "any", "arguments": {}}
    cancelled = inbox.get()
    assert cancelled == {"id": 2, "cancelled": True}
    (reply,) = MessageUnpacker().feed(server.make_answer(cancelled))
    assert reply.header["id"] == 2
    assert "cancelled" in reply.header["error"]
    assert inbox.get() == {"id": 3, "task": "any", "arguments": {}}
    assert inbox.get() is None


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (DataError("The file is empty."), "The file is empty."),
        (MemoryError(), "not enough memory"),
        (KeyError("x"), "error in the program \\(KeyError"),
    ],
)
def test_errors_are_returned_as_messages(
    raised: Exception, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(name: str, arguments: object) -> object:
        raise raised

    monkeypatch.setattr(server, "run_task", fail)
    (message,) = MessageUnpacker().feed(
        server.make_answer({"id": 7, "task": "any", "arguments": {}})
    )
    assert message.header["id"] == 7

    assert re.search(expected, message.header["error"])


@pytest.mark.slow
@pytest.mark.parametrize("text", [*HOSTILE[:5], '{"arrays": []}', '{"id": 1, "arrays": []}'])
def test_invalid_request_terminates_process(text: str) -> None:
    request = len(text).to_bytes(4, "big") + text.encode()
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(request)
        process.stdin.flush()
        assert process.wait(60) == 0


@pytest.mark.slow
def test_server_process_terminates_at_end_of_input(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("a,target\n1,x\n2,y\n", "utf-8")
    request = pack(
        {"id": 1, "task": "preview", "arguments": {"table": {**ALL, "path": str(table)}}}
    )
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(request)
        process.stdin.flush()
        unpacker, got = MessageUnpacker(), []
        while not got:
            got = unpacker.feed(process.stdout.read1())
        process.stdin.close()
        assert process.wait(10) == 0
    assert got[0].header["reply"]["names"] == ["a", "target"]
