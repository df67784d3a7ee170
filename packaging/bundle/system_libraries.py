"""What a bundle takes from the system it runs on, by the names of Debian's packages."""

import re
import subprocess
from pathlib import Path

from bundle.slimming import libraries, needed

_PACKAGES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libX11.so.6": "libx11-6",
    "libcrypto.so.3": "libssl3",
    "libdbus-1.so.3": "libdbus-1-3",
    "libexpat.so.1": "libexpat1",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libgcc_s.so.1": "libgcc-s1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "liblzma.so.5": "liblzma5",
    "libssl.so.3": "libssl3",
    "libstdc++.so.6": "libstdc++6",
    "libuuid.so.1": "libuuid1",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libxcb.so.1": "libxcb1",
    "libz.so.1": "zlib1g",
    "libzstd.so.1": "libzstd1",
}
_C_LIBRARY = re.compile(r"(lib(c|m|dl|rt|pthread|util|resolv)\.so\.\d+|ld-linux.*)")
# Keyboards are described there for the library that is bundled, and fonts are not brought along.
_BESIDES = ("fonts-dejavu-core | fonts-freefont-ttf", "xkb-data")


def packages(folder: Path) -> list[str]:
    """Return the packages that a folder needs, as ``Depends`` has them.

    Raises
    ------
    ValueError
        If it needs a library of which no package is known here.
    """
    files = [*libraries(folder), folder / "studio"]
    brought = {each.name for each in folder.rglob("*.so*")}
    wanted = {name for file in files for name in needed(file)} - brought
    asked = {name for name in wanted if not _C_LIBRARY.fullmatch(name)}
    if unknown := asked - set(_PACKAGES):
        raise ValueError(
            f"The bundle needs {', '.join(sorted(unknown))}: take them along (contents.py) or "
            "name the packages that have them (system_libraries.py)."
        )
    found = {_PACKAGES[name] for name in asked}
    return sorted({f"libc6 (>= {c_library(files)})", *found, *_BESIDES})


def c_library(files: list[Path]) -> str:
    """Return the oldest version of the C library with which all of the files can be loaded."""
    symbols = subprocess.run(
        ["objdump", "-T", *files], check=True, capture_output=True, text=True
    ).stdout
    versions = {
        tuple(map(int, each.split("."))) for each in re.findall(r"\(GLIBC_([\d.]+)\)", symbols)
    }
    return ".".join(map(str, max(versions)))
