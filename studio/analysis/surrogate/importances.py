"""How much each hyperparameter matters, by the surrogate fitted to the trials' own losses."""

import hashlib
from pathlib import Path

import numpy as np

from studio.analysis.answers.importances import Importances
from studio.analysis.surrogate.coordinates import has
from studio.analysis.surrogate.effects import main_effect
from studio.analysis.surrogate.scope import in_branch
from studio.analysis.surrogate.snapshot import SurrogateSnapshot, moment, view_of
from studio.arrays import Floats
from studio.errors import SpaceError
from studio.phrases import phrase
from studio.proposers.bayesian import ModelBased, Observations, own_losses
from studio.space.branches import branch_names, branching
from studio.space.space import Space
from studio.surrogates.base import Posterior, Surrogate
from studio.surrogates.random_forest import RandomForest

LEAST = 5
"""Successful trials from which there is something to say."""

TREES = 50
"""Trees of the forest that is used where a method has no surrogate."""

_MARGIN = 2
"""Trials with a hyperparameter from which on its effect is given."""


Chosen = tuple[int, str, Floats | None]
"""A column, where it is measured, and the coordinates that are held there."""


def importances(path: Path, run_id: int, iteration: int | None, branch: str) -> Importances:
    """Return the main effects after an iteration.

    Args:
        path, run_id, iteration: As for :func:`studio.analysis.surrogate.slices.surrogate_slice`.
        branch: Whose hyperparameters are measured beside those that are always active; "" for none.

    Raises:
        SpaceError: If the space has no such branch.
    """
    at = moment(path, run_id, iteration)
    space, proposer = at.prepared.space, at.prepared.method.proposer
    succeeded = len(at.history.succeeded)
    if succeeded < LEAST:
        return Importances(
            reason=phrase(
                "Importance needs at least {least} successful trials; there are {succeeded}.",
                least=LEAST,
                succeeded=succeeded,
            )
        )
    observed = own_losses(at.search)
    if np.ptp(observed.targets) == 0.0:
        return Importances(
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
            "a random forest of {trees} trees, since {proposer} has no surrogate",
            trees=TREES,
            proposer=phrase(proposer.title),
        )
    posterior = _fitted(at, surrogate, observed)
    chosen = [*_always(space), *_of_branch(space, branch)]
    share, spread = np.full(len(chosen), np.nan), np.full(len(chosen), np.nan)
    tried = np.zeros(len(chosen), dtype=np.int64)
    for place, (column, scope, where) in enumerate(chosen):
        name = space.columns[column].name
        tried[place] = int(has(observed.U, [column], where).sum())
        if tried[place] < _MARGIN:
            continue
        # By its name: the same draws at every iteration, so that bars move with the surrogate only.
        seed = int.from_bytes(hashlib.sha256(f"{scope}/{name}".encode()).digest()[:4], "big")
        effect = main_effect(space, column, posterior.by_model, np.random.default_rng(seed), where)
        if effect is None or not np.isfinite(effect.share).any():
            continue
        share[place] = float(np.nanmean(effect.share))
        spread[place] = float(np.nanstd(effect.share))
    return Importances(
        names=tuple(space.columns[column].name for column, _, _ in chosen),
        scopes=tuple(scope for _, scope, _ in chosen),
        share=share,
        spread=spread,
        tried=tried,
        model=model,
        models_are=posterior.models_are,
        models=len(posterior.by_model(observed.U[:1])),
        reason="" if chosen else phrase("No hyperparameter of this space has more than one value."),
    )


def _fitted(at: SurrogateSnapshot, surrogate: Surrogate, observed: Observations) -> Posterior:
    """Fit the surrogate, or take the one of the next suggestion if it learnt just the same."""
    if isinstance(at.prepared.method.proposer, ModelBased) and not at.search.pending:
        view = view_of(at)
        if (
            not isinstance(view, str)
            and view.posterior.of_whole_space
            and view.observations.label == observed.label
        ):
            return view.posterior
    rng = np.random.default_rng([at.search.seed, 7])
    return surrogate.fit(at.prepared.space, observed.U, observed.targets, rng)


def _always(space: Space) -> list[Chosen]:
    """Return the hyperparameters that are always active; all, where there are no branches."""
    parted = branching(space) is not None
    return [
        (column, "", None)
        for column, parameter in enumerate(space.columns)
        if not (parted and parameter.conditions)
    ]


def _of_branch(space: Space, branch: str) -> list[Chosen]:
    """Return the hyperparameters that are active in a branch only, or in some branches."""
    root = branching(space)
    if not branch or root is None:
        return []
    if branch not in [str(choice) for choice in root.choices]:
        raise SpaceError("{root} has no value {branch!r}.", root=root.name, branch=branch)
    where = in_branch(space, root.name, branch)
    names = branch_names(space, branch)
    return [
        (column, branch, where)
        for column, parameter in enumerate(space.columns)
        if parameter.name in names
    ]
