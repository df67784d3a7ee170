"""The two themes: contrast, distinct colours, and scaling."""

import dataclasses
import gc
from itertools import combinations
from pathlib import Path
from runpy import run_path

import numpy as np
import pytest
from PySide6.QtCore import QEvent
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QLabel,
    QMessageBox,
    QPushButton,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from studio.figures.ink import HUES, RUN_HUES, get_run_ink, make_series_ink
from studio.gui.base import theme
from studio.gui.base.inks import get_colour
from studio.gui.base.question import QuestionBox
from studio.gui.plots.painting.scale import get_scale_colour, get_text_colour_on_scale
from studio.gui.session.learner_names import get_learner_inks
from studio.gui.shell.window import MainWindow
from studio.gui.widgets import kit
from studio.space import library

SEEN = run_path(str(Path(__file__).parent / "colour_vision.py"))
contrast, distance, VISION = SEEN["contrast"], SEEN["distance"], SEEN["VISION"]
lab = SEEN["lab"]

LOOKS = pytest.mark.parametrize("look", [theme.LIGHT, theme.DARK], ids=lambda look: look.key)

# Every text colour of the style sheet on each of its backgrounds.
PAIRS = [
    *((text, ground) for text in ("text", "muted") for ground in
      ("background", "surface", "raised", "accent_soft")),
    ("text", "border"),  # a pressed button
    *((text, ground) for text in ("accent", "good", "warn", "bad") for ground in
      ("background", "surface", "accent_soft")),
    ("on_accent", "accent"),
    ("on_accent", "accent_strong"),
]  # fmt: skip


@LOOKS
@pytest.mark.parametrize(("text", "background"), PAIRS)
def test_text_contrasts_with_every_background(
    look: theme.Theme, text: str, background: str
) -> None:
    assert contrast(getattr(look, text), getattr(look, background)) >= 4.5


@LOOKS
def test_icons_and_focus_frame_have_sufficient_contrast(look: theme.Theme) -> None:
    # WCAG 1.4.11: contrast of parts needed to identify a control.
    for ground in (look.background, look.surface):
        assert contrast(look.accent, ground) >= 3
        assert contrast(look.muted, ground) >= 3


@LOOKS
def test_series_colours_contrast_with_plot_background(look: theme.Theme) -> None:
    assert len(set(look.series)) == 8
    assert all(contrast(colour, look.surface) >= 1.9 for colour in look.series)


@LOOKS
@pytest.mark.parametrize("vision", VISION)
def test_series_colours_are_distinguishable_with_colour_blindness(
    look: theme.Theme, vision: str
) -> None:
    assert min(distance(a, b, vision) for a, b in combinations(look.series, 2)) >= 15


@LOOKS
@pytest.mark.parametrize("vision", VISION)
def test_no_run_has_a_colour_of_a_learner(
    look: theme.Theme, vision: str, qapp: QApplication
) -> None:
    theme.apply(qapp, look)
    runs = [get_colour(get_run_ink(number + 1)).name() for number in range(RUN_HUES)]
    learners = [get_colour(make_series_ink(index)).name() for index in range(2 * HUES)]
    assert min(distance(a, b, vision) for a, b in combinations(runs, 2)) >= 15
    assert min(distance(run, each, vision) for run in runs for each in learners) >= 10
    if vision == "ordinary":
        assert min(distance(run, each) for run in runs for each in learners) >= 30
        assert all(contrast(each, look.surface) >= 4 for each in runs), "their labels have it"


@LOOKS
@pytest.mark.parametrize("vision", VISION)
def test_state_colours_are_distinguishable_with_colour_blindness(
    look: theme.Theme, vision: str
) -> None:
    # They always accompany a word or symbol; even so, good must not look like bad.
    assert distance(look.good, look.bad, vision) >= 15


def test_colour_blindness_simulation_reduces_red_green_contrast() -> None:
    red, green = "#c04040", "#607830"
    assert distance(red, green) > 3 * distance(red, green, "deuteranopia")
    assert distance(red, green) > 2 * distance(red, green, "protanopia")
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


def test_theme_listeners_are_notified(qapp: QApplication) -> None:
    themes: list[theme.Theme] = []
    theme.get_notifier().changed.connect(themes.append)
    theme.apply(qapp, theme.DARK)
    theme.get_notifier().changed.disconnect(themes.append)
    assert themes == [theme.DARK]


def test_garbage_collection_is_disabled_during_style_change(
    qapp: QApplication, qtbot: QtBot
) -> None:
    collecting: list[bool] = []

    class Window(QWidget):
        def changeEvent(self, event: QEvent) -> None:  # noqa: N802
            if event.type() is QEvent.Type.StyleChange:
                collecting.append(gc.isenabled())

    window = Window()
    qtbot.addWidget(window)
    collecting.clear()
    gc.enable()  # off in these tests
    theme.apply(qapp, theme.DARK)
    is_restored = gc.isenabled()
    gc.disable()
    assert collecting and not any(collecting)
    assert is_restored


@pytest.mark.slow
def test_windows_created_later_have_the_style_sheet(qapp: QApplication, qtbot: QtBot) -> None:
    theme.apply(qapp, theme.DARK)
    window = MainWindow(complete=False)
    qtbot.addWidget(window)
    assert window.styleSheet() == theme.get_notifier().sheet
    theme.apply(qapp, theme.LIGHT)
    assert window.styleSheet() == theme.get_notifier().sheet
    box = QuestionBox(None, "Title", "Text")
    qtbot.addWidget(box)
    assert box.styleSheet() == window.styleSheet()
    assert not qapp.styleSheet()


def test_themes_have_all_tokens() -> None:
    for field in dataclasses.fields(theme.Theme):
        assert getattr(theme.LIGHT, field.name) and getattr(theme.DARK, field.name)


@pytest.mark.slow
def test_font_sizes_scale_with_one_factor(qapp: QApplication, qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    plain, title, own = QLabel("a"), kit.label("b", "title"), QLabel("c")
    theme.set_font_size(own, theme.LARGE, bold=True)
    button = kit.button("d", lambda: None, icon="play", tip="d")
    column = QVBoxLayout(page)
    for widget in (plain, title, own, button):
        column.addWidget(widget)
    page.show()

    def sizes() -> list[int]:
        return [each.font().pixelSize() for each in (plain, title, own)]

    assert sizes() == [13, 20, 15]
    height = button.sizeHint().height()
    theme.apply(qapp, theme.DARK, 1.4)
    kit.redraw_icons(page)
    assert sizes() == [18, 28, 21]
    assert theme.font(theme.SMALL).pixelSize() == theme.pixels(12) == 17
    assert theme.stroke(2.0) == pytest.approx(2.8)
    assert button.sizeHint().height() > height
    assert button.iconSize().width() == 25
    assert (
        isinstance(button, QPushButton)
        and button.icon().actualSize(button.iconSize()).width() == 25
    )
    theme.apply(qapp, theme.LIGHT)
    assert sizes() == [13, 20, 15]


@LOOKS
def test_more_than_eight_branches_have_distinct_colours(
    look: theme.Theme, qapp: QApplication
) -> None:
    theme.apply(qapp, look)
    names = [f"learner {number}" for number in range(12)]
    colours = {name: get_colour(ink) for name, ink in get_learner_inks(names).items()}
    for one, other in combinations(names, 2):
        assert distance(colours[one].name(), colours[other].name()) >= 15, (one, other)
    for name in names[8:]:
        assert contrast(colours[name].name(), look.surface) >= 3


@LOOKS
def test_learners_of_shipped_spaces_have_distinguishable_colours(
    look: theme.Theme, qapp: QApplication
) -> None:
    theme.apply(qapp, look)
    roots = [library.load(each.key).find_root_choice() for each in library.list_shipped_spaces()]
    sets = {tuple(map(str, root.choices)) for root in roots if root is not None}
    assert any(len(learners) > 8 for learners in sets)
    for learners in sets:
        inks = get_learner_inks(list(learners))
        for one, other in combinations(learners, 2):
            first, second = (get_colour(inks[each]).name() for each in (one, other))
            assert distance(first, second) >= 22, (learners, one, other)
            for vision in VISION:
                assert distance(first, second, vision) >= 11, (learners, one, other, vision)


@LOOKS
def test_heat_map_scale_is_perceptually_uniform(look: theme.Theme, qapp: QApplication) -> None:
    theme.apply(qapp, look)
    colours = [get_scale_colour(step / 16).name() for step in range(17)]
    for vision in VISION:
        lightness = np.array([lab(each, vision)[0] for each in colours])
        steps = np.diff(lightness) * (1 if look.is_dark else -1)
        assert steps.min() > 0.6 * steps.mean(), f"a part of it is flat for {vision}"
        assert steps.max() < 1.4 * steps.mean(), vision
        assert abs(lightness[-1] - lightness[0]) > 55, vision


@LOOKS
def test_heat_map_scale_matches_theme(look: theme.Theme, qapp: QApplication) -> None:
    theme.apply(qapp, look)
    colours = [QColor(get_scale_colour(step / 16)) for step in range(17)]
    assert (
        distance(colours[0].name(), look.surface) < distance(colours[-1].name(), look.surface) / 3
    )
    accent = QColor(look.accent).hslHue()
    assert all(abs(each.hslHue() - accent) <= 20 for each in colours[1:-1])


@LOOKS
def test_text_is_readable_on_heat_map(look: theme.Theme, qapp: QApplication) -> None:
    theme.apply(qapp, look)
    for step in range(256):
        background, text = (
            get_scale_colour(step / 255).name(),
            get_text_colour_on_scale(step / 255).name(),
        )
        assert contrast(text, background) >= 4.5, step
        assert (text == theme.WHITE) == (contrast(theme.WHITE, background) >= 4.5), step
    assert get_text_colour_on_scale(float("nan")).name() == look.text, (
        "an empty cell shows the ground"
    )


@pytest.mark.slow
def test_short_message_boxes_have_minimum_width(qapp: QApplication, qtbot: QtBot) -> None:
    theme.apply(qapp, theme.LIGHT)
    box = QMessageBox()
    qtbot.addWidget(box)
    box.setText("Remove it?")
    box.setInformativeText("All 60 models and everything learnt will be removed.")
    box.show()
    labels = [each for each in box.findChildren(QLabel) if each.text()]
    assert len(labels) == 2
    assert min(each.width() for each in labels) >= 320


def test_padding_of_chips_and_drop_downs_scales_with_font_size(
    qtbot: QtBot, qapp: QApplication
) -> None:
    chip, chooser = kit.chip("What if", lambda: None), QComboBox()
    chooser.addItem("As they joined")
    for each in (chip, chooser):
        qtbot.addWidget(each)
        each.show()

    def measure() -> list[int]:
        texts = (chip.text(), chooser.currentText())
        return [
            each.sizeHint().width() - each.fontMetrics().horizontalAdvance(text)
            for each, text in zip((chip, chooser), texts, strict=True)
        ]

    normal = measure()
    theme.apply(qapp, theme.LIGHT, 2.0)
    try:
        assert all(big > 1.6 * small for big, small in zip(measure(), normal, strict=True))
    finally:
        theme.apply(qapp, theme.LIGHT)


def test_focused_chip_has_theme_focus_ring(qtbot: QtBot, qapp: QApplication) -> None:
    theme.apply(qapp, theme.LIGHT)
    window = QWidget()
    chip, other = kit.chip("What if", lambda: None), kit.chip("Why", lambda: None)
    kit.row(chip, other, parent=window)
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    other.setFocus()
    size = chip.sizeHint()
    chip.setFocus()
    qtbot.waitUntil(chip.hasFocus)
    assert chip.sizeHint() == size
    image, middle = chip.grab().toImage(), chip.height() // 2
    accent = QColor(theme.LIGHT.accent)
    assert image.pixelColor(0, middle) == image.pixelColor(1, middle) == accent
    top = {image.pixelColor(x, 0).name() for x in range(chip.width() // 3, chip.width() // 2)}
    assert top == {accent.name()}, "without gaps"
