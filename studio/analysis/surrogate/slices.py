"""The surrogate along one hyperparameter (thesis figures 2.1-2.3 and 3.5)."""

from pathlib import Path

import numpy as np

from studio.analysis.answers.surrogate import Slice
from studio.analysis.surrogate.coordinates import (
    GRID,
    Coordinate,
    coordinate,
    held,
    outside,
    scope_of,
)
from studio.analysis.surrogate.snapshot import SurrogateSnapshot, moment, view_of
from studio.errors import SpaceError
from studio.phrases import joined, phrase
from studio.proposers.bayesian import SurrogateView
from studio.space.encoding import encode

MAX_DRAWS = 12
"""Curves of single models given at most; more cannot be distinguished."""


def surrogate_slice(path: Path, run_id: int, iteration: int | None, parameter: str) -> Slice:
    """Return the surrogate as the suggestion after an iteration saw it.

    Args:
        path: The document.
        run_id: The run.
        iteration: How many trials had finished; ``None`` for all that have by now.
        parameter: The hyperparameter along which to look.

    Raises:
        SpaceError: If the run's space has no such hyperparameter, or it has only one value.
    """
    at = moment(path, run_id, iteration)
    along = coordinate(at.prepared.space, parameter)
    view = view_of(at)
    if isinstance(view, str):
        return Slice(along.name, along.log, along.choices, reason=view)
    return _along(at, along, view)


def _along(at: SurrogateSnapshot, along: Coordinate, view: SurrogateView) -> Slice:
    space, scope = along.space, scope_of(at, view)
    observed = scope.observed
    next_u = None if at.following is None else encode(space, [at.following])[0]
    found = held(space, [along], observed, next_u, scope.where)
    if scope.where is not None and (found is None or np.isfinite(scope.where[along.column])):
        why = outside(space, scope, [along])
        return Slice(along.name, along.log, along.choices, reason=why)
    if found is None:
        raise SpaceError(
            "No configuration was found in which {along!r} is active.", along=along.name
        )
    base, name = found
    U, grid = along.line(base, GRID)
    mean, sd = view.posterior.mixture(U)
    single = view.posterior.by_model(U)
    next_value = None
    if next_u is not None and np.isfinite(next_u[along.column]):
        next_value = float(along.values(next_u[None, :])[0])
    return Slice(
        parameter=along.name,
        log=along.log,
        choices=along.choices,
        grid=grid,
        mean=mean,
        sd=sd,
        acquisition=np.asarray(view.acquisition(U)),
        draws=single[:MAX_DRAWS] if len(single) > 1 else single[:0],
        draws_are=view.posterior.models_are,
        trial_values=along.values(observed.U),
        trial_targets=observed.targets,
        trial_numbers=observed.numbers,
        next_value=next_value,
        followed=next_u is not None,
        objective=observed.label,
        in_metric=at.in_metric,
        acquisition_title=view.acquisition.criterion.title,
        explanation=joined(
            (phrase("The other hyperparameters are held as in {name}.", name=name), at.note)
        ),
    )
