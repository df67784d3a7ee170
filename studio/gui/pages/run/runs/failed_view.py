"""Tab of failed trials: causes, remedies, and a list; and the choice of a run, also for the log."""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from studio.gui.base.tooltips import make_plain_tip
from studio.gui.drafts.run_draft import RunDraft
from studio.gui.drafts.run_model import RunModel
from studio.gui.pages.run.runs.actions import RunActions
from studio.gui.session.learner_names import format_value
from studio.gui.session.run_view import RunView
from studio.gui.session.session import Session
from studio.gui.widgets import kit
from studio.gui.widgets.fields import Choice
from studio.gui.widgets.records import ColumnSpec, RecordTable
from studio.language import group_digits, ntr, number, tr, translate
from studio.measure import format_duration
from studio.phrases import Phrase
from studio.trial import FailureKind, Trial

_NUMBER_PATTERN = re.compile(r"\d+(\.\d+)?")
_MAX_NAME_LENGTH = 24
"""Maximum length of a run's name on a button."""

_REACHED_SHARE = 0.9
"""Share of a limit from which a trial counts as stopped by the limit."""

_LIMIT_FACTOR = 2


@dataclass(frozen=True)
class FailedTrial:
    """A failed trial with its run."""

    run_id: int
    run: str
    trial: Trial


@dataclass(frozen=True)
class FailureRemedy:
    """A button's action; with a ``run_id``, that run continues with other limits."""

    button_text: str
    draft: Mapping[str, Any] = field(default_factory=dict)
    run_id: int | None = None
    limits: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class FailureGroup:
    """Trials that failed for the same reason, by run, with cause and remedy in sentences."""

    cause: str
    remedy: str
    kind: FailureKind
    trials: tuple[FailedTrial, ...]


def group_failures(views: Sequence[RunView], run_id: int | None = None) -> list[FailureGroup]:
    """Group trials that failed, did not finish or ended early by cause, the most frequent first.

    Causes that differ only in numbers ("within 60 seconds") are merged.
    """
    by_cause: dict[Hashable, list[FailedTrial]] = {}
    for view in views:
        if run_id in (None, view.row.id):
            for trial in view.trials_without_loss:
                failed_trial = FailedTrial(view.row.id, view.row.name, trial)
                by_cause.setdefault(_make_cause_key(trial.cause), []).append(failed_trial)
    groups = []
    for trials in by_cause.values():
        (cause, _), *_ = Counter(each.trial.cause for each in trials).most_common(1)
        remedy = next(each.trial.remedy for each in trials if each.trial.cause == cause)
        groups.append(FailureGroup(cause, remedy, trials[0].trial.failure, tuple(trials)))
    return sorted(groups, key=lambda group: -len(group.trials))


def _make_cause_key(cause: str) -> Hashable:
    """Return a key that is equal for causes that differ in numbers only."""
    if not isinstance(cause, Phrase):
        return _NUMBER_PATTERN.sub("#", cause)
    texts = (each for each in cause.values.values() if isinstance(each, str))
    return cause.template, *map(_make_cause_key, texts)


def find_remedies(
    group: FailureGroup, views: Sequence[RunView], draft: RunDraft
) -> list[FailureRemedy]:
    """Return remedies for a group: raising a limit, for the next run or the same run."""
    numbers = {each.run_id for each in group.trials}
    runs = [view for view in views if view.row.id in numbers]
    if group.kind == "time":
        limits = {view.row.id: _REACHED_SHARE * view.settings.trial_seconds for view in runs}
        # The others reached the run's time limit, which limits per model do not affect.
        is_slow = any(each.trial.fit_seconds >= limits[each.run_id] for each in group.trials)
        return _raise_time_limit(runs, draft) if is_slow else []
    if group.kind == "memory":
        return _raise_memory_limit(runs, draft)
    return []


def _raise_time_limit(runs: Sequence[RunView], draft: RunDraft) -> list[FailureRemedy]:
    limit = _LIMIT_FACTOR * max(view.settings.trial_seconds for view in runs)
    result = []
    if draft.trial_seconds < limit:
        text = tr("Allow {seconds} s per model in the next run", seconds=number(limit, "g"))
        result.append(FailureRemedy(text, {"trial_seconds": limit}))
    for view in _find_resumable_runs(runs):
        run, seconds = _shorten_name(view), number(limit, "g")
        text = tr("Continue {run} with {seconds} s per model", run=run, seconds=seconds)
        limits = {"trial_seconds": limit}
        result.append(FailureRemedy(text, run_id=view.row.id, limits=limits))
    return result


def _raise_memory_limit(runs: Sequence[RunView], draft: RunDraft) -> list[FailureRemedy]:
    limits = [m for view in runs if (m := view.settings.trial_memory) is not None]
    result = []
    if limits:
        limit = _LIMIT_FACTOR * max(limits)
        if draft.trial_memory is not None and draft.trial_memory < limit:
            text = tr("Allow {memory} MB per model in the next run", memory=limit)
            result.append(FailureRemedy(text, {"trial_memory": limit}))
        for view in _find_resumable_runs(runs):
            run = _shorten_name(view)
            text = tr("Continue {run} with {memory} MB per model", run=run, memory=limit)
            limited = {"trial_memory": limit}
            result.append(FailureRemedy(text, run_id=view.row.id, limits=limited))
        return result
    fewer_workers = max(view.settings.workers for view in runs) // 2
    if 1 <= fewer_workers < draft.workers:
        text = ntr(
            "Train {count} model at a time in the next run",
            "Train {count} models at a time in the next run",
            fewer_workers,
        )
        result.append(FailureRemedy(text, {"workers": fewer_workers}))
    return result


def _find_resumable_runs(runs: Sequence[RunView]) -> list[RunView]:
    """Return the newest inactive run that can continue, if any."""
    resumable = [view for view in runs if view.resumable and (view.has_ended or not view.is_alive)]
    return resumable[-1:]


def _shorten_name(view: RunView) -> str:
    name = view.row.name
    return name if len(name) <= _MAX_NAME_LENGTH else f"{name[: _MAX_NAME_LENGTH - 1]}…"


def format_configuration(trial: Trial) -> str:
    """Format a configuration on one line: "algorithm = knn, k = 5"."""
    values = trial.configuration.items()
    return ", ".join(f"{name} = {format_value(value)}" for name, value in values)


_MIN_CARD_HEIGHT = 240


class FailedTab(QWidget):
    """Causes at the top, with count and remedies; trials of the selected cause below."""

    space_page_requested = Signal()

    def __init__(self, session: Session, model: RunModel, actions: RunActions) -> None:
        super().__init__()
        self._session, self._model, self._actions = session, model, actions
        self._groups: list[FailureGroup] = []
        self._selected_row = 0
        self._shown_remedies: list[FailureRemedy] | None = None
        self._counts: tuple[object, ...] = ()
        text = tr("Show the failed trials of one run, or of all of them")
        self.run = RunChoice(self._show, tr("Run whose failed trials are shown"), text)
        self._count_label = kit.label("", "muted")
        number_column = partial(ColumnSpec, is_right_aligned=True)
        text_column = partial(ColumnSpec, is_stretched=True)
        tip = tr("Number of failures for this reason")
        self.causes: RecordTable[FailureGroup] = RecordTable(
            (
                number_column(tr("Trials"), lambda group: str(len(group.trials)), tip),
                text_column(tr("Cause"), lambda g: translate(g.cause), tr("What happened")),
                text_column(tr("What to do"), lambda g: translate(g.remedy), tr("What would help")),
            ),
            tr("Causes"),
            n_lines=2,
        )
        self.causes.selectionModel().selectionChanged.connect(lambda *_: self._on_cause_change())
        self._remedies = kit.row()
        self.done_label = kit.label("", "small", wrap=True)
        self.trials: RecordTable[FailedTrial] = RecordTable(
            (
                number_column(
                    tr("Trial"), lambda each: str(each.trial.number), tr("Its number in the run")
                ),
                ColumnSpec(tr("Run name"), lambda each: each.run, tr("Its run")),
                number_column(
                    tr("Duration"),
                    lambda each: format_duration(each.trial.fit_seconds),
                    tr("Time to failure"),
                ),
                text_column(
                    tr("Settings"),
                    lambda each: format_configuration(each.trial),
                    tr("The configuration of the trial"),
                ),
                text_column(
                    tr("Cause"),
                    lambda each: translate(each.trial.cause),
                    tr("The cause, and the remedy"),
                    cell_tooltip=lambda each: (
                        f"{translate(each.trial.cause)}\n{translate(each.trial.remedy)}"
                    ),
                ),
            ),
            tr("Failed or unfinished trials"),
            n_lines=2,
        )
        self.empty_label = kit.label("", "muted", wrap=True)
        self.empty_label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._build()
        for signal in (session.runs.changed, model.changed):
            signal.connect(self._show)
        session.runs.trials_added.connect(lambda _: self._show())

    def _build(self) -> None:
        self.content = QWidget()
        card, causes = kit.card()
        card.setMinimumHeight(_MIN_CARD_HEIGHT)
        causes.addWidget(kit.label(tr("Causes"), "section"))
        causes.addWidget(self.causes)
        causes.addLayout(self._remedies)
        causes.addWidget(self.done_label)
        self._heading_label = kit.label("", "section")
        trials_card = kit.make_card(self._heading_label, self.trials)
        trials_card.setMinimumHeight(_MIN_CARD_HEIGHT)
        kit.column((card, 1), (trials_card, 1), parent=self.content)
        self._scroll_area = kit.scroll_area(self.content)
        choice = kit.row(self.run, self._count_label, None)
        contents = ((self._scroll_area, 1), (self.empty_label, 1))
        kit.column(choice, *contents, parent=self, margin=kit.PAGE)

    def showEvent(self, event: QShowEvent) -> None:
        """Add the failures that occurred while the tab was hidden."""
        super().showEvent(event)
        self.causes.set_widths(("1,000",))
        minutes = tr("{minutes} min", minutes=59)
        self.trials.set_widths(("1,000", "EO-sig with something", minutes))
        self._show()

    def _show(self) -> None:
        if not self.isVisible():
            return
        views = self._session.runs.views
        self.run.set_runs(views)
        counts = tuple((v.row.id, v.row.name, len(v.trials_without_loss)) for v in views)
        has_changed = (self.run.run, counts) != self._counts
        if has_changed:  # grouping many thousands of trials takes longer than a frame
            self._counts = (self.run.run, counts)
            self._groups = group_failures(views, self.run.run)
        n_listed = sum(len(group.trials) for group in self._groups)
        selected_views = [v for v in views if self.run.run in (None, v.row.id)]
        n_tried = sum(v.n_new_trials for v in selected_views)
        n_unfinished = sum(len(v.unfinished_trials) for v in selected_views)
        n_early = sum(len(v.early_trials) for v in selected_views)
        text = ntr(
            "{failed} of {count} trial failed",
            "{failed} of {count} trials failed",
            n_tried,
            failed=n_listed - n_unfinished - n_early,
        )
        if n_early:
            early_text = ntr("{count} trial ended early", "{count} trials ended early", n_early)
            text = f"{text}, {early_text}"
        if n_unfinished:
            count = group_digits(n_unfinished)
            text = tr("{failed}, {count} not finished", failed=text, count=count)
        n_before = sum(v.n_failed_before for v in views if v.row.id == self.run.run)
        if n_before:
            count = group_digits(n_before)
            text = tr("{failed}, and {count} before the fork", failed=text, count=count)
        self._count_label.setText(text)
        self._scroll_area.setVisible(n_listed > 0)
        self.empty_label.setVisible(n_listed == 0)
        text = tr(
            "No trials yet. Press Run; if a trial fails, it is listed here with its cause and what "
            "to do."
        )
        self.empty_label.setText(tr("No trial has failed.") if n_tried else text)
        if not has_changed:
            self._update_remedies()
            return
        self.causes.records.show(self._groups)
        self._selected_row = min(self._selected_row, max(0, len(self._groups) - 1))
        if self._groups and not self.causes.selectionModel().selectedRows():
            self.causes.selectRow(self._selected_row)
        self._show_group()

    def _on_cause_change(self) -> None:
        rows = self.causes.selectionModel().selectedRows()
        if rows:
            self._selected_row = rows[0].row()
            self.done_label.setText("")
            self._show_group()

    def _show_remedies(self, available: list[FailureRemedy]) -> None:
        """Show the buttons; existing ones are kept, as the user may be clicking one."""
        if available == self._shown_remedies:
            return
        self._shown_remedies = available
        kit.clear(self._remedies)
        tip = tr("Changes this one limit and nothing else")
        buttons = [
            kit.button(each.button_text, partial(self._apply, each), tip=tip) for each in available
        ]
        tip = tr("Narrow ranges, or leave out a kind of model, on the Space page")
        ask_for_space = self.space_page_requested.emit
        buttons.append(kit.button(tr("Change the space…"), ask_for_space, icon="space", tip=tip))
        kit.fill(self._remedies, (*buttons, None))

    def _update_remedies(self) -> None:
        if self._groups:
            group = self._groups[self._selected_row]
            self._show_remedies(find_remedies(group, self._session.runs.views, self._model.draft))

    def _show_group(self) -> None:
        self.done_label.setVisible(bool(self.done_label.text()))
        if not self._groups:
            self.trials.records.show([])
            return
        group = self._groups[self._selected_row]
        self._update_remedies()
        n_trials = len(group.trials)
        text = ntr("{count} trial with this cause", "{count} trials with this cause", n_trials)
        self._heading_label.setText(text)
        self.trials.records.show(group.trials)

    def _apply(self, remedy: FailureRemedy) -> None:
        if remedy.run_id is not None:
            self._actions.change_limits(remedy.run_id, dict(remedy.limits))
            self.done_label.setText(tr("The run continues with the new limit."))
        else:
            self._model.change(**remedy.draft)
            self.done_label.setText(tr("The next run has the new limit; press Run to start it."))
        self._show_group()


class RunChoice(Choice):
    """A drop-down of all runs."""

    def __init__(self, on_choice: Callable[[], None], name: str, tip: str) -> None:
        self.run: int | None = None
        self._on_choice = on_choice
        super().__init__([(None, tr("All runs"))], self._set_run)
        self.setAccessibleName(name)
        self.setToolTip(make_plain_tip(tip))
        self.setMinimumContentsLength(18)

    def set_runs(self, views: Sequence[RunView]) -> None:
        """List these runs; a removed one is deselected."""
        choices: list[tuple[object, str]] = [(None, tr("All runs"))]
        self.set_items([*choices, *((view.row.id, view.row.name) for view in views)])
        if self.run not in {view.row.id for view in views}:
            self.run = None
        self.show_value(self.run)

    def _set_run(self, value: object) -> None:
        self.run = int(str(value)) if value is not None else None
        self._on_choice()
