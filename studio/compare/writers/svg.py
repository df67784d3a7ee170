"""A diagram as an SVG file for a paper: vectors and real text, on white."""

from html import escape

from studio.compare.diagrams.shapes import Box, Diagram, Dot, Path, Shape, Words
from studio.palette import LIGHT_SERIES

_COLOURS = {"text": "#1b2129", "muted": "#5a6472", "grid": "#d9dde4", "good": "#00785a"}


def svg(diagram: Diagram) -> str:
    """Return the file's text; every word of it is escaped."""
    body = "\n".join(_shape(each) for each in diagram.shapes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {diagram.width:g} '
        f'{diagram.height:g}" width="{diagram.width:g}" height="{diagram.height:g}" '
        'font-family="Helvetica, Arial, sans-serif">\n'
        f"<title>{escape(diagram.title)}</title>\n<desc>{escape(diagram.caption)}</desc>\n"
        f'<rect width="{diagram.width:g}" height="{diagram.height:g}" fill="#ffffff"/>\n'
        f"{body}\n</svg>\n"
    )


def _shape(shape: Shape) -> str:
    colour = _colour(shape.colour)
    match shape:
        case Path():
            points = " ".join(f"{x:.1f},{y:.1f}" for x, y in shape.points)
            dash = ' stroke-dasharray="6 4"' if shape.dashed else ""
            return (
                f'<polyline points="{points}" fill="none" stroke="{colour}" '
                f'stroke-width="{shape.width:g}"{dash}/>'
            )
        case Box():
            fill = f'fill="{colour}"' if shape.filled else f'fill="none" stroke="{colour}"'
            return (
                f'<rect x="{shape.x:.1f}" y="{shape.y:.1f}" width="{shape.width:.1f}" '
                f'height="{shape.height:.1f}" {fill}/>'
            )
        case Dot():
            return (
                f'<circle cx="{shape.x:.1f}" cy="{shape.y:.1f}" r="{shape.radius:g}" '
                f'fill="{colour}"/>'
            )
        case Words():
            weight = ' font-weight="bold"' if shape.bold else ""
            return (
                f'<text x="{shape.x:.1f}" y="{shape.y:.1f}" text-anchor="{shape.anchor}" '
                f'font-size="{shape.size:g}" fill="{colour}"{weight}>{escape(shape.text)}</text>'
            )


def _colour(word: str) -> str:
    if word.startswith("series "):
        return LIGHT_SERIES[int(word.split()[1]) % len(LIGHT_SERIES)]
    return _COLOURS[word]
