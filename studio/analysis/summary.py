"""A run in one flat object, as ``studio run``, ``resume`` and ``show`` print it."""

from collections.abc import Iterable
from dataclasses import asdict
from itertools import starmap
from typing import Any

from studio.analysis.headline_words import cautious_words
from studio.document.results import Member, Result
from studio.document.runs import RunRow
from studio.document.store import Document
from studio.document.trials import Iteration
from studio.runs.settings import RunSettings
from studio.runs.utilisation import shares


def _state(row: RunRow) -> str:
    """Return the run's state, "interrupted" where its engine ended without a word."""
    at_work = row.state in {"running", "paused"}
    return "interrupted" if at_work and not row.owner_alive else row.state


def _utilisation(result: Result | None, latest: Iteration | None) -> dict[str, float] | None:
    """Return the shares of the workers' time; ``None`` in documents of older versions."""
    known = result and result.utilisation
    return shares(latest.details.get("spent")) if known is None and latest else known


def summary(document: Document, run_id: int) -> dict[str, Any]:
    """Return a run's state, errors and members as plain JSON.

    ``program`` is the version that began the run. ``headline`` says in a sentence how good a run
    that is over is (empty where an older version has not kept it). Test errors are those of the
    final models, so they are ``None`` until the run has ended and where there are no test rows; of
    a run that was stopped they are those of the models that the search has trained. Losses are
    shares (not percent) where ``unit`` is "%". ``document_bytes`` is the size of the whole
    document, ``kept_bytes`` that of the trained ensemble in it. ``damages`` are sentences about
    what of the document cannot be read.
    """
    row = document.run(run_id)
    settings = RunSettings.of(row)
    # The result of an earlier end says nothing of a run that has been continued.
    at_work = row.state in {"waiting", "running", "paused"}
    result = None if at_work else row.result
    trials = document.trials(run_id)
    iterations = document.iterations(run_id)
    latest = iterations[-1] if iterations else None
    members: Iterable[Member] = result.members if result else ()
    if result is None and latest is not None:
        members = starmap(Member, latest.members)
    losses = [trial.loss for trial in trials if trial.loss is not None]
    elapsed = float(latest.details.get("elapsed", 0.0)) if latest else 0.0
    return {
        "run": row.id,
        "name": row.name,
        "program": row.program,
        "state": _state(row),
        "message": row.message,
        "method": settings.method,
        "metric": settings.metric,
        "unit": result.unit if result else "",
        "task": settings.source.task,
        "target": settings.source.target,
        "trials": len(trials),
        "failed": sum(trial.status == "failed" for trial in trials),
        "ended_early": sum(trial.status == "ended early" for trial in trials),
        "budget": settings.budget,
        "headline": cautious_words(kept) if (kept := result and result.headline) else "",
        "best_validation_loss": min(losses, default=None),
        "test_error_single": result and result.test_error_single,
        "test_error_ensemble": result and result.test_error_ensemble,
        "test_interval": result and result.test_interval,
        "members": [asdict(each) for each in members],
        "decision": None if row.decision is None else asdict(row.decision),
        "seconds": result.seconds if result else elapsed,
        "seed": settings.seed,
        "workers": settings.workers,
        "utilisation": _utilisation(result, latest),
        "notes": result.notes if result else [],
        "document_bytes": document.n_bytes(),
        "damages": [each.sentence for each in document.damages],
        "kept_bytes": (result and result.kept_bytes) or 0,
        "kept_reason": result.kept_reason if result else "",
    }
