"""The results page: the final ensemble, its test error beside the best single's, take home."""

import contextlib
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QStackedLayout,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from studio.analysis.answers.contributions import Contributions
from studio.gui.base import theme
from studio.gui.base.language import grouped, ntr, said, tr
from studio.gui.base.theme import GRID
from studio.gui.drafts.run_model import RunModel
from studio.gui.pages.results.export_card import ExportCard
from studio.gui.pages.results.first_predictions import FirstRows, PredictionsTable
from studio.gui.pages.results.interval_chart import IntervalChart
from studio.gui.pages.results.job_line import Lane
from studio.gui.pages.results.model import ShownResult, outcome, with_contributions
from studio.gui.pages.results.predict_card import PredictCard
from studio.gui.pages.results.refit_card import RefitCard
from studio.gui.pages.results.tables import (
    failures_table,
    members_table,
    show_members,
)
from studio.gui.plots.asking import Asker, Helper, Query
from studio.gui.session.run_view import RunView
from studio.gui.session.session import Session
from studio.gui.session.wording import data_size, duration, loss, state_word
from studio.gui.widgets import kit
from studio.gui.widgets.fields import Field, NumberEdit, whole
from studio.gui.widgets.flowing import Flowing

_SIDE = 344
_LEAST = 164
"""Height of the tables on the lowest screens: their heads and two rows."""

_MORE = 60
_PREDICTIONS = 2
"""The tab of the predictions."""


class ResultsPage(QWidget):
    """Shows the chosen run's outcome; while it runs, what stands so far."""

    def __init__(
        self,
        session: Session,
        models: RunModel,
        helper: Helper,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setProperty("role", "page")
        self._session, self._models, self._helper = session, models, helper
        self._more = _MORE
        self._told: tuple[Query, Contributions] | None = None
        self._asker = Asker(
            helper,
            "contributions",
            Contributions,
            self._contributed,
            lambda _: None,
            channel="results:contributions",
        )
        self._layers = QStackedLayout(self)
        self._layers.addWidget(self._build_empty())
        self._layers.addWidget(self._build_full())
        session.shown.run_chosen.connect(lambda _: self._show())
        session.runs.changed.connect(self._show)
        session.runs.trials_added.connect(lambda _: self._show())
        models.catalogue_came.connect(self._show)
        self._show()

    # ---- layout

    def _build_empty(self) -> QWidget:
        page = QWidget()
        self._empty_title = kit.label("", "title")
        self._empty_hint = kit.label("", "muted")
        column = QVBoxLayout(page)
        column.addStretch(2)
        for made in (self._empty_title, self._empty_hint):
            made.setAlignment(Qt.AlignmentFlag.AlignCenter)
            column.addWidget(made)
        column.addStretch(3)
        return page

    def _build_full(self) -> QWidget:
        page = QWidget()
        self._title = kit.ElidedLabel("", "title")
        self._about = kit.ElidedLabel("", "muted")
        head = kit.column(self._title, self._about, spacing=2)
        findings = Flowing()
        left = QVBoxLayout(findings)
        left.setContentsMargins(0, 0, 0, 0)
        left.setSpacing(2 * GRID)
        left.addLayout(head)
        left.addWidget(self._build_chart())
        left.addWidget(self._build_tables(), 1)
        self.lane = Lane(self)
        self._shown_job: QWidget | None = None
        self.lane.changed.connect(lambda: QTimer.singleShot(0, self, self._show_job))
        self.predicting = PredictCard(self._session, self._helper, self.lane)
        self.predicting.predicted.connect(self._show_predictions)
        self.refitting = RefitCard(self._session, self.lane)
        self.take_home = ExportCard(self._session, self.lane)
        side = QWidget()
        right = QVBoxLayout(side)
        right.setContentsMargins(0, 0, GRID, 0)
        right.setSpacing(2 * GRID)
        for card in (self.predicting, self.refitting, self.take_home):
            right.addWidget(card)
        right.addWidget(self._build_more())
        right.addWidget(self._build_notes())
        right.addStretch(1)
        self.side = kit.scrolled(side)
        self.side.setFixedWidth(_SIDE)
        row = QHBoxLayout(page)
        row.setContentsMargins(3 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        row.setSpacing(2 * GRID)
        row.addWidget(kit.scrolled(findings), 1)
        row.addWidget(self.side)
        return page

    def _build_chart(self) -> QFrame:
        self.chart = IntervalChart()
        self._chart_title = kit.label("", "section", wrap=True)
        self._verdict = kit.label("", wrap=True, selectable=True)
        self._chart_note = kit.label("", "small", wrap=True)
        card, column = kit.card()
        column.addWidget(self._chart_title)
        column.addSpacing(GRID)
        column.addWidget(self.chart)
        column.addWidget(self._verdict)
        column.addWidget(self._chart_note)
        return card

    def _build_tables(self) -> QFrame:
        self.members = members_table()
        self.failures = failures_table()
        self.predictions = PredictionsTable()
        frame, column = kit.card(margin=0)
        column.setContentsMargins(1, GRID, 1, 1)
        self.tabs = QTabBar()
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName(tr("Members, failed trials or predictions"))
        stack = QStackedWidget()
        for table in (self.members, self.failures, self.predictions):
            self.tabs.addTab("")
            stack.addWidget(table)
        self.tabs.setTabVisible(_PREDICTIONS, False)
        self.tabs.setTabToolTip(0, tr("The members of the ensemble, and what each one adds"))
        self.tabs.setTabToolTip(1, tr("Models that could not be trained, and why"))
        self.tabs.setTabToolTip(_PREDICTIONS, tr("The first predictions for the last table"))
        self.tabs.currentChanged.connect(stack.setCurrentIndex)
        inner = kit.row(self.tabs, None)
        inner.setContentsMargins(GRID, 0, GRID, 0)
        column.addLayout(inner)
        column.addWidget(stack, 1)
        frame.setMinimumHeight(_LEAST)
        return frame

    def _build_more(self) -> QFrame:
        self._more_card, column = kit.card()
        column.addWidget(kit.label(tr("Keep searching"), "section"))
        edit = NumberEdit(whole(1, 1_000_000), self._set_more)
        edit.show_value(self._more)
        field = Field(
            tr("More models to try (trials)"),
            edit,
            tip=tr("The run continues where it stopped, with everything it has found"),
        )
        column.addWidget(field)
        column.addLayout(
            kit.row(
                kit.button(
                    tr("Continue"),
                    self._go_on,
                    icon="play",
                    tip=tr("Extend the run by this much"),
                ),
                None,
            )
        )
        return self._more_card

    def _build_notes(self) -> QFrame:
        self._notes_card, column = kit.card()
        column.addWidget(kit.label(tr("Worth knowing"), "section"))
        self._notes = kit.label("", "muted", wrap=True, selectable=True)
        column.addWidget(self._notes)
        return self._notes_card

    # ---- showing

    def showEvent(self, event: QShowEvent) -> None:
        """Ask what members add only while somebody looks."""
        super().showEvent(event)
        self._show()

    def _show(self) -> None:
        view = self._session.shown.run
        found = None if view is None else outcome(view)
        if view is None:
            self._say_empty(tr("No run yet"), tr("Press Run at the top; the result appears here."))
        elif found is None:
            failed = view.state == "failed"
            word = tr("The run failed") if failed else tr("No model yet")
            first = tr("The first models are being trained.")
            self._say_empty(word, said(view.row.message) or first)
        else:
            self._layers.setCurrentIndex(1)
            self._ask(view)
            self._show_outcome(view, self._completed(view, found))
        ready = view is not None and found is not None and view.ended
        self.predicting.show_run(view, ready=ready)
        self.take_home.show_run(view, ready=ready)
        self.refitting.show_run(view)

    def _say_empty(self, title: str, hint: str) -> None:
        self._empty_title.setText(title)
        self._empty_hint.setText(hint)
        self._layers.setCurrentIndex(0)

    def _query(self, view: RunView) -> Query:
        arguments = {"path": str(self._session.path), "run_id": view.row.id, "iteration": None}
        refitted = (view.row.result or {}).get("refitted")
        moment = (len(view.trials), view.row.result is not None, refitted)
        return Query(arguments, (str(self._session.path), view.row.id), moment)

    def _ask(self, view: RunView) -> None:
        if self.isVisible() and view.row.prepared:
            self._asker.ask(self._query(view))

    def _contributed(self, query: Query, answer: Contributions) -> None:
        self._told = (query, answer)
        self._show()

    def _completed(self, view: RunView, found: ShownResult) -> ShownResult:
        """Add what the helper has told of this run: also of a moment ago, until it tells anew."""
        if self._told is None or self._told[0].kind != self._query(view).kind:
            return found
        return with_contributions(found, self._told[1])

    def _show_outcome(self, view: RunView, found: ShownResult) -> None:
        unit = self._models.unit(found.metric)
        self._title.setText(view.row.name or view.method)
        self._about.setText(_about(view, found, self._session.path))
        self._chart_title.setText(self._chart_words(view, found, unit))
        self.chart.show_estimates((found.ensemble, found.single), unit)
        self._verdict.setText(said(found.verdict))
        self._verdict.setVisible(bool(found.verdict))
        self._chart_note.setText(_chart_note(found, unit))
        self.tabs.setTabText(0, tr("Members ({count})", count=grouped(len(found.members))))
        show_members(self.members, found, unit)
        failed = view.failed_trials
        self.tabs.setTabText(1, tr("Failed trials ({count})", count=grouped(len(failed))))
        self.tabs.setTabVisible(1, bool(failed))
        self.failures.records.show(failed)
        self._more_card.setVisible(view.ended)
        messages = [each.text for each in view.messages if each.level != "info"]
        notes = [said(note) for note in (*found.notes, *messages)]
        self._notes_card.setVisible(bool(notes))
        self._notes.setText("\n".join(notes))

    def _chart_words(self, view: RunView, found: ShownResult, unit: str) -> str:
        metric = said(self._models.title(found.metric))
        if found.n_rows:
            rows = ntr("{count} test row", "{count} test rows", found.n_rows)
        else:
            rows = tr("test rows") if found.rows == "test" else tr("validation rows")
        target = view.settings.get("source", {}).get("target")
        if unit == "target" and target:
            return tr(
                "{metric} on {rows}, in the unit of “{target}”",
                metric=metric,
                rows=rows,
                target=target,
            )
        return tr("{metric} on {rows}", metric=metric, rows=rows)

    def _show_job(self) -> None:
        """Bring the line of the job that is under way into sight."""
        for card in (self.predicting, self.refitting, self.take_home):
            if card.line.busy:
                self._shown_job = card
            if self._shown_job is card:  # also what it ended with, once the card has its new height
                QTimer.singleShot(0, self, partial(self._bring, card.line))

    def _bring(self, line: QWidget) -> None:
        # With room for the button below that goes on from here.
        self.side.ensureWidgetVisible(line, 0, theme.pixels(10 * GRID))

    def _show_predictions(self, rows: FirstRows) -> None:
        count = len(rows.predictions)
        self.predictions.show_rows(rows)
        self.tabs.setTabVisible(_PREDICTIONS, count > 0)
        self.tabs.setTabText(_PREDICTIONS, tr("First predictions ({count})", count=count))
        self.tabs.setCurrentIndex(_PREDICTIONS if count else 0)

    def _set_more(self, value: object) -> None:
        assert isinstance(value, int)
        self._more = value

    def _go_on(self) -> None:
        view = self._session.shown.run
        if view is not None:
            self._session.control.ask(view.row.id, "budget", view.searched + self._more)


def _about(view: RunView, found: ShownResult, document: Path | None) -> str:
    tried = ntr("{count} trial", "{count} trials", len(view.trials))
    parts = [view.method, state_word(view), tried]
    if view.elapsed:
        parts.append(duration(view.elapsed))
    if found.final and (view.row.result or {}).get("refitted", True):
        parts.append(tr("members refitted on all rows but the test rows"))
    elif found.final and view.folds is not None:
        parts.append(
            tr("each member is the committee of its {folds} fold models", folds=view.folds)
        )
    elif found.final:
        parts.append(tr("members as the search trained them (not refitted)"))
    kept = (view.row.result or {}).get("kept_bytes", 0)
    if kept:
        parts.append(tr("trained ensemble kept in the document ({size})", size=data_size(kept)))
    with contextlib.suppress(OSError):  # a document that was moved has no size to be told
        if document is not None:
            size = data_size(document.stat().st_size)
            parts.append(tr("document of {size}", size=size))
    return " · ".join(parts)


def _chart_note(found: ShownResult, unit: str) -> str:
    if not found.final:
        return tr(
            "While the run is in progress these are validation errors, which are usually "
            "optimistic."
        )
    if found.rows != "test":
        return tr(
            "There are no test rows: these are validation errors, which are usually optimistic."
        )
    note = tr("Dots are errors on rows never used for choosing; bars are 95 % intervals.")
    if found.surer_than_bars:
        note += " " + tr(
            "Overlapping intervals do not contradict this: the two are compared row by row."
        )
    if found.guess is None:
        return note
    guess = tr(
        "For comparison: the error of always giving the same answer is {error}.",
        error=loss(found.guess, unit),
    )
    return f"{note}\n{guess}"
