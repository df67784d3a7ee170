"""The results page: the final ensemble, its test error beside the best single's, take home."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QStackedLayout,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from studio.gui import kit
from studio.gui.fields import Field, NumberEdit, whole
from studio.gui.interval_chart import IntervalChart
from studio.gui.record_table import Cell, Head, RecordTable
from studio.gui.results_model import Outcome, algorithm, outcome, overlap, settings
from studio.gui.run_model import RunModel
from studio.gui.run_view import RunView
from studio.gui.session import Session
from studio.gui.take_home_card import TakeHomeCard
from studio.gui.theme import GRID
from studio.gui.wording import STATE_WORDS, count, duration, loss

_SIDE = 344
_MORE = 60


class ResultsPage(QWidget):
    """Shows the chosen run's outcome; while it runs, what stands so far."""

    def __init__(self, session: Session, models: RunModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "page")
        self._session, self._models = session, models
        self._more = _MORE
        self._layers = QStackedLayout(self)
        self._layers.addWidget(self._build_empty())
        self._layers.addWidget(self._build_full())
        session.run_chosen.connect(lambda _: self._show())
        session.runs_changed.connect(self._show)
        session.trials_added.connect(lambda _: self._show())
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
        self._about = kit.label("", "muted", wrap=True)
        head = kit.column(self._title, self._about, spacing=2)
        self.chart = IntervalChart()
        self._chart_title = kit.label("", "section")
        self._chart_note = kit.label("", "small", wrap=True)
        chart_card, chart_column = kit.card()
        chart_column.addWidget(self._chart_title)
        chart_column.addSpacing(GRID)
        chart_column.addWidget(self.chart)
        chart_column.addWidget(self._chart_note)
        self.members = RecordTable(
            (
                Head("Weight", "The member's share of the say", bars=True),
                Head("Trial", "The number of the trial", right=True),
                Head("Error", "Its own error on the validation rows", right=True),
                Head("Model", "What kind of model it is"),
                Head("Settings", "Its hyperparameters", wide=True),
            ),
            "Members of the ensemble",
        )
        for section, width in enumerate((150, 56, 72, 130)):
            self.members.setColumnWidth(section, width)
        self.failures = RecordTable(
            (
                Head("Trial", "The number of the trial", right=True),
                Head("Model", "What kind of model it is"),
                Head("What happened", "The cause, in plain words", wide=True),
                Head("What to do", "How to avoid it", wide=True),
            ),
            "Failed trials",
            lines=2,
        )
        self.failures.setColumnWidth(0, 56)
        left = QVBoxLayout()
        left.setSpacing(2 * GRID)
        left.addLayout(head)
        left.addWidget(chart_card)
        left.addWidget(self._build_tables(), 1)
        self.take_home = TakeHomeCard(self._session)
        side = QWidget()
        right = QVBoxLayout(side)
        right.setContentsMargins(0, 0, GRID, 0)
        right.setSpacing(2 * GRID)
        right.addWidget(self.take_home)
        right.addWidget(self._build_more())
        right.addWidget(self._build_notes())
        right.addStretch(1)
        area = kit.scrolled(side)
        area.setFixedWidth(_SIDE)
        row = QHBoxLayout(page)
        row.setContentsMargins(3 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        row.setSpacing(2 * GRID)
        row.addLayout(left, 1)
        row.addWidget(area)
        return page

    def _build_tables(self) -> QFrame:
        frame, column = kit.card(margin=0)
        column.setContentsMargins(1, GRID, 1, 1)
        self.tabs = QTabBar()
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.addTab("")
        self.tabs.addTab("")
        self.tabs.setAccessibleName("Members or failed trials")
        stack = QStackedWidget()
        stack.addWidget(self.members)
        stack.addWidget(self.failures)
        self.tabs.currentChanged.connect(stack.setCurrentIndex)
        inner = kit.row(self.tabs, None)
        inner.setContentsMargins(GRID, 0, GRID, 0)
        column.addLayout(inner)
        column.addWidget(stack, 1)
        frame.setMinimumHeight(200)
        return frame

    def _build_more(self) -> QFrame:
        self._more_card, column = kit.card()
        column.addWidget(kit.label("Search on", "section"))
        edit = NumberEdit(whole(1, 1_000_000), self._set_more)
        edit.show_value(self._more)
        field = Field(
            "More models to try (evaluations)",
            edit,
            tip="The run goes on where it stopped, with everything it has found",
        )
        edit.complain = field.complain
        column.addWidget(field)
        column.addLayout(
            kit.row(kit.button("Go on", self._go_on, icon="play", tip="Give this much more"), None)
        )
        return self._more_card

    def _build_notes(self) -> QFrame:
        self._notes_card, column = kit.card()
        column.addWidget(kit.label("Worth knowing", "section"))
        self._notes = kit.label("", "muted", wrap=True, selectable=True)
        column.addWidget(self._notes)
        return self._notes_card

    # ---- showing

    def _show(self) -> None:
        view = self._session.chosen
        found = None if view is None else outcome(view)
        if view is None:
            self._say_empty("No run yet", "Press Run at the top; the result appears here.")
        elif found is None:
            word = "The run failed" if view.state == "failed" else "No model yet"
            self._say_empty(word, view.row.message or "The first models are being trained.")
        else:
            self._layers.setCurrentIndex(1)
            self._show_outcome(view, found)
        self.take_home.show_run(view)

    def _say_empty(self, title: str, hint: str) -> None:
        self._empty_title.setText(title)
        self._empty_hint.setText(hint)
        self._layers.setCurrentIndex(0)

    def _show_outcome(self, view: RunView, found: Outcome) -> None:
        unit = self._models.unit(found.metric)
        self._title.setText(view.row.name or view.method)
        self._about.setText(_about(view, found))
        rows = f"{count(found.n_rows, 'test row')}" if found.n_rows else f"{found.rows} rows"
        metric = self._models.title(found.metric)
        target = view.settings.get("source", {}).get("target")
        said = f", in the unit of “{target}”" if unit == "target" and target else ""
        self._chart_title.setText(f"{metric} on {rows}{said}")
        self.chart.show_estimates((found.ensemble, found.single), unit)
        self._chart_note.setText(_chart_note(found))
        self.tabs.setTabText(0, f"Members ({len(found.members)})")
        heaviest = max((each.weight for each in found.members), default=1.0)
        self.members.records.show_rows(
            [
                (
                    Cell(f"{100 * each.weight:.0f} %", each.weight / heaviest),
                    Cell(str(each.trial)),
                    Cell(loss(each.loss, unit)),
                    Cell(each.algorithm),
                    Cell(each.settings),
                )
                for each in found.members
            ]
        )
        failed = view.failed_trials
        self.tabs.setTabText(1, f"Failed trials ({len(failed)})")
        self.tabs.setTabVisible(1, bool(failed))
        self.failures.records.show_rows(
            [
                (
                    Cell(str(each.number)),
                    Cell(algorithm(each), tip=settings(each)),
                    Cell(each.cause),
                    Cell(each.remedy),
                )
                for each in failed
            ]
        )
        self._more_card.setVisible(view.ended)
        notes = [*found.notes, *(each.text for each in view.messages if each.level != "info")]
        self._notes_card.setVisible(bool(notes))
        self._notes.setText("\n".join(notes))

    def _set_more(self, value: object) -> None:
        assert isinstance(value, int)
        self._more = value

    def _go_on(self) -> None:
        view = self._session.chosen
        if view is not None:
            self._session.ask_run(view.row.id, "budget", view.searched + self._more)


def _about(view: RunView, found: Outcome) -> str:
    parts = [view.method, STATE_WORDS[view.state], count(len(view.trials), "model") + " tried"]
    if view.iterations:
        seconds = float(view.iterations[-1].details.get("elapsed", 0.0))
        if seconds:
            parts.append(duration(seconds))
    if found.final:
        parts.append("members trained once more on all rows but the test rows (refitted)")
    return " · ".join(parts)


def _chart_note(found: Outcome) -> str:
    if not found.final:
        return "While the run goes on these are validation errors, which look too good."
    if found.rows != "test":
        return "There are no test rows: these are validation errors, which look too good."
    note = "Dots are errors on rows never used for choosing; bars are 95 % intervals."
    if overlap(found.ensemble, found.single):
        note += " The bars overlap: the difference may be chance."
    return note
