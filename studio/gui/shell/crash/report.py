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

from studio.gui.base.user_paths import ensure_user_folder
from studio.gui.shell.commands.command_registry import get_action_log
from studio.version import VERSION

_QUOTED_PATTERN = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|«[^»\n]*»|“[^”\n]*”")
_NUMBER_PATTERN = re.compile(r"[-+]?\d[\d.,_]*(?:[eE][-+]?\d+)?")
_MAX_MESSAGE_LENGTH = 400


def format_version() -> str:
    """Return program, version and system in one line."""
    return f"Ensemble Studio {VERSION}\n{format_platform()}"


def format_platform() -> str:
    """Return the platform in two lines."""
    return "\n".join(
        (
            f"Python {platform.python_version()}, PySide {PySide6.__version__}, NumPy "
            f"{np.__version__}",
            f"{platform.system()} {platform.release()}, {platform.machine()}",
        )
    )


def format_exception_report(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> str:
    """Return the report of an exception.

    What its message quotes, and every number in it, may be private data and is left out.
    """
    lines = [f"{kind.__module__}.{kind.__qualname__}: {remove_values(str(error))}"]
    lines += [_format_frame(each) for each in traceback.extract_tb(trace)]
    return assemble_report("\n".join(lines), get_action_log().names)


def assemble_report(what: str, done: Sequence[str]) -> str:
    """Return a complete report: versions, the error, recent actions."""
    actions = "\n".join(f"- {each}" for each in done) or "- nothing yet"
    return anonymise(
        f"{format_version()}\n\nFault\n{what}\n\nLast actions, the newest last\n{actions}\n"
    )


def remove_values(message: str) -> str:
    """Remove quotations and numbers from a message."""
    cleaned = _NUMBER_PATTERN.sub("#", _QUOTED_PATTERN.sub("'…'", message))
    return cleaned if len(cleaned) <= _MAX_MESSAGE_LENGTH else cleaned[:_MAX_MESSAGE_LENGTH] + "…"


def anonymise(text: str) -> str:
    """Replace the home folder and the user's name in a text."""
    with contextlib.suppress(RuntimeError):  # a system without a home folder of this user
        home = str(Path.home())
        text = text.replace(home, "~") if len(home) > 1 else text
    name = _get_user_name()
    if len(name) > 1 and name != "root":
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "user", text)
    return text


def _get_user_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""  # a system without a name of this user


def _format_frame(frame: traceback.FrameSummary) -> str:
    path = Path(frame.filename)
    location = "/".join(path.parts[-3:])
    return f"  {location}:{frame.lineno} in {frame.name}\n    {frame.line or ''}".rstrip()


_FILE_NAME = "window-{pid}.txt"
_FAULT_MARKERS = ("Fatal Python error", "fatal exception")
_MAX_REPORT_LENGTH = 60_000


def ensure_state_folder() -> Path:
    """Create and return the folder of crash files."""
    return ensure_user_folder("crashes")


class FaultRecorder:
    """Records versions and actions in a file per process; a fatal fault appends its trace."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / _FILE_NAME.format(pid=os.getpid())
        self._file: IO[str] | None = None

    def start_recording(self) -> None:
        """Start recording; does nothing without a writable folder."""
        try:
            self._file = self._path.open("w", encoding="utf-8")
            self._write(f"{format_version()}\n\nActions\n")
        except OSError:
            self._file = None
            return
        faulthandler.enable(self._file)
        get_action_log().follow(lambda name: self._write(f"- {name}\n"))

    def stop_recording(self) -> None:
        """Stop, and delete the file after a normal exit."""
        get_action_log().follow(None)
        if self._file is not None:
            faulthandler.disable()
            self._file.close()
            self._file = None
            self._path.unlink(missing_ok=True)

    def pop_crash_report(self) -> str:
        """Return the report of an earlier crashed session, once; empty if there is none."""
        reports = []
        for path in sorted(self._folder.glob(_FILE_NAME.format(pid="*"))):
            number = path.stem.rpartition("-")[2]
            if path == self._path or (number.isdigit() and psutil.pid_exists(int(number))):
                continue
            try:
                text = path.read_text(encoding="utf-8", errors="replace")[:_MAX_REPORT_LENGTH]
                path.unlink()
            except OSError:
                continue
            if any(sign in text for sign in _FAULT_MARKERS):
                reports.append(anonymise(text))
        return "\n\n".join(reports)

    def _write(self, text: str) -> None:
        if self._file is not None:
            self._file.write(text)
            self._file.flush()
