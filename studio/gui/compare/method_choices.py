"""All methods in a list with boxes to tick, and a field that finds them."""

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt, Signal
from PySide6.QtWidgets import QHeaderView, QLineEdit, QTableView, QVBoxLayout, QWidget

from studio.gui import kit, theme
from studio.gui.language import ntr, said, tr
from studio.gui.theme import GRID

_NOWHERE = QModelIndex()
_NAME, _FAMILY, _SUMMARY = range(3)
_ROW = 30
_HEIGHT = 320


class MethodModel(QAbstractTableModel):
    """Methods with a tick each; those that the words find."""

    ticked = Signal(dict, bool)
    """A method (as a study has it) is wanted, or not any more."""

    def __init__(self) -> None:
        super().__init__()
        self._offered: list[dict[str, Any]] = []
        self._words: list[str] = []
        self._chosen: frozenset[str] = frozenset()
        self.shown: list[dict[str, Any]] = []

    def show_methods(self, offered: Sequence[Mapping[str, Any]]) -> None:
        """Offer methods: name, family, summary, reference, and "entry", as a study has it."""
        if list(offered) == self._offered:
            return
        self._offered = [dict(each) for each in offered]
        self._filter()

    def show_chosen(self, names: Sequence[str]) -> None:
        """Tick these methods and no others."""
        chosen = frozenset(names)
        if chosen == self._chosen:
            return
        self._chosen = chosen
        if self.shown:
            last = self.index(len(self.shown) - 1, _NAME)
            self.dataChanged.emit(self.index(0, _NAME), last)

    def find(self, text: str) -> None:
        """Show only what holds all of these words."""
        self._words = text.lower().split()
        self._filter()

    def _filter(self) -> None:
        self.beginResetModel()
        self.shown = [each for each in self._offered if self._fits(each)]
        self.endResetModel()

    def _fits(self, method: Mapping[str, Any]) -> bool:
        texts = [str(method[key]) for key in ("name", "family", "summary", "reference")]
        whole = " ".join([*texts, *map(said, texts)]).lower()
        return all(word in whole for word in self._words)

    def rowCount(self, parent: Any = _NOWHERE) -> int:
        """Return the number of methods shown."""
        return 0 if parent.isValid() else len(self.shown)

    def columnCount(self, parent: Any = _NOWHERE) -> int:
        """Return name, family, summary."""
        return 0 if parent.isValid() else 3

    def data(self, index: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a text, a tooltip or the tick."""
        method = self.shown[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            key = ("name", "family", "summary")[index.column()]
            return str(method[key]) if key == "name" else said(str(method[key]))
        if role == Qt.ItemDataRole.ToolTipRole:
            return "\n".join(
                each for each in (said(str(method["summary"])), said(str(method["reference"])))
                if each
            )  # fmt: skip
        if role == Qt.ItemDataRole.CheckStateRole and index.column() == _NAME:
            wanted = method["name"] in self._chosen
            return Qt.CheckState.Checked if wanted else Qt.CheckState.Unchecked
        if role == Qt.ItemDataRole.ForegroundRole and index.column() != _NAME:
            return theme.colour(theme.current().muted)
        return None

    def setData(self, index: Any, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Ask for the tick; the draft decides."""
        if role != Qt.ItemDataRole.CheckStateRole:
            return False
        wanted = Qt.CheckState(value) == Qt.CheckState.Checked
        self.ticked.emit(dict(self.shown[index.row()]["entry"]), wanted)
        return True

    def flags(self, index: Any) -> Qt.ItemFlag:
        """Let the first column be ticked."""
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsUserCheckable if index.column() == _NAME else flags

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return a column's title."""
        if orientation is Qt.Orientation.Vertical or role != Qt.ItemDataRole.DisplayRole:
            return None
        return (tr("Method"), tr("Family"), tr("What it does"))[section]


class MethodChoices(QWidget):
    """The list with its search field and a line that names what is chosen."""

    ticked = Signal(dict, bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.methods = MethodModel()
        self.methods.ticked.connect(self.ticked)
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Find a method by name or by what it does"))
        self.search.setClearButtonEnabled(True)
        self.search.setAccessibleName(tr("Find a method to compare"))
        self.search.setToolTip(tr("Looks through names, families, descriptions and references"))
        self.search.textChanged.connect(self.methods.find)
        self.table = QTableView()
        self.table.setModel(self.methods)
        self.table.setAccessibleName(tr("Methods to compare"))
        self.table.setToolTip(tr("Tick what is compared: a click on the box, or the space bar"))
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        self.table.horizontalHeader().setHighlightSections(False)
        self.table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        self.table.horizontalHeader().setSectionResizeMode(_SUMMARY, QHeaderView.ResizeMode.Stretch)
        self.table.setColumnWidth(_NAME, 160)
        self.table.setColumnWidth(_FAMILY, 200)
        self.chosen = kit.label("", "small", wrap=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GRID)
        for made in (self.search, self.table, self.chosen):
            column.addWidget(made)
        theme.notifier().changed.connect(self._fit)
        self._fit()

    def show_choice(self, offered: Sequence[Mapping[str, Any]], names: Sequence[str]) -> None:
        """Offer methods and tick the chosen ones."""
        self.methods.show_methods(offered)
        self.methods.show_chosen(names)
        self.chosen.setText(
            ntr("{count} chosen: {names}", "{count} chosen: {names}", len(names),
                names=", ".join(names))
            if names
            else tr("None chosen yet")
        )  # fmt: skip

    def _fit(self, _: Any = None) -> None:
        self.table.verticalHeader().setDefaultSectionSize(theme.pixels(_ROW))
        self.table.setFixedHeight(theme.pixels(_HEIGHT))


def offers(
    catalogue: Sequence[Mapping[str, Any]],
    mine: Mapping[str, tuple[str, Mapping[str, Any]]],
    drafted: Sequence[Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """Return what can be ticked.

    Parameters
    ----------
    catalogue : sequence of Mapping
        Presets and one's own methods, as the Run page offers them.
    mine : Mapping
        One's own methods by name: preset and changes.
    drafted : sequence of Mapping
        The study's methods; those that nobody else offers come first.
    """
    found = []
    for each in catalogue:
        name = str(each["name"])
        method, changes = mine.get(name, (name, {}))
        entry = {"name": name, "method": method, "set": dict(changes)}
        found.append({key: each[key] for key in ("name", "family", "summary", "reference")})
        found[-1]["entry"] = entry
    known = {each["name"] for each in found}
    own = [
        {
            "name": each["name"],
            "family": tr("Of this study"),
            "summary": tr("{method} with other settings", method=each["method"]),
            "reference": "",
            "entry": dict(each),
        }
        for each in drafted
        if each["name"] not in known
    ]
    return [*own, *found]
