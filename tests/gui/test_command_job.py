"""Commands of the program as background jobs of the window."""

import sys

import pytest
from pytestqt.qtbot import QtBot

from studio.gui.base.command_job import CommandJob

COMMAND = [sys.executable, "-c"]


def test_command_job_reads_last_line(qtbot: QtBot) -> None:
    job = CommandJob(["print('hello'); print('{\"rows\": 3}')"], command=COMMAND)
    with qtbot.waitSignal(job.done) as blocker:
        job.start()
    assert blocker.args == [{"rows": 3}]


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (
            "import sys; print('first\\nThe file is empty.', file=sys.stderr); sys.exit(1)",
            "The file is empty.",
        ),
        (
            "import json, sys; print(json.dumps({'$phrase': 'Row {n:,}.', 'values': {'n': 1200}}), "
            "file=sys.stderr); sys.exit(1)",
            "Row 1,200.",
        ),
        ("raise SystemExit(7)", "code 7"),
        ("print('no json')", "be read"),
        ("pass", "be read"),
        ("print('[' * 100_000)", "be read"),
        ('print(\'{"progress": 1, "done": 1e999, "of": 2}\'); print(1)', "be read"),
    ],
)
def test_command_job_reports_failure(qtbot: QtBot, program: str, expected: str) -> None:
    job = CommandJob([program], command=COMMAND)
    with qtbot.waitSignal(job.failed) as blocker:
        job.start()
    assert expected in blocker.args[0]


def test_stopping_command_job_terminates_process(qtbot: QtBot) -> None:
    job = CommandJob(["import time; time.sleep(60)"], command=COMMAND)
    job.start()
    qtbot.waitUntil(lambda: job.is_running)
    with qtbot.waitSignal(job.failed) as blocker:
        job.stop()
    (text,) = blocker.args
    assert text.startswith("Stopped")
    assert not job.is_running
