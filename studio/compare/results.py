"""All results of a study, computed from its document."""

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

from studio.compare.analysis import compare, list_compared_methods, list_ranked_methods
from studio.compare.answers import render_files, write_files
from studio.compare.cells import StudyCell, find_rejected_rows
from studio.compare.comparison import Comparison
from studio.compare.conclusions import explain_single_trials, list_conclusions
from studio.compare.diagrams import draw_diagrams
from studio.compare.methods import find_duplicate_methods, list_libraries
from studio.compare.outcomes import (
    CellOutcome,
    choose_curve_points,
    find_common_repetitions,
    find_unreadable_cells,
    read_outcomes,
)
from studio.compare.pair_comparisons import PairComparisonCache, compute_probabilities_over_time
from studio.compare.refit import are_refitted, explain_missing_refits
from studio.compare.study import Study, describe_search_spaces
from studio.compare.study_runner import StudyRunResult
from studio.compare.tables.errors import make_runs_table
from studio.compare.tables.ranks import list_notes
from studio.compare.tables.registry import make_tables
from studio.compare.tables.table import (
    ResultTable,
    escape_markdown,
    format_share,
    render_csv,
    render_markdown,
)
from studio.compare.targets import (
    advise_on_texts_of,
    describe_decisions,
    describe_leaks,
    describe_targets,
    list_stored_entries,
)
from studio.document.atomic_files import write_file
from studio.document.damage import describe_damaged_records
from studio.document.store import Document
from studio.errors import DocumentError
from studio.figures.shapes import Diagram
from studio.libraries import get_version
from studio.phrases import join_phrases
from studio.version import VERSION


@dataclass(frozen=True)
class StudyResults:
    """A study's results.

    Attributes:
        failures: The cells without an outcome, by name, with the reason.
        conclusions: The conclusions, a sentence each, the most important one first.
        damage_sentences: The damaged parts of the document.
    """

    study: Study
    failures: Mapping[str, str]
    outcomes: tuple[CellOutcome, ...]
    comparison: Comparison
    conclusions: tuple[str, ...]
    is_finished: bool = True
    damage_sentences: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Serialise all results for programs as one plain JSON object."""
        outcomes_by_method = {
            name: [each for each in self.outcomes if each.method == name]
            for name in self.comparison.methods
        }

        def average(field: str) -> dict[str, float]:
            return {
                name: sum(getattr(each, field) for each in cells) / len(cells)
                for name, cells in outcomes_by_method.items()
            }

        return {
            "verdict": list(self.conclusions),
            **self.comparison.to_json(),
            "cells": len(self.outcomes),
            "failed": self.failures,
            "stopped": not self.is_finished,
            "suggest_seconds": average("suggest_seconds"),
            "seconds": average("seconds"),
            "measures": {
                name: _average_measures([dict(each.measures) for each in cells])
                for name, cells in outcomes_by_method.items()
            },
        }

    @property
    def remarks(self) -> tuple[str, ...]:
        """Caveats about the ranks, a sentence each."""
        return (*list_notes(self.comparison), *self.damage_sentences)

    @cached_property
    def tables(self) -> list[ResultTable]:
        """Every non-empty table."""
        return make_tables(self.comparison, self.outcomes)

    @cached_property
    def diagrams(self) -> list[Diagram]:
        """Every non-empty diagram."""
        return draw_diagrams(self.comparison)

    def write_tables(self, folder: Path) -> list[Path]:
        """Write tables (CSV, LaTeX), diagrams (SVG) and ``runs.csv``; return the files."""
        runs = {"runs.csv": render_csv(make_runs_table(self.outcomes))}
        return write_files(folder, runs | render_files(self.tables, self.diagrams))

    def write_report(self, path: Path, tables_in: Path | None = None) -> None:
        """Write the Markdown report, linking diagrams in a folder, or raise ExportError."""
        diagrams: list[Diagram] = []
        pictures = ""
        if tables_in is not None:
            diagrams = self.diagrams
            pictures = Path(os.path.relpath(tables_in, path.parent)).as_posix()
        failures, conclusions = self.failures, self.conclusions
        text = render_report(
            self.study, self.tables, failures, diagrams, pictures, conclusions=conclusions
        )
        write_file(path, text)


def compute_results(
    document: Document,
    study: Study,
    cells: Mapping[int, StudyCell],
    outcomes: Sequence[CellOutcome],
    failures: Mapping[str, str],
    *,
    is_finished: bool,
    in_window: bool = False,
    thorough: bool = True,
    cached_comparisons: PairComparisonCache | None = None,
) -> StudyResults:
    """Compute a study's results from the outcomes of finished cells, at least one.

    Args:
        cells: The finished cells, by run.
        failures: The cells without an outcome, by name.
        in_window: Whether remedies are those of the window, instead of the shell.
        thorough: Whether to compute the Poisson-binomial probabilities as well.
        cached_comparisons: See
            :func:`studio.compare.pair_comparisons.compute_probabilities_over_time`.
    """
    damage_sentences = tuple(describe_damaged_records(document.damaged_records))
    methods = [method.name for method in study.methods]
    duplicates = find_duplicate_methods(cells.values(), methods)
    rejected = find_rejected_rows(document, failures)
    over_time = None
    if thorough:
        names = list_compared_methods(outcomes, methods, duplicates)
        blocks = find_common_repetitions(outcomes, list_ranked_methods(outcomes, names, rejected))
        points = choose_curve_points(outcomes)
        over_time = compute_probabilities_over_time(document, blocks, points, cached_comparisons)
    comparison = compare(
        outcomes,
        methods,
        over_time,
        shared=study.plan.test,
        duplicate_of=duplicates,
        rejected=rejected,
        is_refitted=are_refitted(study, outcomes),
        divided_by_time=study.list_divided_by_time(),
    )
    entries = list_stored_entries(document, study)
    conclusions = (
        *list_conclusions(study, comparison, failures, is_finished=is_finished),
        *explain_single_trials(outcomes),
        *explain_missing_refits(study, outcomes),
        *describe_leaks(document, cells),
        *advise_on_texts_of(document, entries),
        *describe_targets(entries, in_window=in_window),
        *describe_decisions(entries),
        *describe_search_spaces(study, entries, in_window=in_window),
    )
    return StudyResults(
        study, failures, tuple(outcomes), comparison, conclusions, is_finished, damage_sentences
    )


def read_results(path: Path, study: Study, study_result: StudyRunResult) -> StudyResults:
    """Read a study's finished cells and compute their results, or raise DocumentError."""
    cells = study_result.runs
    # With write access if possible, as preparing a run of an earlier version stores its choices.
    with Document.open(path, writable=None) as document:
        outcomes = read_outcomes(document, cells, several_spaces=len(study.spaces) > 1)
        if not outcomes:
            raise DocumentError(join_phrases(describe_damaged_records(document.damaged_records)))
        failures = study_result.failures | find_unreadable_cells(document, cells, outcomes)
        is_finished = not study_result.is_stopped
        return compute_results(document, study, cells, outcomes, failures, is_finished=is_finished)


def _average_measures(measures: list[dict[str, float]]) -> dict[str, float]:
    names = sorted({name for each in measures for name in each})
    return {
        name: sum(each[name] for each in measures if name in each)
        / sum(name in each for each in measures)
        for name in names
    }


_LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas", "lightgbm")


def render_report(
    study: Study,
    result_tables: Sequence[ResultTable],
    failures: Mapping[str, str],
    diagrams: Sequence[Diagram] = (),
    pictures: str = "",
    *,
    conclusions: Sequence[str] = (),
) -> str:
    """Return the report as a Markdown page."""
    folder = quote(pictures, errors="surrogateescape")
    sections = [
        _render_heading(study, conclusions),
        *(render_markdown(table) for table in result_tables),
        *(
            f"## {escape_markdown(each.title)}\n\n"
            f"{escape_markdown(join_phrases((each.caption, each.remark)))}\n\n"
            f"![{escape_markdown(each.title)}]({folder}/{each.key}.svg)"
            for each in diagrams
        ),
        _render_failures(failures),
        _render_circumstances(study),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def _render_heading(study: Study, conclusions: Sequence[str]) -> str:
    plan = study.plan
    division = (
        f"{plan.folds}-fold cross-validation, {format_share(plan.test)} of the rows for the test"
        if plan.folds
        else f"training {format_share(plan.train)}, validation {format_share(plan.validation)}, "
        f"test {format_share(plan.test)}"
    )
    models = (
        "Test errors are those of the selected models, refitted where there was time, on all "
        "rows but the test rows."
        if study.refit
        else "Test errors are those of the selected models, as fitted by the trials."
    )
    lines = [
        f"# {_join_lines(study.title) or 'Comparison'}",
        f"**{escape_markdown(conclusions[0])}**" if conclusions else "",
        escape_markdown(" ".join(conclusions[1:])),
        _join_lines(study.summary),
        f"Reference: {_join_lines(study.reference)}." if study.reference else "",
        f"{_format_plural(len(study.data), 'data set')}, "
        f"{_format_plural(len(study.methods), 'method')}, "
        f"{_format_plural(study.repetitions, 'repetition')} of {_describe_limits(study)}; "
        f"{division}. All methods of a repetition have the same split and seed. {models}",
    ]
    return "\n\n".join(line for line in lines if line)


def _describe_limits(study: Study) -> str:
    limits = [] if study.seconds is None else [f"{study.seconds:g} s"]
    if study.budget is not None:
        limits.insert(0, _format_plural(study.budget, "trial"))
    return f"{' or '.join(limits)} (at most {study.trial_seconds:g} s for a trial)"


def _join_lines(text: str) -> str:
    """Return a study's description, possibly of several lines, as a paragraph."""
    return escape_markdown(" ".join(text.split()))


def _format_plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _render_failures(failures: Mapping[str, str]) -> str:
    if not failures:
        return ""
    lines = [
        f"- {escape_markdown(name)}: {escape_markdown(message)}"
        for name, message in failures.items()
    ]
    return "## Not finished\n\n" + "\n".join(lines)


def _render_circumstances(study: Study) -> str:
    methods = "\n".join(
        f"- {escape_markdown(each.name)}: {escape_markdown(each.method)}"
        + "".join(f", {escape_markdown(f'{name} = {value}')}" for name, value in each.set.items())
        for each in study.methods
    )
    names = (*_LIBRARIES, *list_libraries(study.methods))
    versions = ", ".join(
        f"{name} {version_text}" for name in names if (version_text := get_version(name))
    )
    return (
        f"## Methods, seeds, versions\n\n{methods}\n\n"
        f"Study seed {study.seed}; the split of a repetition is drawn from (seed, data set, "
        "repetition), the run's seed from (seed, repetition).\n\n"
        f"Ensemble Studio {VERSION}, Python {platform.python_version()}, {versions}; "
        f"{platform.system()} {platform.machine()}."
    )
