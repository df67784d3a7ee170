"""The prior covariance of a space as a picture: a matrix, its branches, what to say of a pair."""

from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from studio.arrays import Floats
from studio.figures.figure import Axis, Figure, Panel
from studio.figures.ink import MUTED
from studio.figures.marks import Brackets, Group, Heat
from studio.gui.base.language import mark, ntr, number, said, tr
from studio.gui.pages.space.meaning import headline
from studio.helper.prior_covariance import Prior
from studio.space.space import Space

if TYPE_CHECKING:
    from studio.surrogates.kernels.base import Kernel

DRAWS = 100
"""Configurations that are compared, as in thesis figures 5.2, 5.3 and 5.5."""

FILLINGS = {
    "middle": mark("with the middle of the range"),
    "default": mark("with the default"),
    "none": mark("with values drawn at random"),
}
"""What fills inactive coordinates, where the kernel needs a value for them (thesis 5.3.1)."""

EXPLANATION = mark(
    "A hundred configurations are drawn at random from the space, and sorted by branch; the "
    "colour of a cell says how much the surrogate infers from one configuration's error about "
    "the other's: 1 is everything, 0 is nothing. A kernel that knows the tree shows squares "
    "along the diagonal, one for each branch, and nothing elsewhere: what was learnt about one "
    "branch does not affect the others. A kernel that does not know it compares configurations "
    "that have no setting in common."
)
SOURCE = mark("Lévesque's thesis, figures 5.2, 5.3 and 5.5")


def kernels() -> "tuple[type[Kernel], ...]":
    """Return all kernels, the default first; they are loaded when somebody asks."""
    from studio.surrogates.kernels.registry import REGISTRY

    return REGISTRY


@dataclass(frozen=True)
class PriorPicture:
    """What is drawn.

    Attributes
    ----------
    values : array, shape (n, n)
        Correlations in [0, 1], sorted by branch.
    brackets : tuple of (str, int, int)
        Each branch with its first row and the row after its last; "" where there are none.
    titles, settings : tuple of str, length n
        Each configuration in words.
    reason : str
        Why there is no picture; empty if there is.
    """

    values: Floats
    brackets: tuple[tuple[str, int, int], ...]
    titles: tuple[str, ...]
    settings: tuple[str, ...]
    reason: str = ""

    @property
    def size(self) -> int:
        """The number n of configurations."""
        return len(self.values)

    def words_at(self, row: int, column: int) -> tuple[str, ...]:
        """Say how alike a cell's pair is held, then which two configurations they are."""
        if not (0 <= row < self.size and 0 <= column < self.size):
            return ()
        first, second = (_name(self.titles[n], self.settings[n]) for n in (row, column))
        correlation = number(float(self.values[row, column]), ".2f")
        if row == column:
            return tr("correlation {value}: the same configuration", value=correlation), first
        return tr("correlation {value}", value=correlation), first, second

    def summary(self) -> tuple[str, ...]:
        """Say how much is held comparable, on average."""
        if not self.size:
            return ()
        apart = ~np.eye(self.size, dtype=bool)
        mean = float(self.values[apart].mean()) if self.size > 1 else 1.0
        named = [branch for branch, _, _ in self.brackets if branch]
        words = ntr("{count} configuration", "{count} configurations", self.size)
        if named:
            words += "  ·  " + ntr("{count} branch", "{count} branches", len(named))
        tail = tr("mean correlation of a pair {value}", value=number(mean, ".2f"))
        return words, tail


def prior_picture(prior: Prior, space: Space) -> PriorPicture:
    """Make the picture of what the helper has compared: a matrix of shape (n, n)."""
    brackets = []
    start = 0
    for branch, group in groupby(prior.branches):
        end = start + len(list(group))
        brackets.append((str(branch), start, end))
        start = end
    lines = [headline(space, each) for each in prior.configurations]
    return PriorPicture(
        values=prior.matrix,
        brackets=tuple(brackets),
        titles=tuple(title for title, _ in lines),
        settings=tuple(rest for _, rest in lines),
        reason=said(prior.reason),
    )


def prior_figure(picture: PriorPicture) -> Figure:
    """Return the matrix, with the branches' names and brackets beside it."""
    size = picture.size
    named = [each for each in picture.brackets if each[0]]
    room = 0.05 * size if named else 0.0
    ticks = [((first + end) / 2, branch) for branch, first, end in named]
    bare = Axis(ticks=(), grid=False, shown=False)
    panel = Panel(
        x=replace(bare, low=-room, high=size),
        y=Axis("", 0.0, size + room, ticks, "thin", grid=False, flipped=True, fitted=True),
    )
    groups = [Group("", first, end, MUTED) for _, first, end in named]
    marks = [
        Heat(shares=picture.values, width=size, height=size),
        Brackets(groups=groups, size=size),
    ]
    return Figure([panel], marks, rest="\n".join(picture.summary()))


def _name(title: str, settings: str) -> str:
    return f"{title}:  {settings}" if title and settings else title or settings
