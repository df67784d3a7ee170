"""Model of the set-up form: the draft, stored in the document, and its defaults."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject

from studio.compare.power import choose_repetitions
from studio.compare.study import describe_spaces_by_method, list_default_spaces
from studio.data.metrics.registry import find_metric
from studio.data.metrics.registry import get_default as default_metric_for
from studio.data.tasks import Task
from studio.gui.base import preferences, user_paths
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.draft import DraftModel
from studio.gui.drafts.run_model import RunModel
from studio.gui.pages.compare.draft import CUSTOM, OPEN_SPACE, StudyDraft, make_draft_from_preset
from studio.gui.pages.compare.method_choices import AvailableMethod, list_methods
from studio.gui.pages.compare.study_descriptions import describe_size
from studio.gui.pages.compare.targets import (
    DataEntry,
    TargetReader,
    list_tables,
    make_data_entry_from_file,
)
from studio.gui.plots.base.helper_requests import Helper
from studio.gui.session.session import Session
from studio.gui.widgets.split_field import RowRule
from studio.language import tr, translate
from studio.proposers.preset_table import PRESETS
from studio.space.library import get_default, load
from studio.space.space import Space

_REJECTIONS = {each.key: each.rejections for each in PRESETS}
"""Preset → unsupported tasks, each with the reason."""


class SetupModel(DraftModel[StudyDraft]):
    """Model of the set-up form."""

    def __init__(
        self,
        session: Session,
        data: DataModel,
        models: RunModel,
        helper: Helper,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(session, StudyDraft(), "window.compare", parent)
        self._data, self._models = data, models
        self._folder: Path | None = None
        self.target_reader = TargetReader(session, helper, self)
        self.target_reader.changed.connect(self.changed)
        self.problem_changed.connect(self.changed)
        models.catalogue_loaded.connect(self.changed)
        data.changed.connect(self.changed)
        session.space.changed.connect(self.changed)
        session.space.blocking_reason_changed.connect(self.changed)
        self._has_runs = bool(session.runs.views)
        session.runs.changed.connect(self._watch_first_run)
        self._load()

    @property
    def blocking_reason(self) -> str:
        """Why the comparison cannot start, with a remedy; empty if it can."""
        blocking_reason = self.draft.get_blocking_problem() or self.problem
        return (
            blocking_reason
            or self._find_target_obstacle()
            or self._find_method_obstacle()
            or self._find_space_obstacle()
        )

    def _find_target_obstacle(self) -> str:
        problems = ((each.name, self.target_reader.find_problem(each)) for each in self.draft.data)
        texts = (tr("{name}: {words}", name=name, words=words) for name, words in problems if words)
        return next(texts, "")

    def _find_method_obstacle(self) -> str:
        """Name a method that supports none of the data sets' tasks, if all tasks are known."""
        inapplicable = self._find_inapplicable_data()
        names = [each.name for each in self.draft.data]
        for method in self.draft.methods:
            if inapplicable.get(method.name) == names:
                return tr(
                    "{method} cannot be used on these data sets: {reason}.",
                    method=method.name,
                    reason=translate(_REJECTIONS[method.method][min(self.tasks)]),
                )
        return ""

    def describe_omissions(self) -> str:
        """Name the data sets to which a method is not applicable, as far as known; empty: none."""
        return " ".join(
            tr(
                "{method} cannot be used on {names}: its runs there are left out.",
                method=method,
                names=", ".join(names),
            )
            for method, names in self._find_inapplicable_data().items()
        )

    def describe_size(self) -> str:
        """Return the number of runs, excluding omitted ones, and of trials."""
        return describe_size(self.draft, self._count_excluded_runs())

    def describe_duration(self) -> str:
        """Return the expected duration in words."""
        return self.draft.describe_duration(self.draft.n_runs - self._count_excluded_runs())

    def _count_excluded_runs(self) -> int:
        n_pairs = sum(map(len, self._find_inapplicable_data().values()))
        return n_pairs * len(self.draft.spaces) * self.draft.repetitions

    def _find_inapplicable_data(self) -> dict[str, list[str]]:
        """Return by method the data sets to which it is not applicable, as far as known."""
        targets = [
            (each.name, self.target_reader.get_table_target(each)) for each in self.draft.data
        ]
        tasks = [(name, target.task) for name, target in targets if target is not None]
        names_by_method: dict[str, list[str]] = {}
        for method in self.draft.methods:
            rejected_tasks = _REJECTIONS.get(method.method, {})
            if names := [name for name, task in tasks if task in rejected_tasks]:
                names_by_method[method.name] = names
        return names_by_method

    def _find_space_obstacle(self) -> str:
        if OPEN_SPACE not in self.draft.spaces:
            return ""
        if self.open_space is None:
            return tr("No space is open on the Space page. Open one there, or choose another here.")
        reason = self._session.space.blocking_reason
        return tr("The space of the Space page: {why}", why=reason) if reason else ""

    @property
    def open_space(self) -> Space | None:
        """The space of the Space page; ``None`` if there is none."""
        return self._session.space.value

    @property
    def tasks(self) -> frozenset[Task]:
        """The tasks of the data sets, as far as known."""
        targets = map(self.target_reader.get_table_target, self.draft.data)
        return frozenset(each.task for each in targets if each is not None)

    def get_row_rules(self) -> dict[str, RowRule]:
        """Return what decides the part of a row in each data set, as far as known."""
        return {each.name: self._find_row_rule(each) for each in self.draft.data}

    def _find_row_rule(self, entry: DataEntry) -> RowRule:
        roles = entry.choices.roles.values()
        if "time" in roles:
            return "time"
        if "group" in roles:
            return "group"
        table_target = self.target_reader.get_table_target(entry)
        if table_target is None:
            return ""
        return "numbers" if table_target.task == "regression" else "classes"

    def describe_spaces(self) -> str:
        """Return the search spaces of the methods, in words; empty while unknown."""
        spaces = self._group_spaces()
        if len(spaces) == 1:
            return tr("Every method searches {spaces}.", spaces=_join_titles(next(iter(spaces))))
        if spaces:
            return tr(
                "Not all methods search the same space, so a difference may come from the space: "
                "{methods}.",
                methods=translate(describe_spaces_by_method(spaces)),
            )
        return ""

    @property
    def common_space(self) -> str:
        """The key of a space usable for all data sets; empty if there is none."""
        names = {get_default(task).name for task in self.tasks}
        return names.pop() if len(names) == 1 and len(self._group_spaces()) > 1 else ""

    def _group_spaces(self) -> dict[tuple[str, ...], list[str]]:
        draft = self.draft
        if draft.spaces != (None,) or not draft.methods or not self.tasks:
            return {}
        return list_default_spaces(draft.methods, self.tasks)

    @property
    def new_document_path(self) -> Path | None:
        """Path of the comparison's new document; ``None`` if it is stored in the open one."""
        if not self._session.runs.views:
            return None
        return user_paths.find_untitled_path(self.draft.title or tr("Comparison"))

    def describe_location(self) -> str:
        """Describe where the comparison will be saved."""
        new_path = self.new_document_path
        if new_path is not None:
            return tr(
                "Will be saved in a new document, {name}, which then opens.", name=new_path.name
            )
        if self._session.path is None:
            return ""
        return tr("Will be saved in this document, {name}.", name=self._session.path.name)

    def to_study(self) -> dict[str, Any]:
        """Return the study with its current spaces; raise SpaceError if one is unreadable."""
        return self.draft.to_study(self.open_space)

    def add_space(self, path: Path) -> None:
        """Add the space of a file; raise SpaceError if it is invalid."""
        load(path)
        self.set_draft(self.draft.with_space(str(path), True))

    def choose_preset(self, key: str, size: str | None = None) -> None:
        """Choose a shipped study, or a custom one, which keeps data sets and methods."""
        if key == CUSTOM:
            self.change(preset=CUSTOM, title="", summary="", reference="")
            return
        chosen_size = size or self.draft.size
        self.set_draft(make_draft_from_preset(key, chosen_size, self._folder, self.draft.workers))

    def add(self, entries: Sequence[DataEntry]) -> None:
        """Add data sets opened by the user."""
        self.target_reader.mark_as_opened(entries)
        self.set_draft(self.draft.with_data(entries))

    def add_folder(self, folder: Path) -> None:
        """Find missing data sets in a folder; if none is missing, add all of its tables."""
        self._folder = folder
        draft = self.draft.find_in_folder(folder)
        if draft != self.draft:
            self.target_reader.mark_as_opened(
                each for each in draft.data if each not in self.draft.data
            )
            self.set_draft(draft)
        else:
            self.add([make_data_entry_from_file(path) for path in list_tables(folder)])

    @property
    def open_table(self) -> DataEntry | None:
        """The table of the Data page with its decisions; ``None`` without one."""
        draft = self._data.draft
        if not self._data.has_file or not draft.path:
            return None
        choices = replace(draft.make_source().choices, task=draft.task)
        return make_data_entry_from_file(Path(draft.path), draft.resolved_target or "", choices)

    def add_open_table(self) -> None:
        """Add or replace the open table; if it is the only one, adopt the Run page's metric."""
        entry = self.open_table
        if entry is None:
            return
        draft = self.draft.drop_data([entry.name]).with_data([entry])
        if draft.metric is None and draft.data == (entry,):
            draft = draft.with_changes(metric=self._get_run_metric())
        self.set_draft(draft)

    def _get_run_metric(self) -> str | None:
        """Return the metric of the Run page; ``None`` if it is the task's default."""
        table, run = self._data.draft, self._models.draft
        task = table.assumed_task
        default = table.get_default_metric(task, advised=run.is_advised(task))
        metric = run.get_metric(task) or default
        return None if metric == default_metric_for(task).key else metric

    def describe_metric(self) -> str:
        """Return the metric of the comparison, in words; empty while the tasks are unknown."""
        metric = find_metric(self.draft.metric)
        metrics = [metric] if metric else [default_metric_for(task) for task in sorted(self.tasks)]
        titles = dict.fromkeys(translate(each.title) for each in metrics)
        return tr("Judged by: {metrics}.", metrics=", ".join(titles)) if titles else ""

    @property
    def available_methods(self) -> list[AvailableMethod]:
        """The available methods."""
        catalogue, presets = self._models.list_offered(), self._models.get_method_keys()
        own_keys = {each.key for each in catalogue} - presets
        saved_methods = {
            each.name: (each.method, each.overrides)
            for each in self._models.saved_methods.list_methods()
            if each.name in own_keys
        }
        return list_methods(catalogue, saved_methods, self.draft.methods)

    def _watch_first_run(self) -> None:
        """Emit :attr:`changed` at a document's first run, or when the last one is gone."""
        has_runs = bool(self._session.runs.views)
        if has_runs != self._has_runs:
            self._has_runs = has_runs
            self.changed.emit()

    def _make_initial_draft(self) -> StudyDraft:
        draft = StudyDraft(**preferences.load().get_run_defaults())
        return draft.with_changes(repetitions=choose_repetitions(draft.split.test))


def _join_titles(titles: Sequence[str]) -> str:
    return ", ".join(tr("“{space}”", space=translate(title)) for title in titles)
