"""Membership plot: the members at each iteration, and their contributions."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter

from studio.analysis.answers.ensemble import Contributions
from studio.arrays import Floats
from studio.figures.compose import make_branch_keys, make_iteration_axis
from studio.figures.figure import Axis, Figure, Panel, Pointer, Ticks
from studio.figures.ink import MUTED, SURFACE, TEXT, Ink
from studio.figures.marks import Boxes, CellMatrix, Dots, LegendItem, Line, Mark, Rule, make_strokes
from studio.gui.base import theme
from studio.gui.base.preferences import get_appearance
from studio.gui.plots.base.helper_requests import Helper, Query
from studio.gui.plots.base.plot import ENSEMBLE, Columns, PlotOf
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.ensemble.membership_model import (
    ORDERS,
    MemberColumns,
    MemberContributions,
    MembershipData,
    Memberships,
    compute_columns,
    describe_member,
    describe_membership,
    get_cell_opacities,
    read_contributions,
    sort_rows,
)
from studio.gui.plots.ensemble.what_if_panel import WhatIfPanel
from studio.gui.session.learner_names import (
    get_learner_inks,
    get_learner_short_name,
    get_trial_label,
)
from studio.gui.widgets import kit
from studio.helper.computations import load_contributions
from studio.language import N_, format_share, ntr, tr
from studio.measure import Measure

_WIDTH, _MIN_WIDE_WIDTH, _MIN_LISTED_WIDTH = 112, 620, 420
"""Width of each column in pixels, and minimum width of a plot with columns, alone and next to the
what-if list, at a scale of 1."""

_MIN_NAMED_WIDTH, _MIN_WEIGHTED_WIDTH = 300, 420
"""Minimum width in pixels of a plot with learner names at its rows, and of one with weights, at a
scale of 1."""

_MIN_ROWS, _MIN_ROW_HEIGHT = 4, 8
"""Minimum number of rows; row height in pixels from which there are gaps."""

_BAR_HEIGHT = 0.7
"""Height of a bar as a share of its row."""


def make_row_labels(
    subject: Subject, data: MembershipData, *, shows_names: bool, weighted: bool
) -> list[str]:
    """Return a label of each row: its trial, learner, and weight if it is currently a member."""
    weights = dict(subject.members)
    labels = []
    for trial, branch in zip(data.members.tolist(), data.branches, strict=True):
        parts = [get_trial_label(trial, branch if shows_names else "")]
        if weighted and trial in weights:
            parts.append(format_share(weights[trial], 0))
        labels.append(" · ".join(parts))
    return labels


def choose_name_scale(n_rows: int, n_names: int) -> float:
    """Return the type scale of the rows' names: at least that of a normal window.

    Args:
        n_names: Number of names that fit in the usual type.
    """
    # One less, as the axis is slightly lower than the rest of the canvas.
    fitting_scale = min(1.0, max(1, n_names - 1) / n_rows)
    return max(fitting_scale, 1 / max(1.0, theme.scale()))


def pick_separate_rows(rows: Sequence[int], distance: float, labels: Sequence[str]) -> Ticks:
    """Return the labels of rows at least a distance apart, preferring earlier rows."""
    selected_rows: list[int] = []
    for row in rows:
        if all(abs(row - each) >= distance for each in selected_rows):
            selected_rows.append(row)
    return [(row, labels[row]) for row in sorted(selected_rows)]


def _make_column_panels(columns: MemberColumns, measure: Measure, rows: Axis) -> Sequence[Panel]:
    """Return the panels next to one with these rows: trial errors, and contributions."""
    low, high = _get_error_range(columns)
    edge = 0.08 * (high - low)
    contributions = np.abs(np.concatenate([columns.contributions, columns.test_contributions]))
    limit = 1.15 * float(np.nanmax(contributions, initial=0.0)) or 1.0
    error_title, contribution_title = tr("own error"), tr("contribution")
    if measure.unit == "%":
        error_title, contribution_title = tr("own error, %"), tr("contribution, points")
    error_axis = Axis(error_title, low - edge, high + edge)
    contribution_axis = Axis(contribution_title, -limit, limit)
    return [
        Panel(x=error_axis, y=rows, column=1, fixed_width=_WIDTH),
        Panel(x=contribution_axis, y=rows, column=2, fixed_width=_WIDTH),
    ]


def make_column_marks(columns: MemberColumns, first: int) -> Sequence[Mark]:
    """Return the marks of these panels (from index ``first``), with a row per member.

    These marks avoid the series' colours, which denote branches. Quantities named by the axes are
    omitted from the legend, to keep it short.
    """
    rows = np.arange(len(columns.validation_losses), dtype=float)
    low, high = _get_error_range(columns)
    errors, test_errors = (
        np.clip(each, low, high) for each in (columns.validation_losses, columns.test_losses)
    )
    is_beyond = columns.validation_losses > high
    is_known = np.isfinite(columns.contributions)
    bar_ends, middles = columns.contributions[is_known], rows[is_known]

    def make_rings(x: Floats, panel: int, depth: float) -> Dots:
        name = tr("on test rows")
        return Dots(
            x=x, y=rows, shape="ring", size=7, weight="hair", name=name, panel=panel, depth=depth
        )

    return [
        Dots(x=errors[~is_beyond], y=rows[~is_beyond], size=7, outline=None, panel=first, depth=1),
        Dots(
            x=errors[is_beyond],
            y=rows[is_beyond],
            shape="right",
            size=9,
            outline=None,
            name=tr("beyond the edge") if is_beyond.any() else "",
            panel=first,
            depth=1,
        ),
        Boxes(
            x0=np.minimum(bar_ends, 0.0),
            x1=np.maximum(bar_ends, 0.0),
            y0=middles - _BAR_HEIGHT / 2,
            y1=middles + _BAR_HEIGHT / 2,
            ink=TEXT.with_opacity(0.55),
            panel=first + 1,
            depth=1,
        ),
        make_rings(test_errors, first, 0),
        make_rings(columns.test_contributions, first + 1, 2),
        Rule(position=0.0, ink=MUTED, dashed=False, panel=first + 1, depth=0),
    ]


def _get_error_range(columns: MemberColumns) -> tuple[float, float]:
    """Return the drawn range of errors: those of all members, and most others."""
    members = np.concatenate([columns.validation_losses[columns.is_member], columns.test_losses])
    known_errors: Floats = columns.validation_losses[np.isfinite(columns.validation_losses)]
    if not known_errors.size:
        return 0.0, 1.0
    members = members[np.isfinite(members)]
    low = min(float(known_errors.min()), float(members.min(initial=np.inf)))
    high = max(float(np.quantile(known_errors, 0.75)), float(members.max(initial=-np.inf)))
    if high > low:
        return low, high
    # A negative lower limit would be confusing for positive losses.
    return (max(0.0, low - 0.5) if low >= 0 else low - 0.5), high + 0.5


MIN_SPLIT_WIDTH = 720
"""Minimum width for the what-if list next to the raster; below this, the list replaces it."""


class MembershipPlot(PlotOf[MembershipData]):
    """Members × iterations, coloured by branch, with the weight as opacity.

    Next to each row are the trial's error and its contribution; "What if" opens a list for trying
    other members without changing the run.
    """

    key = "membership"
    title = N_("Membership")
    search_terms = N_("members selected who is in the ensemble weights")
    question = ENSEMBLE
    summary = N_(
        "Each row is a trial that joined the ensemble; a bar shows when it was in, and the "
        "stronger its colour, the larger its weight."
    )
    explanation = N_(
        "Each row is a trial that was a member of the ensemble at some time. Time goes from left "
        "to right; the bar shows when it was in, its colour which algorithm it is, and a fainter "
        "colour a smaller weight.\nThe column “own error” shows how good the trial is on its own; "
        "where a triangle points beyond the edge, its error is too high to be drawn.\nThe column "
        "“contribution” shows how much worse the ensemble would be without it: to the right it "
        "helps, to the left the ensemble would be better without. Rings are the same on the test "
        "rows, which no search has seen.\nA member with a high own error can still add much: it is "
        "right where the others are wrong.\n“What if” lets you remove members and add others, and "
        "shows the error at once. That is an experiment: the run does not change."
    )
    source = N_("Shen et al. 2022 (DivBO), table 4")

    def __init__(self, helper: Helper) -> None:
        super().__init__(helper)
        self._memberships = Memberships()
        self._member_columns: MemberColumns | None = None
        self._inks: Mapping[str, Ink] = {}
        self._contributions = MemberContributions()
        self._requester = self.requesters(load_contributions, self._on_answer, self._on_error)
        self._make_controls()
        self.what_if = WhatIfPanel(self.requesters)
        self.what_if.hide()
        self._is_split = False
        self._add_splitter()

    def _make_controls(self) -> None:
        name, tip = tr("Order of the rows"), tr("The order of the rows")
        self.order = self.add_view_choice(ORDERS, name, tip, min_letters=11)
        tip = tr("Remove and add members, and see the error; the run does not change")
        self.what_if_chip = kit.chip(tr("What if"), self._toggle_what_if, tip=tip)
        self.header.controls.addWidget(self.what_if_chip)
        get_appearance().presenting_changed.connect(self._show_controls)
        self._show_controls(get_appearance().is_presenting)

    def _show_controls(self, presenting: bool) -> None:
        """Hide the controls in presentation mode, unless the what-if list is open."""
        for each in (self.order, self.what_if_chip):
            each.setHidden(presenting and not self.what_if_chip.isChecked())

    def _add_splitter(self) -> None:
        """Put the canvas into a splitter, next to the what-if list."""
        index = self._content.indexOf(self.canvas)
        self._content.removeWidget(self.canvas)
        self._splitter = splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setChildrenCollapsible(False)
        splitter.setHandleWidth(2 * theme.GRID)
        splitter.addWidget(self.canvas)
        splitter.addWidget(self.what_if)
        splitter.setStretchFactor(0, 1)
        splitter.setStretchFactor(1, 1)
        self._content.insertWidget(index, splitter, 1)

    def explain_empty(self, subject: Subject) -> str:
        if any(record.members for record in subject.series.iterations[: subject.iteration]):
            return ""
        waiting = tr("There is no ensemble yet. It appears once the first trials have finished.")
        return subject.end_reason or waiting

    # Updates ------------------------------------------------------------------------------

    def clear(self) -> None:
        self._contributions = MemberContributions()
        self._memberships = Memberships()
        self._requester.clear()
        self.what_if.clear()

    def request_data(self, subject: Subject) -> None:
        if subject.iteration > 0:
            # Contributions depend on the ensemble only, not on the iteration.
            query = Query(subject.common_arguments, scope=subject.identity, version=subject.members)
            self._requester.submit(query)

    def _on_answer(self, _: Query, answer: Contributions) -> None:
        self._contributions = read_contributions(answer)
        self.schedule_redraw()

    def _on_error(self, _: str) -> None:
        """Leave the columns empty: the raster is shown without them."""
        self._contributions = MemberContributions()
        self.schedule_redraw()

    # Drawing ------------------------------------------------------------------------------

    def prepare(self, subject: Subject) -> None:
        """Build the raster in the chosen order, with its columns."""
        if self.explain_empty(subject):
            return
        series = subject.series
        data = self._memberships.make_data(series, subject.selected_iteration)
        columns = compute_columns(series, data, self._contributions)
        if self.order.key != "joined":
            data = data.permute_rows(sort_rows(series, data, columns, self.order.key))
            columns = compute_columns(series, data, self._contributions)
        self.data, self._member_columns = data, columns

    def make_figure(self, data: MembershipData, subject: Subject) -> Figure:
        series, columns = subject.series, self._member_columns
        assert columns is not None, "made with the data"
        inks = self._inks = get_learner_inks([*series.branches, *data.branches])
        index_of = {branch: index for index, branch in enumerate(inks)}
        count, first, last = len(data.members), data.iterations[0], data.iterations[-1]
        width, shows_what_if = self.canvas.width(), self.what_if_chip.isChecked()
        # Beside the what-if list, which already names the members, the columns use the space of the
        # names.
        is_wide = width >= theme.pixels(_MIN_LISTED_WIDTH if shows_what_if else _MIN_WIDE_WIDTH)
        names_width = 0 if shows_what_if else width
        is_named = any(data.branches) and names_width >= theme.pixels(_MIN_NAMED_WIDTH)
        is_weighted = names_width >= theme.pixels(_MIN_WEIGHTED_WIDTH)
        labels = make_row_labels(subject, data, shows_names=is_named, weighted=is_weighted)
        n_rows = max(count, _MIN_ROWS)
        tick_scale = choose_name_scale(n_rows, self.max_named_rows)
        rows = Axis(
            tr("trial · weight") if is_weighted else tr("trial number"),
            -0.5,
            n_rows - 0.5,
            self._choose_row_names(subject, data, labels, n_rows * tick_scale),
            "thin",
            is_flipped=True,
            has_grid=False,
            tick_scale=tick_scale,
        )
        raster = CellMatrix(
            ink_indices=np.array([[index_of[branch]] for branch in data.branches]),
            alphas=get_cell_opacities(data),
            inks=list(inks.values()),
            left=first - 0.5,
            bottom=-0.5,
            width=last - first + 1.0,
            height=count,
        )
        unlabelled_rows = replace(rows, label="", ticks=(), is_visible=False)
        return Figure(
            panels=[
                Panel(x=make_iteration_axis(subject.axis_end, tr("iteration (trials)")), y=rows),
                *(_make_column_panels(columns, series.measure, unlabelled_rows) if is_wide else ()),
            ],
            marks=[
                raster,
                *self._make_gaps(count, n_rows, float(first), float(last)),
                # The last names of the legend may be hidden; rows name their learners too.
                *(make_column_marks(columns, 1) if is_wide else ()),
                *make_branch_keys(inks, data.branches, get_learner_short_name),
                LegendItem(ink=MUTED.with_opacity(0.4), name=tr("fainter: smaller weight")),
                *([Rule(position=last + 0.5)] if last < data.last else ()),
            ],
            default_text=self._summarise_plot(subject, data),
        )

    def _choose_row_names(
        self, subject: Subject, data: MembershipData, labels: Sequence[str], n_names: float
    ) -> Ticks:
        """Return the names of all rows, or if these do not fit, those of the current members.

        Args:
            n_names: Number of names in the usual type whose height equals that of all rows' names.
        """
        distance = round(n_names / max(1, self.max_named_rows), 6)
        rows: Sequence[int] = range(len(labels))
        if distance > 1:
            weights, trials = dict(subject.members), data.members.tolist()
            members = [row for row in rows if trials[row] in weights]
            rows = sorted(members, key=lambda row: -weights[trials[row]])
        return pick_separate_rows(rows, distance, labels)

    def _make_gaps(self, count: int, n_rows: int, first: float, last: float) -> Sequence[Mark]:
        """Return gaps between rows of sufficient height, as several have the same colour."""
        if self.canvas.height() < theme.pixels(_MIN_ROW_HEIGHT) * n_rows:
            return []
        between: Floats = np.arange(0.5, count - 1)
        left, right = np.full(len(between), first - 0.5), np.full(len(between), last + 0.5)
        x, y = make_strokes(left, right, between, is_horizontal=True)
        return [Line(x=x, y=y, is_segments=True, weight="thick", ink=SURFACE)]

    def draw(self, subject: Subject) -> None:
        super().draw(subject)
        if self.what_if_chip.isChecked():
            known = self._contributions
            self.what_if.follow(subject, known.test_losses, known.contributions, self._inks)
            self._split()

    def _split(self) -> None:
        """Give the list half of the width, or what its columns need; only when it opens."""
        if not self._is_split:
            needed_width = self.what_if.view.full_width + 4 * theme.GRID
            list_width = max(self.width() // 2, needed_width)
            self._splitter.setSizes([max(0, self.width() - list_width), list_width])
        self._is_split = True

    # What-if ensemble ---------------------------------------------------------------------

    def _toggle_what_if(self) -> None:
        self.what_if.setVisible(self.what_if_chip.isChecked())
        self._set_orientation()
        self._is_split = False
        self.refresh()
        if self.what_if_chip.isChecked():
            self.what_if.view.setFocus()

    def _set_orientation(self) -> None:
        is_narrow = self.width() < MIN_SPLIT_WIDTH and self.what_if_chip.isChecked()
        self.canvas.setVisible(not is_narrow)
        self.legend_with_scale.setVisible(not is_narrow)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._set_orientation()

    # Hover --------------------------------------------------------------------------------

    def _find_column(self, data: MembershipData, pointer: Pointer) -> int:
        """Return the hovered column of the raster; -1 for none."""
        first, last = data.iterations[0] - 0.5, data.iterations[-1] + 0.5
        is_in_raster = pointer.panel == 0 and first <= pointer.x <= last
        return int(np.abs(data.iterations - pointer.x).argmin()) if is_in_raster else -1

    def describe_hovered(self, data: MembershipData, subject: Subject, pointer: Pointer) -> str:
        row = round(pointer.y)
        if pointer.panel > 0 and self._member_columns is not None:
            return describe_member(subject.series, data, self._member_columns, row)
        return describe_membership(subject.series, data, row, self._find_column(data, pointer))

    def _summarise_plot(self, subject: Subject, data: MembershipData) -> str:
        """Return the number of members, and of those without a row."""
        size = len(subject.series.iterations[subject.iteration - 1].members)
        text = tr(
            "iteration {iteration}  ·  {members}, {ever} so far",
            iteration=subject.iteration,
            members=ntr("{count} member now", "{count} different members now", size),
            ever=data.n_ever_members,
        )
        if data.n_omitted_members:
            drawn = len(data.members)
            text += "  ·  " + tr("only the {drawn} that stayed longest are shown", drawn=drawn)
        return text

    def handle_click(self, data: MembershipData, pointer: Pointer) -> None:
        """Select the clicked iteration; in the columns, toggle the trial in the what-if list."""
        row = round(pointer.y)
        if pointer.panel == 0:
            self.pick(pointer.x)
        elif self.what_if_chip.isChecked() and 0 <= row < len(data.members):
            self.what_if.toggle(int(data.members[row]))

    def get_table_columns(self, data: MembershipData, subject: Subject) -> Columns:
        """Return each membership: iteration, trial, branch, weight, error, contribution.

        Contributions are those at the selected iteration; empty for all others.
        """
        series, last_iteration = subject.series, subject.iteration
        adds = self._contributions.contributions
        records = series.iterations[:last_iteration]
        memberships = [(r.number, *member) for r in records for member in r.members]
        numbers = [number for _, number, _ in memberships]
        return {
            "iteration": [iteration for iteration, _, _ in memberships],
            "trial": numbers,
            "branch": list(map(series.get_branch, numbers)),
            "weight": [weight for *_, weight in memberships],
            "own error": series.losses[np.array(numbers, dtype=int) - 1],
            "adds now": [
                adds.get(n, "") if iteration == last_iteration else ""
                for iteration, n, _ in memberships
            ],
        }
