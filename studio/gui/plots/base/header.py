"""Header of a plot: title, choosers, "?", full screen and menu."""

from functools import partial

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QCloseEvent, QKeyEvent, QMouseEvent, QResizeEvent, QShortcut
from PySide6.QtWidgets import QFrame, QGridLayout, QLayout, QMenu, QPushButton, QToolButton, QWidget

from studio.gui.base import icons, theme
from studio.gui.base.command import append_shortcut
from studio.gui.base.menus import place_below
from studio.gui.base.preferences import get_appearance
from studio.gui.base.theme import GRID, SMALL
from studio.gui.base.tooltips import make_plain_tip, strip_mnemonics
from studio.gui.widgets import kit
from studio.language import tr

_EXPLANATION_WIDTH, _WIDENING, _MAX_SHARE = 400, 1.25, 0.94
"""Width of an explanation at a scale of 1, the factor of each widening while it is too high, and
its maximum width and height as a share of the screen."""


class Explanation(QFrame):
    """A popup at its button, closed by Esc, F1 or a click elsewhere.

    A text too long for the screen scrolls, also by the arrow and Page keys.
    """

    def __init__(
        self, title: str, summary: str, explanation: str, source: str, parent: QWidget
    ) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("role", "card")
        self.setAccessibleName(tr("What is this? {title}", title=title))
        texts = [(title, "section"), (summary, "")]
        texts += [(part, "muted") for part in explanation.split("\n") if part]
        texts.append((tr("After: {source}", source=source), "small"))
        labels = (kit.label(text, role, wrap=True) for text, role in texts)
        content = QWidget()
        self._lines = kit.column(*labels, parent=content, margin=2 * GRID)
        self._area = kit.scroll_area(content, reserves_bar=False)
        kit.column(self._area, parent=self)
        self.setAccessibleDescription(" ".join(text for text, _ in texts))

    def show_below(self, anchor: QWidget) -> None:
        """Show the popup under its button, within the screen."""
        size = self._fit(anchor.screen().availableGeometry().size() * _MAX_SHARE)
        self.setFixedSize(size)
        left = anchor.width() - size.width()
        place_below(anchor, self, QPoint(left, anchor.height() + GRID // 2))
        self.show()
        self.setFocus()

    def _fit(self, largest: QSize) -> QSize:
        """Return the narrowest usual size with the whole text, or the largest one."""
        width = min(theme.pixels(_EXPLANATION_WIDTH), largest.width())
        while width < largest.width() and self._compute_height(width) > largest.height():
            width = min(round(_WIDENING * width), largest.width())
        return QSize(width, min(self._compute_height(width), largest.height()))

    def _compute_height(self, width: int) -> int:
        self.ensurePolished()  # for the border of the style sheet
        border = self.contentsMargins()
        height = self._lines.heightForWidth(width - border.left() - border.right())
        return height + border.top() + border.bottom()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close on Esc and F1, scroll by the arrow and Page keys."""
        bar = self._area.verticalScrollBar()
        steps = {
            Qt.Key.Key_Up: -bar.singleStep(),
            Qt.Key.Key_Down: bar.singleStep(),
            Qt.Key.Key_PageUp: -bar.pageStep(),
            Qt.Key.Key_PageDown: bar.pageStep(),
        }
        if event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_F1, Qt.Key.Key_Return, Qt.Key.Key_Space):
            self.close()
        elif event.key() in steps:
            bar.setValue(bar.value() + steps[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)


def _get_theme_icon() -> str:
    return "sun" if theme.current().is_dark else "moon"


_LINES_PER_SCREEN = 40
"""Screen height in lines of the smallest type, which must be legible from the last row."""


_LEAVING_COMMANDS = ("view.story", "document.close")
"""Commands of the window behind whose keys also work in full screen, which they leave."""


class FullScreen(QFrame):
    """Shows a plot in full screen, still following its run; Esc restores it.

    Type and strokes scale with the screen. The window behind keeps its size. A line above the plot
    contains the run's name and copies of the window's buttons.

    Args:
        plot: A widget in a layout; its place is kept.
    """

    left = Signal()

    def __init__(self, plot: QWidget, title: str, subtitle: str = "") -> None:
        super().__init__(plot.window(), Qt.WindowType.Window)
        self.setProperty("role", "bar")  # on the plot's background
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self._plot, self._placeholder, self._window_behind = plot, QWidget(), plot.window()
        parent_widget = plot.parentWidget()
        layout = None if parent_widget is None else parent_widget.layout()
        assert layout is not None, "a plot that is shown is in a layout"
        self._layout = layout
        self._layout.replaceWidget(plot, self._placeholder)
        column = kit.column((plot, 1), parent=self)
        theme.get_notifier().changed.connect(self._on_theme_change)
        self._constrain(QLayout.SizeConstraint.SetNoConstraint)
        get_appearance().enlarge(self.screen().size().height() / (_LINES_PER_SCREEN * SMALL))
        margin = theme.pixels(2 * GRID)  # in proportion to the type
        column.setContentsMargins(margin, margin, margin, margin)
        self.about_label = kit.label(subtitle, "muted", wrap=True)  # in the larger type
        buttons = self._make_buttons()
        name = tr("Leave full screen")
        tip = append_shortcut(name, "Esc")
        self.leave_button = kit.button(
            name, self.close, kind="quiet", icon="cross", name=name, tip=tip
        )
        buttons.append(self.leave_button)
        column.insertLayout(0, kit.row((self.about_label, 1), *buttons))
        column.addStretch(0)  # below widgets with a fixed height
        self.showFullScreen()
        plot.setFocus()

    def _make_buttons(self) -> list[QPushButton]:
        """Return buttons of the window's commands, whose keys also work here."""
        ancestor: QWidget | None = self._window_behind
        actions: dict[str, QAction] = {}
        while ancestor is not None:
            actions |= {each.objectName(): each for each in ancestor.actions()}
            ancestor = ancestor.parentWidget()
        for key in _LEAVING_COMMANDS:
            if key in actions:
                leave = partial(self._leave_for, actions[key])
                for sequence in actions[key].shortcuts():
                    QShortcut(sequence, self, leave)
        buttons = []
        for key, icon in (("view.palette", "search"), ("view.theme", _get_theme_icon())):
            if key in actions:
                action = actions[key]
                self.addAction(action)
                name = strip_mnemonics(action.text())
                tip = append_shortcut(name, action.shortcut())
                button = kit.button("", action.trigger, kind="quiet", icon=icon, name=name, tip=tip)
                button.setObjectName(key)
                button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
                buttons.append(button)
        return buttons

    def _leave_for(self, action: QAction) -> None:
        """Close, then run a command of the window behind, after the key that was pressed here."""
        self.close()
        QTimer.singleShot(0, action, action.trigger)

    def _on_theme_change(self, _: object) -> None:
        button = self.findChild(QPushButton, "view.theme")
        if button is not None:
            button.setProperty("icon_name", _get_theme_icon())
        kit.redraw_icons(self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Put the plot back into its layout."""
        self._layout.replaceWidget(self._placeholder, self._plot)
        self._placeholder.deleteLater()
        self._plot.show()
        get_appearance().enlarge(1.0)
        self._constrain(QLayout.SizeConstraint.SetDefaultConstraint)
        self.left.emit()
        super().closeEvent(event)

    def _constrain(self, constraint: QLayout.SizeConstraint) -> None:
        """Set the size constraint of the window behind."""
        layout = self._window_behind.layout()
        if layout is not None:
            layout.setSizeConstraint(constraint)


HEADER_HEIGHT, _ICON_SIZE = 28, 16
"""Edge of a button, which is the header's height in one row, and of an icon, at a scale of 1."""


class Header(QWidget):
    """Title on the left; ``controls``, "?", full screen and menu on the right."""

    full_screen_requested = Signal()
    """Full screen was toggled for this plot."""

    enlarging_requested = Signal()
    """The header was double-clicked, to enlarge the plot or restore all."""

    def __init__(self, title: str, summary: str, explanation: str, source: str) -> None:
        super().__init__()
        self.setObjectName("plot-header")
        self.summary = summary
        self.tip = tr("Double-click to maximise or restore this plot")
        self._title, self._explanation_parts = title, (explanation, source)
        self.name_label = kit.ElidedLabel(title, "section")
        self.set_tooltip_text("")
        self._choosers = QWidget()
        self.controls = kit.row(parent=self._choosers)
        name = tr("What is this? {title}", title=title)
        self.help_button = _make_quiet_button("?", name, tr("What is this?"))
        self.help_button.clicked.connect(lambda _=False: self.explain())
        name = tr("Full screen: {title}", title=title)
        tip = tr("Full screen; press Esc to return")
        self.full_button = _make_quiet_button("", name, tip)
        self.full_button.clicked.connect(lambda _=False: self.full_screen_requested.emit())
        self.menu = QMenu(self)
        name = tr("Menu of the plot {title}", title=title)
        self.menu_button = _make_quiet_button("⋯", name, tr("Save this plot, or arrange it"))
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu_button.setMenu(self.menu)
        self._grid = grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(0)
        grid.setHorizontalSpacing(theme.GRID // 2)
        grid.setColumnStretch(0, 1)
        grid.addWidget(self.name_label, 0, 0)
        grid.addWidget(self._choosers, 0, 1)
        self._buttons = (self.help_button, self.full_button, self.menu_button)
        for column, button in enumerate(self._buttons):
            grid.addWidget(button, 0, 2 + column, Qt.AlignmentFlag.AlignTop)
        self._is_tight = False
        self.apply_theme()

    def apply_theme(self) -> None:
        """Apply the current sizes, which are larger in presentation mode."""
        for button in self._buttons:
            button.setFixedSize(theme.pixels(HEADER_HEIGHT), theme.pixels(HEADER_HEIGHT))
        self.full_button.setIcon(icons.make_icon("full", size=theme.pixels(_ICON_SIZE)))
        self.full_button.setIconSize(QSize(theme.pixels(_ICON_SIZE), theme.pixels(_ICON_SIZE)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shrink the choosers next to the title, or move them below if it is still elided."""
        super().resizeEvent(event)
        self._arrange_controls()

    def event(self, event: QEvent) -> bool:
        """Update the layout after a chooser appeared or disappeared."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._arrange_controls()
        return super().event(event)

    def _arrange_controls(self) -> None:
        buttons = len(self._buttons)
        gaps = (2 + buttons) * self._grid.horizontalSpacing()  # and one after the title
        title = self.name_label.fontMetrics().horizontalAdvance(self.name_label.text())
        available = self.width() - title - buttons * self.help_button.width() - gaps
        is_tight = self._choosers.minimumSizeHint().width() > available
        self._choosers.setMaximumWidth(self.width() if is_tight else max(0, available))
        if is_tight != self._is_tight:
            self._is_tight = is_tight
            if is_tight:
                left = Qt.AlignmentFlag.AlignLeft
                self._grid.addWidget(self._choosers, 1, 0, 1, 2 + buttons, left)
            else:
                self._grid.addWidget(self._choosers, 0, 1)

    def explain(self) -> Explanation:
        """Open the panel with the plot's summary and explanation."""
        panel = Explanation(self._title, self.summary, *self._explanation_parts, parent=self)
        panel.show_below(self.help_button)
        return panel

    def set_tooltip_text(self, text: str) -> None:
        """Prepend a text to the tooltip of the header."""
        self.setToolTip(make_plain_tip("\n".join(filter(None, (text, self.tip)))))

    def show_buttons(self, visible: bool) -> None:
        """Show the buttons, or hide them during export."""
        for button in self._buttons:
            button.setVisible(visible)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        event.accept()
        self.enlarging_requested.emit()


def _make_quiet_button(text: str, name: str, tip: str) -> QToolButton:
    button = QToolButton()
    button.setText(text)
    button.setAccessibleName(name)
    button.setToolTip(make_plain_tip(tip))
    button.setProperty("kind", "quiet")
    button.setCursor(Qt.CursorShape.PointingHandCursor)
    return button
