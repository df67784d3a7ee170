"""The surrogate along one hyperparameter (thesis figures 2.1-2.3 and 3.5)."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from studio.analysis.surrogate.coordinates import GRID, Coordinate, coordinate, held
from studio.analysis.surrogate.moment import Moment, moment, sentence, view_of
from studio.analysis.surrogate.scope import outside, scope_of
from studio.arrays import Floats, Integers
from studio.errors import SpaceError
from studio.phrases import phrase
from studio.proposers.bayesian import View
from studio.space.encoding import encode

MOST_DRAWS = 12
"""Curves of single models given at most; more cannot be told apart."""


@dataclass(frozen=True)
class Slice:
    """The surrogate along one hyperparameter, the others held.

    Attributes
    ----------
    parameter : str
        Its name.
    log : bool
        Whether it is explored on a logarithmic scale.
    choices : tuple of str
        For choices: their names; values are then positions 0, 1, ….
    grid, mean, sd, acquisition : arrays, shape (g,)
        Values of the hyperparameter; posterior mean and standard deviation of the objective,
        averaged over the surrogate's samples; what the maximiser maximised.
    draws : array, shape (s, g)
        The means of single models: hyperparameter samples of a process, trees of a forest.
    draws_are : {"draws", "trees"}
        Which.
    trial_values, trial_targets : arrays, shape (t,)
        The trials that the surrogate learned from; a value is NaN where a trial lacks it.
    trial_numbers : array of int, shape (t,)
    next_value : float or None
        Where the next trial lies, if it has the hyperparameter.
    followed : bool
        Whether there is a next trial.
    objective : str
        What the targets are.
    in_metric : bool
        Whether they are in the unit of the run's metric.
    acquisition_title : str
        The criterion's name.
    explanation : str
        What is held where, in a sentence.
    reason : str
        Why there is no surrogate; then the arrays are empty.
    """

    parameter: str
    log: bool
    choices: tuple[str, ...]
    grid: Floats
    mean: Floats
    sd: Floats
    acquisition: Floats
    draws: Floats
    draws_are: str
    trial_values: Floats
    trial_targets: Floats
    trial_numbers: Integers
    next_value: float | None
    followed: bool
    objective: str
    in_metric: bool
    acquisition_title: str
    explanation: str
    reason: str


def surrogate_slice(path: Path, run_id: int, iteration: int | None, parameter: str) -> Slice:
    """Return the surrogate as the suggestion after an iteration saw it.

    Parameters
    ----------
    path : Path
        The document.
    run_id : int
        The run.
    iteration : int or None
        How many trials had finished; ``None`` for all that have by now.
    parameter : str
        The hyperparameter along which to look.

    Raises
    ------
    SpaceError
        If the run's space has no such hyperparameter, or it has only one value.
    """
    at = moment(path, run_id, iteration)
    along = coordinate(at.prepared.space, parameter)
    view = view_of(at)
    return _nothing(along, view) if isinstance(view, str) else _along(at, along, view)


def _along(at: Moment, along: Coordinate, view: View) -> Slice:
    space, scope = along.space, scope_of(at, view)
    observed = scope.observed
    next_u = None if at.following is None else encode(space, [at.following])[0]
    found = held(space, [along], observed, next_u, scope.where)
    if scope.where is not None and (found is None or np.isfinite(scope.where[along.column])):
        return _nothing(along, outside(space, scope, [along]))
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
        draws=single[:MOST_DRAWS] if len(single) > 1 else single[:0],
        draws_are=view.posterior.models_are,
        trial_values=along.values(observed.U),
        trial_targets=observed.targets,
        trial_numbers=observed.numbers,
        next_value=next_value,
        followed=next_u is not None,
        objective=observed.label,
        in_metric=at.in_metric,
        acquisition_title=view.acquisition.criterion.title,
        explanation=sentence(
            phrase("The other hyperparameters are held as in {name}.", name=name), at.note
        ),
        reason="",
    )


def _nothing(along: Coordinate, reason: str) -> Slice:
    empty = np.empty(0)
    return Slice(
        parameter=along.name,
        log=along.log,
        choices=along.choices,
        grid=empty,
        mean=empty,
        sd=empty,
        acquisition=empty,
        draws=np.empty((0, 0)),
        draws_are="draws",
        trial_values=empty,
        trial_targets=empty,
        trial_numbers=np.empty(0, dtype=np.int64),
        next_value=None,
        followed=False,
        objective="",
        in_metric=True,
        acquisition_title="",
        explanation="",
        reason=reason,
    )
