"""Text of a crash report, and the file for Python's fault handler."""

import contextlib
import faulthandler
import getpass
import os
import platform
import re
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import IO

import numpy as np
import psutil
import PySide6

from studio.gui.base.places import ensure_user_folder
from studio.gui.shell.commands.book import trail
from studio.version import VERSION

_QUOTED = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|«[^»\n]*»|“[^”\n]*”")
_NUMBER_PATTERN = re.compile(r"[-+]?\d[\d.,_]*(?:[eE][-+]?\d+)?")
_LONGEST_MESSAGE = 400


def version_line() -> str:
    """Return program, version and system in one line."""
    return f"Ensemble Studio {VERSION}\n{platform_lines()}"


def platform_lines() -> str:
    """Return the platform in two lines."""
    return "\n".join(
        (
            f"Python {platform.python_version()}, PySide {PySide6.__version__}, NumPy "
            f"{np.__version__}",
            f"{platform.system()} {platform.release()}, {platform.machine()}",
        )
    )


def exception_report(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> str:
    """Return the report of an exception.

    What its message quotes, and every number in it, may be private data and is left out.
    """
    lines = [f"{kind.__module__}.{kind.__qualname__}: {remove_values(str(error))}"]
    lines += [_frame(each) for each in traceback.extract_tb(trace)]
    return assemble("\n".join(lines), trail().names)


def assemble(what: str, done: Sequence[str]) -> str:
    """Return a complete report: versions, the error, recent actions."""
    actions = "\n".join(f"- {each}" for each in done) or "- nothing yet"
    return anonymise(
        f"{version_line()}\n\nFault\n{what}\n\nLast actions, the newest last\n{actions}\n"
    )


def remove_values(message: str) -> str:
    """Remove quotations and numbers from a message."""
    cleaned = _NUMBER_PATTERN.sub("#", _QUOTED.sub("'…'", message))
    return cleaned if len(cleaned) <= _LONGEST_MESSAGE else cleaned[:_LONGEST_MESSAGE] + "…"


def anonymise(text: str) -> str:
    """Replace the home folder and the user's name in a text."""
    with contextlib.suppress(RuntimeError):  # a system without a home folder of this user
        home = str(Path.home())
        text = text.replace(home, "~") if len(home) > 1 else text
    name = _user()
    if len(name) > 1 and name != "root":
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "user", text)
    return text


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""  # a system without a name of this user


def _frame(frame: traceback.FrameSummary) -> str:
    path = Path(frame.filename)
    location = "/".join(path.parts[-3:])
    return f"  {location}:{frame.lineno} in {frame.name}\n    {frame.line or ''}".rstrip()


_NAME = "window-{pid}.txt"
_SIGNS = ("Fatal Python error", "fatal exception")
_LONGEST = 60_000


def state_folder() -> Path:
    """Create and return the folder of crash files."""
    return ensure_user_folder("crashes")


class BlackBox:
    """Records versions and actions in a file per process; a fatal fault appends its trace."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / _NAME.format(pid=os.getpid())
        self._file: IO[str] | None = None

    def start_recording(self) -> None:
        """Start recording; does nothing without a writable folder."""
        try:
            self._file = self._path.open("w", encoding="utf-8")
            self._write(f"{version_line()}\n\nActions\n")
        except OSError:
            self._file = None
            return
        faulthandler.enable(self._file)
        trail().follow(lambda name: self._write(f"- {name}\n"))

    def stop_recording(self) -> None:
        """Stop, and delete the file after a normal exit."""
        trail().follow(None)
        if self._file is not None:
            faulthandler.disable()
            self._file.close()
            self._file = None
            self._path.unlink(missing_ok=True)

    def pop_crash_report(self) -> str:
        """Return the report of an earlier crashed session, once; empty if there is none."""
        reports = []
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
                reports.append(anonymise(text))
        return "\n\n".join(reports)

    def _write(self, text: str) -> None:
        if self._file is not None:
            self._file.write(text)
            self._file.flush()
