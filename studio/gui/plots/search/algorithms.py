"""Algorithms plot: each branch's share of trials and of the ensemble over time."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtGui import QFontMetrics

from studio.arrays import Floats, Integers
from studio.figures.compose import make_iteration_axis
from studio.figures.figure import Axis, Figure, Panel, Pointer, Ticks
from studio.figures.ink import Ink
from studio.figures.marks import Area, Mark, Rule
from studio.gui.base import theme
from studio.gui.plots.base.helper_requests import Helper
from studio.gui.plots.base.plot import SEARCH, Columns, PlotOf
from studio.gui.plots.base.series import RunSeries, choose_iterations
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.quality.progress_model import make_step_curve
from studio.gui.session.learner_names import (
    get_learner_inks,
    get_learner_name,
    get_learner_short_name,
)
from studio.language import N_, format_share, ntr, tr

WINDOW = 20
"""Window of the sliding share, in trials."""

MAX_COLUMNS = 400
"""Maximum number of iterations drawn; longer runs are thinned to every 2nd, 4th or 8th."""

VIEWS = {"window": N_("Last 20 trials"), "all": N_("All trials so far")}
"""The ways of counting trials, and their names."""


NameGetter = Callable[[str], str]
"""Returns a branch's name, in full or short for the whole plot."""

_MAX_NAME_SHARE = 0.25
"""Maximum share of the plot's width for full names at its right."""


@dataclass(frozen=True)
class SharesData:
    """Shares of the branches at the drawn iterations.

    Attributes:
        iterations: Shape (c,). Drawn iterations, ascending.
        branches: Length b. The tried branches, in the order of the space.
        trials: Shape (b, c). Share of the trials, in [0, 1]; columns sum to 1.
        members: Shape (b, c). Share of the ensemble's weight; columns sum to 1, or are 0 before the
            first ensemble.
        last, iteration: The last iteration, and the selected iteration.
    """

    iterations: Integers
    branches: tuple[str, ...]
    trials: Floats
    members: Floats
    last: int
    iteration: int


class BranchShares:
    """Counts the branches of a run incrementally."""

    def __init__(self, series: RunSeries) -> None:
        self.series = series
        self._members: dict[int, tuple[dict[int, float], dict[int, int]]] = {}

    def _compute_branch_weights(self, iteration: int) -> tuple[dict[int, float], dict[int, int]]:
        """Return weight and number of the members of each branch at an iteration."""
        if iteration not in self._members:
            weights: dict[int, float] = {}
            counts: dict[int, int] = {}
            for number, weight in self.series.iterations[iteration - 1].members:
                row = int(self.series.branch_indices[number - 1])
                weights[row] = weights.get(row, 0.0) + weight
                counts[row] = counts.get(row, 0) + 1
            self._members[iteration] = (weights, counts)
        return self._members[iteration]

    def make_data(self, chosen: int | None, view: str) -> SharesData:
        """Return the shares up to the selected iteration; ``view`` is a key of :data:`VIEWS`."""
        names, branch_indices = self.series.branch_names, self.series.branch_indices
        last = min(len(branch_indices), len(self.series.iterations))
        newest = min(self.series.resolve_iteration(chosen), last)
        branch_indices, iterations = branch_indices[:newest], choose_iterations(last, MAX_COLUMNS)
        iterations = np.union1d(iterations[iterations <= newest], [newest] if newest else [])
        iterations = iterations.astype(np.int64)
        window_start = np.maximum(iterations - WINDOW, 0) if view == "window" else 0 * iterations
        trials = np.empty((len(names), len(iterations)))
        for row in range(len(names)):
            branch_trials = np.flatnonzero(branch_indices == row)
            end_count = np.searchsorted(branch_trials, iterations)
            start_count = np.searchsorted(branch_trials, window_start)
            trials[row] = (end_count - start_count) / (iterations - window_start)
        members = np.zeros_like(trials)
        for column, iteration in enumerate(iterations.tolist()):
            for row, weight in self._compute_branch_weights(iteration)[0].items():
                members[row, column] = weight
        total = members.sum(axis=0)
        np.divide(members, total, out=members, where=total > 0)
        tried_branches = np.flatnonzero(np.bincount(branch_indices))
        return SharesData(
            iterations=iterations,
            branches=tuple(names[row] for row in tried_branches),
            trials=trials[tried_branches],
            members=members[tried_branches],
            last=last,
            iteration=newest,
        )

    def count_trials(self, branch: str, iteration: int, view: str) -> tuple[int, int]:
        """Return the numbers of a branch's trials and of all counted trials at an iteration."""
        start = max(0, iteration - WINDOW) if view == "window" else 0
        index = self.series.branch_names.index(branch)
        is_branch = self.series.branch_indices[start:iteration] == index
        return int(is_branch.sum()), iteration - start

    def count_members(self, branch: str, iteration: int) -> tuple[int, int]:
        """Return the numbers of a branch's members and of all members at an iteration."""
        counts = self._compute_branch_weights(iteration)[1]
        return counts.get(self.series.branch_names.index(branch), 0), sum(counts.values())


def find_branch(shares: Floats, height: float) -> int:
    """Return the row of the area at a height in [0, 1] of stacked shares (b,); -1 for none."""
    if not 0 <= height <= 1 or shares.sum() <= 0:
        return -1
    return min(int(np.searchsorted(shares.cumsum(), height)), len(shares) - 1)


def describe_trial_share(
    counter: BranchShares, branch: str, iteration: int, view: str, get_name: NameGetter
) -> str:
    """Return a branch's share of the trials, in words."""
    count, total = counter.count_trials(branch, iteration, view)
    trials = ntr("{count} trial", "{count} trials", total)
    if view == "window":
        trials = ntr("the last {count} trial", "the last {count} trials", total)
    return tr(
        "iteration {iteration}  ·  {branch}: {part} of {trials} ({share})",
        iteration=iteration,
        branch=get_name(branch),
        part=count,
        trials=trials,
        share=format_share(count / max(total, 1), 0),
    )


def describe_weight_share(
    counter: BranchShares, branch: str, iteration: int, share: float, get_name: NameGetter
) -> str:
    """Return a branch's share of the ensemble's members and weight, in words."""
    count, total = counter.count_members(branch, iteration)
    return tr(
        "iteration {iteration}  ·  {branch}: {part} of {members}, {share} of the weight",
        iteration=iteration,
        branch=get_name(branch),
        part=count,
        members=ntr("{count} member", "{count} members", total),
        share=format_share(share, 0),
    )


def summarise_plot(
    counter: BranchShares, data: SharesData, get_name: NameGetter = get_learner_name
) -> str:
    """Describe the leading branch among trials and in the ensemble, at the selected iteration."""
    if not data.iteration or not data.branches:
        return ""
    iteration = data.iteration
    column = int(np.abs(data.iterations - iteration).argmin())
    counts = {each: counter.count_trials(each, iteration, "all") for each in data.branches}
    most_tried = max(data.branches, key=lambda each: counts[each][0])
    count, total = counts[most_tried]
    text = tr(
        "iteration {iteration}  ·  most tried: {branch} ({share} of the trials)",
        iteration=iteration,
        branch=get_name(most_tried),
        share=format_share(count / total, 0),
    )
    weights = data.members[:, column]
    if weights.sum() > 0:
        row = int(weights.argmax())
        text += "  ·  " + tr(
            "largest in the ensemble: {branch} ({share} of the weight)",
            branch=get_name(data.branches[row]),
            share=format_share(float(weights[row]), 0),
        )
    return text


_PERCENT_AXIS = Axis(
    low=-4.0, high=104.0, ticks=[(share, str(share)) for share in (0, 50, 100)], has_grid=False
)


class AlgorithmsPlot(PlotOf[SharesData]):
    """Stacked areas: the trials' branches above, the members' below."""

    key = "algorithms"
    title = N_("Chosen algorithms")
    search_terms = N_("which models learners shares pie")
    question = SEARCH
    summary = N_(
        "Which algorithms the search tries (above), and which the ensemble is made of (below)."
    )
    explanation = N_(
        "Every colour is an algorithm, and its height at an iteration is its share. Above are "
        "the trials: a search that learns tries good algorithms more and more often, and a "
        "thinning band was abandoned. Below are the members of the ensemble, counted by their "
        "weight in its vote. A band that is thin above but thick below means that a few trials "
        "of that algorithm are worth a lot to the ensemble. The list at the top right chooses "
        "whether the last 20 trials are counted, which shows changes sooner, or all trials so "
        "far."
    )
    source = N_("Lévesque 2018, figures 5.8 and 5.9")
    selects_iteration = True

    def __init__(self, helper: Helper) -> None:
        super().__init__(helper)
        self._counter = BranchShares(RunSeries())
        text = tr("Count the last 20 trials, or all so far")
        self.view = self.add_view_choice(VIEWS, tr("Trials included"), text)

    def explain_empty(self, subject: Subject) -> str:
        self.view.setVisible(subject.series.branch_parameter is not None)
        if subject.series.branch_parameter is None:
            return tr(
                "This run's space has no choice of an algorithm at its root, so there are no "
                "shares to compare. Runs over a space with such a choice show them here."
            )
        return super().explain_empty(subject)

    def prepare(self, subject: Subject) -> None:
        if self._counter.series is not subject.series:
            self._counter = BranchShares(subject.series)
        self.data = self._counter.make_data(subject.selected_iteration, self.view.key)

    def make_figure(self, data: SharesData, subject: Subject) -> Figure:
        branches = list(dict.fromkeys([*subject.series.branches, *data.branches]))
        inks = get_learner_inks(branches)
        get_name = self._choose_names(data.branches)
        marks: list[Mark] = [
            *_make_stack(data, data.trials, inks, get_name, panel=0),
            *_make_stack(data, data.members, inks, get_name, panel=1),
        ]
        if data.iteration < data.last:
            marks += [Rule(position=data.iteration + 0.5, panel=panel) for panel in (0, 1)]
        trials_panel = Panel(
            x=replace(make_iteration_axis(subject.axis_end), has_grid=False),
            y=replace(_PERCENT_AXIS, label=tr("trials (%)")),
            height_share=10,
            right_ticks=_make_branch_ticks(data, data.trials, get_name),
        )
        members_panel = Panel(
            x=replace(trials_panel.x, label=tr("iteration (trials)"), has_tick_labels=True),
            y=replace(_PERCENT_AXIS, label=tr("members (%)")),
            height_share=13,
            row=1,
            right_ticks=_make_branch_ticks(data, data.members, get_name),
        )
        default_text = summarise_plot(self._counter, data, get_name)
        return Figure(panels=[trials_panel, members_panel], marks=marks, default_text=default_text)

    def describe_hovered(self, data: SharesData, subject: Subject, pointer: Pointer) -> str:
        if not 0.5 <= pointer.x <= data.iteration + 0.5:
            return ""
        column = int(np.abs(data.iterations - pointer.x).argmin())
        shares = (data.members if pointer.panel else data.trials)[:, column]
        row = find_branch(shares, pointer.y / 100.0)
        if row < 0:
            return ""
        branch, iteration = data.branches[row], int(data.iterations[column])
        get_name = self._choose_names(data.branches)
        if pointer.panel:
            share = float(shares[row])
            return describe_weight_share(self._counter, branch, iteration, share, get_name)
        return describe_trial_share(self._counter, branch, iteration, self.view.key, get_name)

    def _choose_names(self, branches: Sequence[str]) -> NameGetter:
        """Return full names, or short ones for the whole plot if one would not fit beside it."""
        metrics = QFontMetrics(theme.font(theme.SMALL))
        widest = max(map(metrics.horizontalAdvance, map(get_learner_name, branches)), default=0)
        fits = widest <= _MAX_NAME_SHARE * self.width()
        return get_learner_name if fits else get_learner_short_name

    def get_table_columns(self, data: SharesData, subject: Subject) -> Columns:
        """Return both shares of each branch, by drawn iteration."""
        shares_by_quantity = {"trials": data.trials, "members": data.members}
        return {"iteration": data.iterations} | {
            f"{quantity} {branch}": share
            for quantity, shares in shares_by_quantity.items()
            for branch, share in zip(data.branches, shares, strict=True)
        }


def _make_stack(
    data: SharesData, shares: Floats, inks: Mapping[str, Ink], get_name: NameGetter, *, panel: int
) -> Iterable[Mark]:
    """Yield an area for each branch of shares (b, t), down to 0, behind those below it."""
    heights = 100.0 * shares.cumsum(axis=0)
    for row, branch in enumerate(data.branches):
        curve = make_step_curve(data.iterations, heights[row])
        x = np.append(0.5, curve.x)
        y = np.append(curve.y[:1], curve.y)
        yield Area(
            x=x, y=y, ink=inks[branch], panel=panel, depth=len(shares) - row, name=get_name(branch)
        )


def _make_branch_ticks(data: SharesData, shares: Floats, get_name: NameGetter) -> Ticks:
    """Return the position of each branch's area of shares (b, t) at the end, for its label."""
    if not data.last:
        return ()
    last = 100.0 * shares[:, -1]
    middles = last.cumsum() - 0.5 * last
    return [
        (float(middle), get_name(branch))
        for branch, share, middle in zip(data.branches, last, middles, strict=True)
        if share > 0
    ]
