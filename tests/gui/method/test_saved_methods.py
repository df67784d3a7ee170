"""The user's own methods."""

import pytest
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from studio.errors import UsageError
from studio.gui.drafts.run_model import SavedMethod, SavedMethods

KEPT = SavedMethod("Mine", "EO-sig", {"surrogate.kernel": "matern"})


def test_saved_method_can_be_loaded_and_deleted(qtbot: QtBot) -> None:
    mine = SavedMethods()
    with qtbot.waitSignal(mine.changed):
        mine.save(KEPT, set())
    assert SavedMethods().list_methods() == [KEPT]
    assert mine.find("EO-sig", {"surrogate.kernel": "matern"}) == KEPT
    assert mine.find("EO-sig", {}) is None
    mine.delete("Mine")
    assert SavedMethods().list_methods() == []


def test_saving_method_under_same_name_replaces_it(qtbot: QtBot) -> None:
    mine = SavedMethods()
    mine.save(KEPT, set())
    mine.save(SavedMethod(" Mine ", "RS", {"ensemble": "greedy"}), set())
    assert [(each.name, each.method) for each in mine.list_methods()] == [("Mine", "RS")]


@pytest.mark.parametrize(
    ("name", "reason"), [(" ", "name"), ("EO-sig", "papers"), ("x" * 61, "60")]
)
def test_invalid_method_names_are_rejected(name: str, reason: str) -> None:
    mine = SavedMethods()
    with pytest.raises(UsageError, match=reason):
        mine.save(SavedMethod(name, "RS", {}), {"EO-sig"})
    assert mine.list_methods() == []


@pytest.mark.parametrize(
    "stored", ["{", "3", '[{"name": "x"}]', '[{"name":"x","method":"RS","overrides":7}]']
)
def test_damaged_settings_are_not_modified(stored: str) -> None:
    QSettings().setValue("run/my_methods", stored)
    assert SavedMethods().list_methods() == []
