"""A run's kept ensemble, ready to be asked about rows of the matrix."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from studio.analysis.by_hand import stored_test
from studio.analysis.one_row.fields import FieldOf, fields_of
from studio.arrays import Flags, Floats, Integers
from studio.data.intervals.prediction import PredictionMargins
from studio.data.metrics.base import normalised, predicted_labels
from studio.document.decision import Decision
from studio.document.store import Document
from studio.ensembles.base import Ensemble, combine, probabilities
from studio.errors import RunError
from studio.learners.base import Learner
from studio.phrases import phrase
from studio.runs.jobs import trained_by
from studio.runs.kept_ensemble import KeptModels, read_kept
from studio.runs.load import follow
from studio.runs.margins import are_votes, margins_of, unseen
from studio.runs.predicting import predict
from studio.runs.prepare import Prepared
from studio.trial import History

NOT_KEPT = phrase(
    "The document does not keep this result's trained ensemble, and refitting it for a single row "
    "is not worthwhile."
)


class NotKeptError(RunError):
    """There is no trained ensemble to ask."""


@dataclass(frozen=True, eq=False)
class Checked:
    """How the ensemble did on rows that it was not chosen by.

    Attributes:
        right: Shape (n, C) or (n, 1). Whether a row is of each class, or its interval was right.
        sure: Shape (n, C). The probability of each class; (n, 0) for numbers.
        tested: Whether they are test rows (else validation rows).
    """

    right: Flags
    sure: Floats
    tested: bool


@dataclass(frozen=True, eq=False)
class AskedEnsemble:
    """A trained ensemble with what is needed to say how sure it is.

    Attributes:
        prepared: The run.
        fields: The form.
        checked: How it did elsewhere.
        margins: Of predicted numbers; ``None`` for classes.
        amount: Half of the errors of predicted numbers are smaller; NaN for classes.
        decision: How labels are decided; ``None``: as the ensemble has them.
        decision_note: That it was decided for an earlier result; empty if it was not.
        votes: Whether its probabilities are shares of votes.
    """

    prepared: Prepared
    fields: tuple[FieldOf, ...]
    checked: Checked
    margins: PredictionMargins | None
    amount: float
    decision: Decision | None
    decision_note: str
    votes: bool
    _ensemble: Ensemble
    _models: Mapping[int, tuple[Learner, tuple[Any, ...]]]

    def said(self, X: Floats) -> tuple[Integers, Floats]:
        """Return the answers for rows (n, d), and what is said of each.

        Returns:
            Shape (n,). Predicted classes; -1 for numbers.
            Shape (n, C) or (n, 1). Probabilities, or the value.
        """
        count = self.prepared.problem.n_classes
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            given = {
                number: np.mean([predict(each, learner, X, count) for each in models], axis=0)
                for number, (learner, models) in self._models.items()
            }
        sure = probabilities(given.__getitem__, self._ensemble)
        if not count:
            return np.full(len(X), -1, dtype=np.int64), sure[:, None]
        decides = combine(given.__getitem__, self._ensemble)
        return _answers(decides, sure, self.decision, self.prepared), normalised(sure)

    def shares(self, X: Floats) -> Floats:
        """Return only what is said of rows (n, d), shape (n, C) or (n, 1)."""
        return self.said(X)[1]

    @property
    def owners(self) -> list[int]:
        """To which field each column of the matrix belongs."""
        places = {place: at for at, each in enumerate(self.fields) for place in each.places}
        return [places[place] for place in range(len(places))]


def asked(path: Path, run_id: int) -> AskedEnsemble:
    """Return a run's ensemble; the last one is kept.

    Raises:
        NotKeptError: If the document does not keep it trained, with the reason.
    """
    with Document.open(path, writable=False) as document:
        row = document.runs.get(run_id)
    return _asked(path, run_id, row.created, repr(row.result), row.decision)


@lru_cache(maxsize=1)
def _asked(
    path: Path, run_id: int, created: float, result: str, decision: Decision | None
) -> AskedEnsemble:
    del created, result  # parts of the key only: another result has another ensemble
    with Document.open(path, writable=False) as document:
        prepared, history = follow(document, run_id)
        kept, reason = read_kept(document, run_id, prepared)
        row = document.runs.get(run_id)
        if kept is None:
            noted = row.result and row.result.kept_reason
            raise NotKeptError(reason or noted or NOT_KEPT)
        rows, found = unseen(document, run_id, prepared, history, kept.ensemble)
        margins, amount = None, float("nan")
        if not prepared.problem.classes:
            margins = margins_of(prepared, rows, found)
            amount = float(np.median(np.abs(found - prepared.problem.y[rows])))
        tested = bool(prepared.split.test.size)
        if tested:
            test = stored_test(document, run_id, prepared, history)
            rows, found = prepared.split.test, combine(test, kept.ensemble)
            sure = probabilities(test, kept.ensemble)
        else:
            sure = found
    truth = prepared.problem.y[rows]
    if margins is None:
        of_class = truth[:, None] == np.arange(prepared.problem.n_classes)
        checked = Checked(of_class, normalised(sure), tested)
    else:
        held = np.abs(found - truth) <= margins.at(found)
        checked = Checked(held[:, None], np.empty((len(held), 0)), tested)
    return AskedEnsemble(
        prepared=prepared,
        fields=fields_of(prepared, prepared.split.development),
        checked=checked,
        margins=margins,
        amount=amount,
        decision=decision,
        decision_note=row.decision_note,
        votes=are_votes(prepared, history, kept.ensemble),
        _ensemble=kept.ensemble,
        _models=_models(prepared, history, kept),
    )


def _models(
    prepared: Prepared, history: History, kept: KeptModels
) -> dict[int, tuple[Learner, tuple[Any, ...]]]:
    found = {}
    for number, models in zip(kept.ensemble.members, kept.models, strict=True):
        trial = history.trials[number - 1]
        found[number] = (trained_by(prepared.space, trial.configuration)[0], models)
    return found


def _answers(
    decides: Floats, sure: Floats, decision: Decision | None, prepared: Prepared
) -> Integers:
    """Return the predicted classes, (n,): the likeliest, or those of a run's decision.

    What decides, and the probabilities, have shape (n, C).
    """
    if decision is None:
        return predicted_labels(decides)
    code = decision.code(prepared.problem.classes)
    return np.where(normalised(sure)[:, code] >= decision.threshold, code, 1 - code)
