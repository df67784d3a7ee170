"""The table of members."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtWidgets import QHeaderView

from studio.gui.pages.results.views.model import MemberRow, ShownResult, change
from studio.gui.session.wording import loss
from studio.gui.widgets.record_table import RecordTable
from studio.gui.widgets.records import ColumnSpec
from studio.language import percent, tr
from studio.numerals import Numerals

Known = Callable[[MemberRow], float | None]

_TEST_COLUMNS = (4, 6)

_MAX_ROWS = 30
"""Members that are shown without scrolling the table."""


@dataclass(frozen=True)
class MemberLine:
    """A member as the table shows it.

    Attributes:
        row: What is known of it.
        share: Its bar's length in [0, 1].
        unit: The losses'.
        own, adds: How all members' losses are written, and what they add.
    """

    row: MemberRow
    share: float
    unit: str
    own: Numerals
    adds: Numerals


def members_table() -> RecordTable[MemberLine]:
    """Return the empty table of members."""
    adds = tr(
        "By how much the ensemble's error would grow if this member were left out and the "
        "others kept their proportions. Negative: on these rows the ensemble would be better "
        "without it. In percentage points where errors are in percent, else in the metric's "
        "unit."
    )

    def own(
        title: str, head_tip: str, known: Callable[[MemberRow], float | None]
    ) -> ColumnSpec[MemberLine]:
        return ColumnSpec(title, lambda m: loss(known(m.row), m.unit, m.own), head_tip, right=True)

    def added(title: str, known: Known) -> ColumnSpec[MemberLine]:
        def text(member: MemberLine) -> str:
            return change(known(member.row), member.unit, member.adds)

        return ColumnSpec(title, text, adds, tip=lambda m: f"{text(m)} {_points(m)}", right=True)

    table: RecordTable[MemberLine] = RecordTable(
        (
            ColumnSpec(
                tr("Weight"),
                lambda m: percent(m.row.weight, 0),
                tr("The member's weight in the ensemble"),
                value=lambda m: m.share,
                right=True,
                bars=True,
            ),
            ColumnSpec(
                tr("Trial"), lambda m: str(m.row.trial), tr("The number of the trial"), right=True
            ),
            ColumnSpec(tr("Model"), lambda m: m.row.algorithm, tr("The kind of model")),
            own(
                tr("Own error\nvalidation"),
                tr("Alone, on the validation rows"),
                lambda row: row.loss,
            ),
            own(
                tr("Own error\ntest"),
                tr("Alone, on the test rows (as the search trained it)"),
                lambda row: row.test,
            ),
            added(tr("Adds\nvalidation"), lambda row: row.adds),
            added(tr("Adds\ntest"), lambda row: row.adds_test),
            ColumnSpec(
                tr("Settings"), lambda m: m.row.settings, tr("Its hyperparameters"), last=True
            ),
        ),
        tr("Members of the ensemble"),
    )
    header = table.horizontalHeader()
    header.setMinimumHeight(52)
    for section in range(7):
        header.setSectionResizeMode(section, QHeaderView.ResizeMode.ResizeToContents)
    return table


def _points(member: MemberLine) -> str:
    return tr("percentage points") if member.unit == "%" else ""


def show_members(table: RecordTable[MemberLine], found: ShownResult, unit: str) -> None:
    """Show the members of an outcome."""
    heaviest = max((each.weight for each in found.members), default=1.0)
    for section in _TEST_COLUMNS:
        table.setColumnHidden(section, all(each.test is None for each in found.members))
    own = _together(4, [(each.loss, each.test) for each in found.members])
    adds = _together(3, [(each.adds, each.adds_test) for each in found.members])
    table.records.show(
        [MemberLine(each, each.weight / heaviest, unit, own, adds) for each in found.members]
    )
    table.show_rows(_MAX_ROWS)


def _together(digits: int, pairs: Sequence[tuple[float | None, float | None]]) -> Numerals:
    """Return how the numbers of two columns are written, those that are known."""
    return Numerals.together([x for pair in pairs for x in pair if x is not None], digits)
