"""Interim results of a study in progress."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from studio.compare.answers import InterimResults
from studio.compare.cells import StudyCell, enumerate_cells, find_run
from studio.compare.conclusions import list_provisional_conclusions
from studio.compare.coordinator import load_coordinator
from studio.compare.outcomes import CellOutcome, find_unreadable_cells, read_outcomes
from studio.compare.pair_comparisons import PairComparisonCache
from studio.compare.results import compute_results, render_report
from studio.compare.study import Study, load_study
from studio.compare.targets import list_stored_entries
from studio.document.store import Document
from studio.errors import UsageError
from studio.phrases import phrase


class InterimReader:
    """Reads a study's finished cells incrementally."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._outcomes: dict[tuple[int, str, float], CellOutcome] = {}
        self._pair_comparisons: PairComparisonCache = {}

    def read(self, *, thorough: bool) -> InterimResults:
        """Return the current results.

        Args:
            thorough: Whether to compute the Poisson-binomial probabilities as well, which initially
                takes some hundredths of a second per finished cell.

        Raises:
            UsageError: If the document contains no study.
        """
        study = load_study(self._path)
        # With write access if possible, as preparing a run of an earlier version stores its
        # choices.
        with Document.open(self._path, writable=None) as document:
            last_coordinator = load_coordinator(document)
            cells = list_finished_cells(document, study)
            outcomes = self._read_outcomes(document, study, cells)
            if not outcomes:
                return InterimResults()
            failures = {
                **({} if last_coordinator is None else last_coordinator.failures),
                **find_unreadable_cells(document, cells, outcomes),
            }
            results = compute_results(
                document,
                study,
                cells,
                outcomes,
                failures,
                is_finished=_is_over(document, study, cells, failures),
                in_window=True,
                thorough=thorough,
                cached_comparisons=self._pair_comparisons,
            )
        comparison = results.comparison
        return InterimResults(
            len(outcomes),
            comparison.methods,
            {each.key: each for each in results.tables},
            {each.key: each for each in results.diagrams},
            render_report(study, results.tables, failures, conclusions=results.conclusions),
            results.conclusions,
            list_provisional_conclusions(study, comparison),
            thorough,
            {name: comparison.get_error_format(name) for name in comparison.errors},
        )

    def _read_outcomes(
        self, document: Document, study: Study, cells: Mapping[int, StudyCell]
    ) -> list[CellOutcome]:
        has_several_spaces = len(study.spaces) > 1
        outcomes: list[CellOutcome] = []
        for run_id, cell in cells.items():
            result = document.runs.get(run_id).result
            key = (run_id, cell.name, result.seconds if result else 0.0)
            if key in self._outcomes:
                outcomes.append(self._outcomes[key])
                continue
            for each in read_outcomes(document, {run_id: cell}, several_spaces=has_several_spaces):
                self._outcomes[key] = each
                outcomes.append(each)
        return outcomes


def list_finished_cells(document: Document, study: Study) -> Mapping[int, StudyCell]:
    """Return the runs of finished cells in the grid's order, without those with other settings."""
    datasets = [each.dataset for _, each in list_stored_entries(document, study)]
    finished = {}
    for cell in enumerate_cells(study, datasets):
        try:
            run_id = find_run(document, cell)
        except UsageError:
            continue
        if run_id is None:
            continue
        row = document.read_or_record_damage(
            partial(document.runs.get, run_id), run_id, phrase("That cell is left out.")
        )
        if row is not None and row.state == "finished" and row.result is not None:
            finished[run_id] = cell
    return finished


def _is_over(
    document: Document, study: Study, finished: Mapping[int, StudyCell], failures: Mapping[str, str]
) -> bool:
    """Whether all cells have ended, even in a copied document or one from the command line."""
    coordinator = load_coordinator(document)
    if coordinator is not None and coordinator.stage == "ended":
        return True
    datasets = [each.dataset for _, each in list_stored_entries(document, study)]
    ended = {*failures, *(cell.name for cell in finished.values())}
    return len(datasets) + len(failures) >= len(study.data) and all(
        cell.name in ended for cell in enumerate_cells(study, datasets)
    )


_READERS: dict[Path, InterimReader] = {}
"""Cache of the last document: each finished cell is read once in this process."""


def compute_study_results(document: Path, *, thorough: bool) -> InterimResults:
    """Return the interim results of a study; ``thorough``: with probabilities from test rows."""
    if document not in _READERS:
        _READERS.clear()
        _READERS[document] = InterimReader(document)
    return _READERS[document].read(thorough=thorough)
