"""The file into which Python writes when the process is killed from within (a fault in C code)."""

import faulthandler
import os
from pathlib import Path
from typing import IO

import psutil

from studio.gui.base.own_files import own_folder
from studio.gui.shell.commands.trail import trail
from studio.gui.shell.crash.report import head, private

_NAME = "window-{pid}.txt"
_SIGNS = ("Fatal Python error", "fatal exception")
_LONGEST = 60_000


def state_folder() -> Path:
    """Return the folder for what a process leaves behind; it is made."""
    return own_folder("crashes")


class BlackBox:
    """Records versions and actions while the window lives; a fatal fault adds its trace.

    Args:
        folder: Where the file is; one a process.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / _NAME.format(pid=os.getpid())
        self._file: IO[str] | None = None

    def begin(self) -> None:
        """Start to record; without a writable folder nothing is recorded."""
        try:
            self._file = self._path.open("w", encoding="utf-8")
            self._write(f"{head()}\n\nActions\n")
        except OSError:
            self._file = None
            return
        faulthandler.enable(self._file)
        trail().follow(lambda name: self._write(f"- {name}\n"))

    def end(self) -> None:
        """Stop, and take the file away: this process ends well."""
        trail().follow(None)
        if self._file is not None:
            faulthandler.disable()
            self._file.close()
            self._file = None
            self._path.unlink(missing_ok=True)

    def left_behind(self) -> str:
        """Return the report of a window that crashed earlier, once; empty if none did."""
        found = []
        for path in sorted(self._folder.glob(_NAME.format(pid="*"))):
            number = path.stem.rpartition("-")[2]
            if path == self._path or (number.isdigit() and psutil.pid_exists(int(number))):
                continue
            try:
                text = path.read_text(encoding="utf-8", errors="replace")[:_LONGEST]
                path.unlink()
            except OSError:
                continue
            if any(sign in text for sign in _SIGNS):
                found.append(private(text))
        return "\n\n".join(found)

    def _write(self, text: str) -> None:
        if self._file is not None:
            self._file.write(text)
            self._file.flush()
