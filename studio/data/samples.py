"""The sample tables that come with the program."""

import json
from dataclasses import dataclass
from pathlib import Path

from studio.assets import RESOURCES


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
    folder = RESOURCES / "samples"
    listed = json.loads((folder / "samples.json").read_text(encoding="utf-8"))
    return tuple(
        Sample(
            key=each["key"],
            title=each["title"],
            summary=each["summary"],
            target=each["target"],
            path=folder / each["file"],
            source=each["source"],
        )
        for each in listed["samples"]
    )
