"""The probability, from the test rows, that one method's model is truly better than another's."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.compare.outcomes import Outcome
from studio.compare.statistics.poisson_binomial import better_on_labels, better_on_values
from studio.data.metrics.base import predicted_labels, residuals
from studio.document.store import Document
from studio.ensembles.base import combine
from studio.runs.load import load_history
from studio.runs.prepare import build_ensemble, prepare


@dataclass(frozen=True)
class _Losses:
    """Per-row test losses of the models that a cell's trials fitted: 0/1, or of the residual."""

    rows: Floats
    labels: bool


def win_probabilities(
    document: Document, outcomes: Sequence[Outcome], methods: Sequence[str]
) -> dict[str, Floats]:
    """Return for each block how probable it is that method i is truly better than method j.

    Classification: from the rows that one alone has right, whatever the metric (FACTS 9.1).
    Regression: from the normal distribution of the mean paired difference of losses, squared
    residuals (absolute ones where the metric is one of those). Counts and means are averaged over
    repetitions, whose test rows overlap, so that repeating proves no more than one test set could.
    The models are those that the trials fitted, whose predictions the document keeps.

    Parameters
    ----------
    document : Document
        The study's.
    outcomes : sequence of Outcome
        Finished cells.
    methods : sequence of str
        Names, in the order of the matrices.

    Returns
    -------
    dict
        Block → array of shape (n_methods, n_methods), ½ on the diagonal. Only blocks in which
        every method finished at least one repetition that all of them finished.
    """
    found = {}
    for block in dict.fromkeys(outcome.block for outcome in outcomes):
        repetitions: dict[int, dict[str, Outcome]] = {}
        for outcome in outcomes:
            if outcome.block == block:
                repetitions.setdefault(outcome.repetition, {})[outcome.method] = outcome
        complete = [each for each in repetitions.values() if set(methods) <= set(each)]
        if complete:
            losses = [[_losses(document, each[name]) for name in methods] for each in complete]
            found[block] = _matrix(losses, len(methods))
    return found


def _losses(document: Document, outcome: Outcome) -> _Losses:
    """Rebuild what the run ends in from its history, and score it row by row on the test rows."""

    def predictions(number: int) -> AnyArray:
        stored = document.predictions(outcome.run_id, number, "test")
        assert stored is not None, "members have predictions for the test rows"
        return stored

    prepared = prepare(document, outcome.run_id)
    ensemble = build_ensemble(prepared, load_history(document, outcome.run_id, prepared))
    combined = combine(predictions, ensemble)
    truth = prepared.problem.y[prepared.split.test]
    if combined.ndim == 2:
        return _Losses((predicted_labels(combined) != truth).astype(np.float64), labels=True)
    distance = residuals(truth, combined)
    absolute = outcome.metric in {"mae", "median_absolute_error"}
    return _Losses(np.abs(distance) if absolute else distance**2, labels=False)


def _matrix(repetitions: Sequence[Sequence[_Losses]], n_methods: int) -> Floats:
    probabilities = np.full((n_methods, n_methods), 0.5)
    for i in range(n_methods):
        for j in range(i + 1, n_methods):
            pairs = [(each[i], each[j]) for each in repetitions]
            probabilities[i, j] = _better(pairs)
            probabilities[j, i] = 1 - probabilities[i, j]
    return probabilities


def _better(pairs: Sequence[tuple[_Losses, _Losses]]) -> float:
    differences = [mine.rows - theirs.rows for mine, theirs in pairs]
    if pairs[0][0].labels:
        wrong_alone = float(np.mean([(each > 0).sum() for each in differences]))
        right_alone = float(np.mean([(each < 0).sum() for each in differences]))
        return better_on_labels(wrong_alone, right_alone)
    mean = float(np.mean([each.mean() for each in differences]))
    variance = float(np.mean([each.var(ddof=min(1, len(each) - 1)) for each in differences]))
    rows = float(np.mean([len(each) for each in differences]))
    return better_on_values(mean, (variance / rows) ** 0.5)
