"""Write what came back from a worker into the document and the history, with what follows."""

import math
import time

import numpy as np

from studio.arrays import AnyArray
from studio.document.store import Document
from studio.document.trials import Iteration
from studio.ensembles.base import Ensemble, combine
from studio.proposers.base import Suggestion
from studio.runs.causes import Failure
from studio.runs.evaluate import Outcome
from studio.runs.finish import best_single
from studio.runs.load import empty_history
from studio.runs.prepare import Prepared, build_ensemble
from studio.trial import Trial


class Recorder:
    """Keeps the history of a run in step with its document.

    Parameters
    ----------
    document : Document
        Open for writing.
    run_id : int
        The run; its finished trials are loaded.
    prepared : Prepared
        What the run works with.
    """

    def __init__(self, document: Document, run_id: int, prepared: Prepared) -> None:
        self._document = document
        self._run_id = run_id
        self._prepared = prepared
        self._begun = time.monotonic()
        self._elapsed_before = 0.0
        self._test: dict[int, AnyArray] = {}
        self.history = empty_history(prepared)
        self.latest = Iteration(number=0)
        self._test_truth = prepared.problem.y[prepared.split.test]
        self._load()

    def _load(self) -> None:
        for row in self._document.trial_rows(self._run_id):
            number = row.trial.number
            stored = self._document.predictions(self._run_id, number, "validation")
            test = self._document.predictions(self._run_id, number, "test")
            if test is not None:
                self._test[number] = test
            self.history.append(row.trial, stored)
            self.latest = row.iteration
        self._elapsed_before = float(self.latest.details.get("elapsed", 0.0))

    def elapsed(self, paused_seconds: float) -> float:
        """Return the seconds that the run has worked, over all its sessions, without pauses."""
        return self._elapsed_before + time.monotonic() - self._begun - paused_seconds

    def record(
        self,
        suggestion: Suggestion,
        seed: int,
        suggest_seconds: float,
        result: Outcome | Failure,
        elapsed: float,
    ) -> Trial:
        """Score a result, work out the ensemble so far, and write all of it in one transaction.

        Returns
        -------
        Trial
            As it stands in the document now.
        """
        validation: AnyArray | None = None
        test: AnyArray | None = None
        loss: float | None = None
        cause, remedy = "", ""
        if isinstance(result, Failure):
            cause, remedy = result.cause, result.remedy
        else:
            validation = result.validation
            test = result.test if self._test_truth.size else None
            loss = self._prepared.metric.loss(self.history.truth, validation)
            if not math.isfinite(loss):
                validation, test, loss = None, None, None
                cause = "The metric of its predictions is not a finite number."
                remedy = "Choose another metric, or narrow the range of this hyperparameter."
        trial = Trial(
            number=len(self.history) + 1,
            configuration=dict(suggestion.configuration),
            seed=seed,
            loss=loss,
            cause=cause,
            remedy=remedy,
            fit_seconds=result.seconds,
            peak_memory=result.peak_memory,
            suggest_seconds=suggest_seconds,
            origin=suggestion.origin,
            used={} if isinstance(result, Failure) else dict(result.used),
        )
        self.history.append(trial, validation)
        if test is not None:
            self._test[trial.number] = test
        self.latest = self._iteration(trial, suggestion, elapsed)
        self._document.add_trial(self._run_id, trial, validation, test, self.latest)
        return trial

    def _iteration(self, trial: Trial, suggestion: Suggestion, elapsed: float) -> Iteration:
        details = {**suggestion.details, "elapsed": elapsed}
        if not self.history.succeeded:
            return Iteration(number=trial.number, details=details)
        best = best_single(self.history)
        ensemble = build_ensemble(self._prepared, self.history)
        return Iteration(
            number=trial.number,
            best=best.number,
            single_validation=best.loss,
            single_test=self._test_loss(Ensemble((best.number,), (1.0,), ensemble.combination)),
            ensemble_validation=self._prepared.metric.loss(
                self.history.truth, combine(self.history.predictions, ensemble)
            ),
            ensemble_test=self._test_loss(ensemble),
            members=tuple(zip(ensemble.members, ensemble.weights, strict=True)),
            details=details,
        )

    def _test_loss(self, ensemble: Ensemble) -> float | None:
        if not self._test_truth.size:
            return None
        combined = combine(self._test.__getitem__, ensemble)
        return float(self._prepared.metric.loss(self._test_truth, np.asarray(combined)))
