"""The leaderboard's table, whose heads sort it, and that of the settings of some trials."""

from collections.abc import Sequence

from PySide6.QtCore import QItemSelection, QItemSelectionModel, Qt, Signal
from PySide6.QtGui import QColor

from studio.gui.base import theme
from studio.gui.pages.results.views.leaderboard_model import (
    LARGEST_FIRST,
    Key,
    LeaderboardEntry,
    SettingDifference,
    configured,
    longest_bar,
    losses_alike,
    side_by_side,
)
from studio.gui.pages.results.views.model import algorithm
from studio.gui.session.wording import loss, status_word
from studio.gui.widgets.plain_table import width_for
from studio.gui.widgets.record_table import RecordTable
from studio.gui.widgets.records import ColumnSpec
from studio.language import number, percent, tr, translate
from studio.numerals import Numerals
from studio.trial import Trial

KEYS: tuple[Key | None, ...] = (
    "rank", "weight", "number", "model", "loss", "test", "seconds", None
)  # fmt: skip
"""What each column is sorted by."""

_SAMPLES = ("", "100 %", "10,000", "", "100.0 %", "100.0 %", "100.00 s")
_RANK, _MODEL, _TEST = (KEYS.index(key) for key in ("rank", "model", "test"))

_MOST = 8
"""Trials that are compared at most."""


class LeaderboardTable(RecordTable[LeaderboardEntry]):
    """One line a trial; several can be selected, and stay so when the lines change."""

    sorted_by = Signal(str, bool)
    """A head was pressed: the key, and whether the largest come first."""

    def __init__(self) -> None:
        self._unit, self._how, self._longest = "", Numerals(), 0.0
        super().__init__(self._columns(), tr("Leaderboard"))
        self.setSelectionMode(self.SelectionMode.ExtendedSelection)
        header = self.horizontalHeader()
        header.setMinimumHeight(52)
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        header.sectionClicked.connect(self._pressed)
        self._by: tuple[Key, bool] = ("rank", False)
        self._models: set[str] = set()
        for section, sample in enumerate(_SAMPLES):
            self._widen(section, sample)

    def show_entries(self, lines: list[LeaderboardEntry], unit: str) -> None:
        """Show these lines; who was selected stays so, and what is in sight too.

        Args:
            unit: The metric's.
        """
        self._unit, self._how, self._longest = unit, losses_alike(lines), longest_bar(lines)
        self.setColumnHidden(_TEST, all(each.test is None for each in lines))
        words = {status_word(each.trial) for each in lines if each.rank is None}
        self._widen(_RANK, max({"10,000", *words}, key=len))
        models = {algorithm(each.trial) for each in lines} | self._models
        if models != self._models:
            self._models = models
            self._widen(_MODEL, max(models, key=len))
        if lines == self.records.records:
            return
        before = {each.trial.number for each in self.picked}
        place = self.verticalScrollBar().value()
        model = self.selectionModel()
        model.blockSignals(True)
        self.records.recast(self.records.columns, lines)
        kept = QItemSelection()
        for row, each in enumerate(lines):
            if each.trial.number in before:
                index = self.records.index(row, 0)
                kept.select(index, index)
        flags = QItemSelectionModel.SelectionFlag
        model.select(kept, flags.ClearAndSelect | flags.Rows)
        model.blockSignals(False)
        self.verticalScrollBar().setValue(place)

    def _widen(self, section: int, sample: str) -> None:
        """Make a column as wide as its head and such a text need."""
        heads = self.records.columns[section].title.split("\n")
        self.setColumnWidth(section, max(width_for(each, sample) for each in heads))

    def _share(self, each: LeaderboardEntry) -> float | None:
        """Return the length of a trial's bar in [0, 1]."""
        found = each.trial.loss
        return None if found is None or self._longest <= 0 else min(1.0, found / self._longest)

    def _pressed(self, section: int) -> None:
        key = KEYS[section]
        by, descending = self._by
        if key is not None:
            self._by = (key, not descending if key == by else key in LARGEST_FIRST)
        order = Qt.SortOrder.DescendingOrder if self._by[1] else Qt.SortOrder.AscendingOrder
        self.horizontalHeader().setSortIndicator(KEYS.index(self._by[0]), order)
        self.sorted_by.emit(*self._by)

    def _columns(self) -> tuple[ColumnSpec[LeaderboardEntry], ...]:
        return (
            ColumnSpec(
                tr("Rank"),
                lambda each: status_word(each.trial) if each.rank is None else str(each.rank),
                tr("By the error on the validation rows"),
                right=True,
            ),
            ColumnSpec(
                tr("Weight"),
                lambda each: "" if each.weight is None else percent(each.weight, 0),
                tr("The weight in the ensemble, if the trial is a member"),
                right=True,
            ),
            ColumnSpec(
                tr("Trial"),
                lambda each: str(each.trial.number),
                tr("The number of the trial"),
                right=True,
            ),
            ColumnSpec(tr("Model"), lambda each: algorithm(each.trial), tr("The kind of model")),
            ColumnSpec(
                tr("Error\nvalidation"),
                lambda each: loss(each.trial.loss, self._unit, self._how),
                tr("Alone, on the validation rows"),
                value=self._share,
                right=True,
                bars=True,
            ),
            ColumnSpec(
                tr("Error\ntest"),
                lambda each: loss(each.test, self._unit, self._how),
                tr(
                    "Alone, on the test rows (as the search trained it). If you choose by it, it "
                    "no longer tells you how good your choice is."
                ),
                right=True,
            ),
            ColumnSpec(
                tr("Time"),
                lambda each: tr("{s} s", s=number(each.trial.fit_seconds, ".2f")),
                tr("Seconds that training and predicting took"),
                right=True,
            ),
            ColumnSpec(
                tr("Settings"),
                lambda each: configured(each.trial),
                tr("The hyperparameters, or the cause if there is no result"),
                tip=lambda each: (
                    translate(each.trial.remedy)
                    and f"{configured(each.trial)}\n{translate(each.trial.remedy)}"
                ),
                last=True,
            ),
        )


class SettingsTable(RecordTable[SettingDifference]):
    """A column for each trial; settings that differ come first, the others are muted."""

    def __init__(self) -> None:
        super().__init__((), tr("Settings of the selected trials"))
        self.setSelectionMode(self.SelectionMode.NoSelection)

    def show_trials(self, trials: Sequence[Trial]) -> None:
        """Show the settings of these trials, the first of them where they are too many."""
        shown = trials[:_MOST]
        columns = [
            ColumnSpec[SettingDifference](
                tr("Setting"), lambda each: each.name, tr("The hyperparameter"), colour=_ink
            ),
            *(_column(place, trial) for place, trial in enumerate(shown)),
        ]
        self.records.recast(columns, side_by_side(shown))
        self.resizeColumnsToContents()


def _column(place: int, trial: Trial) -> ColumnSpec[SettingDifference]:
    return ColumnSpec(
        tr("Trial {number}", number=trial.number),
        lambda each: each.values[place],
        tr("The value in trial {number}", number=trial.number),
        colour=_ink,
    )


def _ink(each: SettingDifference) -> QColor | None:
    return None if each.differs else theme.colour(theme.current().muted)
