"""No page is cut in the smallest window."""

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from studio import language
from studio.data.samples import list_samples
from studio.gui.base import theme
from studio.gui.base.localisation import set_languages
from studio.gui.pages.run.form import RunForm
from studio.gui.pages.welcome.page import DropArea
from studio.gui.session.session import Session
from studio.gui.shell.frame.page_list import PAGES, WELCOME
from studio.gui.shell.window import MainWindow
from studio.gui.widgets.fields import Field, FieldTitle


@pytest.fixture(params=("en", "fr", language.PSEUDO))
def window_language(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param not in (*language.list_languages(), language.PSEUDO):
        pytest.skip("its catalogue is not compiled")
    set_languages(request.param)
    yield request.param
    set_languages("en")


def find_cut_widgets(page: QWidget) -> list[str]:
    """Return the widgets cut at the right edge."""
    off = Qt.ScrollBarPolicy.ScrollBarAlwaysOff
    return [
        f"{type(inside).__name__} needs {inside.width()} of {area.viewport().width()} pixels"
        for area in page.findChildren(QScrollArea)
        if area.horizontalScrollBarPolicy() == off
        and area.isVisible()
        and (inside := area.widget()).width() > area.viewport().width()
    ]


@pytest.mark.slow
def test_page_texts_are_not_truncated(window_language: str, helper: Any, qtbot: QtBot) -> None:
    del window_language
    session = Session()
    window = MainWindow(session, helper)
    session.setParent(window)
    qtbot.addWidget(window, before_close_func=lambda w: w.session.close())
    window.resize(window.minimumSize())
    window.show()
    window.opening.open_sample(list_samples()[1])
    qtbot.waitUntil(lambda: window.data.is_ready and not window.data.busy)
    cut = {}
    window.show_page("run")
    run_form = window.findChild(RunForm)
    assert run_form is not None
    qtbot.waitUntil(lambda: window.run.catalogue is not None)
    run_form.other_methods.header_button.setChecked(True)
    window.run.choose_method("DivBO", "binary")
    for switch in (run_form.by_name, run_form.from_parts):
        switch.setChecked(True)
        # Cards are laid out again at each size.
        for size in (window.size() * 2, window.minimumSize()):
            window.resize(size)
            for _ in range(4):
                QApplication.processEvents()
        if problems := find_cut_widgets(window):
            cut[switch.text()] = problems
    for key, *_ in PAGES:
        window.show_page(key)
        for _ in range(4):
            QApplication.processEvents()
        problems = find_cut_widgets(window)
        if (needed := window.centralWidget().minimumSizeHint().height()) > window.height():
            problems.append(f"needs a height of {needed} of {window.height()} pixels")
        if problems:
            cut[key] = problems
    assert cut == {}


def find_cut_words(page: QWidget) -> list[str]:
    """Return the wrapped labels with a word that is wider than the label."""
    return [
        word
        for label in page.findChildren(QLabel)
        if label.isVisible() and label.wordWrap()
        for word in label.text().split()
        if label.fontMetrics().horizontalAdvance(word)
        > label.visibleRegion().boundingRect().width()
        and not label.visibleRegion().isEmpty()
    ]


@pytest.mark.slow
@pytest.mark.parametrize("scale", [1.5, 2.0])
def test_pages_fit_laptop_at_large_font_size(
    scale: float, helper: Any, qtbot: QtBot, qapp: QApplication
) -> None:
    theme.apply(qapp, theme.LIGHT, scale)
    session = Session()
    window = MainWindow(session, helper)
    session.setParent(window)
    qtbot.addWidget(window, before_close_func=lambda w: w.session.close())
    window.resize(1366, 728)
    window.show()
    window.opening.open_sample(list_samples()[1])
    qtbot.waitUntil(lambda: window.data.is_ready and not window.data.busy)
    cut = {}
    try:
        for key in (WELCOME, *(key for key, *_ in PAGES)):
            window.show_page(key)
            for _ in range(8):
                QApplication.processEvents()
            page = window.get_page_widget(key)
            if problems := find_cut_widgets(page) + find_cut_words(page):
                cut[key] = problems
    finally:
        theme.apply(qapp, theme.LIGHT)
    assert cut == {}


@pytest.mark.slow
def test_drop_area_image_is_above_heading(qtbot: QtBot, qapp: QApplication) -> None:
    area = DropArea()
    qtbot.addWidget(area)
    area.show()
    try:
        for scale in (1.0, 2.0):
            theme.apply(qapp, theme.LIGHT, scale)
            area.resize(420, 320)
            QApplication.processEvents()
            image = area.grab().toImage()
            top = area._heading.y()
            # In the centre of the area, only the image has the accent colour.
            rows = [
                y
                for y in range(4, image.height() - 4)
                if any(
                    image.pixelColor(x, y).name() == theme.LIGHT.accent
                    for x in range(image.width() // 2 - 30, image.width() // 2 + 30)
                )
            ]
            assert rows and max(rows) < top, scale
    finally:
        theme.apply(qapp, theme.LIGHT)


def test_fixed_width_field_fits_its_name(qtbot: QtBot, qapp: QApplication) -> None:
    field = Field("Probability", QLineEdit(), unit="%", width=128)
    qtbot.addWidget(field)
    field.show()
    try:
        theme.apply(qapp, theme.LIGHT, 2.0)
        QApplication.processEvents()
        (title,) = field.findChildren(FieldTitle)
        assert QLabel.text(title) == "Probability", "not elided"
        assert field.width() == 256
    finally:
        theme.apply(qapp, theme.LIGHT)
