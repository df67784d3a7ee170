"""Predict a new table, export the ensemble: one job at a time, with its outcome in words."""

from pathlib import Path
from typing import Any

from PySide6.QtCore import QStandardPaths, Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QFrame, QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from studio.gui import kit
from studio.gui.command_job import CommandJob
from studio.gui.documents import TABLES
from studio.gui.run_view import RunView
from studio.gui.session import Session
from studio.gui.theme import GRID
from studio.gui.wording import count


class TakeHomeCard(QFrame):
    """What can be done with a finished run."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._session = session
        self._run: int | None = None
        self._job: CommandJob | None = None
        self._target: Path | None = None
        self.predict_button = kit.button(
            "Predict a CSV…",
            self._predict,
            kind="primary",
            icon="predict",
            tip="Choose a table with the same columns; a new CSV with predictions is written",
        )
        self.export_button = kit.button(
            "Export pickle…",
            self._export,
            icon="export",
            tip="One file that scikit-learn and pandas load, without this program",
        )
        self._state = kit.label("", wrap=True, selectable=True)
        self._bar = QProgressBar()
        self._bar.setRange(0, 0)
        self._bar.setTextVisible(False)
        self._stop = kit.button("Stop", self._stop_job, tip="Give up; nothing is written in part")
        self._show_folder = kit.button(
            "Show the folder", self._open_folder, kind="link", tip="Open the file's folder"
        )
        line = QHBoxLayout()
        line.addWidget(self._bar, 1)
        line.addWidget(self._stop)
        column = QVBoxLayout(self)
        column.setContentsMargins(*(4 * [2 * GRID]))
        column.setSpacing(GRID)
        column.addWidget(kit.label("Take it home", "section"))
        column.addWidget(
            kit.label(
                "Predict the rows of a new table, or keep the ensemble as one scikit-learn model.",
                "muted",
                wrap=True,
            )
        )
        column.addWidget(self.predict_button)
        column.addWidget(self.export_button)
        column.addLayout(line)
        column.addWidget(self._state)
        column.addWidget(self._show_folder, 0, Qt.AlignmentFlag.AlignLeft)
        self._show_job()

    def show_run(self, view: RunView | None) -> None:
        """Offer the jobs for this run."""
        number = None if view is None or view.row.result is None else view.row.id
        if number != self._run and (self._job is None or not self._job.running):
            self._state.setText("")
            self._target = None
        self._run = number
        self._show_job()

    def start_predict(self, table: Path, output: Path) -> None:
        """Predict a table's rows into a new file."""
        self._start(["predict", str(self._session.path), str(table), "-o", str(output)], output)

    def start_export(self, output: Path) -> None:
        """Export the ensemble as a pickle."""
        self._start(["export", str(self._session.path), "--pickle", str(output)], output)

    def _predict(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Rows to predict", _home(), TABLES)
        if not name:
            return
        table = Path(name)
        stem = table.name.split(".")[0]
        suggested = str(table.with_name(f"{stem} predicted.csv"))
        kinds = "CSV (*.csv)"
        output, _ = QFileDialog.getSaveFileName(self, "Write predictions", suggested, kinds)
        if output:
            self.start_predict(table, Path(output))

    def _export(self) -> None:
        document = self._session.path
        stem = "ensemble" if document is None else document.stem
        suggested = str(Path(_home()) / f"{stem}.pkl")
        kinds = "Pickle (*.pkl)"
        output, _ = QFileDialog.getSaveFileName(self, "Export the ensemble", suggested, kinds)
        if output:
            self.start_export(Path(output))

    def _start(self, arguments: list[str], target: Path) -> None:
        if self._job is not None and self._job.running:
            return
        self._target = target
        what = (
            "Training the members and predicting…"
            if arguments[0] == "predict"
            else ("Training the members, writing, and checking in a fresh process…")
        )
        self._state.setText(what)
        self._job = CommandJob([*arguments, "--run", str(self._run), "--json"], self)
        self._job.done.connect(self._done)
        self._job.failed.connect(self._failed)
        self._job.start()
        self._show_job()

    def _done(self, answer: dict[str, Any]) -> None:
        target = self._target
        assert target is not None
        rows = answer.get("rows")
        said = f"Wrote {target.name}"
        if rows is not None:
            said += f" with {count(int(rows), 'prediction')}"
        self._state.setText("\n".join([f"✓ {said}.", *map(str, answer.get("notes", []))]))
        self._job = None
        self._show_job()

    def _failed(self, message: str) -> None:
        self._state.setText(message)
        self._target = self._job = None
        self._show_job()

    def _stop_job(self) -> None:
        if self._job is not None:
            self._job.stop()

    def _show_job(self) -> None:
        busy = self._job is not None
        ready = self._run is not None and not busy
        self.predict_button.setEnabled(ready)
        self.export_button.setEnabled(ready)
        self._bar.setVisible(busy)
        self._stop.setVisible(busy)
        self._state.setVisible(bool(self._state.text()))
        self._show_folder.setVisible(self._target is not None and not busy)

    def _open_folder(self) -> None:
        if self._target is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._target.parent)))


def _home() -> str:
    return QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
