"""What comes with the program: sample tables, and recorded runs to be played without computing."""

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


@dataclass(frozen=True)
class Recording:
    """A document with recorded runs (made by ``packaging/recordings.py``).

    Attributes
    ----------
    key : str
        Its short name.
    title, summary : str
        For a button, and for its tooltip.
    path : Path
        The document.
    sample : str
        Key of the sample table that its runs learned from.
    plots : tuple of str
        Keys of the plots that show its point; empty for the simple view of the Live page.
    """

    key: str
    title: str
    summary: str
    path: Path
    sample: str
    plots: tuple[str, ...]


def recordings() -> tuple[Recording, ...]:
    """Return the recordings in the order in which they are offered."""
    return listed("recordings", Recording)
