"""Searchable list of all methods with checkboxes."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHeaderView, QWidget

from studio.compare.study_notes import StudyMethod
from studio.gui.base import theme
from studio.gui.drafts.method_names import rank_match
from studio.gui.widgets import kit
from studio.gui.widgets.plain_table import PlainTable
from studio.gui.widgets.records import CellChange, ColumnSpec, RecordModel
from studio.language import N_, ntr, tr, translate
from studio.proposers.composition import Preset

_ROW_HEIGHT = 30

UNLIMITED_ROWS = 10_000
"""Maximum number of rows: large enough for the list never to scroll."""


@dataclass(frozen=True)
class CheckableRow:
    """A checkable row of the list.

    Attributes:
        texts: One per column, in the user's language.
        tip: In the user's language.
        entry: The argument of the signal ``row_toggled``.
    """

    key: Hashable
    texts: tuple[str, ...]
    tip: str = ""
    search_text: str = ""
    entry: Any = None


class CheckableModel(RecordModel[CheckableRow]):
    """Checkable rows, filtered by search words.

    Args:
        titles: Titles of the columns, in the user's language; the first column has the checkboxes.
    """

    row_toggled = Signal(object, bool)
    """A row's checkbox was clicked; the draft determines its state."""

    def __init__(self, titles: Sequence[str]) -> None:
        super().__init__([self._make_column(column, title) for column, title in enumerate(titles)])
        self._all_rows: list[CheckableRow] = []
        self._search_words: list[str] = []
        self._checked: frozenset[Hashable] = frozenset()

    def _make_column(self, column: int, title: str) -> ColumnSpec[CheckableRow]:
        change: CellChange[CheckableRow] = CellChange(
            lambda row: row.key in self._checked,
            lambda row, is_ticked: self.row_toggled.emit(row.entry, is_ticked),
        )
        return ColumnSpec(
            title,
            lambda row: row.texts[column],
            cell_tooltip=lambda row: row.tip,
            colour=lambda _: theme.colour(theme.current().muted) if column else None,
            tick=None if column else change,
        )

    def set_rows(self, rows: Sequence[CheckableRow]) -> None:
        """Set the rows."""
        self._all_rows = list(rows)
        self._filter_rows()

    def choose(self, keys: Sequence[Hashable]) -> None:
        """Check exactly the rows of these keys."""
        self._checked = frozenset(keys)
        self.refresh_all()

    def filter_by(self, text: str) -> None:
        """Filter the rows by words."""
        self._search_words = text.lower().split()
        self._filter_rows()

    def _filter_rows(self) -> None:
        words = self._search_words
        rows = [row for row in self._all_rows if all(word in row.search_text for word in words)]
        self.show(sorted(rows, key=lambda row: rank_match(words, row.texts)))


class CheckableTable(PlainTable):
    """A view of checkable rows.

    Args:
        model: The rows; the last column takes the remaining width.
        widths: Of the columns before it, in pixels.
        max_rows: Maximum number of rows shown without scrolling.
    """

    def __init__(
        self, model: CheckableModel, widths: Sequence[int], max_rows: int = UNLIMITED_ROWS
    ) -> None:
        super().__init__(_ROW_HEIGHT)
        self.setModel(model)
        self.setSelectionBehavior(PlainTable.SelectionBehavior.SelectRows)
        self.setSelectionMode(PlainTable.SelectionMode.SingleSelection)
        header = self.horizontalHeader()
        header.setSectionResizeMode(len(widths), QHeaderView.ResizeMode.Stretch)
        for column, width in enumerate(widths):
            self.setColumnWidth(column, theme.pixels(width))
        self.fit()
        self.show_rows(max_rows)
        model.modelReset.connect(lambda: self.show_rows(max_rows))


_WIDTHS = (264, 112)


@dataclass(frozen=True)
class AvailableMethod:
    """A method of a study, with a checkbox."""

    entry: StudyMethod
    title: str = ""
    family: str = ""
    summary: str = ""
    reference: str = ""


class MethodChoices(QWidget):
    """The list with its search field, and a line that names the checked methods.

    Initially it shows one method per family, and the checked methods.

    Args:
        max_rows: Maximum number of rows shown without scrolling.
    """

    row_toggled = Signal(object, bool)
    """A method (:class:`studio.compare.study_notes.StudyMethod`) was checked or unchecked."""

    def __init__(self, max_rows: int = UNLIMITED_ROWS) -> None:
        super().__init__()
        self._rows: list[CheckableRow] = []
        self._initial_keys: set[Hashable] = set()
        self.methods = CheckableModel((tr("Method"), tr("In papers"), tr("Description")))
        self.methods.row_toggled.connect(self.row_toggled)
        self.search = kit.make_search_field(
            tr("Find a method by name or description"),
            self._filter,
            name=tr("Find a method to compare"),
            tip=tr("Searches names, families, descriptions and references"),
        )
        self.table = CheckableTable(self.methods, _WIDTHS, max_rows)
        self.table.setAccessibleName(tr("Methods to compare"))
        self.table.setToolTip(tr("Tick the methods to compare, by mouse or with the space bar"))
        self.chosen_label = kit.label("", "small", wrap=True)
        tip = tr("Show every method of every family")
        self.show_all_button = kit.button("", self._show_all, kind="link", tip=tip)
        line = kit.row(self.show_all_button, None)
        kit.column(self.search, self.table, line, self.chosen_label, parent=self)

    def _filter(self, text: str) -> None:
        self.methods.filter_by(text)
        self._show_methods()

    def _show_all(self) -> None:
        self._initial_keys.update(row.key for row in self._rows)
        self._show_methods()

    def _show_methods(self) -> None:
        """Show all methods during a search, else the initial ones, to avoid nested scrolling."""
        is_searching = bool(self.search.text())
        visible = [row for row in self._rows if is_searching or row.key in self._initial_keys]
        self.methods.set_rows(visible)
        self.show_all_button.setVisible(len(visible) < len(self._rows))
        self.show_all_button.setText(tr("All {count} methods", count=len(self._rows)))

    def show_choice(self, methods: Sequence[AvailableMethod], names: Sequence[str]) -> None:
        """Set the methods (of :func:`list_methods`) and check the chosen ones."""
        self._rows = [_make_row(each) for each in methods]
        families = {each.family: each.entry.name for each in reversed(methods)}
        self._initial_keys.update(names, families.values())
        self._show_methods()
        self.methods.choose(names)
        text = ntr("{count} selected: {names}", "{count} selected: {names}", len(names),
            names=", ".join(names))  # fmt: skip
        self.chosen_label.setText(text if names else tr("None selected yet"))


def _make_row(method: AvailableMethod) -> CheckableRow:
    name, texts = method.entry.name, (method.title, method.family, method.summary, method.reference)
    title, family, summary, reference = map(translate, texts)
    return CheckableRow(
        key=name,
        texts=(title, name, summary),
        tip="\n".join(each for each in (summary, reference) if each),
        search_text=" ".join([name, *texts, title, family, summary, reference]).lower(),
        entry=method.entry,
    )


def list_methods(
    catalogue: Sequence[Preset],
    saved_methods: Mapping[str, tuple[str, Mapping[str, Any]]],
    draft_methods: Sequence[StudyMethod],
) -> list[AvailableMethod]:
    """Return the available methods.

    Args:
        catalogue: Presets and the user's methods, as on the Run page.
        saved_methods: The user's methods by name: preset and changes.
        draft_methods: The study's methods; methods that are in no other list come first.
    """
    result = []
    for each in catalogue:
        method = StudyMethod(each.key, *saved_methods.get(each.key, (each.key, {})))
        texts = (each.title, each.family, each.summary, each.reference)
        result.append(AvailableMethod(method, *texts))
    catalogue_keys = {each.key for each in catalogue}
    custom_methods = [each for each in draft_methods if each.name not in catalogue_keys]
    text, family = N_("{method} with different settings"), tr("This comparison")
    custom = [AvailableMethod(e, tr(text, method=e.method), family) for e in custom_methods]
    return [*custom, *result]
