"""Colours, sizes and the palette of the window: one light and one dark theme.

Everything that draws asks :func:`current` and listens to ``notifier().changed``; no other file
names a colour. Contrast of ``text`` and ``muted`` on ``background`` and ``surface`` is at least
4.5 : 1 in both themes; ``series`` are the eight colours of Okabe and Ito (2008), which people
with any colour vision can tell apart, brightened where the dark ground needs it.
"""

from dataclasses import dataclass
from functools import cache

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QApplication

from studio.gui.style import style_sheet

SMALL, BODY, LARGE, TITLE, DISPLAY = 12, 13, 15, 20, 28
"""The type scale in device-independent pixels."""

GRID = 8
"""The unit of every distance, in device-independent pixels."""


@dataclass(frozen=True)
class Theme:
    """The named colours of one look, as ``#rrggbb``.

    Attributes
    ----------
    key : str
        ``"light"`` or ``"dark"``.
    background, surface, raised : str
        The window's ground, a card or plot on it, and a hovered or inset patch on a card.
    border, text, muted : str
        Hairlines, text, and text of second rank.
    accent, on_accent, accent_soft : str
        What acts or is chosen, text on it, and its pale ground.
    good, warn, bad : str
        States; always shown together with a word or a sign, never by colour alone.
    series : tuple of str
        Colours of data series, to be used in this order.
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
    good: str
    warn: str
    bad: str
    series: tuple[str, ...]

    @property
    def is_dark(self) -> bool:
        """Whether text is lighter than its ground."""
        return self.key == "dark"


LIGHT = Theme(
    key="light",
    background="#f4f5f7",
    surface="#ffffff",
    raised="#eceef2",
    border="#d9dde4",
    text="#1b2129",
    muted="#5a6472",
    accent="#0b66a8",
    on_accent="#ffffff",
    accent_soft="#e1eef8",
    good="#00785a",
    warn="#9a5b00",
    bad="#b83a00",
    series=(
        "#0072b2",
        "#e69f00",
        "#009e73",
        "#cc79a7",
        "#56b4e9",
        "#d55e00",
        "#8a8d00",
        "#3d4450",
    ),
)

DARK = Theme(
    key="dark",
    background="#14171c",
    surface="#1c2027",
    raised="#282d36",
    border="#343b46",
    text="#e8ebf0",
    muted="#9aa5b4",
    accent="#58b1ea",
    on_accent="#0c1a25",
    accent_soft="#1d3446",
    good="#3cc39b",
    warn="#f0b33f",
    bad="#f2844b",
    series=(
        "#4aa8e0",
        "#f0ab1f",
        "#2fbf95",
        "#db93bb",
        "#8fd0f7",
        "#ee7d33",
        "#f0e442",
        "#b8c0cc",
    ),
)

THEMES: dict[str, Theme] = {LIGHT.key: LIGHT, DARK.key: DARK}


class Notifier(QObject):
    """Tells everything that draws that the theme is another one."""

    changed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.theme = LIGHT


@cache
def notifier() -> Notifier:
    """Return the one notifier; its ``changed`` signal carries the new :class:`Theme`."""
    return Notifier()


def current() -> Theme:
    """Return the theme in force."""
    return notifier().theme


def colour(text: str, alpha: float = 1.0) -> QColor:
    """Return a token such as ``current().accent`` as a QColor, ``alpha`` in [0, 1]."""
    made = QColor(text)
    made.setAlphaF(alpha)
    return made


def font(pixels: int = BODY, *, bold: bool = False) -> QFont:
    """Return the interface font at a size of the type scale."""
    made = QFont(QApplication.font())
    made.setPixelSize(pixels)
    if bold:
        made.setWeight(QFont.Weight.DemiBold)
    return made


def apply(app: QApplication, theme: Theme) -> None:
    """Give the application this look and tell the notifier's listeners.

    Fusion with a palette of our own is used on every system, since only it takes any colour.
    """
    notifier().theme = theme
    if app.style().objectName().lower() != "fusion":
        app.setStyle("Fusion")
    base = QFont(app.font())
    base.setPixelSize(BODY)
    app.setFont(base)
    app.setPalette(_palette(theme))
    app.setStyleSheet(style_sheet(theme))
    notifier().changed.emit(theme)


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
