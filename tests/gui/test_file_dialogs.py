"""File dialogs: they follow the theme, and keep the locks of documents in their folder."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QToolButton, QWidget

from studio.document.store import Document
from studio.gui.base import preferences, theme
from studio.gui.base.preferences import Preferences, get_appearance

LOOK = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFileDialog
from studio.document.store import Document
from studio.gui.app import make_app

app, path = make_app(), Path(sys.argv[1])


def locked():
    inodes = [f":{each.stat().st_ino} " for each in (path, Path(f"{path}-shm"))]
    lines = Path("/proc/locks").read_text().splitlines()
    return [any(inode in line for line in lines) for inode in inodes]


with Document.open(path) as document:
    assert locked() == [True, True], "before"
    dialog = QFileDialog(None, "Open", str(path.parent), "Tables (*.csv)")
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    # All that it shows has its icon when the last file, which sorts behind the others, has one.
    dialog.show()
    shown = dialog.findChild(object, "treeView").model()
    for _ in range(200):
        QTimer.singleShot(50, app.quit)
        app.exec()
        root = dialog.findChild(object, "treeView").rootIndex()
        names = {shown.index(row, 0, root).data() for row in range(shown.rowCount(root))}
        if "z.csv" in names:
            break
    else:
        raise AssertionError(names)
    QTimer.singleShot(500, app.quit)
    app.exec()
    assert locked() == [True, True], "after"
    dialog.close()
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc/locks")
def test_file_dialog_keeps_document_locks(tmp_path: Path) -> None:
    Document.create(tmp_path / "work.studio").close()
    (tmp_path / "z.csv").write_text("a,b\n1,2\n")
    argv = [sys.executable, "-c", LOOK, str(tmp_path / "work.studio")]
    process = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr


BUTTONS = ("backButton", "forwardButton", "toParentButton")


@pytest.mark.parametrize("look", [theme.LIGHT, theme.DARK])
def test_dialog_of_qt_is_legible_in_both_themes(
    look: theme.Theme, qtbot: Any, qapp: QApplication, tmp_path: Path
) -> None:
    theme.apply(qapp, look)
    window = QWidget()
    qtbot.addWidget(window)
    theme.style_window(window)
    dialog = QFileDialog(window, "Open", str(tmp_path))
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    dialog.show()
    background = dialog.grab().toImage().pixelColor(3, 3).lightness()
    assert (background < 128) == look.is_dark
    for name in BUTTONS:
        button = dialog.findChild(QToolButton, name)
        assert button is not None
        icon = button.icon().pixmap(16, 16).toImage()
        inked = [
            colour.lightness()
            for x in range(icon.width())
            for y in range(icon.height())
            if (colour := icon.pixelColor(x, y)).alpha() > 200
        ]
        assert inked and min(abs(each - background) for each in inked) > 60, name
    dialog.close()
    theme.apply(qapp, theme.LIGHT)


def test_native_dialogs_get_the_chosen_theme(monkeypatch: pytest.MonkeyPatch) -> None:
    schemes: list[Qt.ColorScheme] = []
    hints = SimpleNamespace(setColorScheme=schemes.append, colorScheme=lambda: Qt.ColorScheme.Light)
    monkeypatch.setattr(preferences, "QGuiApplication", SimpleNamespace(styleHints=lambda: hints))
    for look in (theme.DARK.key, theme.LIGHT.key, preferences.SYSTEM):
        preferences.save(Preferences(look=look))
        get_appearance().apply()
    scheme = Qt.ColorScheme
    chosen = list(dict.fromkeys(schemes))
    assert chosen == [scheme.Dark, scheme.Light, scheme.Unknown]
