"""Each member's error against how different it is from the others."""

from dataclasses import dataclass

import numpy as np

from studio import language
from studio.arrays import Floats
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.ensemble.diversity_model import DiversityPicture
from studio.language import percent, tr


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
