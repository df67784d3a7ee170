"""What the surrogate believed at any iteration, along one hyperparameter.

Proposers are functions of history and seed, so nothing has to be kept for this: the run's own
proposer is asked again, with the history as it was.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.document.store import Document
from studio.errors import SpaceError
from studio.proposers.base import Search
from studio.proposers.bayesian import ModelBased, View
from studio.runs.load import follow
from studio.runs.prepare import ensemble_seed
from studio.seeds import derive
from studio.space.encoding import decode, encode, snap
from studio.space.sampling import sample
from studio.space.space import Space
from studio.trial import Configuration

GRID = 121
"""Points along a continuous hyperparameter."""

DRAWS = 2000
"""Random configurations among which one with a rarely active hyperparameter is looked for."""


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
    trial_values, trial_targets : arrays, shape (t,)
        The trials that the surrogate learned from; a value is NaN where a trial lacks it.
    trial_numbers : array of int, shape (t,)
    next_value : float or None
        Where the next trial lies, if it has the hyperparameter.
    objective : str
        What the targets are.
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
    trial_values: Floats
    trial_targets: Floats
    trial_numbers: Integers
    next_value: float | None
    objective: str
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
    with Document.open(path, writable=False) as document:
        prepared, whole = follow(document, run_id)
        history = whole if iteration is None else whole.prefix(iteration)
        later = document.trials(run_id, after=len(history))
        running = document.running(run_id)
    space, proposer = prepared.space, prepared.method.proposer
    if parameter not in [each.name for each in space.columns]:
        raise SpaceError(f"{parameter!r} has one value only, or is not in the run's space.")
    following: Configuration | None = None
    if later:
        following = later[0].configuration
    elif running:
        following = running[0].configuration
    if not isinstance(proposer, ModelBased):
        return _nothing(space, parameter, f"{proposer.title} does not use a surrogate.")
    view = proposer.view(
        Search(
            space=space,
            history=history,
            seed=derive(prepared.settings.seed, "suggest", len(history) + 1),
            ensemble_seed=ensemble_seed(prepared.settings),
            budget=prepared.settings.budget,
            metric=prepared.objective,
        )
    )
    if view is None:
        return _nothing(
            space,
            parameter,
            "The first configurations are drawn at random; the surrogate begins once there is "
            "something to learn from.",
        )
    return _along(space, parameter, view, following)


def _along(space: Space, parameter: str, view: View, following: Configuration | None) -> Slice:
    column = [each.name for each in space.columns].index(parameter)
    observed = view.observations
    next_u = None if following is None else encode(space, [following])[0]
    base, held = _base(space, column, view, next_u)
    U, grid = _line(space, column, base)
    mean, variance = view.posterior.predict(U)
    # The mixture over samples: its variance is the mean variance and the variance of the means.
    total = variance.mean(axis=0) + mean.var(axis=0)
    next_value = None
    if next_u is not None and np.isfinite(next_u[column]):
        next_value = float(_values(space, parameter, next_u[None, :])[0])
    return Slice(
        parameter=parameter,
        log=_is_log(space, parameter),
        choices=_choices(space, parameter),
        grid=grid,
        mean=np.asarray(mean.mean(axis=0)),
        sd=np.sqrt(total),
        acquisition=np.asarray(view.acquisition(U)),
        trial_values=_values(space, parameter, observed.U),
        trial_targets=observed.targets,
        trial_numbers=observed.numbers,
        next_value=next_value,
        objective=observed.label,
        explanation=f"The other hyperparameters are held as in {held}.",
        reason="",
    )


def _base(space: Space, column: int, view: View, next_u: Floats | None) -> tuple[Floats, str]:
    """Return the unit row through which the line goes, and its name in a sentence."""
    if next_u is not None and np.isfinite(next_u[column]):
        return next_u, "the next configuration"
    U, targets = view.observations.U, view.observations.targets
    there = np.flatnonzero(np.isfinite(U[:, column]))
    if there.size:
        best = int(there[np.argmin(targets[there])])
        return U[best], f"trial {view.observations.numbers[best]}, the best that has it"
    drawn = sample(space, np.random.default_rng(0), DRAWS)
    there = np.flatnonzero(np.isfinite(drawn[:, column]))
    if not there.size:
        raise SpaceError(
            f"{space.columns[column].name!r} was active in none of {DRAWS} random configurations."
        )
    return drawn[there[0]], "a random configuration, since no trial has it yet"


def _line(space: Space, column: int, base: Floats) -> tuple[Floats, Floats]:
    """Return valid unit rows along the hyperparameter, and its values there, both once each."""
    count = space.columns[column].count()
    points = int(min(count, GRID))
    U = np.repeat(base[None, :], points, axis=0)
    # The middles of equal intervals hit every value of a small whole number or choice once.
    U[:, column] = (
        (np.arange(points) + 0.5) / points if count <= GRID else np.linspace(0.0, 1.0, points)
    )
    U = snap(space, U)
    values = _values(space, space.columns[column].name, U)
    _, first = np.unique(values, return_index=True)
    return U[first], values[first]


def _values(space: Space, parameter: str, U: AnyArray) -> Floats:
    """Return a hyperparameter's values as numbers (choices: positions), NaN where inactive."""
    choices = _choices(space, parameter)
    values = np.full(len(U), np.nan)
    for row, configuration in enumerate(decode(space, U)):
        if parameter in configuration:
            value = configuration[parameter]
            values[row] = choices.index(str(value)) if choices else float(value)
    return values


def _choices(space: Space, parameter: str) -> tuple[str, ...]:
    chosen = space.parameter(parameter)
    if hasattr(chosen, "choices"):
        return tuple(str(choice) for choice in chosen.choices)
    return ("False", "True") if chosen.count() == 2 and isinstance(chosen.first(), bool) else ()


def _is_log(space: Space, parameter: str) -> bool:
    return bool(getattr(space.parameter(parameter), "log", False))


def _nothing(space: Space, parameter: str, reason: str) -> Slice:
    empty = np.empty(0)
    return Slice(
        parameter=parameter,
        log=_is_log(space, parameter),
        choices=_choices(space, parameter),
        grid=empty,
        mean=empty,
        sd=empty,
        acquisition=empty,
        trial_values=empty,
        trial_targets=empty,
        trial_numbers=np.empty(0, dtype=np.int64),
        next_value=None,
        objective="",
        explanation="",
        reason=reason,
    )
