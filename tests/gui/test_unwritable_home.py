"""Window and screenshots work with an unwritable home folder."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from studio.document.store import Document

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="home folders differ there"),
]

WINDOW = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from studio.gui import app
from studio.gui.base import preferences
from studio.gui.app import Shell

real = Shell.open_window

def open_window(shell):
    window = real(shell)
    QTimer.singleShot(500, lambda: look(window))
    return window

def look(window):
    print("banner:", window.banner.isVisible(), window.banner.text_label.text())
    preferences.save(preferences.load().with_changes(look="dark"))
    print("look:", preferences.load().look)
    window.documents.create()
    path = window.session.path
    print("new:", path)
    window.close()
    if "keep" not in sys.argv:
        path.unlink()
    QApplication.quit()

Shell.open_window = open_window
sys.exit(app.main(sys.argv[1]))
"""


def run(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "TMPDIR": str(folder / "tmp")}
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        environment.pop(name, None)
    (folder / "tmp").mkdir(exist_ok=True)
    (folder / "home").mkdir(exist_ok=True)
    (folder / "file").touch()  # a file, below which nobody can create a folder
    extra_variables = {name: value.format(folder=folder) for name, value in variables.items()}
    return subprocess.run(
        [sys.executable, *words],
        env={**environment, "HOME": str(folder / "home"), **extra_variables},
        capture_output=True,
        text=True,
        check=False,
    )


HOMES = {
    "no home": {"HOME": "{folder}/file"},
    "no data": {"XDG_DATA_HOME": "{folder}/file/data"},
    "no settings": {"XDG_CONFIG_HOME": "{folder}/file/config"},
}


@pytest.mark.parametrize("kind", HOMES)
def test_window_warns_of_unwritable_home(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "a.studio"
    Document.create(path).close()
    process = run(tmp_path, "-c", WINDOW, str(path), **HOMES[kind])
    assert process.returncode == 0 and "Traceback" not in process.stderr, process.stderr
    report = dict(line.split(": ", 1) for line in process.stdout.splitlines())
    assert report["look"] == "dark", "a choice applies until the program is closed"
    visible, _, message = report["banner"].partition(" ")
    assert visible == "True" and str(tmp_path / "file") in message
    new = Path(report["new"])
    assert (str(new.parent) in message) == (kind != "no settings")
    assert (tmp_path / "tmp" in new.parents) == (kind != "no settings")
    assert list((tmp_path / "tmp").iterdir()) == [], "nothing useful was left"


def test_document_in_fallback_folder_is_not_deleted(tmp_path: Path) -> None:
    path = tmp_path / "a.studio"
    Document.create(path).close()
    process = run(tmp_path, "-c", WINDOW, str(path), "keep", **HOMES["no home"])
    new = Path(dict(line.split(": ", 1) for line in process.stdout.splitlines())["new"])
    Document.open(new).close()
    (fallback_folder,) = (tmp_path / "tmp").iterdir()
    assert [each.name for each in fallback_folder.iterdir()] == ["untitled"]


def test_read_only_settings_are_used(tmp_path: Path) -> None:
    """A dangling link prevents even root from creating the lock file of the settings."""
    code = """
from PySide6.QtCore import QSettings
from studio.gui.app import make_app
app = make_app()
from studio.gui.base import preferences
from studio.gui.base.user_paths import redirect_unwritable_settings
print(preferences.load().look, bool(redirect_unwritable_settings()))
preferences.save(preferences.load().with_changes(look="light"))
print(preferences.load().look)
"""
    config_folder = tmp_path / "home" / ".config" / "ensemble-studio"
    config_folder.mkdir(parents=True)
    settings = config_folder / "Ensemble Studio.conf"
    settings.write_text("[preferences]\nlook=dark\n")
    settings.chmod(0o400)
    config_folder.chmod(0o500)
    if os.access(config_folder, os.W_OK):
        pytest.skip("this user may write everywhere")
    process = run(tmp_path, "-c", code)
    config_folder.chmod(0o700)
    assert process.stdout.split() == ["dark", "True", "light"], process.stderr


def test_screenshot_works_without_home(tmp_path: Path) -> None:
    """Without a home folder, there is no location for data and settings."""
    path, output_path = tmp_path / "a.studio", tmp_path / "p.png"
    Document.create(path).close()
    argv = ("-m", "studio", "picture", str(path), "-o", str(output_path), "--page", "data")
    process = run(tmp_path, *argv, **HOMES["no home"])
    assert (process.returncode, process.stderr) == (0, "")
    assert output_path.read_bytes().startswith(b"\x89PNG")
    assert list((tmp_path / "tmp").iterdir()) == []


def test_screenshot_fails_on_window_error(tmp_path: Path) -> None:
    code = """
import sys
from studio.cli.entry import main
from studio.errors import StudioError
from studio.gui.pages.data.page import DataPage
def fail(self, event):
    raise {fault}("on purpose")
DataPage.showEvent = fail
sys.exit(main(sys.argv[1:]))
"""
    path, output_path = tmp_path / "a.studio", tmp_path / "p.png"
    Document.create(path).close()
    argv = ("picture", str(path), "-o", str(output_path), "--page", "data")
    process = run(tmp_path, "-c", code.format(fault="StudioError"), *argv)
    assert process.returncode == 1 and process.stderr.strip().endswith("on purpose")
    assert "Traceback" not in process.stderr
    process = run(tmp_path, "-c", code.format(fault="ValueError"), *argv)
    assert process.returncode not in {0, 2} and "on purpose" in process.stderr
