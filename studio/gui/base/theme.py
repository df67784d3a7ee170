"""Colours, sizes and palette: one light and one dark theme.

Drawing code calls :func:`current` and connects to ``get_notifier().changed``; colours, type sizes,
weights and radii are defined here and in the style sheet only. All pairs of text and background in
use have a contrast of at least 4.5 : 1 in both themes. ``series`` are the eight colours of Okabe
and Ito (2008), brightened where the dark background needs it, and two adjusted slightly: as
perceived with protanopia, deuteranopia or tritanopia (Machado, Oliveira and Fernandes, 2009), any
two are at least 15 apart in CIELAB.

Sizes are in device-independent pixels at a scale of 1; :func:`pixels` and :func:`font` return them
at the current :func:`scale`, which is larger in presentation mode.

The style sheet of stock widgets only uses the tokens of a theme. Widgets select a style by dynamic
properties: ``role`` on labels and frames (``title``, ``section``, ``muted``, ``card``, …) and
``kind`` on buttons (``primary``, ``quiet``, ``danger``).
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from weakref import WeakKeyDictionary, WeakSet

from PySide6.QtCore import QDir, QObject, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontMetrics, QPalette
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from studio import palette
from studio.assets import RESOURCES
from studio.garbage import pause_garbage_collection

_SHEET = """
QWidget {{ color: {text}; }}
QMainWindow, QDialog, QWidget[role="page"] {{ background: {background}; }}
QToolTip {{ background: {surface}; color: {text}; border: 1px solid {border}; padding: 6px; }}

QLabel {{ background: transparent; }}
QMessageBox QLabel#qt_msgbox_label, QMessageBox QLabel#qt_msgbox_informativelabel {{
    min-width: {question}px; }}
QLabel[role="title"] {{ font-size: {title}px; font-weight: {bold}; }}
QLabel[role="section"] {{ font-size: {large}px; font-weight: {bold}; }}
QLabel[role="muted"] {{ color: {muted}; }}
QLabel[role="small"] {{ color: {muted}; font-size: {small}px; }}
QLabel[role="hover"] {{ background: {surface}; border: 1px solid {muted};
    border-radius: {control}px; font-size: {small}px; padding: 4px 8px; }}
QLabel[role="warning"] {{ color: {warn}; font-size: {small}px; }}
QLabel[role="problem"] {{ color: {bad}; font-size: {small}px; }}
QLabel[role="pill"] {{ background: {surface}; color: {muted}; border-radius: {pill}px;
    border: 1px solid {border}; padding: 1px 8px; font-size: {small}px; }}
QLabel:disabled {{ color: {muted}; }}

QFrame[role="card"] {{ background: {surface}; border: 1px solid {border};
    border-radius: {card}px; }}
QFrame[role="palette"] {{ background: {surface}; border: 1px solid {muted};
    border-radius: {card}px; }}
QFrame[role="help"] {{ background: {surface}; border: none; border-left: 1px solid {border};
    border-top: 1px solid {border}; }}
QFrame[role="bar"] {{ background: {surface}; border: none; }}
QFrame[role="line"] {{ background: {border}; border: none; }}
QFrame[role="banner"] {{ background: {accent_soft}; border: 1px solid {border};
    border-radius: {card}px; }}
QFrame[role="decide"] {{ background: {surface}; border: 1px solid {warn};
    border-radius: {card}px; }}
QFrame[role="decide"] QLabel[role="section"] {{ color: {warn}; }}

QPushButton, QToolButton, QTabBar {{ outline: none; }}
QPushButton, QToolButton {{ background: {surface}; border: 1px solid {border};
    border-radius: {control}px; padding: 6px 12px; min-height: {line}px; }}
QToolButton {{ padding: 6px; }}
QPushButton:hover, QToolButton:hover {{ background: {raised}; border-color: {muted}; }}
QPushButton:pressed, QToolButton:pressed {{ background: {border}; }}
QPushButton:focus, QToolButton:focus {{ border: 1px solid {accent}; }}
QPushButton:disabled, QToolButton:disabled {{ color: {faint}; background: transparent; }}
QPushButton[kind="primary"] {{ background: {accent}; color: {on_accent};
    border: 1px solid {accent}; font-weight: {bold}; padding: 6px 16px; }}
QPushButton[kind="primary"]:hover {{ background: {accent_strong}; }}
QPushButton[kind="primary"]:focus {{ border: 2px solid {text}; padding: 5px 15px; }}
QPushButton[kind="primary"]:disabled {{ background: {raised}; color: {faint};
    border-color: {raised}; }}
QPushButton[kind="quiet"], QToolButton[kind="quiet"] {{ background: transparent;
    border: 1px solid transparent; }}
QPushButton[kind="quiet"]:hover, QToolButton[kind="quiet"]:hover {{ background: {raised}; }}
QPushButton[kind="quiet"]:focus, QToolButton[kind="quiet"]:focus {{ border-color: {accent}; }}
QPushButton[kind="link"] {{ background: transparent; border: none; color: {accent};
    padding: 4px 0; text-align: left; }}
QPushButton[kind="link"]:focus {{ text-decoration: underline; }}
QPushButton[kind="danger"] {{ color: {bad}; }}
QPushButton::menu-indicator, QToolButton::menu-indicator {{ image: none; width: 0; }}

QPushButton[kind="rail"] {{ background: transparent; border: none; border-radius: {card}px;
    padding: 8px 12px; text-align: left; color: {muted}; }}
QPushButton[kind="rail"]:hover {{ background: {raised}; color: {text}; }}
QPushButton[kind="rail"]:checked {{ background: {accent_soft}; color: {text};
    font-weight: {bold}; }}
QPushButton[kind="rail"]:focus {{ border: 1px solid {accent}; padding: 7px 11px; }}
QPushButton[kind="chip"] {{ background: {surface}; border: 1px solid {border};
    border-radius: {chip}px; padding: {chip_top}px {chip_side}px; color: {muted}; }}
QPushButton[kind="chip"]:hover {{ border-color: {accent}; color: {text}; }}
QPushButton[kind="chip"]:checked {{ background: {accent_soft}; border-color: {accent};
    color: {text}; }}
QPushButton[kind="chip"]:focus {{ border: 2px solid {accent};
    padding: {focused_chip_top}px {focused_chip_side}px; }}
QPushButton[kind="rail"]:disabled {{ background: transparent; color: {faint}; }}

QLineEdit, QSpinBox, QComboBox, QPlainTextEdit, QTextEdit {{
    background: {surface}; border: 1px solid {border}; border-radius: {control}px; padding: 5px 8px;
    selection-background-color: {accent}; selection-color: {on_accent}; }}
QTextBrowser[role="reader"] {{ border: none; background: transparent; padding: 0; }}
QLineEdit, QSpinBox, QComboBox {{ min-height: {line}px; }}
QAbstractSpinBox > QLineEdit {{ background: transparent; border: none; padding: 0;
    min-height: 0; }}
QSpinBox {{ padding: 3px 16px 4px 0; }}
QLineEdit > QToolButton {{ background: transparent; border: none; padding: 0; min-height: 0; }}
QLineEdit:focus, QSpinBox:focus, QComboBox:focus, QPlainTextEdit:focus {{
    border: 1px solid {accent}; }}
QLineEdit:disabled, QSpinBox:disabled, QComboBox:disabled {{
    color: {faint}; background: {background}; }}
QLineEdit[valid="false"], QSpinBox[valid="false"], QComboBox[valid="false"] {{
    border: 1px solid {bad}; }}
QFrame[role="pointed"] {{ border: 2px solid {accent}; border-radius: {control}px;
    background: transparent; }}
QComboBox {{ padding-left: 9px; padding-right: {drop_down}px; combobox-popup: 0; }}
QComboBox::drop-down {{ border: none; width: {drop_down}px; }}
QComboBox::down-arrow {{ image: url(icons:chevron-down-{key}.svg); width: {arrow}px;
    height: {arrow}px; }}
QComboBox QAbstractItemView {{ background: {surface}; border: 1px solid {border};
    outline: none; padding: 4px; selection-background-color: {accent_soft};
    selection-color: {text}; }}
QComboBox QAbstractItemView::item {{ min-height: {row}px; }}
QSpinBox::up-button {{ border: none; width: 20px;
    subcontrol-position: top right; }}
QSpinBox::down-button {{ border: none; width: 20px;
    subcontrol-position: bottom right; }}
QSpinBox::up-arrow {{ image: url(icons:chevron-up-{key}.svg);
    width: 10px; height: 10px; }}
QSpinBox::down-arrow {{ image: url(icons:chevron-down-{key}.svg);
    width: 10px; height: 10px; }}
QCheckBox, QRadioButton {{ spacing: 8px; background: transparent; }}
QCheckBox::indicator, QTableView::indicator {{
    width: {box}px; height: {box}px; border: 1px solid {muted};
    border-radius: {tick}px; background: {surface}; }}
QCheckBox::indicator:checked, QTableView::indicator:checked {{
    background: {accent}; border-color: {accent};
    image: url(icons:check-{key}.svg); }}
QCheckBox::indicator:focus {{ border: 2px solid {accent}; }}

QHeaderView {{ background: {surface}; border: none; }}
QHeaderView::section {{ background: {surface}; color: {muted}; border: none;
    border-bottom: 1px solid {border}; padding: 6px 8px; font-weight: {bold}; }}
QTreeView QHeaderView::section {{ padding: 6px 13px 6px 3px; }}
QHeaderView::up-arrow, QHeaderView::down-arrow {{ image: none; width: 0; }}
QTableView, QTreeView, QListView {{ background: {surface}; border: none; outline: none;
    gridline-color: {raised}; alternate-background-color: {background};
    selection-background-color: {accent_soft}; selection-color: {text}; }}
QTableView::item {{ padding: 0 6px; }}
QHeaderView::section:vertical {{ border: none; font-weight: {regular}; padding: 0 8px; }}
QAbstractScrollArea::corner {{ background: transparent; border: none; }}
QListWidget::item {{ padding: 2px 0; }}
QTableCornerButton::section {{ background: {surface}; border: none; }}

QScrollArea {{ background: transparent; border: none; }}
QScrollArea > QWidget > QWidget {{ background: transparent; }}
QScrollBar:vertical {{ background: transparent; width: {scroll_bar}px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: {scroll_bar}px; margin: 0; }}
QScrollBar::handle {{ background: {scroll}; border-radius: {tick}px; margin: 2px; }}
QScrollBar::handle:vertical {{ min-height: 32px; margin: 2px 0 2px 4px; }}
QScrollBar::handle:horizontal {{ min-width: 32px; }}
QScrollBar::handle:hover {{ background: {muted}; }}
QScrollBar::handle:disabled {{ background: transparent; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}

QFileDialog {{ filedialog-parent-directory-icon: url(icons:chevron-up-{key}.svg);
    backward-icon: url(icons:chevron-left-{key}.svg);
    forward-icon: url(icons:chevron-right-{key}.svg); }}
QSplitter::handle {{ background: transparent; }}
QProgressBar {{ background: {raised}; border: none; border-radius: {mark}px; max-height: 6px;
    min-height: 6px; }}
QProgressBar::chunk {{ background: {accent}; border-radius: {mark}px; }}
QSlider::groove:horizontal {{ background: {raised}; height: 4px; border-radius: {mark}px; }}
QSlider::sub-page:horizontal {{ background: {accent}; height: 4px; border-radius: {mark}px; }}
QSlider::handle:horizontal {{ background: {accent}; width: 14px; height: 14px; margin: -5px 0;
    border-radius: {handle}px; }}
QSlider::handle:horizontal:focus {{ border: 2px solid {text}; width: 10px; height: 10px; }}
QSlider::sub-page:horizontal:disabled, QSlider::handle:horizontal:disabled {{
    background: {border}; }}
QMenu {{ background: {surface}; border: 1px solid {border}; border-radius: {control}px;
    padding: 6px; }}
QMenu::item {{ padding: 6px 24px 6px 12px; border-radius: {tick}px; }}
QMenu::item:selected {{ background: {accent_soft}; }}
QMenu::item:disabled {{ color: {faint}; }}
QMenu::separator {{ height: 1px; background: {border}; margin: 6px; }}
QMenu::icon {{ padding-left: 8px; }}
QDockWidget {{ border: none; }}
QMainWindow::separator {{ background: transparent; width: 6px; height: 4px; }}
QMainWindow::separator:hover {{ background: {border}; }}
QTabBar::tab {{ background: transparent; color: {muted}; padding: 6px 12px; border: none;
    border-bottom: 2px solid transparent; }}
QTabBar QToolButton {{ padding: 0; }}
QTabBar::tab:focus {{ background: {accent_soft}; }}
QTabBar::tab:selected {{ color: {text}; border-bottom: 2px solid {accent}; }}
"""
"""The style sheet. Icons are named by Qt's search path ``icons``: the path of the program's folder
may contain special characters of style sheets.
"""


SMALL, BODY, LARGE, TITLE = 12, 13, 15, 20
"""The type scale in device-independent pixels."""

SLIDE_TITLE, SLIDE_FIGURE = 24, 96
"""Larger sizes for slides, legible from a distance."""

REGULAR, BOLD = QFont.Weight.Normal, QFont.Weight.DemiBold
"""The two font weights."""

ICONS = RESOURCES / "icons"
"""The folder of the style sheet's icons."""

TYPEFACE = "Inter"
"""The interface font; missing glyphs come from the system's fonts."""

FONTS = RESOURCES / "fonts"

MIN_WINDOW_SIZE = (880, 464)
"""A screen of 1366 x 768 at 150 % has 911 x 512 such pixels, including the title bar."""

SCROLL_BAR = 12
"""The width of a scroll bar in device-independent pixels, including its margins."""

GRID = 8
"""The unit of spacing in device-independent pixels; ½, 1, 1½, 2 or 3 of it are used, rarely 6."""

MARK, TICK, CONTROL, CARD = 2, 4, 6, 8
"""Corner radii: of bars, of ticks and handles, of buttons and fields, of cards."""

WHITE, BLACK = "#ffffff", "#000000"
"""Text colour on a background whose colour depends on data."""

_SHEET_SIZES = {
    "small": SMALL,
    "large": LARGE,
    "title": TITLE,
    "line": 18,
    "row": 26,
    "box": 16,
    "question": 320,
    "chip_top": 4,
    "chip_side": 12,
    "drop_down": 24,
    "arrow": 12,
}
"""Type sizes of the style sheet and sizes derived from them, at a scale of 1."""

_SHEET_SHAPES = {
    "mark": MARK,
    "tick": TICK,
    "control": CONTROL,
    "card": CARD,
    "scroll_bar": SCROLL_BAR,
    # Half of the heights: Qt draws square corners for larger radii.
    "handle": 7,
    "pill": 9,
    "chip": 13,
    "regular": REGULAR.value,
    "bold": BOLD.value,
}
"""Unscaled sizes of the style sheet."""


@dataclass(frozen=True)
class Theme:
    """The named colours of a theme, as ``#rrggbb``.

    Attributes:
        background, surface, raised: The window's background, that of cards and plots, and that of
            hovered or inset areas on a card.
        border, text, muted: Hairlines, text, and secondary text.
        accent, on_accent, accent_soft, accent_strong: Active or selected items, text on them, their
            pale background, and the hovered accent.
        good, warn, bad: States; always shown together with a word or a sign, never colour alone.
        faint, scroll: Text of disabled items, and the handle of a scroll bar.
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
    runs: tuple[str, ...]

    @property
    def is_dark(self) -> bool:
        """Whether the text is lighter than the background."""
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
    runs=palette.LIGHT_RUNS,
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
    runs=palette.DARK_RUNS,
)

THEMES: dict[str, Theme] = {LIGHT.key: LIGHT, DARK.key: DARK}


class ThemeNotifier(QObject):
    """Notifies of a changed theme or scale.

    Attributes:
        sheet: The style sheet; empty before a theme is applied.
        windows: The widgets that have it (:func:`style_window`).
    """

    changed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.theme = LIGHT
        self.scale = 1.0
        self.sheet = ""
        self.windows: WeakSet[QWidget] = WeakSet()


@cache
def get_notifier() -> ThemeNotifier:
    """Return the singleton; its ``changed`` signal carries the new :class:`Theme`."""
    return ThemeNotifier()


def current() -> Theme:
    """Return the current theme."""
    return get_notifier().theme


def scale() -> float:
    """Return the current scale of type and of sizes that depend on it; 1 by default."""
    return get_notifier().scale


def pixels(size: float) -> int:
    """Scale a type size or a height of text by the current scale."""
    return round(size * scale())


def stroke(width: float = 2.0) -> float:
    """Return a line width at the current scale, as projectors need thicker lines."""
    return width * scale()


def colour(text: str, alpha: float = 1.0) -> QColor:
    """Return a token such as ``current().accent`` as a QColor, ``alpha`` in [0, 1]."""
    qcolor = QColor(text)
    qcolor.setAlphaF(alpha)
    return qcolor


def font(size: int = BODY, *, bold: bool = False) -> QFont:
    """Return the interface font of a type size, at the current scale."""
    qfont = QFont(QApplication.font())
    qfont.setPixelSize(pixels(size))
    if bold:
        qfont.setWeight(BOLD)
    return qfont


def make_fitting_font(size: int, texts: Sequence[str], width: int) -> QFont:
    """Return the bold font of a size, reduced if a text would exceed a width in pixels."""
    fitting = font(size, bold=True)
    max_width = max(map(QFontMetrics(fitting).horizontalAdvance, texts), default=0)
    if max_width > width > 0:
        fitting.setPixelSize(max(1, fitting.pixelSize() * width // max_width))
    return fitting


def make_painter_font(size: float, *, bold: bool = False) -> QFont:
    """Return the interface font for a painter that is already scaled."""
    qfont = font(bold=bold)
    qfont.setPixelSize(round(size))
    return qfont


def apply(app: QApplication, theme: Theme, scale: float = 1.0) -> None:
    """Apply a theme to the application and notify the listeners.

    Fusion with a custom palette is used on every system, as only Fusion supports arbitrary colours.

    Args:
        scale: The factor of all type, 1 or more.
    """
    get_notifier().theme, get_notifier().scale = theme, scale
    if not is_applied():
        app.setStyle("Fusion")
        QDir.setSearchPaths("icons", [str(ICONS)])
        app.setFont(_make_interface_font(app))
    base = QFont(app.font())
    base.setPixelSize(pixels(BODY))
    sizes = {name: pixels(size) for name, size in _SHEET_SIZES.items()}
    # The ring of a focused chip is wider than its border.
    sizes |= {f"focused_{name}": sizes[name] - 1 for name in ("chip_top", "chip_side")}
    get_notifier().sheet = _SHEET.format_map(asdict(theme) | _SHEET_SHAPES | sizes)
    windows = [each for each in get_notifier().windows if isValid(each)]
    # Qt goes through lists of all widgets and crashes if one is deleted meanwhile, so nothing may
    # delete one in response to a changed size, font or style. Reference cycles may keep widgets
    # alive, such as the menus of pyqtgraph's axes.
    with pause_garbage_collection():
        app.setFont(base)
        # From no sheet to one, Qt updates all widgets four times as fast as from one to another
        # (measured: 150 ms instead of 600 ms for 1,300 widgets).
        for window in windows:
            window.setStyleSheet("")
        app.setPalette(_make_palette(theme))
        for window in windows:
            window.setStyleSheet(get_notifier().sheet)
    # A new sheet resets the widgets' fonts.
    for widget, (size, bold) in list(_get_fonts_by_widget().items()):
        if isValid(widget):
            widget.setFont(font(size, bold=bold))
    get_notifier().changed.emit(theme)


def is_applied() -> bool:
    """Whether a theme was applied."""
    return bool(get_notifier().sheet)


def style_window(window: QWidget) -> None:
    """Give a window the style sheet, now and with each theme, unless its parent has it.

    The sheet of the application would be simpler, but with it, Qt styles a widget again for each
    widget that it is added to: building a page took twice as long.
    """
    if window.parentWidget() is None:
        get_notifier().windows.add(window)
        window.setStyleSheet(get_notifier().sheet)


def _make_interface_font(app: QApplication) -> QFont:
    """Return the interface font, with the system's as fallback and tabular digits."""
    qfont = QFont(app.font())
    if TYPEFACE not in qfont.families():
        for each in sorted(FONTS.glob("*.ttf")):
            QFontDatabase.addApplicationFont(str(each))
        qfont.setFamilies([TYPEFACE, *qfont.families()])
        qfont.setFeature(QFont.Tag("tnum"), 1)
    return qfont


def set_font_size(widget: QWidget, size: int, *, bold: bool = False) -> None:
    """Set a widget's font by type size, independent of the theme.

    Such widgets are recorded: iterating over all widgets would wrap those that Qt is about to
    destroy, and crash.
    """
    widget.setFont(font(size, bold=bold))
    _get_fonts_by_widget()[widget] = (size, bold)


@cache
def _get_fonts_by_widget() -> WeakKeyDictionary[QWidget, tuple[int, bool]]:
    """Return the sizes and weights set by :func:`set_font_size`, by widget."""
    return WeakKeyDictionary()


def _make_palette(theme: Theme) -> QPalette:
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
