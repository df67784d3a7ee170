"""Export card: formats with requirements, progress and outcome; and the card of a single trial."""

import re
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from studio.export.formats.base import ExportFormat
from studio.export.formats.registry import REGISTRY
from studio.gui.base import saving
from studio.gui.base.command_job import JobTracker
from studio.gui.base.theme import GRID
from studio.gui.pages.results.cards.job_line import JobLine
from studio.gui.pages.results.cards.reason_label import ReasonLabel, describe_reason
from studio.gui.session.run_view import RunView
from studio.gui.session.session import Session
from studio.gui.widgets import kit
from studio.gui.widgets.flow import StableHeightColumn
from studio.gui.widgets.fold import CollapsibleSection
from studio.language import get_language, group_digits, tr, translate

_MODEL_LINES, _OTHER_LINES = 9, 4
"""Number of text lines in the usual outcome of an export, including its links."""


class ExportCard(QFrame):
    """Lists the export formats for the chosen run."""

    def __init__(self, session: Session, job_tracker: JobTracker) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._session, self._job_tracker = session, job_tracker
        self._view: RunView | None = None
        self._ready = False
        self._trial: int | None = None
        self._example = ""
        self.buttons: dict[str, QPushButton] = {}
        self._rows = {each.key: each for each in REGISTRY}
        text = tr("Files that work without this program. Every exported model file is verified.")
        intro = kit.label(text, "muted", wrap=True)
        self.reason_label = ReasonLabel(intro)
        self.line = JobLine(job_tracker, tr("Progress of the export"))
        tip = tr("Copy a few lines of code that use the file")
        self.copy_example_button = kit.button(
            tr("Copy example code"), self._copy_message, kind="link", tip=tip
        )
        column = kit.column(
            kit.label(tr("Export"), "section", wrap=True),
            self.reason_label.container,
            parent=self,
            margin=2 * GRID,
        )
        models = QWidget()
        model_column = kit.column(parent=models)
        self.models_fold = CollapsibleSection(
            "results/models", tr("For programmers"), tr("Model files for Python"), models
        )
        for row in self._rows.values():
            rows = model_column if row.kind == "model" else column
            rows.addWidget(kit.make_separator())
            rows.addWidget(self._make_format_row(row))
        column.addWidget(kit.make_separator())
        column.addWidget(self.models_fold)
        # Below the buttons, with space reserved for the outcome, so that no button moves.
        self.job_location = StableHeightColumn(
            self.line, kit.row(self.copy_example_button, None), n_lines=_OTHER_LINES
        )
        column.addWidget(self.job_location, 0, Qt.AlignmentFlag.AlignTop)
        job_tracker.changed.connect(self._update_buttons)
        self._update_buttons()

    def _make_format_row(self, row: ExportFormat) -> QWidget:
        name = translate(row.title)
        summary = translate(row.summary)
        missing = translate(row.missing_dependency)
        widget = QWidget()
        widget.setObjectName(f"format-{row.key}")
        texts = kit.column(
            kit.label(name), kit.label(summary, "small", wrap=True), spacing=GRID // 2
        )
        if missing:
            texts.addWidget(kit.label(missing, "warning", wrap=True, selectable=True))
            button = kit.button(
                "",
                lambda: QGuiApplication.clipboard().setText(row.install),
                kind="quiet",
                icon="copy",
                tip=tr("Copy “{command}”", command=row.install),
                name=tr("Copy the command that installs {format}", format=name),
            )
        else:
            button = kit.button(
                tr("Export…"),
                lambda: self._ask_for_path(row),
                tip=summary,
                name=tr("Export as {format}", format=name),
            )
            self.buttons[row.key] = button
        line = kit.row((texts, 1), (button, 0, Qt.AlignmentFlag.AlignTop))
        widget.setLayout(line)
        return widget

    def show_run(self, view: RunView | None, *, ready: bool) -> None:
        """Show the formats for this run; ``ready``: whether it has an ensemble to train."""
        other = (view and view.row.id) != (self._view and self._view.row.id)
        self._view, self._ready = view, ready
        if other and not self.line.is_busy:
            self.line.show_text("")
            self._example = ""
        self._update_buttons()

    def use_trial(self, trial: int | None) -> None:
        """Export only this trial, or (``None``) the ensemble; formats of whole runs stay."""
        self._trial = trial

    def start(self, key: str, output: Path) -> None:
        """Export the run in a format, replacing existing files."""
        if self._view is None or self._job_tracker.is_busy:
            return
        self._example = ""
        is_model = self._rows[key].kind == "model"
        self.job_location.reserve(_MODEL_LINES if is_model else _OTHER_LINES)
        arguments = ["export", str(self._session.path), "--format", key, "-o", str(output)]
        arguments += ["--replace", "--run", str(self._view.row.id), "--language", get_language()]
        if self._trial is not None and is_model:
            arguments += ["--trial", str(self._trial)]
        self.line.run(arguments, self._on_export, tr("Reading the run…"))

    def export_format(self, key: str) -> None:
        """Ask for a path and export the shown run in a format, if possible."""
        if key in self.buttons and self.buttons[key].isEnabled():
            self._ask_for_path(self._rows[key])

    def _ask_for_path(self, row: ExportFormat) -> None:
        name = "" if self._view is None else self._view.row.name
        if self._trial is not None and row.kind == "model":
            name = f"{name} trial {self._trial}"
        suggested = suggest_name(self._session.path, name, row)
        filters = f"{translate(row.title)} (*{row.suffix})"
        title = tr("Export as {format}", format=translate(row.title))
        choice = saving.choose_file(
            self, title, suggested, filters, list_companions=row.list_companion_files
        )
        if choice is not None:
            self.start(row.key, choice.path)

    def _on_export(self, answer: dict[str, Any]) -> None:
        self._example = str(answer.get("example", ""))
        self.line.show_written_file("✓ " + describe_outcome(answer), Path(answer["path"]))
        self._update_buttons()

    def _update_buttons(self) -> None:
        for key, button in self.buttons.items():
            has_run = self._view is not None and (self._ready or key == "space")
            button.setEnabled(has_run and not self._job_tracker.is_busy)
        job = "" if self.line.is_busy else self._job_tracker.subcommand
        self.reason_label.show_reason(
            describe_reason(self._view, ready=self._ready, job=job), self.buttons.values()
        )
        self.copy_example_button.setVisible(bool(self._example))
        self.job_location.setVisible(not self.line.isHidden() or bool(self._example))

    def _copy_message(self) -> None:
        QGuiApplication.clipboard().setText(self._example)


def suggest_name(document: Path | None, run_name: str, row: ExportFormat) -> str:
    """Return a file name for an export, from the document, the run and the format."""
    stem = "ensemble" if document is None else document.stem
    run = re.sub(r"[^\w.-]+", "-", run_name).strip("-.")[:40]
    suffix = "" if row.suffix in {".pkl", ".skops", ".html"} else f"-{row.key}"
    return f"{stem}-{run}{suffix}{row.suffix}" if run else f"{stem}{suffix}{row.suffix}"


def describe_outcome(answer: dict[str, Any]) -> str:
    """Describe the outcome of an export."""
    name = Path(str(answer["path"])).name
    lines = [tr("Wrote {name}.", name=name)]
    if int(answer.get("rows", 0)):
        lines[0] = tr(
            "Done: {name} was verified in a fresh process; 0 of {rows} predictions differ.",
            name=name,
            rows=group_digits(int(answer["rows"])),
        )
    elif answer.get("checked"):
        lines.append(translate(str(answer["checked"])))
    extra_files = [Path(str(each)).name for each in answer.get("beside", ())]
    if extra_files:
        lines.append(tr("Also written: {names}", names=", ".join(extra_files)))
    lines += [translate(str(note)) for note in answer.get("notes", ())]
    # Allow line breaks after the dots of long names, by invisible characters.
    return re.sub(r"(?<=\w)\.(?=\w)", ".\u200b", "\n".join(lines))


class SingleTrialCard(QFrame):
    """Shows the selected trial; hidden for the ensemble."""

    ensemble_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._title_label = kit.label("", "section", wrap=True)
        self.button = kit.button(
            tr("Back to the ensemble"),
            self.ensemble_requested.emit,
            tip=tr("Use the ensemble for predictions and exports again"),
        )
        kit.column(
            self._title_label,
            kit.label(
                tr("Predictions and model files below use this trial, not the ensemble."),
                "muted",
                wrap=True,
            ),
            self.button,
            parent=self,
            margin=2 * GRID,
        )
        self.hide()

    def show_trial(self, number: int | None, model: str = "") -> None:
        """Show a trial's number and kind of model; ``None``: the ensemble."""
        if number is not None:
            text = tr("Trial {number} alone ({model})", number=number, model=model)
            self._title_label.setText(text)
        self.setVisible(number is not None)
