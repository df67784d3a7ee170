"""The Gaussian process surrogate (docs/methods/gaussian-process.md)."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, cast

import numpy as np

from studio.arrays import Floats
from studio.parts import EnabledWhen, find, option
from studio.space.encoding import Imputation
from studio.space.space import Space
from studio.surrogates.base import Surrogate, check_observations, standardised
from studio.surrogates.chain import fresh_start, sample_posterior
from studio.surrogates.evidence import (
    LOG_AMPLITUDE,
    LOG_NOISE,
    Block,
    Hyperparameters,
    best_mean_evidence,
    make_blocks,
)
from studio.surrogates.features import ENCODINGS, FILL_OBSERVED, IMPUTATIONS, Encoding, Features
from studio.surrogates.gp_posterior import GaussianPosterior
from studio.surrogates.kernels.base import Kernel
from studio.surrogates.kernels.registry import REGISTRY as KERNELS


@dataclass(frozen=True)
class GaussianProcess(Surrogate):
    """A Gaussian process with constant mean, amplitude, ARD length scales and noise.

    Targets are standardised to mean 0 and variance 1 first. Inactive coordinates are imputed
    here; whoever asks passes NaN. Hyperparameters are sampled by a chain that starts afresh at
    every fit (for EO another ensemble is another function), or set to maximum likelihood.

    The cost of a group of n comparable trials is cubic in n: some thousand factorisations to learn
    the hyperparameters, and one a sample to predict. Both are bounded, each by an option: beyond
    it a group is represented by its best trials and a spread of the others
    (:func:`studio.surrogates.evidence.representatives`). Up to there nothing is left out.
    """

    key: ClassVar[str] = "gp"
    title: ClassVar[str] = "Gaussian process"
    summary: ClassVar[str] = (
        "Predicts how good an untried setting would be, and how sure that is. "
        "Learns most from few trials; with many hundreds it looks at a selection of them."
    )
    reference: ClassVar[str] = "thesis 2.1-2.4 and 5.4; Snoek et al. 2012; SMBEO 2"

    kernel: str = option(
        "conditional",
        choices=[kernel.key for kernel in KERNELS],
        words=[kernel.title for kernel in KERNELS],
        help="How alike two settings are; conditional compares within a branch of the space only.",
    )
    trees: int = option(
        30,
        low=1,
        high=1000,
        help="Random partitions that are averaged (Mondrian kernels).",
        only=EnabledWhen("kernel", ("conditional-mondrian", "mondrian")),
    )
    inference: str = option(
        "slice",
        choices=["slice", "ml"],
        help="Average over likely length scales (slice sampling), or take the likeliest (ml).",
    )
    samples: int = option(
        10,
        low=1,
        high=1000,
        help="Hyperparameter samples kept of the slice sampler's chain.",
        only=EnabledWhen("inference", ("slice",)),
    )
    burn_in: int = option(
        20,
        low=0,
        high=10_000,
        unit="sweeps",
        help="Sweeps of the chain before the first is kept; fewer of them where a branch has 60 "
        "trials or more, most of which then look at few of these.",
        only=EnabledWhen("inference", ("slice",)),
    )
    starts: int = option(
        3,
        low=1,
        high=100,
        help="Starts of the maximum likelihood search.",
        only=EnabledWhen("inference", ("ml",)),
    )
    imputation: str = option(
        "middle",
        choices=IMPUTATIONS,
        help="The value used for settings that another branch does not have.",
    )
    encoding: str = option(
        "index",
        choices=ENCODINGS,
        help=(
            "A category as a number on one axis (index, as in the thesis), or one axis per "
            "category."
        ),
    )
    fantasies: int = option(
        10, low=1, high=1000, help="Number of imagined outcomes of trials that are still running."
    )
    most_learnt: int = option(
        300,
        low=10,
        high=100_000,
        unit="trials",
        help="Trials of a branch, at most, from which length scales and noise are learnt.",
    )
    most_predicted: int = option(
        1000,
        low=10,
        high=100_000,
        unit="trials",
        help="Trials of a branch, at most, from which predictions are made.",
    )

    def fit(
        self, space: Space, U: Floats, targets: Floats, rng: np.random.Generator
    ) -> GaussianPosterior:
        """Fit to observed configurations: U (n, D) with NaN where inactive, targets (n,)."""
        check_observations(space, U, targets)
        shift, scale, standard = standardised(targets)
        kernel = self.comparing()
        features = self.completing(space)
        X = features.complete(U)
        blocks = make_blocks(kernel, X, kernel.groups(space, U), standard)
        thetas = _INFERENCES[self.inference](
            self,
            [block.thinned(self.most_learnt) for block in blocks],
            fresh_start(X.shape[1]),
            rng,
        )
        return GaussianPosterior.fitted(
            features=self._asked(features, rng),
            kernel=kernel,
            blocks=[block.thinned(self.most_predicted) for block in blocks],
            thetas=thetas,
            shift=shift,
            scale=scale,
            fantasies=self.fantasies,
        )

    def completing(self, space: Space) -> Features:
        """Return what makes complete rows of the observed configurations of a space."""
        return Features(
            space,
            cast(Encoding, self.encoding),
            cast(Imputation, self.imputation),
            FILL_OBSERVED,
        )

    def comparing(self) -> Kernel:
        """Return the kernel, which takes those of our options that it declares (trees)."""
        kernel = find(KERNELS, self.kernel, "kernel")
        return kernel.with_options({o.name: getattr(self, o.name) for o in kernel.options()})

    def _asked(self, features: Features, rng: np.random.Generator) -> Features:
        """Return what completes queried rows: with "none" one dense draw, redrawn at every fit."""
        if self.imputation != "none":
            return features
        return replace(features, fill=int(rng.integers(2**32)), alike=True)


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


_LOG_LENGTH = (-6.0, 5.0)
"""Bounds of log l_d: outside, a coordinate of the unit cube is pure noise, or has no effect."""

_MAX_ITERATIONS = 100


def maximise_evidence(
    blocks: Sequence[Block], start: Hyperparameters, starts: int, rng: np.random.Generator
) -> Hyperparameters:
    """Maximise the log marginal likelihood by L-BFGS with gradients from several starts.

    The mean is at its maximum for every setting of the others. Length scales on which no
    observation depends stay where they are, and so does everything when all targets are equal
    (the likelihood then has no maximum).

    Args:
        blocks: The observations.
        start: The first start.
        starts: How many in all; the others are drawn from the priors (noise: log-normal(0, 1) /
            1000).
    """
    # scipy.optimize takes a while to import, and slice sampling does without it.
    from scipy.optimize import minimize

    targets = np.concatenate([block.targets for block in blocks]) if blocks else np.zeros(0)
    if len(np.unique(targets)) < 2:
        return start
    dims = sorted({dim for block in blocks for dim in block.gram.dims})
    own = list(blocks)
    fixed = start.log_lengths

    def lengths(x: Floats) -> Floats:
        log_lengths = fixed.copy()
        log_lengths[dims] = x[2:]
        return log_lengths

    def loss(x: Floats) -> tuple[float, Floats]:
        value, _, gradient = best_mean_evidence(own, x[0], x[1], lengths(x))
        if not math.isfinite(value):
            return math.inf, np.zeros(len(x))
        return -value, -np.concatenate([gradient[:2], gradient[2:][dims]])

    bounds = [LOG_AMPLITUDE, LOG_NOISE] + [_LOG_LENGTH] * len(dims)
    first = np.array([start.log_amplitude, start.log_noise, *fixed[dims]])
    best, lowest = first, math.inf
    for number in range(starts):
        drawn = rng.standard_normal(len(first)) + np.array(
            [0.0, start.log_noise, *(0 * fixed[dims])]
        )
        found = minimize(
            loss,
            drawn if number else first,
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
            options={"maxiter": _MAX_ITERATIONS},
        )
        if found.fun < lowest:
            best, lowest = found.x, float(found.fun)
    _, mean, _ = best_mean_evidence(own, best[0], best[1], lengths(best))
    return Hyperparameters(mean, float(best[0]), float(best[1]), lengths(best))
