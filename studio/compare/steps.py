"""Progress events of a study."""

from dataclasses import dataclass, field

from studio.compare.cells import StudyCell


@dataclass(frozen=True)
class StudyStep:
    """A progress event of a study.

    Attributes:
        name: The cell (or data set).
        done, total: Finished cells, and all.
        error: Its test error, if it finished.
        unit: "%" for errors that are shares.
        seconds: Of work on that cell.
        to_go: Seconds until the end, if known.
        message: Why it failed; empty if it did not.
    """

    name: str
    done: int
    total: int
    error: float | None = None
    unit: str = ""
    seconds: float = 0.0
    to_go: float | None = None
    message: str = ""


@dataclass
class ConductResult:
    """The outcome of conducting a study.

    Attributes:
        runs: Finished cells with their runs, in the order of the grid.
        failures: Failed cells and data sets, with the reason.
        stopped: Whether the user stopped it before the end.
    """

    runs: dict[int, StudyCell] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    stopped: bool = False
