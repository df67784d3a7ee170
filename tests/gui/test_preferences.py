"""Preferences: typed, validated, with notification."""

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QSettings

from studio.gui.base import preferences, user_paths
from studio.gui.base.preferences import Preferences


def test_fresh_preferences_have_defaults() -> None:
    assert preferences.load() == Preferences()


def test_preferences_round_trip_with_types(tmp_path: Path) -> None:
    saved_preferences = Preferences("fr", "dark", 1.2, 1.6, 3, str(tmp_path), False, "pause")
    preferences.save(saved_preferences)
    QSettings().sync()
    assert preferences.load() == saved_preferences


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("look", "pink"),
        ("language", "../x"),
        ("language", 7),
        ("type_scale", "large"),
        ("type_scale", 40),
        ("presentation_scale", 0.1),
        ("presentation_scale", "nan"),
        ("workers", -1),
        ("workers", "many"),
        ("workers", [1, 2]),
        ("folder", "/no/such/folder"),
        ("reopen", "perhaps"),
        ("leaving", "explode"),
    ],
)
def test_invalid_preferences_are_ignored(name: str, value: Any) -> None:
    QSettings().setValue(f"preferences/{name}", value)
    assert preferences.load() == Preferences()


def test_preference_listeners_are_notified_of_changes_only() -> None:
    notifications: list[Preferences] = []
    preferences.get_notifier().changed.connect(notifications.append)
    preferences.save(Preferences())
    preferences.save(Preferences(look="dark"))
    preferences.save(Preferences(look="dark"))
    preferences.get_notifier().changed.disconnect(notifications.append)
    assert notifications == [Preferences(look="dark")]


def test_new_documents_are_created_in_preferred_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    folder = tmp_path / "work"
    folder.mkdir()
    preferences.save(Preferences(folder=str(folder)))
    path = user_paths.find_untitled_path("pima")
    assert path == folder / "pima.studio"
    # It is already in the user's folder: saving it elsewhere must copy, not move it.
    assert not user_paths.is_untitled(path)
