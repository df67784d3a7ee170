"""Climbs from many starts at once, by BFGS with bounds: one batch of gradients a round.

A surrogate answers for twenty rows in hardly more time than for one. So the climbs go in step: each
round asks for the gradient at one row of every climb that still goes on, whether that is a step of
its own or a shorter try of the last one.

Bounds are kept by projection (Bertsekas 1982, Projected Newton methods): coordinates that the slope
presses against a bound stay there, the others make a Newton step with the Hessian that BFGS has
built up (Nocedal and Wright 2006, eq. 6.19), shortened until Armijo's condition holds.
"""

import numpy as np

from studio.acquisition.maximisers.base import Gradient
from studio.arrays import Flags, Floats, Integers

_RISE = 1e-4
"""Share of the rise that the slope promises which a step must bring (Armijo)."""

_SHORTEST = 1e-10
"""A step that moves no coordinate by more than this has come to its end."""

_LEVEL = 1e-5
"""Slope along every free coordinate, in units of the value at the start, that counts as a top."""

_STILL = 2.2e-9
"""A step that brings less than this share of the value is the last one."""

_FIRM = 1e-10
"""Share of the most that something can bend by, below which it counts as straight."""

_FIRST = 0.2
"""How far the first step goes at most along a coordinate: of a climb's shape nothing is known."""


def climb(gradient: Gradient, rows: Floats, free: Flags, steps: int) -> Floats:
    """Follow the slope uphill from every row, inside the unit box.

    Args:
        gradient: Values, higher is better, and gradients.
        rows: Shape (n, D). Where to start.
        free: Shape (n, D). Which coordinates move.
        steps: How many each climb makes at most; shortened tries do not count.

    Returns:
        Shape (n, D). Where each climb ends; nowhere lower than its start.
    """
    if not free.any():
        return rows
    climbs = _Climbs(gradient, rows, free)
    while len(going := np.flatnonzero(climbs.steps < steps)):
        climbs.go_on(going)
    return climbs.rows(np.arange(len(rows)), climbs.place)


class _Climbs:
    """All climbs; a finished one has made infinitely many steps.

    Attributes:
        place: Shape (n, D). Where each is; 0 for coordinates that do not move.
        steps: Shape (n,). How many each has made.
    """

    def __init__(self, gradient: Gradient, rows: Floats, free: Flags) -> None:
        self._gradient = gradient
        self._starts = rows
        self._free = free
        self.place = np.where(free, rows, 0.0)
        self.steps = np.where(free.any(axis=1), 0.0, np.inf)
        n, D = rows.shape
        # What is minimised is the value with its sign turned, about -1 at the start: EI may be
        # 1e-12 all over, and what counts as level is said for values about 1.
        self._unit = np.ones(n)
        value, self._slope = self._asked(np.arange(n), rows)
        self._unit = np.maximum(np.abs(value), 1e-300)
        self._value = value / self._unit
        self._slope /= self._unit[:, None]
        self._bend = np.broadcast_to(np.eye(D), (n, D, D)).copy()
        self._curved = np.zeros(n, dtype=bool)
        self._reach = np.ones(n)
        self._direction = np.zeros((n, D))
        self._turn(np.arange(n))

    def rows(self, which: Integers, place: Floats) -> Floats:
        """Return whole rows of these climbs at places, (k, D): what does not move is as it was."""
        return np.where(self._free[which], place, self._starts[which])

    def go_on(self, going: Integers) -> None:
        """Try the next row of these climbs, (k,), and step there where it is high enough."""
        old = self.place[going]
        step = self._reach[going, None] * self._direction[going]
        tried = np.clip(old + step, 0.0, 1.0)
        moved = tried - old
        value, slope = self._asked(going, self.rows(going, tried))
        promised = (self._slope[going] * moved).sum(axis=1)
        fall = value - self._value[going]
        accepted = fall <= _RISE * np.minimum(promised, 0.0)
        short = ~(np.abs(moved).max(axis=1) > _SHORTEST)
        self._shorten(going[~accepted], promised[~accepted], fall[~accepted])
        self.steps[going[short]] = np.inf
        stepped = going[accepted]
        self._learn(stepped, moved[accepted], slope[accepted] - self._slope[stepped])
        self.place[stepped], self._value[stepped] = tried[accepted], value[accepted]
        self._slope[stepped] = slope[accepted]
        self.steps[stepped] += 1.0
        height = np.maximum(np.maximum(np.abs(value), np.abs(value - fall)), 1.0)[accepted]
        self.steps[stepped[-fall[accepted] <= _STILL * height]] = np.inf
        self._turn(stepped)

    def _asked(self, which: Integers, rows: Floats) -> tuple[Floats, Floats]:
        """Return what is minimised and its slope at rows of these climbs, (k,) and (k, D)."""
        value, slope = self._gradient(rows)
        unit = self._unit[which]
        return -value / unit, np.where(self._free[which], -slope / unit[:, None], 0.0)

    def _shorten(self, which: Integers, promised: Floats, fall: Floats) -> None:
        """Shorten steps, (k,), to the lowest points of parabolas through what is known of them."""
        # A step that is no descent in rounding has a bend of 0.
        bend = 2.0 * (fall - promised)
        lowest = np.divide(-promised, bend, out=np.full(len(bend), 0.1), where=bend > 0.0)
        self._reach[which] *= np.clip(lowest, 0.1, 0.5)

    def _learn(self, which: Integers, moved: Floats, bent: Floats) -> None:
        """Take in how the slope changed along a step (BFGS); both (k, D)."""
        along = (moved * bent).sum(axis=1)
        # EI may grow by 1e200 in a step: a slope whose square is infinite tells nothing of a bend.
        with np.errstate(over="ignore"):
            firm = along > _FIRM * np.linalg.norm(moved, axis=1) * np.linalg.norm(bent, axis=1)
        # Where the slope grows steeper nothing is learnt, and the next step goes further.
        self._reach[which] = np.where(firm, 1.0, 2.0 * self._reach[which])
        which, moved, bent, along = which[firm], moved[firm], bent[firm], along[firm]
        first = ~self._curved[which]
        self._bend[which[first]] *= ((bent**2).sum(axis=1) / along)[first, None, None]
        self._curved[which] = True
        reckoned = (self._bend[which] @ moved[:, :, None])[:, :, 0]
        share = (moved * reckoned).sum(axis=1)
        sound = share > 0.0  # but for rounding it always is
        new = (
            _outer(bent) / along[:, None, None]
            - _outer(reckoned) / np.where(sound, share, 1.0)[:, None, None]
        )
        self._bend[which[sound]] += new[sound]

    def _turn(self, which: Integers) -> None:
        """Choose the next direction of climbs (k,); one whose slope is level has ended."""
        place, slope = self.place[which], self._slope[which]
        pressed = ((place <= 0.0) & (slope > 0.0)) | ((place >= 1.0) & (slope < 0.0))
        freely = np.where(pressed, 0.0, slope)
        self.steps[which[np.abs(freely).max(axis=1) <= _LEVEL]] = np.inf
        direction = self._downhill(which, freely)
        # What the whole step would carry over a bound goes to the bound; the others must not
        # reckon with more of it, or they zigzag.
        end = place + direction
        blocked = ((end < 0.0) & (freely > 0.0)) | ((end > 1.0) & (freely < 0.0))
        direction = np.where(
            blocked,
            np.where(freely > 0.0, 0.0, 1.0) - place,
            self._downhill(which, np.where(blocked, 0.0, freely)),
        )
        furthest = np.abs(direction).max(axis=1)
        far = ~self._curved[which] & (furthest > _FIRST)
        direction[far] *= _FIRST / furthest[far, None]
        self._direction[which] = direction

    def _downhill(self, which: Integers, slope: Floats) -> Floats:
        """Return Newton's step along the coordinates whose slope is not 0, (k, D)."""
        moving = slope != 0.0
        bend = np.where(moving[:, :, None] & moving[:, None, :], self._bend[which], 0.0)
        # What does not move stands alone; the rest is kept from being singular in rounding.
        most = bend.max(axis=(1, 2), keepdims=True)
        bend += np.where(moving[:, None, :], _FIRM * most, 1.0) * np.eye(slope.shape[1])
        step = np.zeros(slope.shape)
        step[moving] = np.linalg.solve(bend, -slope[:, :, None])[moving, 0]
        return step


def _outer(vectors: Floats) -> Floats:
    """Return the outer products with themselves of vectors (k, D), shape (k, D, D)."""
    outer: Floats = vectors[:, :, None] * vectors[:, None, :]
    return outer
