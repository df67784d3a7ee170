"""Dialog for extending a study by methods, data sets or repetitions."""

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QDialogButtonBox, QWidget

from studio.compare.study_notes import StudyJson, StudyMethod, get_dataset_name
from studio.gui.base.theme import GRID
from studio.gui.pages.compare.data_sets import DataSets
from studio.gui.pages.compare.method_choices import AvailableMethod, MethodChoices
from studio.gui.pages.compare.targets import (
    DataEntry,
    TargetReader,
    ask_about_columns,
    list_tables,
    make_data_entry_by_name,
    make_data_entry_from_file,
)
from studio.gui.widgets import kit
from studio.gui.widgets.fields import Field, NumberEdit, make_integer_parser
from studio.gui.widgets.flow import FittingDialog
from studio.language import tr
from studio.runs.settings import TableChoices

_MAX_ROWS = 10
"""Maximum visible rows of the list of methods."""

METHODS, DATA, REPETITIONS = "methods", "data", "repetitions"


class ExtendDialog(FittingDialog):
    """Adds methods, data sets or repetitions, or changes targets of ``unusable`` data sets."""

    def __init__(
        self,
        kind: str,
        study: StudyJson,
        methods: Sequence[AvailableMethod],
        unusable: Collection[str] = (),
        *,
        target_reader: TargetReader,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._kind, self._study, self._available = kind, study, list(methods)
        self._target_reader = target_reader
        target_reader.changed.connect(self._show)
        self._methods: list[StudyMethod] = []
        self._existing = {each.name: each for each in map(self._resolve_entry, study.data)}
        self._entries = {name: each for name, each in self._existing.items() if name in unusable}
        self._repetitions = study.repetitions
        title, part = {
            METHODS: (tr("Add methods"), self._make_methods_part),
            DATA: (tr("Add data sets"), self._make_data_part),
            REPETITIONS: (tr("More repetitions"), self._make_repetitions_part),
        }[kind]
        self.setWindowTitle(title)
        self.box = QDialogButtonBox()
        self.ok = self.box.addButton(tr("Add"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.ok.setProperty("kind", "primary")
        self.ok.setToolTip(tr("Add this to the comparison and continue"))
        cancel = self.box.addButton(tr("Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        cancel.setToolTip(tr("Leave the comparison unchanged"))
        self.box.accepted.connect(self.accept)
        self.box.rejected.connect(self.reject)
        hint = tr("Finished runs are kept; only the missing ones are computed.")
        kit.column(
            kit.label(hint, "muted", wrap=True),
            part(),
            self.box,
            parent=self,
            spacing=2 * GRID,
            margin=2 * GRID,
        )
        self._show()
        self.resize(360 if kind == REPETITIONS else 720, 0)

    def accept(self) -> None:
        """Close, unless the user cancels a question about columns."""
        entries = ask_about_columns(self._entries.values(), self._target_reader)
        if entries is not None:
            self._entries = {each.name: each for each in entries}
            super().accept()

    def get_changed_settings(self) -> dict[str, Any]:
        """Return the changed settings of the study."""
        if self._kind == METHODS:
            return {"methods": (*self._study.methods, *self._methods)}
        if self._kind == REPETITIONS:
            return {"repetitions": self._repetitions}
        names = [name for name in self._entries if name not in self._existing]
        added = [self._entries[name].location for name in names]
        return {"data": (*self._study.data, *added), **self._merge_decisions()}

    def _resolve_entry(self, entry: str) -> DataEntry:
        """Return a data set of the study with its resolved target."""
        name, target = get_dataset_name(entry), self._study.target
        target_column = target.get(name) if isinstance(target, Mapping) else target
        sample = make_data_entry_by_name(entry)
        source = sample if sample.is_sample else make_data_entry_from_file(Path(entry))
        choices = self._study.tables.get(name, source.choices)
        return dataclasses.replace(source, name=name, target=target_column or "", choices=choices)

    def _merge_decisions(self) -> dict[str, Any]:
        """Merge targets and other choices with those of this dialog."""
        previous_targets = {name: each.target for name, each in self._existing.items()}
        new_targets = {name: each.target for name, each in self._entries.items()}
        choices = {
            name: each.choices
            for name, each in self._entries.items()
            if name in self._study.tables or each.choices != TableChoices()
        }
        tables = {**self._study.tables, **choices}
        has_same_targets = all(
            target == previous_targets.get(name, "") for name, target in new_targets.items()
        )
        if has_same_targets and tables.keys() == self._study.tables.keys():
            return {}
        target = {name: each for name, each in {**previous_targets, **new_targets}.items() if each}
        return {"target": target, "tables": tables}

    @property
    def can_extend(self) -> bool:
        """Whether anything is added or changed, and all numbers are valid."""
        if self._kind == REPETITIONS and self.repetitions.problem:
            return False
        adds_repetitions = self._repetitions > self._study.repetitions
        # Also unchanged data sets that were left out: their files may have been corrected.
        data = self._kind == DATA and bool(self._entries)
        return bool(self._methods or data or adds_repetitions)

    # ---- methods

    def _make_methods_part(self) -> QWidget:
        self.methods = MethodChoices(_MAX_ROWS)
        self.methods.row_toggled.connect(self._toggle_method)
        return self.methods

    def _toggle_method(self, entry: StudyMethod, include: bool) -> None:
        others = [each for each in self._methods if each.name != entry.name]
        self._methods = [*others, entry] if include else others
        self._show()

    # ---- data sets

    def _make_data_part(self) -> QWidget:
        self.data_sets = DataSets(self._target_reader)
        self._duplicates_label = kit.label("", "muted", wrap=True)
        self.data_sets.added.connect(self._add)
        self.data_sets.folder_chosen.connect(self._add_folder)
        self.data_sets.removed.connect(self._remove)
        self.data_sets.target_typed.connect(self._set_target)
        hint = tr(
            "Data sets that were left out are also listed and will be read again. You can choose "
            "another column to predict."
        )
        label = kit.label(hint if self._entries else "", "muted", wrap=True)
        label.setVisible(bool(self._entries))
        part = QWidget()
        kit.column(label, self.data_sets, self._duplicates_label, parent=part)
        return part

    def _add(self, entries: Sequence[DataEntry]) -> None:
        self._target_reader.mark_as_opened(entries)
        new = {each.name: each for each in entries if each.name not in self._existing}
        self._entries.update(new)
        duplicates = [each.name for each in entries if each.name not in new]
        message = tr("Already in this comparison: {names}.", names=", ".join(duplicates))
        kit.show_text(self._duplicates_label, message if duplicates else "")
        self._show()

    def _add_folder(self, folder: Path) -> None:
        self._add([make_data_entry_from_file(path) for path in list_tables(folder)])

    def _remove(self, names: Sequence[str]) -> None:
        for name in names:
            self._entries.pop(name, None)
        self._show()

    def _set_target(self, name: str, target: str) -> None:
        self._entries[name] = self._entries[name].with_target(target.strip())
        self._show()

    # ---- repetitions

    def _make_repetitions_part(self) -> QWidget:
        current = self._study.repetitions
        edit = NumberEdit(make_integer_parser(current, 1000), self._set_repetitions)
        edit.show_value(current)
        edit.validated.connect(self._show)
        text = tr("Repetitions of each method on each data set")
        tip = tr("Each uses new splits; more repetitions make differences more certain")
        field = Field(text, edit, tip=tip, hint=tr("Currently {count}", count=current))
        self.repetitions = edit
        return field

    def _set_repetitions(self, value: object) -> None:
        assert isinstance(value, int)
        self._repetitions = value
        self._show()

    def _show(self) -> None:
        if self._kind == METHODS:
            existing_names = {each.name for each in self._study.methods}
            available = [each for each in self._available if each.entry.name not in existing_names]
            self.methods.show_choice(available, [each.name for each in self._methods])
        elif self._kind == DATA:
            self.data_sets.show_entries(tuple(self._entries.values()), open_table=False)
        self.ok.setEnabled(self.can_extend)
