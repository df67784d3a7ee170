"""View "Who first?": new rows ranked by prediction, and the expected outcome of the top rows."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from studio.analysis.answers.rows import ExpectedOutcome, TableRow
from studio.analysis.selected_rows_text import (
    BY_ANOTHER_CHOICE,
    describe_extrapolation,
    describe_outcome,
    describe_variation,
    explain_sum,
)
from studio.document.decision import Decision
from studio.gui.base import known_tables, theme
from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import make_plain_tip
from studio.gui.pages.results.cards.job_line import MessageLine
from studio.gui.pages.results.cards.predict_card import PredictionContext
from studio.gui.pages.results.who_first.predict_table_card import choose_predictions_file
from studio.gui.pages.results.who_first.reasons import ReasonsCard, explain_missing_reasons
from studio.gui.pages.results.who_first.rows import DEFAULT_COUNT, LoadedPredictions, RowOrder
from studio.gui.pages.results.who_first.stored_predictions import StoredPredictions
from studio.gui.pages.results.who_first.table import RowsTable
from studio.gui.plots.base.helper_requests import Query, ResultView
from studio.gui.session.run_view import RunView
from studio.gui.widgets import kit
from studio.gui.widgets.fields import Choice
from studio.gui.widgets.flow import FlowLayout, StableHeightColumn
from studio.gui.widgets.leak_warning import LeakWarning
from studio.helper.predicted_rows import estimate_outcome, save_rows
from studio.helper.tables import NearbyTables, find_nearby_tables
from studio.language import ntr, tr, translate

SEARCH_DELAY_MS = 200
"""Milliseconds without input before the search starts."""

_MIN_TABLE_HEIGHT = 204
"""Height of the table on the smallest screens: its header and six rows."""

_MIN_FILTER_HEIGHT, _MIN_DETAIL_HEIGHT = 420, 680
"""Heights of the view, at a scale of 1, below which filters or details are folded."""


class RankedRowsView(ResultView):
    """A table of new rows, with expectations, reasons, and export."""

    def __init__(self, context: PredictionContext) -> None:
        super().__init__(context)
        self._view: RunView | None = None
        self.loaded_predictions: LoadedPredictions | None = None
        self.order: RowOrder | None = None
        self._filtered_class: int | None = None  # predicted class by which rows are filtered
        self._was_restored = False  # whether earlier predictions of a table were restored
        self._outcome_requester = context.requesters(
            estimate_outcome, self._on_expected, self._on_error
        )
        self._save_requester = context.requesters(save_rows, self._on_saved, self._on_save_error)
        self._neighbour_requester = context.requesters(find_nearby_tables, self._on_nearby_tables)
        # The last saved file: its name, its table, and what its predictions rest on.
        self._saved_file: tuple[str, Path, tuple[Decision | None, str]] | None = None
        self._unwritten_name = ""
        self._sum_text = self._saved_note = ""  # explains why the sum of the rows differs
        self._store_timer = QTimer(self, singleShot=True, interval=SEARCH_DELAY_MS)
        self._store_timer.timeout.connect(self._store_settings)
        self.count = kit.make_spin_box()
        self.count.setGroupSeparatorShown(True)
        self.count.setKeyboardTracking(False)
        text = tr("The first rows of the table, down to its line, which can be dragged")
        self.count.setToolTip(make_plain_tip(text))
        self.count.valueChanged.connect(lambda _: self._show_selection())
        self.count.valueChanged.connect(lambda _: self._store_timer.start())
        self._search_timer = QTimer(self, singleShot=True, interval=SEARCH_DELAY_MS)
        self._search_timer.timeout.connect(self._filter)
        self._predict_card = context.predict_card
        self.begin_card = context.predict_card.begin_card
        self._full = QWidget()
        self.reasons = ReasonsCard(context.requesters.make_part_factory("reasons"))
        self.reasons.row_requested.connect(self._open_row)
        kit.column((self._build_card(), 1), self.reasons, parent=self._full)
        kit.column((self.begin_card, 0, Qt.AlignmentFlag.AlignTop), (self._full, 1), parent=self)
        self.show_predictions(None)
        context.session.document_changed.connect(self._reset_for_run)

    def _reset_for_run(self) -> None:
        self._view, self._was_restored, self._saved_file = None, False, None
        self._store_timer.stop()
        self.begin_card.show_missing_predictions("")
        self.begin_card.show_last_table(None)
        self._neighbour_requester.clear()
        self.begin_card.show_other_tables([])

    def _build_card(self) -> QFrame:
        self.missing_columns_label = kit.label("", "warning", wrap=True)
        self.source_label = kit.ElidedLabel("", "muted")
        tip = tr("Choose another table of new rows")
        self.another_button = kit.button(
            tr("Another table…"), self._predict_card.choose_table, kind="quiet", tip=tip
        )
        self.outcome_label = kit.label("", "section", wrap=True, selectable=True)
        self.no_forecast = LeakWarning()
        self.no_forecast.exclusion_requested.connect(self.exclusion_requested)
        self.detail_label = kit.label("", "muted", wrap=True, selectable=True)
        self.caution_label = kit.label("", "warning", wrap=True)
        self.remarks_label = kit.ElidedLabel("", "muted")
        self.table = RowsTable()
        self.table.setMinimumHeight(_MIN_TABLE_HEIGHT)
        self.table.row_count_requested.connect(self.count.setValue)
        self.table.sort_requested.connect(self._sort)
        self.table.row_picked.connect(lambda _: self._explain())
        self.short_warning_label = kit.label("", "warning", wrap=True)
        margin = (2 * GRID, 0, 2 * GRID, 0)
        frame, column = kit.card(margin=0)
        column.setContentsMargins(1, GRID, 1, 1)
        self._details = StableHeightColumn(self.detail_label, self.remarks_label)
        # Sorting and counting change these texts; nothing below them may move.
        self._outcome = StableHeightColumn(self.outcome_label)
        self._caution = StableHeightColumn(self.caution_label, n_lines=1)
        descriptions = kit.column(
            self.missing_columns_label,
            self._outcome,
            self.no_forecast,
            self._caution,
            self._details,
            spacing=4,
            margin=margin,
        )
        self._header, self._filters = QWidget(), self._build_filters()
        self.saved = MessageLine(is_row=True)
        texts = ((each, 1) for each in (self.source_label, self.short_warning_label, self.saved))
        kit.row(*texts, self.another_button, parent=self._header)
        for each in (self._header, self._filters, self._build_selection()):
            column.addLayout(kit.row((each, 1), margin=margin))
        kit.fill(column, (descriptions, (self.table, 1)))
        return frame

    def _build_filters(self) -> QWidget:
        self.class_choice = Choice([], self._set_positive_class)
        self.class_choice.setToolTip(tr("The class whose rows come first"))
        self.answers = Choice([], self._show_answer)
        self.answers.setToolTip(tr("Show only rows with this predicted class"))
        self.search = kit.make_search_field(
            tr("Search the rows"),
            lambda _: self._search_timer.start(),
            tip=tr("Show only rows with this text in one of their columns"),
        )
        self.class_filter = QWidget()
        kit.row(
            _make_control_label(tr("Look for"), self.class_choice),
            self.class_choice,
            GRID,
            _make_control_label(tr("Predicted as"), self.answers),
            self.answers,
            parent=self.class_filter,
        )
        widget = QWidget()
        kit.row(self.class_filter, (self.search, 1), parent=widget, spacing=2 * GRID)
        return widget

    def _build_selection(self) -> QWidget:
        tip = tr("Save the rows above the line, in the shown order, with their predictions")
        self.save_chosen_button = kit.button(
            "", lambda: self._ask_for_path(only_selected=True), kind="primary", icon="save", tip=tip
        )
        tip = tr("Save all shown rows in the shown order, with their predictions")
        self.save_all_button = kit.button(
            "", lambda: self._ask_for_path(only_selected=False), icon="save", tip=tip
        )
        capacity_widget = QWidget()
        kit.row(
            _make_control_label(tr("I can handle"), self.count),
            self.count,
            kit.label(tr("rows")),
            parent=capacity_widget,
        )
        tip = tr("Class to look for, predicted class, search")
        self.filter_chip = kit.chip(tr("Filter"), self._collapse_details, tip=tip)
        tip = tr("The table, notes on it, and how the estimates are made")
        self.detail_chip = kit.chip(tr("Details"), self._collapse_details, tip=tip)
        widget = QWidget()
        buttons = (self.save_chosen_button, self.save_all_button)
        chips = (self.filter_chip, self.detail_chip)
        FlowLayout(capacity_widget, *buttons, *chips, parent=widget, gap=GRID)
        return widget

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Collapse the filters and details if they would leave no space for the table."""
        super().resizeEvent(event)
        self._collapse_details()

    def _collapse_details(self) -> None:
        """Show filters and details; short windows fold them, with warnings in the first line."""
        height = self.area.viewport().height()
        hides_filters = height < theme.pixels(_MIN_FILTER_HEIGHT)
        hides_details = height < theme.pixels(_MIN_DETAIL_HEIGHT)
        is_expanded = not hides_details or self.detail_chip.isChecked()
        notes = self.missing_columns_label, self.caution_label
        warning = " ".join(filter(None, (each.text() for each in notes)))
        self.filter_chip.setVisible(hides_filters)
        self.detail_chip.setVisible(hides_details)
        self._filters.setVisible(not hides_filters or self.filter_chip.isChecked())
        is_warned = not is_expanded and bool(warning)
        is_saved = not self.saved.isHidden()
        self._header.setVisible(is_expanded or is_warned or is_saved or not hides_filters)
        self._caution.setVisible(is_expanded)
        self._details.setVisible(is_expanded)
        self.save_all_button.setVisible(is_expanded or not hides_filters)
        for label in notes:
            label.setVisible(is_expanded and bool(label.text()))
        self.short_warning_label.setText(warning)
        # A warning in a short window and the name of a saved file need the whole line.
        self.short_warning_label.setVisible(is_warned)
        self.source_label.setVisible(not (is_warned or is_saved))

    # ---- display

    def show_run(self, view: RunView, *, ready: bool) -> None:
        """Set the run; predictions of other runs do not apply."""
        if self._view is None or self._view.row.id != view.row.id:
            self._reset_for_run()
        self._view = view
        source = view.settings.source
        self.begin_card.show_required_columns(Path(source.path).name, source.target or "")
        kit.enable_unless(
            self.begin_card.choose_button,
            "" if ready else tr("Available once the run has ended with an ensemble."),
            tr("A table with the same columns as the one the run was trained on"),
        )
        can_restore = self.loaded_predictions is None and not self._was_restored
        if ready and can_restore and self.isVisible():
            self._restore_predictions(view)

    def _restore_predictions(self, view: RunView) -> None:
        """Repeat the last prediction after the document is reopened, or offer to."""
        self._was_restored = True
        stored_predictions = StoredPredictions.find(self.tools.session, view.row.id)
        self.begin_card.show_last_table(stored_predictions)
        training_path = view.settings.source.path
        if known_tables.was_opened(training_path):
            document = str(self.tools.session.path)
            arguments = {"document": document, "run": view.row.id, "path": training_path}
            self._neighbour_requester.submit(Query(arguments, repr(arguments), 0))
        if stored_predictions is None or view.row.result is None:
            return
        # Files named in a foreign document are read, and members refitted, only on a click.
        if view.row.result.kept_bytes and known_tables.was_opened(stored_predictions.table):
            self._predict_card.restore()

    def _on_nearby_tables(self, _: Query, tables: NearbyTables) -> None:
        view = self._view
        if view is None:
            return
        stored_predictions = StoredPredictions.find(self.tools.session, view.row.id)
        known_paths = {view.settings.source.test_path}
        if stored_predictions is not None:
            known_paths.add(stored_predictions.table)
        paths = [Path(each) for each in tables.paths if each not in known_paths]
        self.begin_card.show_other_tables(paths)

    def show_predictions(self, predictions: LoadedPredictions | None) -> None:
        """Show the rows of a table; ``None`` if there are none."""
        self.loaded_predictions = predictions
        self.order = None if predictions is None else RowOrder(predictions.rows)
        self.begin_card.setVisible(predictions is None)
        self._full.setVisible(predictions is not None)
        self.saved.show_text(self._describe_outdated_file())
        problem = translate(predictions.rows.missing_columns_note) if predictions else ""
        kit.show_text(self.missing_columns_label, problem)
        self._show_no_forecast(predictions)
        remarks = map(translate, predictions.remarks if predictions else ())
        other_remarks = (each for each in remarks if not problem.startswith(each))
        kit.show_text(self.remarks_label, "  ·  ".join(other_remarks))
        self._outcome_requester.clear()
        for each, n_lines in ((self._outcome, 0), (self._caution, 1), (self._details, 0)):
            each.reserve(n_lines)
        # Sentences about earlier rows, perhaps of another run, must not remain above the new ones.
        self._show_summary("" if predictions is None else tr("Estimating…"))
        if predictions is None or self.order is None:
            self.table.show_order(None)
            self.reasons.clear()
            return
        classes = self.order.rows.classes
        self.class_filter.setVisible(bool(classes))
        self.class_choice.set_items(list(enumerate(classes)))
        self.class_choice.show_value(self.order.positive_code)
        self.answers.set_items([(None, tr("all classes")), *enumerate(classes)])
        self.answers.show_value(None)
        self._filtered_class = None
        self.search.setText("")
        stored_predictions = self._find_previous_predictions()
        with QSignalBlocker(self.count):
            self.count.setRange(1, len(predictions.rows.predictions))
            stored_count = stored_predictions and stored_predictions.count
            self.count.setValue(stored_count or self._get_capacity() or DEFAULT_COUNT)
        if stored_predictions is not None and 0 <= stored_predictions.looked_for < len(classes):
            self.class_choice.show_value(stored_predictions.looked_for)
            self.order.rank_by(stored_predictions.looked_for)
        self._show_order()

    def _show_no_forecast(self, predictions: LoadedPredictions | None) -> None:
        """Warn of empty columns of high importance, and offer a run without them."""
        columns = predictions.rows.deciding_columns if predictions else ()
        self.no_forecast.show_warning(
            translate(predictions.rows.no_estimate_reason) if predictions and columns else "",
            columns,
            can_run=self._view is not None and self.can_run_again(self._view),
        )

    def _describe_outdated_file(self) -> str:
        """Name the last saved file if decision or ensemble have changed since; else empty."""
        if self._saved_file is None or self.loaded_predictions is None or self._view is None:
            return ""
        name, table, basis = self._saved_file
        if table != self.loaded_predictions.table or basis == self._view.label_basis:
            return ""
        if basis[0] != self._view.row.decision:
            return tr("The decision has changed since {name} was saved: save it again.", name=name)
        return tr("The models have changed since {name} was saved: save it again.", name=name)

    def _get_capacity(self) -> int:
        """Return the capacity of the run's decision in rows; 0 without a capacity."""
        decision = None if self._view is None else self._view.row.decision
        if self.loaded_predictions is None or decision is None or decision.capacity is None:
            return 0
        return round(decision.capacity * len(self.loaded_predictions.rows.predictions))

    def _find_previous_predictions(self) -> StoredPredictions | None:
        """Return the document's record of the run's last predictions, if any."""
        if self._view is None:
            return None
        return StoredPredictions.find(self.tools.session, self._view.row.id)

    def _store_settings(self) -> None:
        stored_predictions = self._find_previous_predictions()
        if stored_predictions is None or self.order is None or self._view is None:
            return
        count, positive_class = self.count.value(), self.order.positive_code
        changed = replace(stored_predictions, count=count, looked_for=positive_class)
        changed.store(self.tools.session, self._view.row.id)

    def _show_order(self, *, from_top: bool = False) -> None:
        order = self.order
        if order is None or self.loaded_predictions is None:
            return
        self.table.show_order(order, from_top=from_top)
        n_shown = len(order.order)
        self.source_label.setText(order.describe_source(self.loaded_predictions.table.name))
        text = ntr("Save {count} row…", "Save all {count} rows…", n_shown)
        if n_shown < len(order.rows.predictions):
            text = ntr("Save the shown row…", "Save the {count} shown rows…", n_shown)
        self.save_all_button.setText(text)
        self._show_selection()
        self._explain()

    def _show_selection(self) -> None:
        """Request the expected outcome of the selected rows."""
        order = self.order
        if order is None or self.loaded_predictions is None:
            return
        order.count = self.count.value()
        self.table.redraw()
        n_rows = order.n_selected
        text = ntr("Save the first row…", "Save the first {count} rows…", n_rows)
        self.save_chosen_button.setText(text)
        for button in (self.save_chosen_button, self.save_all_button):
            button.setAccessibleName(button.text())
            button.setEnabled(n_rows > 0)
        if not n_rows:
            self._outcome_requester.clear()
            self._show_summary(tr("No row matches this text and predicted class."))
            return
        if order.rows.unseen_rows is None:
            is_deciding = bool(order.rows.deciding_columns)
            reason = "" if is_deciding else translate(order.rows.no_estimate_reason)
            note = translate(order.rows.observed_note)
            self._show_summary(
                f"{reason} {order.describe_observed(n_rows)}".strip(),
                translate(order.rows.probability_note),
                note,
            )
            return
        pieces, folder = order.row_groups, str(self.loaded_predictions.folder)
        arguments: dict[str, Any] = {
            "folder": folder,
            "positive_code": order.positive_code,
            "means": pieces.means.tolist(),
            "counts": pieces.counts.tolist(),
            "units": None if pieces.units is None else pieces.units.tolist(),
        }
        self._outcome_requester.submit(Query(arguments, folder))

    def _on_expected(self, _: Query, outcome: ExpectedOutcome) -> None:
        order = self.order
        if order is None:
            return
        cautions = [
            translate(order.rows.caution),
            _describe_probabilities(order.rows.probability_note),
            "" if order.is_first_by_prediction else translate(BY_ANOTHER_CHOICE),
            translate(describe_extrapolation(outcome)),
        ]
        self._sum_text = translate(explain_sum(outcome))
        decision = None if self._view is None else self._view.row.decision
        details = [
            translate(describe_variation(outcome)),
            self._sum_text,
            translate(order.rows.observed_note),
            order.describe_labels(decision),
        ]
        outcomes = translate(describe_outcome(outcome)), order.describe_observed(outcome.count)
        self._show_summary(
            " ".join(filter(None, outcomes)),
            " ".join(filter(None, cautions)),
            " ".join(filter(None, details)),
        )

    def _on_error(self, message: str) -> None:
        self._show_summary(translate(message))

    def _show_summary(self, text: str, caution: str = "", detail: str = "") -> None:
        self._sum_text = self._sum_text if detail else ""
        kit.show_text(self.outcome_label, text)
        kit.show_text(self.detail_label, detail)
        kit.show_text(self.caution_label, caution)
        self._collapse_details()

    # ---- selection

    def _set_positive_class(self, code: object) -> None:
        if self.order is not None:
            assert isinstance(code, int)
            self.order.rank_by(code)
            self._show_order(from_top=True)
            self._store_timer.start()

    def _show_answer(self, answer: object) -> None:
        assert answer is None or isinstance(answer, int)
        self._filtered_class = answer
        self._filter()

    def _filter(self) -> None:
        self._search_timer.stop()
        if self.order is not None:
            self.order.filter_by(self.search.text(), self._filtered_class)
            self._show_order()

    def _sort(self, column: int, descending: bool) -> None:
        if self.order is not None:
            self.order.sort_by(column, descending)
            self._show_order()
            self.table.scrollToTop()

    def _explain(self) -> None:
        order, view, row = self.order, self._view, self.table.selected_row
        if order is None or self.loaded_predictions is None or view is None or row < 0:
            return
        folder = str(self.loaded_predictions.folder)
        arguments = {"path": str(self.tools.session.path), "run_id": view.row.id, "folder": folder}
        texts, code = order.get_written_row(row), order.positive_code
        empty, why_not = order.rows.deciding_columns, explain_missing_reasons(view)
        self.reasons.show_row(arguments, row, texts, code, empty, blocking_reason=why_not)

    def _open_row(self, table_row: TableRow, row: int) -> None:
        assert self.loaded_predictions is not None
        self.row_requested.emit(row, self.loaded_predictions.table.name, table_row)

    # ---- export

    def _ask_for_path(self, *, only_selected: bool) -> None:
        if self._unwritten_name:  # another request would cancel its writing
            text = tr("{name} is still being written. Save again then.", name=self._unwritten_name)
            self.saved.show_text(text)
            return
        assert self.loaded_predictions is not None and self.order is not None
        n_rows = len(self.order.selected_rows) if only_selected else None
        chosen_file = choose_predictions_file(self, self.loaded_predictions.table, n_rows)
        if chosen_file is not None:
            path, for_spreadsheet = chosen_file
            self.save(path, only_selected=only_selected, for_spreadsheet=for_spreadsheet)

    def save(self, path: Path, *, only_selected: bool, for_spreadsheet: bool = False) -> None:
        """Request that the helper write rows in the displayed order.

        Args:
            path: A CSV file, or an Excel workbook.
            for_spreadsheet: Whether to prefix an apostrophe to cells that a spreadsheet would
                evaluate as a formula.
        """
        assert self.order is not None and self.loaded_predictions is not None
        rows = self.order.selected_rows if only_selected else self.order.order
        # The file contains uncorrected predictions; the estimate above them is corrected.
        self._saved_note = self._sum_text if only_selected else ""
        arguments = {
            "folder": str(self.loaded_predictions.folder),
            "rows": rows.tolist(),
            "output": str(path),
            "for_spreadsheet": for_spreadsheet,
        }
        self._unwritten_name = path.name
        self.saved.show_text(tr("Saving {name}…", name=path.name))
        self._collapse_details()
        self._save_requester.submit(Query(arguments, str(path)))

    def _on_saved(self, query: Query, _: int) -> None:
        self._unwritten_name = ""
        path = Path(query.arguments["output"])
        if self.loaded_predictions is not None and self._view is not None:
            self._saved_file = path.name, self.loaded_predictions.table, self._view.label_basis
        saved_text = "✓ " + tr("Saved {name}.", name=path.name)
        self.saved.show_written_file(f"{saved_text} {self._saved_note}".strip(), path)

    def _on_save_error(self, message: str) -> None:
        self._unwritten_name = ""
        self.saved.show_text(translate(message))


def _make_control_label(name: str, control: QWidget) -> QLabel:
    label = kit.label(name)
    label.setBuddy(control)
    control.setAccessibleName(name)
    return label


def _describe_probabilities(note: str) -> str:
    """Return the note on the probabilities, and what it means for the expected hits."""
    if not note:
        return ""
    return f"{translate(note)} {tr('The expected hits are corrected for this.')}"
