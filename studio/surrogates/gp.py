"""The Gaussian process surrogate (docs/methods/gaussian-process.md)."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, cast

import numpy as np
from scipy.linalg.blas import dtrmm
from scipy.linalg.lapack import dtrtri

from studio.arrays import Floats, Integers
from studio.parts import EnabledWhen, find_part, option
from studio.phrases import phrase
from studio.space.encoding import Imputation
from studio.space.space import Space
from studio.surrogates.base import (
    Posterior,
    PredictionGradients,
    Surrogate,
    check_observations,
    standardise,
)
from studio.surrogates.chain import make_initial_state, sample_posterior
from studio.surrogates.evidence import (
    LOG_AMPLITUDE,
    LOG_NOISE,
    Block,
    Hyperparameters,
    make_blocks,
    maximise_over_mean,
)
from studio.surrogates.kernels.base import Kernel
from studio.surrogates.kernels.registry import REGISTRY as KERNELS
from studio.surrogates.random_forest import (
    ENCODINGS,
    FILL_OBSERVED,
    IMPUTATIONS,
    Encoding,
    Features,
)

_MIN_VARIANCE = 1e-10
"""Lower bound of a predicted variance as a share of the amplitude, against rounding errors."""


@dataclass(frozen=True)
class HyperparameterSamples:
    """S hyperparameter settings as arrays.

    Attributes:
        mean, amplitude, noise: Shape (S,). m, sigma_a^2, and nu with the nugget.
        length_scales: Shape (S, D).
    """

    mean: Floats
    amplitude: Floats
    noise: Floats
    length_scales: Floats

    @classmethod
    def from_samples(cls, thetas: Sequence[Hyperparameters]) -> "HyperparameterSamples":
        """Stack hyperparameter settings."""
        return cls(
            np.array([theta.mean for theta in thetas]),
            np.array([theta.amplitude for theta in thetas]),
            np.array([theta.observation_noise for theta in thetas]),
            np.exp(np.array([theta.log_length_scales for theta in thetas])),
        )

    def select(self, indices: Integers) -> "HyperparameterSamples":
        """Return the settings at indices, shape (k,), which may repeat."""
        return HyperparameterSamples(
            self.mean[indices],
            self.amplitude[indices],
            self.noise[indices],
            self.length_scales[indices],
        )


@dataclass(frozen=True)
class FittedBlock:
    """A block of observations, factorised under each setting.

    Attributes:
        correlate: Complete rows (q, D) to their correlations with X, shape (S, q, n).
        X: Shape (n, D).
        targets: Shape (S, n). Standardised; rows differ only in fantasies, at their end.
        whitener: Shape (S, n, n). L^-1 of C + (nu / a) I = K / a = L L', with C the correlations, a
            the amplitude and nu the noise: so correlations are never multiplied by a.
        alpha: Shape (S, n). (K / a)^-1 (y - m).
    """

    correlate: Callable[[Floats], Floats]
    X: Floats
    targets: Floats
    whitener: Floats
    alpha: Floats

    @classmethod
    def fit(
        cls, kernel: Kernel, settings: HyperparameterSamples, X: Floats, targets: Floats
    ) -> "FittedBlock":
        """Factorise observations (n, D) with targets (S, n)."""
        size = len(X)
        correlate = kernel.prepare_cross(X, settings.length_scales)
        K = correlate(X)
        K[:, np.arange(size), np.arange(size)] += (settings.noise / settings.amplitude)[:, None]
        whitener = np.asarray(np.linalg.cholesky(K), dtype=np.float64)
        for lower in whitener:
            # The transpose is Fortran-ordered and upper triangular: LAPACK inverts in place.
            dtrtri(lower.T, lower=0, overwrite_c=1)
        residuals = (targets - settings.mean[:, None])[:, :, None]
        alpha = whitener.transpose(0, 2, 1) @ (whitener @ residuals)
        return cls(correlate, X, targets, whitener, alpha[:, :, 0])

    def whiten(self, cross: Floats) -> Floats:
        """Return correlations with X, shape (S, q, n), times the transposed whitener, in place."""
        for white, whitener in zip(cross, self.whitener, strict=True):
            # The transposes are Fortran-ordered; a triangular product skips the zero half.
            dtrmm(1.0, whitener.T, white.T, lower=0, trans_a=1, overwrite_b=1)
        return cross

    def select(self, indices: Integers) -> "FittedBlock":
        """Return the block under the settings at indices, shape (k,)."""
        return FittedBlock(
            partial(_select_correlations, self.correlate, indices),
            self.X,
            self.targets[indices],
            self.whitener[indices],
            self.alpha[indices],
        )


def _select_correlations(
    correlate: Callable[[Floats], Floats], indices: Integers, V: Floats
) -> Floats:
    """Return correlations of V (q, D), shape (k, q, n), under settings at indices (k,)."""
    return correlate(V)[indices]


@dataclass(frozen=True)
class GaussianPosterior(Posterior):
    """A Gaussian process given its observations (thesis eq. 2.6 and 2.7, with the mean m).

    Attributes:
        settings: Hyperparameters of each model, for standardised targets.
        blocks: Kernel group → its observations.
        shift, scale: Targets = shift + scale * standardised targets.
        n_fantasies: Number of draws for pending trials, at least one per model.
    """

    features: Features
    kernel: Kernel
    settings: HyperparameterSamples
    blocks: Mapping[int, FittedBlock]
    shift: float
    scale: float
    n_fantasies: int

    @classmethod
    def fit(
        cls,
        *,
        features: Features,
        kernel: Kernel,
        blocks: Sequence[Block],
        thetas: Sequence[Hyperparameters],
        shift: float,
        scale: float,
        n_fantasies: int,
    ) -> "GaussianPosterior":
        """Factorise every block for every hyperparameter sample."""
        settings = HyperparameterSamples.from_samples(thetas)
        fitted_blocks = {
            block.group: FittedBlock.fit(
                kernel,
                settings,
                block.X,
                np.broadcast_to(block.targets, (len(thetas), len(block.targets))),
            )
            for block in blocks
        }
        return cls(features, kernel, settings, fitted_blocks, shift, scale, n_fantasies)

    @property
    def best(self) -> Floats:
        lowest = [block.targets.min(axis=1) for block in self.blocks.values()]
        standard = np.min(lowest, axis=0) if lowest else self.settings.mean
        best: Floats = self.shift + self.scale * standard
        return best

    def predict(self, V: Floats) -> tuple[Floats, Floats]:
        mean = np.zeros((len(self.settings.mean), len(V)))
        explained_variance = np.zeros_like(mean)
        for block, rows, cross in self._iterate_correlations(V):
            mean[:, rows] = (cross @ block.alpha[:, :, None])[:, :, 0]
            white = block.whiten(cross)
            explained_variance[:, rows] = np.einsum("sqn,sqn->sq", white, white)
        return self._to_units(mean, explained_variance)

    def predict_means(self, V: Floats) -> Floats:
        mean = np.zeros((len(self.settings.mean), len(V)))
        for block, rows, cross in self._iterate_correlations(V):
            mean[:, rows] = (cross @ block.alpha[:, :, None])[:, :, 0]
        return self._to_units(mean, np.zeros_like(mean))[0]

    def predict_with_gradients(self, V: Floats) -> PredictionGradients:
        """Return means and variances, (S, q), and their gradients with respect to V, (S, q, D)."""
        settings = self.settings
        dense = self.features.complete(V)
        mean = np.zeros((len(settings.mean), len(V)))
        explained_variance = np.zeros_like(mean)
        d_mean = np.zeros((*mean.shape, dense.shape[1]))
        d_variance = np.zeros_like(d_mean)
        for block, rows in self._group_rows_by_block(V):
            cross = block.correlate(dense[rows])
            white = cross @ block.whitener.transpose(0, 2, 1)
            solved = white @ block.whitener
            alpha = np.broadcast_to(block.alpha[:, None, :], cross.shape)
            mean[:, rows] = np.einsum("sqn,sqn->sq", cross, alpha)
            explained_variance[:, rows] = np.einsum("sqn,sqn->sq", white, white)
            weights = np.stack([alpha, -2.0 * settings.amplitude[:, None, None] * solved])
            pulled = self.kernel.compute_vjp(dense[rows], block.X, settings.length_scales, weights)
            d_mean[:, rows], d_variance[:, rows] = pulled
        mean, variance = self._to_units(mean, explained_variance)
        by_mean, by_variance = (self.features.compute_vjp(d) for d in (d_mean, d_variance))
        return PredictionGradients(
            mean, variance, self.scale * by_mean, self.scale**2 * by_variance
        )

    def condition_on(self, V: Floats, rng: np.random.Generator) -> "GaussianPosterior":
        """Return the posterior with fantasies of the outcomes at V, shape (p, D) (Snoek 2012, 3.3).

        Outcomes are drawn jointly from each model's prediction for *observations*; only the blocks
        that contain V are refactorised.
        """
        if not len(V):
            return self
        models = len(self.settings.mean)
        setting_indices = np.repeat(np.arange(models), -(-self.n_fantasies // models))
        settings = self.settings.select(setting_indices)
        blocks = {group: block.select(setting_indices) for group, block in self.blocks.items()}
        dense = self.features.complete(V)
        groups = self.kernel.find_groups(self.features.space, V)
        for group in np.unique(groups).tolist():
            X = dense[groups == group]
            fantasies = self._draw_observations(settings, blocks.get(group), X, rng)
            targets = fantasies
            if group in blocks:
                X = np.concatenate([blocks[group].X, X])
                targets = np.concatenate([blocks[group].targets, fantasies], axis=1)
            blocks[group] = FittedBlock.fit(self.kernel, settings, X, targets)
        return replace(self, settings=settings, blocks=blocks)

    def _draw_observations(
        self,
        settings: HyperparameterSamples,
        block: FittedBlock | None,
        X: Floats,
        rng: np.random.Generator,
    ) -> Floats:
        """Draw observations at X (p, D) jointly under every setting, shape (S, p)."""
        mean = np.repeat(settings.mean[:, None], len(X), axis=1)
        covariance = self.kernel.compute_cross_correlations(X, X, settings.length_scales)
        if block is not None:
            cross = block.correlate(X)
            mean += (cross @ block.alpha[:, :, None])[:, :, 0]
            white = block.whiten(cross)
            covariance -= white @ white.transpose(0, 2, 1)
        covariance *= settings.amplitude[:, None, None]
        covariance += settings.noise[:, None, None] * np.eye(len(X))
        normal = rng.standard_normal((len(settings.mean), len(X), 1))
        draws: Floats = mean + (np.linalg.cholesky(covariance) @ normal)[:, :, 0]
        return draws

    def _iterate_correlations(self, V: Floats) -> Iterator[tuple[FittedBlock, Integers, Floats]]:
        """Yield each block with some of the rows of V in it and their correlations, (S, q, n)."""
        dense = self.features.complete(V)
        for block, rows in self._group_rows_by_block(V):
            step = max(1, self.kernel.chunk // (len(self.settings.mean) * len(block.X)))
            for first in range(0, len(rows), step):
                chunk = rows[first : first + step]
                yield block, chunk, block.correlate(dense[chunk])

    def _group_rows_by_block(self, V: Floats) -> list[tuple[FittedBlock, Integers]]:
        """Return each block with the indices, (k,), of the rows of V, (q, D), that belong to it."""
        groups = self.kernel.find_groups(self.features.space, V)
        return [
            (self.blocks[group], np.flatnonzero(groups == group))
            for group in np.unique(groups).tolist()
            if group in self.blocks
        ]

    def _to_units(self, mean: Floats, explained_variance: Floats) -> tuple[Floats, Floats]:
        """Return means and variances of the objective, shape (S, q) each.

        Args:
            mean: Shape (S, q). The observations' contribution, added to the constant mean, for
                standardised targets.
            explained_variance: Shape (S, q). The share of the prior variance explained by the
                observations.
        """
        variance = self.settings.amplitude[:, None] * np.maximum(
            1.0 - explained_variance, _MIN_VARIANCE
        )
        return (
            self.shift + self.scale * (self.settings.mean[:, None] + mean),
            self.scale**2 * variance,
        )


@dataclass(frozen=True)
class GaussianProcess(Surrogate):
    """A Gaussian process with constant mean, amplitude, ARD length scales and noise.

    Targets are standardised to mean 0 and variance 1 first. Inactive coordinates are imputed here;
    callers pass NaN. Hyperparameters are sampled by a chain that restarts at every fit (in EO, a
    changed ensemble is a different objective), or set by maximum likelihood.

    The cost of a group of n comparable trials is cubic in n: about a thousand factorisations to
    learn the hyperparameters, and one per sample to predict. Each of these is bounded by an option:
    beyond it, a group is represented by its best trials and a diverse subset of the others
    (:func:`studio.surrogates.evidence.select_representatives`).
    """

    key: ClassVar[str] = "gp"
    title: ClassVar[str] = "Gaussian process"
    summary: ClassVar[str] = (
        "Predicts the loss of untried configurations and its uncertainty. Learns most from few "
        "trials; of many hundreds it uses a selection."
    )
    reference: ClassVar[str] = "thesis 2.1-2.4 and 5.4; Snoek et al. 2012; SMBEO 2"

    kernel: str = option(
        "conditional",
        choices=[kernel.key for kernel in KERNELS],
        words=[kernel.title for kernel in KERNELS],
        help=(
            "Similarity of two configurations; conditional compares only within a branch of the "
            "space."
        ),
    )
    trees: int = option(
        30,
        low=1,
        high=1000,
        help="Number of random partitions to average (Mondrian kernels).",
        only=EnabledWhen("kernel", ("conditional-mondrian", "mondrian")),
    )
    inference: str = option(
        "slice",
        choices=["slice", "ml"],
        help=(
            "Average over likely length scales (slice sampling), or use the maximum-likelihood "
            "ones (ml)."
        ),
    )
    samples: int = option(
        10,
        low=1,
        high=1000,
        help="Hyperparameter samples kept from the slice sampler's chain.",
        only=EnabledWhen("inference", ("slice",)),
    )
    burn_in: int = option(
        20,
        low=0,
        high=10_000,
        unit="sweeps",
        help=(
            "Burn-in sweeps of the chain; fewer where a branch has 60 trials or more, and most of "
            "them then use a subset of the trials."
        ),
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
        help="The value of inactive hyperparameters, those of other branches.",
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
        10,
        low=1,
        high=1000,
        help="Number of simulated outcomes (fantasies) of trials still running.",
    )
    most_learnt: int = option(
        300,
        low=10,
        high=100_000,
        unit="trials",
        help="Maximum number of trials of a branch used to learn length scales and noise.",
    )
    most_predicted: int = option(
        1000,
        low=10,
        high=100_000,
        unit="trials",
        help="Maximum number of trials of a branch used for predictions.",
    )

    def fit(
        self, space: Space, U: Floats, targets: Floats, rng: np.random.Generator
    ) -> GaussianPosterior:
        check_observations(space, U, targets)
        shift, scale, standard = standardise(targets)
        kernel_class = find_part(KERNELS, self.kernel, phrase("kernel"))
        # They share options (trees).
        options = {each.name: getattr(self, each.name) for each in kernel_class.list_options()}
        kernel = kernel_class.with_options(options)
        encoding, imputation = cast(Encoding, self.encoding), cast(Imputation, self.imputation)
        features = Features(space, encoding, imputation, FILL_OBSERVED)
        X = features.complete(U)
        blocks = make_blocks(kernel, X, kernel.find_groups(space, U), standard)
        learned_blocks = [block.select_representatives(self.most_learnt) for block in blocks]
        start = make_initial_state(X.shape[1])
        if self.inference == "ml":
            thetas = [maximise_evidence(learned_blocks, start, self.starts, rng)]
        else:
            thetas = sample_posterior(learned_blocks, start, self.burn_in, self.samples, rng)
        if imputation == "none":  # queried rows are completed by one dense draw per fit
            features = replace(features, fill=int(rng.integers(2**32)), has_common_fill=True)
        return GaussianPosterior.fit(
            features=features,
            kernel=kernel,
            blocks=[block.select_representatives(self.most_predicted) for block in blocks],
            thetas=thetas,
            shift=shift,
            scale=scale,
            n_fantasies=self.fantasies,
        )


_LOG_LENGTH_SCALE_BOUNDS = (-6.0, 5.0)
"""Bounds of log l_d: beyond, a coordinate of the unit cube is pure noise, or has no effect."""

_MAX_ITERATIONS = 100


def maximise_evidence(
    blocks: Sequence[Block], start: Hyperparameters, n_starts: int, rng: np.random.Generator
) -> Hyperparameters:
    """Maximise the log marginal likelihood by L-BFGS with gradients from several starts.

    The mean is optimal for every setting of the other hyperparameters. Length scales without
    influence stay unchanged, as do all hyperparameters if all targets are equal (the likelihood
    then has no maximum).

    Args:
        n_starts: Number of starts; those after ``start`` are drawn from the priors (noise: that of
            ``start`` times log-normal(0, 1)).
    """
    # scipy.optimize is slow to import, and slice sampling does not need it.
    from scipy.optimize import minimize

    targets = np.concatenate([block.targets for block in blocks]) if blocks else np.zeros(0)
    if len(np.unique(targets)) < 2:
        return start
    dims = sorted({dim for block in blocks for dim in block.gram.dims})
    block_list = list(blocks)
    fixed = start.log_length_scales

    def expand_lengths(x: Floats) -> Floats:
        log_length_scales = fixed.copy()
        log_length_scales[dims] = x[2:]
        return log_length_scales

    def compute_loss(x: Floats) -> tuple[float, Floats]:
        value, _, gradient = maximise_over_mean(block_list, x[0], x[1], expand_lengths(x))
        if not math.isfinite(value):
            return math.inf, np.zeros(len(x))
        return -value, -np.concatenate([gradient[:2], gradient[2:][dims]])

    bounds = [LOG_AMPLITUDE, LOG_NOISE] + [_LOG_LENGTH_SCALE_BOUNDS] * len(dims)
    first = np.array([start.log_amplitude, start.log_noise, *fixed[dims]])
    best, lowest = first, math.inf
    for number in range(n_starts):
        initial = rng.standard_normal(len(first)) + np.array(
            [0.0, start.log_noise, *(0 * fixed[dims])]
        )
        optimum = minimize(
            compute_loss,
            initial if number else first,
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
            options={"maxiter": _MAX_ITERATIONS},
        )
        if optimum.fun < lowest:
            best, lowest = optimum.x, float(optimum.fun)
    _, mean, _ = maximise_over_mean(block_list, best[0], best[1], expand_lengths(best))
    return Hyperparameters(mean, float(best[0]), float(best[1]), expand_lengths(best))
