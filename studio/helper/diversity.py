"""Task ``diversity``: how different the members of an ensemble are, pair by pair."""

from pathlib import Path
from typing import Any

import numpy as np

from studio.helper.registry import Answer
from studio.phrases import phrase


def run(arguments: dict[str, Any]) -> Answer:
    """Compare the members' stored validation predictions.

    Parameters
    ----------
    arguments : dict
        document, run; iteration: whose ensemble, or ``None`` for the newest.

    Returns
    -------
    dict, arrays
        reason: why there is nothing, or empty; classes: whether classes are predicted; members
        (m,) with similar ones side by side, diversity and disagreement (m, m). Values cannot
        disagree: there it is the diversity.
    """
    from studio.document.store import Document
    from studio.ensembles.diversity import (
        pairwise_disagreement,
        pairwise_diversity,
        similar_together,
    )
    from studio.runs.load import follow
    from studio.trial import refuse_lost

    run_id = int(arguments["run"])
    with Document.open(Path(arguments["document"]), writable=False) as document:
        at = arguments["iteration"]
        rows = document.trial_rows(run_id, after=0 if at is None else max(0, at - 1))
        asked = [rows[-1 if at is None else 0]] if rows else []
        refuse_lost(row.trial for row in asked)
        members = [number for row in asked for number, _ in row.iteration.members]
        if len(members) < 2:
            empty = np.empty((0, 0))
            nobody = np.empty(0, dtype=np.int64)
            reason = phrase(
                "The ensemble has fewer than two members, so there is no pair to compare."
            )
            arrays = {"members": nobody, "diversity": empty, "disagreement": empty}
            return {"reason": reason, "classes": True}, arrays
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
    return {"reason": "", "classes": bool(prepared.problem.classes)}, {
        "members": np.array(members, dtype=np.int64)[order],
        "diversity": diversity[np.ix_(order, order)],
        "disagreement": disagreement[np.ix_(order, order)],
    }
