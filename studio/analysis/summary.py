"""A run in one flat object, as ``studio run``, ``resume`` and ``show`` print it."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from studio.analysis.headline_words import cautious_words
from studio.data.metrics.plain import PlainScore
from studio.document.runs import RunRow
from studio.document.store import Document
from studio.document.trials import Iteration
from studio.runs.settings import RunSettings
from studio.runs.utilisation import shares


def _state(row: RunRow) -> str:
    """Return the run's state, "interrupted" where its engine ended without a word."""
    at_work = row.state in {"running", "paused"}
    return "interrupted" if at_work and not row.owner_alive else row.state


def _utilisation(result: Mapping[str, Any], latest: Iteration | None) -> dict[str, float] | None:
    """Return the shares of the workers' time; ``None`` in documents of older versions."""
    if "utilisation" in result or latest is None:
        return result.get("utilisation")
    return shares(latest.details.get("spent"))


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
    result = {} if at_work else row.result or {}
    trials = document.trials(run_id)
    iterations = document.iterations(run_id)
    latest = iterations[-1] if iterations else None
    members = result.get("members")
    if members is None and latest is not None:
        members = [{"trial": number, "weight": weight} for number, weight in latest.members]
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
        "unit": result.get("unit", ""),
        "task": settings.source.task,
        "target": settings.source.target,
        "trials": len(trials),
        "failed": sum(trial.status == "failed" for trial in trials),
        "ended_early": sum(trial.status == "ended early" for trial in trials),
        "budget": settings.budget,
        "headline": cautious_words(PlainScore(**kept)) if (kept := result.get("headline")) else "",
        "best_validation_loss": min(losses, default=None),
        "test_error_single": result.get("test_error_single"),
        "test_error_ensemble": result.get("test_error_ensemble"),
        "test_interval": result.get("test_interval"),
        "members": members or [],
        "decision": None if row.decision is None else asdict(row.decision),
        "seconds": result.get("seconds", elapsed),
        "seed": settings.seed,
        "workers": settings.workers,
        "utilisation": _utilisation(result, latest),
        "notes": result.get("notes", []),
        "document_bytes": document.n_bytes(),
        "damages": [each.sentence for each in document.damages],
        "kept_bytes": result.get("kept_bytes", 0),
        "kept_reason": result.get("kept_reason", ""),
    }
