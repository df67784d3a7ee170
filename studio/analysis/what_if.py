"""What-if ensembles: edited by hand, compared with the run's own.

Everything is computed from the stored predictions of trials. Nothing is trained except a stack's
small linear layer, and nothing is stored.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from weakref import WeakKeyDictionary

from studio.analysis.answers.ensemble import WhatIfLosses
from studio.analysis.bounded_cache import get_or_compute
from studio.arrays import AnyArray
from studio.document.store import Document
from studio.ensembles.base import Combination, Ensemble, combine
from studio.ensembles.calibration import describe_temperature
from studio.errors import EnsembleError
from studio.phrases import join_phrases, phrase
from studio.runs.load import follow, load_test_predictions
from studio.runs.prepare import PreparedRun, derive_ensemble_seed
from studio.runs.uncertainty import compute_test_difference_interval
from studio.trial import DIFFERENT_ROWS, History, check_no_lost_trials

NO_ENSEMBLE = phrase("No model was trained by this iteration, so there is no ensemble to change.")

_COMBINATION_RULES: dict[Combination, str] = {
    "vote": phrase(
        "Members vote; the class with the largest total weight wins. Probabilities are averaged."
    ),
    "mean": phrase("The members' predictions are averaged."),
    "stack": phrase("A linear layer combines the members' predictions."),
}
_REFITTED_NOTE = phrase("The layer was refitted on the validation rows for these members.")
_KEPT_NOTE = phrase(
    "The search's layer is used; omitted members are replaced by their mean predictions."
)


def compute_what_if(
    path: Path, run_id: int, iteration: int, weights: Mapping[int, float]
) -> WhatIfLosses:
    """Return the losses of the ensemble of these trials.

    Args:
        iteration: The iteration of the compared ensemble, whose rule combines the members.
        weights: By trial number, at least one above 0; only their proportions count.

    Raises:
        EnsembleError: If no weight is above 0, or a trial has no predictions (at that iteration).
    """
    with Document.open(path, writable=False) as document:
        prepared, history = follow(document, run_id)
        if not history.comparable:
            return WhatIfLosses(reason=DIFFERENT_ROWS)
        if not any(trial.number <= iteration for trial in history.succeeded):
            return WhatIfLosses(reason=NO_ENSEMBLE)
        chosen_weights = _check_weights(history, iteration, weights)
        actual = get_actual_ensemble(prepared, history, iteration)
        ensemble, description = _make_weighted(prepared, history, actual, chosen_weights)
        test = make_test_reader(document, run_id, prepared, history)
        rows = prepared.split.test
        predictions = combine(test, ensemble) if rows.size else None
        what_if_losses = _compute_losses(prepared, history, ensemble, predictions)
        cache = _LOSS_CACHE.setdefault(history, _CachedLosses())
        if iteration not in cache.real:
            actual_predictions = combine(test, actual) if rows.size else None
            losses = _compute_losses(prepared, history, actual, actual_predictions)
            cache.real[iteration] = losses
        for number in chosen_weights if rows.size else ():
            if number not in cache.own_test:
                cache.own_test[number] = prepared.compute_loss(rows, test(number))
    member_test_losses = {
        number: cache.own_test[number] for number in chosen_weights if number in cache.own_test
    }
    actual_losses, difference = cache.real[iteration], None
    if predictions is not None and what_if_losses[1] != actual_losses[1]:
        difference = compute_test_difference_interval(prepared, predictions, combine(test, actual))
    return WhatIfLosses(
        *what_if_losses,
        *actual_losses,
        actual.combination,
        description,
        actual.combination != "stack",
        member_test_losses,
        difference,
    )


def get_actual_ensemble(prepared_run: PreparedRun, history: History, iteration: int) -> Ensemble:
    """Return the run's ensemble after ``iteration`` trials, independent of later ones.

    Recent results are cached: the same history gives the same ensemble.

    Raises:
        EnsembleError: If no trial had predictions.
        DamagedError: If one of them is lost.
    """
    check_no_lost_trials(history.trials[:iteration])
    n_trials, build = min(iteration, len(history)), prepared_run.method.ensemble.build_after
    return get_or_compute(
        _ENSEMBLES.setdefault(history, OrderedDict()),
        n_trials,
        lambda: build(
            history, n_trials, prepared_run.objective, derive_ensemble_seed(prepared_run.settings)
        ),
        _MAX_ENSEMBLES,
    )


def _compute_losses(
    prepared_run: PreparedRun, history: History, ensemble: Ensemble, test: AnyArray | None
) -> tuple[float | None, float | None]:
    """Return validation and test loss, the latter of test predictions, (n, C) or (n,), if any."""
    rows = prepared_run.split
    validation = combine(history.get_predictions, ensemble)
    return prepared_run.compute_loss(rows.validation, validation), (
        None if test is None else prepared_run.compute_loss(rows.test, test)
    )


def make_test_reader(
    document: Document, run_id: int, prepared_run: PreparedRun, history: History
) -> Callable[[int], AnyArray]:
    """Return a function for a trial's stored test predictions, with a cache.

    They have shape (n, C) or (n,). It raises :class:`studio.errors.EnsembleError` where there are
    none, and :class:`studio.errors.DamagedError` if they are damaged.
    """
    cache = _TEST_CACHE.setdefault(history, {})

    def read_test(number: int) -> AnyArray:
        if number not in cache:
            predictions = load_test_predictions(document, run_id, number, prepared_run)
            if predictions is None:
                raise EnsembleError(
                    "Trial {number} has no predictions for the test rows.", number=number
                )
            cache[number] = predictions
        return cache[number]

    return read_test


_TEST_CACHE: WeakKeyDictionary[History, dict[int, AnyArray]] = WeakKeyDictionary()


@dataclass
class _CachedLosses:
    """Cached losses of a run: validation and test loss by iteration, test loss by trial."""

    real: dict[int, tuple[float | None, float | None]] = field(default_factory=dict)
    own_test: dict[int, float] = field(default_factory=dict)


_LOSS_CACHE: WeakKeyDictionary[History, _CachedLosses] = WeakKeyDictionary()


_MAX_ENSEMBLES = 8
"""Maximum number of cached ensembles of a run."""

_ENSEMBLES: WeakKeyDictionary[History, OrderedDict[int, Ensemble]] = WeakKeyDictionary()
"""Recent ensembles by iteration, with weak references to the runs."""


def _check_weights(
    history: History, iteration: int, weights: Mapping[int, float]
) -> dict[int, float]:
    positive_weights = {number: weight for number, weight in weights.items() if weight > 0}
    if not positive_weights:
        raise EnsembleError("An ensemble needs at least one member: tick or add a trial.")
    for number in positive_weights:
        if not 0 < number <= min(iteration, len(history)):
            raise EnsembleError(
                "Trial {number} had not finished by iteration {iteration}.",
                number=number,
                iteration=iteration,
            )
        if history.trials[number - 1].loss is None:
            raise EnsembleError(
                "Trial {number} has no model, so it cannot be a member.", number=number
            )
    total = sum(positive_weights.values())
    return {number: weight / total for number, weight in positive_weights.items()}


def _make_weighted(
    prepared_run: PreparedRun, history: History, actual: Ensemble, chosen_weights: dict[int, float]
) -> tuple[Ensemble, str]:
    """Return the what-if ensemble, and a description of its combination."""
    description = _COMBINATION_RULES[actual.combination]
    if actual.layer is None:
        ensemble = Ensemble(
            tuple(chosen_weights), tuple(chosen_weights.values()), actual.combination
        )
        ensemble = prepared_run.method.ensemble.fit_temperature(
            ensemble, history, prepared_run.objective
        )
        return ensemble, join_phrases((description, describe_temperature(ensemble.temperature)))
    if set(chosen_weights) <= set(actual.members):
        return actual.select_members(chosen_weights), join_phrases((description, _KEPT_NOTE))
    builder = prepared_run.method.ensemble
    return builder.fit_layer(history, tuple(chosen_weights)), join_phrases(
        (description, _REFITTED_NOTE)
    )
