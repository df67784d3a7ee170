"""Headline of a run's result, in plain words.

Older versions did not store it, and their final models are not available. It is then computed from
the trials' test predictions, which differ from the final ones only by the refit.
"""

from pathlib import Path

from studio.analysis.what_if import NO_ENSEMBLE
from studio.data.metrics.plain_score import PlainScore
from studio.document.runs import RunRow
from studio.document.store import Document
from studio.ensembles.base import combine
from studio.errors import RunError
from studio.runs.headline import make_test_headline, make_validation_headline
from studio.runs.load import follow, load_scored_predictions, load_test_predictions, select_ensemble
from studio.runs.prepare import PreparedRun
from studio.trial import History


def load_headline(path: Path, run_id: int) -> PlainScore:
    """Return the first sentence about a finished run; raise RunError if no trial succeeded."""
    with Document.open(path, writable=False) as document:
        row = document.runs.get(run_id)
        if (stored_headline := row.result and row.result.headline) is not None:
            return stored_headline
        if not row.prepared:
            raise RunError(NO_ENSEMBLE)
        prepared, history = follow(document, run_id)
        if not history.succeeded:
            raise RunError(NO_ENSEMBLE)
        return compute_headline(document, row, prepared, history)


def compute_headline(
    document: Document, row: RunRow, prepared_run: PreparedRun, history: History
) -> PlainScore:
    """Return the headline from trials' predictions; raise DamagedError if one is lost."""
    ensemble = select_ensemble(row, prepared_run, history)
    test = {
        number: load_test_predictions(document, row.id, number, prepared_run)
        for number in ensemble.members
    }
    stored_tests = {number: each for number, each in test.items() if each is not None}
    if len(stored_tests) == len(test):
        return make_test_headline(prepared_run, combine(stored_tests.__getitem__, ensemble))
    first = ensemble.members[0]
    seed = history.trials[first - 1].seed
    if history.comparable:
        return make_validation_headline(
            prepared_run, seed, combine(history.get_predictions, ensemble)
        )
    # If each trial has separate validation rows, the ensemble is a single model.
    single_predictions = load_scored_predictions(document, row.id, first, prepared_run, seed)
    return make_validation_headline(prepared_run, seed, single_predictions)
