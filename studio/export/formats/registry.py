"""Export formats: models, the report, all trials, the search space; and their registry."""

import csv
import io
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from studio.errors import ExportError, UsageError
from studio.export.formats.base import ExportFormat, ExportJob, ExportResult
from studio.phrases import count_phrase, phrase
from studio.printable import escape_name

if TYPE_CHECKING:
    from studio.document.trials import TrialRow

from studio.export.formats.base import MODEL_COMPANIONS


class ReportFormat(ExportFormat):
    """The report of a run: settings, quality, a command to reproduce it, figures."""

    key = "report"
    title = "Report (HTML)"
    search_terms = "page pdf print document share boss html summary"
    summary = "For readers: opens in any browser, prints well, works offline."
    suffix = ".html"
    aliases = (".htm",)
    kind = "document"

    def write(self, job: ExportJob) -> ExportResult:
        """Collect the content and write it."""
        from studio.document.atomic_files import write_file
        from studio.export.report.facts import gather_facts
        from studio.export.report.page import render_page
        from studio.questions.columns.answer import describe_dominant_column

        job.progress.report_progress("Gathering errors and members", 0, 0)
        facts = gather_facts(job.document, job.run_id, job.progress)
        write_file(job.path, render_page(facts))
        checked = phrase("One file without scripts; works offline.")
        leak_warning = describe_dominant_column(facts.effects)
        return ExportResult(
            job.path, checked=checked, notes=(leak_warning,) if leak_warning else ()
        )


FIRST_COLUMNS = (
    "trial", "status", "loss", "test_loss_ensemble", "fit_seconds", "suggest_seconds",
    "peak_memory_bytes", "seed", "origin", "weight_at_the_end", "cause",
)  # fmt: skip
"""The columns before the hyperparameters."""


class TrialsFormat(ExportFormat):
    """One row per trial: hyperparameters, error, duration, cause of failure."""

    key = "trials"
    title = "Trials (CSV)"
    search_terms = "csv spreadsheet excel leaderboard history table log all models"
    summary = "For a spreadsheet: every trial of the search, one per row."
    suffix = ".csv"
    kind = "document"

    def write(self, job: ExportJob) -> ExportResult:
        from studio.document.atomic_files import write_file

        rows = job.document.trials.list_rows(job.run_id)
        if not rows:
            raise ExportError("This run has no trials yet, so there is nothing to export.")
        result = job.document.runs.get(job.run_id).result
        weights = (result and result.weights) or dict(rows[-1].iteration.members)
        write_file(job.path, format_trials_as_csv(rows, weights))
        checked = count_phrase("1 trial was written.", "{count:,} trials were written.", len(rows))
        return ExportResult(job.path, checked=checked)


def format_trials_as_csv(rows: "Sequence[TrialRow]", weights: dict[int, float]) -> str:
    """Return the trials as CSV, one line each, with cells escaped for spreadsheets."""
    names = list(dict.fromkeys(name for row in rows for name in row.trial.configuration))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([escape_name(name) for name in (*FIRST_COLUMNS, *names)])
    for row in rows:
        trial = row.trial
        first: list[Any] = [
            trial.number,
            trial.status,
            "" if trial.loss is None else repr(trial.loss),
            "" if row.iteration.ensemble_test is None else repr(row.iteration.ensemble_test),
            f"{trial.fit_seconds:.6g}",
            f"{trial.suggest_seconds:.6g}",
            trial.peak_memory,
            trial.seed,
            trial.origin,
            weights.get(trial.number, ""),
            trial.cause,
        ]
        values = [trial.configuration.get(name, "") for name in names]
        writer.writerow([escape_name(each) for each in (*first, *values)])
    return text.getvalue()


class SpaceFormat(ExportFormat):
    """The tree of hyperparameters in the tree editor's format."""

    key = "space"
    title = "Search space (JSON)"
    search_terms = "json search space hyperparameters"
    summary = "To search the same space in another run."
    suffix = ".json"
    kind = "document"

    def write(self, job: ExportJob) -> ExportResult:
        """Write the space, and verify it by reading."""
        from studio.document.atomic_files import write_file
        from studio.runs.settings import RunSettings
        from studio.space.library import get_default
        from studio.space.space import Space

        settings = RunSettings.from_json(job.document.runs.get(job.run_id).settings)
        if settings.space is None:
            task = "regression" if settings.source.task == "regression" else "binary"
            space = get_default(task).to_json()
        else:
            space = dict(settings.space)
        content = json.dumps(space, indent=2, ensure_ascii=False)
        Space.from_json(json.loads(content)).check()
        write_file(job.path, content)
        return ExportResult(job.path, checked=phrase("Read back: it is a valid space."))


class PickleFormat(ExportFormat):
    """One scikit-learn estimator for the raw table."""

    key = "pickle"
    title = "Pickle"
    search_terms = "scikit-learn python model save joblib deploy production pkl"
    summary = (
        "For Python with scikit-learn, the usual format. Loading it runs code: only for people who "
        "trust you."
    )
    suffix = ".pkl"
    aliases = (".pickle",)
    companion_suffixes = MODEL_COMPANIONS

    def write(self, job: ExportJob) -> ExportResult:
        from studio.export.bundle import write

        return write(job)


class SkopsFormat(ExportFormat):
    """One scikit-learn estimator, serialised as a zip of arrays and type names."""

    key = "skops"
    title = "skops"
    search_terms = "safe model python save scikit-learn"
    summary = "For Python with scikit-learn and skops: loading it runs no code from the file."
    suffix = ".skops"
    extra = "skops"
    modules = ("skops",)
    companion_suffixes = MODEL_COMPANIONS

    def write(self, job: ExportJob) -> ExportResult:
        from studio.export.skops_model import write

        return write(job)


REGISTRY: tuple[ExportFormat, ...] = (
    ReportFormat(),
    PickleFormat(),
    SkopsFormat(),
    TrialsFormat(),
    SpaceFormat(),
)


def get_format(key: str) -> ExportFormat:
    """Return a format by name; raise UsageError if there is none."""
    for each in REGISTRY:
        if each.key == key:
            return each
    available = ", ".join(each.key for each in REGISTRY)
    raise UsageError(
        ("There is no export format {key!r}; available: {known}."), key=key, known=available
    )
