"""Names of a study's notes in the document; light enough for the window to import."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from studio.compare.cell_names import drop_repetition, name_row_of_method
from studio.compare.choices import StudySettings
from studio.data.splits import SplitPlan, split_plan
from studio.data.tasks import Task
from studio.document import shapes
from studio.document.runs import RunRow
from studio.document.sealing import raise_damaged
from studio.document.store import Document
from studio.errors import UsageError
from studio.parts import OptionValue
from studio.phrases import phrase
from studio.runs.settings import TableChoices

SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
"""Suffixes of data set files in a folder."""


def get_dataset_name(entry: str) -> str:
    """Return the name of a data set from its path: the file name without suffixes."""
    name = Path(entry).name
    for suffix in sorted(SUFFIXES, key=len, reverse=True):
        if name.endswith(suffix):
            return name.removesuffix(suffix)
    return name


STUDY = "study"
"""The study's specification (:meth:`studio.compare.study.Study.to_json`)."""

COORDINATOR = "study conductor"
"""The coordinator and its state (:class:`studio.compare.coordinator.CoordinatorState`)."""

REQUEST = "study request"
"""The request to the coordinator: :data:`STOP`, or nothing."""

STOP = "stop"


@dataclass(frozen=True)
class Dataset:
    """A data set whose table is in the document; its name is the file name without suffixes."""

    name: str
    table_id: int
    target: str
    task: Task
    rows: int


@dataclass(frozen=True)
class DatasetNote:
    """The note of a data set: its file's checksum, the requested choices, and the data set.

    ``rows`` is the requested maximum, ``None`` for all; ``reading`` its reading options;
    ``choices`` the study's other choices for it.
    """

    file: str
    target: str | None
    dataset: Dataset
    rows: int | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    choices: TableChoices = field(default_factory=TableChoices)


@dataclass(frozen=True)
class CellNote:
    """The note of a cell: its run, and the settings of the run."""

    run: int
    asked: Mapping[str, Any]


@dataclass(frozen=True)
class StudyMethod:
    """A method of a study: a named preset, possibly with changes.

    Attributes:
        name: The name in tables; by default the preset's key.
        set: ``"part.option"`` → value, or ``"part"`` → key.
    """

    name: str
    method: str
    set: Mapping[str, OptionValue] = field(default_factory=dict)


@dataclass(frozen=True)
class StudyJson(StudySettings):
    """A study as JSON: each method on each data set and space, repeatedly.

    Attributes:
        data: Paths of tables, or names: of a file without its suffixes, or of a sample.
        target: The column to predict, in all data sets or by data set; ``None`` to guess it.
        spaces: Keys or files of search spaces, or spaces as JSON; ``None`` for the task's default.
        split: See :func:`studio.data.splits.split_plan`.
        reading: Options for all data sets' files, a :class:`studio.data.read_options.ReadOptions`
            as JSON; other options are guessed.
        tables: Choices about tables, by data set; their ``reading`` extends the common one.
    """

    data: tuple[str, ...]
    methods: tuple[StudyMethod, ...]
    target: str | Mapping[str, str] | None = None
    spaces: tuple[str | Mapping[str, Any] | None, ...] = (None,)
    split: str | Mapping[str, Any] = "60/20/20"
    reading: Mapping[str, Any] = field(default_factory=dict)
    tables: Mapping[str, TableChoices] = field(default_factory=dict)


def load_stored_study(document: Document) -> StudyJson | None:
    """Return the document's study; ``None`` if missing or unreadable."""
    return document.notes.read_value(STUDY, _parse_study)


def _parse_study(content: Any, label: str) -> StudyJson:
    """Parse a study; keeps earlier versions' treatment of equal rows."""
    study = shapes.pick(StudyJson, content, label)
    if not isinstance(study.split, str):
        shapes.check(SplitPlan, study.split, label)
    try:
        plan = split_plan(study.split).to_json()
    except UsageError as error:
        raise_damaged(label, error, str(error))
    if "equal_rows" not in study.split:
        plan["equal_rows"] = "apart"
    return replace(study, split=plan)


def find_dataset_note(document: Document, name: str) -> DatasetNote | None:
    """Return the document's note of a data set; ``None`` if it has none."""
    return document.notes.read_value(get_dataset_note_name(name), partial(shapes.pick, DatasetNote))


def describe_choices(choices: TableChoices) -> list[str]:
    """Describe the decisions about a table, a phrase each; empty without any."""
    ignored, times, groups, weights, kept = (
        ", ".join(name for name, each in choices.roles.items() if each == role)
        for role in ("ignore", "time", "group", "weight", "feature")
    )
    constraints, kinds, treatments = (
        ", ".join(f"{name} ({choice})" for name, choice in by_column.items())
        for by_column in (choices.monotone, choices.kinds, choices.treatments)
    )
    descriptions = (
        (ignored, phrase("left out: {names}", names=ignored)),
        (constraints, phrase("monotonic constraints: {names}", names=constraints)),
        (times, phrase("in time order of {names}", names=times)),
        (groups, phrase("rows of one {names} stay together", names=groups)),
        (weights, phrase("rows weighted by {names}", names=weights)),
        (kept, phrase("kept: {names}", names=kept)),
        (kinds, phrase("kinds: {names}", names=kinds)),
        (treatments, phrase("odd values: {names}", names=treatments)),
        (choices.reading, phrase("reading options chosen")),
        (choices.task != "auto", phrase("task: {task}", task=choices.task)),
    )
    return [description for choice, description in descriptions if choice]


def find_cell_note(document: Document, name: str) -> CellNote | None:
    """Return the document's note of a cell; ``None`` if it has none."""
    return document.notes.read_value(get_cell_note_name(name), partial(shapes.pick, CellNote))


def get_cell_note_name(name: str) -> str:
    """Return the name of the note with a cell's run."""
    return f"study cell {name}"


def get_dataset_note_name(name: str) -> str:
    """Return the name of the note with a data set's table."""
    return f"study data {name}"


def find_cell_runs(document: Document, rows: Sequence[RunRow]) -> set[int]:
    """Return the ids of runs that are cells of the document's study, judged by name."""
    cell_rows = [row for row in rows if drop_repetition(row.name) != row.name]
    study = load_stored_study(document) if cell_rows else None
    if study is None:
        return set()
    study_rows = {
        name_row_of_method(get_dataset_name(entry), method.name)
        for entry in study.data
        for method in study.methods
    }
    return {row.id for row in cell_rows if drop_repetition(row.name) in study_rows}


def check_not_compared(document: Document, row: RunRow) -> None:
    """Raise UsageError if a run is a cell of the document's study."""
    if find_cell_runs(document, [row]):
        raise UsageError(
            "“{name}” is part of this document's comparison, in which all methods have the same "
            "limits. Fork it to keep searching, or to refit its models.",
            name=row.name,
        )
