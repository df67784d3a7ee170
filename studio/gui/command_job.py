"""One of the program's own commands, run beside the window: predict, export."""

import json
import sys
from collections.abc import Sequence

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, Signal


def program() -> list[str]:
    """Return how the ``studio`` command is started from here."""
    return [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-m", "studio"]


class CommandJob(QObject):
    """Runs ``studio …--json``; its last line of output is one JSON object."""

    done = Signal(dict)
    failed = Signal(str)

    def __init__(
        self,
        arguments: Sequence[str],
        parent: QObject | None = None,
        command: list[str] | None = None,
    ) -> None:
        super().__init__(parent)
        start = command or program()
        self._stopped = False
        self._process = QProcess(self)
        self._process.setProgram(start[0])
        self._process.setArguments([*start[1:], *arguments])
        environment = QProcessEnvironment.systemEnvironment()
        environment.insert("PYTHONIOENCODING", "utf-8")
        self._process.setProcessEnvironment(environment)
        self._process.finished.connect(self._ended)
        self._process.errorOccurred.connect(self._troubled)

    def start(self) -> None:
        """Begin."""
        self._process.start()

    @property
    def running(self) -> bool:
        """Whether it is under way."""
        return self._process.state() is not QProcess.ProcessState.NotRunning

    def stop(self) -> None:
        """Give up; nothing is written in part."""
        self._stopped = True
        self._process.kill()
        self._process.waitForFinished(2000)

    def _ended(self, code: int) -> None:
        said = (
            bytes(self._process.readAllStandardOutput().data()).decode("utf-8", "replace").strip()
        )
        complaint = (
            bytes(self._process.readAllStandardError().data()).decode("utf-8", "replace").strip()
        )
        if self._stopped:
            self.failed.emit("Stopped; nothing was written.")
            return
        if code != 0:
            last = complaint.splitlines()[-1] if complaint else ""
            self.failed.emit(last or f"The command ended with code {code} and said nothing.")
            return
        try:
            answer = json.loads(said.splitlines()[-1])
        except (ValueError, IndexError):
            self.failed.emit("The command ended well but its answer could not be read.")
            return
        self.done.emit(answer)

    def _troubled(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self.failed.emit("The command could not be started. Is the installation complete?")
