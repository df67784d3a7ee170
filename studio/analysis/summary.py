"""Summary of a run as one flat object, printed by ``studio run``, ``resume`` and ``show``."""

from dataclasses import dataclass
from functools import partial
from itertools import starmap
from typing import Any

from studio.analysis.answers.predictions import DecisionFigures
from studio.analysis.decision import compute_decision_outcome
from studio.analysis.decision_text import make_decided_parts
from studio.analysis.headline_text import describe_caveats, format_cautious_headline
from studio.analysis.more_time import advise_more_time
from studio.analysis.text_advice import advise_on_texts
from studio.analysis.verdict import make_verdict
from studio.data.column import Direction
from studio.data.findings import from_json, remove_followed_advice, to_json
from studio.data.metrics.registry import find_metric
from studio.document.decision import Decision
from studio.document.results import LossInterval, Member, Result
from studio.document.runs import RunRow
from studio.document.store import Document
from studio.document.tables import get_target_unit
from studio.document.trials import Iteration
from studio.measure import get_loss_unit
from studio.phrases import join_phrases, phrase
from studio.runs.settings import RunSettings, describe_training
from studio.runs.utilisation import compute_shares


@dataclass(frozen=True)
class RunSummary:
    """The summary of a run; printed as JSON (``dataclasses.asdict``) by ``--json``.

    Attributes:
        unit: The unit of losses; if it is "%", they are shares (not per cent).
        monotone: Direction of effect by column: "up" or "down".
        trials, failed, ended_early, not_finished: Number of trials, and of those without a loss:
            due to a fault, rejection after the first folds, or lack of time.
        budget: Maximum number of trials.
        verdict: Whether a finished run's model is useful, in a sentence; empty without a headline.
        headline: The quality of a finished run, in a sentence; empty if an older version did not
            store it.
        more_time: The advice to continue a run that tried hardly any models, in a sentence; else
            empty.
        text_advice: The advice to read columns of free text as text, in a sentence; else empty.
        best_validation_loss, ensemble_validation_loss: Losses of the best trial and of the search's
            last ensemble, on the validation rows.
        test_error_single, test_error_ensemble, test_error_guess, test_interval: Test errors of the
            final models (the search's models in a stopped run) and of the metric's best constant,
            and the 95 % interval of the ensemble's; ``None`` until the run has ended, and without
            test rows.
        test_error_before_refit: That of the ensemble before the refit; ``None`` without a refit.
        training: How the final models were trained, in words; empty until the run has ended.
        decision_note: The note that the decision was made for an earlier result; empty otherwise.
        currency: The currency of its costs, as in the table; empty if unknown.
        utilisation: Shares of the workers' time; ``None`` in documents of older versions.
        findings: Findings about its table at the start, by level: level, kind, columns and text.
        overruled: Leaks among these that were nevertheless used for training.
        document_bytes, kept_bytes: The size of the whole document, and of the trained ensemble in
            it.
        kept_reason: Why the latter is 0, if relevant.
    """

    run: int
    name: str
    program: str
    state: str
    message: str
    method: str
    metric: str | None
    unit: str
    task: str
    target: str | None
    monotone: dict[str, Direction]
    trials: int
    failed: int
    ended_early: int
    not_finished: int
    budget: int | None
    verdict: str
    headline: str
    more_time: str
    text_advice: str
    best_validation_loss: float | None
    ensemble_validation_loss: float | None
    test_error_single: float | None
    test_error_ensemble: float | None
    test_error_guess: float | None
    test_interval: LossInterval | None
    test_error_before_refit: float | None
    members: tuple[Member, ...]
    training: str
    decision: Decision | None
    decision_note: str
    currency: str
    seconds: float
    seed: int
    workers: int
    utilisation: dict[str, float] | None
    findings: tuple[dict[str, Any], ...]
    overruled: tuple[str, ...]
    notes: tuple[str, ...]
    document_bytes: int
    damages: tuple[str, ...]
    kept_bytes: int
    kept_reason: str


def _get_state(row: RunRow) -> str:
    """Return the run's state; "interrupted" if its engine is no longer alive."""
    has_live_engine = row.state in {"running", "paused"}
    return "interrupted" if has_live_engine and not row.is_owner_alive else row.state


def _get_utilisation(
    result: Result | None, last_iteration: Iteration | None
) -> dict[str, float] | None:
    """Return the shares of the workers' time; ``None`` in documents of older versions."""
    stored_utilisation = result and result.utilisation
    return (
        compute_shares(last_iteration.details.get("spent"))
        if stored_utilisation is None and last_iteration
        else stored_utilisation
    )


def _describe_table(document: Document, row: RunRow) -> dict[str, Any]:
    """Return the description of a run's table; no columns if it is damaged, which is recorded."""
    if row.table_id is None:
        return {"columns": ()}
    lost_message = phrase("The findings about its table are not available.")
    description = document.read_or_record_damage(
        partial(document.tables.describe, row.table_id), row.id, lost_message
    )
    return {"columns": ()} if description is None else description


def _make_headline(row: RunRow, result: Result | None, outcome: DecisionFigures | None) -> str:
    if result is None or result.headline is None:
        return ""
    score, positive_class = result.headline, row.positive_class
    if outcome is None or outcome.reason:
        return format_cautious_headline(score, positive_class, result)
    caveats = describe_caveats(score, positive_class, result, has_decision=True)
    return join_phrases((*make_decided_parts(score, positive_class, outcome), caveats))


def summarise_run(document: Document, run_id: int) -> RunSummary:
    """Return a run's state, errors and members."""
    row = document.runs.get(run_id)
    settings = RunSettings.from_row(row)
    # An earlier result is outdated once a run has been continued.
    has_live_engine = row.state in {"waiting", "running", "paused"}
    result = None if has_live_engine else row.result
    trials, table_description = document.trials.list_all(run_id), _describe_table(document, row)
    iterations = document.trials.list_iterations(run_id)
    latest_row = iterations[-1] if iterations else None
    validation = latest_row.ensemble_validation if latest_row else None
    members = result.members if result else ()
    if result is None and latest_row is not None:
        members = tuple(starmap(Member, latest_row.members))
    metric = result.metric if result else settings.metric
    unit_source = result or find_metric(metric)
    unit = "" if unit_source is None else unit_source.unit
    outcome = compute_decision_outcome(document, row) if result and result.headline else None
    findings = from_json(table_description.get("findings", ()))
    has_outcome = outcome is not None and not outcome.reason
    losses = [trial.loss for trial in trials if trial.loss is not None]
    elapsed = float(latest_row.details.get("elapsed", 0.0)) if latest_row else 0.0
    return RunSummary(
        run=row.id,
        name=row.name,
        program=row.program,
        state=_get_state(row),
        message=row.message,
        method=settings.method,
        metric=settings.metric,
        unit=get_loss_unit(unit, get_target_unit(table_description)),
        task=settings.source.task,
        target=settings.source.target,
        monotone=dict(settings.source.monotone),
        trials=len(trials),
        failed=sum(trial.status == "failed" for trial in trials),
        ended_early=sum(trial.status == "ended early" for trial in trials),
        not_finished=sum(trial.status == "not finished" for trial in trials),
        budget=settings.budget,
        verdict=""
        if result is None or result.headline is None
        else make_verdict(
            result.headline, row.positive_class, result, has_decision=has_outcome
        ).sentence,
        headline=_make_headline(row, result, outcome),
        more_time=advise_more_time(result, trials),
        text_advice=""
        if result is None
        else advise_on_texts(findings, settings.source.decided_columns),
        best_validation_loss=min(losses, default=None),
        ensemble_validation_loss=validation
        if result is None
        else result.get_validation(validation),
        test_error_single=result and result.test_error_single,
        test_error_ensemble=result and result.test_error_ensemble,
        test_error_guess=result and result.test_error_guess,
        test_interval=result and result.test_interval,
        test_error_before_refit=None
        if result is None or latest_row is None
        else result.get_test_before_refit(latest_row.ensemble_test, latest_row.number),
        members=members,
        training=""
        if result is None
        else describe_training(settings, refitted=result.refitted, share=result.refitted_counts),
        decision=row.decision,
        decision_note=row.decision_note,
        currency="" if outcome is None else outcome.currency,
        seconds=result.seconds if result else elapsed,
        seed=settings.seed,
        workers=settings.workers,
        utilisation=_get_utilisation(result, latest_row),
        findings=tuple(to_json(remove_followed_advice(findings, metric))),
        overruled=result.overruled if result else (),
        notes=result.notes if result else (),
        document_bytes=document.count_bytes(),
        damages=tuple(each.sentence for each in document.damaged_records),
        kept_bytes=(result and result.kept_bytes) or 0,
        kept_reason=result.kept_reason if result else "",
    )
