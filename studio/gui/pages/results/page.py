"""The Results page: questions about a run's result, and exports."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QButtonGroup,
    QFrame,
    QStackedLayout,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from studio.analysis.answers.rows import TableRow
from studio.ensembles.correction import describe_correction
from studio.figures.ink import get_run_ink
from studio.gui.base import theme
from studio.gui.base.command_job import JobTracker
from studio.gui.base.preferences import get_appearance
from studio.gui.base.theme import GRID
from studio.gui.drafts.run_model import RunModel
from studio.gui.pages.results.cards.continue_card import ContinueCard
from studio.gui.pages.results.cards.export_card import ExportCard, SingleTrialCard
from studio.gui.pages.results.cards.predict_card import PredictCard, PredictionContext
from studio.gui.pages.results.cards.refit_card import RefitCard
from studio.gui.pages.results.views.model import (
    DisplayedResult,
    get_algorithm_title,
    make_displayed_result,
)
from studio.gui.pages.results.views.one_row import OneRowView
from studio.gui.pages.results.views.ranked_rows import RankedRowsView
from studio.gui.pages.results.views.registry import QUESTIONS
from studio.gui.pages.results.who_first.rows import LoadedPredictions
from studio.gui.plots.base.helper_requests import (
    Helper,
    HelperRequesterFactory,
    ResultView,
    ViewContext,
)
from studio.gui.session.run_view import RunView
from studio.gui.session.session import Session
from studio.gui.session.wording import count_without_loss, describe_state, format_data_size
from studio.gui.widgets import kit
from studio.gui.widgets.flow import FlowLayout
from studio.gui.widgets.run_marks import Swatch
from studio.language import ntr, tr, translate
from studio.measure import format_duration
from studio.questions.columns import ColumnsWork
from studio.runs.settings import describe_training

V = TypeVar("V", bound=ResultView)


class ViewStack(QWidget):
    """A chip for each question; views are built, and connected, on first use."""

    opened = Signal(str)

    def __init__(self, context: ViewContext, connect: Callable[[ResultView], None]) -> None:
        super().__init__()
        self._tools, self._connect = context, connect
        self._questions = {each.key: each for each in QUESTIONS}
        self._views: dict[type[ResultView], ResultView] = {}
        self._run: tuple[RunView, bool] | None = None
        group = QButtonGroup(self)
        self.chips = {
            each.key: kit.chip(
                tr(each.title), partial(self.open, each.key), tip=tr(each.tip), group=group
            )
            for each in QUESTIONS
        }
        bar = QWidget()
        FlowLayout(*self.chips.values(), parent=bar, gap=3 * GRID // 4)
        self._stack = QStackedWidget()
        # As wide as the views, which reserve space for their scroll bar.
        chips = kit.row(bar, margin=(0, 0, kit.BAR, 0))
        kit.column(chips, (self._stack, 1), parent=self, spacing=2 * GRID)
        self.open(QUESTIONS[0].key)

    def open(self, key: str) -> None:
        """Show a question's view."""
        self.current_key = key
        self.chips[key].setChecked(True)
        if any(chip.hasFocus() for chip in self.chips.values()):
            self.chips[key].setFocus()  # a click leaves it on the last one
        self._stack.setCurrentWidget(self._get_current().area)
        self._tools.effects.set_suspended(not self._get_current().shows_effects)
        self._refresh()
        self.opened.emit(key)

    def step(self, step: int) -> None:
        """Show the next or previous applicable question, without wrapping around."""
        keys = [key for key, chip in self.chips.items() if not chip.isHidden()]
        index = keys.index(self.current_key) + step if self.current_key in keys else 0
        self.open(keys[min(max(index, 0), len(keys) - 1)])

    def get_view(self, view_class: type[V]) -> V:
        """Return a question's view, built on first use."""
        if view_class not in self._views:
            self._views[view_class] = self._build_view(view_class)
        view = self._views[view_class]
        assert isinstance(view, view_class)
        return view

    def __contains__(self, view_class: type[ResultView]) -> bool:
        return view_class in self._views

    def _get_current(self) -> ResultView:
        return self.get_view(self._questions[self.current_key].view)

    def show_run(self, view: RunView, *, ready: bool) -> None:
        """Set the questions that apply to the run, and show the chosen one."""
        self._run = (view, ready)
        for key, chip in self.chips.items():
            chip.setVisible(self._questions[key].applies_to(view))
        if not self._questions[self.current_key].applies_to(view):
            self.open(QUESTIONS[0].key)
        self._refresh()

    def _build_view(self, view_class: type[ResultView]) -> ResultView:
        view = view_class(self._tools)
        view.view_requested.connect(self.open)
        self._connect(view)
        self._stack.addWidget(view.area)
        return view

    def _refresh(self) -> None:
        if self._run is not None:
            run, ready = self._run
            self._get_current().show_run(run, ready=ready)


_NARROW_WIDTH, _MIN_SUMMARY_HEIGHT = 900, 520
"""Page width below which only the views or the side are visible, and height below which the run's
summary, which is also in the top bar, is hidden; at a scale of 1.
"""


class ResultsPage(QWidget):
    """Shows the selected run's result, or during the run the intermediate one."""

    step_keys = (Qt.Key.Key_Left, Qt.Key.Key_Right)

    page_requested = Signal(str)

    action_finished = Signal(str)
    """A finished action, for the window to confirm."""

    topic_changed = Signal(str)
    """Another question is shown: the subject of its help."""

    exclusion_requested = Signal(object)
    """A new run like the shown one, without some columns, was requested: their names."""

    def __init__(self, session: Session, models: RunModel, helper: Helper) -> None:
        super().__init__()
        self.setProperty("role", "page")
        self._session, self._models, self._helper = session, models, helper
        self._layers = QStackedLayout(self)
        self._layers.addWidget(self._build_empty())
        self._layers.addWidget(self._build_content())
        session.document_changed.connect(self.show_answer)
        session.run_selection.run_chosen.connect(lambda _: self._show_other_run())
        session.runs.changed.connect(self._show)
        session.runs.trials_added.connect(lambda _: self._show())
        models.catalogue_loaded.connect(self._show)
        get_appearance().presenting_changed.connect(self._set_presenting)
        self._show()

    # ---- layout

    def _build_empty(self) -> QWidget:
        page = QWidget()
        self._empty_title_label = kit.label("", "title")
        self._empty_hint_label = kit.label("", "muted")
        column = QVBoxLayout(page)
        column.addStretch(2)
        for label in (self._empty_title_label, self._empty_hint_label):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            column.addWidget(label)
        column.addStretch(3)
        return page

    def _build_content(self) -> QWidget:
        page = QWidget()
        self._title_label = kit.ElidedLabel("", "title")
        self.subtitle_label = kit.ElidedLabel("", "muted")
        tip = tr("Predictions of new rows, and files that work without this program")
        self.side_chip = kit.chip(tr("Predict and export"), self._show_side, tip=tip)
        self.swatch = Swatch()
        first = kit.row(self.swatch, (self._title_label, 1), self.side_chip)
        header = kit.column(
            first, self.subtitle_label, spacing=GRID // 2, margin=(0, 0, kit.BAR, 0)
        )
        self.job_tracker = JobTracker(self)
        self._shown_job: QWidget | None = None
        self._requested_in = ""
        self.job_tracker.changed.connect(lambda: QTimer.singleShot(0, self, self._show_job))
        self.predict_card = PredictCard(self._session, self._helper, self.job_tracker)
        self.predict_card.predicted.connect(self._show_predictions)
        self.refit_card = RefitCard(self._session, self.job_tracker)
        self.export_card = ExportCard(self._session, self.job_tracker)
        self.continue_card = ContinueCard(self._session)
        self.single_trial_card = SingleTrialCard()
        self.single_trial_card.ensemble_requested.connect(lambda: self._select_trial(None))
        self._session.run_selection.run_chosen.connect(lambda _: self._select_trial(None))
        requesters = HelperRequesterFactory(self._helper, "results")
        self.effects = ColumnsWork(requesters, self._session.column_effects)
        self._effects_run: tuple[str, int] | None = None
        tools = PredictionContext(
            self._session,
            self._models,
            requesters,
            self.job_tracker,
            self.effects,
            self.predict_card,
        )
        self.views = ViewStack(tools, self._connect_view)
        self.views.opened.connect(lambda _: self.topic_changed.emit(self.help_topic))
        self.views.opened.connect(lambda _: self._show_predict_card())
        side = QWidget()
        kit.column(
            self.single_trial_card,
            self.predict_card,
            self.refit_card,
            self.export_card,
            self.continue_card,
            self._build_notes(),
            None,
            parent=side,
            spacing=2 * GRID,
        )
        kit.set_accent_priority(side, kit.AccentPriority.SIDE)
        self.side = kit.scroll_area(side)
        self._left_column = QWidget()
        kit.column(header, (self.views, 1), parent=self._left_column, spacing=2 * GRID)
        self._columns = kit.row(
            self._left_column,
            self.side,
            parent=page,
            spacing=kit.SCROLLING_GAP,
            margin=kit.SCROLLING_PAGE,
        )
        self._columns.setStretch(0, 1)
        theme.get_notifier().changed.connect(self._show_side)
        self.side_chip.hide()
        return page

    def _connect_view(self, view: ResultView) -> None:
        view.page_requested.connect(self.page_requested)
        view.action_finished.connect(self.action_finished)
        view.trial_requested.connect(self._select_trial)
        view.row_requested.connect(self._show_row)
        view.table_row_requested.connect(self._show_table_row)
        view.exclusion_requested.connect(self.exclusion_requested)

    def _build_notes(self) -> QFrame:
        self._notes_label = notes = kit.label("", "muted", wrap=True, selectable=True)
        self._notes_card = kit.make_card(kit.label(tr("Worth knowing"), "section"), notes)
        return self._notes_card

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show either views or side if space is scarce, as next to an open help panel."""
        super().resizeEvent(event)
        if self.side_chip.isHidden():
            self.side_chip.setChecked(False)  # if only one fits, show the views
        self.subtitle_label.setVisible(self.height() >= theme.pixels(_MIN_SUMMARY_HEIGHT))
        self._show_side()

    def _set_presenting(self, _: bool) -> None:
        """Show only the views in presentation mode, and both afterwards."""
        self._switch_side(to_side=False)

    def _switch_side(self, *, to_side: bool) -> None:
        self.side_chip.setChecked(to_side)
        self._show_side()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return from the side panel to the views."""
        is_side_shown = self.side_chip.isVisible() and self.side_chip.isChecked()
        if is_side_shown and event.key() == Qt.Key.Key_Escape:
            self._switch_side(to_side=False)
            self.side_chip.setFocus()
        else:
            super().keyPressEvent(event)

    def _show_side(self, _: object = None) -> None:
        """Show the side next to the views, or in place of them."""
        # In presentations, the result is shown first; one click opens the side panel.
        is_narrow = get_appearance().is_presenting or self.width() < theme.pixels(_NARROW_WIDTH)
        self.side_chip.setVisible(is_narrow)
        side_only = is_narrow and self.side_chip.isChecked()
        self.side_chip.setText(tr("Back to the result") if side_only else tr("Predict and export"))
        self.side_chip.setAccessibleName(self.side_chip.text())
        self.views.setVisible(not side_only)
        self.side.setVisible(side_only or not is_narrow)
        way = QBoxLayout.Direction
        self._columns.setDirection(way.TopToBottom if side_only else way.LeftToRight)
        self._columns.setStretch(0, not side_only)
        self._columns.setStretch(1, side_only)
        width = kit.compute_side_width(self)
        self.side.setMinimumWidth(0 if side_only else width)
        self.side.setMaximumWidth(self.maximumWidth() if side_only else width)

    # ---- display

    @property
    def help_topic(self) -> str:
        """The help topic of the current question."""
        return f"results.{self.views.current_key}"

    def show_answer(self) -> None:
        """Show the view with the test error, scrolled to the top."""
        self.show_view(QUESTIONS[0].key)

    def reveal(self, name: str) -> QWidget:
        """Show a card, or the rows to save, and return its input."""
        if name == "save":
            self.show_view("who_first")
            rows = self.views.get_view(RankedRowsView)
            if rows.loaded_predictions is None:
                return self.predict_card.begin_card.choose_button
            return rows.save_chosen_button
        self._switch_side(to_side=True)
        cards = {
            "predict": self.predict_card.choose_button,
            "refit": self.refit_card.button,
            "continue": self.continue_card.edit,
        }
        return cards[name]

    def step_by_key(self, key: int) -> None:
        """Show the next question on the right arrow, the previous one on the left."""
        self._switch_side(to_side=False)
        self.views.step(1 if key == Qt.Key.Key_Right else -1)

    def show_view(self, key: str) -> None:
        """Show a question's view, leaving the side if it covers the views."""
        self._switch_side(to_side=False)
        self.views.open(key)

    def showEvent(self, event: QShowEvent) -> None:
        """Activate the view: it requests its content only while visible."""
        super().showEvent(event)
        self._show()

    def _show_other_run(self) -> None:
        self._show()
        kit.scroll_to_top(self)

    def _show(self) -> None:
        view = self._session.run_selection.run
        self._cancel_effects(view)
        result = None if view is None else make_displayed_result(view)
        ready = view is not None and result is not None and view.has_ended
        self.predict_card.show_run(view, ready=ready)  # before the view, which may depend on it
        if view is None and self._session.has_study:
            compare_hint = tr(
                "Its result is on the Compare page; a cell opened there is shown here."
            )
            self._show_empty_state(tr("This document holds a comparison"), compare_hint)
        elif view is None:
            self._show_empty_state(
                tr("No run yet"), tr("Press Run at the top; the result appears here.")
            )
        elif result is None:
            failed = view.state == "failed"
            word = tr("The run failed") if failed else tr("This run has no model yet")
            hint = translate(view.row.message) or tr("The first models are being trained.")
            if view.is_played:
                hint = tr("Waiting for the first trial of the recording")
            if view.state == "stopped":
                word = tr("This run has no model")
                hint = tr(
                    "It was stopped before a model was evaluated. Continue it at the top, or start "
                    "another run with more time."
                )
            self._show_empty_state(word, hint)
        else:
            self._layers.setCurrentIndex(1)
            self._show_result(view, result)
        self.export_card.show_run(view, ready=ready)
        self.refit_card.show_run(view)
        self.continue_card.show_run(view)

    def _show_empty_state(self, title: str, hint: str) -> None:
        """Explain why there is no result."""
        self._empty_title_label.setText(title)
        self._empty_hint_label.setText(hint)
        self._layers.setCurrentIndex(0)

    def _show_result(self, view: RunView, result: DisplayedResult) -> None:
        several = len(self._session.run_selection.listed_runs) > 1
        names = (view.subject, view.name) if several else (view.subject or view.name,)
        self._title_label.setText(" · ".join(filter(None, names)))
        self.swatch.show_ink(get_run_ink(view.row.id) if several else None)
        self.subtitle_label.setText(_summarise_run(view), _describe_models(view, result))
        if view.has_ended and view.row.result and self.isVisible():
            n_trials, run_result = len(view.trials), view.row.result
            self.effects.set_run(self._session.path, view.row.id, n_trials, run_result)
        self.views.show_run(view, ready=view.has_ended)
        messages = [each.text for each in view.messages if each.level != "info"]
        test_notes = view.row.result.test_notes if view.has_ended and view.row.result else ()
        notes = [translate(note) for note in (*result.notes, *messages) if note not in test_notes]
        self._notes_card.setVisible(bool(notes))
        self._notes_label.setText("\n".join(notes))

    def _cancel_effects(self, view: RunView | None) -> None:
        """Cancel computations for other runs, even while the page is hidden."""
        current_run = None if view is None else (str(self._session.path), view.row.id)
        if current_run != self._effects_run:
            self.effects.clear()
        self._effects_run = current_run

    def _select_trial(self, number: int | None) -> None:
        """Predict and export with a single trial, or (``None``) with the ensemble."""
        view = self._session.run_selection.run
        if view is None or number is None:
            self.single_trial_card.show_trial(None)
        else:
            self.single_trial_card.show_trial(number, get_algorithm_title(view.trials[number - 1]))
            self._switch_side(to_side=True)
            self.side.ensureWidgetVisible(self.single_trial_card)
        for card in (self.predict_card, self.export_card):
            card.use_trial(number)

    def _show_predict_card(self) -> None:
        """Hide the card beside the rows to predict, which have the same buttons."""
        is_repeated = self.views.current_key == "who_first" and not self.predict_card.line.is_busy
        focused = self.focusWidget()
        if is_repeated and focused is not None and self.predict_card.isAncestorOf(focused):
            self.predict_card.begin_card.choose_button.setFocus()
        self.predict_card.setVisible(not is_repeated)

    def _show_job(self) -> None:
        self._show_predict_card()
        cards = (self.predict_card, self.refit_card, self.export_card)
        busy_card = next((card for card in cards if card.line.is_busy), None)
        if busy_card is self.predict_card and self._shown_job is not busy_card:
            self._requested_in = self.views.current_key
        is_new = busy_card is not self._shown_job
        if busy_card is not None and is_new and not self.predict_card.is_repeat:
            self._switch_side(to_side=True)
            # After the card's layout has changed; the end of a job does not scroll.
            QTimer.singleShot(0, self, partial(self._scroll_to, busy_card.job_location))
        self._shown_job = busy_card

    def _scroll_to(self, line: QWidget) -> None:
        # Include the button below that continues the run.
        self.side.ensureWidgetVisible(line, 0, theme.pixels(10 * GRID))

    def _show_predictions(self, predictions: LoadedPredictions | None) -> None:
        # The current view stays, as the user may be reading it.
        was_requested = (
            predictions is not None
            and not predictions.is_repeated
            and self.views.current_key == self._requested_in
        )
        if was_requested:
            self.show_view("who_first")
            self.side.verticalScrollBar().setValue(0)  # scrolled down during the job
        view = self.views.get_view(RankedRowsView)
        view.show_predictions(predictions)
        if was_requested:
            view.table.setFocus()

    def _show_row(self, number: int, table: str, new_row: TableRow) -> None:
        self.show_view("one_row")
        self.views.get_view(OneRowView).fill(number, table, new_row)

    def _show_table_row(self, number: int) -> None:
        self.show_view("one_row")
        self.views.get_view(OneRowView).open_row(number)


def _summarise_run(view: RunView) -> str:
    """Summarise a run's state and work in one line."""
    trials_text = ntr("{count} trial", "{count} trials", len(view.trials))
    if view.total_seconds:
        trials_text = tr(
            "{trials} in {time}", trials=trials_text, time=format_duration(view.total_seconds)
        )
    return " · ".join([describe_state(view), trials_text, *count_without_loss(view)])


def _describe_models(view: RunView, displayed: DisplayedResult) -> str:
    """Describe the final models and where they are stored, one line each."""
    parts = []
    result = view.row.result
    if displayed.is_final:
        refitted = bool(result and result.refitted)
        share = result.refitted_counts if result else (0, 0)
        parts.append(translate(describe_training(view.settings, refitted=refitted, share=share)))
    if result and result.correction:
        parts.append(translate(describe_correction(result.correction)))
    if result and result.kept_bytes:
        size = format_data_size(result.kept_bytes)
        parts.append(tr("Trained ensemble kept in the document ({size})", size=size))
    return "\n".join(parts)
