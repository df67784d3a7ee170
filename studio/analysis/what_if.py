"""What-if ensembles: edited by hand, compared with the run's own.

Everything comes from the predictions that the document keeps of every trial. Nothing is trained,
but a stack's small linear layer, and nothing is written.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from weakref import WeakKeyDictionary

from studio.analysis.answers.ensemble import WhatIf
from studio.analysis.recent import recall
from studio.arrays import AnyArray
from studio.document.store import Document
from studio.ensembles.base import Combination, Ensemble, combine
from studio.ensembles.calibration import describe_temperature
from studio.errors import EnsembleError
from studio.phrases import joined, phrase
from studio.runs.load import follow, test_predictions
from studio.runs.prepare import PreparedRun, ensemble_seed
from studio.trial import DIFFERENT_ROWS, History, check_no_lost_trials

NO_ENSEMBLE = phrase(
    "No model had been trained by this iteration, so there is no ensemble to change."
)

_RULES: dict[Combination, str] = {
    "vote": phrase(
        "Members vote; the class with the most weight wins. Probabilities are averaged."
    ),
    "mean": phrase("The members' predictions are averaged."),
    "stack": phrase("A linear layer combines the members' predictions."),
}
_REFITTED = phrase("The layer was refitted on the validation rows for these members.")
_KEPT = phrase(
    "The layer is the one from the search; a member that is left out is replaced by its mean "
    "prediction."
)


def what_if(path: Path, run_id: int, iteration: int, weights: Mapping[int, float]) -> WhatIf:
    """Return the losses of the ensemble of these trials.

    Args:
        iteration: That of the ensemble to compare with, whose rule combines the members.
        weights: By trial number, at least one above 0; only their proportions count.

    Raises:
        EnsembleError: If no weight is above 0, or a trial gave no predictions (by that iteration).
    """
    with Document.open(path, writable=False) as document:
        prepared, whole = follow(document, run_id)
        if not whole.comparable:
            return WhatIf(reason=DIFFERENT_ROWS)
        if not any(trial.number <= iteration for trial in whole.succeeded):
            return WhatIf(reason=NO_ENSEMBLE)
        chosen = _check_weights(whole, iteration, weights)
        real = actual_ensemble(prepared, whole, iteration)
        ensemble, rule = _as_weighted(prepared, whole, real, chosen)
        test = stored_test(document, run_id, prepared, whole)
        hand = compute_losses(prepared, whole, test, ensemble)
        known = _KNOWN.setdefault(whole, _CachedLosses())
        if iteration not in known.real:
            known.real[iteration] = compute_losses(prepared, whole, test, real)
        rows = prepared.split.test
        for number in chosen if rows.size else ():
            if number not in known.own_test:
                known.own_test[number] = prepared.loss(rows, test(number))
    own = {number: known.own_test[number] for number in chosen if number in known.own_test}
    beside = known.real[iteration]
    return WhatIf(*hand, *beside, real.combination, rule, real.combination != "stack", own)


def actual_ensemble(prepared: PreparedRun, history: History, iteration: int) -> Ensemble:
    """Return the run's ensemble after ``iteration`` trials, independent of later ones.

    The last ones are kept: the same history gives the same ensemble.

    Raises:
        EnsembleError: If no trial had given predictions.
        DamagedError: If one of them is lost.
    """
    check_no_lost_trials(history.trials[:iteration])
    at, build = min(iteration, len(history)), prepared.method.ensemble.build_after
    return recall(
        _ENSEMBLES.setdefault(history, OrderedDict()),
        at,
        lambda: build(history, at, prepared.objective, ensemble_seed(prepared.settings)),
        _MAX_ENSEMBLES,
    )


def compute_losses(
    prepared: PreparedRun,
    history: History,
    test: Callable[[int], AnyArray],
    ensemble: Ensemble,
) -> tuple[float | None, float | None]:
    """Return an ensemble's validation and test loss by the run's metric; ``None`` without rows.

    ``test`` gives a trial's test predictions, shape (n, C) or (n,), by its number.
    """
    split = prepared.split
    tested = None
    if split.test.size:
        tested = prepared.loss(split.test, combine(test, ensemble))
    kept = prepared.loss(split.validation, combine(history.predictions, ensemble))
    return kept, tested


def stored_test(
    document: Document, run_id: int, prepared: PreparedRun, history: History
) -> Callable[[int], AnyArray]:
    """Return a function for a trial's stored test predictions, with a cache.

    They have shape (n, C) or (n,). It raises :class:`studio.errors.EnsembleError` where there are
    none, and :class:`studio.errors.DamagedError` where they are not what was written.
    """
    known = _TEST.setdefault(history, {})

    def of(number: int) -> AnyArray:
        if number not in known:
            stored = test_predictions(document, run_id, number, prepared)
            if stored is None:
                raise EnsembleError(
                    "Trial {number} has no predictions for the test rows.", number=number
                )
            known[number] = stored
        return known[number]

    return of


_TEST: WeakKeyDictionary[History, dict[int, AnyArray]] = WeakKeyDictionary()


@dataclass
class _CachedLosses:
    """Cached losses of a run: validation and test loss by iteration, test loss by trial."""

    real: dict[int, tuple[float | None, float | None]] = field(default_factory=dict)
    own_test: dict[int, float] = field(default_factory=dict)


_KNOWN: WeakKeyDictionary[History, _CachedLosses] = WeakKeyDictionary()


_MAX_ENSEMBLES = 8
"""Maximum number of cached ensembles of a run."""

_ENSEMBLES: WeakKeyDictionary[History, OrderedDict[int, Ensemble]] = WeakKeyDictionary()
"""The last ensembles by iteration; they keep no run that nobody else keeps."""


def _check_weights(
    history: History, iteration: int, weights: Mapping[int, float]
) -> dict[int, float]:
    chosen = {number: weight for number, weight in weights.items() if weight > 0}
    if not chosen:
        raise EnsembleError("An ensemble needs at least one member: tick or add a trial.")
    for number in chosen:
        if not 0 < number <= min(iteration, len(history)):
            raise EnsembleError(
                "Trial {number} had not finished by iteration {iteration}.",
                number=number,
                iteration=iteration,
            )
        if history.trials[number - 1].loss is None:
            raise EnsembleError("Trial {number} failed, so it cannot be a member.", number=number)
    total = sum(chosen.values())
    return {number: weight / total for number, weight in chosen.items()}


def _as_weighted(
    prepared: PreparedRun, history: History, real: Ensemble, chosen: dict[int, float]
) -> tuple[Ensemble, str]:
    """Return the what-if ensemble, and a description of its combination."""
    rule = _RULES[real.combination]
    if real.layer is None:
        made = Ensemble(tuple(chosen), tuple(chosen.values()), real.combination)
        made = prepared.method.ensemble.calibrated(made, history, prepared.objective)
        return made, joined((rule, describe_temperature(made.temperature)))
    if set(chosen) <= set(real.members):
        return real.select_members(chosen), joined((rule, _KEPT))
    builder = prepared.method.ensemble
    return builder.fit_layer(history, tuple(chosen)), joined((rule, _REFITTED))
