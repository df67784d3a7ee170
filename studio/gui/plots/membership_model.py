"""Who was in the ensemble at every iteration, as a raster, and what each member is worth."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from studio.arrays import AnyArray, Flags, Floats, Integers
from studio.gui.language import mark, tr
from studio.gui.plots.measure import Measure
from studio.gui.plots.series import RunSeries

MOST_ROWS = 400
"""Members drawn at most; those that stayed longest are kept."""

MOST_COLUMNS = 1500
"""Iterations drawn at most; longer runs are thinned evenly."""

ORDERS = {
    "joined": mark("As they joined"),
    "adds": mark("By what they add"),
    "own": mark("By their own error"),
    "weight": mark("By weight now"),
}
"""The orders of the rows; all but the first put the members of now above the others."""


@dataclass(frozen=True)
class MembershipPicture:
    """Members × iterations.

    Attributes
    ----------
    members : Integers, shape (r,)
        Trial number of each row, in the order in which they first joined.
    branches : tuple of str, length r
        Branch of each row; it gives the colour.
    iterations : Integers, shape (c,)
        Iteration of each column.
    strength : Floats, shape (r, c)
        Weight over the heaviest weight of the same iteration, in [0, 1]; 0 is no member.
    weights : Floats, shape (r, c)
        The weights themselves.
    left_out : int
        Members that do not fit in ``MOST_ROWS``.
    shown : int
        The iteration the window looks at.
    """

    members: Integers
    branches: tuple[str, ...]
    iterations: Integers
    strength: Floats
    weights: Floats
    left_out: int
    shown: int

    def ordered(self, order: Integers) -> "MembershipPicture":
        """Return the same with its rows in another order, a permutation of shape (r,)."""
        return MembershipPicture(
            members=self.members[order],
            branches=tuple(self.branches[place] for place in order),
            iterations=self.iterations,
            strength=self.strength[order],
            weights=self.weights[order],
            left_out=self.left_out,
            shown=self.shown,
        )


@dataclass(frozen=True)
class MemberWorth:
    """What the helper knows of the members of one iteration's ensemble.

    Attributes
    ----------
    iteration : int
        Whose ensemble.
    own_test : dict
        A member's own test loss, by trial number; NaN where there are no test rows.
    adds, adds_test : dict
        The ensemble's loss without the member minus with it: above 0 where it helps.
    """

    iteration: int
    own_test: Mapping[int, float]
    adds: Mapping[int, float]
    adds_test: Mapping[int, float]


@dataclass(frozen=True)
class MemberColumns:
    """The columns beside the raster, one element a row, in the shown unit; NaN: not known.

    Attributes
    ----------
    own, own_test : Floats, shape (r,)
        Each trial's own validation and test error; none of trials that finish later.
    adds, adds_test : Floats, shape (r,)
        What each member of now adds.
    inside : Flags, shape (r,)
        Who is a member now.
    """

    own: Floats
    own_test: Floats
    adds: Floats
    adds_test: Floats
    inside: Flags


def membership_picture(series: RunSeries, chosen: int | None) -> MembershipPicture:
    """Make the raster of a run; all iterations are drawn, whichever is chosen."""
    step = max(1, -(-len(series.iterations) // MOST_COLUMNS))
    # The newest iteration is always a column.
    records = series.iterations[::-1][::step][::-1]
    rows: dict[int, int] = {}
    stays: dict[int, int] = {}
    for record in records:
        for number, _ in record.members:
            rows.setdefault(number, len(rows))
            stays[number] = stays.get(number, 0) + 1
    kept = set(sorted(rows, key=lambda number: (-stays[number], number))[:MOST_ROWS])
    members = [number for number in rows if number in kept]
    place = {number: row for row, number in enumerate(members)}
    weights = np.zeros((len(members), len(records)))
    for column, record in enumerate(records):
        for number, weight in record.members:
            if number in place:
                weights[place[number], column] = weight
    heaviest = weights.max(axis=0, initial=0.0)
    strength = np.divide(weights, heaviest, out=np.zeros_like(weights), where=heaviest > 0)
    return MembershipPicture(
        members=np.array(members, dtype=np.int64),
        branches=tuple(series.branch(number) for number in members),
        iterations=np.array([record.number for record in records], dtype=np.int64),
        strength=strength,
        weights=weights,
        left_out=len(rows) - len(members),
        shown=series.at(chosen),
    )


def member_worth(arrays: Mapping[str, AnyArray], words: Mapping[str, Any], at: int) -> MemberWorth:
    """Read the answer of the helper's task ``contributions`` for an iteration."""
    numbers = arrays["members"].astype(np.int64).tolist()

    def by_number(values: AnyArray) -> dict[int, float]:
        return dict(zip(numbers, np.asarray(values, dtype=float).tolist(), strict=True))

    def added(part: str) -> dict[int, float]:
        whole = np.nan if words[part] is None else float(words[part])
        return by_number(arrays[f"without_{part}"] - whole)

    return MemberWorth(at, by_number(arrays["own_test"]), added("validation"), added("test"))


def member_columns(
    series: RunSeries, picture: MembershipPicture, worth: MemberWorth | None
) -> MemberColumns:
    """Return the columns of a raster.

    Parameters
    ----------
    series : RunSeries
        The run.
    picture : MembershipPicture
        The rows.
    worth : MemberWorth or None
        What the helper has answered; an answer for another iteration is used as far as the
        ensemble's members have stayed the same.
    """
    factor, now = series.measure.factor, picture.shown
    members = dict(series.iterations[now - 1].members) if now > 0 else {}

    def known(values: Mapping[int, float]) -> Floats:
        found = [
            values.get(int(n), np.nan) if int(n) in members else np.nan for n in picture.members
        ]
        return factor * np.array(found, dtype=float)

    losses = np.array([series.losses[n - 1] if n <= now else np.nan for n in picture.members])
    nothing: Mapping[int, float] = {}
    return MemberColumns(
        own=factor * losses.astype(float),
        own_test=known(nothing if worth is None else worth.own_test),
        adds=known(nothing if worth is None else worth.adds),
        adds_test=known(nothing if worth is None else worth.adds_test),
        inside=np.array([int(n) in members for n in picture.members], dtype=np.bool_),
    )


def row_order(
    series: RunSeries, picture: MembershipPicture, columns: MemberColumns, order: str
) -> Integers:
    """Return the rows in an order of :data:`ORDERS`, shape (r,); equals stay as they joined."""
    rows = np.arange(len(picture.members))
    if order == "joined":
        return rows
    now = picture.shown
    weights = dict(series.iterations[now - 1].members) if now > 0 else {}
    keys = {
        "adds": -columns.adds,
        "own": columns.own,
        "weight": -np.array([weights.get(int(n), 0.0) for n in picture.members]),
    }
    key = np.where(np.isnan(keys[order]), np.inf, keys[order])
    return np.lexsort((rows, key, ~columns.inside))


def raster(picture: MembershipPicture, colours: dict[str, tuple[int, int, int]]) -> np.ndarray:
    """Colour the picture.

    Parameters
    ----------
    picture : MembershipPicture
        The raster of r rows and c columns.
    colours : dict
        Red, green and blue (0–255) of every branch.

    Returns
    -------
    array, shape (r, c, 4), uint8
        The branch's colour; the opacity is 0 for no member and from 0.3 to 1 by weight.
    """
    image = np.zeros((*picture.strength.shape, 4), dtype=np.uint8)
    for row, branch in enumerate(picture.branches):
        image[row, :, :3] = colours[branch]
    inside = picture.strength > 0
    image[..., 3] = np.where(inside, 255 * (0.3 + 0.7 * picture.strength), 0).astype(np.uint8)
    return image


def membership_words(series: RunSeries, picture: MembershipPicture, row: int, column: int) -> str:
    """Say what a cell of the raster means; empty outside of it."""
    if not (0 <= row < len(picture.members) and 0 <= column < len(picture.iterations)):
        return ""
    number, iteration = int(picture.members[row]), int(picture.iterations[column])
    weight = picture.weights[row, column]
    words = tr(
        "iteration {iteration}  ·  {trial}: {inside}",
        iteration=iteration,
        trial=series.name(number),
        inside=tr("weight {weight}", weight=f"{weight:.1%}") if weight > 0 else tr("not a member"),
    )
    trial = series.trial(number)
    if trial is not None:
        words += "  ·  " + tr("alone {loss}", loss=series.measure.text(trial.loss))
    return (
        words
        + "  ·  "
        + tr(
            "in the ensemble in {stayed} of {all} iterations drawn",
            stayed=int((picture.strength[row] > 0).sum()),
            all=len(picture.iterations),
        )
    )


def member_words(
    series: RunSeries, picture: MembershipPicture, columns: MemberColumns, row: int
) -> str:
    """Say what a row's trial is worth alone and to the ensemble; empty outside."""
    if not 0 <= row < len(picture.members):
        return ""
    name, measure = series.name(int(picture.members[row])), series.measure
    if np.isnan(columns.own[row]):
        return tr("{trial} had not finished by this iteration", trial=name)
    words = tr("{trial}: alone {loss}", trial=name, loss=_shown(columns.own[row], measure))
    if np.isfinite(columns.own_test[row]):
        words += tr(" (test {loss})", loss=_shown(columns.own_test[row], measure))
    if not columns.inside[row]:
        return words + "  ·  " + tr("not a member now")
    if np.isnan(columns.adds[row]):
        return words + "  ·  " + tr("the only member")
    words += "  ·  " + _without(columns.adds[row], measure, tr("validation"))
    if np.isfinite(columns.adds_test[row]):
        words += ", " + _without(columns.adds_test[row], measure, tr("test"))
    return words


def _without(adds: float, measure: Measure, rows: str) -> str:
    if adds == 0:
        return tr("{rows}: the ensemble is the same without it", rows=rows)
    change = f"{abs(adds):.2f}" if measure.unit == "%" else f"{abs(adds):.3g}"
    unit = tr("points") if measure.unit == "%" else measure.unit
    text = (
        tr("{rows}: worse by {change} {unit} without it")
        if adds > 0
        else tr("{rows}: better by {change} {unit} without it")
    )
    return text.format(rows=rows, change=change, unit=unit).replace("  ", " ")


def _shown(value: float, measure: Measure) -> str:
    return measure.text(float(value) / measure.factor)
