"""How different the members of an ensemble are, pair by pair, from their stored predictions."""

from pathlib import Path

import numpy as np

from studio.analysis.answers.ensemble import PairDiversity
from studio.document.store import Document
from studio.ensembles.diversity import (
    pairwise_disagreement,
    pairwise_diversity,
    similar_together,
)
from studio.phrases import phrase
from studio.runs.load import follow
from studio.trial import refuse_lost

TOO_FEW = phrase("The ensemble has fewer than two members, so there is no pair to compare.")


def member_diversity(path: Path, run_id: int, iteration: int | None) -> PairDiversity:
    """Compare the members' stored validation predictions.

    Args:
        path: The document.
        run_id: The run.
        iteration: Whose ensemble; ``None`` for the newest.
    """
    with Document.open(path, writable=False) as document:
        after = 0 if iteration is None else max(0, iteration - 1)
        rows = document.trials.rows(run_id, after=after)
        asked = [rows[-1 if iteration is None else 0]] if rows else []
        refuse_lost(row.trial for row in asked)
        members = [number for row in asked for number, _ in row.iteration.members]
        if len(members) < 2:
            return PairDiversity(reason=TOO_FEW)
        prepared, history = follow(document, run_id)
    refuse_lost(history.trials[number - 1] for number in members)
    predictions = [history.predictions(number) for number in members]
    diversity = pairwise_diversity(predictions, history.truth, history.weights)
    disagreement = diversity
    if prepared.problem.classes:
        disagreement = pairwise_disagreement(
            [each.argmax(axis=1) for each in predictions], history.weights
        )
    order = similar_together(diversity)
    return PairDiversity(
        members=np.array(members, dtype=np.int64)[order],
        diversity=diversity[np.ix_(order, order)],
        disagreement=disagreement[np.ix_(order, order)],
        classes=bool(prepared.problem.classes),
    )
