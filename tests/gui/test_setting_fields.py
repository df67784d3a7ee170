"""Fields generated from declared settings."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from studio.gui.widgets.fields import NumberEdit
from studio.gui.widgets.setting_fields import ChoiceCheckBox, SettingFields
from studio.runs.choices import DeclaredSettings
from studio.setting import iter_settings
from tests.facts import contains_facts

GROUPS = ("time", "budget", "training", "limits", "place")


class Form:
    """All fields of a run's settings with their values."""

    def __init__(self, qtbot: QtBot) -> None:
        self.chosen: dict[str, object] = {}
        self.wrong: dict[str, str] = {}
        self.fields = SettingFields(
            self.chosen.__setitem__, self.wrong.__setitem__, cores=2, example="tcp://x"
        )
        self.rows: list[QWidget] = []
        for group in GROUPS:
            self.rows += self.fields.make_group_fields(DeclaredSettings, group)
        for row in self.rows:
            qtbot.addWidget(row)
        self.show()

    def show(self, task: str = "binary", **values: object) -> None:
        """Show the defaults, overridden by these values."""
        declared = {each.name: each.default for each in iter_settings(DeclaredSettings)}
        self.fields.show({**declared, **values}, task)


@pytest.fixture
def form(qtbot: QtBot) -> Form:
    return Form(qtbot)


def test_setting_fields_have_names_and_tooltips(form: Form) -> None:
    grouped = {each.name for each in iter_settings(DeclaredSettings) if each.group}
    assert set(form.fields.inputs) == grouped
    for field in form.fields.inputs.values():
        assert field.accessibleName()
        assert field.toolTip()
        assert "{" not in field.toolTip()


@pytest.mark.parametrize(
    ("name", "typed", "expected"),
    [
        ("budget", "1,200", 1200),
        ("seconds", "2.5", 150.0),
        ("trial_memory", "", None),
        ("trial_memory", "512", 512),
        ("trial_seconds", "7", 7.0),
    ],
)
def test_number_is_stored_in_unit_of_setting(
    form: Form, qtbot: QtBot, name: str, typed: str, expected: object
) -> None:
    field = form.fields.inputs[name]
    form.show(**{name: 900})
    assert field.text() == ("15 min" if name.endswith("seconds") else "900")
    field.selectAll()
    qtbot.keyClick(field, Qt.Key.Key_Delete)
    qtbot.keyClicks(field, typed)
    assert form.chosen.get(name) == expected


def test_invalid_numbers_are_reported_and_ignored(form: Form, qtbot: QtBot) -> None:
    field: Any = form.fields.inputs["workers"]
    assert isinstance(field, NumberEdit)
    field.clear()
    qtbot.keyClicks(field, "0")
    assert form.chosen == {}
    assert contains_facts(form.wrong["Parallel trials (workers)"], "whole number", "from 1")
    form.show(workers=3)
    assert form.wrong["Parallel trials (workers)"] == ""


def test_invalid_address_is_reported_and_ignored(form: Form, qtbot: QtBot) -> None:
    field: Any = form.fields.inputs["cluster"]
    qtbot.keyClicks(field, "my cluster\r")
    assert form.chosen == {}
    assert "'my cluster'" in form.wrong["Dask cluster (address)"]
    form.show(workers=3)
    assert field.text() == "my cluster", "typed text is kept"
    field.clear()
    qtbot.keyClicks(field, " local:4 \r")
    assert form.chosen == {"cluster": "local:4"}
    assert form.wrong["Dask cluster (address)"] == ""
    qtbot.keyClick(field, Qt.Key.Key_Home)
    qtbot.keyClicks(field, "?\r")
    assert form.wrong["Dask cluster (address)"]
    form.show(cluster="tcp://a:1")
    assert (field.text(), form.wrong["Dask cluster (address)"]) == ("tcp://a:1", "")


@pytest.mark.parametrize(
    ("address", "allowed"),
    [
        ("", True),
        ("localhost:8786", True),
        ("tls://scheduler.example.org:8786", True),
        ("tcp://[fe80::1]:8786", True),
        ("local:4", True),
        ("local:0", False),
        ("10.0.0.5", False),
        ("tcp://", False),
        ("host:port", False),
    ],
)
def test_cluster_address_needs_host_and_port(address: str, allowed: bool) -> None:
    assert (DeclaredSettings(cluster=address).list_problems() == []) is allowed


def test_inapplicable_binary_setting_hides_checkbox(form: Form) -> None:
    check_box = form.fields.inputs["class_weights"]
    assert isinstance(check_box, ChoiceCheckBox)
    assert not check_box.isChecked()
    check_box.click()
    assert form.chosen == {"class_weights": "balanced"}
    form.show("regression")
    assert check_box.isHidden()
    form.show("multiclass", class_weights="balanced")
    assert check_box.isChecked()
    assert not check_box.isHidden()
