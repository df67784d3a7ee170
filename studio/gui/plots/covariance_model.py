"""The covariance of the trials: what the helper's answer means for the plot."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.gui.base.language import ntr, number, said, tr
from studio.gui.plots.measure import Measure
from studio.gui.plots.series import RunSeries
from studio.gui.plots.slice_model import in_unit_of


@dataclass(frozen=True)
class Bracket:
    """Rows of one branch: from ``first`` to before ``end``."""

    name: str
    first: int
    end: int


@dataclass(frozen=True)
class CovariancePicture:
    """The correlations of the trials, sorted by branch and condition.

    Attributes
    ----------
    matrix : Floats, shape (n, n)
        In [0, 1], 1 on the diagonal.
    numbers : Integers, shape (n,)
        The trials.
    brackets : tuple of Bracket
        The branches, in the order of the matrix.
    steps : tuple of int
        Where a condition group ends inside a branch.
    kernel : str
    spread, noise : str
        Standard deviations of the objective and of an observation about it, with their unit.
    explanation, reason : str
    """

    matrix: Floats
    numbers: Integers
    brackets: tuple[Bracket, ...]
    steps: tuple[int, ...]
    kernel: str
    spread: str
    noise: str
    explanation: str
    reason: str


def covariance_picture(
    words: Mapping[str, Any], arrays: Mapping[str, AnyArray], measure: Measure
) -> CovariancePicture:
    """Read the helper's answer.

    Parameters
    ----------
    words, arrays : mapping
        The fields of :class:`studio.analysis.surrogate.covariances.Covariance`.
    measure : Measure
        The run's metric.
    """
    measure = in_unit_of(words, measure)
    branches, conditions = list(words["branches"]), arrays["conditions"]
    found = brackets(branches)
    ends = {bracket.end for bracket in found}
    steps = np.flatnonzero(np.diff(conditions)) + 1 if len(conditions) else np.empty(0, int)
    return CovariancePicture(
        matrix=np.asarray(arrays["matrix"], dtype=float),
        numbers=arrays["numbers"],
        brackets=found,
        steps=tuple(int(step) for step in steps if int(step) not in ends),
        kernel=said(str(words["kernel"])),
        spread=measure.text(float(words["amplitude"])),
        noise=measure.text(float(words["noise"])),
        explanation=said(str(words["explanation"])),
        reason=str(words["reason"]),
    )


def brackets(branches: list[str]) -> tuple[Bracket, ...]:
    """Return the runs of equal names."""
    found: list[Bracket] = []
    for place, name in enumerate(branches):
        if found and found[-1].name == name:
            found[-1] = Bracket(name, found[-1].first, place + 1)
        else:
            found.append(Bracket(name, place, place + 1))
    return tuple(found)


def covariance_words(picture: CovariancePicture, series: RunSeries, row: int, column: int) -> str:
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


def covariance_rest(picture: CovariancePicture) -> str:
    """Say how many trials are compared, by what, and what the kernel is scaled with."""
    return tr(
        "{trials}  ·  {kernel}  ·  the objective varies by ± {spread}, an observation by ± {noise}",
        trials=ntr("{count} trial", "{count} trials", len(picture.numbers)),
        kernel=picture.kernel,
        spread=picture.spread,
        noise=picture.noise,
    )
