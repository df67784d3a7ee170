"""The covariance matrix of a run's trials, sorted by condition (thesis figures 5.2, 5.3, 5.5)."""

from pathlib import Path

import numpy as np

from studio.analysis.answers.covariances import Covariance
from studio.analysis.surrogate.moment import moment, view_of
from studio.analysis.surrogate.scope import scope_of
from studio.phrases import joined, phrase
from studio.proposers.bayesian import ModelBased
from studio.surrogates.covariance import by_condition

MOST = 400
"""Trials compared at most, the newest: a screen cannot show more."""


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
        return Covariance(
            reason=phrase(
                "{surrogate}: this run's surrogate has no kernel, so there is no covariance "
                "to show. Methods with a Gaussian process have one.",
                surrogate=phrase(proposer.surrogate.title),
            )
        )
    view = view_of(at)
    if isinstance(view, str):
        return Covariance(reason=view)
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
        explanation=joined((kernel.summary, older, at.note)),
    )
