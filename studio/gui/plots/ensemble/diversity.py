"""Diversity: how differently the ensemble's members predict, pair by pair and against error."""

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from studio.analysis.answers.ensemble import PairDiversity
from studio.figures.colours import ENSEMBLE
from studio.figures.compose import branch_keys
from studio.figures.figure import Axis, Figure, Panel, Pointer, Scale
from studio.figures.ink import Ink, series
from studio.figures.marks import Cells, Dots, Heat, Rule
from studio.gui.plots.base.asking import Helper
from studio.gui.plots.base.helped import HelpedPlot
from studio.gui.plots.base.plot import Columns
from studio.gui.plots.base.questions import ENSEMBLE as ABOUT_ENSEMBLE
from studio.gui.plots.base.subject import Subject
from studio.gui.plots.ensemble.diversity_model import (
    TITLES,
    VIEWS,
    DiversityPicture,
    MembersPicture,
    diversity_picture,
    diversity_words,
    ensemble_words,
    member_words,
    members_picture,
    rest_words,
)
from studio.gui.session.learner_names import learner_inks, learner_name
from studio.language import N_, number, percent, tr
from studio.measure import Measure

_SMALLEST, _LARGEST = 8.0, 20.0
"""Diameters of the lightest and the heaviest member's dot."""


class DiversityPlot(HelpedPlot[PairDiversity, DiversityPicture]):
    """A heat map of all pairs of members, or each member's error against its diversity."""

    key: ClassVar[str] = "diversity"
    title: ClassVar[str] = N_("Diversity")
    also: ClassVar[str] = N_("agreement disagreement kappa members different")
    question: ClassVar[str] = ABOUT_ENSEMBLE
    summary: ClassVar[str] = N_(
        "How differently each pair of members predicts: an ensemble gains "
        "where its members do not make the same mistakes."
    )
    explanation: ClassVar[str] = N_(
        "Each row and each column is a member of the ensemble, and similar members are "
        "neighbours. Diversity is the mean distance between the probabilities (or values) that "
        "two members predict for the validation rows: 0 for the same predictions, 1 for "
        "opposite and certain ones; disagreement counts the rows for which they choose "
        "different classes. A dark block is a group of members that could replace each other. "
        "The views of error against diversity show each member as a dot, as large as its "
        "weight: a good ensemble has members low (small error) and far to the right (different "
        "from the others), and the dashed line is the error of all of them together."
    )
    source: ClassVar[str] = N_("Shen et al. 2022, equation 3 and figure 6")
    task: ClassVar[str] = "diversity"
    answer: ClassVar[type[Any]] = PairDiversity
    waiting: ClassVar[str] = N_("Comparing the members' predictions…")
    by_members: ClassVar[bool] = True
    of_pairs: ClassVar[bool] = True

    def __init__(self, helper: Helper) -> None:
        super().__init__(helper)
        self.view = self.offer(
            VIEWS,
            tr("What to compare"),
            tr(
                "Diversity compares the predicted probabilities (or values); disagreement counts "
                "the rows for which two members choose different classes; the others show each "
                "member's error against its mean diversity to the others, or against that to the "
                "most similar one"
            ),
        )

    @property
    def _matrix(self) -> str:
        """Which matrix the view reads."""
        return self.view.key if self.view.key in TITLES else "diversity"

    def read(self, answer: PairDiversity, subject: Subject) -> DiversityPicture:
        """Return the matrix of the view chosen."""
        self._offer_disagreement(answer.classes)
        return diversity_picture(answer, subject.series, self._matrix)

    def _offer_disagreement(self, offered: bool) -> None:
        """Take the disagreement away where values are predicted: they cannot disagree."""
        self.view.enable("disagreement", offered)
        if not offered and self.view.key == "disagreement":
            self.view.setCurrentIndex(0)

    def figure(self, picture: DiversityPicture, subject: Subject) -> Figure:
        """Return the matrix of all pairs, or the members by error and diversity."""
        errors = self._errors(picture, subject)
        inks = learner_inks([*subject.series.branches, *picture.branches])
        if errors is None:
            return _matrix(picture, inks, self._matrix)
        rest = ensemble_words(errors, subject.series)
        return _scatter(errors, inks, subject.series.measure, self.view.key, rest)

    def _errors(self, picture: DiversityPicture, subject: Subject) -> MembersPicture | None:
        """Return the members by error and diversity; None where the matrix is looked at."""
        if self.view.key in TITLES:
            return None
        return members_picture(picture, subject.series, subject.iteration, self.view.key)

    def words(self, picture: DiversityPicture, subject: Subject, at: Pointer) -> str:
        """Say which pair or member is pointed at."""
        errors = self._errors(picture, subject)
        if errors is None:
            row, column = math.floor(at.y), math.floor(at.x)
            return diversity_words(picture, subject.series, row, column, self._matrix)
        place = at.nearest(errors.diversity, errors.errors, _LARGEST / 2)
        return "" if place is None else member_words(errors, subject.series, place, self.view.key)

    def columns(self, picture: DiversityPicture, subject: Subject) -> Columns:
        """Return the matrix, one row a member; or error, diversity and weight of each."""
        errors = self._errors(picture, subject)
        if errors is None:
            others = zip(picture.members.tolist(), picture.values.T, strict=True)
            return {"trial": picture.members} | {f"trial {number}": of for number, of in others}
        return {
            "trial": picture.members,
            "error": errors.errors,
            f"{self.view.key}_diversity": errors.diversity,
            "weight": errors.weights,
        }


def _matrix(picture: DiversityPicture, inks: Mapping[str, Ink], which: str) -> Figure:
    """Return all pairs as a heat map, with the members' branches at its left."""
    size, shares = len(picture.members), which == "disagreement"

    def written(value: float) -> str:
        if math.isnan(value):
            return ""
        return percent(value, 0) if shares else number(value, ".2f")

    ticks = [(row + 0.5, str(int(member))) for row, member in enumerate(picture.members)]
    places = {branch: place for place, branch in enumerate(inks)}
    high = percent(picture.highest, 0) if shares else number(picture.highest, "g")
    return Figure(
        panels=[
            Panel(
                x=Axis(tr("member (trial number)"), -0.03 * size, size, ticks, "thin", grid=False),
                y=Axis(tr("trial number"), 0.0, size, ticks, "thin", grid=False, flipped=True),
            )
        ],
        marks=[
            Heat(
                shares=picture.values / picture.highest,
                width=size,
                height=size,
                texts=[[written(v) for v in row] for row in picture.values] if picture.few else (),
            ),
            Cells(
                places=np.array([[places[branch]] for branch in picture.branches]),
                alphas=np.ones((size, 1)),
                inks=list(inks.values()),
                left=-0.024 * size,
                width=0.016 * size,
                height=size,
            ),
            *branch_keys(inks, picture.branches, learner_name),
        ],
        rest=rest_words(picture, which),
        scale=Scale(tr(TITLES[which]), percent(0, 0) if shares else "0", high),
    )


def _scatter(
    picture: MembersPicture, inks: Mapping[str, Ink], measure: Measure, which: str, rest: str
) -> Figure:
    """Return a dot a member, as large as it is heavy, and a line at the ensemble's error."""
    branches = picture.matrix.branches
    heaviest = float(picture.weights.max(initial=0.0)) or 1.0
    heights = np.append(picture.errors, picture.ensemble)
    heights = heights[np.isfinite(heights)]
    low, high = (heights.min(), heights.max()) if len(heights) else (0.0, 1.0)
    room = 0.12 * (high - low) or 0.05 * abs(high) or 0.5
    wide = 1.1 * float(picture.diversity.max(initial=0.0)) or 1.0
    across = (
        tr("mean diversity to the other members")
        if which == "mean"
        else tr("diversity to the most similar member")
    )
    return Figure(
        panels=[
            Panel(
                x=Axis(across, -0.03 * wide, wide),
                y=Axis(measure.label, max(low - room, -room), high + room),
            )
        ],
        marks=[
            *branch_keys(inks, branches, learner_name),
            Rule(
                at=picture.ensemble,
                level=True,
                weight="line",
                ink=series(ENSEMBLE),
                name=tr("all members together"),
            ),
            Dots(
                x=picture.diversity,
                y=picture.errors,
                size=_SMALLEST + (_LARGEST - _SMALLEST) * np.sqrt(picture.weights / heaviest),
                inks=[inks[branch] for branch in branches],
            ),
        ],
        summary=tr("Each member's own error, against how differently from the others it predicts."),
        rest=rest,
    )
