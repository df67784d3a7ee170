"""The Gaussian process surrogate (METHODS 2, thesis 2.1-2.4 and 5.2-5.4; SMBEO 2)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from studio.arrays import Floats
from studio.errors import SurrogateError
from studio.parts import find, option
from studio.space.encoding import Imputation, impute
from studio.space.space import Space
from studio.surrogates.base import Surrogate
from studio.surrogates.chain import fresh_start, sample_posterior
from studio.surrogates.evidence import Block, Hyperparameters, make_blocks
from studio.surrogates.gp_posterior import GaussianPosterior
from studio.surrogates.kernels.registry import REGISTRY as KERNELS
from studio.surrogates.maximum import maximise_evidence

_FILL_OBSERVED, _FILL_QUERIED = 1, 2
"""Seeds of the dense draws of imputation "none": the i-th trial keeps its draw for ever."""


@dataclass(frozen=True)
class GaussianProcess(Surrogate):
    """A Gaussian process with constant mean, amplitude, ARD length scales and noise.

    Targets are standardised to mean 0 and variance 1 first. Inactive coordinates are imputed
    here; whoever asks passes NaN. Hyperparameters are sampled by a chain that starts afresh at
    every fit (for EO another ensemble is another function), or set to maximum likelihood.
    """

    key: ClassVar[str] = "gp"
    title: ClassVar[str] = "Gaussian process"
    summary: ClassVar[str] = (
        "Predicts how good an untried setting would be, and how sure that is. "
        "Learns most from few trials; grows slow beyond a thousand."
    )
    reference: ClassVar[str] = "thesis 2.1-2.4 and 5.4; Snoek et al. 2012; SMBEO 2"

    kernel: str = option(
        "conditional",
        choices=[kernel.key for kernel in KERNELS],
        help="How alike two settings are; conditional compares within a branch of the space only.",
    )
    inference: str = option(
        "slice",
        choices=["slice", "ml"],
        help="Average over likely length scales (slice sampling), or take the likeliest (ml).",
    )
    samples: int = option(
        10, low=1, high=1000, help="Hyperparameter samples kept of the slice sampler's chain."
    )
    burn_in: int = option(
        20, low=0, high=10_000, unit="sweeps", help="Sweeps of the chain before the first is kept."
    )
    starts: int = option(
        3, low=1, high=100, help="Starts of the maximum likelihood search (inference ml only)."
    )
    imputation: str = option(
        "middle",
        choices=["middle", "default", "none"],
        help="What fills in for settings that another branch does not have.",
    )
    fantasies: int = option(
        10, low=1, high=1000, help="Imagined outcomes of trials that are still running."
    )

    def fit(
        self, space: Space, U: Floats, targets: Floats, rng: np.random.Generator
    ) -> GaussianPosterior:
        """Fit to observed configurations: U (n, D) with NaN where inactive, targets (n,)."""
        _check(space, U, targets)
        kernel = find(KERNELS, self.kernel, "kernel")()
        rule = _imputation(self.imputation)
        shift = float(targets.mean()) if len(targets) else 0.0
        spread = float(targets.std()) if len(targets) else 0.0
        # Equal targets differ by rounding at most; dividing by that would make noise of it.
        scale = spread if spread > 1e-12 * max(1.0, abs(shift)) else 1.0
        standard = (targets - shift) / scale if scale == spread else np.zeros(len(targets))
        X = _fill(rule, _FILL_OBSERVED, space, U)
        blocks = make_blocks(kernel, X, kernel.groups(space, U), standard)
        thetas = _INFERENCES[self.inference](self, blocks, fresh_start(U.shape[1]), rng)
        return GaussianPosterior.fitted(
            space=space,
            kernel=kernel,
            impute=partial(_fill, rule, _FILL_QUERIED),
            blocks=blocks,
            thetas=thetas,
            shift=shift,
            scale=scale,
            fantasies=self.fantasies,
        )


def _check(space: Space, U: Floats, targets: Floats) -> None:
    if U.shape != (len(targets), space.dimensions):
        raise SurrogateError(
            f"A surrogate needs one row of {space.dimensions} coordinates for each of the "
            f"{len(targets)} targets; an array of shape {U.shape} was given."
        )
    if not np.isfinite(targets).all():
        raise SurrogateError(
            "A surrogate needs finite targets; give failed trials the worst finite loss."
        )


def _imputation(name: str) -> Imputation:
    rules: Mapping[str, Imputation] = {"middle": "middle", "default": "default", "none": "none"}
    return rules[name]


def _fill(rule: Imputation, seed: int, space: Space, U: Floats) -> Floats:
    """Fill inactive coordinates; row i of an array is filled the same way in every call."""
    return impute(space, U, rule, np.random.default_rng(seed))


def _by_slice_sampling(
    process: GaussianProcess,
    blocks: Sequence[Block],
    start: Hyperparameters,
    rng: np.random.Generator,
) -> list[Hyperparameters]:
    return sample_posterior(blocks, start, process.burn_in, process.samples, rng)


def _by_maximum_likelihood(
    process: GaussianProcess,
    blocks: Sequence[Block],
    start: Hyperparameters,
    rng: np.random.Generator,
) -> list[Hyperparameters]:
    return [maximise_evidence(blocks, start, process.starts, rng)]


_INFERENCES: Mapping[
    str,
    Callable[
        [GaussianProcess, Sequence[Block], Hyperparameters, np.random.Generator],
        list[Hyperparameters],
    ],
] = {"slice": _by_slice_sampling, "ml": _by_maximum_likelihood}
