"""Figure of bands around predictions that hold half of the rows, one per way to predict."""

from collections.abc import Sequence
from dataclasses import dataclass

from studio.figures.shapes import Box, Diagram, Path, Shape, TextLabel

_EDGE, _ROW, _BAND, _FOOTER = 8.0, 34.0, 10.0, 22.0
_MIN_WIDTH = 2.0


@dataclass(frozen=True)
class ErrorBand:
    """Half of the rows lie within ``half_width`` of the prediction; ``colour`` is an ink's role."""

    name: str
    half_width: float
    text: str
    colour: str


def make_band_diagram(
    bands: Sequence[ErrorBand], title: str, note: str, width: float = 720.0
) -> Diagram:
    """Return the bands on one scale around a common middle, the prediction; not all are empty."""
    widest = max(each.half_width for each in bands)
    middle, scale = width / 2, (width / 2 - _EDGE) / widest
    bottom = _ROW * len(bands)
    shapes: list[Shape] = []
    for index, each in enumerate(bands):
        top, half = _ROW * index, max(_MIN_WIDTH / 2, each.half_width * scale)
        shapes += [
            TextLabel(_EDGE, top + 14, each.name, size=12.5, max_width=0.7 * width),
            TextLabel(width - _EDGE, top + 14, each.text, "end", size=12.5, bold=True),
            Box(middle - half, top + 20, 2 * half, _BAND, each.colour),
        ]
        line = (middle, top + 18), (middle, top + 22 + _BAND)
        shapes.append(Path(line, "text", 1.5))
    shapes.append(TextLabel(middle, bottom + 14, note, "middle", "muted", 11.5, max_width=width))
    return Diagram("bands", title, "", width, bottom + _FOOTER, tuple(shapes))
