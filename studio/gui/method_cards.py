"""The methods by family, each with its two sentences; one of them is chosen."""

from typing import Any

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QEnterEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QGridLayout,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from studio.gui import kit, theme
from studio.gui.theme import GRID

_COLUMNS = 2


class MethodCard(QAbstractButton):
    """A button with the name, the sentences and the reference of one method."""

    def __init__(self, method: dict[str, Any], default: bool) -> None:
        super().__init__()
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(f"Method {method['name']}")
        self.setAccessibleDescription(method["summary"])
        self.setToolTip(f"{method['summary']}\n{method['reference']}")
        name = kit.label(method["name"])
        name.setFont(theme.font(theme.LARGE, bold=True))
        first = kit.row(name, None)
        if default:
            first.addWidget(kit.label("suggested", "pill"))
        column = QVBoxLayout(self)
        column.setContentsMargins(*(4 * [2 * GRID - 2]))
        column.setSpacing(6)
        column.addLayout(first)
        column.addWidget(kit.label(method["summary"], "muted", wrap=True))
        column.addStretch(1)
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
        painter.drawRoundedRect(box, 8, 8)
        painter.end()

    def enterEvent(self, event: QEnterEvent) -> None:
        """Show that it can be pressed."""
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Stop showing it."""
        self.update()


class MethodCards(QWidget):
    """All methods that exist for a task."""

    method_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.cards: dict[str, MethodCard] = {}
        self._shown: object = None
        self._group = QButtonGroup(self)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(GRID)

    def show_methods(self, methods: list[dict[str, Any]], task: str, default: str) -> None:
        """Show the methods that exist for a task, family by family."""
        offered = [method for method in methods if task not in method["refused"]]
        if (offered, default) == self._shown:
            return
        self._shown = (offered, default)
        kit.clear(self._column)
        self.cards = {}
        families = list(dict.fromkeys(method["family"] for method in reversed(offered)))
        # The family of the suggested method comes first.
        families.sort(
            key=lambda family: (
                not any(
                    method["name"] == default and method["family"] == family for method in offered
                )
            )
        )
        for family in families:
            self._column.addWidget(kit.label(family, "muted"))
            grid = QGridLayout()
            grid.setSpacing(GRID + GRID // 2)
            members = [method for method in offered if method["family"] == family]
            members.sort(key=lambda method: method["name"] != default)
            for position, method in enumerate(members):
                card = MethodCard(method, method["name"] == default)
                card.clicked.connect(lambda _, key=method["name"]: self.method_chosen.emit(key))
                self._group.addButton(card)
                self.cards[method["name"]] = card
                grid.addWidget(card, position // _COLUMNS, position % _COLUMNS)
            for column in range(_COLUMNS):
                grid.setColumnStretch(column, 1)
            self._column.addLayout(grid)
            self._column.addSpacing(GRID)

    def show_choice(self, key: str) -> None:
        """Mark the chosen method."""
        if key in self.cards:
            self.cards[key].setChecked(True)
