"""Handler of uncaught exceptions, which reports each once and lets the window continue."""

import contextlib
import faulthandler
import getpass
import os
import platform
import re
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import IO

import numpy as np
import psutil
import PySide6
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QWidget

from studio.errors import StudioError
from studio.gui.base import theme
from studio.gui.base.theme import GRID
from studio.gui.base.user_paths import ensure_user_folder
from studio.gui.shell.commands.command_registry import get_action_log
from studio.gui.widgets import kit
from studio.language import tr
from studio.version import VERSION

_QUOTED_PATTERN = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|«[^»\n]*»|“[^”\n]*”")
_NUMBER_PATTERN = re.compile(r"[-+]?\d[\d.,_]*(?:[eE][-+]?\d+)?")
_MAX_MESSAGE_LENGTH = 400


def format_version() -> str:
    """Return program, version and system in three lines."""
    return "\n".join(
        (
            f"Ensemble Studio {VERSION}",
            f"Python {platform.python_version()}, PySide {PySide6.__version__}, NumPy "
            f"{np.__version__}",
            f"{platform.system()} {platform.release()}, {platform.machine()}",
        )
    )


def format_exception_report(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> str:
    """Return the report of an exception.

    Quotations and numbers in the message may be private data and are left out.
    """
    lines = [f"{kind.__module__}.{kind.__qualname__}: {remove_values(str(error))}"]
    lines += [_format_frame(each) for each in traceback.extract_tb(trace)]
    fault = "\n".join(lines)
    actions = "\n".join(f"- {each}" for each in get_action_log().names) or "- nothing yet"
    return anonymise(
        f"{format_version()}\n\nFault\n{fault}\n\nLast actions, the newest last\n{actions}\n"
    )


def remove_values(message: str) -> str:
    """Remove quotations and numbers from a message."""
    cleaned = _NUMBER_PATTERN.sub("#", _QUOTED_PATTERN.sub("'…'", message))
    return cleaned if len(cleaned) <= _MAX_MESSAGE_LENGTH else cleaned[:_MAX_MESSAGE_LENGTH] + "…"


def anonymise(text: str) -> str:
    """Replace the home folder and the user's name in a text."""
    with contextlib.suppress(RuntimeError):  # the user may have no home folder
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
        return ""  # the system has no name for this user


def _format_frame(frame: traceback.FrameSummary) -> str:
    path = Path(frame.filename)
    location = "/".join(path.parts[-3:])
    return f"  {location}:{frame.lineno} in {frame.name}\n    {frame.line or ''}".rstrip()


_FILE_NAME = "window-{pid}.txt"
_FAULT_MARKERS = ("Fatal Python error", "fatal exception")
_MAX_REPORT_LENGTH = 60_000


def ensure_crash_folder() -> Path:
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


_WIDTH = 560


class ReportDialog(QDialog):
    """Texts above a report, which a button copies.

    Args:
        texts: A paragraph, and a muted one below it.
        close: Text and tooltip of the button that closes it.
    """

    def __init__(
        self,
        heading: str,
        texts: tuple[str, str],
        report: str,
        close: tuple[str, str],
        parent: QWidget | None,
    ) -> None:
        super().__init__(parent)
        theme.style_window(self)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.report = report
        self.setMinimumWidth(theme.pixels(_WIDTH))
        self.text = QPlainTextEdit(report)
        self.text.setReadOnly(True)
        self.text.setAccessibleName(heading)
        self.text.setToolTip(tr("Content of the report"))
        self.text.setMinimumHeight(theme.pixels(160))
        self.text.setTabChangesFocus(True)
        self.outcome_label = kit.label("", "small", wrap=True)
        self.copy_button = kit.button(
            tr("Copy"), self._copy, icon="copy", tip=tr("Copy the report to paste it elsewhere")
        )
        close_text, close_tip = close
        self.close_button = kit.button(close_text, self.accept, kind="primary", tip=close_tip)
        self.close_button.setDefault(True)
        kit.column(
            kit.label(heading, "title", wrap=True),
            kit.label(texts[0], wrap=True),
            kit.label(texts[1], "muted", wrap=True),
            self.text,
            self.outcome_label,
            kit.row(self.copy_button, None, self.close_button),
            parent=self,
            spacing=2 * GRID,
            margin=3 * GRID,
        )
        self.close_button.setFocus()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.report)
        self.outcome_label.setText(tr("Copied to the clipboard."))


class CrashDialog(ReportDialog):
    """Explains an error and that no data are lost."""

    def __init__(self, report: str, *, last_time: bool, parent: QWidget | None = None) -> None:
        if last_time:
            heading = tr("Ensemble Studio ended unexpectedly last time")
            text = tr(
                "It is a bug in the program, not your mistake. Your input and the results so "
                "far are saved in the document, and runs continued without the window."
            )
        else:
            heading = tr("Something went wrong")
            text = tr(
                "It is a bug in the program, not your mistake, and you can continue working. "
                "Nothing is lost: your input and the results so far are saved in the document, "
                "and runs continue."
            )
        privacy = tr(
            "This report stays on your computer. It contains versions, your last actions and "
            "the place in the program, but no data, no file names and not your name. You can "
            "read it, and send it to the maintainers."
        )
        close = tr("Continue"), tr("Close this and continue working")
        super().__init__(heading, (text, privacy), report, close, parent)
        self.setWindowTitle(tr("An error in the program"))


class CrashWatch(QObject):
    """Handles uncaught exceptions of all threads, and reports the previous crash.

    Shows one dialog at a time, and each location only once: an error in a paint event would
    otherwise open sixty a second.
    """

    _arrived = Signal(str, str, str)

    def __init__(self, window: Callable[[], QWidget | None], folder: Path | None = None) -> None:
        super().__init__()
        self._window = window
        self._recorder = FaultRecorder(folder or ensure_crash_folder())
        self._reported: set[str] = set()
        self.dialog: CrashDialog | None = None
        # Always queued: a dialog must not open during a paint event or a model's update.
        self._arrived.connect(self._show_banner, Qt.ConnectionType.QueuedConnection)

    def install_hooks(self) -> None:
        """Install the hooks."""
        sys.excepthook = self.report_uncaught
        threading.excepthook = self._on_thread_exception
        self._recorder.start_recording()

    def restore_hooks(self) -> None:
        """Restore Python's hooks at a normal exit."""
        sys.excepthook = sys.__excepthook__
        threading.excepthook = threading.__excepthook__
        self._recorder.stop_recording()

    def report_uncaught(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        """Report an uncaught exception; Ctrl+C in the terminal ends the program as usual."""
        if not issubclass(kind, Exception):
            sys.__excepthook__(kind, error, trace)
            return
        traceback.print_exception(kind, error, trace)
        frames = traceback.extract_tb(trace)
        location = f"{kind.__name__}@{frames[-1].filename}:{frames[-1].lineno}" if frames else ""
        sentence = str(error) if isinstance(error, StudioError) else ""
        self._arrived.emit(location, sentence, format_exception_report(kind, error, trace))

    def _on_thread_exception(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self.report_uncaught(args.exc_type, args.exc_value, args.exc_traceback)

    def offer_previous_report(self) -> None:
        """Offer the report of a crash in the previous session."""
        report = self._recorder.pop_crash_report()
        if report:
            self._show(report, last_time=True)

    def _show_banner(self, location: str, sentence: str, report: str) -> None:
        banner = getattr(self._window(), "banner", None)
        if sentence and banner is not None:
            # the program's own errors already are messages for users
            banner.show_message(sentence)
            return
        if location not in self._reported and self.dialog is None:
            self._reported.add(location)
            self._show(report, last_time=False)

    def _show(self, report: str, *, last_time: bool) -> None:
        self.dialog = CrashDialog(report, last_time=last_time, parent=self._window())
        self.dialog.finished.connect(self._on_dialog_closed)
        self.dialog.open()

    def _on_dialog_closed(self) -> None:
        self.dialog = None
