"""Read the finished trials of a run back into a history."""

from studio.document.store import Document
from studio.runs.prepare import Prepared
from studio.trial import History


def empty_history(prepared: Prepared) -> History:
    """Return a history for the run's validation rows, before any trial."""
    truth = prepared.problem.y[prepared.split.validation]
    return History(truth, len(prepared.problem.classes))


def load_history(
    document: Document, run_id: int, prepared: Prepared, length: int | None = None
) -> History:
    """Return the history of a run as the document has it.

    Parameters
    ----------
    length : int or None
        Only the first so many trials; ``None`` for all.
    """
    history = empty_history(prepared)
    for trial in document.trials(run_id)[:length]:
        history.append(trial, document.predictions(run_id, trial.number, "validation"))
    return history
