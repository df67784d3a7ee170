"""Where the executable of a bundle begins, and with it every process of the program."""

import os
import sys
from pathlib import Path


def hold_modules() -> None:
    """Keep reading modules of this very program, should an update take its place meanwhile.

    They lie behind the end of the executable, which is opened anew for each of them.
    """
    import pyimod02_importers  # PyInstaller's, in every bundle

    held = os.open(sys.executable, os.O_RDONLY)
    pyimod02_importers.pyz_archive._filename = f"/proc/self/fd/{held}"


if getattr(sys, "frozen", False) and sys.platform == "linux":
    hold_modules()
if Path(sys.argv[0]).stem == "ensemble-studio":
    from studio.cli import entry_window

    entry_window()
else:
    from studio.__main__ import begin

    begin()
