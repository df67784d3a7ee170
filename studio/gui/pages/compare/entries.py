"""The data sets of a draft: files, samples, and those of a paper that are looked for."""

import dataclasses
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from studio.compare.notes import SUFFIXES, name_of
from studio.data.column import Role
from studio.data.samples import samples
from studio.runs.settings import TableChoices

FOLDER_LIMIT = 1000
"""At most this many tables of a folder are taken."""


@dataclass(frozen=True)
class DataEntry:
    """A data set of the draft.

    Attributes:
        name: What it is called in tables.
        place: The file's path, or the key of a sample; empty for one of a paper that is not here.
        target: The column to predict; empty for a guess.
        sample: Whether it comes with the program.
        choices: What was decided about the table on the Data page.
    """

    name: str
    place: str
    target: str = ""
    sample: bool = False
    choices: TableChoices = field(default_factory=TableChoices)

    @property
    def missing(self) -> bool:
        """Whether nobody knows where it is."""
        return not self.place

    def request(self) -> dict[str, Any]:
        """Return its table as tasks of the helper receive it (their ``TableSpec``)."""
        sample = next((each.path for each in samples() if each.key == self.place), None)
        return {
            "path": str(sample if self.sample else self.place),
            "options": dict(self.choices.reading),
            "kinds": dict(self.choices.kinds),
            "roles": dict(self.choices.roles),
            "treatments": dict(self.choices.treatments),
            "monotone": dict(self.choices.monotone),
            "target": self.target or None,
            "task": self.choices.task,
            "document": None,
            "stored": None,
        }

    def with_roles(self, names: Sequence[str], role: Role) -> Self:
        """Return it with another role of some columns."""
        roles = {**self.choices.roles, **dict.fromkeys(names, role)}
        return dataclasses.replace(self, choices=dataclasses.replace(self.choices, roles=roles))

    def with_target(self, target: str) -> Self:
        """Return it with another column to predict; what was decided for the former one goes."""
        if target == self.target:
            return self
        return dataclasses.replace(self, target=target, choices=self.choices.for_target(target))


def of_name(name: str) -> DataEntry:
    """Return a data set that a study file names: a sample, or one to be looked for."""
    sample = next((each for each in samples() if each.key == name), None)
    if sample is None:
        return DataEntry(name, "")
    return DataEntry(name, sample.key, sample.target, sample=True)


def of_file(path: Path, target: str = "", choices: TableChoices | None = None) -> DataEntry:
    """Return a data set that is a file, with what was decided about its table."""
    return DataEntry(name_of(path.name), str(path), target, choices=choices or TableChoices())


def tables_in(folder: Path) -> Sequence[Path]:
    """Return the tables of a folder by name."""
    try:
        names = sorted(each.name for each in os.scandir(folder) if each.is_file())
    except OSError:
        return ()
    return [folder / name for name in names if name.lower().endswith(SUFFIXES)][:FOLDER_LIMIT]


def found_in(entry: DataEntry, folder: Path) -> DataEntry:
    """Return a data set with its file, where it is missing and a folder holds it."""
    if not entry.missing:
        return entry
    for suffix in SUFFIXES:
        path = folder / f"{entry.name}{suffix}"
        if path.is_file():
            return dataclasses.replace(entry, place=str(path))
    return entry
