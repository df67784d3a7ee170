"""The two looks."""

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from studio.gui import theme


def luminance(text: str) -> float:
    def linear(part: float) -> float:
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4

    colour = QColor(text)
    red, green, blue = (linear(v) for v in (colour.redF(), colour.greenF(), colour.blueF()))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("look", [theme.LIGHT, theme.DARK], ids=lambda look: look.key)
def test_text_can_be_read_on_every_ground(look: theme.Theme) -> None:
    for ground in (look.background, look.surface, look.accent_soft):
        assert contrast(look.text, ground) >= 7
        for colour in (look.muted, look.accent, look.good, look.warn, look.bad):
            assert contrast(colour, ground) >= 4.5, (colour, ground)
    assert contrast(look.on_accent, look.accent) >= 4.5


@pytest.mark.parametrize("look", [theme.LIGHT, theme.DARK], ids=lambda look: look.key)
def test_series_stand_out_from_a_plot(look: theme.Theme) -> None:
    assert len(set(look.series)) == 8
    assert all(contrast(colour, look.surface) >= 1.9 for colour in look.series)


def test_listeners_are_told_of_another_theme(qapp: QApplication) -> None:
    seen: list[theme.Theme] = []
    theme.notifier().changed.connect(seen.append)
    theme.apply(qapp, theme.DARK)
    theme.notifier().changed.disconnect(seen.append)
    assert seen == [theme.DARK]
    assert theme.current() is theme.DARK
    assert qapp.palette().window().color() == QColor(theme.DARK.background)
