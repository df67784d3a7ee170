"""The pens of marks."""

from PySide6.QtGui import QGuiApplication, QPen

from studio.figures.ink import Ink
from studio.figures.marks import Weight
from studio.gui.base import theme
from studio.gui.base.inks import colour

WIDE = 300
"""Points up to which curves are two pixels wide; wider pens are slow on long curves."""

_THICK = 1.75
"""How much wider a thick curve is than others."""


def pen(ink: Ink, weight: Weight = "line", points: int = 0, *, dashed: bool = False) -> QPen:
    """Return the pen of a curve with this many points; a hairline is one pixel wide."""
    width = 1.0 if weight == "hair" or points > WIDE else theme.stroke(2.0)
    if weight == "thick":
        width *= _THICK
    # Qt counts the width of cosmetic pens in the screen's own pixels.
    app = QGuiApplication.instance()
    ratio = app.devicePixelRatio() if isinstance(app, QGuiApplication) else 1.0
    made = QPen(colour(ink), width * ratio)
    made.setCosmetic(True)
    if dashed:
        made.setDashPattern([4, 3])
    return made
