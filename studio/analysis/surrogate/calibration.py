"""Calibration of the surrogate: predicted against observed loss of each trial."""

from pathlib import Path

import numpy as np

from studio.analysis.answers.surrogate import OneStepAhead
from studio.analysis.surrogate.snapshot import BASIS_KEY
from studio.document.store import Document
from studio.phrases import count_phrase, join_phrases, phrase
from studio.proposers.base import SuggestionContext
from studio.proposers.bayesian import ModelBased, SearchPhase
from studio.runs.load import follow
from studio.runs.prepare import derive_ensemble_seed
from studio.trial import check_no_lost_trials


def predict_one_step_ahead(path: Path, run_id: int, iteration: int | None) -> OneStepAhead:
    """Return the predictions of a run's trials up to an iteration, and the observed losses."""
    with Document.open(path, writable=False) as document:
        prepared, history = follow(document, run_id)
        n_trials = len(history) if iteration is None else min(iteration, len(history))
        check_no_lost_trials(history.trials[:n_trials])
        rows = document.trials.list_rows(run_id)[:n_trials]
    proposer = prepared.method.proposer
    if not isinstance(proposer, ModelBased):
        return OneStepAhead(
            reason=phrase(
                "{proposer} does not use a surrogate, so nothing was predicted.",
                proposer=phrase(proposer.title),
            )
        )
    fork_settings = prepared.settings.forked or {}
    new_rows = rows[int(fork_settings.get("iteration", 0)) :]
    predicted_rows = [row for row in new_rows if "predicted" in row.iteration.details]
    if not predicted_rows:
        if any(BASIS_KEY not in row.iteration.details for row in new_rows):
            return OneStepAhead(
                reason=phrase(
                    "This run was made by an earlier version of the program, which did not store "
                    "the surrogate's predictions. Run it again to see this."
                )
            )
        unpredicted = count_phrase(
            "The surrogate predicted no trial: {count} trial has finished.",
            "The surrogate predicted none of the {count} finished trials.",
            len(new_rows),
        )
        return OneStepAhead(reason=join_phrases((unpredicted, proposer.initial_phase_description)))
    succeeded = [row for row in predicted_rows if row.trial.loss is not None]
    phases = [
        SearchPhase(
            row.trial.number,
            int(row.iteration.details[BASIS_KEY]["after"]),
            int(row.iteration.details[BASIS_KEY]["started"]),
        )
        for row in succeeded
    ]
    search = SuggestionContext(
        space=prepared.space,
        history=history,
        ensemble_seed=derive_ensemble_seed(prepared.settings),
        metric=prepared.objective,
    )
    pairs = np.array([row.iteration.details["predicted"] for row in succeeded], dtype=float)
    pairs = pairs.reshape(len(succeeded), 2)
    return OneStepAhead(
        numbers=np.array([each.number for each in phases], dtype=np.int64),
        predicted_means=pairs[:, 0],
        sd=pairs[:, 1],
        observed=proposer.compute_outcomes(search, phases) if phases else np.empty(0),
        n_random=len(rows) - len(predicted_rows),
        n_failed=len(predicted_rows) - len(succeeded),
        objective=proposer.surrogate_target,
        in_metric=proposer.in_metric,
        reason=""
        if succeeded
        else phrase("All trials predicted by the surrogate so far have failed."),
    )
