"""Loss of each trial, alone and within the ensemble.

EO minimises f(γ|E), the loss of the ensemble with a model added, whereas Bayesian optimisation
minimises f(γ), the loss of the model alone (EO figures 1 and 3; thesis 4.2, 4.4). Both are computed
from stored predictions, at any iteration; only the surrogate of one curve is fitted.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np

from studio.analysis.answers.ensemble import EnsembleObjective
from studio.analysis.surrogate.coordinates import GRID_SIZE, make_coordinate
from studio.analysis.what_if import NO_ENSEMBLE, get_actual_ensemble
from studio.arrays import Floats, Integers
from studio.document.store import Document
from studio.ensembles.base import Ensemble, combine, prepare_for_scoring
from studio.ensembles.losses.base import EnsembleLoss
from studio.ensembles.running import make_running_ensemble
from studio.ensembles.slots import Slots
from studio.phrases import phrase
from studio.proposers.bayesian import ModelBased
from studio.runs.load import follow
from studio.runs.prepare import PreparedRun, derive_ensemble_seed
from studio.seeds import derive
from studio.space.encoding import encode
from studio.surrogates.base import Posterior
from studio.trial import DIFFERENT_ROWS, History, check_no_lost_trials

MAX_SLOTS = 24
"""Maximum number of slots for which all curves are computed."""

MAX_FITTED = 1200
"""Maximum number of losses, of all slots together, for fitting their surrogates."""

_STACKED_NOTE = phrase(
    "The method's linear layer would have to be refitted for every trial; here the members' "
    "predictions and the trial's are averaged instead."
)


def compute_ensemble_objective(
    path: Path,
    run_id: int,
    iteration: int,
    *,
    slot: int | None = None,
    parameter: str | None = None,
    every_slot: bool = False,
) -> EnsembleObjective:
    """Return the trials' losses, alone and within the ensemble, up to an iteration.

    Args:
        slot: The slot of EO to leave out; ``None`` for that of the next suggestion.
        parameter: A hyperparameter of the run's space, for ``trial_x`` and the surrogate.
        every_slot: Whether to compute the losses without each slot as well.
    """
    with Document.open(path, writable=False) as document:
        prepared, history = follow(document, run_id)
    if not history.comparable:
        return EnsembleObjective(reason=DIFFERENT_ROWS)
    iteration = min(iteration, len(history))
    check_no_lost_trials(history.trials[:iteration])
    numbers = history.list_numbers()
    numbers = numbers[numbers <= iteration]
    if not numbers.size:
        return EnsembleObjective(reason=NO_ENSEMBLE)
    slots = prepared.method.proposer.get_search_slots()
    if slots is not None:
        objective = _compute_slot_objective(
            prepared, slots, history, iteration, numbers, slot=slot, every_slot=every_slot
        )
    else:
        objective = _compute_metric_objective(prepared, history, iteration, numbers)
    if parameter is None:
        return replace(objective, trial_x=numbers.astype(np.float64))
    return _place_along_hyperparameter(prepared, history, iteration, objective, parameter)


def _compute_metric_objective(
    prepared_run: PreparedRun, history: History, iteration: int, numbers: Integers
) -> EnsembleObjective:
    """Add each trial, (t,), with the members' mean weight, to the run's ensemble."""
    ensemble = get_actual_ensemble(prepared_run, history, iteration)
    note = phrase("The trial is given the weight of an average member.")
    if ensemble.layer is not None:
        ensemble = Ensemble(ensemble.members, ensemble.weights, "mean")
        note = _STACKED_NOTE
    rows, size = prepared_run.split.validation, len(ensemble.members)
    ensemble_predictions = combine(history.get_predictions, replace(ensemble, temperature=1.0))
    losses_with_trial = np.empty(len(numbers))
    for index, number in enumerate(numbers.tolist()):
        single_ensemble = Ensemble((number,), (1.0,), ensemble.combination)
        mixture = (
            size * ensemble_predictions + combine(history.get_predictions, single_ensemble)
        ) / (size + 1)
        losses_with_trial[index] = prepared_run.compute_loss(
            rows, prepare_for_scoring(mixture, ensemble.temperature)
        )
    return EnsembleObjective(
        numbers=numbers,
        trial_losses=np.array(
            [history.trials[number - 1].loss for number in numbers], dtype=np.float64
        ),
        joint_losses=losses_with_trial,
        members=np.isin(numbers, ensemble.members),
        losses_by_slot=np.empty((0, len(numbers))),
        ensemble_loss=prepared_run.compute_loss(
            rows, prepare_for_scoring(ensemble_predictions, ensemble.temperature)
        ),
        loss=prepared_run.metric.title,
        in_metric=True,
        note=note,
    )


def _compute_slot_objective(
    prepared_run: PreparedRun,
    slots: Slots,
    history: History,
    iteration: int,
    numbers: Integers,
    *,
    slot: int | None,
    every_slot: bool,
) -> EnsembleObjective:
    """Insert each trial, (t,), into one slot of EO's ensemble, and compute EO's own loss."""
    slot_replay = slots.replay(history, derive_ensemble_seed(prepared_run.settings))
    slot_replay.advance()
    slot_trials = slot_replay.trace[iteration - 1]
    next_slot = iteration % len(slot_trials)
    chosen_slot = next_slot if slot is None else min(max(slot, 0), len(slot_trials) - 1)
    single_losses = make_running_ensemble(history).compute_candidate_losses(
        numbers.tolist(), slot_replay.loss
    )
    omitted_slots = range(len(slot_trials)) if every_slot and len(slot_trials) <= MAX_SLOTS else ()
    slot_members = [each for each in slot_trials if each is not None]
    return EnsembleObjective(
        numbers=numbers,
        trial_losses=single_losses,
        joint_losses=_compute_losses_without_slot(
            history, slot_trials, chosen_slot, numbers, slot_replay.loss
        ),
        members=np.isin(numbers, slot_members),
        losses_by_slot=np.array(
            [
                _compute_losses_without_slot(history, slot_trials, each, numbers, slot_replay.loss)
                for each in omitted_slots
            ]
        ).reshape(len(omitted_slots), len(numbers)),
        slot_trials=np.array([each or 0 for each in slot_trials], dtype=np.int64),
        slot=chosen_slot,
        next_slot=next_slot,
        ensemble_loss=_compute_ensemble_loss(history, slot_members, slot_replay.loss),
        loss=slot_replay.loss.title,
        in_metric=False,
        note=phrase("The trial takes the place of the slot's member."),
    )


def _compute_losses_without_slot(
    history: History,
    slot_trials: tuple[int | None, ...],
    slot: int,
    numbers: Integers,
    loss: EnsembleLoss,
) -> Floats:
    """Return L(E without the slot ∪ {h}) of each trial, (t,), NaN for the other members."""
    other_members = [
        each
        for slot_index, each in enumerate(slot_trials)
        if each is not None and slot_index != slot
    ]
    running_ensemble = make_running_ensemble(history)
    for member in other_members:
        running_ensemble.add(member)
    is_candidate = ~np.isin(numbers, other_members)
    losses = np.full(len(numbers), np.nan)
    losses[is_candidate] = running_ensemble.compute_candidate_losses(
        numbers[is_candidate].tolist(), loss
    )
    return losses


def _compute_ensemble_loss(history: History, members: list[int], loss: EnsembleLoss) -> float:
    running_ensemble = make_running_ensemble(history)
    for member in members[:-1]:
        running_ensemble.add(member)
    return float(running_ensemble.compute_candidate_losses(members[-1:], loss)[0])


def _place_along_hyperparameter(
    prepared_run: PreparedRun,
    history: History,
    iteration: int,
    objective: EnsembleObjective,
    parameter: str,
) -> EnsembleObjective:
    """Set the trials' values of a hyperparameter, and the surrogate's curve, if any."""
    trials = history.trials[:iteration]
    U = encode(prepared_run.space, [trial.configuration for trial in trials])
    axis = make_coordinate(prepared_run.space, parameter)
    objective = replace(
        objective,
        trial_x=axis.to_values(U)[objective.numbers - 1],
        is_log=axis.log,
        choices=axis.choices,
    )
    proposer = prepared_run.method.proposer
    if proposer.get_search_slots() is None or not isinstance(proposer, ModelBased):
        return objective
    if iteration < proposer.initial:
        return objective
    if not np.isfinite(objective.joint_losses).any():
        return objective
    failed = np.array([trial.number for trial in trials if trial.loss is None], dtype=np.int64)
    # The seed of the next suggestion: it gives the same surrogate for the next slot.
    seed = derive(prepared_run.settings.seed, "suggest", iteration + 1)

    def get_unit_observations(losses: Floats) -> tuple[Floats, Floats]:
        """Return unit rows, (n, D), and losses, (n,), for EO's surrogate, from trials (t,)."""
        is_finite = np.isfinite(losses)
        numbers = np.concatenate([objective.numbers[is_finite], failed])
        penalty = np.full(failed.size, losses[is_finite].max())
        return U[numbers - 1], np.concatenate([losses[is_finite], penalty])

    def fit_surrogate(losses: Floats) -> Posterior:
        rng = np.random.default_rng([seed, 1])
        return proposer.surrogate.fit(prepared_run.space, *get_unit_observations(losses), rng)

    observed_rows, losses = get_unit_observations(objective.joint_losses)
    active_rows = np.flatnonzero(np.isfinite(observed_rows[:, axis.column]))
    if not active_rows.size:
        return objective
    rows, grid = axis.make_line(
        observed_rows[active_rows[np.argmin(losses[active_rows])]], GRID_SIZE
    )
    mean, sd = fit_surrogate(objective.joint_losses).predict_mixture(rows)
    is_small = objective.losses_by_slot.size <= MAX_FITTED
    slot_means = [
        # An empty slot has no candidate while all trials are members.
        fit_surrogate(losses).predict_mixture(rows)[0]
        if np.isfinite(losses).any()
        else np.full(len(grid), np.nan)
        for losses in (objective.losses_by_slot if is_small else ())
    ]
    return replace(
        objective,
        grid=grid,
        mean=mean,
        sd=sd,
        means_by_slot=np.array(slot_means).reshape(len(slot_means), len(grid)),
    )
