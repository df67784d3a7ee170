"""Tests wait for events without time limits."""

import ast
import time
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QTimer, Signal
from pytestqt.qtbot import QtBot

WAITS = {"waitUntil", "waitSignal", "waitSignals", "waitExposed", "waitActive", "waitCallback"}
TESTS = Path(__file__).parent


class SignalEmitter(QObject):
    rung = Signal()


def test_bot_waits_for_condition_without_limit(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(0, 10**9, 3600))
    monkeypatch.setattr(time, "time", lambda: float(next(clock)))
    looks: list[None] = []

    def is_third_call() -> bool:
        looks.append(None)
        return len(looks) == 3

    qtbot.waitUntil(is_third_call)
    assert len(looks) == 3


def test_bot_does_not_wait_after_exception_in_event(qtbot: QtBot) -> None:
    QTimer.singleShot(0, lambda: 1 / 0)
    with pytest.raises(pytest.fail.Exception, match="ZeroDivisionError"):
        qtbot.waitUntil(lambda: False)


def test_bot_waits_for_signal_without_limit(qtbot: QtBot) -> None:
    bell = SignalEmitter()
    with qtbot.waitSignal(bell.rung) as one, qtbot.waitSignals([bell.rung]) as several:
        QTimer.singleShot(0, bell.rung.emit)
    assert one.timeout is None
    assert several.timeout is None


def test_missing_signal_is_detected(qtbot: QtBot) -> None:
    bell = SignalEmitter()
    with qtbot.assertNotEmitted(bell.rung, wait=10):
        pass


@pytest.mark.slow
def test_tests_do_not_define_timeouts() -> None:
    limited = [
        f"{path.relative_to(TESTS)}:{node.lineno}"
        for path in TESTS.rglob("*.py")
        if path.name != "unlimited_bot.py"
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in WAITS
        and any(word.arg == "timeout" for word in node.keywords)
    ]
    assert not limited, f"limits of time on a slow machine: {limited}"
