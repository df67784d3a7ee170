"""The comparison that is being set up: choices, what they mean, and why it cannot start yet."""

import dataclasses
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from studio.assets import RESOURCES
from studio.compare.names import SUFFIXES, name_of
from studio.data.samples import samples
from studio.data.splits import split_plan
from studio.gui.language import ntr, tr
from studio.gui.wording import duration

OWN = ""
"""As preset: a comparison of one's own."""

QUICK, FULL = "quick", "full"

FOLDER_LIMIT = 1000
"""At most so many tables of a folder are taken."""


@dataclass(frozen=True)
class DataEntry:
    """A data set of the draft.

    Attributes
    ----------
    name : str
        What it is called in tables.
    place : str
        The file's path, or the key of a sample; empty for one of a paper that is not here.
    target : str
        The column to predict; empty for a guess.
    sample : bool
        Whether it comes with the program.
    """

    name: str
    place: str
    target: str = ""
    sample: bool = False

    @property
    def missing(self) -> bool:
        """Whether nobody knows where it is."""
        return not self.place


@dataclass(frozen=True)
class StudyDraft:
    """What a comparison shall be; plain JSON in the document, so nothing typed is lost.

    Attributes
    ----------
    preset, size : str
        The shipped study that it follows ("" for none), and which of its sizes.
    data : tuple of DataEntry
        On what.
    methods : tuple of Mapping
        What is compared: :class:`studio.compare.study.StudyMethod` as JSON.
    spaces : tuple of (str or None)
        Where is searched; ``None`` for the task's default.
    budget, repetitions, seed : int
        As in :class:`studio.compare.study.Study`.
    split : Mapping
        A :class:`studio.data.splits.SplitPlan` as JSON.
    metric : str or None
        What is minimised; ``None`` for the task's default.
    trial_seconds : float
        Longest time of a trial.
    trial_memory : int or None
        Most memory of a trial in MB.
    refit : bool
        Whether the test errors are those of models fitted again.
    workers : int
        Runs at the same time.
    title, summary, reference : str
        For people.
    """

    preset: str = OWN
    size: str = QUICK
    data: tuple[DataEntry, ...] = ()
    methods: tuple[Mapping[str, Any], ...] = ()
    spaces: tuple[str | None, ...] = (None,)
    budget: int = 50
    repetitions: int = 3
    split: Mapping[str, Any] = field(default_factory=lambda: split_plan("60/20/20").to_json())
    seed: int = 0
    metric: str | None = None
    trial_seconds: float = 60.0
    trial_memory: int | None = None
    refit: bool = True
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    title: str = ""
    summary: str = ""
    reference: str = ""

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        """Read a draft from a document; what this version does not know is left out."""
        names = {each.name for each in dataclasses.fields(cls)}
        values = {name: value for name, value in given.items() if name in names}
        values["data"] = tuple(DataEntry(**each) for each in values.get("data", ()))
        values["methods"] = tuple(values.get("methods", ()))
        values["spaces"] = tuple(values.get("spaces", ())) or (None,)
        return cls(**values)

    def to_json(self) -> dict[str, Any]:
        """Return the draft as plain JSON."""
        return dataclasses.asdict(self)

    def changed(self, **values: Any) -> Self:
        """Return the draft with other choices."""
        return dataclasses.replace(self, **values)

    # ---- data sets

    def with_data(self, entries: Iterable[DataEntry]) -> Self:
        """Return the draft with more data sets; one of a name that is there takes its place."""
        known = {each.name: each for each in self.data}
        for entry in entries:
            known[entry.name] = entry
        return self.changed(data=tuple(known.values()))

    def without_data(self, names: Iterable[str]) -> Self:
        """Return the draft without some data sets."""
        gone = set(names)
        return self.changed(data=tuple(each for each in self.data if each.name not in gone))

    def with_target(self, name: str, target: str) -> Self:
        """Return the draft with another column to predict in a data set."""
        return self.changed(
            data=tuple(
                dataclasses.replace(each, target=target.strip()) if each.name == name else each
                for each in self.data
            )
        )

    def found_in(self, folder: Path) -> Self:
        """Return the draft with the missing data sets that a folder holds."""
        return self.changed(data=tuple(_found(each, folder) for each in self.data))

    # ---- methods

    @property
    def method_names(self) -> tuple[str, ...]:
        """The names of the methods."""
        return tuple(str(each["name"]) for each in self.methods)

    def with_method(self, method: Mapping[str, Any], wanted: bool) -> Self:
        """Return the draft with a method, or without it."""
        others = tuple(each for each in self.methods if each["name"] != method["name"])
        return self.changed(methods=(*others, dict(method)) if wanted else others)

    # ---- what it means

    @property
    def n_runs(self) -> int:
        """How many runs it is."""
        return len(self.data) * len(self.spaces) * len(self.methods) * self.repetitions

    def obstacle(self) -> str:
        """Return why it cannot start, with what to do; empty where it can."""
        if not self.data:
            return tr("Add at least one data set: files, a folder, or a sample.")
        missing = [each.name for each in self.data if each.missing]
        if missing:
            return ntr(
                "{count} data set is not on this computer: {names}. Choose the folder that holds "
                "it, or take it out.",
                "{count} data sets are not on this computer: {names}. Choose the folder that "
                "holds them, or take them out.",
                len(missing),
                names=", ".join(missing[:6]) + (" …" if len(missing) > 6 else ""),
            )
        if len(self.methods) < 2:
            return tr("Choose at least two methods; a comparison needs something to compare.")
        if not self.split["test"]:
            return tr("The division must keep rows for the test: it is test errors that count.")
        return ""

    def sentence(self) -> str:
        """Say what it means: how many runs of how many trials."""
        parts = [ntr("{count} data set", "{count} data sets", len(self.data))]
        if len(self.spaces) > 1:
            parts.append(ntr("{count} space", "{count} spaces", len(self.spaces)))
        parts.append(ntr("{count} method", "{count} methods", len(self.methods)))
        parts.append(ntr("{count} repetition", "{count} repetitions", self.repetitions))
        return tr(
            "{product} = {runs}, each of {trials}",
            product=" × ".join(parts),
            runs=ntr("{count} run", "{count} runs", self.n_runs),
            trials=ntr("{count} trial", "{count} trials", self.budget),
        )

    def time_words(self, seconds_a_trial: float | None) -> str:
        """Say how long it will take, as far as anything is known.

        Parameters
        ----------
        seconds_a_trial : float or None
            Of earlier runs with one worker.
        """
        if seconds_a_trial is None or not self.n_runs:
            return tr("How long it takes is told after the first runs.")
        whole = self.n_runs * self.budget * seconds_a_trial / max(1, self.workers)
        return tr(
            "About {time} on this computer, going by the runs of this document.",
            time=duration(whole),
        )

    def to_study(self) -> dict[str, Any]:
        """Return the study as :func:`studio.compare.study.study_of` takes it."""
        targets = {each.name: each.target for each in self.data if each.target}
        return {
            "data": [each.place for each in self.data],
            "target": targets or None,
            "methods": [dict(each) for each in self.methods],
            "spaces": list(self.spaces),
            **{
                name: getattr(self, name)
                for name in (
                    "budget", "repetitions", "seed", "metric", "trial_seconds", "trial_memory",
                    "refit", "title", "summary", "reference",
                )
            },
            "split": dict(self.split),
        }  # fmt: skip


@dataclass(frozen=True)
class Preset:
    """A shipped study.

    Attributes
    ----------
    key, title, summary, reference : str
        Its file's name, and what it is.
    sizes : tuple of str
        "quick", "full".
    """

    key: str
    title: str
    summary: str
    reference: str
    sizes: tuple[str, ...]


def presets() -> list[Preset]:
    """Return the shipped studies by title."""
    found = []
    for path in sorted((RESOURCES / "studies").glob("*.json")):
        given = _read(path.stem)
        found.append(
            Preset(
                path.stem,
                given["title"],
                given["summary"],
                given["reference"],
                tuple(given.get("sizes", ())),
            )
        )
    return found


def _read(key: str) -> dict[str, Any]:
    given: dict[str, Any] = json.loads(
        (RESOURCES / "studies" / f"{key}.json").read_text(encoding="utf-8")
    )
    return given


def from_preset(key: str, size: str, folder: Path | None, workers: int) -> StudyDraft:
    """Return the draft of a shipped study in one of its sizes.

    Parameters
    ----------
    key, size : str
        Which.
    folder : Path or None
        Where its data sets may be.
    workers : int
        Runs at the same time.
    """
    given = _read(key)
    sizes = given.pop("sizes", {})
    given.update(sizes.get(size, {}))
    data = tuple(of_name(name) for name in given["data"])
    draft = StudyDraft(
        preset=key,
        size=size,
        data=data,
        methods=tuple(method_json(each) for each in given["methods"]),
        spaces=tuple(given.get("spaces", ())) or (None,),
        split=split_plan(given.get("split", "60/20/20")).to_json(),
        workers=workers,
        **{
            name: given[name]
            for name in (
                "budget", "repetitions", "seed", "metric", "trial_seconds", "trial_memory",
                "refit", "title", "summary", "reference",
            )
            if name in given
        },
    )  # fmt: skip
    return draft if folder is None else draft.found_in(folder)


def method_json(given: Any) -> dict[str, Any]:
    """Return a method of a study file in its long form."""
    if isinstance(given, str):
        return {"name": given, "method": given, "set": {}}
    return {
        "name": given.get("name", given["method"]),
        "method": given["method"],
        "set": dict(given.get("set", {})),
    }


def of_name(name: str) -> DataEntry:
    """Return a data set that a study file names: a sample, or one to be looked for."""
    sample = next((each for each in samples() if each.key == name), None)
    if sample is None:
        return DataEntry(name, "")
    return DataEntry(name, sample.key, sample.target, sample=True)


def of_file(path: Path, target: str = "") -> DataEntry:
    """Return a data set that is a file."""
    return DataEntry(name_of(path.name), str(path), target)


def tables_in(folder: Path) -> Sequence[Path]:
    """Return the tables of a folder by name."""
    try:
        names = sorted(each.name for each in os.scandir(folder) if each.is_file())
    except OSError:
        return ()
    return [folder / name for name in names if name.lower().endswith(SUFFIXES)][:FOLDER_LIMIT]


def _found(entry: DataEntry, folder: Path) -> DataEntry:
    if not entry.missing:
        return entry
    for suffix in SUFFIXES:
        path = folder / f"{entry.name}{suffix}"
        if path.is_file():
            return dataclasses.replace(entry, place=str(path))
    return entry
