"""The surrogate over one hyperparameter (thesis figures 2.1-2.3 and 3.5) or two."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from studio.analysis.answers.surrogate import Plane, Slice
from studio.analysis.surrogate.coordinates import (
    GRID,
    Coordinate,
    coordinate,
    fixed_point,
    get_scope,
    has,
    in_branch,
    uncovered_reason,
)
from studio.analysis.surrogate.snapshot import SurrogateSnapshot, get_surrogate, load_snapshot
from studio.arrays import Floats
from studio.errors import SpaceError
from studio.phrases import joined, phrase
from studio.proposers.bayesian import SurrogateView
from studio.space.branches import branching
from studio.space.encoding import encode, snap

_MAX_DRAWS = 12
"""Maximum number of single models' curves; more are indistinguishable."""


def surrogate_slice(path: Path, run_id: int, iteration: int | None, parameter: str) -> Slice:
    """Return the surrogate of the suggestion after an iteration.

    Args:
        iteration: Number of finished trials; ``None`` for all so far.

    Raises:
        SpaceError: If the run's space has no such hyperparameter, or it has only one value.
    """
    at = load_snapshot(path, run_id, iteration)
    along = coordinate(at.prepared.space, parameter)
    view = get_surrogate(at)
    if isinstance(view, str):
        return Slice(along.name, along.log, along.choices, reason=view)
    return _slice_along(at, along, view)


def _slice_along(at: SurrogateSnapshot, along: Coordinate, view: SurrogateView) -> Slice:
    space, scope = along.space, get_scope(at, view)
    observed = scope.observed
    next_u = None if at.following is None else encode(space, [at.following])[0]
    found = fixed_point(space, [along], observed, next_u, scope.where)
    if scope.where is not None and (found is None or np.isfinite(scope.where[along.column])):
        why = uncovered_reason(space, scope, [along])
        return Slice(along.name, along.log, along.choices, reason=why)
    if found is None:
        raise SpaceError(
            "No configuration was found in which {along!r} is active.", along=along.name
        )
    base, name = found
    U, grid = along.line(base, GRID)
    mean, sd = view.posterior.predict_mixture(U)
    single = view.posterior.predict_by_model(U)
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
        draws=single[:_MAX_DRAWS] if len(single) > 1 else single[:0],
        draws_are=view.posterior.models_are,
        trial_values=along.values(observed.U),
        trial_targets=observed.targets,
        trial_numbers=observed.numbers,
        next_value=next_value,
        followed=next_u is not None,
        # A random trial or a proven start is named as such by the note.
        beside="" if at.note else getattr(at.prepared.method.proposer, "beside", ""),
        objective=observed.label,
        in_metric=at.in_metric,
        acquisition_title=view.acquisition.criterion.title,
        explanation=joined(
            (phrase("The other hyperparameters are held as in {name}.", name=name), at.note)
        ),
    )


CELLS = 48
"""Cells per side of a single panel."""

MAX_PANELS = 9
"""Maximum number of branches, the most tried ones."""


@dataclass(frozen=True)
class _Panel:
    name: str
    where: Floats | None
    base: Floats
    held: str
    tried: int


def surrogate_plane(path: Path, run_id: int, iteration: int | None, x: str, y: str) -> Plane:
    """Return the surrogate over two hyperparameters, for the suggestion after an iteration.

    Args:
        path, run_id, iteration: As for :func:`studio.analysis.surrogate.planes.surrogate_slice`.
        x, y: Two different hyperparameters.

    Raises:
        SpaceError: If they are the same, or the space does not have one of them, or it has only one
            value.
    """
    if x == y:
        raise SpaceError("A map needs two different hyperparameters; {x!r} was given twice.", x=x)
    at = load_snapshot(path, run_id, iteration)
    across, up = coordinate(at.prepared.space, x), coordinate(at.prepared.space, y)
    view = get_surrogate(at)
    return Plane(x, y, reason=view) if isinstance(view, str) else _plane_over(at, across, up, view)


def _plane_over(
    at: SurrogateSnapshot, across: Coordinate, up: Coordinate, view: SurrogateView
) -> Plane:
    space, scope = across.space, get_scope(at, view)
    next_u = None if at.following is None else encode(space, [at.following])[0]
    every = list(_panels(at, across, up, view, next_u))
    if not every:
        why = uncovered_reason(space, scope, [across, up])
        return Plane(
            across.name,
            up.name,
            reason=why
            or phrase(
                "No configuration has both {across} and {up}: they belong to different "
                "branches. Choose two of one branch.",
                across=across.name,
                up=up.name,
            ),
        )
    panels = sorted(sorted(every, key=lambda each: -each.tried)[:MAX_PANELS], key=every.index)
    cells = max(14, round(CELLS / len(panels) ** 0.5))
    pictures = [_picture(view, across, up, each.base, cells) for each in panels]
    observed = scope.observed
    columns = [across.column, up.column]
    of, rows = [], []
    for number, panel in enumerate(panels):
        there = np.flatnonzero(has(observed.U, columns, panel.where))
        rows.append(there)
        of.append(np.full(len(there), number, dtype=np.int64))
    tried = np.concatenate(rows)
    following: tuple[float, ...] = ()
    for number, panel in enumerate(panels):
        if next_u is not None and has(next_u[None, :], columns, panel.where)[0]:
            following = (float(number), float(next_u[columns[0]]), float(next_u[columns[1]]))
    return Plane(
        x=across.name,
        y=up.name,
        panels=tuple(each.name for each in panels),
        mean=np.array([mean for mean, _, _ in pictures]),
        sd=np.array([sd for _, sd, _ in pictures]),
        acquisition=np.array([acquisition for _, _, acquisition in pictures]),
        held=tuple(each.held for each in panels),
        trial_panels=np.concatenate(of),
        trial_numbers=observed.numbers[tried],
        trial_x=observed.U[tried, across.column],
        trial_y=observed.U[tried, up.column],
        trial_targets=observed.targets[tried],
        following=following,
        followed=next_u is not None,
        left_out=len(every) - len(panels),
        objective=observed.label,
        in_metric=at.in_metric,
        acquisition_title=view.acquisition.criterion.title,
        note=at.note,
    )


def _panels(
    at: SurrogateSnapshot,
    across: Coordinate,
    up: Coordinate,
    view: SurrogateView,
    next_u: Floats | None,
) -> Iterator[_Panel]:
    """Return the branches with both active, or the whole space if undivided; next_u is (D,)."""
    space, scope = across.space, get_scope(at, view)
    root = branching(space)
    names: list[tuple[str, Floats | None]] = [("", None)]
    if root is not None and root.name not in (across.name, up.name):
        values = [scope.arm] if scope.arm else [str(choice) for choice in root.choices]
        names = [(value, in_branch(space, root.name, value)) for value in values]
    elif scope.arm:
        return
    for name, where in names:
        found = fixed_point(space, [across, up], scope.observed, next_u, where)
        if found is not None:
            tried = int(has(scope.observed.U, [across.column, up.column], where).sum())
            yield _Panel(name, where, *found, tried)


def _picture(
    view: SurrogateView, across: Coordinate, up: Coordinate, base: Floats, cells: int
) -> tuple[Floats, Floats, Floats]:
    """Return mean, sd and acquisition at the midpoints of equal cells, shape (gy, gx) each."""
    gx, gy = across.cells(cells), up.cells(cells)
    U = np.repeat(base[None, :], len(gx) * len(gy), axis=0)
    U[:, across.column], U[:, up.column] = np.tile(gx, len(gy)), np.repeat(gy, len(gx))
    U = snap(across.space, U)
    mean, sd = view.posterior.predict_mixture(U)
    inactive = np.isnan(U[:, [across.column, up.column]]).any(axis=1)
    found = []
    for values in (mean, sd, np.asarray(view.acquisition(U))):
        shown = np.where(inactive, np.nan, values)
        found.append(shown.reshape(len(gy), len(gx)))
    return found[0], found[1], found[2]
