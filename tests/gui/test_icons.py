"""Icons exist for all pages, and share one style."""

import re
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QIcon
from PySide6.QtWidgets import QApplication

from studio.assets import RESOURCES
from studio.gui.base import icons, theme
from studio.gui.shell.frame.page_list import PAGES

FILES = sorted((RESOURCES / "icons").glob("*.svg"))
SOURCES = sorted((Path(__file__).parents[2] / "studio" / "gui").rglob("*.py"))


def test_pages_have_icons(qapp: QApplication) -> None:
    for key, *_ in PAGES:
        assert not icons.make_icon(key).isNull()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_icons_share_one_style(path: Path) -> None:
    text = path.read_text("utf-8")
    assert 'viewBox="0 0 24 24"' in text or path.stem.endswith(("-light", "-dark"))
    assert "<script" not in text and "href" not in text
    if not path.stem.endswith(("-light", "-dark")):
        assert "currentColor" in text


def test_used_icons_exist() -> None:
    icon_names = {
        name
        for path in SOURCES
        for name in re.findall(r'icon(?:=|s\.icon\()"([a-z-]+)"', path.read_text("utf-8"))
    }
    assert len(icon_names) > 10
    assert icon_names <= {path.stem for path in FILES}


@pytest.mark.parametrize("tokens", [theme.LIGHT, theme.DARK], ids=lambda each: each.key)
def test_disabled_icon_is_as_faint_as_disabled_text(
    tokens: theme.Theme, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(theme, "current", lambda: tokens)
    icon = icons.make_icon("live", size=48)
    for mode, expected in ((QIcon.Mode.Normal, tokens.text), (QIcon.Mode.Disabled, tokens.faint)):
        picture = icon.pixmap(48, 48, mode).toImage()
        pixels = [
            picture.pixelColor(x, y)
            for x in range(picture.width())
            for y in range(picture.height())
        ]
        assert {QColor(each.rgb()).name() for each in pixels if each.alpha() == 255} == {expected}
