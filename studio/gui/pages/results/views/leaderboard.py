"""Leaderboard: a table of all trials, and details of the selected one."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QItemSelectionModel, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QWidget

from studio.gui.base import theme
from studio.gui.pages.results.views.leaderboard_model import (
    LARGEST_FIRST,
    EntryFilter,
    LeaderboardEntry,
    SortKey,
    filter_entries,
    format_hyperparameters,
    get_final_losses,
    get_loss_format,
    get_scale_limits,
    make_entries,
    passes_filter,
)
from studio.gui.pages.results.views.model import (
    get_algorithm_title,
    make_contributions_query,
    make_displayed_result,
)
from studio.gui.plots.base.helper_requests import Query, ResultView, ViewContext
from studio.gui.session.run_view import RunView
from studio.gui.session.wording import describe_status
from studio.gui.widgets import kit
from studio.gui.widgets.flow import FlowLayout
from studio.gui.widgets.plain_table import compute_column_width
from studio.gui.widgets.records import ColumnSpec, RecordTable, wrap_header
from studio.helper.computations import compute_trial_test_losses, load_contributions
from studio.language import format_share, group_digits, tr, translate
from studio.measure import format_duration, format_loss, get_unit_affixes
from studio.numerals import NumeralFormat

KEYS: tuple[SortKey | None, ...] = (
    "rank", "weight", "number", "model", "loss", "test", "seconds", None
)  # fmt: skip

_SAMPLES = ("", "100 %", "1,000", "", "100.0 %", "100.0 %")
_RANK, _NUMBER, _MODEL, _LOSS, _TEST, _TIME, _SETTINGS = (
    KEYS.index(key) for key in ("rank", "number", "model", "loss", "test", "seconds", None)
)
_MIN_MODEL_WIDTH, _MIN_SETTINGS_WIDTH = 130, 150
"""Widths at a scale of 1: names of models give way to settings where both have little space."""

_MIN_ROWS = 2
"""Minimum number of trials shown by the table."""

_SHORT_HEIGHT = 380
"""Height at a scale of 1 below which the selected trial's settings are only in the table."""

_HEAD_MARGIN = 20
"""Margin of the head, at a scale of 1."""


class LeaderboardTable(RecordTable[LeaderboardEntry]):
    """One row per trial; the selection is kept when the rows change."""

    sort_requested = Signal(str, bool)
    """A header was clicked: the key, and whether the order is descending."""

    def __init__(self) -> None:
        self._metric, self._unit, self._has_finals = "", "", False
        self._loss_format, self._loss_limits = NumeralFormat(), (0.0, 0.0)
        super().__init__(self._make_columns(), tr("Leaderboard"))
        header = self.horizontalHeader()
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        header.sectionClicked.connect(self._on_header_click)
        self._sort_order: tuple[SortKey, bool] = ("rank", False)
        self._models, self._times, self._seconds = {""}, {""}, set[float]()
        for section, sample in enumerate(_SAMPLES):
            self._fit_column(section, sample)

    def show_entries(
        self,
        lines: list[LeaderboardEntry],
        unit: str,
        metric: str,
        *,
        has_tests: bool = False,
        is_refitted: bool = False,
    ) -> None:
        """Show these rows in the metric's unit, keeping selection and scroll position.

        Args:
            has_tests: Whether there are test losses, perhaps not known yet.
            is_refitted: Whether there are also those of refitted models.
        """
        has_finals = has_tests and is_refitted
        has_other_columns = (metric, has_finals) != (self._metric, self._has_finals)
        if has_other_columns:
            self._metric, self._has_finals = metric, has_finals
            self.records.columns = self._make_columns()
        self._unit = unit
        self._loss_format = get_loss_format(lines)
        self._loss_limits = get_scale_limits(lines)
        losses = (each for line in lines for each in (line.trial.loss, line.test, line.final))
        highest_loss = max((each for each in losses if each is not None), default=0.0)
        widest_loss = format_loss(highest_loss, unit, self._loss_format)
        self._fit_column(_LOSS, max("100.0 %", widest_loss, key=len))
        # Its place is kept while the losses are being computed.
        tests = {self._format_test(each) for each in lines}
        self._fit_column(_TEST, "100.0 %", widest_loss, *tests)
        self.setColumnHidden(_TEST, not has_tests and all(each.test is None for each in lines))
        self._fit_head()
        highest = str(max((each.trial.number for each in lines), default=0))
        self._fit_column(_NUMBER, max("1,000", highest, key=len))
        statuses = {describe_status(each.trial) for each in lines if each.rank is None}
        self._fit_column(_RANK, max({"1,000", highest, *statuses}, key=len))
        self._models |= {get_algorithm_title(each.trial) for each in lines}
        new_seconds = {each.trial.fit_seconds for each in lines} - self._seconds
        self._seconds |= new_seconds
        times = {format_duration(each, aligned=True) for each in new_seconds}
        if not times <= self._times:
            self._times |= times
            self._fit_column(_TIME, *self._times)
        self._fit_models()
        if lines == self.records.records and not has_other_columns:
            return
        selected_trials = {each.trial.number for each in self.selected_records}
        scroll_position = self.verticalScrollBar().value()
        model = self.selectionModel()
        model.blockSignals(True)
        self.records.set_records(self.records.columns, lines)
        flags = QItemSelectionModel.SelectionFlag
        for row, each in enumerate(lines):
            if each.trial.number in selected_trials:
                model.select(self.records.index(row, 0), flags.ClearAndSelect | flags.Rows)
        model.blockSignals(False)
        self.verticalScrollBar().setValue(scroll_position)

    def fit(self, _: object = None) -> None:
        """Apply the sizes of another theme or scale, also to the head."""
        super().fit()
        self._fit_head()

    def _fit_head(self) -> None:
        """Give the head the lines that its longest name needs, and the table a few rows."""
        n_lines = max(
            each.title.count("\n") + 1
            for section, each in enumerate(self.records.columns)
            if not self.isColumnHidden(section)
        )
        font = QFontMetrics(theme.font(theme.BODY, bold=True))
        height = n_lines * font.lineSpacing() + theme.pixels(_HEAD_MARGIN)
        self.horizontalHeader().setMinimumHeight(height)
        bar = self.horizontalScrollBar().sizeHint().height()
        rows = _MIN_ROWS * self.verticalHeader().defaultSectionSize()
        self.setMinimumHeight(height + rows + bar)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_models()

    def _fit_models(self) -> None:
        """Elide names of models, which their tooltips hold, rather than all settings."""
        header = self.horizontalHeader()
        others = (each for each in range(header.count()) if each not in {_MODEL, _SETTINGS})
        available = self.viewport().width() - sum(map(header.sectionSize, others))
        width = self._compute_width(_MODEL, *self._models)
        least = min(width, theme.pixels(_MIN_MODEL_WIDTH))
        free = available - theme.pixels(_MIN_SETTINGS_WIDTH)
        self.setColumnWidth(_MODEL, max(least, min(width, free)))

    def _fit_column(self, section: int, *samples: str) -> None:
        self.setColumnWidth(section, self._compute_width(section, *samples))

    def _compute_width(self, section: int, *samples: str) -> int:
        heads = self.records.columns[section].title.split("\n")
        return max(compute_column_width(head, each) for head in heads for each in samples)

    def _format_test(self, entry: LeaderboardEntry) -> str:
        """Format a test loss, before and after the refit if both are known: "2.6 → 1.8 %"."""
        text = format_loss(entry.test, self._unit, self._loss_format)
        if entry.final is None:
            return text
        final = format_loss(entry.final, self._unit, self._loss_format)
        suffix = get_unit_affixes(self._unit)[1].strip()
        return f"{text.removesuffix(suffix).rstrip()} → {final}"

    def _get_dot_position(self, each: LeaderboardEntry) -> float | None:
        """Return the position of a trial's dot; smaller losses are further left, worst beyond 1."""
        loss, (left, right) = each.trial.loss, self._loss_limits
        if loss is None or right <= left:
            return None
        return max(0.0, (loss - left) / (right - left))

    def _on_header_click(self, section: int) -> None:
        key = KEYS[section]
        current_key, descending = self._sort_order
        if key is not None:
            self._sort_order = (key, not descending if key == current_key else key in LARGEST_FIRST)
        order = Qt.SortOrder.DescendingOrder if self._sort_order[1] else Qt.SortOrder.AscendingOrder
        self.horizontalHeader().setSortIndicator(KEYS.index(self._sort_order[0]), order)
        self.sort_requested.emit(*self._sort_order)

    def _make_columns(self) -> tuple[ColumnSpec[LeaderboardEntry], ...]:
        metric = wrap_header(self._metric or tr("Error"))
        test = tr("{metric}\ntest", metric=metric)
        if self._has_finals:
            test = tr("{metric}\ntest → refitted", metric=metric)
        text = tr(
            "Alone, on the test rows, as trained by the search on fewer rows than the "
            "final models; after an arrow, as the final model, as in the Answer. Only "
            "members and the best single model are refitted. If you select by it, it "
            "becomes optimistic."
        )
        return (
            ColumnSpec(
                tr("Rank"),
                lambda each: describe_status(each.trial) if each.rank is None else str(each.rank),
                tr("By the error on the validation rows"),
                colour=_get_status_colour,
                is_right_aligned=True,
            ),
            ColumnSpec(
                tr("Weight"),
                lambda each: "" if each.weight is None else format_share(each.weight, 0),
                tr("The weight in the ensemble, if the trial is a member"),
                value=lambda each: each.weight,
                has_bar=True,
                is_right_aligned=True,
            ),
            ColumnSpec(
                tr("Trial"),
                lambda each: str(each.trial.number),
                tr("The number of the trial"),
                is_right_aligned=True,
            ),
            ColumnSpec(
                tr("Model"), lambda each: get_algorithm_title(each.trial), tr("The kind of model")
            ),
            ColumnSpec(
                tr("{metric}\nvalidation", metric=metric),
                lambda each: format_loss(each.trial.loss, self._unit, self._loss_format),
                tr(
                    "Alone, on the validation rows. The further left its dot, the better; "
                    "triangles are beyond the scale."
                ),
                value=self._get_dot_position,
                is_right_aligned=True,
                has_dot=True,
            ),
            ColumnSpec(test, self._format_test, text, is_right_aligned=True),
            ColumnSpec(
                tr("Time"),
                lambda each: format_duration(each.trial.fit_seconds, aligned=True),
                tr("Time for training and prediction"),
                is_right_aligned=True,
            ),
            ColumnSpec(
                tr("Settings"),
                lambda each: format_hyperparameters(each.trial),
                tr("The hyperparameters, or the cause if there is no result"),
                cell_tooltip=lambda each: (
                    translate(each.trial.remedy)
                    and f"{format_hyperparameters(each.trial)}\n{translate(each.trial.remedy)}"
                ),
                value=lambda each: each.trial.loss is not None,  # a cause is not a list
                is_last=True,
                is_list=True,
            ),
        )


def _get_status_colour(each: LeaderboardEntry) -> QColor | None:
    """Return the colour of a trial's status; failures are distinguished from stopped trials."""
    if each.rank is not None:
        return None
    current_theme = theme.current()
    return theme.colour(current_theme.bad if each.trial.status == "failed" else current_theme.muted)


_MIN_SLOW_TRIALS, _SLOW_REFRESH_MS = 2_000, 1_000
"""Number of trials from which the list of an active run is refreshed less often, and that interval
in milliseconds.
"""


class LeaderboardView(ResultView):
    """All trials with their errors, time and hyperparameters, or why they failed."""

    def __init__(self, context: ViewContext) -> None:
        super().__init__(context)
        self._test_loss_requester = context.requesters(
            compute_trial_test_losses, lambda *_: self._show()
        )
        self._final_loss_requester = context.requesters.make_part_factory("leaderboard")(
            load_contributions, lambda *_: self._show()
        )
        self._list_state: tuple[object, ...] = ()
        self._ready = False
        self._redraw_timer = QTimer(self, singleShot=True, interval=_SLOW_REFRESH_MS)
        self._redraw_timer.timeout.connect(self._show)
        self._entry_filter: EntryFilter = "all"
        self._key: SortKey = "rank"
        self._descending = False
        self.search = kit.make_search_field(
            tr("Find a model or a setting…"),
            lambda _: self._show(),
            name=tr("Find trials"),
            tip=tr("Show only trials whose model, settings or cause contain these words"),
        )
        self.search.fit_text()
        self._group = QButtonGroup(self)
        tips: dict[EntryFilter, str] = {
            "all": tr("Every trial of the run"),
            "members": tr("The members of the ensemble"),
            "failed": tr("Models that failed, with the reasons"),
            "ended early": tr("Stopped after some of the folds as unpromising"),
            "not finished": tr("Stopped by a limit of time"),
        }
        self.chips = {
            each: kit.chip("", partial(self._choose, each), tip=tip, group=self._group)
            for each, tip in tips.items()
        }
        self.table = LeaderboardTable()
        self.table.sort_requested.connect(self._sort)
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._show_selected())
        card, layout = kit.card(self.table)
        layout.setContentsMargins(1, 1, 1, 1)
        chips = QWidget()
        FlowLayout(*self.chips.values(), parent=chips, gap=theme.GRID)
        row = kit.row((chips, 1), self.search)
        kit.column(row, (card, 1), self._build_selected(), parent=self)

    def _build_selected(self) -> QFrame:
        self.trial_label = kit.label("", "section", wrap=True, selectable=True)
        self.settings_label = kit.label("", wrap=True, selectable=True)
        tip = tr("Show the run as it was when this trial finished")
        self.live_button = kit.button(tr("Show in Live"), self._open_selected, icon="live", tip=tip)
        tip = tr("Predict with this trial instead of the ensemble, or export it")
        self.use_single_button = kit.button(
            tr("Use it alone"), self._open_trial, icon="predict", tip=tip
        )
        self._selected, column = kit.card(
            kit.row((self.trial_label, 1), self.use_single_button, self.live_button),
            self.settings_label,
        )
        column.setContentsMargins(2 * theme.GRID, theme.GRID, 2 * theme.GRID, theme.GRID)
        return self._selected

    # ---- layout

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the settings to the table's column if space is scarce."""
        super().resizeEvent(event)
        self._show_selected()

    def heightForWidth(self, width: int) -> int:
        """Return the minimum height: the table scrolls, so that the view does not."""
        layout = self.layout()
        return -1 if layout is None else layout.totalMinimumHeightForWidth(width)

    # ---- display

    def show_run(self, view: RunView, *, ready: bool) -> None:
        """List the run's trials so far."""
        self._ready = ready
        is_same_run = self._list_state[:1] == (self._make_query(view).scope,)
        if is_same_run and not view.has_ended and len(view.trials) > _MIN_SLOW_TRIALS:
            if not self._redraw_timer.isActive():
                self._redraw_timer.start()
        else:
            self._show()

    def _show(self) -> None:
        view = self.tools.session.run_selection.run
        displayed = None if view is None else make_displayed_result(view)
        if view is None or displayed is None or not self.isVisible():
            return
        query, unit = self._make_query(view), self.tools.session.run_data.get_loss_unit(view)
        metric = translate(self.tools.models.get_title(displayed.metric))
        result = view.row.result if view.has_ended else None
        if view.row.prepared:
            self._test_loss_requester.submit(query)
        final_query = make_contributions_query(str(self.tools.session.path), view)
        if view.row.prepared and result is not None and result.refitted:
            self._final_loss_requester.submit(final_query)
        finals = get_final_losses(result, self._final_loss_requester.get_answer(final_query))
        last_tests = self._test_loss_requester.last_answer
        tested_state = None if last_tests is None else last_tests[0].version
        contents = (query.scope, query.version, displayed.members, tested_state, finals)
        order = (self.search.text(), self._entry_filter, self._key, self._descending)
        list_state = (*contents, unit, metric, *order)
        if list_state == self._list_state:  # with many trials, a refresh takes a frame or two
            self._show_selected()
            return
        is_other_run = self._list_state[:1] != list_state[:1]
        if is_other_run:
            self.table.clearSelection()  # the selection belonged to another run
        self._list_state = list_state
        answer = self._test_loss_requester.get_answer(query)
        tests = () if answer is None else answer.losses.tolist()
        weights = {each.trial: each.weight for each in displayed.members}
        lines = make_entries(view, weights, tests, finals)
        visible_entries = filter_entries(
            lines, self._entry_filter, self.search.text(), self._key, descending=self._descending
        )
        last = view.get_iteration(None)
        has_tests = displayed.rows == "test" or bool(last and last.single_test is not None)
        refitted = result is not None and result.refitted
        self.table.show_entries(
            visible_entries, unit, metric, has_tests=has_tests, is_refitted=refitted
        )
        self._update_filter_chips(lines)
        if is_other_run and visible_entries:
            self.table.selectRow(0)  # shows the details of the best trial
        self._show_selected()

    def _update_filter_chips(self, lines: Sequence[LeaderboardEntry]) -> None:
        """Show how many trials pass each filter; filters without trials are hidden."""
        for entry_filter, chip in self.chips.items():
            number = sum(passes_filter(each, entry_filter) for each in lines)
            count = group_digits(number)
            words = {
                "all": tr("All trials ({count})", count=count),
                "members": tr("Members ({count})", count=count),
                "failed": tr("Failed trials ({count})", count=count),
                "ended early": tr("Ended early ({count})", count=count),
                "not finished": tr("Not finished ({count})", count=count),
            }[entry_filter]
            chip.setText(words)
            chip.setAccessibleName(words)
            chip.setVisible(number > 0 or entry_filter in {"all", "members", self._entry_filter})

    def _show_selected(self) -> None:
        selected = self.table.selected_records
        self._selected.setVisible(bool(selected))
        if not selected:
            return
        trial = selected[0].trial
        self.use_single_button.setEnabled(trial.loss is not None and self._ready)
        model = get_algorithm_title(trial)
        self.trial_label.setText(tr("Trial {number}: {model}", number=trial.number, model=model))
        lines = (format_hyperparameters(trial), translate(trial.remedy))
        text = "" if self.height() < theme.pixels(_SHORT_HEIGHT) else "\n".join(filter(None, lines))
        kit.show_text(self.settings_label, text)

    def _make_query(self, view: RunView) -> Query:
        path = str(self.tools.session.path)
        return Query({"path": path, "run_id": view.row.id}, (path, view.row.id), len(view.trials))

    # ---- actions

    def _choose(self, entry_filter: EntryFilter) -> None:
        self._entry_filter = entry_filter
        self._show()

    def _sort(self, key: SortKey, descending: bool) -> None:
        self._key, self._descending = key, descending
        self._show()
        self.table.scrollToTop()

    def _open_selected(self) -> None:
        (entry,) = self.table.selected_records
        self.tools.session.run_selection.choose_iteration(entry.trial.number)
        self.page_requested.emit("live")

    def _open_trial(self) -> None:
        (entry,) = self.table.selected_records
        self.trial_requested.emit(entry.trial.number)
