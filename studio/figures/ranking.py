"""Figure of the top-ranked rows, or of all rows, with hits filled, and the cumulative gains."""

from collections.abc import Sequence
from dataclasses import dataclass

from studio.figures.shapes import Anchor, Diagram, Dot, Path, Shape, TextLabel

MAX_DOTS = 50
"""Maximum number of dots; with more rows each dot represents several."""

_HEIGHT, _EDGE, _GAP = 150.0, 8.0, 32.0
_CURVE_WIDTH, _SHARE = 236.0, 0.42
"""Minimum width of the curve, and its share of a narrow figure; otherwise it fills the rest."""

_DOTS_PER_LINE, _DOT_STEP = 25, 16.0
"""Dots per line, and the maximum distance between dots, in pixels."""

_FAINT_OPACITY = 0.22
_HIT_COLOUR, _CHANCE_COLOUR = "series 5", "muted"
_LEFT, _TOP, _BOTTOM = 38.0, 22.0, 34.0


@dataclass(frozen=True)
class RankingText:
    """Texts of a ranking: captions of its dots and of chance, axis titles, accessible title."""

    hits: str
    chance: str
    x_title: str
    y_title: str
    title: str


@dataclass(frozen=True)
class Ranking:
    """The ranking of a class.

    Attributes:
        n_rows, n_top: Number of all rows, and of the rows with the highest probabilities.
        gains: Shares of all rows and of the class, from (0, 0) to (1, 1); empty if unknown.
    """

    n_rows: int
    n_top: int
    hits: float
    chance: float
    gains: Sequence[tuple[float, float]]
    texts: RankingText


def make_ranking_diagram(ranking: Ranking, width: float = 720.0) -> Diagram:
    """Return the dots and the curve with the operating point; without a curve, dots only.

    ``width`` is in pixels.
    """
    top, gains, texts = ranking.n_top, ranking.gains, ranking.texts
    spare_width = width - 2 * _EDGE - _GAP - _DOT_STEP * min(top, _DOTS_PER_LINE)
    curve = max(min(_CURVE_WIDTH, _SHARE * width), min(spare_width, width / 2)) if gains else 0.0
    dots_width = width - 2 * _EDGE - (curve + _GAP if gains else 0.0)
    if not gains:
        dots_width = (dots_width - _GAP) / 2  # side by side
    shapes: list[Shape] = []
    left, bottom = _EDGE, 0.0
    for count, text, colour in (
        (ranking.hits, texts.hits, _HIT_COLOUR),
        (ranking.chance, texts.chance, _CHANCE_COLOUR),
    ):
        shapes.append(
            TextLabel(left, bottom + 14, text, colour="text", size=12.5, max_width=dots_width)
        )
        dots, next_top = _make_dots(top, count, colour, (left, bottom + 24), dots_width)
        shapes += dots
        if gains:
            bottom = next_top
        else:
            left += dots_width + _GAP
    if gains:
        positives = ranking.chance * ranking.n_rows / top
        operating_point = (top / ranking.n_rows, ranking.hits / positives if positives else 0.0)
        shapes += _make_curve(gains, operating_point, texts, width - curve, width - _EDGE)
    n_lines = 1 + (min(top, MAX_DOTS) - 1) // _DOTS_PER_LINE
    height = _HEIGHT if gains else 28 + _DOT_STEP * n_lines
    return Diagram("ranking", texts.title, "", width, height, tuple(shapes))


def _make_dots(
    top: int, count: float, colour: str, corner: tuple[float, float], width: float
) -> tuple[list[Shape], float]:
    """Return dots, the hits first, from their upper left corner, and where they end."""
    x, y = corner
    number = min(top, MAX_DOTS)
    filled = round(number * count / top)
    step = min(_DOT_STEP, width / _DOTS_PER_LINE)
    shapes: list[Shape] = [
        Dot(
            x + step * (index % _DOTS_PER_LINE + 0.5),
            y + step * (index // _DOTS_PER_LINE) + 5,
            0.38 * step,
            colour,
            alpha=1.0 if index < filled else _FAINT_OPACITY,
        )
        for index in range(number)
    ]
    return shapes, y + step * (1 + (number - 1) // _DOTS_PER_LINE) + 4


def _make_curve(
    gains: Sequence[tuple[float, float]],
    operating_point: tuple[float, float],
    words: RankingText,
    left: float,
    right: float,
) -> list[Shape]:
    """Return the curve, the diagonal of chance, and a dot at a share of rows and of the class.

    As the curve has few points, the dot becomes one of them.
    """
    first, bottom = left + _LEFT, _HEIGHT - _BOTTOM

    def to_position(x: float, y: float) -> tuple[float, float]:
        return first + (right - first) * x, bottom - (bottom - _TOP) * y

    shapes: list[Shape] = []
    for share in (0.0, 0.5, 1.0):
        shapes.append(Path((to_position(0.0, share), to_position(1.0, share)), "border"))
        end_x, end_y = to_position(share, 0.0)[0], to_position(0.0, share)[1]
        text = f"{100 * share:.0f} %"
        anchor: Anchor = "start" if share == 0 else "middle" if share < 1 else "end"
        shapes.append(TextLabel(end_x, bottom + 14, text, anchor, "muted", 11))
        shapes.append(TextLabel(first - 6, end_y + 4, text, "end", "muted", 11))
    at, y = operating_point
    curve = [each for each in gains if (each[0] < at and each[1] <= y) or each[0] == each[1] == 0]
    curve += [operating_point, *(each for each in gains if each[0] > at and each[1] >= y)]
    shapes += [
        Path((to_position(0.0, 0.0), to_position(1.0, 1.0)), "muted", dashed=True),
        Path(tuple(to_position(*each) for each in curve), _HIT_COLOUR, 2.2),
        Path((to_position(at, 0.0), to_position(at, y)), "text"),
        Dot(*to_position(at, y), 4.5, "text", has_outline=True),
        TextLabel(left, 12, words.y_title, size=12, max_width=right - left),
        TextLabel((first + right) / 2, _HEIGHT - 4, words.x_title, "middle", size=12),
    ]
    return shapes
