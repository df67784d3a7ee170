"""The covariance matrix of a run's trials, sorted by condition (thesis figures 5.2, 5.3, 5.5)."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from studio.analysis.surrogate.moment import moment, sentence, view_of
from studio.analysis.surrogate.scope import scope_of
from studio.arrays import Floats, Integers
from studio.phrases import phrase
from studio.proposers.bayesian import ModelBased
from studio.surrogates.covariance import by_condition

MOST = 400
"""Trials compared at most, the newest: a screen cannot show more."""


@dataclass(frozen=True)
class Covariance:
    """What the kernel of a run's surrogate holds of its trials.

    Attributes
    ----------
    matrix : array, shape (n, n)
        Correlations k(γ, γ') in [0, 1], averaged over the surrogate's hyperparameter samples.
    numbers : array of int, shape (n,)
        The trials, sorted by condition.
    branches : tuple of str, length n
    conditions : array of int, shape (n,)
        One number a condition group, 0, 1, … from the first.
    kernel : str
        Its title.
    amplitude, noise : float
        Standard deviations of the objective before any trial, and of an observation about it: in
        the objective's unit, averaged over the samples.
    objective : str
    in_metric : bool
    explanation, reason : str
    """

    matrix: Floats
    numbers: Integers
    branches: tuple[str, ...]
    conditions: Integers
    kernel: str
    amplitude: float
    noise: float
    objective: str
    in_metric: bool
    explanation: str
    reason: str


def trial_covariance(path: Path, run_id: int, iteration: int | None) -> Covariance:
    """Return K of the trials as the suggestion after an iteration saw them.

    Parameters
    ----------
    path, run_id, iteration
        As for :func:`studio.analysis.surrogate.slices.surrogate_slice`.
    """
    at = moment(path, run_id, iteration)
    proposer = at.prepared.method.proposer
    if isinstance(proposer, ModelBased) and not proposer.surrogate.has_kernel:
        return _nothing(
            phrase(
                "{surrogate}: this run's surrogate has no kernel, so there is no covariance "
                "to show. Methods with a Gaussian process have one.",
                surrogate=phrase(proposer.surrogate.title),
            )
        )
    view = view_of(at)
    if isinstance(view, str):
        return _nothing(view)
    observed = scope_of(at, view).observed
    newest = np.sort(np.argsort(observed.numbers)[-MOST:])
    sorting = by_condition(at.prepared.space, observed.U[newest])
    rows = newest[sorting.order]
    kernel = view.posterior.kernel_view(view.observations.U[rows])
    assert kernel is not None, "the surrogate has one"
    left_out = len(observed.numbers) - len(newest)
    older = phrase("Only the newest {most} trials are shown.", most=MOST) if left_out else ""
    return Covariance(
        matrix=kernel.matrix,
        numbers=observed.numbers[rows],
        branches=sorting.branches,
        conditions=sorting.conditions,
        kernel=kernel.title,
        amplitude=kernel.amplitude,
        noise=kernel.noise,
        objective=observed.label,
        in_metric=at.in_metric,
        explanation=sentence(kernel.summary, older, at.note),
        reason="",
    )


def _nothing(reason: str) -> Covariance:
    nobody = np.empty(0, dtype=np.int64)
    return Covariance(
        matrix=np.empty((0, 0)),
        numbers=nobody,
        branches=(),
        conditions=nobody,
        kernel="",
        amplitude=0.0,
        noise=0.0,
        objective="",
        in_metric=True,
        explanation="",
        reason=reason,
    )
