"""What the live plots look at: one run at one iteration."""

from dataclasses import dataclass
from pathlib import Path

from studio.gui.plots.series import RunSeries
from studio.space.space import Space


@dataclass(frozen=True)
class Subject:
    """One run as a plot follows it.

    Attributes
    ----------
    document : Path
        The ``.studio`` file, for what the helper process computes from it.
    run_id : int
        The run in the document.
    series : RunSeries
        Its trials and iterations read so far.
    chosen : int or None
        The iteration looked at; None follows the newest.
    space : Space or None
        The space that the run searches.
    """

    document: Path
    run_id: int
    series: RunSeries
    chosen: int | None
    space: Space | None

    @property
    def iteration(self) -> int:
        """The iteration looked at, as a number; 0 before the first."""
        return self.series.at(self.chosen)
