"""Categories in the order of what was seen of them, for trees that cut one axis in two."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from studio.arrays import Floats
from studio.space.encoding import one_hot, one_hot_columns
from studio.space.space import Space


@dataclass(frozen=True)
class TargetOrder:
    """Every unordered choice with its categories in the order of their mean target.

    Among all ways to part the categories in two, the one that leaves the least squared error is a
    cut of this order (Fisher 1958; Breiman et al. 1984, section 9.4). So a cut of one coordinate
    does what the categorical splits of SMAC's forest do; here the order is that of all
    observations, there of those in the node.

    Attributes
    ----------
    places : dict
        Column → the unit coordinate that each category, by its index, moves to, shape (k,).
    """

    places: dict[int, Floats]

    @classmethod
    def learnt(cls, space: Space, U: Floats, targets: Floats) -> Self:
        """Order the categories by the observations U (n, D) and targets (n,).

        A category that was never seen counts as an average one.
        """
        columns, category = one_hot_columns(space)
        chosen = one_hot(space, U) == 1.0
        places = {}
        for column in np.unique(columns[category >= 0]).tolist():
            seen = chosen[:, columns == column]
            counts = seen.sum(axis=0)
            residuals = targets - targets.mean() if len(targets) else targets
            means = np.where(counts > 0, residuals @ seen / np.maximum(counts, 1), 0.0)
            order = np.argsort(means, kind="stable")
            place = np.empty(len(order))
            place[order] = (np.arange(len(order)) + 0.5) / len(order)
            places[column] = place
        return cls(places)

    def moved(self, U: Floats) -> Floats:
        """Return unit rows (n, D) with the categories in their order; NaN stays NaN."""
        moved = U.copy()
        for column, place in self.places.items():
            known = ~np.isnan(U[:, column])
            index = np.floor(U[known, column] * len(place)).astype(np.int64)
            moved[known, column] = place[np.clip(index, 0, len(place) - 1)]
        return moved
