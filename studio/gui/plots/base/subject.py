"""What the live plots look at: one run at one iteration, and the runs overlaid on it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from studio.data.split_plan import SplitPlan
from studio.gui.plots.base.series import RunSeries
from studio.runs.settings import RunSettings
from studio.space.space import Space

Members = tuple[tuple[int, float], ...]
"""An ensemble: the trial number and the weight of every member."""


@dataclass(frozen=True)
class Overlay:
    """Another run that is drawn over the one looked at, where a plot can do that.

    Attributes:
        name: The run's name.
        run_id: The run in the document.
        series: Its trials and iterations read so far.
        plan: How its rows are divided.
        test_loss: As :class:`Subject` has it.
    """

    name: str
    run_id: int
    series: RunSeries
    plan: SplitPlan = field(default_factory=SplitPlan)
    test_loss: float | None = None


@dataclass(frozen=True)
class Subject:
    """One run as a plot follows it.

    Attributes:
        document: The ``.studio`` file, for what the helper process computes from it.
        run_id: The run in the document.
        series: Its trials and iterations read so far.
        chosen: The iteration looked at; None follows the newest.
        space: The space that the run searches.
        name: The run's name.
        settings: What the run was asked to do.
        overlaid: Runs to draw over it, in the order of their colours.
        beside: Runs that are drawn next to it, on axes of the same range.
        ended: Why no trial will come any more, in a sentence; empty while one may.
        utilisation: What the time of a finished run's workers went into
            (:mod:`studio.runs.utilisation`); ``None`` for other runs.
        test_loss: Loss of the final models, refitted where the run asks for it, on the test rows;
            ``None`` before the run is over, and where there are no such rows.
    """

    document: Path
    run_id: int
    series: RunSeries
    chosen: int | None
    space: Space | None
    name: str = ""
    settings: RunSettings = field(default_factory=RunSettings)
    overlaid: tuple[Overlay, ...] = ()
    beside: tuple[Overlay, ...] = ()
    ended: str = ""
    utilisation: Mapping[str, float] | None = None
    test_loss: float | None = None

    @property
    def tested(self) -> bool:
        """Whether the run is over and has been tested."""
        return self.test_loss is not None

    @property
    def iteration(self) -> int:
        """The iteration looked at, as a number; 0 before the first."""
        return self.series.at(self.chosen)

    @property
    def members(self) -> Members:
        """The ensemble's members at this iteration: trial number and weight of each."""
        if self.iteration < 1:
            return ()
        members = self.series.iterations[self.iteration - 1].members
        return tuple((int(number), float(weight)) for number, weight in members)

    @property
    def asked(self) -> dict[str, Any]:
        """What every task about a run is given: which run of which document, and when."""
        return {
            "path": str(self.document),
            "run_id": self.run_id,
            "iteration": self.iteration,
        }

    @property
    def identity(self) -> tuple[Path, int]:
        """What distinguishes this run from all others, also from those of other documents."""
        return self.document, self.run_id

    def continues(self, earlier: "Subject") -> bool:
        """Whether it is the same run as before, and not a recording of it that began once more."""
        grown = len(self.series.iterations) >= len(earlier.series.iterations)
        return grown and self.identity == earlier.identity
