"""The settings of several trials side by side, those that differ first."""

from collections.abc import Sequence

from PySide6.QtGui import QColor

from studio.gui.base import theme
from studio.gui.base.language import tr
from studio.gui.pages.results.views.leaderboard_model import SettingDifference, side_by_side
from studio.gui.widgets.record_table import RecordTable
from studio.gui.widgets.records import ColumnSpec
from studio.trial import Trial

MOST = 8
"""Trials that are compared at most."""


class SettingsTable(RecordTable[SettingDifference]):
    """A column for each trial; what is the same in all of them is muted."""

    def __init__(self) -> None:
        super().__init__((), tr("Settings of the selected trials"))
        self.setSelectionMode(self.SelectionMode.NoSelection)

    def show_trials(self, trials: Sequence[Trial]) -> None:
        """Show the settings of these trials, the first of them where they are too many."""
        shown = trials[:MOST]
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
