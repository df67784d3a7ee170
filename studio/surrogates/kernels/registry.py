"""Registry of kernels. A new one is one file and one line in this module."""

from studio.surrogates.kernels.base import Kernel
from studio.surrogates.kernels.conditional import (
    Conditional,
    ConditionalLaplace,
    ConditionalMondrian,
    ConditionalSquaredExponential,
)
from studio.surrogates.kernels.distance import Laplace, Matern, SquaredExponential
from studio.surrogates.kernels.mondrian import Mondrian

REGISTRY: tuple[type[Kernel], ...] = (
    Conditional,
    ConditionalSquaredExponential,
    ConditionalLaplace,
    ConditionalMondrian,
    Matern,
    SquaredExponential,
    Laplace,
    Mondrian,
)
"""All kernels, the default first."""
