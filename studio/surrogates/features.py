"""From unit rows with gaps to the complete rows that a surrogate compares."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast, get_args

import numpy as np

from studio.arrays import Floats
from studio.errors import SurrogateError
from studio.space.encoding import Imputation, impute, one_hot, one_hot_columns
from studio.space.space import Space

Encoding = Literal["index", "one-hot"]

Fill = Imputation | Literal["outside"]

ENCODINGS: tuple[Encoding, ...] = get_args(Encoding)
"""How a category is written; help for people is at the options."""

IMPUTATIONS: tuple[Imputation, ...] = get_args(Imputation)
"""What fills inactive coordinates (docs/methods/encoding.md)."""

FILL_OBSERVED = 1
"""Seed of the dense draws of imputation "none": the i-th trial keeps its draw for ever."""

_CONSTANTS: Mapping[Fill, float] = {"middle": 0.5, "outside": -1.0}


@dataclass(frozen=True)
class Features:
    """How unit rows become complete.

    Attributes:
        encoding: A category as its scaled index (the thesis' choice), or one coordinate a category.
        imputation: What fills an inactive coordinate: 0.5 (also in every coordinate of a one-hot
            choice, which is then equally far from all categories), the default, a dense uniform
            draw, or -1 (outside of every range, so that a tree can separate it: SMAC3).
        fill: Seed of those draws: row i of an array is filled the same way in every call.
        alike: Whether all rows are filled with one and the same dense draw. So must queried rows
            be: what is predicted is then a smooth function of the configuration, which can be
            climbed.
    """

    space: Space
    encoding: Encoding
    imputation: Fill
    fill: int
    alike: bool = False

    def complete(self, U: Floats) -> Floats:
        """Return the rows (n, D) as complete rows of features, shape (n, E).

        Raises:
            SurrogateError: If the rows do not have the space's D coordinates.
        """
        dimensions = self.space.dimensions
        if U.ndim != 2 or U.shape[1] != dimensions:
            raise SurrogateError(
                "A surrogate of this space reads rows of {dimensions} coordinates; an array "
                "of shape {shape} was given.",
                dimensions=dimensions,
                shape=U.shape,
            )
        hot = self.encoding == "one-hot"
        constant = _CONSTANTS.get(self.imputation)
        if constant is not None:
            coordinates = one_hot(self.space, U) if hot else U
            return np.where(np.isnan(coordinates), constant, coordinates)
        rule, rng = cast(Imputation, self.imputation), np.random.default_rng(self.fill)
        if rule == "none" and self.alike:
            filled = np.where(np.isnan(U), rng.random(dimensions), U)
        else:
            filled = impute(self.space, U, rule, rng)
        return one_hot(self.space, filled) if hot else filled

    def pull_back(self, gradient: Floats) -> Floats:
        """Return a gradient in the features (…, E) as one in the unit coordinates (…, D).

        A one-hot category does not change with a small step of its unit coordinate: its slope is
        0. (As a scaled index it counts as a number, and has one.)
        """
        if self.encoding == "index":
            return gradient
        columns, category = one_hot_columns(self.space)
        numbers = category < 0
        pulled = np.zeros((*gradient.shape[:-1], self.space.dimensions))
        pulled[..., columns[numbers]] = gradient[..., numbers]
        return pulled
