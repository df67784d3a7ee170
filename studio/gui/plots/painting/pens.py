"""The pens of marks."""

from PySide6.QtGui import QPen

from studio.figures.ink import Ink
from studio.figures.marks import Weight
from studio.gui.base.inks import colour
from studio.gui.plots.painting import canvas

_THICK = 3.5


def pen(ink: Ink, weight: Weight = "line", points: int = 0, *, dashed: bool = False) -> QPen:
    """Return the pen of a curve with this many points."""
    if weight == "hair":
        return canvas.hairline(colour(ink), dashed=dashed)
    made = canvas.line(colour(ink), points, dashed=dashed)
    if weight == "thick":
        made.setWidthF(made.widthF() * _THICK / 2.0)
    return made
