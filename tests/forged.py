"""Forged documents: one altered value in a record, with a valid checksum."""

import contextlib
import copy
import json
import sqlite3
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from studio.compare import cells, study_notes
from studio.compare.cells import enumerate_cells
from studio.compare.coordinator import CoordinatorState
from studio.compare.study import parse_study
from studio.document import sealing
from studio.document.journal import RunningJob
from studio.document.processes import Owner
from studio.document.store import Document
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.settings import RunSettings, TableSource
from studio.space.library import load

MISSING = object()

STRANGE: tuple[object, ...] = (
    MISSING, None, True, -1, 1 << 70, 10**400, 0.5, "NaN", "1e999", "no such thing", [], [[]], {},
    {"more": 1},
)  # fmt: skip
"""Replacement values; "NaN" and "1e999" are written as numbers."""

RECORDS = (
    ("runs", "body", "'run ' || id"),
    ("runs", "status", "'status ' || id"),
    ("runs", "owner", "'owner ' || id"),
    ("trials", "body", "'trial ' || run || ' ' || number"),
    ("spaces", "body", "'space ' || id"),
    ("data", "body", "'table ' || id"),
    ("arrays", "header", "'array ' || id"),
    ("ensembles", "body", "'ensemble ' || run"),
    ("running", "body", "'running ' || run"),
    ("requests", "body", "'request ' || run"),
    ("messages", "body", "'message'"),
    ("notes", "body", "'note ' || name"),
)
"""Table, column, label of a record."""


@dataclass(frozen=True)
class SealedRecord:
    """A sealed record: its location, label and content."""

    table: str
    column: str
    row: object
    label: str
    sealed: str

    @property
    def content(self) -> Any:
        return json.loads(self.sealed[sealing.DIGITS :])

    @property
    def kind(self) -> str:
        """The kind of the record, e.g. "trial" or "note window.run"."""
        if self.table == "notes":
            return " ".join(self.label.split('"')[1].split(" ")[:2])
        return f"{self.table} {self.column}"


def records(path: Path) -> list[SealedRecord]:
    """Return all sealed records of a document."""
    found = []
    with contextlib.closing(sqlite3.connect(path)) as connection:
        for table, column, label in RECORDS:
            key = "name" if table == "notes" else "rowid"
            rows = connection.execute(f"SELECT {key}, {label}, {column} FROM {table}").fetchall()
            found += [SealedRecord(table, column, *row) for row in rows if row[2] is not None]
    return found


def iterate_paths(content: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the paths of all values in a JSON value, including two items of each list."""
    yield above
    inside: dict[Any, Any] = content if isinstance(content, dict) else {}
    if isinstance(content, list):
        inside = dict(enumerate(content[:2]))
    for key, value in inside.items():
        yield from iterate_paths(value, (*above, key))


def forge_record(record: SealedRecord, place: tuple[Any, ...], strange: object) -> str | None:
    """Return the sealed text with a strange value at a path; ``None`` if unchanged."""
    content = {"": copy.deepcopy(record.content)}
    holder: Any = content
    steps = ("", *place)
    for step in steps[:-1]:
        holder = holder[step]
    if strange is MISSING:
        if not place:
            return None
        del holder[steps[-1]]
    else:
        if type(holder[steps[-1]]) is type(strange) and holder[steps[-1]] == strange:
            return None
        holder[steps[-1]] = strange
    text = json.dumps(content[""], separators=(",", ":"))
    for number in ("NaN", "1e999"):
        if strange == number:
            text = text.replace(f'"{number}"', number)
    return seal_text(record.label, text)


def seal_text(label: str, text: str) -> str:
    """Return JSON text with its checksum."""
    return f"{sealing._compute_checksum(text, label):08x}{text}"


def put(path: Path, record: SealedRecord, text: str) -> None:
    """Write a record's text into its row."""
    with Document.open(path) as document:
        write_into_open(document, record, text)


def write_into_open(document: Document, record: SealedRecord, text: str) -> None:
    """Write a record's text into its row of an open document."""
    key = "name" if record.table == "notes" else "rowid"
    with document.run_transaction():
        document.execute(
            f"UPDATE {record.table} SET {record.column} = ? WHERE {key} = ?", (text, record.row)
        )


def iter_forgeries(path: Path) -> Iterator[tuple[str, SealedRecord, str]]:
    """Yield description, record and text of each forgery."""
    kinds: dict[str, SealedRecord] = {}
    for record in records(path):
        kinds[record.kind] = record
    for record in kinds.values():
        for value_path in iterate_paths(record.content):
            for strange in STRANGE:
                text = forge_record(record, value_path, strange)
                if text is not None:
                    value_text = "missing" if strange is MISSING else f"{strange!r:.20}"
                    yield (
                        f"{record.label} {'.'.join(map(str, value_path))} = {value_text}",
                        record,
                        text,
                    )


def make_complete_document(folder: Path) -> Path:
    """Make a document with a record of every kind: a run, a study of it, drafts, notes."""
    rng = np.random.default_rng(0)
    lines = [f"{a:.3f},{b:.3f},{'yn'[int(a + b > 0)]}" for a, b in rng.normal(size=(80, 2))]
    table, path = folder / "t.csv", folder / "whole.studio"
    table.write_text("\n".join(["a,b,target", *lines]))
    settings = RunSettings(
        method="BO-post",
        budget=8,
        workers=1,
        refit=False,
        source=TableSource(path=str(table)),
        space=load("svm-rbf").to_json(),
    )
    methods = ["RS", "BO-post"]
    study = parse_study({"data": ["t"], "methods": methods, "spaces": ["svm-rbf"]})
    with Document.create(path) as document:
        document.remove_run(document.runs.add("gone", settings.to_json()))
        run = document.runs.add("one", settings.to_json())
        document.journal.add_message(run, "info", "It begins.")
        Engine(document, run, lambda progress: None, InlinePool).execute_run()
        document.spaces.save("main", load("svm-rbf").to_json())
        document.journal.set_running(run, [RunningJob(0, {"a": 1}, 5.0, "x")])
        document.requests.post(run, "stop")
        document.notes.set(study_notes.STUDY, study.to_json())
        dataset = study_notes.Dataset("t", 1, "target", "binary", 80)
        document.notes.set(
            study_notes.get_dataset_note_name("t"),
            asdict(study_notes.DatasetNote("", None, dataset)),
        )
        (cell,) = [each for each in enumerate_cells(study, [dataset])
                   if each.method.name == "BO-post" and each.repetition == 1]  # fmt: skip
        cell_note = study_notes.CellNote(run, cells._get_determining_settings(cell))
        document.notes.set(study_notes.get_cell_note_name(cell.name), asdict(cell_note))
        owner = replace(Owner.for_current_process(), pid=1 << 22)
        document.notes.set(
            study_notes.COORDINATOR,
            asdict(CoordinatorState(owner, 1, "ended", failures={"u": "x"})),
        )
        with document.run_transaction():
            document.owners._set_owner(run, owner)
    return path
