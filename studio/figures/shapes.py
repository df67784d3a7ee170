"""Shapes of a static diagram, without colours.

Lengths are in pixels at the diagram's nominal size; y grows downwards. A colour is the
role of an ink (:mod:`.ink`): "text", "muted", "border", "raised", "good", or "series 0", … for the
compared series; ``alpha`` is its opacity in [0, 1].
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from studio.palette import LIGHT, LIGHT_SERIES
from studio.printable import escape_markup

Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True)
class Path:
    """A line through points; ``width`` in pixels."""

    points: tuple[tuple[float, float], ...]
    colour: str = "text"
    width: float = 1.0
    dashed: bool = False
    round_ends: bool = False


@dataclass(frozen=True)
class Box:
    """A rectangle, filled or only outlined."""

    x: float
    y: float
    width: float
    height: float
    colour: str
    filled: bool = True
    alpha: float = 1.0


@dataclass(frozen=True)
class Dot:
    """A disc, with a rim in the background's colour over other shapes."""

    x: float
    y: float
    radius: float
    colour: str
    alpha: float = 1.0
    has_outline: bool = False


@dataclass(frozen=True)
class TextLabel:
    """A text; ``y`` is its baseline.

    With a ``max_width`` (pixels) it is elided in the middle to the width left by ``neighbour_text``
    on the same line; ``tail`` follows it and is never elided.
    """

    x: float
    y: float
    text: str
    anchor: Anchor = "start"
    colour: str = "text"
    size: float = 12.0
    bold: bool = False
    max_width: float | None = None
    neighbour_text: str = ""
    tail: str = ""

    def fit_text(
        self, measure: Callable[[str], float], aside: Callable[[str], float] | None = None
    ) -> str:
        """Return the displayed text; ``aside`` measures its neighbour, by default ``measure``."""
        # A single phrase remains one, so that it can be translated.
        full_text = self.text + self.tail if self.tail else self.text
        if self.max_width is None:
            return full_text
        available = self.max_width - (
            (aside or measure)(self.neighbour_text + _GAP) if self.neighbour_text else 0.0
        )
        if measure(full_text) <= available:
            return full_text
        low, high = 2, len(self.text) - 1
        while low < high:
            length = (low + high + 1) // 2
            if measure(elide_middle(self.text, length) + self.tail) <= available:
                low = length
            else:
                high = length - 1
        return elide_middle(self.text, low) + self.tail


Shape = Path | Box | Dot | TextLabel

_GAP = "  "

_MAX_LETTER_WIDTH = 0.62
"""Maximum width of a letter relative to the font size."""


@dataclass(frozen=True)
class Diagram:
    """A diagram of results.

    Attributes:
        width, height: In pixels.
        shapes: From back to front.
        remark: Notes for the reader, a sentence or more; empty for none.
    """

    key: str
    title: str
    caption: str
    width: float
    height: float
    shapes: tuple[Shape, ...]
    remark: str = ""

    def stretch(self, factor: float) -> "Diagram":
        """Return the diagram ``factor`` times as wide, with unchanged letters, dots and lines."""
        shapes = tuple(_stretch_shape(shape, factor) for shape in self.shapes)
        return replace(self, width=factor * self.width, shapes=shapes)


def _stretch_shape(shape: Shape, factor: float) -> Shape:
    match shape:
        case Path():
            return replace(shape, points=tuple((factor * x, y) for x, y in shape.points))
        case Box():
            return replace(shape, x=factor * shape.x, width=factor * shape.width)
        case Dot():
            return replace(shape, x=factor * shape.x)
        case TextLabel():
            max_width = None if shape.max_width is None else factor * shape.max_width
            return replace(shape, x=factor * shape.x, max_width=max_width)


def get_series_colour(index: int) -> str:
    """Return the colour of the method at an index."""
    return f"series {index}"


def estimate_text_width(texts: Sequence[str], size: float = 12.0) -> float:
    """Return an upper bound of the width of texts in pixels, for any font."""
    return max((len(text) for text in texts), default=0) * _MAX_LETTER_WIDTH * size


def count_letters(width: float, size: float) -> int:
    """Return the number of letters that fit into ``width`` pixels, in any font."""
    return int(width / (_MAX_LETTER_WIDTH * size))


def elide(text: str, width: float, size: float = 12.0) -> str:
    """Elide a text to ``width`` pixels, in any font."""
    max_letters = max(2, count_letters(width, size))
    return text if len(text) <= max_letters else text[: max_letters - 1].rstrip() + "…"


def elide_middle(text: str, max_letters: int) -> str:
    """Elide a text in its middle to at most ``max_letters`` letters."""
    if len(text) <= max_letters:
        return text
    first = max_letters // 2
    return text[:first].rstrip() + "…" + text[len(text) - (max_letters - 1 - first) :].lstrip()


Colours = Callable[[str], str]
"""Returns the CSS value for a colour role."""


def render_svg(diagram: Diagram) -> str:
    """Render a standalone file on white; all texts are escaped."""
    body = "\n".join(_render_shape(each, get_paper_colour) for each in diagram.shapes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {diagram.width:g} '
        f'{diagram.height:g}" width="{diagram.width:g}" height="{diagram.height:g}" '
        'font-family="Inter, Helvetica, Arial, sans-serif">\n'
        f"<title>{escape_markup(diagram.title)}</title>\n<desc>{escape_markup(diagram.caption)}</desc>\n"
        f'<rect width="{diagram.width:g}" height="{diagram.height:g}" fill="#ffffff"/>\n'
        f"{body}\n</svg>\n"
    )


def render_inline_svg(diagram: Diagram, colours: Colours) -> str:
    """Render for embedding in a page, at any width; the title is accessible to screen readers."""
    body = "".join(_render_shape(each, colours) for each in diagram.shapes)
    return (
        f'<svg viewBox="0 0 {diagram.width:g} {diagram.height:g}" role="img" '
        f'aria-label="{escape_markup(diagram.title)}" xmlns="http://www.w3.org/2000/svg">'
        f"<title>{escape_markup(diagram.title)}</title>{body}</svg>"
    )


def get_paper_colour(role: str) -> str:
    """Return a colour on white."""
    if role.startswith("series "):
        return LIGHT_SERIES[int(role.split()[1]) % len(LIGHT_SERIES)]
    return LIGHT[role]


def get_page_colour(role: str) -> str:
    """Return a colour of a page's style sheet, light or dark."""
    return f"var(--{role.replace(' ', '-')})"


def _render_shape(shape: Shape, colours: Colours) -> str:
    colour = colours(shape.colour)
    match shape:
        case Path():
            points = " ".join(f"{x:.1f},{y:.1f}" for x, y in shape.points)
            dash = "; stroke-dasharray: 6 4" if shape.dashed else ""
            cap_style = "; stroke-linecap: round" if shape.round_ends else ""
            return (
                f'<polyline points="{points}" fill="none" stroke-width="{shape.width:g}" '
                f'style="stroke: {colour}{dash}{cap_style}"/>'
            )
        case Box():
            fill = f"fill: {colour}" if shape.filled else f"fill: none; stroke: {colour}"
            return (
                f'<rect x="{shape.x:.1f}" y="{shape.y:.1f}" width="{shape.width:.1f}" '
                f'height="{shape.height:.1f}" style="{fill}{_render_alpha(shape.alpha)}"/>'
            )
        case Dot():
            rim = f"; stroke: {colours('surface')}; stroke-width: 2" if shape.has_outline else ""
            return (
                f'<circle cx="{shape.x:.1f}" cy="{shape.y:.1f}" r="{shape.radius:g}" '
                f'style="fill: {colour}{rim}{_render_alpha(shape.alpha)}"/>'
            )
        case TextLabel():
            text = shape.fit_text(lambda each: estimate_text_width([each], shape.size))
            weight = ' font-weight="600"' if shape.bold else ""
            return (
                f'<text x="{shape.x:.1f}" y="{shape.y:.1f}" text-anchor="{shape.anchor}" '
                f'font-size="{shape.size:g}" style="fill: {colour}"{weight}>'
                f"{escape_markup(text)}</text>"
            )


def _render_alpha(alpha: float) -> str:
    return "" if alpha == 1.0 else f"; opacity: {alpha:.2g}"
