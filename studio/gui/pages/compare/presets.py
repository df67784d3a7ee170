"""The studies that come with the program, as drafts."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studio.assets import RESOURCES
from studio.compare.notes import StudyMethod
from studio.data.splits import split_plan
from studio.gui.pages.compare.draft import AS_IN_STUDY, StudyDraft
from studio.gui.pages.compare.entries import of_name


@dataclass(frozen=True)
class StudyPreset:
    """A shipped study.

    Attributes:
        key, title, summary, reference: Its file's name, and what it is.
        sizes: "quick", "full".
    """

    key: str
    title: str
    summary: str
    reference: str
    sizes: tuple[str, ...]


def presets() -> list[StudyPreset]:
    """Return the shipped studies by title."""
    found = []
    for path in sorted((RESOURCES / "studies").glob("*.json")):
        given = _read(path.stem)
        found.append(
            StudyPreset(
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

    Args:
        key, size: Which.
        folder: Where its data sets may be.
        workers: Runs at the same time.
    """
    given = _read(key)
    sizes = given.pop("sizes", {})
    given.update(sizes.get(size, {}))
    data = tuple(of_name(name) for name in given["data"])
    draft = StudyDraft(
        preset=key,
        size=size,
        data=data,
        methods=tuple(_method(each) for each in given["methods"]),
        spaces=tuple(given.get("spaces", ())) or (None,),
        split=split_plan(given.get("split", "60/20/20")),
        workers=workers,
        **{name: given[name] for name in AS_IN_STUDY if name in given},
    )
    return draft if folder is None else draft.found_in(folder)


def _method(given: Any) -> StudyMethod:
    """Return a method of a study file, where it may be a name alone."""
    if isinstance(given, str):
        return StudyMethod(given, given)
    return StudyMethod(**{"name": given["method"], **given})
