"""Model of the Run page: the draft of the next run, stored in the document, and the catalogue."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from PySide6.QtCore import QObject, QSettings, Signal

from studio.data.metrics.registry import find_metric
from studio.data.tasks import Task
from studio.errors import UsageError
from studio.gui.base import preferences
from studio.gui.base.helper_client import HelperClient
from studio.gui.drafts.data_draft import DATA_NOTE
from studio.gui.drafts.draft import DraftModel
from studio.gui.drafts.method_names import (
    PART_TERMS,
    Override,
    compose_name,
    drop_resolved_options,
    get_part_title,
    list_differences,
)
from studio.gui.drafts.run_draft import RunDraft
from studio.gui.session.run_view import RunView
from studio.gui.session.session import Session
from studio.helper.answers import Encoded, decode
from studio.helper.methods import Catalogue, make_catalogue
from studio.language import N_, tr, translate
from studio.parts import OptionValue
from studio.plain_json import JsonError, read_json
from studio.proposers.composition import Preset, get_chosen_parts
from studio.runs.settings import RunSettings

FAMILY = N_("Mine")
_KEY = "run/my_methods"
_MAX_NAME_LENGTH = 60


@dataclass(frozen=True)
class SavedMethod:
    """A method saved by the user: a preset with overrides."""

    name: str
    method: str
    overrides: Mapping[str, OptionValue]


class SavedMethods(QObject):
    """The methods saved on this computer, sorted by name."""

    changed = Signal()

    def list_methods(self) -> list[SavedMethod]:
        """Return the saved methods, except unreadable ones (from another version)."""
        try:
            content = read_json(str(QSettings().value(_KEY, "[]")))
        except JsonError:
            return []
        methods = [_read_method(each) for each in content] if isinstance(content, list) else []
        return sorted((each for each in methods if each), key=lambda each: each.name.lower())

    def find(self, method: str, overrides: Mapping[str, OptionValue]) -> SavedMethod | None:
        """Return the saved method with exactly this preset and these overrides."""
        methods = (each for each in self.list_methods() if each.method == method)
        return next((each for each in methods if each.overrides == dict(overrides)), None)

    def get_method(self, name: str) -> SavedMethod | None:
        """Return the saved method of this name."""
        return next((each for each in self.list_methods() if each.name == name), None)

    def save(self, method: SavedMethod, reserved_names: set[str]) -> None:
        """Save a method; one of the same name is replaced.

        Args:
            reserved_names: Names of the papers' methods, which are not allowed.

        Raises:
            UsageError: If the name is missing, too long, or taken.
        """
        name = " ".join(method.name.split())
        if not name:
            raise UsageError(tr("Enter a name with at least one letter."))
        if len(name) > _MAX_NAME_LENGTH:
            text = N_("Choose a shorter name: {most} letters at most.")
            raise UsageError(tr(text, most=_MAX_NAME_LENGTH))
        if name in reserved_names:
            raise UsageError(tr("“{name}” is a method of the papers; choose another.", name=name))
        other_methods = [each for each in self.list_methods() if each.name != name]
        self._store_methods([*other_methods, replace(method, name=name)])

    def delete(self, name: str) -> None:
        """Delete a method."""
        self._store_methods([each for each in self.list_methods() if each.name != name])

    def _store_methods(self, methods: list[SavedMethod]) -> None:
        QSettings().setValue(_KEY, json.dumps([asdict(each) for each in methods]))
        self.changed.emit()


def _read_method(content: Any) -> SavedMethod | None:
    try:
        return SavedMethod(str(content["name"]), str(content["method"]), dict(content["overrides"]))
    except (KeyError, TypeError, ValueError):
        return None


class RunModel(DraftModel[RunDraft]):
    """Model of the next run's settings."""

    catalogue_loaded = Signal()

    failed = Signal(str)

    def __init__(
        self, session: Session, helper: HelperClient, parent: QObject | None = None
    ) -> None:
        super().__init__(session, self._make_initial_draft(), "window.run", parent)
        self._helper = helper
        self._is_catalogue_requested = self._has_copied_settings = False
        self.catalogue: Catalogue | None = None
        self.saved_methods = SavedMethods(self)
        self.saved_methods.changed.connect(self.changed)

    def _load(self) -> None:
        self._has_copied_settings = False
        super()._load()
        session = self._session
        if not session.is_open or any(map(session.read_note, (self._note_key, DATA_NOTE))):
            return
        # In a document made on the command line, all pages show the newest run.
        if (template := session.runs.find_template()) is not None:
            self.copy_settings(template.settings)
            self._reset_history()

    def _make_initial_draft(self) -> RunDraft:
        """Return the draft of a document's first run, with the user's preferences."""
        return RunDraft(**preferences.load().get_run_defaults())

    def request_catalogue(self) -> None:
        """Fetch the catalogue from the helper, unless it is loaded or being loaded."""
        if not self._is_catalogue_requested:
            self._is_catalogue_requested = True
            self._helper.request(make_catalogue, {}, self._on_catalogue, self._on_failure)

    def _on_failure(self, message: str) -> None:
        self._is_catalogue_requested = False  # another attempt may succeed
        self.failed.emit(message)

    @property
    def presets(self) -> tuple[Preset, ...]:
        """The available presets; none before the catalogue arrives."""
        return () if self.catalogue is None else self.catalogue.methods

    def get_method(self, key: str) -> Preset:
        """Return a preset of the catalogue, even if its library is missing."""
        assert self.catalogue is not None
        presets = (*self.catalogue.methods, *self.catalogue.unavailable_methods)
        return next(each for each in presets if each.key == key)

    def get_method_keys(self) -> set[str]:
        """Return the exact names of all presets."""
        return {each.key for each in self.presets}

    def list_offered(self) -> list[Preset]:
        """Return the presets, followed by the user's methods in the form of presets."""
        if self.catalogue is None:
            return []
        presets = {each.key: each for each in self.presets}
        user_methods = [
            replace(
                presets[each.method],
                key=each.name,
                title=each.name,
                family=tr(FAMILY),
                summary=tr(
                    "Your own method: {name}.",
                    name=compose_name(presets[each.method], each.overrides, self.catalogue),
                ),
                aliases=(),
            )
            for each in self.saved_methods.list_methods()
            if each.method in presets
        ]
        return [*self.presets, *user_methods]

    def choose_method(self, name: str, task: Task) -> None:
        """Choose a preset, or a saved method, unchanged, with its default space."""
        from studio.proposers.spaces import get_space

        previous_default = get_space(self.draft.get_method(task), task)
        saved = None if name in self.get_method_keys() else self.saved_methods.get_method(name)
        if saved is None:
            self.change(method=name, overrides={})
        else:
            self.change(method=saved.method, overrides=dict(saved.overrides))
        default_space, space = get_space(self.draft.get_method(task), task), self._session.space
        if default_space != previous_default and space.value == previous_default:
            space.replace(default_space, tr("use the space of {method}", method=name))

    def get_choice(self, task: Task) -> str:
        """Return the draft's preset."""
        method, overrides = self.draft.get_method(task), self.draft.overrides
        saved = self.saved_methods.find(method, overrides) if overrides else None
        return method if saved is None else saved.name

    def get_draft_method_name(self, task: Task) -> str:
        """Return the readable name of the draft's method: "EO-sig with Matérn 5/2 kernel"."""
        choice = self.get_choice(task)
        if choice not in self.get_method_keys() and self.saved_methods.get_method(choice):
            return choice
        method = self.draft.get_method(task)
        if self.catalogue is None or not self.draft.overrides:
            return method
        return compose_name(self.get_method(method), self.draft.overrides, self.catalogue)

    def list_differences(self, task: Task) -> list[Override]:
        """Return the differences of the draft's method from its preset."""
        assert self.catalogue is not None
        preset = self.get_method(self.draft.get_method(task))
        return list_differences(preset, self.draft.overrides, self.catalogue)

    def describe_parts(self, task: Task) -> list[str]:
        """Return the draft's parts in words: "surrogate: Gaussian process"."""
        assert self.catalogue is not None
        parts_by_kind = self.catalogue.parts
        preset = self.get_method(self.draft.get_method(task))
        parts = get_chosen_parts(preset, self.draft.overrides, self.catalogue.rules)
        return [
            f"{tr(PART_TERMS[part_kind])}: {get_part_title(parts_by_kind, part_kind, key)}"
            for part_kind, key in parts.items()
        ]

    def get_method_name(self, settings: RunSettings) -> str:
        """Return the readable name of a run's method, as on the form before the run."""
        key, overrides = settings.method, dict(settings.overrides)
        if self.catalogue is None or key not in self.get_method_keys():
            return key
        chosen_overrides = drop_resolved_options(self.get_method(key), overrides, self.catalogue)
        for each in (overrides, chosen_overrides):
            if each and (saved := self.saved_methods.find(key, each)) is not None:
                return saved.name
        return compose_name(self.get_method(key), chosen_overrides, self.catalogue)

    def get_changes(self, settings: RunSettings) -> list[str]:
        """Return a run's differences from its preset, chosen by the user or due to the budget."""
        key = settings.method
        if self.catalogue is None or key not in self.get_method_keys():
            return []
        changes = list_differences(self.get_method(key), settings.overrides, self.catalogue)
        return [each.label for each in changes]

    def copy_settings(self, settings: RunSettings) -> None:
        """Copy a run's settings to the draft, without its space and table.

        Choices that the program made for that run stay open: options derived from the budget, and
        the refit.
        """
        refit = None if settings.optional_refit else settings.refit
        self.change(**RunDraft.filter_known(settings.to_json()) | {"refit": refit})
        self._has_copied_settings = True
        self.request_catalogue()
        self._drop_resolved_options()

    def _drop_resolved_options(self) -> None:
        """Drop copied options that a run derives from its budget, once the catalogue is known."""
        draft = self.draft
        if not self._has_copied_settings or self.catalogue is None:
            return
        self._has_copied_settings = False
        if draft.overrides and draft.method in self.get_method_keys():
            preset = self.get_method(draft.method)
            is_unedited = not self.history.undo_text
            self.change(overrides=drop_resolved_options(preset, draft.overrides, self.catalogue))
            if is_unedited:
                self._reset_history()

    def get_title(self, metric: str) -> str:
        """Return a metric's name; its key if unknown to this version."""
        metric_record = find_metric(metric)
        return metric if metric_record is None else metric_record.title

    def get_distinct_metric_names(self, views: Sequence[RunView]) -> dict[int, str]:
        """Return the metrics' names by run; empty if all are the same."""
        keys = {view.row.id: view.metric for view in views}
        if len(set(keys.values())) < 2:
            return {}
        return {run: translate(self.get_title(key)) for run, key in keys.items()}

    def _on_catalogue(self, reply: Encoded) -> None:
        self.catalogue = decode(Catalogue, *reply)
        self._drop_resolved_options()
        self.catalogue_loaded.emit()
