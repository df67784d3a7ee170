"""The methods by family, each with its two sentences; one of them is chosen."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QEnterEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QGridLayout,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from studio.gui.base import theme
from studio.gui.base.theme import GRID
from studio.gui.widgets import kit
from studio.gui.widgets.flow import Flow
from studio.language import tr, translate
from studio.proposers.preset import Preset

_COLUMNS = 2


class MethodCard(QAbstractButton):
    """A button with the name and the sentences of one method; its source is in the tooltip."""

    def __init__(self, method: Preset, default: bool) -> None:
        super().__init__()
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        summary, reference = translate(method.summary), translate(method.reference)
        self.setAccessibleName(tr("Method {name}", name=method.key))
        self.setAccessibleDescription(summary)
        self.setToolTip(f"{summary}\n{reference}")
        name = kit.label(method.key)
        theme.give_font(name, theme.LARGE, bold=True)
        first = kit.row(name, None)
        if default:
            first.addWidget(kit.label(tr("suggested"), "pill"))
        kit.column(
            first,
            kit.label(summary, "muted", wrap=True),
            None,
            on=self,
            spacing=GRID // 2,
            margin=GRID + GRID // 2,
        )
        for child in self.findChildren(QWidget):
            child.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.MinimumExpanding)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the card; the chosen one is edged and tinted."""
        tokens = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        chosen, pointed = self.isChecked(), self.hasFocus() or self.underMouse()
        width = 2.0 if chosen else 1.0
        edge = tokens.accent if chosen or self.hasFocus() else tokens.border
        painter.setPen(QPen(theme.colour(tokens.muted if pointed and not chosen else edge), width))
        painter.setBrush(theme.colour(tokens.accent_soft if chosen else tokens.surface))
        box = QRectF(self.rect()).adjusted(width / 2, width / 2, -width / 2, -width / 2)
        painter.drawRoundedRect(box, theme.CARD, theme.CARD)
        painter.end()

    def enterEvent(self, event: QEnterEvent) -> None:
        """Show that it can be pressed."""
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Stop showing it."""
        self.update()


class MethodCards(QWidget):
    """All methods that exist for a task: a family at a time, or those that a word finds."""

    method_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.cards: dict[str, MethodCard] = {}
        self.families: dict[str, QPushButton] = {}
        self.family = ""
        self._offered: Sequence[Preset] = []
        self._default = ""
        self._chosen = ""
        self._cards = QButtonGroup(self)
        self._chips = QButtonGroup(self)
        self.search = kit.search(
            tr("Find a method by name or by what it does"),
            lambda _: self._show_cards(),
            name=tr("Find a method"),
            tip=tr("Searches all families: names, descriptions, references"),
        )
        self._chip_lines = Flow(gap=GRID)
        self._none = kit.label(tr("No method matches; try another word."), "muted")
        self._grid = QGridLayout()
        self._grid.setSpacing(GRID + GRID // 2)
        for position in range(_COLUMNS):
            self._grid.setColumnStretch(position, 1)
        kit.column(
            self.search, self._chip_lines, self._none, self._grid, on=self, spacing=GRID + GRID // 2
        )

    def show_methods(self, methods: Sequence[Preset], task: str, default: str) -> None:
        """Offer the methods that exist for a task; the family of the suggested one comes first."""
        offered = [method for method in methods if task not in method.refused]
        if (offered, default) == (self._offered, self._default):
            return
        self._offered, self._default = offered, default
        families = list(dict.fromkeys(method.family for method in offered))
        home = self._family_of(default)
        families.sort(key=lambda family: family != home)
        kit.clear(self._chip_lines)
        self.families = {}
        for family in families:
            tip = tr("Show the methods of {family}", family=translate(family))
            choose = partial(self._choose_family, family)
            chip = kit.chip(translate(family), choose, tip=tip, group=self._chips)
            chip.setAccessibleName(tr("Methods of {family}", family=translate(family)))
            self.families[family] = chip
            self._chip_lines.addWidget(chip)
        self.family = self._family_of(self._chosen) or home
        self._show_cards()

    def show_choice(self, key: str) -> None:
        """Mark the chosen method, and show its family if another method was chosen before."""
        if key != self._chosen:
            self._chosen = key
            if not self.search.text() and self._family_of(key) not in {"", self.family}:
                self.family = self._family_of(key)
            self._show_cards()
        if key in self.cards:
            self.cards[key].setChecked(True)

    def _family_of(self, key: str) -> str:
        return next((each.family for each in self._offered if each.key == key), "")

    def _choose_family(self, family: str) -> None:
        self.family = family
        self.search.clear()
        self._show_cards()

    def _show_cards(self) -> None:
        words = self.search.text().lower().split()
        shown = [
            method
            for method in self._offered
            if (_found(method, words) if words else method.family == self.family)
        ]
        shown.sort(key=lambda method: method.key != self._default)
        if self.family in self.families and not words:
            self.families[self.family].setChecked(True)
        self._none.setVisible(bool(words) and not shown)
        if list(self.cards) == [method.key for method in shown]:
            return
        kit.clear(self._grid)
        self.cards = {}
        for position, method in enumerate(shown):
            card = MethodCard(method, method.key == self._default)
            card.clicked.connect(lambda _, key=method.key: self.method_chosen.emit(key))
            self._cards.addButton(card)
            self.cards[method.key] = card
            self._grid.addWidget(card, position // _COLUMNS, position % _COLUMNS)
        if self._chosen in self.cards:
            self.cards[self._chosen].setChecked(True)


def _found(method: Preset, words: list[str]) -> bool:
    texts = [method.key, method.family, method.summary, method.reference]
    parts = [key.replace("-", " ") for key in method.all_parts().values()]
    whole = " ".join([*texts, *map(translate, texts), *method.aliases, *parts]).lower()
    return all(word in whole for word in words)
