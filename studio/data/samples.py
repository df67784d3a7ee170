"""Shipped samples: tables, and recorded runs for playback."""

from dataclasses import dataclass
from pathlib import Path

from studio.assets import load_index


@dataclass(frozen=True)
class Sample:
    """A sample table; the summary is a sentence about its content and target."""

    key: str
    title: str
    summary: str
    target: str
    path: Path
    source: str


def list_samples() -> tuple[Sample, ...]:
    """Return the sample tables in display order."""
    return load_index("samples", Sample)


@dataclass(frozen=True)
class Recording:
    """A document with recorded runs (made by ``packaging/recordings.py``).

    Attributes:
        plots: Keys of the plots that illustrate it; empty for the simple view of the Live page.
    """

    key: str
    title: str
    summary: str
    path: Path
    sample: str
    plots: tuple[str, ...]


def list_recordings() -> tuple[Recording, ...]:
    """Return the recordings in display order."""
    return load_index("recordings", Recording)
