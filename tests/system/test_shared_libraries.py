"""The table of required system libraries is complete and used everywhere."""

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from studio.system.shared_libraries import (
    LIGHTGBM_LIBRARIES,
    PACKAGES,
    QT_LIBRARIES,
    find_missing_libraries,
)

ROOT = Path(__file__).parents[2]
LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux has packages")


def test_installation_page_lists_exactly_required_packages() -> None:
    page = (ROOT / "docs" / "installing.md").read_text("utf-8")
    command_match = re.search(r"sudo apt install (lib(?:.*\\\n)*.*)", page)
    assert command_match is not None
    assert command_match[1].replace("\\", "").split() == [
        *LIGHTGBM_LIBRARIES.values(),
        *QT_LIBRARIES.values(),
    ]


@pytest.mark.slow
def test_package_names_are_defined_in_one_module() -> None:
    table = ROOT / "studio" / "system" / "shared_libraries.py"
    sources = [*(ROOT / "studio").rglob("*.py"), *(ROOT / "packaging").rglob("*.py")]
    workflows = (ROOT / ".github").rglob("*.yml")
    names = re.compile(r"\b(libegl1|libgl1|libxcb-\w+[0-9]|libxkbcommon0)\b")
    matching_files = {
        each for each in [*sources, *workflows] if names.search(each.read_text("utf-8"))
    }
    assert matching_files == {table}


@LINUX
@pytest.mark.skipif(shutil.which("objdump") is None, reason="objdump is not installed")
def test_package_table_covers_qt_and_lightgbm() -> None:
    qt = _folder("PySide6") / "Qt"
    lib, platforms = qt / "lib", qt / "plugins" / "platforms"
    modules = ("Core", "Gui", "Widgets", "Svg", "DBus", "XcbQpa")
    files = [*(lib / f"libQt6{each}.so.6" for each in modules),
             *(platforms / f"libq{each}.so" for each in ("xcb", "offscreen")),
             *_folder("lightgbm").rglob("lib_lightgbm.so")]  # fmt: skip
    objdump_output = subprocess.run(
        ["objdump", "-p", *files], check=True, capture_output=True, text=True
    ).stdout
    needed = set(re.findall(r"NEEDED +(\S+)", objdump_output))
    c_library = re.compile(r"lib(c|m|dl|rt|pthread)\.so\.\d|ld-linux.*")
    own = {each for each in needed if each.startswith("libQt6") or (lib / each).exists()}
    assert {each for each in needed - own if not c_library.match(each)} <= set(PACKAGES)


@LINUX
def test_unloadable_library_is_reported_as_missing() -> None:
    assert find_missing_libraries(["libc.so.6", "libodd.so.5"]) == ["libodd.so.5"]


@LINUX
def test_bundled_libraries_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    assert find_missing_libraries(["libodd.so.5"]) == ["libodd.so.5"]
    with Path("/proc/self/maps").open() as maps:
        library = next(line.split()[-1] for line in maps if "/libc.so.6" in line)
    (tmp_path / "libodd.so.5").symlink_to(library)
    assert find_missing_libraries(["libodd.so.5"]) == []


@pytest.mark.slow
@LINUX
def test_missing_libraries_are_not_reported_as_missing_display() -> None:
    start = (
        "import sys\n"
        "from studio.gui import app\n"
        "app.find_missing_libraries = lambda _: ['libxcb-cursor.so.0', 'libxcb-icccm.so.4']\n"
        "app.main()\n"
    )
    process = subprocess.run(
        [sys.executable, "-c", start],
        capture_output=True,
        text=True,
        env={**os.environ, "DISPLAY": "nowhere:0", "QT_QPA_PLATFORM": "xcb"},
        check=False,
    )
    assert process.returncode == 1
    last = process.stderr.splitlines()[-1]
    assert "libxcb-cursor0 libxcb-icccm4. " in last
    assert "screen" not in last


def _folder(package: str) -> Path:
    spec = find_spec(package)
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent
