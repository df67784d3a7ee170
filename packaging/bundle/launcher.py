"""Entry point of a bundle's executable, and of all its processes."""

import os
import sys
from pathlib import Path
from types import ModuleType


def preload_modules() -> None:
    """Keep the executable open, so that its modules can be read even after an update.

    They lie after the end of the executable, which is reopened for each of them.
    """
    import pyimod02_importers  # part of every PyInstaller bundle

    descriptor = os.open(sys.executable, os.O_RDONLY)
    pyimod02_importers.pyz_archive._filename = f"/proc/self/fd/{descriptor}"


def replace_opengl() -> None:
    """Replace the excluded OpenGL module for pyqtgraph's imports."""
    drawing, widgets = ModuleType("PySide6.QtOpenGL"), ModuleType("PySide6.QtOpenGLWidgets")
    widgets.QOpenGLWidget = object  # base of classes that are never instantiated
    sys.modules |= {each.__name__: each for each in (drawing, widgets)}


replace_opengl()
if getattr(sys, "frozen", False) and sys.platform == "linux":
    preload_modules()
if Path(sys.argv[0]).stem == "ensemble-studio":
    from studio.cli import entry_window

    entry_window()
else:
    from studio.__main__ import main

    main()
