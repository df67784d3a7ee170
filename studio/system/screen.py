"""Detection of a screen, and drawing without one."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path


def has_screen(process_environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether Qt has somewhere to draw: always but on a Linux without a display."""
    if not sys.platform.startswith("linux"):
        return True
    named = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return any(process_environment.get(name) for name in named)


def draw_in_memory() -> None:
    """Let Qt draw without a screen, unless its platform is configured; before Qt is loaded.

    Qt's own drawing finds the fonts of Windows only in a configured folder.
    """
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    if sys.platform == "win32":
        fonts = Path(os.environ.get("WINDIR", "C:/Windows")) / "Fonts"
        os.environ.setdefault("QT_QPA_FONTDIR", str(fonts))
