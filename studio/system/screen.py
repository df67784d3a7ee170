"""Whether there is a screen."""

import os
import sys
from collections.abc import Mapping


def has_screen(surroundings: Mapping[str, str] = os.environ) -> bool:
    """Return whether Qt has somewhere to draw: always but on a Linux without a display."""
    if not sys.platform.startswith("linux"):
        return True
    named = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return any(surroundings.get(name) for name in named)
