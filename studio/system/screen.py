"""Detection of a display, and drawing without one."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path


def has_screen(process_environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether Qt has a display: always except on Linux without one."""
    if not sys.platform.startswith("linux"):
        return True
    variables = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return any(process_environment.get(name) for name in variables)


def draw_in_memory() -> None:
    """Enable Qt without a display, unless its platform is configured; before importing Qt.

    Qt's offscreen platform only finds the fonts of Windows in a configured folder.
    """
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    if sys.platform == "win32":
        fonts = Path(os.environ.get("WINDIR", "C:/Windows")) / "Fonts"
        os.environ.setdefault("QT_QPA_FONTDIR", str(fonts))
