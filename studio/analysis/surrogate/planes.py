"""The surrogate over one hyperparameter (thesis figures 2.1-2.3 and 3.5) or two."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from studio.analysis.answers.surrogate import NextTrial, SurrogatePlane, SurrogateSlice
from studio.analysis.surrogate.coordinates import (
    GRID_SIZE,
    Coordinate,
    SurrogateScope,
    choose_fixed_point,
    explain_uncovered,
    find_active_rows,
    get_scope,
    make_branch_row,
    make_coordinate,
)
from studio.analysis.surrogate.snapshot import SurrogateSnapshot, get_surrogate, load_snapshot
from studio.arrays import Floats, Integers
from studio.errors import SpaceError
from studio.phrases import join_phrases, phrase
from studio.proposers.bayesian import SurrogateView
from studio.space.branches import find_branching_choice
from studio.space.encoding import decode, snap
from studio.space.space import Space

_MAX_DRAWS = 12
"""Maximum number of single models' curves; more are indistinguishable."""


def compute_surrogate_slice(
    path: Path, run_id: int, iteration: int | None, parameter: str
) -> SurrogateSlice:
    """Return the surrogate of the suggestion after an iteration.

    Args:
        iteration: Number of finished trials; ``None`` for all so far.

    Raises:
        SpaceError: If the run's space has no such hyperparameter, or it has only one value.
    """
    snapshot = load_snapshot(path, run_id, iteration)
    axis = make_coordinate(snapshot.prepared_run.space, parameter)
    view = get_surrogate(snapshot)
    if isinstance(view, str):
        return SurrogateSlice(axis.name, axis.log, axis.choices, reason=view)
    return _compute_slice(snapshot, axis, view)


def _compute_slice(
    snapshot: SurrogateSnapshot, axis: Coordinate, view: SurrogateView
) -> SurrogateSlice:
    space, scope = axis.space, get_scope(snapshot, view)
    observations, next_u = scope.observations, snapshot.next_row
    fixed_point = choose_fixed_point(space, [axis], observations, next_u, scope.branch_coordinates)
    if scope.branch_coordinates is not None and (
        fixed_point is None or np.isfinite(scope.branch_coordinates[axis.column])
    ):
        reason = explain_uncovered(space, scope, [axis])
        return SurrogateSlice(axis.name, axis.log, axis.choices, reason=reason)
    if fixed_point is None:
        raise SpaceError(
            "No configuration was found in which {along!r} is active.", along=axis.name
        )
    U, grid = axis.make_line(fixed_point.row, GRID_SIZE)
    mean, sd = view.posterior.predict_mixture(U)
    by_model = view.posterior.predict_by_model(U)
    choice, branch_row = _get_branch(axis, fixed_point.row)
    (fixed,) = decode(space, fixed_point.row[None, :])
    excluded = {axis.name} | _list_dependent(space, axis.name)
    varied = [each.name for each in space.columns if each.name not in excluded]
    next_trial = None
    if next_u is not None and find_active_rows(next_u[None, :], [], scope.branch_coordinates)[0]:
        next_trial = _predict_next_trial(
            view, axis, fixed_point.row, next_u, choice=choice, branch_row=branch_row
        )
    return SurrogateSlice(
        parameter=axis.name,
        is_log=axis.log,
        choices=axis.choices,
        grid=grid,
        mean=mean,
        sd=sd,
        acquisition=np.asarray(view.acquisition(U)),
        draws=by_model[:_MAX_DRAWS] if len(by_model) > 1 else by_model[:0],
        model_kind=view.posterior.model_kind,
        trial_values=axis.to_values(observations.U),
        trial_targets=observations.targets,
        trial_numbers=observations.numbers,
        is_trial_in_branch=find_active_rows(observations.U, [], branch_row),
        branching_choice=choice,
        fixed_trial=fixed_point.trial,
        is_fixed_best=fixed_point.is_best,
        fixed_settings={name: fixed[name] for name in varied if name in fixed},
        next_trial=next_trial,
        has_next_trial=next_u is not None,
        is_next_chosen=not snapshot.note,
        # Random trials and proven starts are explained by the note.
        not_maximal_reason=""
        if snapshot.note
        else getattr(snapshot.prepared_run.method.proposer, "not_maximal_reason", ""),
        objective=observations.label,
        in_metric=snapshot.in_metric,
        acquisition_title=view.acquisition.criterion.title,
        explanation=join_phrases(
            (
                phrase(
                    "The other hyperparameters are fixed as in {name}.",
                    name=fixed_point.description,
                ),
                snapshot.note,
            )
        ),
    )


def _list_dependent(space: Space, name: str) -> set[str]:
    """Return the hyperparameters that are active only for some values of another one."""
    dependent: set[str] = set()
    waiting = [name]
    while waiting:
        children = {each.name for each in space.list_children(waiting.pop())} - dependent
        dependent |= children
        waiting += children
    return dependent


def _get_branch(axis: Coordinate, row: Floats) -> tuple[str, Floats | None]:
    """Return the branching choice and the coordinates of a row's branch, (D,), NaN for the others.

    A line along the choice itself, or in a space without any, is in one branch: ("", None).
    """
    root = find_branching_choice(axis.space)
    names = [each.name for each in axis.space.columns]
    if root is None or root.name == axis.name or root.name not in names:
        return "", None
    branch_row = np.full(len(row), np.nan)
    column = names.index(root.name)
    branch_row[column] = row[column]
    return root.name, branch_row


def _predict_next_trial(
    view: SurrogateView,
    axis: Coordinate,
    fixed_row: Floats,
    next_u: Floats,
    *,
    choice: str,
    branch_row: Floats | None,
) -> NextTrial:
    """Return the surrogate at the next configuration itself, which is seldom on the slice.

    Args:
        fixed_row, next_u: Shape (D,). The configurations of the slice and of the next trial.
        choice, branch_row: The branch of the slice (:func:`_get_branch`).
    """
    row = next_u[None, :]
    moved = fixed_row.copy()
    moved[axis.column] = next_u[axis.column]
    mean, sd = view.posterior.predict_mixture(row)
    value = float(axis.to_values(row)[0]) if np.isfinite(next_u[axis.column]) else None
    is_in_branch = bool(find_active_rows(row, [], branch_row)[0])
    return NextTrial(
        value=value,
        mean=float(mean[0]),
        sd=float(sd[0]),
        acquisition=float(np.asarray(view.acquisition(row))[0]),
        other_branch="" if is_in_branch else str(decode(axis.space, row)[0][choice]),
        is_on_slice=bool(np.allclose(snap(axis.space, moved[None, :]), row, equal_nan=True)),
    )


CELLS_PER_SIDE = 48
"""Cells per side of a single panel."""

MAX_PANELS = 9
"""Maximum number of branches, the most tried ones."""


@dataclass(frozen=True)
class _BranchPanel:
    name: str
    branch_coordinates: Floats | None
    base: Floats
    fixed_values: str
    n_trials: int


def compute_surrogate_plane(
    path: Path, run_id: int, iteration: int | None, x: str, y: str
) -> SurrogatePlane:
    """Return the surrogate over two hyperparameters, for the suggestion after an iteration.

    Args:
        path, run_id, iteration: See :func:`compute_surrogate_slice`.

    Raises:
        SpaceError: If they are equal, or one of them is missing or has only one value.
    """
    if x == y:
        raise SpaceError("A map needs two different hyperparameters; {x!r} was given twice.", x=x)
    snapshot = load_snapshot(path, run_id, iteration)
    x_axis, y_axis = (
        make_coordinate(snapshot.prepared_run.space, x),
        make_coordinate(snapshot.prepared_run.space, y),
    )
    view = get_surrogate(snapshot)
    return (
        SurrogatePlane(x, y, reason=view)
        if isinstance(view, str)
        else _compute_plane(snapshot, x_axis, y_axis, view)
    )


def _compute_plane(
    snapshot: SurrogateSnapshot, x_axis: Coordinate, y_axis: Coordinate, view: SurrogateView
) -> SurrogatePlane:
    scope, next_u = get_scope(snapshot, view), snapshot.next_row
    observations, columns = scope.observations, [x_axis.column, y_axis.column]
    all_panels = list(_make_panels(scope, x_axis, y_axis, next_u))
    if not all_panels:
        reason = explain_uncovered(x_axis.space, scope, [x_axis, y_axis]) or phrase(
            "No configuration has both {across} and {up}: they belong to different "
            "branches. Choose two of one branch.",
            across=x_axis.name,
            up=y_axis.name,
        )
        return SurrogatePlane(x_axis.name, y_axis.name, reason=reason)
    panels = sorted(
        sorted(all_panels, key=lambda each: -each.n_trials)[:MAX_PANELS], key=all_panels.index
    )
    cells = max(14, round(CELLS_PER_SIDE / len(panels) ** 0.5))
    grids = np.stack([_compute_grid(view, x_axis, y_axis, each.base, cells) for each in panels])
    rows: list[Integers] = []
    next_point: tuple[float, ...] = ()
    for number, panel in enumerate(panels):
        is_inside = partial(find_active_rows, columns=columns, branch=panel.branch_coordinates)
        rows.append(np.flatnonzero(is_inside(observations.U)))
        if next_u is not None and is_inside(next_u[None, :])[0]:
            next_point = (float(number), *next_u[columns].tolist())
    tried_rows = np.concatenate(rows)
    return SurrogatePlane(
        x=x_axis.name,
        y=y_axis.name,
        panels=tuple(each.name for each in panels),
        mean=grids[:, 0],
        sd=grids[:, 1],
        acquisition=grids[:, 2],
        fixed_values=tuple(each.fixed_values for each in panels),
        trial_panels=np.repeat(np.arange(len(panels)), [len(each) for each in rows]),
        trial_numbers=observations.numbers[tried_rows],
        trial_x=observations.U[tried_rows, x_axis.column],
        trial_y=observations.U[tried_rows, y_axis.column],
        trial_targets=observations.targets[tried_rows],
        next_point=next_point,
        has_next_trial=next_u is not None,
        n_omitted_branches=len(all_panels) - len(panels),
        objective=observations.label,
        in_metric=snapshot.in_metric,
        acquisition_title=view.acquisition.criterion.title,
        note=snapshot.note,
    )


def _make_panels(
    scope: SurrogateScope, x_axis: Coordinate, y_axis: Coordinate, next_u: Floats | None
) -> Iterator[_BranchPanel]:
    """Return the branches with both active, or the whole space if undivided; next_u is (D,)."""
    space, observations = x_axis.space, scope.observations
    root = find_branching_choice(space)
    names: list[tuple[str, Floats | None]] = [("", None)]
    if root is not None and root.name not in (x_axis.name, y_axis.name):
        values = [scope.branch] if scope.branch else [str(choice) for choice in root.choices]
        names = [(value, make_branch_row(space, root.name, value)) for value in values]
    elif scope.branch:
        return
    for name, branch_row in names:
        fixed_point = choose_fixed_point(space, [x_axis, y_axis], observations, next_u, branch_row)
        if fixed_point is not None:
            columns = [x_axis.column, y_axis.column]
            n_tried = int(find_active_rows(observations.U, columns, branch_row).sum())
            yield _BranchPanel(name, branch_row, fixed_point.row, fixed_point.description, n_tried)


def _compute_grid(
    view: SurrogateView, x_axis: Coordinate, y_axis: Coordinate, base: Floats, cells: int
) -> Floats:
    """Return mean, sd and acquisition at the midpoints of equal cells, shape (3, gy, gx)."""
    gx, gy = x_axis.make_cells(cells), y_axis.make_cells(cells)
    U = np.repeat(base[None, :], len(gx) * len(gy), axis=0)
    U[:, x_axis.column], U[:, y_axis.column] = np.tile(gx, len(gy)), np.repeat(gy, len(gx))
    U = snap(x_axis.space, U)
    values = np.stack([*view.posterior.predict_mixture(U), np.asarray(view.acquisition(U))])
    values[:, np.isnan(U[:, [x_axis.column, y_axis.column]]).any(axis=1)] = np.nan
    return values.reshape(3, len(gy), len(gx))
