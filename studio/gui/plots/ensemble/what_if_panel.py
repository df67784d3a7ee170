"""Panel of the what-if ensemble: a checklist of members, and the resulting error."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QDialog, QFrame, QHeaderView, QLabel, QWidget

from studio.analysis.answers.ensemble import WhatIfLosses
from studio.figures.ink import Ink
from studio.gui.base import theme
from studio.gui.base.command import append_shortcut, is_delete_key
from studio.gui.base.inks import get_colour
from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import MnemonicText, make_plain_tip
from studio.gui.plots.base.helper_requests import HelperRequesterFactory, Query
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.ensemble.membership_model import (
    AvailableTrial,
    WhatIfMember,
    WhatIfModel,
    compare_losses,
    list_available_trials,
)
from studio.gui.session.learner_names import get_trial_label
from studio.gui.widgets import kit
from studio.gui.widgets.plain_table import PlainTable, stretch_column
from studio.gui.widgets.records import (
    CellChange,
    ColumnSpec,
    RecordModel,
    RecordTable,
    get_record,
    wrap_header,
)
from studio.helper.computations import compute_what_if
from studio.language import N_, format_share, ntr, tr, translate
from studio.measure import UNKNOWN_TEXT, Measure, format_loss_increase
from studio.numerals import NumeralFormat

TRIAL_COLUMN, WEIGHT_COLUMN, OWN_COLUMN, OWN_TEST_COLUMN, CONTRIBUTION_COLUMN = range(5)

_OPTIONAL_COLUMNS = OWN_TEST_COLUMN, OWN_COLUMN
"""Columns that are hidden where space is scarce, in this order."""

_HEADER_LETTERS = 6
"""Maximum length of a line of a number column's title."""


@dataclass(frozen=True)
class TrialDetails:
    """Facts about the listed trials by number, apart from their membership."""

    series: RunSeries = field(default_factory=RunSeries, compare=False)
    iteration: int = 0
    test_losses: Mapping[int, float] = field(default_factory=dict)
    contributions: Mapping[int, float] = field(default_factory=dict)
    inks: Mapping[str, Ink] = field(default_factory=dict)
    are_weights_editable: bool = True


class WhatIfTable(RecordModel[WhatIfMember]):
    """Shows a :class:`WhatIfModel`, edited by checkboxes and weights."""

    def __init__(self, model: WhatIfModel, changed: Callable[[], None]) -> None:
        self._model = model
        self._on_change = changed
        self._facts = TrialDetails()
        self._format_value: Callable[[float | None], str] = self._facts.series.measure.format_loss
        self._last_state: tuple[tuple[WhatIfMember, ...], TrialDetails] = ((), self._facts)
        text = tr(
            "How much worse the search's ensemble would be without it, on the validation rows"
        )
        super().__init__(
            (
                ColumnSpec(
                    tr("member"),
                    self._format_short_name,
                    tr("Tick the members (space bar)"),
                    cell_tooltip=self._format_trial_name,
                    sign=self._get_colour,
                    tick=CellChange(lambda entry: entry.is_ticked, self._set_checked),
                ),
                self._make_number_column(
                    tr("weight"),
                    self._format_weight,
                    tr("Weight in the vote or the average; double-click or F2 to change it"),
                    CellChange(
                        lambda entry: round(100 * self._get_share(entry), 1),
                        self._set_weight,
                        lambda entry: entry.is_ticked and self._facts.are_weights_editable,
                    ),
                ),
                self._make_number_column(
                    wrap_header(tr("own error"), _HEADER_LETTERS),
                    self._format_validation_loss,
                    tr("The trial's own loss on the validation rows"),
                ),
                self._make_number_column(
                    wrap_header(tr("on test"), _HEADER_LETTERS),
                    self._format_test_loss,
                    tr("The trial's own loss on the test rows"),
                ),
                self._make_number_column(
                    tr("Contribution\nvalidation"), self._format_contribution, text
                ),
            ),
            identify=lambda entry: entry.number,
        )

    def _make_number_column(
        self,
        title: str,
        text: Callable[[WhatIfMember], str],
        tip: str,
        edit: CellChange[WhatIfMember] | None = None,
    ) -> ColumnSpec[WhatIfMember]:
        return ColumnSpec(
            title, text, tip, cell_tooltip=self._format_trial_name, edit=edit, is_right_aligned=True
        )

    def show_facts(self, details: TrialDetails) -> None:
        """Update the list; rows are kept if the trials are unchanged."""
        state = (self._model.entries, details)
        if state == self._last_state:
            return  # redrawn many times a second during a run
        self._last_state, self._facts = state, details
        self._format_value = details.series.measure.make_column_formatter(details.series.losses)
        self.show(self._model.entries)
        self.refresh_all()

    # ---- display

    def _format_trial_name(self, member: WhatIfMember) -> str:
        return self._note_unfinished(member, self._facts.series.get_name(member.number))

    def _format_short_name(self, member: WhatIfMember) -> str:
        """Return number and learner, as beside the raster."""
        branch = self._facts.series.get_branch(member.number)
        return self._note_unfinished(member, get_trial_label(member.number, branch))

    def _note_unfinished(self, member: WhatIfMember, name: str) -> str:
        is_unfinished = member.number > self._facts.iteration
        return tr("{trial}, not finished yet", trial=name) if is_unfinished else name

    def _get_colour(self, member: WhatIfMember) -> QColor | None:
        ink = self._facts.inks.get(self._facts.series.get_branch(member.number))
        return None if ink is None else get_colour(ink)

    def _get_share(self, member: WhatIfMember) -> float:
        return self._model.get_share(member.number, self._facts.iteration)

    def _format_weight(self, member: WhatIfMember) -> str:
        share = self._get_share(member)
        return format_share(share) if share else UNKNOWN_TEXT

    def _format_validation_loss(self, member: WhatIfMember) -> str:
        trial = self._facts.series.get_trial(member.number)
        return self._format_value(None if trial is None else trial.loss)

    def _format_test_loss(self, member: WhatIfMember) -> str:
        return self._format_value(self._facts.test_losses.get(member.number))

    def _format_contribution(self, member: WhatIfMember) -> str:
        adds = self._facts.contributions
        unit, numerals = self._facts.series.measure.unit, NumeralFormat.for_values(adds.values(), 3)
        return format_loss_increase(adds.get(member.number), unit, numerals)

    # ---- edits

    def _set_checked(self, member: WhatIfMember, ticked: bool) -> None:
        self._model.set_checked(member.number, ticked)
        self._on_change()

    def _set_weight(self, member: WhatIfMember, percentage: Any) -> None:
        self._model.set_share(member.number, float(percentage) / 100.0)
        self._on_change()


class TrialPicker(QDialog):
    """A popup over the plot: a search field, the trials, and Add."""

    trials_selected = Signal(list)
    """Trials were chosen: their numbers, in the order of the list."""

    def __init__(
        self, available: Sequence[AvailableTrial], measure: Measure, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Add trials to the what-if ensemble"))
        self._available = tuple(available)
        self.search = kit.make_search_field(
            tr("Search: number, algorithm, hyperparameter"),
            lambda _: self._apply_filter(),
            name=tr("Search the finished trials"),
            tip=tr("Shows the trials with all of these words"),
        )
        self.list = self._make_table(measure)
        self._count_label = kit.label("", "small")
        tip = tr("Add the selected trials (Enter)")
        self._add_button = kit.button(
            MnemonicText(tr("&Add")), self._on_accepted, kind="primary", tip=tip
        )
        tip = tr("Close without adding (Esc)")
        cancel = kit.button(MnemonicText(tr("&Cancel")), self.reject, tip=tip)
        self._add_button.setDefault(True)
        kit.column(
            self.search,
            (self.list, 1),
            kit.row(self._count_label, None, cancel, self._add_button),
            parent=self,
            margin=2 * GRID,
        )
        self.resize(70 * GRID, 50 * GRID)
        self._apply_filter()
        self.search.setFocus()

    def _make_table(self, measure: Measure) -> RecordTable[AvailableTrial]:
        text = measure.make_column_formatter(np.array([each.loss for each in self._available]))

        def make_column(
            title: str, get_text: Callable[[AvailableTrial], str]
        ) -> ColumnSpec[AvailableTrial]:
            return ColumnSpec(title, get_text, cell_tooltip=lambda trial: trial.settings)

        table: RecordTable[AvailableTrial] = RecordTable(
            (
                make_column(tr("trial"), lambda trial: trial.name),
                make_column(tr("own error"), lambda trial: text(trial.loss)),
                make_column(tr("settings"), lambda trial: trial.settings),
            ),
            tr("Finished trials, best first"),
        )
        table.setToolTip(tr("Choose one or more (Ctrl or Shift); double-click to add at once"))
        table.setSelectionMode(RecordTable.SelectionMode.ExtendedSelection)
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        table.horizontalHeader().setStretchLastSection(True)
        table.selectionModel().selectionChanged.connect(lambda *_: self._on_selection_changed())
        table.doubleClicked.connect(lambda _: self._on_accepted())
        return table

    @property
    def filtered_trials(self) -> list[int]:
        """The trials matching the search, in order."""
        return [offer.number for offer in self.list.records.records]

    @property
    def selected_trials(self) -> list[int]:
        """The selected trials among those displayed."""
        return [offer.number for offer in self.list.selected_records]

    def _apply_filter(self) -> None:
        text = self.search.text()
        self.list.records.show([offer for offer in self._available if offer.matches(text)])
        self.list.selectRow(0)
        self._on_selection_changed()

    def _on_selection_changed(self) -> None:
        n_shown, n_chosen = len(self.filtered_trials), len(self.selected_trials)
        text = tr("No finished trial has all of these words.")
        if n_shown:
            text = ntr("{count} trial", "{count} trials", n_shown)
        self._count_label.setText(text)
        self._add_button.setEnabled(n_chosen > 0)
        add = tr("&Add") if n_chosen < 2 else tr("&Add {count}", count=n_chosen)
        self._add_button.setText(MnemonicText(add))

    def _on_accepted(self) -> None:
        if self.selected_trials:
            self.trials_selected.emit(self.selected_trials)
            self.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the focus from the search field to the list."""
        if event.key() == Qt.Key.Key_Down and self.search.hasFocus():
            self.list.setFocus()
        else:
            super().keyPressEvent(event)


MIN_WIDTH = 44 * GRID
"""Minimum width for names and numbers side by side."""

_EXAMPLE_CHANGE = 0.001

N_SAMPLE_ROWS = 20
"""Number of rows sampled for a column's width, as measuring hundreds takes too long."""

_HISTORY_KEYS = (QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo)


class _MemberView(PlainTable):
    """A view of :class:`WhatIfTable` with full names of members."""

    @property
    def full_width(self) -> int:
        """The width of all columns."""
        return sum(map(self._get_column_width, range(self.model().columnCount())))

    def _get_column_width(self, column: int) -> int:
        # Qt's hint for cells with box and square omits the padding of their text.
        padding = theme.pixels(2 * GRID) if column == TRIAL_COLUMN else 0
        # The header's hint for a hidden section is 0.
        header_width = self.horizontalHeader().sectionSizeFromContents(column).width()
        return max(header_width, self.sizeHintForColumn(column) + padding)

    def fit_columns(self) -> None:
        """Hide less important columns rather than parts of the members' names."""
        width, available_width = self.full_width, self.viewport().width()
        for column in _OPTIONAL_COLUMNS:
            is_too_wide = width > available_width
            self.setColumnHidden(column, is_too_wide)
            width -= self._get_column_width(column) if is_too_wide else 0
        stretch_column(self, TRIAL_COLUMN, self._get_column_width(TRIAL_COLUMN))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_columns()


class _ComparisonLabel(QLabel):
    """A wrapped text, with space for its longest one, so that the list below does not move."""

    def __init__(self, name: str, role: str = "") -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setMinimumWidth(kit.MIN_LABEL_WIDTH)
        self.setProperty("role", role)
        self.setAccessibleName(name)
        self._longest = ""

    def reserve(self, longest: str) -> None:
        """Reserve space for a text."""
        self._longest = longest
        self.updateGeometry()

    def setText(self, text: str) -> None:
        super().setText(text.replace(" %", f"{kit.NON_BREAKING_SPACE}%"))

    def heightForWidth(self, width: int) -> int:
        flags, bounds = Qt.TextFlag.TextWordWrap, QRect(0, 0, width, 0)
        longest = self.fontMetrics().boundingRect(bounds, flags, self._longest)
        return max(super().heightForWidth(width), longest.height())


class WhatIfPanel(QFrame):
    """Shows a :class:`WhatIfModel` and requests its errors from the helper."""

    def __init__(self, requesters: HelperRequesterFactory) -> None:
        super().__init__()
        self.setObjectName("by-hand")
        self.setAccessibleName(tr("What-if ensemble"))
        self.setMinimumWidth(MIN_WIDTH)
        self.model = WhatIfModel()
        self.model.history.on_restore = lambda *_: self._refresh()
        self._subject: Subject | None = None
        self._facts = TrialDetails()
        self._requester = requesters(compute_what_if, self._on_answer, self._show_losses)
        self.table = WhatIfTable(self.model, self._refresh)
        self.view = self._make_view()
        self._make_labels()
        self._make_buttons()
        kit.column(
            kit.row((self._banner, 1), self.undo_button, self.redo_button),
            self.validation_label,
            self.test_label,
            self.rule_label,
            (self.view, 1),
            kit.row(self.add_button, None, self.back_button),
            parent=self,
            spacing=GRID // 2,
        )

    def _make_labels(self) -> None:
        text = tr("An experiment only: the run does not change.")
        self._banner = kit.ElidedLabel(text, "warning")
        text = tr("Validation error of the what-if ensemble, compared with the search's")
        self.validation_label = _ComparisonLabel(text, "section")
        text = tr("Test error of the what-if ensemble, compared with the search's")
        self.test_label = _ComparisonLabel(text)
        self.rule_label = kit.ElidedLabel("", "small")

    def _make_view(self) -> _MemberView:
        view = _MemberView(3 * GRID + 2)
        view.setModel(self.table)
        view.setAccessibleName(tr("Members of the what-if ensemble"))
        view.setToolTip(tr("Tick a member in or out (space bar); double-click a weight to edit it"))
        view.setSelectionBehavior(PlainTable.SelectionBehavior.SelectRows)
        header = view.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(TRIAL_COLUMN, QHeaderView.ResizeMode.Interactive)
        header.setResizeContentsPrecision(N_SAMPLE_ROWS)
        view.fit()
        return view

    def _make_buttons(self) -> None:
        history = self.model.history
        tip = tr("Add another finished trial to the what-if ensemble")
        self.add_button = kit.button(
            MnemonicText(tr("Add &trial…")), self.open_trial_picker, icon="add", tip=tip
        )
        self.undo_button = kit.button("", history.undo, kind="quiet", icon="undo", name=tr("Undo"))
        self.redo_button = kit.button("", history.redo, kind="quiet", icon="redo", name=tr("Redo"))
        tip = tr("Return to the search's ensemble; this can be undone")
        self.back_button = kit.button(MnemonicText(tr("&Reset")), self.reset, kind="link", tip=tip)

    # Updates ------------------------------------------------------------------------------

    def follow(
        self,
        subject: Subject,
        own_test: Mapping[int, float],
        adds: Mapping[int, float],
        inks: Mapping[str, Ink],
    ) -> None:
        """Show a run at an iteration; ``own_test`` and ``adds`` refer to the search's members."""
        previous = self._subject
        if previous is None or previous.identity != subject.identity:
            self.clear()
        self._subject = subject
        if subject.iteration > 0:
            self.model.follow(subject.series.iterations[subject.iteration - 1].members)
        test_losses = {**self._facts.test_losses, **own_test}
        are_weights_editable = self._facts.are_weights_editable
        self._facts = TrialDetails(
            subject.series, subject.iteration, test_losses, adds, inks, are_weights_editable
        )
        self._refresh()

    def clear(self) -> None:
        """Reset for another run."""
        self._subject = None
        self._facts = TrialDetails()
        self._requester.clear()
        self.model.clear()
        for picker in self.findChildren(TrialPicker):
            picker.reject()
        self._show_losses("")
        for label in (self.validation_label, self.test_label):
            label.reserve("")
        self._refresh()

    def _refresh(self) -> None:
        self.table.show_facts(self._facts)
        history = self.model.history
        nothing_to_undo = append_shortcut(tr("Nothing to undo"), "Ctrl+Z")
        for button, text, name, disabled_tip in (
            (self.undo_button, history.undo_text, N_("Undo: {what}"), nothing_to_undo),
            (self.redo_button, history.redo_text, N_("Redo: {what}"), tr("Nothing to redo")),
        ):
            button.setEnabled(bool(text))
            button.setToolTip(make_plain_tip(tr(name, what=text) if text else disabled_tip))
        self.back_button.setVisible(self.model.is_edited)
        self._request_losses()

    def _request_losses(self) -> None:
        subject = self._subject
        if subject is None or subject.iteration == 0:
            return
        members = self.model.list_members(subject.iteration)
        if not members:
            self._requester.clear()
            self._show_losses(tr("The ensemble is empty: tick a member, or add a trial."))
            return
        arguments = {**subject.common_arguments, "weights": list(map(list, members))}
        version = (subject.iteration, tuple(members))
        if not self.validation_label.text():
            self._show_losses(tr("Computing…"))
        self._requester.submit(Query(arguments, scope=subject.identity, version=version))

    def _on_answer(self, _: Query, answer: WhatIfLosses) -> None:
        test_losses = {**self._facts.test_losses, **answer.member_test_losses}
        are_weights_editable = answer.can_set_weights and not answer.reason
        self._facts = replace(
            self._facts, test_losses=test_losses, are_weights_editable=are_weights_editable
        )
        self.table.show_facts(self._facts)
        self._reserve_labels(answer)
        self.view.fit_columns()
        if answer.reason:
            self._show_losses(translate(answer.reason))
        elif not self.model.is_edited:
            text = tr("Untick a member or add a trial to see what it changes.")
            self._show_losses(tr("This is the search's ensemble."), text, answer.rule)
        else:
            measure = self._facts.series.measure
            test_text = tr("no test rows")
            if answer.test is not None:
                low, high = answer.test_difference or (-math.inf, math.inf)
                test_text = compare_losses(
                    answer.test, answer.actual_test, measure, may_be_chance=low <= 0 <= high
                )
            validation_text = compare_losses(answer.validation, answer.actual_validation, measure)
            validation = tr("Validation: {words}", words=validation_text)
            self._show_losses(validation, tr("Test: {words}", words=test_text), answer.rule)

    def _reserve_labels(self, answer: WhatIfLosses) -> None:
        """Reserve space for the comparisons that appear with the first edit."""
        for label, template, actual in (
            (self.validation_label, N_("Validation: {words}"), answer.actual_validation),
            (self.test_label, N_("Test: {words}"), answer.actual_test),
        ):
            worse = None if actual is None else actual + max(abs(actual) / 10, _EXAMPLE_CHANGE)
            measure, is_test = self._facts.series.measure, label is self.test_label
            longest = compare_losses(worse, actual, measure, may_be_chance=is_test)
            label.reserve(tr(template, words=longest))

    def _show_losses(self, validation: str, test: str = "", rule: str = "") -> None:
        self.validation_label.setText(validation)
        self.test_label.setText(test)
        caution = tr("Choosing members by the test error makes that error optimistic.")
        parts = [translate(rule), caution]
        if self._subject is not None and self._subject.refit:
            text = tr(
                "Test errors are those of the search's models, not of the refitted final ones."
            )
            parts.append(text)
        self.rule_label.setText(" ".join(parts) if rule else "")

    # Edits --------------------------------------------------------------------------------

    def open_trial_picker(self) -> TrialPicker | None:
        """Open the list of available trials."""
        subject = self._subject
        if subject is None:
            return None
        member_numbers = [entry.number for entry in self.model.entries if entry.is_ticked]
        offers = list_available_trials(subject.series, subject.iteration, member_numbers)
        picker = TrialPicker(offers, subject.series.measure, self)
        picker.trials_selected.connect(self._add_trials)
        picker.open()
        return picker

    def _add_trials(self, numbers: list[int]) -> None:
        self.model.add(numbers)
        self._refresh()

    def toggle(self, number: int) -> None:
        """Add or remove a trial."""
        self.model.toggle(number)
        self._refresh()

    def reset(self) -> None:
        """Reset to the search's ensemble."""
        self.model.reset()
        self._refresh()

    def event(self, event: QEvent) -> bool:
        """Override the window's shortcuts for undo and redo with those of this list."""
        is_override = event.type() == QEvent.Type.ShortcutOverride
        if is_override and isinstance(event, QKeyEvent) and any(map(event.matches, _HISTORY_KEYS)):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Undo, redo, and remove the selected member on Delete."""
        if event.matches(QKeySequence.StandardKey.Undo):
            self.model.history.undo()
        elif event.matches(QKeySequence.StandardKey.Redo):
            self.model.history.redo()
        elif is_delete_key(event):
            self._remove_selected()
        else:
            super().keyPressEvent(event)

    def _remove_selected(self) -> None:
        for index in self.view.selectionModel().selectedRows():
            self.model.set_checked(get_record(index).number, False)
        self._refresh()
