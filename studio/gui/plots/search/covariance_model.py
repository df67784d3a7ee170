"""The covariance of the trials: its branches, and what is said of it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from studio.analysis.answers.covariances import Covariance
from studio.gui.base.language import ntr, number, said, tr
from studio.gui.plots.base.measure import Measure
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.search.slice_model import in_unit_of


@dataclass(frozen=True)
class Bracket:
    """Rows of one branch: from ``first`` to before ``end``."""

    name: str
    first: int
    end: int


def steps(answer: Covariance) -> tuple[int, ...]:
    """Return where a condition group ends inside a branch."""
    ends = {bracket.end for bracket in brackets(answer.branches)}
    found = np.flatnonzero(np.diff(answer.conditions)) + 1
    return tuple(int(step) for step in found if int(step) not in ends)


def brackets(branches: Sequence[str]) -> tuple[Bracket, ...]:
    """Return the runs of equal names."""
    found: list[Bracket] = []
    for place, name in enumerate(branches):
        if found and found[-1].name == name:
            found[-1] = Bracket(name, found[-1].first, place + 1)
        else:
            found.append(Bracket(name, place, place + 1))
    return tuple(found)


def covariance_words(picture: Covariance, series: RunSeries, row: int, column: int) -> str:
    """Say which two trials a cell compares, and what the kernel holds of them."""
    size = len(picture.numbers)
    if not (0 <= row < size and 0 <= column < size):
        return ""
    first, second = int(picture.numbers[row]), int(picture.numbers[column])
    if row == column:
        return tr("{trial}  ·  with itself: k = 1", trial=series.name(first))
    value = float(picture.matrix[row, column])
    meaning = tr("nothing is learnt about one from the other") if value == 0.0 else ""
    return "  ·  ".join(
        part
        for part in (
            tr("{a} and {b}", a=series.name(first), b=series.name(second)),
            f"k = {number(value, '.3f')}",
            meaning,
        )
        if part
    )


def covariance_rest(picture: Covariance, measure: Measure) -> str:
    """Say how many trials are compared, by what, and what the kernel is scaled with."""
    measure = in_unit_of(picture, measure)
    return tr(
        "{trials}  ·  {kernel}  ·  the objective varies by ± {spread}, an observation by ± {noise}",
        trials=ntr("{count} trial", "{count} trials", len(picture.numbers)),
        kernel=said(picture.kernel),
        spread=measure.text(picture.amplitude),
        noise=measure.text(picture.noise),
    )
