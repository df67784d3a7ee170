"""Prediction card: choose or drop a table, see mismatches, predict."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QTemporaryDir, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QCheckBox, QFileDialog, QFrame

from studio.data.intervals import prediction
from studio.document.decision import Decision
from studio.gui.base import file_filters, known_tables, user_paths
from studio.gui.base.command_job import JobTracker
from studio.gui.base.theme import GRID
from studio.gui.pages.results.cards.job_line import JobLine
from studio.gui.pages.results.cards.reason_label import ReasonLabel, describe_reason
from studio.gui.pages.results.who_first.predict_table_card import PredictTableCard
from studio.gui.pages.results.who_first.rows import LoadedPredictions
from studio.gui.pages.results.who_first.stored_predictions import StoredPredictions
from studio.gui.plots.base.helper_requests import Helper, ViewContext
from studio.gui.session.run_view import RunView
from studio.gui.session.session import Session
from studio.gui.widgets import kit
from studio.helper.answers import Encoded, decode
from studio.helper.predicted_rows import load_predictions
from studio.helper.protocol import ProtocolError
from studio.helper.tables import FileFit, check_table
from studio.language import ntr, tr, translate


class PredictCard(QFrame):
    """Three steps: a table, its check, the predictions.

    Attributes:
        begin_card: The card of *Who first?* that offers the same steps in place of the rows.
    """

    predicted = Signal(object)
    """The rows with their predictions (LoadedPredictions); ``None`` when they are outdated."""

    def __init__(self, session: Session, helper: Helper, job_tracker: JobTracker) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setAcceptDrops(True)
        self._session, self._helper, self._job_tracker = session, helper, job_tracker
        self._view: RunView | None = None
        self._ready = False
        self._trial: int | None = None
        # The decision and the models of the current or pending predictions:
        self._basis: tuple[Decision | None, str] = (None, "")
        self._table: Path | None = None
        self._stored_predictions: StoredPredictions | None = None  # for a repeated prediction
        self._sha256 = ""
        self._remarks: tuple[str, ...] = ()
        self._table_fits = False
        self._rows = 0
        self._running_output: QTemporaryDir | None = None  # of the running job
        # Document, run and trial of that job:
        self._job_model: tuple[Path | None, int, int | None] | None = None
        self._output: QTemporaryDir | None = None  # of the shown predictions
        tip = tr("A table with the same columns as the one the run was trained on")
        self.choose_button = kit.button(
            tr("Choose a table…"), self.choose_table, kind="primary", icon="predict", tip=tip
        )
        self.notes_label = kit.label("", wrap=True, selectable=True)
        self.predict_button = kit.button(
            tr("Predict"), self.start, kind="primary", tip=tr("Predict with the trained ensemble")
        )
        self.intervals = QCheckBox(
            tr("With {share} % intervals", share=round(100 * prediction.SHARE))
        )
        self.intervals.setToolTip(
            tr(
                "Adds two columns: limits that contain the true value with this probability, "
                "learned from rows the ensemble had not seen"
            )
        )
        self.intervals.setChecked(True)
        self.line = JobLine(job_tracker, tr("Progress of the predictions"))
        self.job_location = self.line
        self.waiting_label = kit.label("", "small", wrap=True)
        text = tr(
            "Choose a table with the same columns, or drop it here. It is checked, then "
            "predicted at once; differences from training are listed beside the rows."
        )
        intro = kit.label(text, "muted", wrap=True)
        self.reason_label = ReasonLabel(intro)
        kit.column(
            kit.label(tr("Predict new rows"), "section", wrap=True),
            self.reason_label.container,
            self.waiting_label,
            self.choose_button,
            self.notes_label,
            self.intervals,
            self.predict_button,
            self.line,
            parent=self,
            margin=2 * GRID,
        )
        self.begin_card = PredictTableCard(
            self.choose_table, self.predict_again, self.start, self.check
        )
        job_tracker.changed.connect(self._update_buttons)
        job_tracker.changed.connect(self._follow_run)
        self._update_buttons()

    def show_run(self, view: RunView | None, *, ready: bool) -> None:
        """Predict with this run; ``ready``: whether it has an ensemble to train."""
        other = (view and view.row.id) != (self._view and self._view.row.id)
        self._view, self._ready = view, ready
        result = view.row.result if view and ready else None
        kit.show_text(self.waiting_label, translate(result.kept_reason) if result else "")
        if other and not self.line.is_busy:
            self._reset()
        self._follow_run()
        self._update_buttons()

    def use_trial(self, trial: int | None) -> None:
        """Predict with this trial only, or (``None``) with the ensemble."""
        if trial != self._trial:
            self._trial = trial
            if not self.line.is_busy:
                self._reset()
            self._update_buttons()

    def check(self, table: Path) -> None:
        """Check a table against the run, without training or writing."""
        if self._view is None or not self._ready or self._job_tracker.is_busy:
            return
        self._reset()
        self._table = table
        text = tr("Checking {name}…", name=table.name)
        self._show_note(text)
        self.begin_card.show_progress_text(text)
        arguments = {
            "document": str(self._session.path),
            "run": self._view.row.id,
            "path": str(table),
        }
        self._helper.request(
            check_table,
            arguments,
            lambda reply: self._on_table_checked(table, reply),
            lambda message: self._on_check_error(table, message),
            "results:check_table",
        )

    @property
    def is_repeat(self) -> bool:
        """Whether predictions from before the document was closed are being repeated."""
        return self._stored_predictions is not None and self.line.is_busy

    def restore(self) -> None:
        """Predict the last table again, unless the user has chosen another one."""
        if self._table is None:
            self.predict_again()

    def predict_again(self) -> None:
        """Predict the last table again, if it is unchanged."""
        if (
            self._view is None
            or not self._ready
            or self._job_tracker.is_busy
            or self._trial is not None
        ):
            return
        previous = StoredPredictions.find(self._session, self._view.row.id)
        if previous is None:
            return
        table = Path(previous.table)
        if not table.is_file():
            self.begin_card.show_missing_predictions(
                tr(
                    "The rows of {name} were predicted here, but the file is no longer in "
                    "{folder}. Choose its new location.",
                    name=table.name,
                    folder=str(table.parent),
                )
            )
            return
        self.check(table)
        self._stored_predictions = previous
        self.intervals.setChecked(previous.interval)

    def start(self) -> None:
        """Train the members and predict the checked table."""
        if self._table is None or self._view is None or self._job_tracker.is_busy:
            return
        self._running_output, self._basis = QTemporaryDir(), self._view.label_basis
        self._job_model = self._session.path, self._view.row.id, self._trial
        arguments = ["predict", str(self._session.path), str(self._table)]
        arguments += ["--rows-folder", self._running_output.path(), "--run", str(self._view.row.id)]
        if self._trial is not None:
            arguments += ["--trial", str(self._trial)]
        elif self._is_regression and self.intervals.isChecked():
            arguments += ["--interval", str(prediction.SHARE)]
        self.begin_card.offer_prediction("", "")
        self._show_note("")  # the note's text is shown beside the rows
        self.begin_card.show_progress_text(
            tr("Predicting the rows of {name}…", name=self._table.name)
        )
        self.line.run(arguments, self._on_predictions, tr("Reading the table…"), self._on_failure)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept a table that fits the run."""
        has_file = any(url.isLocalFile() for url in event.mimeData().urls())
        if has_file and self.choose_button.isEnabled():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Check the first dropped file."""
        paths = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        self.check(Path(paths[0]))

    @property
    def _is_regression(self) -> bool:
        return self._view is not None and self._view.settings.source.task == "regression"

    def choose_table(self) -> None:
        """Ask for a table and check it; without remarks, predict it directly."""
        if not self.choose_button.isEnabled():
            return
        text = tr("Rows to predict")
        name, _ = QFileDialog.getOpenFileName(
            self, text, user_paths.get_start_folder(), file_filters.get_table_filters()
        )
        user_paths.set_dialog_folder(name)
        if name:
            self.check(Path(name))

    def _on_table_checked(self, table: Path, reply: Encoded) -> None:
        if table != self._table:
            return
        fit = decode(FileFit, *reply)
        previous = self._stored_predictions
        self.begin_card.show_progress_text("")
        self._remarks = (*fit.data_differences[fit.shows_differences :], *fit.notes)
        self._rows, self._table_fits, self._sha256 = fit.rows, True, fit.sha256
        heading = tr("All columns of {name} match.", name=table.name)
        if fit.notes:
            heading = tr("{name} can be predicted.", name=table.name)
        if fit.is_compared and not fit.data_differences:
            heading += " " + tr("No sign that these rows differ from the training rows.")
        differences = [f"⚠ {translate(each)}" for each in fit.data_differences[:1]]
        notes = [f"• {translate(each)}" for each in (*fit.data_differences[1:], *fit.notes)]
        self._show_note("\n".join([heading, *differences, *notes]))
        self.predict_button.setText(ntr("Predict {count} row", "Predict {count} rows", self._rows))
        self.predict_button.setAccessibleName(self.predict_button.text())
        self._update_buttons()
        self.predict_button.setFocus()
        if previous is not None and previous.sha256 != fit.sha256:
            self._stored_predictions = previous = None
            message = tr(
                "{name} has changed since its rows were predicted here. Predict it again.",
                name=table.name,
            )
            self._show_note("\n".join((message, self.notes_label.text())))
            self.begin_card.show_missing_predictions(message)
            return
        result = self._view.row.result if self._view is not None else None
        # Training starts only on a click.
        if result is not None and result.kept_bytes and self._trial is None:
            self.start()
        else:
            self.begin_card.offer_prediction(self.predict_button.text(), self.notes_label.text())

    def _on_check_error(self, table: Path, message: str) -> None:
        if table == self._table:
            self._table = None
            self.begin_card.show_progress_text("")
            self.begin_card.show_missing_predictions(translate(message))
            self._show_note(translate(message))
            self._update_buttons()

    def _on_predictions(self, result: dict[str, Any]) -> None:
        run_id = None if self._view is None else self._view.row.id
        if self._job_model != (self._session.path, run_id, self._trial):
            # Another run or trial was chosen meanwhile: these rows do not belong to it, and are
            # predicted again when theirs is shown.
            assert self._job_model is not None
            document, job_run_id, trial = self._job_model
            if document == self._session.path and job_run_id in self._session.runs.ids:
                self._store_predictions(job_run_id, trial)
            self._running_output = None
            self._reset()
            self._update_buttons()
            return
        self.line.show_text(
            "✓ "
            + ntr(
                "{count} prediction, under “Who first?”",
                "{count} predictions, under “Who first?”",
                int(result["rows"]),
            )
        )
        self._table_fits = False
        self.begin_card.show_progress_text("")
        assert self._running_output is not None and self._table is not None
        previous, self._output, self._running_output = self._output, self._running_output, None
        self._update_buttons()
        folder = Path(self._output.path())
        try:
            is_repeat = self._stored_predictions is not None
            predictions = LoadedPredictions(
                load_predictions(folder),
                folder,
                self._table,
                is_repeated=is_repeat,
                remarks=self._remarks,
            )
            if predictions.rows.deciding_columns:
                self.line.show_text(f"⚠ {translate(predictions.rows.no_estimate_reason)}")
            self._store_predictions(*self._job_model[1:])
            self.predicted.emit(predictions)
        except ProtocolError as error:
            self._on_failure()
            self.line.show_text(translate(str(error)))
        if previous is not None:
            previous.remove()
        self._follow_run()

    def _on_failure(self) -> None:
        """Discard rows labelled by an earlier decision."""
        self._running_output = self._stored_predictions = None
        self.begin_card.show_progress_text("")
        self._remove_output()

    def _store_predictions(self, run_id: int, trial: int | None) -> None:
        """Store the predictions, to show them when the document or run is shown again."""
        assert self._table is not None
        known_tables.record_opened([str(self._table)])
        is_new = StoredPredictions.load(self._session, run_id) is None
        if (self._stored_predictions is None or is_new) and trial is None:
            interval = self.intervals.isChecked()
            previous = StoredPredictions.find(self._session, run_id)
            settings = {} if previous is None else previous.view_settings
            predictions = StoredPredictions(
                str(self._table), self._sha256, interval=interval, **settings
            )
            predictions.store(self._session, run_id)
        self._stored_predictions = None

    def _follow_run(self) -> None:
        """Predict again if the decision or, by a refit, the ensemble has changed.

        The rows are kept until the new ones arrive; they are cleared if the members need a refit,
        which only the user can start.
        """
        view = self._view
        if view is None or not self._ready or self._job_tracker.is_busy:
            return
        previous, self._basis = self._basis, view.label_basis
        has_new_decision = view.row.decision != previous[0]
        has_changed = has_new_decision if self._trial is not None else view.label_basis != previous
        if self._output is None or not has_changed:
            return
        result = view.row.result
        if result is not None and result.kept_bytes and self._trial is None:
            self._stored_predictions = StoredPredictions.load(self._session, view.row.id)
            self.start()
            return
        self._remove_output()
        self._table_fits = True
        text = tr("The models have changed. Predict again to update the rows.")
        if has_new_decision:
            text = tr("The decision has changed. Predict again to update the labels.")
        self.line.show_text(text)
        self._update_buttons()

    def _show_note(self, text: str) -> None:
        self.notes_label.setText(text)
        self._update_buttons()

    def _reset(self) -> None:
        self._table, self._table_fits, self._stored_predictions = None, False, None
        self._remove_output()
        self.begin_card.offer_prediction("", "")
        self.begin_card.show_progress_text("")
        self.begin_card.show_missing_predictions("")
        self.notes_label.setText("")
        self.line.show_text("")

    def _remove_output(self) -> None:
        if self._output is not None:
            self._output.remove()
            self._output = None
            self.predicted.emit(None)

    def _update_buttons(self) -> None:
        is_ready = self._view is not None and self._ready and not self._job_tracker.is_busy
        self.choose_button.setEnabled(is_ready)
        job = "" if self.line.is_busy else self._job_tracker.subcommand
        self.reason_label.show_reason(
            describe_reason(self._view, ready=self._ready, job=job), [self.choose_button]
        )
        self.notes_label.setVisible(bool(self.notes_label.text()))
        self.intervals.setVisible(self._ready and self._is_regression and self._trial is None)
        can_predict = self._table_fits and not self.line.is_busy
        self.predict_button.setVisible(can_predict)
        kit.set_primary(self.choose_button, not can_predict)
        self.predict_button.setEnabled(is_ready)


@dataclass(frozen=True)
class PredictionContext(ViewContext):
    """Services for views, with the card that makes predictions."""

    predict_card: PredictCard
