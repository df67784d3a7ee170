"""Adding to a study that is there: methods, data sets or repetitions."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from studio.compare.names import name_of
from studio.gui.base.language import tr
from studio.gui.base.theme import GRID
from studio.gui.pages.compare.data_sets import DataSets
from studio.gui.pages.compare.entries import DataEntry, of_file, tables_in
from studio.gui.pages.compare.method_choices import MethodChoices
from studio.gui.widgets import kit
from studio.gui.widgets.fields import Field, NumberEdit, whole

METHODS, DATA, REPETITIONS = "methods", "data", "repetitions"


class ExtendDialog(QDialog):
    """Asks for more of one kind; :meth:`changes` gives what the study shall be then.

    Parameters
    ----------
    what : str
        "methods", "data" or "repetitions".
    study : Mapping
        The study as it is.
    offered : sequence of Mapping
        The methods that there are.
    """

    def __init__(
        self,
        what: str,
        study: Mapping[str, Any],
        offered: Sequence[Mapping[str, Any]],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._what, self._study, self._offered = what, study, list(offered)
        self._methods: list[dict[str, Any]] = []
        self._entries: dict[str, DataEntry] = {}
        self._repetitions = int(study["repetitions"])
        titles = {
            METHODS: tr("Add methods"),
            DATA: tr("Add data sets"),
            REPETITIONS: tr("More repetitions"),
        }
        self.setWindowTitle(titles[what])
        column = QVBoxLayout(self)
        column.setContentsMargins(*(4 * [2 * GRID]))
        column.setSpacing(2 * GRID)
        column.addWidget(
            kit.label(
                tr("What is finished stays as it is; only what is missing is computed."),
                "muted",
                wrap=True,
            )
        )
        column.addWidget({METHODS: self._methods_part, DATA: self._data_part}.get(
            what, self._repetitions_part
        )())  # fmt: skip
        self.box = QDialogButtonBox()
        self.ok = self.box.addButton(tr("Add"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.ok.setToolTip(tr("Add this to the comparison and continue"))
        cancel = self.box.addButton(tr("Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        cancel.setToolTip(tr("Leave the comparison as it is"))
        self.box.accepted.connect(self.accept)
        self.box.rejected.connect(self.reject)
        column.addWidget(self.box)
        self.resize(720 if what != REPETITIONS else 360, self.sizeHint().height())
        self._show()

    def changes(self) -> dict[str, Any]:
        """Return the settings that take the place of the study's."""
        if self._what == METHODS:
            return {"methods": [*self._study["methods"], *self._methods]}
        if self._what == REPETITIONS:
            return {"repetitions": self._repetitions}
        added = {"data": [*self._study["data"], *(each.place for each in self._entries.values())]}
        return {**added, **self._targets()}

    def _targets(self) -> dict[str, Any]:
        """Return the study's targets with those that were typed."""
        typed = {each.name: each.target for each in self._entries.values() if each.target}
        before = self._study["target"]
        if not typed:
            return {}
        if isinstance(before, str):
            before = {name_of(entry): before for entry in self._study["data"]}
        return {"target": {**(before or {}), **typed}}

    @property
    def possible(self) -> bool:
        """Whether anything is added."""
        more = self._repetitions > int(self._study["repetitions"])
        return bool(self._methods or self._entries or more)

    # ---- methods

    def _methods_part(self) -> QWidget:
        self.methods = MethodChoices()
        self.methods.ticked.connect(self._tick)
        return self.methods

    def _tick(self, entry: Mapping[str, Any], wanted: bool) -> None:
        others = [each for each in self._methods if each["name"] != entry["name"]]
        self._methods = [*others, dict(entry)] if wanted else others
        self._show()

    # ---- data sets

    def _data_part(self) -> QWidget:
        self.data_sets = DataSets()
        self.data_sets.added.connect(self._add)
        self.data_sets.folder_chosen.connect(self._add_folder)
        self.data_sets.removed.connect(self._remove)
        self.data_sets.target_typed.connect(self._take_target)
        return self.data_sets

    def _add(self, entries: Sequence[DataEntry]) -> None:
        known = {name_of(entry) for entry in self._study["data"]}
        self._entries.update({each.name: each for each in entries if each.name not in known})
        self._show()

    def _add_folder(self, folder: Path) -> None:
        self._add([of_file(path) for path in tables_in(folder)])

    def _remove(self, names: Sequence[str]) -> None:
        for name in names:
            self._entries.pop(name, None)
        self._show()

    def _take_target(self, name: str, target: str) -> None:
        before = self._entries[name]
        self._entries[name] = DataEntry(name, before.place, target.strip(), before.sample)
        self._show()

    # ---- repetitions

    def _repetitions_part(self) -> QWidget:
        now = int(self._study["repetitions"])
        edit = NumberEdit(whole(now, 1000), self._take_repetitions)
        edit.show_value(now)
        field = Field(
            tr("Repetitions of each method on each data set"),
            edit,
            tip=tr("Each uses new splits; more repetitions make differences more certain"),
            hint=tr("There are {count} now", count=now),
        )
        self.repetitions = edit
        return field

    def _take_repetitions(self, value: object) -> None:
        assert isinstance(value, int)
        self._repetitions = value
        self._show()

    def _show(self) -> None:
        if self._what == METHODS:
            there = {each["name"] for each in self._study["methods"]}
            offered = [each for each in self._offered if each["name"] not in there]
            self.methods.show_choice(offered, [each["name"] for each in self._methods])
        elif self._what == DATA:
            self.data_sets.show_entries(tuple(self._entries.values()), open_table=False)
        self.ok.setEnabled(self.possible)
