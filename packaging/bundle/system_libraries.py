"""A bundle's dependencies on the system, as Debian packages."""

import re
import subprocess
from pathlib import Path

from bundle.slimming import libraries, needed
from studio.system.shared_libraries import PACKAGES

_C_LIBRARY = re.compile(r"(lib(c|m|dl|rt|pthread|util|resolv)\.so\.\d+|ld-linux.*)")
# The bundled libraries need descriptions of keyboards, and fonts, which are not bundled.
_BESIDES = ("fonts-dejavu-core | fonts-freefont-ttf", "xkb-data")


def packages(folder: Path) -> list[str]:
    """Return a folder's required packages in the format of ``Depends``.

    Raises:
        ValueError: If it needs a library without a known package.
    """
    files = [*libraries(folder), folder / "studio"]
    brought = {each.name for each in folder.rglob("*.so*")}
    missing_names = {name for file in files for name in needed(file)} - brought
    system_names = {name for name in missing_names if not _C_LIBRARY.fullmatch(name)}
    if unknown := system_names - set(PACKAGES):
        raise ValueError(
            f"The bundle needs {', '.join(sorted(unknown))}: take them along (contents.py) or "
            "name the packages that have them (studio/system/shared_libraries.py)."
        )
    debian_packages = {PACKAGES[name] for name in system_names}
    return sorted({f"libc6 (>= {c_library(files)})", *debian_packages, *_BESIDES})


def c_library(files: list[Path]) -> str:
    """Return the minimum version of the C library that can load all of the files."""
    symbols = subprocess.run(
        ["objdump", "-T", *files], check=True, capture_output=True, text=True
    ).stdout
    versions = {
        tuple(map(int, each.split("."))) for each in re.findall(r"\(GLIBC_([\d.]+)\)", symbols)
    }
    return ".".join(map(str, max(versions)))
