"""The ensemble of a finished run, chosen again or as its result records it."""

from studio.document.runs import RunRow
from studio.ensembles.base import Ensemble
from studio.runs.prepare import Prepared, build_ensemble
from studio.trial import History, refuse_lost


def chosen_ensemble(row: RunRow, prepared: Prepared, history: History) -> Ensemble:
    """Return the ensemble of a run's whole history.

    Where a trial that is no member is lost, it is the one that the run's result names: choosing
    again without that trial might give another one.

    Raises
    ------
    DocumentError
        If a lost trial is a member, or the result does not say all of the ensemble.
    """
    if not any(trial.lost for trial in history.trials):
        return build_ensemble(prepared, history)
    result, known = row.result, {trial.number for trial in history.succeeded}
    if (
        result is None
        or not result.members
        or not result.weights.keys() <= known
        or result.trials != len(history)
        or result.combination == "stack"  # its second model is not in the result
    ):
        refuse_lost(history.trials)
    assert result is not None, "a lost trial was refused"
    members = result.weights
    return Ensemble(
        tuple(members),
        tuple(members.values()),
        result.combination,
        temperature=result.temperature,
    )


def final_ensemble(row: RunRow, prepared: Prepared, history: History) -> Ensemble:
    """Return the ensemble that a run predicts with: its result's, or the newest while it has none.

    Raises
    ------
    DocumentError
        As :func:`chosen_ensemble` does.
    """
    if row.result is None:
        return build_ensemble(prepared, history)
    built = chosen_ensemble(row, prepared, history)
    chosen = row.result.weights.keys()
    # Without members that could not be refitted. A run that went on after its result, and
    # was stopped, may have others by now; then the newest ensemble is what one looks at.
    return built.keeping(chosen) if chosen <= set(built.members) else built
