"""The last document and window position."""

from pathlib import Path

import pytest
from PySide6.QtCore import QRect, QSettings, QSize, Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from studio.gui.shell.documents import window_state

SCREEN = QRect(0, 0, 1920, 1080)
RIGHT = QRect(1920, 0, 1280, 1024)


@pytest.mark.parametrize(
    ("wanted", "screens", "shown"),
    [
        (QRect(100, 100, 800, 600), [SCREEN], QRect(100, 100, 800, 600)),
        (QRect(2000, 50, 800, 600), [SCREEN, RIGHT], QRect(2000, 50, 800, 600)),
        (QRect(2000, 50, 800, 600), [SCREEN], QRect(560, 240, 800, 600)),
        (QRect(-780, 10, 800, 600), [SCREEN], QRect(560, 240, 800, 600)),
        (QRect(5000, 5000, 4000, 3000), [SCREEN], QRect(2, 40, 1916, 1036)),
        (QRect(9, 9, 1280, 800), [QRect(0, 0, 1024, 700)], QRect(2, 40, 1020, 656)),
        (QRect(60, 44, 1280, 724), [QRect(0, 0, 1366, 728)], QRect(60, 40, 1280, 684)),
        (QRect(200, 300, 880, 464), [QRect(0, 0, 911, 512)], QRect(29, 44, 880, 464)),
        (QRect(700, 300, 800, 600), [QRect(0, 0, 1366, 728)], QRect(564, 124, 800, 600)),
        (QRect(1, 2, 3, 4), [], QRect(1, 2, 3, 4)),
    ],
)
def test_restored_window_is_moved_onto_screen(
    wanted: QRect, screens: list[QRect], shown: QRect
) -> None:
    assert window_state.fit_on_screen(wanted, screens) == shown


def test_last_document_is_stored_if_it_exists(qtbot: QtBot, tmp_path: Path) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    assert window_state.get_last_document() is None
    path = tmp_path / "a.studio"
    path.touch()
    window_state.store_window_state(path, window)
    assert window_state.get_last_document() == path
    path.unlink()
    assert window_state.get_last_document() is None
    window_state.store_window_state(None, window)
    assert window_state.get_last_document() is None


def test_invalid_stored_geometry_is_ignored(qtbot: QtBot) -> None:
    QSettings().setValue("geometry", "nonsense")
    QSettings().setValue("last/document", 7)
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(300, 200)
    window_state.restore_geometry(window)
    assert window.size().width() == 300
    assert window_state.get_last_document() is None


def test_position_of_first_window_is_left_to_system(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window_state.restore_geometry(window)
    assert not window.testAttribute(Qt.WidgetAttribute.WA_Moved), "else its title bar is hidden"


def test_first_window_fits_small_screen() -> None:
    assert window_state.fit_to_screen(QSize(1280, 800), QSize(1920, 1080)) == QSize(1280, 800)
    low = window_state.fit_to_screen(QSize(1280, 800), QSize(1280, 720))
    assert low.width() <= 1280
    assert 640 <= low.height() < 720 - 24, "the title bar needs its room, too"
