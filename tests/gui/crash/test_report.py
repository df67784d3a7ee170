"""The crash report: location of the error, without personal data."""

import getpass
import sys
from pathlib import Path

import pytest

from studio.gui.shell.commands.command_registry import ActionLog, get_action_log
from studio.gui.shell.crash import watch


def failing(value: str) -> None:
    raise ValueError(f"could not convert 'Smith' at {value} in \"salary\" to 1.25e-3")


def make_report() -> str:
    try:
        failing("12345")
    except ValueError:
        kind, error, trace = sys.exc_info()
        assert kind is not None and error is not None
        return watch.format_exception_report(kind, error, trace)
    raise AssertionError


def test_report_has_versions_traceback_and_actions() -> None:
    get_action_log().record_action("page.data")
    text = make_report()
    assert text.startswith("Ensemble Studio ")
    assert "Python " in text and "PySide " in text
    assert "ValueError" in text and "in failing" in text and "crash/test_report.py" in text
    assert "- page.data" in text


def test_report_contains_no_data_values() -> None:
    text = make_report().split("Fault\n")[1].splitlines()[0]
    for value in ("Smith", "12345", "salary", "1.25", "e-3"):
        assert value not in text
    message = "could not convert '…' at # in '…' to #"
    assert text == f"builtins.ValueError: {message}"


def test_report_hides_user_name_and_home_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/home/ada"))
    monkeypatch.setattr(getpass, "getuser", lambda: "ada")
    anonymous_text = watch.anonymise("/home/ada/x /srv/ada/y adapt")
    assert anonymous_text.split() == ["~/x", "/srv/user/y", "adapt"]


def test_long_message_is_truncated() -> None:
    assert len(watch.remove_values("word " * 1000)) < 500


def test_action_log_keeps_newest_actions() -> None:
    action_log = ActionLog()
    recorded_names: list[str] = []
    action_log.follow(recorded_names.append)
    for number in range(40):
        action_log.record_action(f"n{number}")
    action_log.follow(None)
    action_log.record_action("last")
    assert len(action_log.names) == 30 and action_log.names[-1] == "last"
    assert recorded_names[-1] == "n39" and len(recorded_names) == 40


def test_report_works_without_home_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", unknown)
    monkeypatch.setattr(getpass, "getuser", lambda: "ada")
    assert watch.anonymise("/home/ada/x") == "/home/user/x"
