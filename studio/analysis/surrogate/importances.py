"""Importance of hyperparameters, by the surrogate fitted to the trials' own losses.

These are main effects (functional ANOVA). A function of independent uniform hyperparameters is a
sum of terms of one, two, … of them with orthogonal means (Sobol' 1993), so that its variance is a
sum of theirs. The term of θ_j alone has the variance

    V_j = Var over θ_j of a_j(θ_j),   a_j(θ_j) = E over all others of f(θ_1, …, θ_D),

and V_j / V, V = Var f, is its main effect (Hutter, Hoos and Leyton-Brown 2014, eq. 3-8). These
authors compute it from the leaves of a random forest; here a_j is the mean of any surrogate over
random configurations, with θ_j set to each of its values. For conditional hyperparameters, E and
Var are over the configurations in which they are active (Hutter et al. do not treat conditional
spaces). For a choice with dependent hyperparameters, these are redrawn for each of its values.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

from studio.analysis.answers.surrogate import HyperparameterImportances
from studio.analysis.surrogate.coordinates import find_active_rows, make_branch_row
from studio.analysis.surrogate.snapshot import SurrogateSnapshot, get_surrogate, load_snapshot
from studio.arrays import Floats
from studio.errors import SpaceError
from studio.phrases import phrase
from studio.proposers.bayesian import ModelBased, Observations, get_trial_losses
from studio.space.branches import find_branching_choice, list_branch_parameters
from studio.space.encoding import snap
from studio.space.space import Space
from studio.surrogates.base import Posterior, Surrogate
from studio.surrogates.random_forest import RandomForest

MIN_TRIALS = 5

TREES = 50
"""Number of trees of the default forest, for methods without a surrogate."""

_MIN_BRANCH_TRIALS = 2


BranchParameter = tuple[int, str, Floats | None]
"""A column, its branch, and the coordinates fixed there."""


def compute_importances(
    path: Path, run_id: int, iteration: int | None, branch: str
) -> HyperparameterImportances:
    """Return the main effects after an iteration.

    Args:
        path, run_id, iteration: See :func:`.planes.compute_surrogate_slice`.
        branch: Its hyperparameters are included besides the always active ones; "" for none.

    Raises:
        SpaceError: If the space has no such branch.
    """
    snapshot = load_snapshot(path, run_id, iteration)
    space, proposer = snapshot.prepared_run.space, snapshot.prepared_run.method.proposer
    succeeded = len(snapshot.history.succeeded)
    if succeeded < MIN_TRIALS:
        return HyperparameterImportances(
            reason=phrase(
                "Importance needs at least {least} successful trials; there are {succeeded}.",
                least=MIN_TRIALS,
                succeeded=succeeded,
            )
        )
    observations = get_trial_losses(snapshot.context)
    if np.ptp(observations.targets) == 0.0:
        return HyperparameterImportances(
            reason=phrase(
                "All trials so far have the same loss, so importance cannot be computed yet."
            )
        )
    surrogate: Surrogate
    if isinstance(proposer, ModelBased):
        surrogate = proposer.surrogate
        model = phrase("the run's surrogate ({surrogate})", surrogate=phrase(surrogate.title))
    else:
        surrogate = RandomForest(trees=TREES)
        model = phrase(
            "a random forest of {trees} trees, as {proposer} has no surrogate",
            trees=TREES,
            proposer=phrase(proposer.title),
        )
    posterior = _fit_surrogate(snapshot, surrogate, observations)
    parameters = [*_list_always_active(space), *_list_branch_parameters(space, branch)]
    variance_share, spread = np.full(len(parameters), np.nan), np.full(len(parameters), np.nan)
    n_tried = np.zeros(len(parameters), dtype=np.int64)
    for index, (column, scope, branch_row) in enumerate(parameters):
        name = space.columns[column].name
        n_tried[index] = int(find_active_rows(observations.U, [column], branch_row).sum())
        if n_tried[index] < _MIN_BRANCH_TRIALS:
            continue
        # Seeded by name, with the same draws at each iteration, so that bars change only with the
        # surrogate.
        seed = int.from_bytes(hashlib.sha256(f"{scope}/{name}".encode()).digest()[:4], "big")
        shares = compute_main_effect(
            space, column, posterior.predict_by_model, np.random.default_rng(seed), branch_row
        )
        if shares is not None and np.isfinite(shares).any():
            variance_share[index], spread[index] = np.nanmean(shares), np.nanstd(shares)
    return HyperparameterImportances(
        names=tuple(space.columns[column].name for column, _, _ in parameters),
        scopes=tuple(scope for _, scope, _ in parameters),
        share=variance_share,
        spread=spread,
        n_active_trials=n_tried,
        model=model,
        model_kind=posterior.model_kind,
        models=len(posterior.predict_by_model(observations.U[:1])),
        reason=""
        if parameters
        else phrase("No hyperparameter of this space has more than one value."),
    )


def _fit_surrogate(
    snapshot: SurrogateSnapshot, surrogate: Surrogate, observations: Observations
) -> Posterior:
    """Fit the surrogate, or reuse that of the next suggestion if its training data are the same."""
    if (
        isinstance(snapshot.prepared_run.method.proposer, ModelBased)
        and not snapshot.context.pending
    ):
        view = get_surrogate(snapshot)
        if (
            not isinstance(view, str)
            and view.posterior.covers_whole_space
            and view.observations.label == observations.label
        ):
            return view.posterior
    rng = np.random.default_rng([snapshot.context.seed, 7])
    return surrogate.fit(snapshot.prepared_run.space, observations.U, observations.targets, rng)


def _list_always_active(space: Space) -> list[BranchParameter]:
    """Return the hyperparameters that are always active; all if there are no branches."""
    has_branches = find_branching_choice(space) is not None
    return [
        (column, "", None)
        for column, parameter in enumerate(space.columns)
        if not (has_branches and parameter.conditions)
    ]


def _list_branch_parameters(space: Space, branch: str) -> list[BranchParameter]:
    """Return the hyperparameters that are active in some branches only."""
    root = find_branching_choice(space)
    if not branch or root is None:
        return []
    if branch not in [str(choice) for choice in root.choices]:
        raise SpaceError("{root} has no value {branch!r}.", root=root.name, branch=branch)
    branch_row = make_branch_row(space, root.name, branch)
    names = list_branch_parameters(space, branch)
    return [
        (column, branch, branch_row)
        for column, parameter in enumerate(space.columns)
        if parameter.name in names
    ]


_N_CONTEXTS = 100
"""Number of random settings of the other hyperparameters for averaging (R)."""

_N_GRID_VALUES = 8
"""Number of grid values of a numeric hyperparameter: midpoints of equal intervals (G)."""

_DRAWS = 4000
"""Number of random configurations for finding those with a hyperparameter."""

_MIN_ROWS = 8
"""Minimum number of configurations for averaging."""

ModelFunction = Callable[[Floats], Floats]
"""Maps unit rows (q, D) to values (models, q)."""


def compute_main_effect(
    space: Space,
    column: int,
    function: ModelFunction,
    rng: np.random.Generator,
    branch_row: Floats | None = None,
) -> Floats | None:
    """Return the main effect of one hyperparameter; ``None`` if it is rarely active.

    It is V_j / V in [0, 1], shape (models,); NaN if the model is constant.

    Args:
        function: Maps unit rows (q, D) to values, shape (models, q).
        branch_row: Shape (D,). Fixed coordinates (of a branch), NaN for drawn ones.
    """
    base = _draw_base(space, column, rng, branch_row)
    if base is None:
        return None
    values = _list_values(space, column)
    rows = np.repeat(base, len(values), axis=0)
    rows[:, column] = np.tile(values, len(base))
    table = function(snap(space, rows))
    return compute_shares(table.reshape(len(table), len(base), len(values)))


def compute_shares(table: Floats) -> Floats:
    """Return V_j / V of each model from its values f(θ_j = g, others = r), shape (models,).

    Args:
        table: Shape (models, R, G).

    Note:
        Means over R settings of the others contain residual interactions, which increase the
        variance of G such means by (1 - 1/G) s² / R, where s² is the residual mean square (two-way
        analysis of variance with one value per cell). This bias is subtracted.
    """
    _, n_contexts, values = table.shape
    grand = table.mean(axis=(1, 2), keepdims=True)
    by_value = table.mean(axis=1, keepdims=True)
    residual = table - by_value - table.mean(axis=2, keepdims=True) + grand
    degrees_of_freedom = max(1, (n_contexts - 1) * (values - 1))
    interaction = (residual**2).sum(axis=(1, 2)) / degrees_of_freedom
    raw_variance = ((by_value - grand) ** 2).mean(axis=(1, 2))
    main_variance = np.maximum(raw_variance - (1.0 - 1.0 / values) * interaction / n_contexts, 0.0)
    total_variance = table.var(axis=(1, 2))
    # Constant up to rounding counts as constant: no variance to share.
    constant = total_variance <= 1e-20 * np.maximum(1.0, grand[:, 0, 0] ** 2)
    effect_shares: Floats = np.where(
        constant, np.nan, main_variance / np.where(constant, 1.0, total_variance)
    )
    return np.minimum(effect_shares, 1.0)


def _draw_base(
    space: Space, column: int, rng: np.random.Generator, branch_row: Floats | None
) -> Floats | None:
    """Draw dense rows (R, D) in which the hyperparameter is active.

    Hyperparameters without dependent ones are spread evenly over their ranges (a Latin hypercube),
    so that averages over few rows are accurate.
    """
    samples = rng.random((_DRAWS, space.dimensions))
    is_fixed = (
        np.zeros(space.dimensions, dtype=bool) if branch_row is None else np.isfinite(branch_row)
    )
    if branch_row is not None:
        samples = np.where(is_fixed, branch_row, samples)
    active = np.flatnonzero(np.isfinite(snap(space, samples)[:, column]))[:_N_CONTEXTS]
    if len(active) < _MIN_ROWS:
        return None
    base = samples[active]
    parent_names = {parent.parent for each in space.parameters for parent in each.conditions}
    for column_index, parameter in enumerate(space.columns):
        if parameter.name not in parent_names and not is_fixed[column_index]:
            base[:, column_index] = (rng.permutation(len(base)) + rng.random(len(base))) / len(base)
    return base


def _list_values(space: Space, column: int) -> Floats:
    """Return unit coordinates (G,) of a hyperparameter's grid: all values, or a selection."""
    parameter = space.columns[column]
    is_choice = hasattr(parameter, "choices") or parameter.count() <= _N_GRID_VALUES
    points = int(parameter.count()) if is_choice else _N_GRID_VALUES
    midpoints: Floats = (np.arange(points) + 0.5) / points
    return midpoints
