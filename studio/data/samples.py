"""The sample tables that come with the program."""

from dataclasses import dataclass
from pathlib import Path

from studio.assets import listed


@dataclass(frozen=True)
class Sample:
    """A sample table.

    Attributes
    ----------
    key : str
        Its short name.
    title : str
        For a button.
    summary : str
        One sentence: what it is and what to predict.
    target : str
        The column to predict.
    path : Path
        The CSV file.
    source : str
        Where it comes from.
    """

    key: str
    title: str
    summary: str
    target: str
    path: Path
    source: str


def samples() -> tuple[Sample, ...]:
    """Return the sample tables in the order in which they are shown."""
    return listed("samples", Sample)
