"""The theme depends on the preferences, the system's colour scheme and presentation mode."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QApplication, QCheckBox

from studio.gui.base import preferences, theme
from studio.gui.base.preferences import Preferences, get_appearance


@pytest.fixture(autouse=True)
def not_presenting() -> Iterator[None]:
    get_appearance()  # from now on it receives changes
    yield
    get_appearance().set_presenting(False)


def system(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    """Simulate a change of the system's colour scheme."""
    monkeypatch.setattr(preferences, "_get_system_theme", lambda: key)
    dark = Qt.ColorScheme.Dark if key == "dark" else Qt.ColorScheme.Light
    QGuiApplication.styleHints().colorSchemeChanged.emit(dark)


def test_theme_follows_system(monkeypatch: pytest.MonkeyPatch) -> None:
    get_appearance().apply()
    system(monkeypatch, "dark")
    assert theme.current() is theme.DARK
    system(monkeypatch, "light")
    assert theme.current() is theme.LIGHT


def test_selected_theme_ignores_system(monkeypatch: pytest.MonkeyPatch) -> None:
    preferences.save(Preferences(look="light"))
    system(monkeypatch, "dark")
    assert theme.current() is theme.LIGHT


def test_icons_are_found_from_any_folder(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtlog: Any
) -> None:
    name = """Zoë's R&D, 100% {x} a "b"; c)d #1"""

    def draw_sample() -> QImage:
        monkeypatch.setattr(theme.get_notifier(), "sheet", "")  # as before the first theme
        theme.apply(qapp, theme.LIGHT)
        box = QCheckBox()
        theme.style_window(box)
        box.setChecked(True)
        return box.grab().toImage()

    here = draw_sample()
    copied = shutil.copytree(theme.ICONS, tmp_path / name / "icons")
    monkeypatch.setattr(theme, "ICONS", copied)
    assert draw_sample() == here
    monkeypatch.setattr(theme, "ICONS", tmp_path / "nowhere")
    assert draw_sample() != here
    monkeypatch.undo()
    assert draw_sample() == here
    assert [each.message for each in qtlog.records if "style" in each.message] == []


@pytest.mark.slow
def test_toggled_theme_is_remembered() -> None:
    get_appearance().apply()
    get_appearance().toggle()
    assert theme.current() is theme.DARK
    assert preferences.load().look == "dark"
    get_appearance().toggle()
    assert preferences.load().look == "light"


def test_changed_preferences_apply_immediately() -> None:
    preferences.save(Preferences(look="dark", type_scale=1.2))
    assert theme.current() is theme.DARK
    assert theme.scale() == 1.2


@pytest.mark.parametrize("height", [440, 768, 2160])
@pytest.mark.parametrize("type_scale", [1.0, 1.3])
def test_presentation_mode_enlarges_for_every_screen_height(height: int, type_scale: float) -> None:
    preferences.save(Preferences(type_scale=type_scale))
    normal = theme.scale(), theme.font(theme.SMALL).pixelSize(), theme.stroke(7.0)
    get_appearance().set_presenting(True, height)
    presented = theme.scale(), theme.font(theme.SMALL).pixelSize(), theme.stroke(7.0)
    assert all(large > usual for large, usual in zip(presented, normal, strict=True))


def test_presentation_mode_does_not_shrink_type() -> None:
    preferences.save(Preferences(type_scale=1.5, presentation_scale=1.4))
    get_appearance().set_presenting(True)
    assert theme.scale() == 1.5


@pytest.mark.slow
def test_presentation_mode_restores_sizes() -> None:
    preferences.save(Preferences(type_scale=1.1, presentation_scale=1.5))
    presenting_states: list[bool] = []
    get_appearance().presenting_changed.connect(presenting_states.append)
    get_appearance().set_presenting(True)
    get_appearance().set_presenting(True)
    assert theme.scale() == 1.5
    preferences.save(Preferences(type_scale=1.1, presentation_scale=1.8))
    assert theme.scale() == 1.8
    get_appearance().set_presenting(False)
    get_appearance().presenting_changed.disconnect(presenting_states.append)
    assert theme.scale() == 1.1
    assert presenting_states == [True, False]
