"""``studio picture``: screenshots without a display and without user settings."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from studio.cli.entry import main
from studio.document.store import Document
from tests.facts import contains_facts

pytestmark = pytest.mark.slow


def run_picture_command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a separate process."""
    document = folder / "a.studio"
    if not document.exists():
        Document.create(document).close()
    home = {"XDG_CONFIG_HOME": str(folder / "config"), "XDG_DATA_HOME": str(folder / "data")}
    return subprocess.run(
        [sys.executable, "-m", "studio", "picture", str(document), *arguments],
        env={**os.environ, **home, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_screenshot_has_requested_size_and_language(tmp_path: Path) -> None:
    light, dark = tmp_path / "light.png", tmp_path / "dark.png"
    size = ("--width", "1100", "--height", "700", "--page", "data")
    process = run_picture_command(
        tmp_path, "-o", str(light), *size, "--scale", "2", "--language", "xx"
    )
    assert process.returncode == 0, process.stderr
    process = run_picture_command(tmp_path, "-o", str(dark), *size, "--dark", "--presenting")
    assert process.returncode == 0, process.stderr
    first, second = QImage(str(light)), QImage(str(dark))
    assert (first.width(), first.height()) == (2200, 1400)
    assert (second.width(), second.height()) == (1100, 700)
    assert (
        first.pixelColor(30, 1300).lightness() > 200 > 60 > second.pixelColor(15, 650).lightness()
    )
    # Nothing is stored for the user's own window.
    assert not (tmp_path / "config").exists()


def test_screenshot_does_not_overwrite_document(tmp_path: Path) -> None:
    process = run_picture_command(tmp_path, "-o", str(tmp_path / "a.studio"), "--page", "data")
    assert process.returncode == 1 and "a.studio is a document" in process.stderr
    Document.open(tmp_path / "a.studio").close()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--scale", "9"), "--scale must be from 1 to 4"),
        (("--width", "99999999999"), "--width must be from 1 to 8192"),
        (("--height", "0"), "--height must be from 1 to 8192"),
    ],
)
def test_invalid_screenshot_request_is_reported(
    tmp_path: Path, arguments: tuple[str, ...], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["picture", str(tmp_path / "a.studio"), "-o", str(tmp_path / "x.png"), *arguments]
    assert main(command) == 2
    assert expected in capsys.readouterr().err


def test_unknown_plot_error_lists_plots(tmp_path: Path) -> None:
    process = run_picture_command(tmp_path, "-o", str(tmp_path / "x.png"), "--plots", "nonsense")
    assert process.returncode == 2
    assert contains_facts(process.stderr, "'nonsense'", "progress")


def test_cropped_screenshot_has_requested_size(tmp_path: Path) -> None:
    path = tmp_path / "bare.png"
    options = ("--width", "1280", "--height", "600", "--plots", "progress")
    process = run_picture_command(tmp_path, "-o", str(path), *options, "--bare", "--presenting")
    assert process.returncode == 0, process.stderr
    image = QImage(str(path))
    assert (image.width(), image.height()) == (1280, 600)
