"""An X server and a window manager for the tests of real windows."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NEEDED = ("Xvfb", "xdotool", "openbox")


@pytest.fixture(scope="session")
def display() -> Iterator[str]:
    """Return the name of a separate X display, or skip if none can be started."""
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if missing or not sys.platform.startswith("linux"):
        pytest.skip(f"real windows need {', '.join(missing) or 'Linux'}")
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1440x900x24", "-nolisten", "tcp"],
        pass_fds=(write,),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as pipe:
        number = pipe.readline().strip()
    if not number:
        server.wait()
        pytest.skip("Xvfb could not start")
    environment = {**os.environ, "DISPLAY": f":{number}"}
    manager = subprocess.Popen(
        ["openbox"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    yield f":{number}"
    for process in (manager, server):
        process.kill()
        process.wait()


@pytest.fixture
def perform(display: str, tmp_path: Path) -> Callable[..., Path]:
    """Return a function that plays a journey and returns its picture folder."""

    def play(journey: str, **more: str) -> Path:
        pictures_folder = os.environ.get("STUDIO_TEST_PICTURES")
        name = f"{journey} {Path(more['STAGE_TABLE']).stem}" if more else journey
        folder = (Path(pictures_folder) if pictures_folder else tmp_path) / name
        folder.mkdir(parents=True, exist_ok=True)
        environment = {
            **os.environ,
            "DISPLAY": display,
            "QT_QPA_PLATFORM": "xcb",
            "XDG_DATA_HOME": str(tmp_path / "data"),
            "XDG_CONFIG_HOME": str(tmp_path / "config"),
            "XDG_DOCUMENTS_DIR": str(tmp_path),
            "STAGE_WORK": str(tmp_path),
            **more,
        }
        process = subprocess.run(
            [
                sys.executable,
                str(HERE / "window_driver.py"),
                str(HERE / f"{journey}.py"),
                str(folder),
            ],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert process.returncode == 0, process.stdout + process.stderr
        troubles = [
            line for line in process.stderr.splitlines() if line.startswith(("Qt", "QObject"))
        ]
        assert not troubles, troubles
        return folder

    return play
