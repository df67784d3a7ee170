"""Specification of a study: a JSON file or a folder of tables, as one frozen record."""

import dataclasses
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from studio.compare.cell_names import enumerate_methods
from studio.compare.study_notes import (
    SUFFIXES,
    DatasetNote,
    StudyJson,
    StudyMethod,
    get_dataset_name,
    load_stored_study,
)
from studio.data.column import ColumnKind
from studio.data.read_options import ReadOptions
from studio.data.splits import SplitPlan, split_plan
from studio.data.tasks import Task
from studio.data.treatments import parse_treatment
from studio.document import shapes
from studio.document.damage import describe_damaged_records
from studio.document.store import Document
from studio.errors import DocumentError, UsageError
from studio.phrases import join_phrases, join_quoted, phrase
from studio.plain_json import read_json
from studio.proposers.presets import get_preset
from studio.proposers.spaces import get_space
from studio.runs.settings import TableChoices
from studio.space.library import load
from studio.space.space import Space

DOCUMENT_SUFFIX = ".studio"

FOLDER_METHODS = ("RS-post", "BO-post", "EO-post")
"""Default methods of a folder: they exist for all tasks."""


@dataclass(frozen=True)
class Study(StudyJson):
    """A comparison, ready to be conducted.

    Attributes:
        folder: Base of paths and names of tables; ``None`` if only a document contains them: other
            tables are then searched for next to the document.
    """

    folder: Path | None = None

    def __post_init__(self) -> None:
        if not self.data:
            raise UsageError("A study needs at least one data set; name some under 'data'.")
        if not self.methods:
            raise UsageError("A study needs at least one method; name some under 'methods'.")
        names = [method.name for method in self.methods]
        for field, values in (("data", self.data), ("methods", names), ("spaces", self.spaces)):
            duplicates = sorted({str(each) for each in values if list(values).count(each) > 1})
            if duplicates:
                raise UsageError(
                    "Each of a study's {what} must be named only once; {duplicate!r} "
                    "is named twice.",
                    what=field,
                    duplicate=duplicates[0],
                )
        self.check()
        ReadOptions.from_json(self.reading)
        dataset_names = [get_dataset_name(entry) for entry in self.data]
        for name, choices in self.tables.items():
            if name not in dataset_names:
                raise UsageError(
                    "The study has choices about a table {name!r}, but no such data set; "
                    "available: {known}.",
                    name=name,
                    known=", ".join(dataset_names),
                )
            ReadOptions.from_json(choices.reading)
            for text in choices.treatments.values():
                parse_treatment(text)
        if self.budget is None and self.seconds is None:
            raise UsageError("A study needs a number of trials or a time limit for its runs.")
        if not self.plan.test:
            raise UsageError("A study compares test errors; its split must keep rows for the test.")

    @property
    def plan(self) -> SplitPlan:
        """The split of the rows; each repetition has its own seed."""
        return split_plan(self.split)

    def get_target(self, name: str) -> str | None:
        """Return the target of a data set, ``None`` for a guess."""
        return self.target.get(name) if isinstance(self.target, Mapping) else self.target

    def get_choices(self, name: str) -> TableChoices:
        """Return the choices about a data set's table."""
        return self.tables.get(name, TableChoices())

    def with_kinds(self, kinds: Mapping[str, ColumnKind]) -> Self:
        """Return a copy with these kinds of columns in all data sets."""
        tables = {}
        for name in map(get_dataset_name, self.data):
            choices = self.get_choices(name)
            tables[name] = dataclasses.replace(choices, kinds={**choices.kinds, **kinds})
        return dataclasses.replace(self, tables=tables)

    def list_divided_by_time(self) -> tuple[str, ...]:
        """Return the data sets of which the latest rows are the test rows."""
        return tuple(name for name, each in self.tables.items() if "time" in each.roles.values())

    def to_json(self) -> dict[str, Any]:
        """Return the study as plain JSON, without its folder, and its split in full."""
        study_json = dataclasses.asdict(self)
        del study_json["folder"]
        return {**study_json, "split": self.plan.to_json()}


_KEYS = tuple(f.name for f in dataclasses.fields(Study) if f.name != "folder")


def load_study(
    path: Path, size: str | None = None, changes: Mapping[str, Any] | None = None
) -> Study:
    """Read a study from a JSON file or a document, or create one from the tables of a folder.

    Args:
        changes: Settings that replace both, such as ``folder``. Names of methods refer to those in
            the file first.

    Raises:
        UsageError: If there is no such file or folder, or its content is invalid.
    """
    study_json = _read_specification(path)
    sizes = study_json.pop("sizes", {})
    if size is not None:
        if size not in sizes:
            raise UsageError(
                phrase(
                    "The study {path} has no size {size!r}; available: {sizes}.",
                    path=path.name,
                    sizes=", ".join(sizes),
                    size=size,
                )
                if sizes
                else phrase(
                    "The study {path} has only one size; leave out {size!r}.",
                    path=path.name,
                    size=size,
                )
            )
        _check_known(sizes[size], _KEYS, phrase("The size {size!r} of a study", size=size))
        study_json.update(sizes[size])
    all_changes = dict(changes or {})
    if "methods" in all_changes:
        entries = study_json.get("methods", ())
        all_changes["methods"] = _resolve_entries(all_changes["methods"], entries)
    study_json.update(all_changes)
    _check_known(study_json, (*_KEYS, "folder"), phrase("A study"))
    folder = path if path.is_dir() else path.parent
    if path.suffix.lower() != DOCUMENT_SUFFIX:
        study_json.setdefault("folder", folder)
    is_stored = path.suffix.lower() == DOCUMENT_SUFFIX and "spaces" not in all_changes
    if "spaces" in study_json and not is_stored:
        spaces = _parse_list(study_json, "spaces")
        study_json["spaces"] = [_to_stored_space(each, folder) for each in spaces]
    return _parse_study(study_json)


def _to_stored_space(space: Any, folder: Path) -> Any:
    """Return a space in stored form: files as JSON, so that they are not needed later.

    Args:
        space: A key, a file, JSON, or ``None``.
        folder: The study's folder, in which files are searched for first.

    Raises:
        SpaceError: If the file cannot be read.
    """
    if not isinstance(space, str) or not Path(space).suffix:
        return space
    space_file = folder / space
    return load(space_file if space_file.is_file() else space).to_json()


def parse_study(study_json: Mapping[str, Any]) -> Study:
    """Parse the result of :meth:`Study.to_json`, or raise UsageError."""
    _check_known(study_json, _KEYS, phrase("A study"))
    return _parse_study(study_json)


def _parse_study(study_json: Mapping[str, Any]) -> Study:
    skeleton = {
        **study_json,
        "methods": [],
        "data": _parse_list(study_json, "data"),
        "spaces": _parse_list(study_json, "spaces"),
    }
    if reason := shapes.explain_mismatch(StudyJson, skeleton):
        raise UsageError("This study cannot be read: {why}", why=reason)
    return Study(
        **{
            **study_json,
            "methods": tuple(_parse_method(each) for each in _parse_list(study_json, "methods")),
            "data": tuple(str(each) for each in _parse_list(study_json, "data")),
            "spaces": tuple(_parse_list(study_json, "spaces")) or (None,),
            "tables": {
                name: _parse_choices(name, each)
                for name, each in study_json.get("tables", {}).items()
            },
        }
    )


def _parse_method(entry: Any) -> StudyMethod:
    """Parse ``"RS"`` or ``{"name": …, "method": …, "set": {"part.option": value}}``."""
    if isinstance(entry, str):
        return StudyMethod(entry, get_preset(entry).key)
    if not isinstance(entry, Mapping) or not isinstance(entry.get("method"), str):
        raise UsageError(
            "A method of a study is a name or an object with at least 'method'; "
            "{given!r} was given.",
            given=entry,
        )
    _check_known(entry, ("name", "method", "set"), phrase("A method of a study"))
    key = get_preset(entry["method"]).key
    return StudyMethod(str(entry.get("name", entry["method"])), key, dict(entry.get("set", {})))


def _parse_choices(name: str, entry: Mapping[str, Any]) -> TableChoices:
    """Parse a study's choices about a table, and reject misspelt ones."""
    field_names = [each.name for each in dataclasses.fields(TableChoices)]
    _check_known(entry, field_names, phrase("The table {name!r} of a study", name=name))
    return TableChoices(**entry)


def _read_specification(path: Path) -> dict[str, Any]:
    if path.is_dir():
        return _read_folder(path)
    return _read_document(path) if path.suffix.lower() == DOCUMENT_SUFFIX else _read_file(path)


def _read_document(path: Path) -> dict[str, Any]:
    with Document.open(path, writable=False) as document:
        study_json = load_stored_study(document)
    if study_json is None and document.damaged_records:
        raise DocumentError(join_phrases(describe_damaged_records(document.damaged_records)))
    if study_json is None:
        raise UsageError(
            "The document {path} contains no study. Name a study file or a folder of tables "
            "to start one.",
            path=path.name,
        )
    return dataclasses.asdict(study_json)


def _read_folder(folder: Path) -> dict[str, Any]:
    tables = sorted(each.name for each in folder.iterdir() if each.name.endswith(SUFFIXES))
    if not tables:
        raise UsageError(
            "There is no table ({suffixes}) in the folder {folder}.",
            suffixes=", ".join(SUFFIXES),
            folder=folder,
        )
    return {"data": tables, "methods": list(FOLDER_METHODS)}


def _read_file(path: Path) -> dict[str, Any]:
    try:
        study_json = read_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(
            "There is no readable study or folder {path}: {reason}.",
            path=path,
            reason=error.strerror,
        ) from error
    except ValueError as error:
        if path.suffix.lower() != ".json":
            raise UsageError(
                "{path!r} is not a study. Give a study file (.json), a folder of tables, or the "
                "document of a comparison (.studio).",
                path=path.name,
            ) from error
        reason: str = str(error)
        if isinstance(cause := error.__cause__, json.JSONDecodeError):
            reason = phrase("line {line:,} is not valid JSON", line=cause.lineno)
        raise UsageError(
            "The study {path!r} cannot be read: {reason}. Correct it in an editor.",
            path=path.name,
            reason=reason,
        ) from error
    if not isinstance(study_json, dict):
        raise UsageError("The study {path} must be one JSON object.", path=path.name)
    _check_known(study_json, (*_KEYS, "sizes"), phrase("A study"))
    return study_json


def _resolve_entries(names: Sequence[Any], entries: Sequence[Any]) -> list[Any]:
    """Return the file's entry for each name, or the name itself if it has none."""
    entry_by_name = {
        str(each.get("name", each.get("method"))): each
        for each in entries
        if isinstance(each, dict)
    }
    return [entry_by_name.get(each, each) if isinstance(each, str) else each for each in names]


def _parse_list(study_json: Mapping[str, Any], key: str) -> list[Any]:
    value = study_json.get(key, [])
    if not isinstance(value, list | tuple):
        raise UsageError(
            "A study's {key!r} must be a list; {value!r} was given.", key=key, value=value
        )
    return list(value)


def _check_known(entry: Mapping[str, Any], allowed: Sequence[str], noun: str) -> None:
    unknown = sorted(set(entry) - set(allowed))
    if unknown:
        raise UsageError(
            "{what} has no setting {unknown}; available: {known}.",
            what=noun,
            unknown=join_quoted(unknown),
            known=", ".join(allowed),
        )


_SPACE_REMEDY = phrase(
    "To compare only the methods, choose one space for all of them in a new comparison."
)
_SPACE_REMEDY_IN_SHELL = phrase(
    "To compare only the methods, name one space for all of them with --spaces."
)


def get_common_spaces(study: StudyJson) -> list[Space | None]:
    """Return the spaces of all methods (``None``: the task's default), or raise SpaceError."""
    return [None if each is None else _parse_space(each) for each in study.spaces]


def _parse_space(entry: str | Mapping[str, Any]) -> Space:
    if isinstance(entry, str):
        return load(entry)
    space = Space.from_json(entry)
    space.check()
    return space


def _describe_spaces(study: StudyJson) -> str:
    named_spaces = [each for each in get_common_spaces(study) if each is not None]
    titles = _quote_titles(each.title or each.name for each in named_spaces)
    if len(named_spaces) == 1:
        return phrase("Every method searched the space {space}.", space=titles)
    return phrase("Every method searched each of these spaces: {spaces}.", spaces=titles)


def list_default_spaces(
    methods: Sequence[StudyMethod], tasks: Collection[Task]
) -> dict[tuple[str, ...], list[str]]:
    """Return the titles of the default spaces of tasks → the methods that search them."""
    titles_by_methods: dict[tuple[str, ...], list[str]] = {}
    for method in methods:
        titles = {get_space(method.method, task).title for task in tasks}
        titles_by_methods.setdefault(tuple(sorted(titles)), []).append(method.name)
    return titles_by_methods


def describe_spaces_by_method(methods_by_spaces: Mapping[tuple[str, ...], Sequence[str]]) -> str:
    """Describe the space of each method: "best in “Proven models”; RS in “Nine classifiers”"."""
    clauses = [
        phrase(
            "{methods} in {spaces}",
            methods=enumerate_methods(methods),
            spaces=_quote_titles(titles),
        )
        for titles, methods in methods_by_spaces.items()
    ]
    return join_phrases(clauses, "; ")


def _quote_titles(titles: Iterable[str]) -> str:
    return join_phrases([phrase("“{space}”", space=phrase(each)) for each in titles], ", ")


def describe_search_spaces(
    study: Study, entries: Sequence[tuple[str, DatasetNote]], *, in_window: bool = False
) -> tuple[str, ...]:
    """Describe the common spaces of all methods, or the exceptions, for the window or the shell."""
    if None not in study.spaces:
        return (_describe_spaces(study),)
    titles_by_methods = list_default_spaces(
        study.methods, {each.dataset.task for _, each in entries}
    )
    if len(titles_by_methods) < 2:
        return ()
    message = phrase(
        "Not all methods searched the same space, so differences may be due to the space: "
        "{methods}.",
        methods=describe_spaces_by_method(titles_by_methods),
    )
    return message, _SPACE_REMEDY if in_window else _SPACE_REMEDY_IN_SHELL
