"""Who was in the ensemble at every iteration, as a raster."""

from dataclasses import dataclass

import numpy as np

from studio.arrays import Floats, Integers
from studio.gui.plots.series import RunSeries

MOST_ROWS = 400
"""Members drawn at most; those that stayed longest are kept."""

MOST_COLUMNS = 1500
"""Iterations drawn at most; longer runs are thinned evenly."""


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
    trial = series.trial(number)
    own = "" if trial is None else f"  ·  alone {series.measure.text(trial.loss)}"
    weight = picture.weights[row, column]
    inside = f"weight {weight:.1%}" if weight > 0 else "not a member"
    stayed = int((picture.strength[row] > 0).sum())
    of = len(picture.iterations)
    return (
        f"iteration {iteration}  ·  {series.name(number)}: {inside}{own}"
        f"  ·  in the ensemble in {stayed} of {of} iterations drawn"
    )
