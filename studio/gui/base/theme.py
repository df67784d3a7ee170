"""Colours, sizes and the palette of the window: one light and one dark theme.

Everything that draws asks :func:`current` and listens to ``notifier().changed``; no other file but
the style sheet names a colour, a size of type, a weight or a radius. Every pair of text and ground
that is used has a contrast of at least 4.5 : 1 in both themes. ``series`` are the eight colours of
Okabe and Ito (2008), brightened where the dark ground needs it, and two moved a little: as people
with protanopia, deuteranopia or tritanopia see them (Machado, Oliveira and Fernandes, 2009), any
two are at least 15 apart in CIELAB.

Sizes are in device-independent pixels at a scale of 1; :func:`pixels` and :func:`font` give them
at the :func:`scale` in force, which is larger in presentation mode.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from weakref import WeakKeyDictionary

from PySide6.QtCore import QDir, QObject, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontMetrics, QPalette
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from studio import palette
from studio.assets import RESOURCES
from studio.gui.base.style import style_sheet

SMALL, BODY, LARGE, TITLE = 12, 13, 15, 20
"""The type scale in device-independent pixels."""

SLIDE_TITLE, SLIDE_FIGURE = 28, 112
"""Beside it, on the slides of a story, which are read from afar."""

REGULAR, BOLD = QFont.Weight.Normal, QFont.Weight.DemiBold
"""The two weights."""

ICONS = RESOURCES / "icons"
"""The folder of the style sheet's icons."""

TYPEFACE = "Inter"
"""The family of the window's letters; those that it lacks come from the system's."""

FONTS = RESOURCES / "fonts"
"""The folder of its weights."""

GRID = 8
"""The unit of distances in device-independent pixels; they are ½, 1, 1½, 2 or 3 of it, seldom 6."""

MARK, TICK, CONTROL, CARD = 2, 4, 6, 8
"""Radii of corners: of bars, of ticks and handles, of what is pressed or typed in, of cards."""

WHITE, BLACK = "#ffffff", "#000000"
"""Text on a ground whose colour follows from data."""

_SHEET_SIZES = {
    "small": SMALL,
    "large": LARGE,
    "title": TITLE,
    "line": 18,
    "row": 26,
    "box": 16,
}
"""What the style sheet has of the type scale, and heights that follow it, at a scale of 1."""

_SHEET_SHAPES = {
    "mark": MARK,
    "tick": TICK,
    "control": CONTROL,
    "card": CARD,
    # Half of their heights: from a larger radius Qt makes a corner.
    "handle": 7,
    "pill": 9,
    "chip": 13,
    "regular": REGULAR.value,
    "bold": BOLD.value,
}
"""What it has that stays as it is at any scale."""

_THEMED = "dressed"
"""Property of an application that has its style: once it has a sheet, it names none any more."""


@dataclass(frozen=True)
class Theme:
    """The named colours of one look, as ``#rrggbb``.

    Attributes:
        key: ``"light"`` or ``"dark"``.
        background, surface, raised: The window's ground, a card or plot on it, and a hovered or
            inset patch on a card.
        border, text, muted: Hairlines, text, and text of second rank.
        accent, on_accent, accent_soft, accent_strong: What acts or is chosen, text on it, its pale
            ground, and the hovered accent.
        good, warn, bad: States; always shown together with a word or a sign, never by colour alone.
        faint, scroll: Text of what cannot be used now, and the handle of a scroll bar.
        series: Colours of data series, to be used in this order.
    """

    key: str
    background: str
    surface: str
    raised: str
    border: str
    text: str
    muted: str
    accent: str
    on_accent: str
    accent_soft: str
    accent_strong: str
    good: str
    warn: str
    bad: str
    faint: str
    scroll: str
    series: tuple[str, ...]

    @property
    def is_dark(self) -> bool:
        """Whether text is lighter than its ground."""
        return self.key == "dark"


LIGHT = Theme(
    key="light",
    **palette.LIGHT,
    on_accent="#ffffff",
    accent_soft="#e1eef8",
    accent_strong="#095488",
    bad="#b83a00",
    faint="#a3abb6",
    scroll="#c3c9d2",
    series=palette.LIGHT_SERIES,
)

DARK = Theme(
    key="dark",
    **palette.DARK,
    on_accent="#0c1a25",
    accent_soft="#1d3446",
    accent_strong="#7cc3f0",
    bad="#f2844b",
    faint="#5d6775",
    scroll="#3f4855",
    series=palette.DARK_SERIES,
)

THEMES: dict[str, Theme] = {LIGHT.key: LIGHT, DARK.key: DARK}


class ThemeNotifier(QObject):
    """Signals to everything that draws that the theme, or the scale, has changed."""

    changed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.theme = LIGHT
        self.scale = 1.0


@cache
def notifier() -> ThemeNotifier:
    """Return the one notifier; its ``changed`` signal carries the new :class:`Theme`."""
    return ThemeNotifier()


def current() -> Theme:
    """Return the theme in force."""
    return notifier().theme


def scale() -> float:
    """Return the factor of all type and of what is sized by it; 1 unless larger type is wanted."""
    return notifier().scale


def pixels(size: float) -> int:
    """Return a size of the type scale (or a height that holds text) at the scale in force."""
    return round(size * scale())


def stroke(width: float = 2.0) -> float:
    """Return the width of a curve at the scale in force: a projector needs it thicker."""
    return width * scale()


def colour(text: str, alpha: float = 1.0) -> QColor:
    """Return a token such as ``current().accent`` as a QColor, ``alpha`` in [0, 1]."""
    made = QColor(text)
    made.setAlphaF(alpha)
    return made


def font(size: int = BODY, *, bold: bool = False) -> QFont:
    """Return the interface font at a size of the type scale, at the scale in force."""
    made = QFont(QApplication.font())
    made.setPixelSize(pixels(size))
    if bold:
        made.setWeight(BOLD)
    return made


def fitting_font(size: int, texts: Sequence[str], width: int) -> QFont:
    """Return the bold font of a size, smaller where a text would be wider than this: pixels."""
    made = font(size, bold=True)
    wide = max(map(QFontMetrics(made).horizontalAdvance, texts), default=0)
    if wide > width > 0:
        made.setPixelSize(max(1, made.pixelSize() * width // wide))
    return made


def drawn_font(size: float, *, bold: bool = False) -> QFont:
    """Return the interface font for a painter that is scaled already."""
    made = font(bold=bold)
    made.setPixelSize(round(size))
    return made


def apply(app: QApplication, theme: Theme, scale: float = 1.0) -> None:
    """Give the application this look and notify the listeners.

    Fusion with a palette of our own is used on every system, since only it takes any colour.

    Args:
        app: The application.
        theme: The colours.
        scale: The factor of all type, 1 or more.
    """
    notifier().theme, notifier().scale = theme, scale
    if not app.property(_THEMED):
        app.setStyle("Fusion")
        QDir.setSearchPaths("icons", [str(ICONS)])
        app.setFont(_interface_font(app))
        app.setProperty(_THEMED, True)
    base = QFont(app.font())
    base.setPixelSize(pixels(BODY))
    app.setFont(base)
    # From no sheet to one Qt goes through all widgets four times as fast as from one to another
    # (measured: 150 ms instead of 600 ms for 1,300 widgets).
    app.setStyleSheet("")
    app.setPalette(_palette(theme))
    sizes = {name: pixels(size) for name, size in _SHEET_SIZES.items()}
    app.setStyleSheet(style_sheet(asdict(theme) | _SHEET_SHAPES | sizes))
    # Another sheet gives widgets back the fonts that they began with.
    for widget, (size, bold) in list(_own_fonts().items()):
        if isValid(widget):
            widget.setFont(font(size, bold=bold))
    notifier().changed.emit(theme)


def _interface_font(app: QApplication) -> QFont:
    """Return the interface font, the system's behind it; all digits are equally wide.

    So numbers stand in columns, and do not jump as they change.
    """
    made = QFont(app.font())
    if TYPEFACE not in made.families():
        for each in sorted(FONTS.glob("*.ttf")):
            QFontDatabase.addApplicationFont(str(each))
        made.setFamilies([TYPEFACE, *made.families()])
        made.setFeature(QFont.Tag("tnum"), 1)
    return made


def give_font(widget: QWidget, size: int, *, bold: bool = False) -> None:
    """Give a widget a font of its own at a size of the type scale, whatever the look becomes.

    Asking the application for all its widgets instead was tried: it wraps widgets that Qt is about
    to destroy, and that crashed.
    """
    widget.setFont(font(size, bold=bold))
    _own_fonts()[widget] = (size, bold)


@cache
def _own_fonts() -> WeakKeyDictionary[QWidget, tuple[int, bool]]:
    """Return the widgets that do not follow the sheet, with size and weight of their fonts."""
    return WeakKeyDictionary()


def _palette(theme: Theme) -> QPalette:
    palette = QPalette()
    role = QPalette.ColorRole
    for where, token in (
        (role.Window, theme.background),
        (role.WindowText, theme.text),
        (role.Base, theme.surface),
        (role.AlternateBase, theme.background),
        (role.Text, theme.text),
        (role.Button, theme.surface),
        (role.ButtonText, theme.text),
        (role.BrightText, theme.bad),
        (role.ToolTipBase, theme.surface),
        (role.ToolTipText, theme.text),
        (role.PlaceholderText, theme.muted),
        (role.Highlight, theme.accent),
        (role.HighlightedText, theme.on_accent),
        (role.Accent, theme.accent),
        (role.Link, theme.accent),
        (role.LinkVisited, theme.accent),
        (role.Light, theme.surface),
        (role.Midlight, theme.raised),
        (role.Mid, theme.border),
        (role.Dark, theme.border),
        (role.Shadow, theme.border),
    ):
        palette.setColor(where, QColor(token))
    for where in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, where, colour(theme.muted, 0.6))
    return palette
