"""The tables of the results page: members and failed trials."""

from collections.abc import Sequence

from PySide6.QtWidgets import QHeaderView

from studio.gui.base.language import percent, said, tr
from studio.gui.pages.results.model import Outcome, algorithm, change, settings
from studio.gui.session.wording import loss
from studio.gui.widgets.record_table import Cell, Head, RecordTable
from studio.trial import Trial

_TEST_COLUMNS = (4, 6)


def members_table() -> RecordTable:
    """Return the empty table of members."""
    adds = tr(
        "By how much the ensemble's error would grow if this member were left out and the others "
        "kept their proportions. Negative: on these rows it would be better without. "
        "In percentage points where errors are in percent, else in the metric's unit."
    )
    table = RecordTable(
        (
            Head(tr("Weight"), tr("The member's share of the say"), bars=True),
            Head(tr("Trial"), tr("The number of the trial"), right=True),
            Head(tr("Model"), tr("What kind of model it is")),
            Head(tr("Own error\nvalidation"), tr("Alone, on the validation rows"), right=True),
            Head(
                tr("Own error\ntest"),
                tr("Alone, on the test rows (as the search trained it)"),
                right=True,
            ),
            Head(tr("Adds\nvalidation"), adds, right=True),
            Head(tr("Adds\ntest"), adds, right=True),
            Head(tr("Settings"), tr("Its hyperparameters"), whole=True),
        ),
        tr("Members of the ensemble"),
    )
    header = table.horizontalHeader()
    header.setMinimumHeight(52)
    header.resizeSection(0, 104)
    for section in range(1, 7):
        header.setSectionResizeMode(section, QHeaderView.ResizeMode.ResizeToContents)
    return table


def show_members(table: RecordTable, found: Outcome, unit: str) -> None:
    """Show the members of an outcome."""
    heaviest = max((each.weight for each in found.members), default=1.0)
    points = tr("points of percent") if unit == "%" else ""
    for section in _TEST_COLUMNS:
        table.setColumnHidden(section, all(each.test is None for each in found.members))
    table.records.show_rows(
        [
            (
                Cell(percent(each.weight, 0), each.weight / heaviest),
                Cell(str(each.trial)),
                Cell(each.algorithm),
                Cell(loss(each.loss, unit)),
                Cell(loss(each.test, unit)),
                Cell(change(each.adds, unit), tip=f"{change(each.adds, unit)} {points}"),
                Cell(change(each.adds_test, unit), tip=f"{change(each.adds_test, unit)} {points}"),
                Cell(each.settings),
            )
            for each in found.members
        ]
    )


def failures_table() -> RecordTable:
    """Return the empty table of failed trials."""
    table = RecordTable(
        (
            Head(tr("Trial"), tr("The number of the trial"), right=True),
            Head(tr("Model"), tr("What kind of model it is")),
            Head(tr("What happened"), tr("The cause, in plain words"), wide=True),
            Head(tr("What to do"), tr("How to avoid it"), wide=True),
        ),
        tr("Failed trials"),
        lines=2,
    )
    table.setColumnWidth(0, 56)
    return table


def show_failures(table: RecordTable, failed: Sequence[Trial]) -> None:
    """Show the failed trials of a run."""
    table.records.show_rows(
        [
            (
                Cell(str(each.number)),
                Cell(algorithm(each), tip=settings(each)),
                Cell(said(each.cause)),
                Cell(said(each.remedy)),
            )
            for each in failed
        ]
    )
