"""Shared system libraries required on Linux, and the Debian packages that contain them.

Setup and packaging tools read this table before anything is installed, so it only needs the
standard library.
"""

import ctypes
import sys
from collections.abc import Iterable
from pathlib import Path

LIGHTGBM_LIBRARIES = {"libgomp.so.1": "libgomp1"}
"""Libraries required by LightGBM."""

QT_LIBRARIES = {
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libX11.so.6": "libx11-6",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxkbcommon.so.0": "libxkbcommon0",
}
"""Libraries required by Qt."""

PACKAGES = {
    **LIGHTGBM_LIBRARIES,
    **QT_LIBRARIES,
    # Present on every system, or installed with the packages above.
    "libX11-xcb.so.1": "libx11-xcb1",
    "libcrypto.so.3": "libssl3",
    "libexpat.so.1": "libexpat1",
    "libfreetype.so.6": "libfreetype6",
    "libgcc_s.so.1": "libgcc-s1",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "liblzma.so.5": "liblzma5",
    "libssl.so.3": "libssl3",
    "libstdc++.so.6": "libstdc++6",
    "libuuid.so.1": "libuuid1",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb.so.1": "libxcb1",
    "libz.so.1": "zlib1g",
    "libzstd.so.1": "libzstd1",
}
"""Package of each library."""


def find_missing_libraries(libraries: Iterable[str]) -> list[str]:
    """Return the libraries that cannot be loaded."""
    return [each for each in libraries if not _can_load(each)]


def _can_load(library: str) -> bool:
    bundled = Path(getattr(sys, "_MEIPASS", "")) / library
    try:
        ctypes.CDLL(str(bundled) if bundled.exists() else library)
    except OSError:
        return False
    return True
