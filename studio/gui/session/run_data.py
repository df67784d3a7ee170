"""Comparison of the data of runs: feature columns and test rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from studio.arrays import Integers
from studio.data.description import Finding
from studio.data.findings import describe_overruled, from_json, is_open_leak
from studio.data.metrics.registry import find_metric
from studio.document.store import Document
from studio.document.tables import get_target_unit
from studio.errors import DocumentError
from studio.gui.session.run_view import RunView
from studio.language import N_, group_digits, tr, translate
from studio.measure import get_loss_unit
from studio.phrases import join_quoted

DataKind = Literal["target", "table", "columns", "test"]
"""A way in which the data of two runs differ: "test" are the test rows."""

_MAX_NAMES = 4
"""Maximum number of columns named in a note."""

_MIN_SHARED_SHARE = 0.98
"""Minimum share of common test rows for comparable errors: a hold-out and folds of the same shares
and seed may differ by a row per class, as each rounds its parts.
"""


@dataclass(frozen=True, eq=False)
class RunDataSummary:
    """A run's training and test data.

    Attributes:
        table: A hash of its file's contents; empty if unknown.
        test_rows: Shape (n,). The numbers of its test rows.
    """

    target: str
    table: str
    columns: frozenset[str]
    test_rows: Integers

    def has_comparable_test(self, other: "RunDataSummary") -> bool:
        """Return whether (nearly) the same rows are test rows of the other run, too."""
        n_shared = np.intersect1d(self.test_rows, other.test_rows, assume_unique=True).size
        return n_shared >= _MIN_SHARED_SHARE * max(len(self.test_rows), len(other.test_rows))


@dataclass(frozen=True)
class DataDifferences:
    """Differences between the data of two runs, in a few words and in sentences; empty if none."""

    note: str = ""
    details: str = ""
    short_text: str = ""


NO_DIFFERENCE = DataDifferences()
"""Result for runs with the same or unknown data."""


class RunData:
    """Caches the data of the open document's runs, which never change after the start."""

    def __init__(self, document: Callable[[], Document | None]) -> None:
        self._document = document
        self._cached_data: dict[int, RunDataSummary] = {}
        self._tables: dict[int, _TableSummary] = {}

    def clear(self) -> None:
        """Clear the cache: another document was opened."""
        self._cached_data.clear()
        self._tables.clear()

    def get(self, view: RunView) -> RunDataSummary | None:
        """Return a run's data; ``None`` if unread or damaged."""
        run_id, document = view.row.id, self._document()
        table = self._get_table_summary(view) if view.row.prepared else None
        if document is None or table is None:
            return None
        if run_id not in self._cached_data:
            try:
                rows = document.runs.test_rows(run_id)
            except (DocumentError, KeyError, TypeError):
                return None
            summary = RunDataSummary(table.target, table.contents, table.columns, rows)
            self._cached_data[run_id] = summary
        return self._cached_data[run_id]

    def _get_table_summary(self, view: RunView) -> "_TableSummary | None":
        """Return the summary of a run's table; ``None`` if unread or damaged."""
        document, table_id = self._document(), view.row.table_id
        if document is None or table_id is None:
            return None
        if table_id not in self._tables:
            try:
                self._tables[table_id] = _describe_table(document.tables.describe(table_id))
            except (DocumentError, KeyError, TypeError):
                return None
        return self._tables[table_id]

    def get_target_unit(self, view: RunView) -> str:
        """Return the unit in which the cells of a run's target are written; empty for none."""
        table = self._get_table_summary(view)
        return "" if table is None else table.unit

    def get_loss_unit(self, view: RunView) -> str:
        """Return the unit of a run's losses (:func:`studio.measure.get_loss_unit`)."""
        metric = find_metric(view.metric)
        return "" if metric is None else get_loss_unit(metric.unit, self.get_target_unit(view))

    def find_overruled_columns(self, view: RunView) -> tuple[str, ...]:
        """Return the columns that a run uses although they may leak the target."""
        result, table = view.row.result, self._get_table_summary(view)
        if result is None or table is None:
            return ()
        leaks = (
            each
            for each in table.findings
            if is_open_leak(each) and describe_overruled(each) in result.overruled
        )
        return tuple(name for each in leaks for name in each.columns)

    def get_findings(self, view: RunView) -> tuple[Finding, ...]:
        """Return the findings about a run's table; empty if unread or damaged."""
        table = self._get_table_summary(view)
        return () if table is None else table.findings

    def list_differences(self, view: RunView, other: RunView) -> list[DataKind]:
        """Return the known differences between the data of two runs."""
        own_data, other_data = self.get(view), self.get(other)
        if own_data is None or other_data is None:
            return []
        return list_data_differences(own_data, other_data)

    def describe_differences(self, view: RunView, other: RunView | None) -> DataDifferences:
        """Return the differences between two runs' data, which make their errors incomparable."""
        if other is None or other.row.id == view.row.id:
            return NO_DIFFERENCE
        own_data, other_data = self.get(view), self.get(other)
        if own_data is None or other_data is None:
            return NO_DIFFERENCE
        return compare_data(own_data, other_data)


def list_data_differences(summary: RunDataSummary, other_summary: RunDataSummary) -> list[DataKind]:
    """Return the differences: the target, else the table, else columns and test rows."""
    if summary.target != other_summary.target:
        return ["target"]
    if summary.table != other_summary.table:
        return ["table"]
    kinds: list[DataKind] = ["columns"] if summary.columns != other_summary.columns else []
    return kinds if summary.has_comparable_test(other_summary) else [*kinds, "test"]


def compare_data(first: RunDataSummary, second: RunDataSummary) -> DataDifferences:
    """Return the differences of data; errors of other targets are not considered."""
    kinds = list_data_differences(first, second)
    if "target" in kinds:
        text, note = N_("It predicts “{name}”, the selected run “{other}”."), tr("different target")
        return DataDifferences(note, tr(text, name=first.target, other=second.target), note)
    if "table" in kinds:
        note = tr("different table")
        text = tr("It learned from different data from the selected run.")
        return DataDifferences(note, text, note)
    notes: list[str] = []
    more_details: list[str] = []
    if "columns" in kinds:
        notes.append(tr("different columns"))
        for columns, text in (
            (first.columns - second.columns, N_("Uses in addition to the selected run: {names}.")),
            (second.columns - first.columns, N_("Does not use, unlike the selected run: {names}.")),
        ):
            if columns:
                more_details.append(tr(text, names=_join_names(sorted(columns))))
    if "test" in kinds:
        notes.append(tr("different test rows"))
        more_details.append(
            tr(
                "Tested on different rows: {count} here, {other} in the selected run.",
                count=group_digits(len(first.test_rows)),
                other=group_digits(len(second.test_rows)),
            )
        )
    if notes:
        more_details.append(tr("So their errors are not directly comparable."))
    brief = notes[0] if len(notes) == 1 else tr("different data") if notes else ""
    return DataDifferences(", ".join(notes), " ".join(more_details), brief)


@dataclass(frozen=True)
class _TableSummary:
    """Summary of a table: target, its unit, hash of the contents, used columns, findings."""

    target: str
    unit: str
    contents: str
    columns: frozenset[str]
    findings: tuple[Finding, ...]


def _describe_table(table: dict[str, object]) -> _TableSummary:
    """Summarise a table from its stored description."""
    columns = table["columns"]
    assert isinstance(columns, list)
    used_names = {
        # Models see the words of a text; their last alias is the original column.
        each["aliases"][-1] if "term" in each else each["name"]
        for each in columns
        if each["role"] == "feature"
    }
    target = next((str(each["name"]) for each in columns if each["role"] == "target"), "")
    return _TableSummary(
        target,
        get_target_unit(table),
        str(table.get("sha256") or ""),
        frozenset(map(str, used_names)),
        from_json(table.get("findings")),
    )


def _join_names(names: Sequence[str]) -> str:
    return translate(join_quoted([each[:40] for each in names], _MAX_NAMES))
