"""The bundled typeface: weights, digit widths and script coverage."""

import re
from pathlib import Path

import pytest
from PySide6.QtGui import QFont, QFontDatabase, QFontInfo, QFontMetricsF, QRawFont, QTextLayout
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from bundle.components import typeface
from bundle.contents import is_kept
from studio.gui.base import theme
from studio.gui.widgets import kit

ROOT = Path(__file__).parents[2]
SIZES = (theme.SMALL, theme.BODY, theme.LARGE, theme.TITLE)


@pytest.mark.parametrize("bold", [False, True])
def test_font_weights_are_loaded_from_package(bold: bool) -> None:
    raw = QRawFont.fromFont(theme.font(bold=bold))
    assert (raw.familyName(), raw.weight()) == ("Inter", 600 if bold else 400)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("bold", [False, True])
def test_digits_have_equal_width(size: int, bold: bool) -> None:
    metrics = QFontMetricsF(theme.font(size, bold=bold))
    assert len({metrics.horizontalAdvance(str(digit) * 10) for digit in range(10)}) == 1


def test_typeface_keeps_word_spacing() -> None:
    plain = theme.font()
    plain.unsetFeature(QFont.Tag("tnum"))
    text = "scikit-learn, a library (free)"
    widths = [QFontMetricsF(each).horizontalAdvance(text) for each in (theme.font(), plain)]
    assert widths[0] == widths[1]


@pytest.mark.parametrize("role", ["", "title", "section", "muted", "small", "figure", "pill"])
def test_style_sheet_uses_both_weights(role: str, qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    one, eight = kit.label("11111111", role), kit.label("88888888", role)
    kit.column(one, eight, parent=page)
    page.show()
    assert QFontInfo(one.font()).family() == "Inter"
    assert one.sizeHint().width() == eight.sizeHint().width()


def test_typeface_covers_supported_languages(qtbot: QtBot) -> None:
    raw = QRawFont.fromFont(theme.font())
    texts = [path.read_text("utf-8") for path in (ROOT / "resources/translations").glob("*.po")]
    texts += [path.read_text("utf-8") for path in (ROOT / "docs/guide").glob("*.md")]
    letters = {letter for text in texts for letter in text if letter.isalpha()}
    assert len(letters) > 70
    assert {letter for letter in letters if not raw.supportsCharacter(ord(letter))} == set()
    for sign in "…·×±²½€–—“”’→−≤≥≈√Σ∞▲✓":
        assert raw.supportsCharacter(ord(sign)), sign


def test_other_scripts_use_system_fonts(qtbot: QtBot) -> None:
    others = set(QFontDatabase.families(QFontDatabase.WritingSystem.Hebrew)) - {"Inter"}
    if not others:
        pytest.skip("this machine has no font of another script")
    layout = QTextLayout("loss אבג", theme.font())
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    runs = {run.rawFont().familyName(): run.glyphIndexes() for run in layout.glyphRuns()}
    assert "Inter" in runs and len(runs) == 2
    assert all(0 not in glyphs for glyphs in runs.values())


@pytest.mark.slow
def test_typeface_is_applied_to_existing_widgets(qapp: QApplication, qtbot: QtBot) -> None:
    label = QLabel("1")
    qtbot.addWidget(label)
    theme.apply(qapp, theme.DARK, 1.4)
    assert QFontInfo(label.font()).family() == "Inter"


@pytest.mark.slow
def test_packages_include_typeface_and_licence() -> None:
    files = {path.name for path in (ROOT / "resources" / "fonts").iterdir()}
    assert files == {"Inter-Regular.ttf", "Inter-SemiBold.ttf", "LICENSE.txt", "README.md"}
    assert all(is_kept(f"studio/_resources/fonts/{name}", from_system=False) for name in files)
    (text,) = typeface().texts
    assert re.search("OPEN FONT LICENSE .* 1.1", text.read_text("utf-8"))
    assert sum(each.stat().st_size for each in text.parent.iterdir()) < 700_000
