#!/usr/bin/env python3
"""Compile the installer for Windows from PyInstaller's folder; requires NSIS.

    python packaging/windows/installer.py FOLDER -o out/ensemble-studio-setup.exe
    python packaging/windows/installer.py --stand-in    the same from a folder of empty programs

NSIS compiles on Linux too (Debian's package ``nsis``), which is how the script is tested there.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAMS = ("ensemble-studio.exe", "studio.exe")


def removals(tree: Path) -> str:
    """Return the uninstaller's lines that remove this tree by name."""
    lines = []
    for each in sorted(tree.iterdir()):
        # In NSIS strings, a dollar sign begins a variable.
        place = '"$INSTDIR\\' + each.name.replace("$", "$$") + '"'
        lines.append(f"RMDir /r {place}" if each.is_dir() else f"Delete {place}")
    return "\n".join([*lines, ""])


def numbers(version: str) -> str:
    """Return a version as four numbers, as required by Windows."""
    found = re.match(r"\d+(\.\d+)*", version)
    parts = found[0].split(".") if found else []
    return ".".join([*parts, "0", "0", "0", "0"][:4])


def make_stub_tree(folder: Path) -> Path:
    """Make a tree of the same shape as PyInstaller's, of files without content."""
    for name in (*PROGRAMS, "_internal/base_library.zip", "_internal/PySide6/Qt6Core.dll"):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"MZ")
    return folder


def compile_installer(tree: Path, version: str, output: Path) -> None:
    """Write the installer.

    Raises:
        SystemExit: If the tree lacks a program, or NSIS refuses the script; its output is shown.
    """
    absent = [name for name in PROGRAMS if not (tree / name).is_file()]
    if absent:
        sys.exit(f"{tree} has no {' and no '.join(absent)}. Name the folder that PyInstaller made.")
    output.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as includes:
        (Path(includes) / "contents.nsh").write_text(removals(tree), "utf-8")
        defines = {"VERSION": version, "NUMBERS": numbers(version), "TREE": tree.resolve(),
                "OUTPUT": output.resolve(), "INCLUDES": includes}  # fmt: skip
        words = ["makensis", "-V2", "-WX", "-INPUTCHARSET", "UTF8"]
        words += [f"-D{name}={value}" for name, value in defines.items()]
        code = subprocess.run([*words, "installer.nsi"], cwd=HERE, check=False).returncode
    if code:
        sys.exit("The installer was not compiled; the lines above say why.")
    print(f"{output}  {output.stat().st_size / 1e6:.1f} MB")


def main() -> int:
    """Parse the command line and compile."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("tree", type=Path, nargs="?", help="the folder that PyInstaller made")
    parser.add_argument("--stand-in", action="store_true", help="try it without one")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "out" / "installer.exe")
    given = parser.parse_args()
    if (given.tree is None) == (not given.make_stub_tree):
        parser.error("give the folder that PyInstaller made, or --stand-in")
    from studio.version import VERSION

    with TemporaryDirectory() as folder:
        tree = make_stub_tree(Path(folder)) if given.make_stub_tree else given.tree
        compile_installer(tree, VERSION, given.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
