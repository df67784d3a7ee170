"""Paths in a bundle and during its build."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT))  # for modules of the program that need only the standard library
DIST = ROOT / "dist"
"""The released files."""

FOLDER = DIST / "ensemble-studio"
"""The relocatable folder."""

BUILD = ROOT / "build" / "bundle"
"""Files kept for the next build."""

VENV = BUILD / "venv"
"""The environment of the bundled packages."""

PYTHON = VENV / "bin" / "python"
"""The bundled interpreter, with the bundled packages."""

SHARE = ROOT / "packaging" / "linux" / "share"
"""Menu entry, icons, file type, description and manual page, as they are installed."""


def get_site_packages() -> Path:
    """Return the folder of the bundled packages."""
    return next((VENV / "lib").glob("python*/site-packages"))


def require_linux() -> None:
    """Exit where bundles cannot be built."""
    if not sys.platform.startswith("linux"):
        sys.exit("This builds the bundles for Linux; see packaging/README.md for other systems.")
