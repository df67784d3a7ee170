"""The Welcome page as the window shows it."""

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication, QLabel, QScrollArea
from pytestqt.qtbot import QtBot

from studio.data.samples import list_recordings
from studio.figures.shapes import TextLabel
from studio.gui.base import theme, user_paths
from studio.gui.base.preferences import get_appearance
from studio.gui.pages.welcome.page import RunAnimation, SamplePicture, WelcomePage
from studio.gui.pages.welcome.pictures import draw_run
from studio.gui.shell.window import MainWindow
from studio.gui.widgets import kit


@pytest.mark.slow
def test_empty_document_shows_tables_and_samples_first(
    qtbot: Any, helper: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user_paths, "find_untitled_path", lambda _: tmp_path / "new.studio")
    window = MainWindow(helper=helper)
    qtbot.addWidget(window, before_close_func=lambda _: window.session.close())
    window.resize(907, 468)  # a screen of 1366 × 768 at 150 %
    window.show()
    (area,) = window.welcome.findChildren(QScrollArea)
    bar = area.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    assert bar.value() == 0
    bar.setValue(bar.maximum())
    window.documents.create()
    assert window.session.is_open and window.page == "welcome"
    window.show_page("data")
    bar.setValue(bar.maximum())
    window.show_page("welcome")
    assert bar.value() == 0, "a page begins at its top"


def add_documents(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / f"{name}.studio"
        path.write_bytes(b"")
        user_paths.add_recent(path)


@pytest.mark.slow
@pytest.mark.parametrize("size", [(1366, 768), (911, 512)])
def test_buttons_keep_their_places_with_any_number_of_documents(
    qtbot: QtBot, tmp_path: Path, size: tuple[int, int]
) -> None:
    page = WelcomePage()
    qtbot.addWidget(page)
    page.resize(*size)
    page.show()

    def get_places() -> list[QPoint]:
        for _ in range(4):
            QApplication.processEvents()
        buttons = [*page.recordings, page.guide_button, page.compare_button, page.drop_area]
        return [each.mapTo(page, QPoint()) for each in buttons]

    places = get_places()
    for count in range(1, 6):
        add_documents(tmp_path, f"document {count}")
        page.refresh()
        assert get_places() == places
        n_visible = len([each for each in page.recent_cards if each.isVisible()])
        assert n_visible == min(count, 4 if size[0] > 1000 else 3)


@pytest.mark.parametrize("size", [(1920, 1080), (1366, 768)])
def test_pictures_are_whole_in_presentation_mode(qtbot: QtBot, size: tuple[int, int]) -> None:
    page = WelcomePage()
    qtbot.addWidget(page)
    page.resize(*size)
    page.show()
    page.draw_pictures()
    get_appearance().set_presenting(True, size[1])
    try:
        for _ in range(4):
            QApplication.processEvents()
        scale = theme.scale()
        assert scale > 1.2
        pictures = page.findChildren(SamplePicture)
        assert pictures
        for each in pictures:
            diagram = each._make_diagram(each.width() / scale)
            assert diagram.width * scale <= each.width() + 1
            assert diagram.height * scale <= each.height() + 1
        (miniature,) = page.findChildren(RunAnimation)
        assert miniature.isVisible()
        width = miniature.width() / scale
        letters = QFontMetrics(theme.make_painter_font(11)).horizontalAdvance
        labels = [each for each in draw_run(width, 124).shapes if isinstance(each, TextLabel)]
        assert len(labels) == 2
        ends = [each.x + letters(each.text) for each in labels]
        assert max(ends) <= width
    finally:
        get_appearance().set_presenting(False)


def test_recordings_do_not_displace_documents(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user_paths, "ensure_untitled_folder", lambda: tmp_path)
    titles = [each.title for each in list_recordings()]
    names = ["a", "b", "c", titles[0], f"{titles[-1]} 2"]
    add_documents(tmp_path, *names)
    page = WelcomePage()
    qtbot.addWidget(page)

    def list_names() -> list[str]:
        labels = [each.findChild(kit.ElidedLabel) for each in page.recent_cards]
        return [each.text() for each in labels if each is not None]

    assert list_names() == ["c", "b", "a", f"{titles[-1]} 2"], "own documents first"
    add_documents(tmp_path, "d")
    page.refresh()
    assert list_names() == ["d", "c", "b", "a"]


@pytest.mark.parametrize("count", [1, 2, 4])
def test_lines_of_recent_documents_are_whole(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    monkeypatch.setattr(user_paths, "ensure_untitled_folder", lambda: tmp_path)
    add_documents(tmp_path, *(f"document {number}" for number in range(count)))
    page = WelcomePage()
    qtbot.addWidget(page)
    page.resize(1220, 680)
    page.show()
    QApplication.processEvents()
    shown = [each for each in page.recent_cards if each.isVisible()]
    assert len(shown) == count
    for card in shown:
        lines = card.findChildren(kit.ElidedLabel)
        assert [QLabel.text(each) for each in lines] == [each.text() for each in lines]
    right = shown[-1].mapTo(page, shown[-1].rect().topRight()).x()
    last = page.compare_button.parentWidget()
    assert last is not None
    assert right == last.mapTo(page, last.rect().topRight()).x(), "the cards fill the row"


@pytest.mark.slow
def test_curve_is_shown_to_audience_on_usual_screen(qtbot: QtBot, helper: Any) -> None:
    window = MainWindow(helper=helper)
    qtbot.addWidget(window, before_close_func=lambda _: window.session.close())
    window.show()
    try:
        get_appearance().set_presenting(True)
        window.setWindowState(Qt.WindowState.WindowNoState)
        window.resize(1366, 768)
        window.welcome.draw_pictures()
        (curve,) = window.welcome.findChildren(RunAnimation)
        qtbot.waitUntil(lambda: window.width() == 1366 and curve.isVisible())
        qtbot.wait(50)
        labels = [
            each
            for each in draw_run(curve.width() / theme.scale(), 124.0).shapes
            if isinstance(each, TextLabel)
        ]
        metrics = QFontMetrics(theme.font(round(labels[0].size)))
        for label in labels:
            right = theme.pixels(round(label.x)) + metrics.horizontalAdvance(label.text)
            assert right <= curve.width()
    finally:
        get_appearance().set_presenting(False)
