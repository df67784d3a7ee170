"""The content of a report, collected from the document."""

import platform
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePath

import numpy as np

from studio.analysis.answers.ensemble import Contributions
from studio.analysis.answers.predictions import DecisionFigures
from studio.analysis.contributions import NO_MEMBER, load_contributions
from studio.analysis.decision import compute_decision_outcome
from studio.analysis.final_test import load_final_test
from studio.analysis.headline import compute_headline
from studio.analysis.loss_difference import describe_loss_difference
from studio.arrays import AnyArray, Floats
from studio.data.metrics.plain_score import PlainScore
from studio.document.damage import describe_damaged_records
from studio.document.results import Result
from studio.document.runs import RunRow
from studio.document.store import Document
from studio.document.trials import Iteration
from studio.ensembles.base import combine
from studio.errors import EnsembleError, ExportError, StudioError
from studio.export.bundle import PACKAGES
from studio.export.progress import SILENT_REPORTER, ProgressReporter
from studio.libraries import get_version
from studio.numerals import NumeralFormat
from studio.phrases import phrase
from studio.questions.columns import compute_affordable_effects
from studio.questions.columns.answer import ColumnEffects
from studio.runs.load import get_final_ensemble, load_history
from studio.runs.prepare import PreparedRun, prepare
from studio.runs.settings import describe_training
from studio.runs.uncertainty import compute_interval
from studio.trial import Trial
from studio.version import VERSION

_OMITTED = phrase("What depends on it is left out here.")


@dataclass(frozen=True)
class LossEstimate:
    """A loss with its 95 % interval, if any."""

    value: float | None
    interval: tuple[float, float] | None = None


@dataclass(frozen=True)
class ReportFacts:
    """The content of a report.

    Attributes:
        rows: The rows used for the errors: "test" or "validation".
        difference_note: The significance of the difference; empty without test rows.
        truth, predictions: Shape (n_rows,). Class codes or values, and the predictions of the final
            models, or those of the search's ensemble if these are not stored.
        headline: The ensemble's quality in plain words; ``None`` if it depends on damaged records.
        effects: Importance and effects of columns, or the reason for their absence.
    """

    row: RunRow
    prepared_run: PreparedRun
    trials: tuple[Trial, ...]
    iterations: tuple[Iteration, ...]
    rows: str
    n_rows: int
    ensemble: LossEstimate
    single: LossEstimate
    members: Contributions
    difference_note: str
    truth: AnyArray
    predictions: AnyArray
    versions: tuple[tuple[str, str], ...]
    damage_sentences: tuple[str, ...]
    headline: PlainScore | None
    effects: ColumnEffects
    decision_figures: DecisionFigures | None = None

    @property
    def decision_outcome(self) -> DecisionFigures | None:
        """The outcome of the run's decision; ``None`` without one, or if unknown."""
        if self.decision_figures is not None and not self.decision_figures.reason:
            return self.decision_figures
        return None

    @property
    def unit(self) -> str:
        """The unit of losses (:func:`studio.measure.get_loss_unit`)."""
        return self.prepared_run.unit

    @property
    def loss_format(self) -> NumeralFormat:
        """The format of displayed losses, except shares."""
        values = (self.ensemble.value, self.single.value, self.members.constant_loss)
        return NumeralFormat.for_losses([each for each in values if each is not None])

    @property
    def refitted(self) -> bool:
        """Whether the final models were refitted, unlike those of a stopped run."""
        return bool(self.row.result and self.row.result.refitted)

    @property
    def training(self) -> str:
        """The training of the final models, in English."""
        share = self.row.result.refitted_counts if self.row.result else (0, 0)
        return describe_training(self.prepared_run.settings, refitted=self.refitted, share=share)

    @property
    def file(self) -> str:
        """The name of the table's file."""
        path = PurePath(self.prepared_run.settings.source.path)
        return path.name or self.prepared_run.table.source

    @property
    def test_file(self) -> str:
        """The name of the file of the test rows; empty if they belong to the table."""
        if (self.prepared_run.problem.rows >= 0).all():
            return ""
        return PurePath(self.prepared_run.settings.source.test_path).name

    @property
    def failed(self) -> list[Trial]:
        """The failed trials."""
        return [trial for trial in self.trials if trial.status == "failed"]

    @property
    def timed_out_trials(self) -> list[Trial]:
        """The timed-out trials."""
        return [trial for trial in self.trials if trial.status == "not finished"]


def gather_facts(
    document: Document, run_id: int, progress: ProgressReporter = SILENT_REPORTER
) -> ReportFacts:
    """Collect the content, with column importance; raise ExportError if no trial succeeded."""
    row = document.runs.get(run_id)
    trials = document.trials.list_all(run_id)
    if all(trial.loss is None for trial in trials):
        raise ExportError(
            "This run has no successful trial yet, so there is nothing to report. Let it run first."
        )
    prepared_run = prepare(document, run_id)
    iterations = document.trials.list_iterations(run_id)
    test_error = row.result and row.result.test_error_ensemble
    recomputed = document.read_or_record_damage(
        partial(_recompute, document, run_id, prepared_run), run_id, _OMITTED
    )
    rows = "test" if prepared_run.split.test.size and test_error is not None else "validation"
    lost = Contributions(reason=NO_MEMBER), np.empty(0), np.empty(0), rows
    members, truth, predictions, rows = recomputed or lost
    if rows == "test" and test_error is None:
        interval = compute_interval(prepared_run, prepared_run.split.test, predictions)
        ensemble = LossEstimate(members.test, interval)
        single = LossEstimate(iterations[-1].single_test)
    else:
        ensemble, single = _get_estimates(row.result, iterations[-1])
    n_rows = int(truth.size)
    if recomputed is None:
        split = prepared_run.split
        n_rows = int((split.test if rows == "test" else split.validation).size)
    is_single = members.members.tolist() == [members.best_single_trial]
    difference = (row.result and row.result.difference_interval) or members.difference
    is_equal = ensemble.value == single.value
    decision_outcome = compute_decision_outcome(document, row)
    return ReportFacts(
        row=row,
        prepared_run=prepared_run,
        trials=trials,
        iterations=iterations,
        rows=rows,
        n_rows=n_rows,
        ensemble=ensemble,
        single=single,
        members=members,
        difference_note=describe_loss_difference(
            difference, is_same_model=is_single, are_equal=is_equal
        )
        if rows == "test"
        else "",
        truth=truth,
        predictions=predictions,
        versions=_list_versions(row.program),
        damage_sentences=tuple(describe_damaged_records(document.damaged_records)),
        headline=document.read_or_record_damage(
            partial(_get_headline, document, row, prepared_run), run_id, _OMITTED
        ),
        effects=ColumnEffects(reason=NO_MEMBER)
        if recomputed is None
        else _compute_effects(document, run_id, progress),
        decision_figures=decision_outcome,
    )


def _recompute(
    document: Document, run_id: int, prepared_run: PreparedRun
) -> tuple[Contributions, AnyArray, Floats, str]:
    """Return contributions, truth (n,), predictions, (n, C) or (n,), and the kind of these rows."""
    members = load_contributions(Path(document.path), run_id)
    return members, *_predict_evaluated_rows(document, run_id, prepared_run)


def _get_headline(document: Document, row: RunRow, prepared_run: PreparedRun) -> PlainScore:
    """Return the run's headline; raise DamagedError if it depends on a lost trial."""
    if (headline := row.result and row.result.headline) is not None:
        return headline
    return compute_headline(
        document, row, prepared_run, load_history(document, row.id, prepared_run)
    )


def _compute_effects(document: Document, run_id: int, progress: ProgressReporter) -> ColumnEffects:
    """Return the effects of columns on predictions, or the reason for their absence."""
    try:
        return compute_affordable_effects(
            Path(document.path),
            run_id,
            lambda phase, share: progress.report_progress(phase, round(100 * share), 100),
        )
    except StudioError as error:
        return ColumnEffects(reason=str(error))


def _predict_evaluated_rows(
    document: Document, run_id: int, prepared_run: PreparedRun
) -> tuple[AnyArray, Floats, str]:
    """Return truth (n,), and predictions, (n, C) or (n,), for test rows, else validation rows."""
    history = load_history(document, run_id, prepared_run)
    row = document.runs.get(run_id)
    ensemble = get_final_ensemble(row, prepared_run, history)
    test = prepared_run.split.test
    if test.size:
        with suppress(EnsembleError):  # a trial may have no predictions for the test rows
            final = load_final_test(document, row, prepared_run, history)
            return prepared_run.problem.y[test], combine(final.get_predictions, ensemble), "test"
    if not history.comparable:
        return np.empty(0), np.empty(0), "validation"
    return history.truth, combine(history.get_predictions, ensemble), "validation"


def _get_estimates(result: Result | None, last: Iteration) -> tuple[LossEstimate, LossEstimate]:
    """Return the losses of the ensemble and the best single model, on test or validation rows."""
    if result is None or result.test_error_ensemble is None:
        ensemble = last.ensemble_validation
        ensemble = ensemble if result is None else result.get_validation(ensemble)
        return LossEstimate(ensemble), LossEstimate(last.single_validation)
    return (
        LossEstimate(result.test_error_ensemble, result.test_interval),
        LossEstimate(result.test_error_single, result.single_interval),
    )


def _list_versions(started_with: str) -> tuple[tuple[str, str], ...]:
    versions = [("Ensemble Studio", VERSION)]
    if started_with != VERSION:
        versions.append(
            (phrase("The run began with"), started_with or phrase("a version before 0.2.0"))
        )
    versions += [("Python", platform.python_version())]
    versions += [
        (name, package_version) for name in PACKAGES if (package_version := get_version(name))
    ]
    versions.append((phrase("System"), f"{platform.system()} {platform.machine()}"))
    return tuple(versions)
