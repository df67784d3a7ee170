"""No page is cut in the smallest window."""

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from studio import language
from studio.data.samples import list_samples
from studio.gui.base.localisation import set_languages
from studio.gui.pages.run.form import RunForm
from studio.gui.session.session import Session
from studio.gui.shell.frame.page_list import PAGES
from studio.gui.shell.window import MainWindow


@pytest.fixture(params=("en", "fr", language.PSEUDO))
def spoken(request: pytest.FixtureRequest) -> Iterator[str]:
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
def test_page_texts_are_not_truncated(spoken: str, helper: Any, qtbot: QtBot) -> None:
    del spoken
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
