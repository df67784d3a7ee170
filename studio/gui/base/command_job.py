"""A background job that runs one of the program's commands: predict, export, refit."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QTimer, Signal

from studio.children import PHRASES_VARIABLE, make_process_environment, make_studio_command
from studio.language import tr, translate
from studio.phrases import Phrase
from studio.plain_json import JsonError, read_json


def make_process(command: Sequence[str], parent: QObject, **extra_env: str) -> QProcess:
    """Return a new process of :mod:`studio.children` that is not started yet."""
    process = QProcess(parent)
    process.setProgram(command[0])
    process.setArguments(list(command[1:]))
    environment = QProcessEnvironment()
    for name, value in make_process_environment(**extra_env).items():
        environment.insert(name, value)
    process.setProcessEnvironment(environment)
    return process


_KILL_TIMEOUT_MS = 1500
"""Time in milliseconds for a command to remove its temporary folders before it is killed."""

_MAX_STEPS = 2**31
"""Largest number that Qt's signals can carry."""


class CommandJob(QObject):
    """Runs ``studio … --json``; the last line of output is one JSON object.

    With ``--progress``, it is preceded by progress lines: ``{"progress": …, "done": 3, "of": 12}``
    and ``{"note": …}``.
    """

    done = Signal(object)
    """The JSON object, with its phrases restored."""
    failed = Signal(str)
    progress = Signal(str, int, int)
    """Name of the current step, amount done, and total amount (0: unknown)."""
    noted = Signal(str)
    """A note on the next steps."""

    def __init__(
        self,
        arguments: Sequence[str],
        parent: QObject | None = None,
        command: list[str] | None = None,
    ) -> None:
        super().__init__(parent)
        self.subcommand = arguments[0] if arguments else ""
        self._stopped = False
        self._stdout_buffer, self._last_line = b"", ""
        start = command or make_studio_command()
        self._process = make_process(
            [*start, *arguments], self, PYTHONIOENCODING="utf-8", **{PHRASES_VARIABLE: "1"}
        )
        self._process.readyReadStandardOutput.connect(self._read)
        self._process.finished.connect(self._on_finished)
        self._process.errorOccurred.connect(self._on_process_error)

    def start(self) -> None:
        """Start."""
        self._process.start()

    @property
    def is_running(self) -> bool:
        """Whether the job is running."""
        return self._process.state() is not QProcess.ProcessState.NotRunning

    def stop(self) -> None:
        """Cancel asynchronously; no partial output is written, and ``failed`` is emitted."""
        if self._stopped:
            return
        self._stopped = True
        self._process.terminate()
        QTimer.singleShot(_KILL_TIMEOUT_MS, self._process, self._process.kill)

    def _read(self) -> None:
        lines = (self._stdout_buffer + bytes(self._process.readAllStandardOutput().data())).split(
            b"\n"
        )
        self._stdout_buffer = lines.pop()
        for line in lines:
            self._read_line(line)

    def _read_line(self, line: bytes) -> None:
        text = line.decode("utf-8", "replace").strip()
        if not text:
            return
        self._last_line = text
        step = _parse_json(text)
        match step:
            case {"progress": str(doing), "done": int(done), "of": int(of)} if of < _MAX_STEPS:
                self.progress.emit(translate(doing), done, of)
            case {"note": str(sentence)}:
                self.noted.emit(translate(sentence))

    def _on_finished(self, code: int) -> None:
        self._read()
        self._read_line(self._stdout_buffer)
        stderr_text = (
            bytes(self._process.readAllStandardError().data()).decode("utf-8", "replace").strip()
        )
        if self._stopped:
            self.failed.emit(tr("Stopped; nothing was written."))
            return
        if code != 0:
            last = stderr_text.splitlines()[-1] if stderr_text else ""
            no_message_text = tr(
                "The command ended with exit code {code} and no message.", code=code
            )
            reason = _parse_json(last)
            self.failed.emit(
                translate(reason if isinstance(reason, Phrase) else last) or no_message_text
            )
            return
        answer = _parse_json(self._last_line)
        if not isinstance(answer, dict):
            self.failed.emit(tr("The command succeeded, but its output could not be read."))
            return
        self.done.emit(answer)

    def _on_process_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self.failed.emit(tr("The command could not be started. Is the installation complete?"))


def _parse_json(line: str) -> Any:
    """Return the content of a line of JSON, ``None`` if it is not a JSON object."""
    try:
        return read_json(line, finite=False)
    except JsonError:
        return None


class JobTracker(QObject):
    """Tracks the running job of a page: parallel jobs would only slow each other down."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.job: CommandJob | None = None

    @property
    def is_busy(self) -> bool:
        """Whether a job is running."""
        return self.job is not None

    @property
    def subcommand(self) -> str:
        """The subcommand of the running job, such as "export"; empty if idle."""
        return "" if self.job is None else self.job.subcommand

    def register(self, job: CommandJob | None) -> None:
        """Register a job as running, or (``None``) allow the next one."""
        self.job = job
        self.changed.emit()
