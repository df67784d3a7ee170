"""Cells of a study: one ordinary run each, identified in the document."""

import dataclasses
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from studio.compare import study_notes
from studio.compare.cell_names import drop_repetition, get_displayed_name, make_cell_name
from studio.compare.choices import StudySettings
from studio.compare.study import Study, get_common_spaces
from studio.compare.study_notes import CellNote, Dataset, StudyMethod
from studio.data.balance import choose_default_metric
from studio.document.store import Document
from studio.errors import DamagedError, UsageError
from studio.proposers.method import Method, compose
from studio.proposers.spaces import get_space
from studio.runs.create import create_run, fork_run
from studio.runs.settings import RunSettings, TableSource
from studio.seeds import derive
from studio.setting import get_setting_names, iter_settings
from studio.space.library import get_default

_DESCRIPTIVE_KEYS = ("title", "summary", "reference", "note")
"""Descriptive JSON entries of a space and its parameters, whose wording may change."""

_SHARED_SETTINGS = {*get_setting_names(StudySettings)} & {*get_setting_names(RunSettings)} - {
    "seed"
}


@dataclass(frozen=True)
class StudyCell:
    """One run of a study; all methods of a repetition (from 1) have the same split and seed."""

    dataset: Dataset
    method: StudyMethod
    space: str
    repetition: int
    settings: RunSettings

    def compose_method(self) -> Method:
        """Return its method with all parts; raise UsageError if it does not support the task."""
        settings = self.settings
        return compose(settings.method, settings.overrides, self.dataset.task, settings.budget)

    @property
    def name(self) -> str:
        """Display name, also used in the document."""
        return make_cell_name(self.dataset.name, self.method.name, self.space, self.repetition)


def enumerate_cells(study: Study, datasets: Sequence[Dataset]) -> list[StudyCell]:
    """Return all cells by repetition, so that methods are comparable early, or raise an error."""
    spaces = get_common_spaces(study)
    cells = []
    for repetition in range(1, study.repetitions + 1):
        for dataset in datasets:
            for space in spaces:
                title = get_default(dataset.task).name if space is None else space.name
                for method in study.methods:
                    # By default, a method with its own space searches that space.
                    cell_space = get_space(method.method, dataset.task) if space is None else space
                    settings = _make_settings(
                        study, dataset, method, cell_space.to_json(), repetition
                    )
                    cells.append(StudyCell(dataset, method, title, repetition, settings))
    names = Counter(cell.name for cell in cells)
    duplicates = [name for name, count in names.items() if count > 1]
    if duplicates:
        raise UsageError(
            "The study contains “{duplicate}” twice: two of its data sets or spaces are equal, or "
            "have the same name. List each of them once.",
            duplicate=duplicates[0],
        )
    return cells


def _make_settings(
    study: Study, dataset: Dataset, method: StudyMethod, space: Mapping[str, Any], repetition: int
) -> RunSettings:
    plan = study.plan.to_json()
    plan["seed"] = derive(study.seed, "split", dataset.name, repetition)
    settings = RunSettings(
        method=method.method,
        overrides=dict(method.set),
        space=space,
        source=TableSource(
            target=dataset.target, **{**vars(study.get_choices(dataset.name)), "task": dataset.task}
        ),
        plan=type(study.plan).from_json(plan),
        seed=derive(study.seed, "run", repetition),
        workers=1,
        keep=False,  # a study has hundreds of cells, and needs only their errors
        **{name: getattr(study, name) for name in _SHARED_SETTINGS},
    )
    # "best" would choose a space by the table, unlike the other methods
    if settings.metric is None:
        settings = dataclasses.replace(
            settings, metric=choose_default_metric(dataset.task, None).key
        )
    settings.check()
    return settings


def find_run(document: Document, cell: StudyCell) -> int | None:
    """Return a cell's run, if any; raise UsageError if it has other settings."""
    note = study_notes.find_cell_note(document, cell.name)
    if note is None or note.run in document.get_removed_runs():
        return None
    determining_settings = _get_determining_settings(cell)
    # Settings missing in documents of earlier versions have their current defaults.
    stored_settings = {**RunSettings().to_json(), **note.asked}
    stored_settings["metric"] = (
        stored_settings["metric"] or determining_settings["metric"]
    )  # the task's default
    if isinstance(stored_settings["plan"], Mapping):  # its default has changed
        stored_settings["plan"] = {
            "equal_rows": determining_settings["plan"]["equal_rows"],
            **stored_settings["plan"],
        }
    if stored_settings["space"] != determining_settings["space"]:
        # An earlier version may have hashed the space's texts; the run contains the space.
        with suppress(DamagedError):
            space = document.runs.get(note.run).settings.get("space")
            stored_settings["space"] = _append_hash(
                str(stored_settings["space"]).rpartition(" ")[0], space
            )
    different_keys = [
        f"{key} {stored_settings[key]!r} (now {determining_settings[key]!r})"
        for key in determining_settings
        if stored_settings[key] != determining_settings[key]
    ]
    if different_keys:
        raise UsageError(
            "The document {path} contains the cell “{cell}” with {differing}. Results of different "
            "settings are not combined in one table: choose another document, or restore the "
            "study.",
            path=document.path.name,
            cell=get_displayed_name(cell.name),
            differing=", ".join(different_keys),
        )
    return note.run


def find_rejected_rows(document: Document, failures: Iterable[str]) -> frozenset[str]:
    """Return "data set · method" of the failures without a run: unsuitable methods."""
    return frozenset(
        drop_repetition(name)
        for name in failures
        if study_notes.find_cell_note(document, name) is None
    )


def add_run(document: Document, cell: StudyCell) -> int:
    """Add a cell's run and its identifying note; raise UsageError or SpaceError if unsuitable."""
    with document.run_transaction():
        run_id = create_run(document, cell.dataset.table_id, cell.settings, cell.name)
        _store_cell(document, cell, run_id)
    return run_id


def add_fork(document: Document, cell: StudyCell, run_id: int, iteration: int) -> int:
    """Add a cell's run with the trials of another cell's identical search; return its id."""
    changes = {"method": cell.settings.method, "overrides": dict(cell.settings.overrides)}
    store_cell = partial(_store_cell, document, cell)
    return fork_run(document, run_id, iteration, changes, cell.name, added=store_cell)


def _store_cell(document: Document, cell: StudyCell, run_id: int) -> None:
    document.notes.set(
        study_notes.get_cell_note_name(cell.name),
        asdict(CellNote(run_id, _get_determining_settings(cell))),
    )


def _get_determining_settings(cell: StudyCell) -> dict[str, Any]:
    """Return the settings that determine a cell's result, short enough for a sentence."""
    settings = cell.settings.to_json()
    settings["space"] = _append_hash(cell.space, settings["space"])
    # Location, speed and storage do not affect the result of a cell.
    ignored_names = (each.name for each in iter_settings(RunSettings) if not each.affects_result)
    for key in ("source", "workers", *ignored_names):
        del settings[key]
    determining_settings: dict[str, Any] = json.loads(json.dumps(settings))
    return determining_settings


def _append_hash(title: str, space: Any) -> str:
    """Return a space's name with a hash of its content, without descriptive texts."""
    body = json.dumps(_drop_texts(space), sort_keys=True)
    # Names alone would not distinguish an edited space from the original.
    return f"{title} {hashlib.sha256(body.encode()).hexdigest()[:12]}"


def _drop_texts(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {
            key: _drop_texts(each) for key, each in value.items() if key not in _DESCRIPTIVE_KEYS
        }
    return [_drop_texts(each) for each in value] if isinstance(value, list | tuple) else value
