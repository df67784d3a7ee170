"""The recorded runs that come with the program, to be played without computing."""

import json
from dataclasses import dataclass
from pathlib import Path

from studio.assets import RESOURCES


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
    arrangement : str
        Key of the arrangement of plots that shows its point.
    """

    key: str
    title: str
    summary: str
    path: Path
    sample: str
    arrangement: str


def recordings() -> tuple[Recording, ...]:
    """Return the recordings in the order in which they are offered."""
    folder = RESOURCES / "recordings"
    listed = json.loads((folder / "recordings.json").read_text(encoding="utf-8"))
    return tuple(
        Recording(
            key=each["key"],
            title=each["title"],
            summary=each["summary"],
            path=folder / each["file"],
            sample=each["sample"],
            arrangement=each["arrangement"],
        )
        for each in listed["recordings"]
    )
