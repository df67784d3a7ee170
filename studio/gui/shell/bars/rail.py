"""The rail of pages at the left."""

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QFontMetrics, QShowEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QPushButton

from studio.gui.base import theme
from studio.gui.base.theme import GRID
from studio.gui.widgets import kit
from studio.language import tr

WIDTH, NARROW = 144, 56
_ICON, _ROW = 20, 40
_SIGN = "  ●"


class Rail(QFrame):
    """One button a page, with its icon and name; collapsed, with its icon alone.

    Args:
        pages: Key (also the icon's name), title and one line, in English.
        keys: The shortcut of each page as it is written, for the tooltips.
    """

    page_chosen = Signal(str)

    def __init__(self, pages: tuple[tuple[str, str, str], ...], keys: dict[str, str]) -> None:
        super().__init__()
        self.setProperty("role", "bar")
        self._titles = {key: tr(title) for key, title, _ in pages}
        self._buttons: dict[str, QPushButton] = {}
        self._collapsed = self._live = False
        group = QButtonGroup(self)
        column = kit.column(on=self, spacing=GRID // 2, margin=GRID)
        for key, _, tip in pages:
            made = kit.button(
                "",
                partial(self.page_chosen.emit, key),
                kind="rail",
                name=self._titles[key],
                tip=f"{tr(tip)} ({keys[key]})" if keys.get(key) else tr(tip),
            )
            made.setProperty("icon_size", _ICON)
            made.setProperty("icon_name", key)  # drawn where the buttons are fitted
            made.setCheckable(True)
            group.addButton(made)
            column.addWidget(made)
            self._buttons[key] = made
        column.addStretch(1)
        theme.notifier().changed.connect(self._fit)
        self._fit()

    def button(self, key: str) -> QPushButton:
        """Return the button of a page."""
        return self._buttons[key]

    def show_page(self, key: str) -> None:
        """Mark the page that is shown; none for an unknown key."""
        for name, made in self._buttons.items():
            made.setChecked(name == key)

    def set_live(self, live: bool) -> None:
        """Mark that something is running."""
        self._live = live
        self._name("live")

    def set_enabled(self, enabled: bool) -> None:
        """Allow pages to be chosen (not while no document is open)."""
        for made in self._buttons.values():
            made.setEnabled(enabled)

    def collapse(self, collapsed: bool) -> None:
        """Show icons alone, or icons with names."""
        if collapsed != self._collapsed:
            self._collapsed = collapsed
            self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        """Fit again: the style has set heights of its own when it was first put on."""
        super().showEvent(event)
        self._fit()

    def _fit(self) -> None:
        widest = 0
        for key, made in self._buttons.items():
            # As wide as it can become: with the sign of a run, and bold while its page is shown.
            made.setText(f"  {self._titles[key]}{_SIGN if key == 'live' else ''}")
            widest = max(widest, made.sizeHint().width() + _bolder(made.text()))
            self._name(key)
            kit.redraw_icon(made)
            made.setMinimumHeight(theme.pixels(_ROW))
        full = max(theme.pixels(WIDTH), widest + 2 * GRID)
        self.setFixedWidth(theme.pixels(NARROW) if self._collapsed else full)

    def _name(self, key: str) -> None:
        made = self._buttons.get(key)
        if made is None:
            return
        sign = _SIGN if key == "live" and self._live else ""
        made.setText(sign.strip() if self._collapsed else f"  {self._titles[key]}{sign}")
        live = tr("{page}, a run is in progress", page=self._titles[key])
        made.setAccessibleName(live if sign else self._titles[key])


def _bolder(text: str) -> int:
    """Return by how many pixels a text becomes wider in bold."""
    plain, bold = (QFontMetrics(theme.font(theme.BODY, bold=each)) for each in (False, True))
    return max(0, bold.horizontalAdvance(text) - plain.horizontalAdvance(text))
