"""Diversity plot: pairwise disagreement of the ensemble's members, and diversity against error."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from studio import language
from studio.analysis.answers.ensemble import PairDiversity
from studio.arrays import Floats, Integers
from studio.figures.compose import make_branch_keys
from studio.figures.figure import Axis, ColourScale, Figure, Panel, Pointer
from studio.figures.ink import ENSEMBLE, Ink, make_series_ink
from studio.figures.marks import CellMatrix, Dots, Heatmap, Rule
from studio.gui.base import theme
from studio.gui.plots.base.helper_requests import Helper
from studio.gui.plots.base.plot import ENSEMBLE as ABOUT_ENSEMBLE
from studio.gui.plots.base.plot import Columns, HelperPlot
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subjects import Subject
from studio.gui.session.learner_names import (
    get_learner_inks,
    get_learner_short_name,
    get_trial_label,
)
from studio.helper.computations import compute_member_diversity
from studio.language import N_, format_share, ntr, number, tr
from studio.measure import Measure

MAX_LABELLED_MEMBERS = 14

VIEWS = {
    "diversity": N_("Diversity"),
    "disagreement": N_("Disagreement"),
    "error": N_("Error and diversity"),
}
"""The views: two matrices from the helper, and error against diversity."""

TITLES = {"diversity": N_("diversity"), "disagreement": N_("disagreement")}


@dataclass(frozen=True)
class DiversityData:
    """A symmetric matrix over the members, similar members adjacent.

    Attributes:
        members: Shape (m,). Trial numbers, in drawing order.
        branches: Length m. Branches, which determine the labels' colours.
        values: Shape (m, m). Diversity (or disagreement) of every pair in [0, 1]; NaN on the
            diagonal.
    """

    members: Integers
    branches: tuple[str, ...]
    values: Floats
    highest: float


def make_diversity_data(answer: PairDiversity, series: RunSeries, kind: str) -> DiversityData:
    """Extract one matrix ("diversity" or "disagreement") from a reply, without its diagonal."""
    members = answer.members
    values = {"diversity": answer.diversity, "disagreement": answer.disagreement}[kind].copy()
    np.fill_diagonal(values, np.nan)
    finite = values[np.isfinite(values)]
    branches = tuple(series.get_branch(int(number)) for number in members)
    highest = _round_up(float(finite.max())) if len(finite) else 1.0
    return DiversityData(members=members, branches=branches, values=values, highest=highest)


def _round_up(value: float) -> float:
    """Round up to 0.01, 0.02, 0.05, 0.1, 0.2, 0.5 or 1, so that the scale rarely changes."""
    for step in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5):
        if value <= step:
            return step
    return 1.0


def describe_diversity(
    data: DiversityData, series: RunSeries, row: int, column: int, kind: str
) -> str:
    """Describe a cell; on the diagonal, the quality of the member."""
    size = len(data.members)
    if not (0 <= row < size and 0 <= column < size):
        return ""
    first, second = int(data.members[row]), int(data.members[column])
    if row == column:
        trial = series.get_trial(first)
        loss_text = series.measure.format_loss(None if trial is None else trial.loss)
        return tr("{trial}  ·  alone {loss}", trial=series.get_name(first), loss=loss_text)
    pair = tr("{first} and {second}", first=series.get_name(first), second=series.get_name(second))
    return f"{pair}  ·  {explain_value(data.values[row, column], kind)}"


def explain_value(value: float, kind: str) -> str:
    """Format and explain a value of disagreement or diversity."""
    if kind == "disagreement":
        return tr("they disagree on {share} of the validation rows", share=format_share(value))
    return tr(
        "diversity {value} (0: the same predictions, 1: opposite and certain)",
        value=number(value, ".3f"),
    )


def summarise_plot(data: DiversityData, kind: str) -> str:
    """Describe the average diversity of the members."""
    if not np.isfinite(data.values).any():
        return ""
    mean = float(np.nanmean(data.values))
    members = len(data.members)
    if kind == "disagreement":
        return tr(
            "{members} members  ·  two of them disagree on {share} of the rows on average",
            members=members,
            share=format_share(mean),
        )
    return tr(
        "{members} members  ·  mean diversity of a pair {value}",
        members=members,
        value=number(mean, ".3f"),
    )


@dataclass(frozen=True)
class MembersData:
    """A dot per member.

    Attributes:
        diversity: Shape (m,). Mean diversity from the other members, in [0, 1].
        errors: Shape (m,). Validation loss of each member alone, in the displayed unit.
        weights: Shape (m,). Weight in the selected ensemble; 0 for former members.
        ensemble_loss: The ensemble's validation loss in the displayed unit; NaN if unknown.
    """

    matrix: DiversityData
    diversity: Floats
    errors: Floats
    weights: Floats
    ensemble_loss: float


def make_members_data(matrix: DiversityData, series: RunSeries, iteration: int) -> MembersData:
    """Build the dots of a diversity matrix at an iteration, from 1."""
    has_pairs = len(matrix.members) > 1
    diversity = np.nanmean(matrix.values, axis=1) if has_pairs else np.empty(0)
    losses = [
        np.nan
        if (trial := series.get_trial(int(number))) is None or trial.loss is None
        else trial.loss
        for number in matrix.members
    ]
    record = series.iterations[iteration - 1]
    weights = dict(record.members)
    ensemble = record.ensemble_validation
    return MembersData(
        matrix=matrix,
        diversity=diversity,
        errors=series.measure.to_displayed_unit(np.array(losses, dtype=float)),
        weights=np.array([weights.get(int(number), 0.0) for number in matrix.members]),
        ensemble_loss=np.nan if ensemble is None else ensemble * series.measure.factor,
    )


def describe_member(data: MembersData, series: RunSeries, index: int) -> str:
    """Describe the error and diversity of a member."""
    number = int(data.matrix.members[index])
    trial = series.get_trial(number)
    return tr(
        "{trial}  ·  alone {loss}  ·  mean diversity from the others {value}  ·  weight {weight}",
        trial=series.get_name(number),
        loss=series.measure.format_loss(None if trial is None else trial.loss),
        value=language.number(data.diversity[index], ".3f"),
        weight=format_share(float(data.weights[index])),
    )


def describe_ensemble(data: MembersData, series: RunSeries) -> str:
    """Return the number of members worse than the ensemble, in words."""
    members = len(data.matrix.members)
    if not members:
        return ""
    factor = series.measure.factor
    finite_errors = data.errors[np.isfinite(data.errors)]
    best = series.measure.format_loss(
        float(finite_errors.min()) / factor if len(finite_errors) else None
    )
    if not np.isfinite(data.ensemble_loss):
        return ntr(
            "{count} member  ·  alone {best}",
            "{count} members  ·  the best alone {best}",
            members,
            best=best,
        )
    n_beaten = int((data.errors > data.ensemble_loss).sum())
    return ntr(
        "{count} member  ·  alone {best}  ·  the ensemble {ensemble}",
        "{count} members  ·  the best alone {best}  ·  the ensemble {ensemble}, better than "
        "{beaten} of them",
        members,
        best=best,
        ensemble=series.measure.format_loss(data.ensemble_loss / factor),
        beaten=n_beaten,
    )


_MIN_NAMED_WIDTH = 420
"""Minimum width in pixels of a matrix with learner names at its rows, at a scale of 1."""

_MIN_DOT_SIZE, _MAX_DOT_SIZE = 8.0, 20.0
"""Diameters of the dots of minimum and maximum weight."""


class DiversityPlot(HelperPlot[PairDiversity, DiversityData]):
    """A heat map of all pairs of members, or each member's error against its diversity."""

    key = "diversity"
    title = N_("Diversity")
    search_terms = N_("agreement disagreement kappa members different")
    question = ABOUT_ENSEMBLE
    summary = N_(
        "How much each pair of members disagrees: an ensemble benefits if its members make "
        "different mistakes."
    )
    explanation = N_(
        "Each row and each column is a member of the ensemble, and similar members are "
        "neighbours. Diversity is the mean distance between the probabilities (or values) that "
        "two members predict for the validation rows: 0 for the same predictions, 1 for "
        "opposite and certain ones; disagreement counts the rows for which they choose "
        "different classes. A dark block is a group of members that could replace each other. "
        "The view of error against diversity shows each member as a dot, as large as its "
        "weight: a good ensemble has members low (small error) and far to the right (different "
        "from the others), and the dashed line is the error of all of them together."
    )
    source = N_("Shen et al. 2022, equation 3 and figure 6")
    task = compute_member_diversity
    waiting_message = N_("Comparing the members' predictions…")
    depends_on_members = True
    compares_members = True

    def __init__(self, helper: Helper) -> None:
        super().__init__(helper)
        self._shared_end = 0.0
        text = tr(
            "Diversity compares the predicted probabilities (or values); disagreement counts "
            "the rows for which two members choose different classes; the last view shows each "
            "member's error against its mean diversity from the others"
        )
        self.view = self.add_view_choice(VIEWS, tr("Measure"), text)

    @property
    def scale_end(self) -> float:
        """The upper limit of the matrix' colour scale; 0 for other views."""
        if self.data is None or self.view.key not in TITLES:
            return 0.0
        return self.data.highest

    def share_scale(self, end: float) -> None:
        """Draw on the scale of an adjacent matrix, if its limit is higher."""
        if end != self._shared_end:
            self._shared_end = end
            self.refresh()

    @property
    def _matrix(self) -> str:
        return self.view.key if self.view.key in TITLES else "diversity"

    def read(self, answer: PairDiversity, subject: Subject) -> DiversityData:
        self._set_disagreement_choice(answer.is_classification)
        return make_diversity_data(answer, subject.series, self._matrix)

    def _set_disagreement_choice(self, offered: bool) -> None:
        """Enable or disable the disagreement, which is undefined for regression."""
        self.view.enable("disagreement", offered)
        if not offered and self.view.key == "disagreement":
            self.view.setCurrentIndex(0)

    def make_figure(self, data: DiversityData, subject: Subject) -> Figure:
        errors = self._get_error_data(data, subject)
        inks = get_learner_inks([*subject.series.branches, *data.branches])
        if errors is None:
            data = replace(data, highest=max(data.highest, self._shared_end))
            shows_names = self.canvas.width() >= theme.pixels(_MIN_NAMED_WIDTH)
            return _make_matrix_figure(data, inks, self._matrix, shows_names=shows_names)
        summary_text = describe_ensemble(errors, subject.series)
        return _make_scatter_figure(errors, inks, subject.series.measure, summary_text)

    def _get_error_data(self, data: DiversityData, subject: Subject) -> MembersData | None:
        """Return the members by error and diversity; None for a matrix view."""
        if self.view.key in TITLES:
            return None
        return make_members_data(data, subject.series, subject.iteration)

    def describe_hovered(self, data: DiversityData, subject: Subject, pointer: Pointer) -> str:
        members = self._get_error_data(data, subject)
        if members is None:
            row, column = math.floor(pointer.y), math.floor(pointer.x)
            return describe_diversity(data, subject.series, row, column, self._matrix)
        index = pointer.find_nearest(members.diversity, members.errors, _MAX_DOT_SIZE / 2)
        return "" if index is None else describe_member(members, subject.series, index)

    def get_table_columns(self, data: DiversityData, subject: Subject) -> Columns:
        """Return the matrix, a row per member; or error, diversity and weight of each."""
        members = self._get_error_data(data, subject)
        if members is None:
            member_columns = zip(data.members.tolist(), data.values.T, strict=True)
            return {"trial": data.members} | {
                f"trial {number}": values for number, values in member_columns
            }
        return {
            "trial": data.members,
            "error": members.errors,
            "mean_diversity": members.diversity,
            "weight": members.weights,
        }


def _make_matrix_figure(
    data: DiversityData, inks: Mapping[str, Ink], measure_key: str, *, shows_names: bool
) -> Figure:
    size, shares = len(data.members), measure_key == "disagreement"

    def format_value(value: float) -> str:
        if math.isnan(value):
            return ""
        return format_share(value, 0) if shares else number(value, ".2f")

    ticks = [(row + 0.5, str(int(member))) for row, member in enumerate(data.members)]
    row_names = ticks
    if shows_names and all(data.branches):
        row_names = [
            (row + 0.5, get_trial_label(int(member), branch))
            for row, (member, branch) in enumerate(zip(data.members, data.branches, strict=True))
        ]
    positions = {branch: index for index, branch in enumerate(inks)}
    high = format_share(data.highest, 0) if shares else number(data.highest, "g")
    title = tr("trial number")
    x = Axis(tr("member (trial number)"), -0.03 * size, size, ticks, "thin", has_grid=False)
    return Figure(
        panels=[
            Panel(x=x, y=Axis(title, 0.0, size, row_names, "thin", has_grid=False, is_flipped=True))
        ],
        marks=[
            Heatmap(
                values=data.values / data.highest,
                width=size,
                height=size,
                texts=[[format_value(v) for v in row] for row in data.values]
                if size <= MAX_LABELLED_MEMBERS
                else (),
            ),
            CellMatrix(
                ink_indices=np.array([[positions[branch]] for branch in data.branches]),
                alphas=np.ones((size, 1)),
                inks=list(inks.values()),
                left=-0.024 * size,
                width=0.016 * size,
                height=size,
            ),
            *make_branch_keys(inks, data.branches, get_learner_short_name),
        ],
        default_text=summarise_plot(data, measure_key),
        scale=ColourScale(tr(TITLES[measure_key]), format_share(0, 0) if shares else "0", high),
    )


def _make_scatter_figure(
    data: MembersData, inks: Mapping[str, Ink], measure: Measure, default_text: str
) -> Figure:
    """Return a dot per member, sized by weight, and a line at the ensemble's error."""
    branches = data.matrix.branches
    heaviest = float(data.weights.max(initial=0.0)) or 1.0
    heights = np.append(data.errors, data.ensemble_loss)
    heights = heights[np.isfinite(heights)]
    low, high = (heights.min(), heights.max()) if len(heights) else (0.0, 1.0)
    margin = 0.12 * (high - low) or 0.05 * abs(high) or 0.5
    x_max = 1.1 * float(data.diversity.max(initial=0.0)) or 1.0
    x = Axis(tr("mean diversity from the other members"), -0.03 * x_max, x_max)
    return Figure(
        panels=[Panel(x=x, y=Axis(measure.label, max(low - margin, -margin), high + margin))],
        marks=[
            *make_branch_keys(inks, branches, get_learner_short_name),
            Rule(
                position=data.ensemble_loss,
                is_horizontal=True,
                weight="line",
                ink=make_series_ink(ENSEMBLE),
                name=tr("all members together"),
            ),
            Dots(
                x=data.diversity,
                y=data.errors,
                size=_MIN_DOT_SIZE
                + (_MAX_DOT_SIZE - _MIN_DOT_SIZE) * np.sqrt(data.weights / heaviest),
                inks=[inks[branch] for branch in branches],
            ),
        ],
        summary=tr("Each member's own error against its diversity from the others."),
        default_text=default_text,
    )
