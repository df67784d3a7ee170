"""How different the ensemble's members are, pair by pair, and how good each is by itself."""

from dataclasses import dataclass

import numpy as np

from studio import language
from studio.analysis.answers.ensemble import PairDiversity
from studio.arrays import Floats, Integers
from studio.gui.plots.base.series import RunSeries
from studio.language import N_, number, percent, tr

FEW = 14
"""Up to this many members, the numbers are written into the cells."""

VIEWS = {
    "diversity": N_("Diversity"),
    "disagreement": N_("Disagreement"),
    "mean": N_("Error, by mean"),
    "least": N_("Error, by nearest"),
}
"""The views: two matrices that the helper gives, and two ways to draw error against diversity."""

TITLES = {"diversity": N_("diversity"), "disagreement": N_("disagreement")}
"""What the values of the matrices are called."""


@dataclass(frozen=True)
class DiversityPicture:
    """A symmetric matrix over the members, similar members side by side.

    Attributes:
        members: Shape (m,). Trial numbers, in the order drawn.
        branches: Length m. Their branches; they give the labels' colours.
        values: Shape (m, m). Diversity (or disagreement) of every pair in [0, 1]; NaN on the
            diagonal.
        highest: The upper end of the colour scale.
    """

    members: Integers
    branches: tuple[str, ...]
    values: Floats
    highest: float

    @property
    def few(self) -> bool:
        """Whether there is room for numbers in the cells."""
        return len(self.members) <= FEW


def diversity_picture(answer: PairDiversity, series: RunSeries, which: str) -> DiversityPicture:
    """Take one matrix of an answer, without its diagonal.

    Args:
        answer: All pairs of members.
        series: The run, for the members' branches.
        which: "diversity" or "disagreement".
    """
    members = answer.members
    values = {"diversity": answer.diversity, "disagreement": answer.disagreement}[which].copy()
    np.fill_diagonal(values, np.nan)
    finite = values[np.isfinite(values)]
    return DiversityPicture(
        members=members,
        branches=tuple(series.branch(int(number)) for number in members),
        values=values,
        highest=_round_up(float(finite.max())) if len(finite) else 1.0,
    )


def _round_up(value: float) -> float:
    """Return the next of 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, so that the scale seldom jumps."""
    for step in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5):
        if value <= step:
            return step
    return 1.0


def diversity_words(
    picture: DiversityPicture, series: RunSeries, row: int, column: int, which: str
) -> str:
    """Say what a cell means; on the diagonal, how good the member is by itself."""
    size = len(picture.members)
    if not (0 <= row < size and 0 <= column < size):
        return ""
    first, second = int(picture.members[row]), int(picture.members[column])
    if row == column:
        trial = series.trial(first)
        own = series.measure.text(None if trial is None else trial.loss)
        return tr("{trial}  ·  alone {loss}", trial=series.name(first), loss=own)
    pair = tr("{first} and {second}", first=series.name(first), second=series.name(second))
    return f"{pair}  ·  {meaning(picture.values[row, column], which)}"


def meaning(value: float, which: str) -> str:
    """Write one value with what it says."""
    if which == "disagreement":
        return tr("they disagree on {share} of the validation rows", share=percent(value))
    return tr(
        "diversity {value} (0: the same predictions, 1: opposite and certain)",
        value=number(value, ".3f"),
    )


def rest_words(picture: DiversityPicture, which: str) -> str:
    """Say how different the members are on average."""
    if not np.isfinite(picture.values).any():
        return ""
    mean = float(np.nanmean(picture.values))
    members = len(picture.members)
    if which == "disagreement":
        return tr(
            "{members} members  ·  two of them disagree on {share} of the rows on average",
            members=members,
            share=percent(mean),
        )
    return tr(
        "{members} members  ·  mean diversity of a pair {value}",
        members=members,
        value=number(mean, ".3f"),
    )


@dataclass(frozen=True)
class MembersPicture:
    """One dot a member.

    Attributes:
        matrix: The members, and the diversity of all pairs.
        diversity: Shape (m,). Mean or least diversity to the other members, in [0, 1].
        errors: Shape (m,). Validation loss of each alone, in the shown unit.
        weights: Shape (m,). Weight in the ensemble looked at; 0 for who has left since.
        ensemble: The ensemble's validation loss in the shown unit; NaN where unknown.
    """

    matrix: DiversityPicture
    diversity: Floats
    errors: Floats
    weights: Floats
    ensemble: float


def members_picture(
    matrix: DiversityPicture, series: RunSeries, iteration: int, which: str
) -> MembersPicture:
    """Make the dots of a diversity matrix.

    Args:
        matrix: The matrix of the diversity (not the disagreement).
        series: The run.
        iteration: The iteration looked at, from 1.
        which: "mean" or "least": how the diversity to the others is summarised.
    """
    several = len(matrix.members) > 1
    summary = np.nanmean if which == "mean" else np.nanmin
    losses = [
        np.nan if (trial := series.trial(int(number))) is None or trial.loss is None else trial.loss
        for number in matrix.members
    ]
    record = series.iterations[iteration - 1]
    weights = dict(record.members)
    ensemble = record.ensemble_validation
    return MembersPicture(
        matrix=matrix,
        diversity=summary(matrix.values, axis=1) if several else np.empty(0),
        errors=series.measure.shown(np.array(losses, dtype=float)),
        weights=np.array([weights.get(int(number), 0.0) for number in matrix.members]),
        ensemble=np.nan if ensemble is None else ensemble * series.measure.factor,
    )


def member_words(picture: MembersPicture, series: RunSeries, place: int, which: str) -> str:
    """Say who a dot is, how good and how different."""
    number = int(picture.matrix.members[place])
    trial = series.trial(number)
    values = {
        "trial": series.name(number),
        "loss": series.measure.text(None if trial is None else trial.loss),
        "value": language.number(picture.diversity[place], ".3f"),
        "weight": percent(float(picture.weights[place])),
    }
    if which == "mean":
        return tr(
            "{trial}  ·  alone {loss}  ·  mean diversity to the others {value}  ·  weight {weight}",
            **values,
        )
    return tr(
        "{trial}  ·  alone {loss}  ·  diversity to the most similar member {value}"
        "  ·  weight {weight}",
        **values,
    )


def ensemble_words(picture: MembersPicture, series: RunSeries) -> str:
    """Say how many members the ensemble beats."""
    members = len(picture.matrix.members)
    if not members:
        return ""
    factor = series.measure.factor
    known = picture.errors[np.isfinite(picture.errors)]
    best = series.measure.text(float(known.min()) / factor if len(known) else None)
    if not np.isfinite(picture.ensemble):
        return tr("{members} members  ·  the best alone {best}", members=members, best=best)
    beaten = int((picture.errors > picture.ensemble).sum())
    return tr(
        "{members} members  ·  the best alone {best}  ·  the ensemble {ensemble}, better than "
        "{beaten} of them",
        members=members,
        best=best,
        ensemble=series.measure.text(picture.ensemble / factor),
        beaten=beaten,
    )
