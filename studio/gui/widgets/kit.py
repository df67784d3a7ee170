"""Builders of common page elements, styled by the style sheet."""

from collections.abc import Callable, Iterable
from enum import IntEnum
from functools import cache
from typing import Any, TypeVar
from weakref import WeakSet

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QCursor, QMouseEvent, QValidator
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QBoxLayout,
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLineEdit,
    QMenu,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QSpinBox,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from studio.gui.base import icons, theme
from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import MnemonicText, escape_mnemonics, make_plain_tip, strip_mnemonics
from studio.gui.widgets.keyboard_focus import focus_nearest, get_focus_index

B = TypeVar("B", bound=QBoxLayout)

ICON = 18
"""Icon size on a button, in device-independent pixels at a scale of 1."""

NON_BREAKING_SPACE = "\u00a0"

MIN_LABEL_WIDTH = 64

_EDIT_PADDING = 4 * GRID
"""Frame, padding and margins of a field of text, in pixels."""


def label(text: str, role: str = "", *, wrap: bool = False, selectable: bool = False) -> QLabel:
    """Return a label of plain text in a role of the style sheet; mark-up is shown verbatim."""
    widget = QLabel(text)
    widget.setTextFormat(Qt.TextFormat.PlainText)
    widget.setWordWrap(wrap)
    if wrap:
        # Otherwise a wrapped label requests about half its text's width and widens its column.
        widget.setMinimumWidth(MIN_LABEL_WIDTH)
    if role:
        widget.setProperty("role", role)
    if selectable:
        # Not by keyboard, which would show a text cursor as in an editable field.
        widget.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return widget


def show_text(widget: QLabel | QAbstractButton, text: str) -> None:
    """Set the text of a label or button, which is hidden while empty."""
    widget.setText(text)
    widget.setVisible(bool(text))


def make_unbroken_heading(text: str) -> str:
    """Return a heading whose last three words stay on one line."""
    return NON_BREAKING_SPACE.join(text.rsplit(" ", 2))


def set_role(widget: QWidget, role: str, name: str = "role") -> None:
    """Change a widget's role and update its style."""
    if widget.property(name) != role:
        widget.setProperty(name, role)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


class Button(QPushButton):
    """A button that shows its text verbatim, without mnemonics.

    Only in a :class:`~studio.gui.base.tooltips.MnemonicText` does ``&`` mark a key.
    """

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self._was_pressed = False
        if text:
            self.setText(text)

    def mousePressEvent(self, e: QMouseEvent) -> None:
        self._was_pressed = True
        super().mousePressEvent(e)

    def mouseDoubleClickEvent(self, e: QMouseEvent) -> None:
        """Ignore the second press of a double click that began elsewhere, before a move."""
        if self._was_pressed:
            super().mouseDoubleClickEvent(e)

    def leaveEvent(self, event: QEvent) -> None:
        """Forget the press: a double click may begin elsewhere."""
        self._was_pressed = False
        super().leaveEvent(event)

    def setText(self, text: str) -> None:
        """Set the text without changing the accessible name."""
        super().setText(text if isinstance(text, MnemonicText) else escape_mnemonics(text))

    def text(self) -> str:
        """Return the text as displayed, without mnemonics."""
        return strip_mnemonics(super().text())

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Pass the focus on; if the button disappears, to a neighbour, not the window's start."""
        parent = self.parentWidget()
        if not self.isHidden() or parent is None:
            return super().focusNextPrevChild(forward)
        focus_nearest(parent, get_focus_index(self, parent))
        return True


def button(
    text: str,
    clicked: Callable[[], object],
    *,
    kind: str = "",
    icon: str = "",
    tip: str = "",
    name: str = "",
) -> QPushButton:
    """Return a button; ``name`` is read by screen readers if ``text`` is empty."""
    widget = Button(text)
    if kind == "primary":
        set_primary(widget, True)
    elif kind:
        widget.setProperty("kind", kind)
    if icon:
        set_icon(widget, icon)
    widget.setToolTip(make_plain_tip(tip))
    widget.setAccessibleName(name or widget.text())
    widget.clicked.connect(lambda _=False: clicked())
    widget.setCursor(Qt.CursorShape.PointingHandCursor)
    widget.setAutoDefault(True)  # Enter presses it when focused, as in a dialog
    return widget


class AccentPriority(IntEnum):
    """Priorities of primary buttons by part of the window; the highest visible one is accented."""

    BAR = 0
    SIDE = 1
    PAGE = 2
    GUIDE = 3


def set_accent_priority(widget: QWidget, priority: AccentPriority) -> None:
    """Set the priority of the primary buttons within a widget; by default that of a page."""
    widget.setProperty("accent_priority", int(priority))


def set_primary(widget: QPushButton, primary: bool) -> None:
    """Make a button the main action of its part of the window, or an ordinary one."""
    widget.setProperty("primary", primary)
    _set_accent(widget, primary)
    _get_accent_manager().watch(widget)


class _AccentManager(QObject):
    """Accents the primary buttons of one part of each window.

    Two accented buttons would both ask to be pressed.
    """

    def __init__(self) -> None:
        super().__init__()
        self._buttons: WeakSet[QPushButton] = WeakSet()

    def watch(self, button: QPushButton) -> None:
        """Follow whether a button is in view."""
        if button not in self._buttons:
            self._buttons.add(button)
            button.installEventFilter(self)
        self._update_accents(button.window())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in {QEvent.Type.Show, QEvent.Type.Hide} and isinstance(watched, QWidget):
            self._update_accents(watched.window())
        return super().eventFilter(watched, event)

    def _update_accents(self, window: QWidget) -> None:
        visible = [
            each
            for each in self._buttons
            if isValid(each) and each.isVisible() and each.window() == window
        ]
        priorities = {
            each: _get_accent_priority(each) for each in visible if each.property("primary")
        }
        for each, priority in priorities.items():
            _set_accent(each, priority == max(priorities.values()))


@cache
def _get_accent_manager() -> _AccentManager:
    """Return the accent manager of all windows."""
    return _AccentManager()


def _get_accent_priority(widget: QWidget | None) -> int:
    while widget is not None:
        priority = widget.property("accent_priority")
        if priority is not None:
            return int(priority)
        widget = widget.parentWidget()
    return AccentPriority.PAGE


def _set_accent(widget: QPushButton, accented: bool) -> None:
    set_role(widget, "primary" if accented else "", "kind")
    if widget.property("icon_name"):
        redraw_icon(widget)


def enable_unless(widget: QAbstractButton, blocking_reason: str, tip: str) -> None:
    """Enable a button unless there is a reason against it, which becomes its tooltip."""
    widget.setEnabled(not blocking_reason)
    widget.setToolTip(make_plain_tip(blocking_reason or tip))


def chip(
    text: str, clicked: Callable[[], object], *, tip: str = "", group: QButtonGroup | None = None
) -> QPushButton:
    """Return a checkable button; the first of an exclusive group is initially checked."""
    widget = button(text, clicked, kind="chip", tip=tip)
    widget.setCheckable(True)
    widget.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves no frame behind
    if group is not None:
        widget.setChecked(not group.buttons())
        group.addButton(widget)
    return widget


class LineEdit(QLineEdit):
    """A field of text as wide as there is room, or as its texts."""

    _widest_text: str | None = None

    def fit_text(self, widest_text: str = "") -> None:
        """Make it as wide as its placeholder, and as this text, at any type size."""
        self._widest_text = widest_text
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        size = super().sizeHint()
        if self._widest_text is not None:
            texts = (self.placeholderText(), self._widest_text)
            widths = map(self.fontMetrics().horizontalAdvance, texts)
            size.setWidth(max(widths) + _EDIT_PADDING)
        return size

    def minimumSizeHint(self) -> QSize:
        size = super().minimumSizeHint()
        return size if self._widest_text is None else QSize(self.sizeHint().width(), size.height())


def make_search_field(
    hint: str, changed: Callable[[str], object], *, name: str = "", tip: str = ""
) -> LineEdit:
    """Return a search field; screen readers read its name, else the placeholder."""
    field = LineEdit()
    field.setPlaceholderText(hint)
    field.setAccessibleName(name or hint)
    field.setToolTip(make_plain_tip(tip))
    field.setClearButtonEnabled(True)
    field.textChanged.connect(changed)
    return field


def attach_menu(menu_button: QPushButton, menu: QMenu) -> None:
    """Open a menu on a click, and clear the button's hover state after it closes."""
    menu_button.setMenu(menu)

    def update_hover() -> None:
        # The menu grabs the mouse, so Qt does not notify the button that the pointer has left.
        is_hovered = menu_button.rect().contains(menu_button.mapFromGlobal(QCursor.pos()))
        menu_button.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, is_hovered)
        menu_button.update()

    menu.aboutToHide.connect(update_hover)


def set_icon(widget: QPushButton, name: str) -> None:
    """Set a button's icon in the colour of its text, in any theme."""
    widget.setProperty("icon_name", name)
    redraw_icon(widget)


def redraw_icon(widget: QPushButton) -> None:
    """Draw a button's icon in the current theme's colours."""
    tokens = theme.current()
    colour = tokens.on_accent if widget.property("kind") == "primary" else tokens.text
    edge = theme.pixels(widget.property("icon_size") or ICON)
    widget.setIcon(icons.make_icon(str(widget.property("icon_name")), colour, edge))
    widget.setIconSize(QSize(edge, edge))


def redraw_icons(parent: QWidget) -> None:
    """Redraw the icons of all buttons in a window after a change of theme."""
    for widget in parent.findChildren(QPushButton):
        if widget.property("icon_name"):
            redraw_icon(widget)


def card(*items: "Item", margin: int = 2) -> tuple[QFrame, QVBoxLayout]:
    """Return a card and its column; ``margin`` in grid units."""
    frame = QFrame()
    frame.setProperty("role", "card")
    return frame, column(*items, parent=frame, margin=margin * GRID)


def make_card(*items: "Item", margin: int = 2) -> QFrame:
    """Return a card with items in a column."""
    return card(*items, margin=margin)[0]


Item = QWidget | QLayout | int | None | tuple[Any, ...]
"""A widget, a layout, a gap in pixels, a stretch (``None``), or an item with stretch and alignment.
"""

Margin = int | tuple[int, int, int, int] | None
"""Margins of a box: equal on all sides, or left, top, right and bottom; ``None``: the style's
default.
"""


PAGE = (3 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)

BAR = theme.SCROLL_BAR
"""The width of a scroll bar, also a margin of fixed content to align with scrolling content."""

SCROLLING_PAGE = (3 * GRID, 2 * GRID, 2 * GRID - BAR, 2 * GRID)
"""The margin of a page with a scrolling column at its right, less the scroll bar."""

SCROLLING_GAP = 2 * GRID - BAR
"""The gap after a scrolling column, less the scroll bar."""


def column(
    *items: Item, parent: QWidget | None = None, spacing: int | None = GRID, margin: Margin = 0
) -> QVBoxLayout:
    """Lay out items in a column, of the ``parent`` widget or within another layout."""
    return _fill_layout(QVBoxLayout(), items, parent, spacing, margin)


def row(
    *items: Item, parent: QWidget | None = None, spacing: int | None = GRID, margin: Margin = 0
) -> QHBoxLayout:
    """Lay out items in a row, as :func:`column` does."""
    return _fill_layout(QHBoxLayout(), items, parent, spacing, margin)


def _fill_layout(
    box: B, items: Iterable[Item], parent: QWidget | None, spacing: int | None, margin: Margin
) -> B:
    if parent is not None:
        parent.setLayout(box)
    if margin is not None:
        box.setContentsMargins(*([margin] * 4 if isinstance(margin, int) else margin))
    if spacing is not None:
        box.setSpacing(spacing)
    fill(box, items)
    return box


def fill(box: QBoxLayout, items: Iterable[Item]) -> None:
    """Add widgets, layouts, gaps and stretches to a box."""
    for item in items:
        if item is None:
            box.addStretch(1)
        elif isinstance(item, int):
            box.addSpacing(item)
        else:
            first, *options = item if isinstance(item, tuple) else (item,)
            (box.addWidget if isinstance(first, QWidget) else box.addLayout)(first, *options)


def clear(layout: QLayout) -> None:
    """Remove and delete all items of a layout."""
    while (item := layout.takeAt(0)) is not None:
        widget, inner = item.widget(), item.layout()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
        elif inner is not None:
            clear(inner)


_MAX_DIGITS = 18  # more than of any maximum


class _ClampingSpinBox(QSpinBox):
    """A spin box for integers in which a number above the maximum becomes the maximum.

    Qt's rejects the digit that would exceed it, so that 99999 of 300 rows silently becomes 99.
    """

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        """Also accept numbers above the maximum."""
        if self._parse(text) > self.maximum():
            return QValidator.State.Acceptable, text, position
        return super().validate(text, position)

    def valueFromText(self, text: str) -> int:
        number = self._parse(text)
        return self.maximum() if number > self.maximum() else super().valueFromText(text)

    def _parse(self, text: str) -> int:
        """Return the number of a text of digits and separators; −1 for any other."""
        number = text.removeprefix(self.prefix()).removesuffix(self.suffix())
        digits = "".join(number.replace(self.locale().groupSeparator(), "").split())
        return int(digits[:_MAX_DIGITS]) if digits.isdecimal() else -1


def make_spin_box() -> QSpinBox:
    """Return a spin box for integers, its text aligned with that of other fields.

    Qt 6.11.3 ignores the left padding if the style sheet has arrows, unlike earlier versions, so
    the field has a margin instead.
    """
    spin_box = _ClampingSpinBox()
    spin_box.lineEdit().setTextMargins(GRID, 0, 0, 0)
    return spin_box


def make_separator(*, vertical: bool = False) -> QFrame:
    """Return a separator line."""
    line = QFrame()
    line.setProperty("role", "line")
    if vertical:
        line.setFixedWidth(1)
    else:
        line.setFixedHeight(1)
    return line


def scroll_area(content: QWidget, *, reserves_bar: bool = True) -> QScrollArea:
    """Return the widget in a vertical scroll area; ``reserves_bar``: its bar always takes space."""
    area = QScrollArea()
    wrap_in_scroll(area, content)
    if reserves_bar:
        area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return area


SIDE_WIDTH, _MAX_SIDE_SHARE = 344, 0.4
"""Width of a side panel in pixels, and its maximum share of the page with larger type."""


def compute_side_width(page: QWidget) -> int:
    """Return the width of a page's side panel: it widens with the type if it fits."""
    available_width = round(_MAX_SIDE_SHARE * page.width())
    return max(SIDE_WIDTH, min(theme.pixels(SIDE_WIDTH), available_width))


def scroll_to_top(page: QWidget) -> None:
    """Scroll all areas and tables of a page to the top, for a new subject."""
    for area in page.findChildren(QAbstractScrollArea):
        for bar in (area.verticalScrollBar(), area.horizontalScrollBar()):
            bar.setValue(bar.minimum())


def scroll_into_view(widget: QWidget) -> None:
    """Scroll all areas around a widget until it is visible."""
    ancestor = widget.parentWidget()
    while ancestor is not None:
        if isinstance(ancestor, QScrollArea):
            ancestor.ensureWidgetVisible(widget)
        ancestor = ancestor.parentWidget()


def wrap_in_scroll(area: QScrollArea, inside: QWidget) -> None:
    """Set up an area to scroll a widget vertically."""
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidget(inside)


def make_tab_stack(
    name: str, pages: Iterable[tuple[str, str, QWidget]]
) -> tuple[QTabBar, QStackedWidget]:
    """Return a tab bar (``name``: for screen readers) and its stack, with a page for each tab."""
    bar, stack = QTabBar(), QStackedWidget()
    bar.setDrawBase(False)
    bar.setExpanding(False)
    bar.setAccessibleName(name)
    for title, tip, page in pages:
        bar.setTabToolTip(bar.addTab(escape_mnemonics(title)), make_plain_tip(tip))
        stack.addWidget(page)
    bar.currentChanged.connect(stack.setCurrentIndex)
    return bar, stack


class ElidedLabel(QLabel):
    """One line of text, elided if space is scarce, with the full text as tooltip."""

    def __init__(
        self,
        text: str = "",
        role: str = "",
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
        tip: str = "",
    ) -> None:
        super().__init__()
        self._full_text, self._mode, self._tip = "", mode, tip
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        if role:
            self.setProperty("role", role)
        self.setText(text)

    def setText(self, text: str, tip: str | None = None) -> None:
        self._full_text = text
        if tip is not None:
            self._tip = tip
        self._elide()

    def text(self) -> str:
        return self._full_text

    def resizeEvent(self, event: object) -> None:
        self._elide()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._elide()

    def _elide(self) -> None:
        elided = self.fontMetrics().elidedText(self._full_text, self._mode, max(0, self.width()))
        super().setText(elided)
        cut = elided != self._full_text
        lines = dict.fromkeys([self._full_text, self._tip] if cut else [self._tip])
        self.setToolTip(make_plain_tip("\n".join(lines).strip()))
