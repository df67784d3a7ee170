"""Full-screen slide show of a run's story, controlled by keys."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QStackedWidget, QWidget
from shiboken6 import isValid

from studio.analysis.answers.predictions import DecisionFigures, PredictionErrors
from studio.data.metrics.plain_score import PlainScore
from studio.document.results import Result
from studio.errors import StudioError
from studio.gui.base import theme
from studio.gui.base.preferences import get_appearance
from studio.gui.base.theme import GRID
from studio.gui.pages.live.member_strip import list_shares
from studio.gui.plots.base.helper_requests import Helper, HelperRequesterFactory, Query
from studio.gui.plots.base.subjects import Subject, Subjects, get_measure
from studio.gui.session.run_view import RunView
from studio.gui.session.session import Session
from studio.gui.session.wording import describe_better_single, describe_omitted_members
from studio.gui.shell.story import facts, slides
from studio.gui.shell.story.slides import Slide
from studio.gui.widgets import kit
from studio.gui.widgets.diagram_view import DiagramView
from studio.helper.computations import (
    compute_decision_figures,
    compute_prediction_errors,
    load_headline,
)
from studio.language import group_digits, tr, translate
from studio.questions.columns import ColumnsWork
from studio.questions.columns.answer import (
    ColumnEffects,
    describe_dominant_column,
    name_important_columns,
    name_loss,
)
from studio.questions.columns.figure import (
    ROW_HEIGHT,
    ImportanceRow,
    list_shown_rows,
    make_importance_diagram,
    make_pixel_diagram,
    summarise_pixels,
)
from studio.runs.settings import RunSettings

_KEY_STEPS = {
    Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageDown: 1, Qt.Key.Key_Space: 1,
    Qt.Key.Key_Return: 1, Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageUp: -1,
    Qt.Key.Key_Backspace: -1, Qt.Key.Key_Home: -100, Qt.Key.Key_End: 100,
}  # fmt: skip
"""Keys of the next slide."""

_WIDTH_AT_1, _HEIGHT_AT_1 = 700, 440
"""Size of slides in pixels at a type scale of 1."""

_MIN_SCALE, _MIN_SCALE_CHANGE = 1.2, 0.05
"""Minimum type scale, and its minimum change."""


_COVERED_MILLISECONDS = 100
"""Duration of covering a window that has its size of type again, while it is resized."""


class StoryClosingCover(QFrame):
    """Covers a window with the slides' background until it has its own size of type again.

    Changing the size takes a second, in which the parts of the window move.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setProperty("role", "bar")
        self.resize(window.screen().size().expandedTo(window.size()))  # whatever its next size
        self.show()
        self.raise_()
        QTimer.singleShot(0, self, self._end_presentation)

    def _end_presentation(self) -> None:
        get_appearance().set_presenting(False)
        QTimer.singleShot(_COVERED_MILLISECONDS, self, self._remove_cover)

    def _remove_cover(self) -> None:
        self.hide()
        self.deleteLater()


class Story(QFrame):
    """Covers a window with large slides of the selected run.

    Esc returns to presentation mode if the slides began in it, else to the normal window. There are
    no controls; a click shows the next slide. All slides show the iteration selected at the start.
    Slides that need a computation appear at their place once it is complete.

    Args:
        session: With a run that has a finished trial.

    Attributes:
        position_label: The slide's number, once the number of slides is final; until then empty.
        moment_label: The iteration below every slide; empty for the newest one.
    """

    def __init__(self, window: QWidget, session: Session, helper: Helper) -> None:
        super().__init__(window)
        self.setProperty("role", "bar")  # on the background of plots
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.was_presenting = get_appearance().is_presenting
        self._fitted_scale = 0.0
        self._window, self._previous_focus = window, window.focusWidget()
        self._fit_type()  # before any font is created
        get_appearance().set_presenting(True)
        self._fit_type()  # the window may fill the screen now
        self._session, self._helper = session, helper
        self._requester = HelperRequesterFactory(helper, "story")(
            compute_prediction_errors,
            self._add_slide_of_rows,
            lambda _: self._end_waiting_for_rows(),
        )
        self._headlines = HelperRequesterFactory(helper, "story")(
            load_headline, self._on_score, lambda _: None
        )
        self._decisions = HelperRequesterFactory(helper, "story")(
            compute_decision_figures, self._on_decision, lambda _: None
        )
        self._outcome: DecisionFigures | None = None
        self._test_slide: Slide | None = None
        self._lead, self._awaits_rows = "", False
        self._why_slide: Slide | None = None
        self._effects = ColumnsWork(HelperRequesterFactory(helper, "story"), session.column_effects)
        self._effects.change_listeners.append(self._add_slide_of_columns)
        self._slides = QStackedWidget()
        self.position_label = kit.label("", "small")
        self.moment_label = kit.label("", "muted")
        theme.set_font_size(self.moment_label, theme.LARGE)
        footer = kit.row(self.moment_label, None, self.position_label)
        self._column = kit.column((self._slides, 1), footer, parent=self)
        self._set_margins()
        self._make_slides()
        get_appearance().presenting_changed.connect(self._on_presentation_change)
        window.installEventFilter(self)
        self.setGeometry(window.rect())
        self._show_slide(0)
        self.show()
        self.raise_()
        self.setFocus()

    @property
    def slides(self) -> list[Slide]:
        """The slides in order."""
        widgets = (self._slides.widget(index) for index in range(self._slides.count()))
        return [each for each in widgets if isinstance(each, Slide)]

    # The slides ---------------------------------------------------------------------------

    def _make_slides(self) -> None:
        view, subject = self._session.run_selection.run, Subjects(self._session).get_current()
        assert view is not None and subject is not None, "started with a run"
        last, result, past_iteration = subject.series.length, view.row.result, None
        if subject.iteration == last:  # also if selected by hand, or past this run's end
            subject = replace(subject, selected_iteration=None)
        else:
            past_iteration = subject.iteration
            shown_number, total = group_digits(past_iteration), group_digits(last)
            self.moment_label.setText(
                tr("iteration {number} of {all}", number=shown_number, all=total)
            )
            result = facts.get_result_at(result, view.get_iteration(past_iteration))
        self._view, self._subject = view, subject
        is_result = past_iteration is None and view.row.result is not None
        self._decision = view.row.decision if is_result else None
        self._add_data_slide(view, result)
        measure = get_measure(view.settings, self._session.run_data.get_target_unit(view))
        title = facts.format_search_title(view, measure, past_iteration)
        # The scale is that of this run alone.
        plot = slides.make_headline(self._helper, replace(subject, overlays=()))
        shares = list_shares(subject)
        comparison = facts.compare_with_single(result, measure) if len(shares) > 1 else ""
        is_single_better = bool(describe_better_single(result, measure))
        omission_note = "" if past_iteration else describe_omitted_members(view.omitted_members)
        members_title = facts.format_members_title(shares) if shares else ""
        lead = comparison if len(shares) != 1 else f"{members_title}. {omission_note}".strip()
        cut_level = None if plot.data is None else plot.data.cut_level
        first_loss = "" if cut_level is None else measure.format_briefly(cut_level / measure.factor)
        reading = facts.format_plot_caption(view, past_iteration, first_loss)
        caption = f"{lead} {reading}".strip()
        self._slides.addWidget(Slide(title, plot, caption, min_share=slides.PLOT_SHARE))
        if len(shares) > 1:
            reading = tr("The wider a part, the larger the weight of that model.")
            caption = f"{reading} {omission_note}".strip()
            self._slides.addWidget(Slide(members_title, slides.MemberBar(shares), caption))
        self._n_slides_before_why = self._slides.count()
        if len(shares) > 1 and view.settings.source.task != "regression":
            self._request_rows(subject)
        if result is not None and (
            len(shares) > 1 or result.test_error_single == result.test_error_ensemble
        ):
            # It is compared with the best single model on the search's slide, or is that model.
            result = replace(result, test_error_single=None)
        self._test_result, self._lead = result, comparison if is_single_better else ""
        self._add_test_slide()
        iteration = past_iteration or len(view.trials)
        last_result = view.row.result if iteration >= len(view.trials) else None
        self._effects.set_run(self._session.path, view.row.id, iteration, last_result)
        if self._decision is not None:
            run = {"path": str(self._session.path), "run_id": view.row.id}
            self._decisions.submit(Query(run, (*run.values(), self._decision), 0))

    def _add_data_slide(self, view: RunView, result: Result | None) -> None:
        if view.row.table_id is None:
            return
        table = view.row.table_id
        try:
            table_description: dict[str, Any] = self._session.read(
                lambda each: each.tables.describe(table)
            )
        except StudioError as error:
            self._session.failed.emit(translate(str(error)))
            return
        target = str(view.settings.source.target or "")
        large_numbers = facts.get_data_numbers(table_description)
        title = self._format_question(result and result.headline)
        caption = facts.format_data_caption(
            str(table_description["source"]), target, view.settings, self._find_parent_settings()
        )
        self._slides.addWidget(Slide(title, slides.make_numbers(large_numbers), caption))
        is_newest = not self.moment_label.text()
        if result is not None and result.headline is None and is_newest:
            # Of an older version, or a recording.
            path = str(self._session.path)
            self._headlines.submit(Query({"path": path, "run_id": view.row.id}, path, 0))

    def _find_parent_settings(self) -> RunSettings | None:
        """Return the settings of the run that this one continues, if it still exists."""
        parent_id, runs = self._view.settings.forked.get("run"), self._session.runs
        if not self._view.n_searched_by_parent or parent_id is None or parent_id not in runs.ids:
            return None
        return runs.get_view(parent_id).settings

    def _on_score(self, _: Query, score: PlainScore) -> None:
        """Answer the first slide's question, and show the score on the last slide."""
        assert self._test_result is not None, "asked for its score"
        self._test_result = replace(self._test_result, headline=score)
        self._answer_question()
        self._replace_test_slide()

    def _answer_question(self) -> None:
        """Answer the first slide's question, if there is one, with what is known by now."""
        score = self._test_result and self._test_result.headline
        if score is not None and self._view.row.table_id is not None and self.slides:
            self.slides[0].set_title(self._format_question(score))

    def _format_question(self, score: PlainScore | None) -> str:
        return facts.format_question(
            self._view, score, self._effects.effects, has_decision=self._decision is not None
        )

    def _on_decision(self, _: Query, outcome: DecisionFigures) -> None:
        """Show the outcome of the current decision on the last slide."""
        self._outcome = outcome
        if outcome.reason:
            self._decision = None
            self._answer_question()
        self._replace_test_slide()

    def _replace_test_slide(self) -> None:
        index, previous = self._slides.currentIndex(), self._test_slide
        if previous is None:
            return
        self._slides.removeWidget(previous)
        previous.deleteLater()
        self._add_test_slide()
        self._slides.setCurrentIndex(index)
        self._show_slide(0)

    def _add_test_slide(self) -> None:
        view, subject, result = self._view, self._subject, self._test_result
        last = view.get_iteration(subject.iteration)
        if result is None or result.test_error_ensemble is None:
            return
        data = self._session.run_data
        measure = get_measure(view.settings, data.get_target_unit(view))
        validation = result.get_validation(None if last is None else last.ensemble_validation)
        score, positive_class = result.headline, view.row.positive_class
        outcome = None if self._decision is None else self._outcome
        gap = facts.format_gap_caption(result, last, measure)
        if score is not None and score.tested:
            score = replace(score, target_unit=score.target_unit or data.get_target_unit(view))
            is_ready = self._decision is None or outcome is not None
            has_numbers = is_ready or score.get_ranking(positive_class) is not None
            numbers = (
                facts.get_result_numbers(score, positive_class, outcome) if has_numbers else []
            )
            caption = (
                facts.format_result_caption(score, positive_class, outcome) if is_ready else ""
            )
            if self._decision is None:
                caption = " ".join(filter(None, (caption, gap, self._lead)))
            title = facts.format_test_title(score if has_numbers else None, positive_class, outcome)
        else:
            numbers = facts.get_test_numbers(result, validation, measure)
            caption = facts.format_test_caption(result, validation, measure)
            caption = f"{caption} {self._lead}".strip()
            title = facts.format_test_title(None, positive_class, outcome)
        self._test_slide = Slide(title, slides.make_numbers(numbers), caption)
        self._slides.addWidget(self._test_slide)

    # Columns that matter, once the helper has computed them ----------------------------------

    @property
    def _awaits_columns(self) -> bool:
        """Whether the slide of the columns may still appear."""
        work = self._effects
        return self._why_slide is None and (
            work.is_computing or (work.plan is None and not work.error_message)
        )

    def _add_slide_of_columns(self) -> None:
        """Insert the slide of the columns once they are known; an audience sees no waiting."""
        effects = self._effects.effects
        is_known = effects is not None and effects.is_complete and not effects.reason
        if effects is not None and is_known and self._why_slide is None:
            self._answer_question()
            self._why_slide = make_why_slide(effects, self._view.row.positive_class)
            self._insert_slide(self._why_slide, self._n_slides_before_why)
        self._show_slide(0)

    # Outvoted rows, requested from the helper ----------------------------------------------

    def _request_rows(self, subject: Subject) -> None:
        rows = "test" if subject.has_test_result else "validation"
        decision = self._decision  # determines which labels on the slide are right or wrong
        rule = None if decision is None else (decision.looked_for, decision.threshold)
        arguments = {**subject.common_arguments, "rows": rows, "about": None, "decision": rule}
        arguments["n_informative"] = facts.N_INFORMATIVE_COLUMNS
        self._awaits_rows = True
        self._requester.submit(Query(arguments, scope=subject.identity, version=subject.iteration))

    def _add_slide_of_rows(self, _: Query, answer: PredictionErrors) -> None:
        """Add the slide of outvoted rows, if any; keep the current one."""
        self._end_waiting_for_rows()
        outvoted = facts.find_outvoted_rows(answer, answer.members)
        if outvoted:
            is_newest = not self.moment_label.text()
            models = facts.explain_models_of_search(self._view.row.result) if is_newest else ""
            caption = tr("The rest of the ensemble has more weight, and is right.")
            caption = " ".join(filter(None, (caption, models)))
            title = facts.format_outvoted_title(answer.members)
            slide = Slide(title, slides.make_rows(outvoted), caption)
            self._insert_slide(slide, self._n_slides_before_why + (self._why_slide is not None))

    def _end_waiting_for_rows(self) -> None:
        self._awaits_rows = False
        self._show_slide(0)

    def _insert_slide(self, slide: Slide, index: int) -> None:
        current = self.slides[self._slides.currentIndex()]
        self._slides.insertWidget(index, slide)
        self._slides.setCurrentWidget(current)
        self._show_slide(0)

    # Navigation ---------------------------------------------------------------------------

    def _show_slide(self, offset: int) -> None:
        last = self._slides.count() - 1
        index = min(max(self._slides.currentIndex() + offset, 0), last)
        self._slides.setCurrentIndex(index)
        # Until the answers arrive, the number of slides is unknown, and a slide inserted before the
        # current one would change its number.
        is_final = not (self._awaits_rows or self._awaits_columns)
        self.position_label.setText(f"{index + 1} / {last + 1}" if is_final else "")
        self.setAccessibleName(self.slides[index].title_label.text())
        self.setAccessibleDescription(self.slides[index].caption_label.text())

    def event(self, event: QEvent) -> bool:
        """Prevent keys that change the slide from reaching the page behind the slides."""
        key = event.key() if isinstance(event, QKeyEvent) else 0
        if key in _KEY_STEPS and event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Navigate by the usual keys of presentation programs; close on Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self.end()
        elif event.key() in _KEY_STEPS:
            self._show_slide(_KEY_STEPS[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def end(self) -> None:
        """Close the slides, and end presentation mode unless they began in it."""
        # The next Esc reaches the window and ends presentation mode. Without an explicit focus, Qt
        # would focus the first button, and Space would start a run.
        can_restore_focus = self._previous_focus is not None and isValid(self._previous_focus)
        (self._previous_focus if can_restore_focus else self._window).setFocus()
        if self.was_presenting:
            self._close()
        else:
            self.hide()
            StoryClosingCover(self._window)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the next slide."""
        event.accept()
        self._show_slide(1)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Cover the window after a resize."""
        if event.type() == QEvent.Type.Resize and isinstance(watched, QWidget):
            self._fit_type()
            self._set_margins()
            self.setGeometry(watched.rect())
        return super().eventFilter(watched, event)

    def _fit_type(self) -> None:
        """Scale the type with the window, so that an audience sees all slides at one size.

        The preferred size of type has no influence, as it may leave no room for plots.
        """
        scale = min(self._window.height() / _HEIGHT_AT_1, self._window.width() / _WIDTH_AT_1)
        scale = max(scale, _MIN_SCALE)
        if abs(scale - self._fitted_scale) > _MIN_SCALE_CHANGE:  # each change takes a second
            self._fitted_scale = scale
            get_appearance().enlarge(scale, is_fixed=True)

    def _set_margins(self) -> None:
        side, top, bottom = (theme.pixels(each * GRID) for each in (5, 4, 2))
        self._column.setContentsMargins(side, top, side, bottom)

    def _on_presentation_change(self, enabled: bool) -> None:
        if not enabled:
            self._close()

    def _close(self) -> None:
        self._requester.clear()
        self._headlines.clear()
        self._decisions.clear()
        # The running step is not cancelled, which may end the helper with all that it has computed.
        self._effects.change_listeners.clear()
        self._effects.set_suspended(True)
        self._window.removeEventFilter(self)
        self.hide()
        get_appearance().enlarge(1.0)
        self.deleteLater()


_MIN_BARS, _MAX_BARS = 3, 5


_MIN_BARS_WIDTH, _MAX_BARS_WIDTH, _BARS_ASPECT = 440.0, 720.0, 2.4
"""Widths of the bars in pixels at their scale, and the width of a slide relative to its height."""

_NAME_LETTER, _DETAILS_LETTER, _BARS_MARGIN = 7.5, 6.0, 32.0
"""Widths of a letter of the bars' names and details, and of the margins, at the same scale."""


def _compute_bars_width(rows: Sequence[ImportanceRow]) -> float:
    """Return the width with which few bars fill a slide in large type, with their whole texts."""
    lines = [_NAME_LETTER * (len(row.name) + len(row.text) + 2) for row in rows]
    lines += [_DETAILS_LETTER * len(row.details) for row in rows]
    widest = max(lines, default=0.0) + _BARS_MARGIN
    filling = _BARS_ASPECT * ROW_HEIGHT * len(rows)
    return min(max(widest, filling, _MIN_BARS_WIDTH), _MAX_BARS_WIDTH)


def make_why_slide(effects: ColumnEffects, positive_class: str | None) -> Slide:
    """Return a slide of the most important columns, or an image's pixels, with bars explained."""
    view = DiagramView(translated=True)
    view.fill(True)
    if effects.plan.pixels:
        view.max_stretch = 1.0
        view.show_diagram(make_pixel_diagram(effects))
        return Slide(tr("What matters most"), view, summarise_pixels(effects))
    n_significant = len(effects.significant_indices)
    n_bars = max(_MIN_BARS, min(_MAX_BARS, n_significant))
    rows = list_shown_rows(effects.with_positive_class(positive_class))[:n_bars]
    width = _compute_bars_width(rows)
    view.show_diagram(make_importance_diagram(rows, tr("What matters most"), width))
    important = name_important_columns(effects)
    sentences = [
        tr(
            "A bar is the increase of the {metric} when a column's values are shuffled.",
            metric=name_loss(effects),
        )
    ]
    if important and not n_significant:
        sentences.append(tr("That these columns help may be chance."))
    elif not all(row.is_significant for row in rows):
        sentences.append(tr("Faint bars may be chance."))
    sentences.append(describe_dominant_column(effects))
    title = important or tr("No column makes the predictions better on these rows.")
    return Slide(title, view, " ".join(filter(None, sentences)))
