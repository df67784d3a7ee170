"""Draft of a comparison: its choices, their effects, and why it cannot start yet."""

import dataclasses
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import Any, Self

from studio.assets import RESOURCES
from studio.compare.choices import ComputeResources, StudySettings
from studio.compare.power import choose_repetitions
from studio.compare.statistics.intervals import MIN_REPETITIONS
from studio.compare.study_notes import StudyMethod
from studio.data.split_plan import SplitPlan
from studio.data.splits import split_plan
from studio.gui.drafts.draft import Draft
from studio.gui.pages.compare.targets import DataEntry, find_in_folder, make_data_entry_by_name
from studio.language import ntr, tr, translate
from studio.measure import format_duration
from studio.runs.settings import TableChoices
from studio.space.library import list_shipped_spaces, load
from studio.space.space import Space

CUSTOM = ""

OPEN_SPACE = "@open"
"""Key of the space on the Space page."""

QUICK, DECISIVE, FULL = "quick", "decisive", "full"

SHARED_FIELDS = tuple(each.name for each in dataclasses.fields(StudySettings))


@dataclass(frozen=True)
class StudyDraft(ComputeResources, StudySettings, Draft):
    """The draft of a comparison, stored as plain JSON in the document.

    The fields of :class:`studio.compare.choices.StudySettings` are settings of the study; a
    :class:`studio.compare.choices.ComputeResources` states where its runs are computed.

    Attributes:
        preset, size: The shipped study that it follows ("" for none), and the chosen size.
        spaces: Keys, files, :data:`OPEN_SPACE`; ``None`` for the task's default.
    """

    preset: str = CUSTOM
    size: str = QUICK
    data: tuple[DataEntry, ...] = ()
    methods: tuple[StudyMethod, ...] = ()
    spaces: tuple[str | None, ...] = (None,)
    split: SplitPlan = field(default_factory=SplitPlan)
    trial_seconds: float = 60.0

    @classmethod
    def from_json(cls, data: Any, label: str = "draft") -> Self:
        draft = super().from_json(data, label)
        return draft.with_changes(spaces=draft.spaces or (None,))

    # ---- data sets

    def with_data(self, entries: Iterable[DataEntry]) -> Self:
        """Return the draft with more data sets; existing names are replaced.

        A replaced data set passes on its target, if the new one has none, and its column decisions,
        if the file is the same.
        """
        existing = {each.name: each for each in self.data}
        for entry in entries:
            previous = existing.get(entry.name, entry)
            has_no_choices = entry.choices == TableChoices() and entry.location == previous.location
            existing[entry.name] = dataclasses.replace(
                entry,
                target=entry.target or previous.target,
                choices=previous.choices if has_no_choices else entry.choices,
            )
        return self.with_changes(data=tuple(existing.values()))

    def drop_data(self, names: Iterable[str]) -> Self:
        """Return the draft without some data sets."""
        removed = set(names)
        return self.with_changes(data=tuple(e for e in self.data if e.name not in removed))

    def with_target(self, name: str, target: str) -> Self:
        """Return the draft with another target for a data set."""
        data = (e.with_target(target.strip()) if e.name == name else e for e in self.data)
        return self.with_changes(data=tuple(data))

    def find_in_folder(self, folder: Path) -> Self:
        """Return the draft with paths of missing data sets found in a folder."""
        return self.with_changes(data=tuple(find_in_folder(each, folder) for each in self.data))

    # ---- methods

    @property
    def method_names(self) -> tuple[str, ...]:
        """The names of the methods."""
        return tuple(each.name for each in self.methods)

    def with_method(self, method: StudyMethod, include: bool) -> Self:
        """Add or remove a method."""
        other_methods = tuple(each for each in self.methods if each.name != method.name)
        return self.with_changes(methods=(*other_methods, method) if include else other_methods)

    # ---- spaces

    def with_space(self, key: str | None, include: bool) -> Self:
        """Add or remove a search space.

        The default of each task (``None``) is exclusive: choosing another space removes it,
        choosing it removes all others, and it is restored when no other is left.
        """
        other_spaces = () if key is None else tuple(e for e in self.spaces if e not in {None, key})
        spaces = (*other_spaces, key) if include and key is not None else other_spaces
        return self.with_changes(spaces=spaces or (None,))

    # ---- effects

    @property
    def n_runs(self) -> int:
        """The number of runs."""
        return len(self.data) * len(self.spaces) * len(self.methods) * self.repetitions

    def get_blocking_problem(self) -> str:
        """Return why the comparison cannot start, with a remedy; empty if it can."""
        if not self.data:
            return tr("Add at least one data set: files, a folder, or a sample.")
        missing = [each.name for each in self.data if each.is_path_unknown]
        if missing:
            return ntr(
                "{count} data set is not on this computer: {names}. Choose the folder that "
                "contains it, or remove it.",
                "{count} data sets are not on this computer: {names}. Choose the folder that "
                "contains them, or remove them.",
                len(missing),
                names=", ".join(missing[:6]) + (" …" if len(missing) > 6 else ""),
            )
        if len(self.methods) < 2:
            return tr("Choose at least two methods to compare.")
        if self.budget is None and self.seconds is None:
            return tr("Limit the runs: enter a number of trials or a time.")
        if not self.split.test:
            return tr("The split must keep test rows: methods are compared by their test errors.")
        return ""

    def describe_duration(self, n_runs: int) -> str:
        """Return the expected duration of runs in words, by their time limit on this computer."""
        if self.seconds is None or self.cluster:
            return tr("The time is not known before the first runs.")
        rounds = ceil(n_runs / max(1, self.workers))
        limit, total = format_duration(self.seconds), format_duration(rounds * self.seconds)
        if self.budget is None:
            return ntr(
                "{count} run of {limit}: about {total}.",
                "{count} runs of {limit}: about {total}.",
                n_runs,
                limit=limit,
                total=total,
            )
        return ntr(
            "{count} run of {limit} or less: about {total} or less; each waits for its first "
            "model.",
            "{count} runs of {limit} or less: about {total} or less; each waits for its first "
            "model.",
            n_runs,
            limit=limit,
            total=total,
        )

    def describe_power(self) -> str:
        """Return a warning if a data set may decide nothing, or only large differences; else ""."""
        if len(self.data) == 1 and "time" in self.data[0].choices.roles.values():
            return tr(
                "Divided by time, all repetitions test on the same rows, so a single data set "
                "allows no conclusion."
            )
        enough = choose_repetitions(self.split.test)
        if self.repetitions < MIN_REPETITIONS:
            return tr(
                "A decision needs at least {fewest} repetitions; {enough} also show smaller "
                "differences.",
                fewest=MIN_REPETITIONS,
                enough=enough,
            )
        if self.repetitions < enough:
            return tr("Only large differences will be clear; {enough} repetitions show more.",
                enough=enough)  # fmt: skip
        return ""

    def to_study(self, open_space: Space | None = None) -> dict[str, Any]:
        """Return the study in the format of :func:`studio.compare.study.parse_study`.

        Spaces that are not shipped are embedded, so that the study needs no file and is unaffected
        by later edits.

        Raises:
            SpaceError: If a file of a space cannot be read.
        """
        targets = {each.name: each.target for each in self.data if each.target}
        choices = {each.name: each.choices for each in self.data if each.choices != TableChoices()}
        return {
            "data": [each.location for each in self.data],
            "target": targets or None,
            "tables": {name: dataclasses.asdict(each) for name, each in choices.items()},
            "methods": [dataclasses.asdict(each) for each in self.methods],
            "spaces": [_serialize_space(each, open_space) for each in self.spaces],
            **{name: getattr(self, name) for name in SHARED_FIELDS},
            "split": self.split.to_json(),
        }


def _serialize_space(key: str | None, open_space: Space | None) -> str | dict[str, Any] | None:
    """Return a space as stored in a study, under an unused name."""
    if key is None or key in _get_shipped_names():
        return key
    space = load(key, check=False) if key != OPEN_SPACE or open_space is None else open_space
    if space.name in _get_shipped_names():
        if space.to_json() == load(space.name).to_json():
            return space.name
        title = tr("{title} (edited)", title=translate(space.title) or space.name)
        space = dataclasses.replace(space, name=f"{space.name}-edited", title=title)
    return space.to_json()


def _get_shipped_names() -> frozenset[str]:
    return frozenset(each.key for each in list_shipped_spaces())


@dataclass(frozen=True)
class StudyPreset:
    """A shipped study in sizes such as "quick" and "full"."""

    key: str
    title: str
    summary: str
    reference: str
    sizes: tuple[str, ...]


def list_presets() -> list[StudyPreset]:
    """Return the shipped studies by title."""
    presets = []
    for path in sorted((RESOURCES / "studies").glob("*.json")):
        study = _read_preset(path.stem)
        sizes = tuple(study.get("sizes", ()))
        presets.append(
            StudyPreset(path.stem, study["title"], study["summary"], study["reference"], sizes)
        )
    return presets


def _read_preset(key: str) -> dict[str, Any]:
    path = RESOURCES / "studies" / f"{key}.json"
    study: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return study


def make_draft_from_preset(key: str, size: str, folder: Path | None, workers: int) -> StudyDraft:
    """Return the draft of a shipped study in one of its sizes."""
    study = _read_preset(key)
    sizes = study.pop("sizes", {})
    study.update(sizes.get(size, {}))
    data = tuple(make_data_entry_by_name(name) for name in study["data"])
    draft = StudyDraft(
        preset=key,
        size=size,
        data=data,
        methods=tuple(_parse_method(each) for each in study["methods"]),
        spaces=tuple(study.get("spaces", ())) or (None,),
        split=split_plan(study.get("split", "60/20/20")),
        workers=workers,
        **{name: study[name] for name in SHARED_FIELDS if name in study},
    )
    return draft if folder is None else draft.find_in_folder(folder)


def _parse_method(value: Any) -> StudyMethod:
    """Return a method from a study file, where it may be a bare name."""
    if isinstance(value, str):
        return StudyMethod(value, value)
    return StudyMethod(**{"name": value["method"], **value})
