"""Registry of kernels. A new kernel needs one file and one line in this module."""

from studio.surrogates.kernels.base import Kernel
from studio.surrogates.kernels.conditional import (
    ConditionalKernel,
    ConditionalLaplace,
    ConditionalMondrian,
    ConditionalSquaredExponential,
)
from studio.surrogates.kernels.distance import Laplace, Matern, SquaredExponential
from studio.surrogates.kernels.mondrian import MondrianKernel

REGISTRY: tuple[type[Kernel], ...] = (
    ConditionalKernel,
    ConditionalSquaredExponential,
    ConditionalLaplace,
    ConditionalMondrian,
    Matern,
    SquaredExponential,
    Laplace,
    MondrianKernel,
)
"""All kernels, the default first."""
