"""What conducting a study reports: step by step, and in the end."""

from dataclasses import dataclass, field

from studio.compare.cells import StudyCell


@dataclass(frozen=True)
class StudyStep:
    """What a study reports while it works.

    Attributes
    ----------
    name : str
        The cell (or data set) that it is about.
    done, total : int
        Cells that are over, and all there are.
    error : float or None
        Its test error, if it finished.
    unit : str
        "%" where errors are shares.
    seconds : float
        Of work on that cell.
    to_go : float or None
        Seconds that the rest will take, as far as that is known.
    message : str
        Why it failed; empty if it did not.
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
class Conducted:
    """The outcome of conducting a study.

    Attributes
    ----------
    runs : dict
        Finished cells with their runs, in the order of the grid.
    failures : dict
        Names of cells and data sets that failed, with the reason.
    stopped : bool
        Whether somebody stopped it before the end.
    """

    runs: dict[int, StudyCell] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    stopped: bool = False
