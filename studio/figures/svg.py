"""A diagram as SVG: vectors and real text; a file for a paper, or a part of a page."""

from collections.abc import Callable

from studio.figures.shapes import Box, Diagram, Dot, Path, Shape, Words, letters
from studio.palette import LIGHT, LIGHT_SERIES
from studio.printable import markup

Colours = Callable[[str], str]
"""Returns what a colour's role is in the file: a value of CSS."""


def svg(diagram: Diagram) -> str:
    """Return the text of a file of its own, on white; every word of it is escaped."""
    body = "\n".join(_shape(each, on_paper) for each in diagram.shapes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {diagram.width:g} '
        f'{diagram.height:g}" width="{diagram.width:g}" height="{diagram.height:g}" '
        'font-family="Inter, Helvetica, Arial, sans-serif">\n'
        f"<title>{markup(diagram.title)}</title>\n<desc>{markup(diagram.caption)}</desc>\n"
        f'<rect width="{diagram.width:g}" height="{diagram.height:g}" fill="#ffffff"/>\n'
        f"{body}\n</svg>\n"
    )


def inline(diagram: Diagram, colours: Colours) -> str:
    """Return a picture within a page, as wide as it is let; a screen reader says its title."""
    body = "".join(_shape(each, colours) for each in diagram.shapes)
    return (
        f'<svg viewBox="0 0 {diagram.width:g} {diagram.height:g}" role="img" '
        f'aria-label="{markup(diagram.title)}" xmlns="http://www.w3.org/2000/svg">'
        f"<title>{markup(diagram.title)}</title>{body}</svg>"
    )


def on_paper(role: str) -> str:
    """Return a colour on white."""
    if role.startswith("series "):
        return LIGHT_SERIES[int(role.split()[1]) % len(LIGHT_SERIES)]
    return LIGHT[role]


def on_page(role: str) -> str:
    """Return a colour of a page's style sheet, light or dark."""
    return f"var(--{role.replace(' ', '-')})"


def _shape(shape: Shape, colours: Colours) -> str:
    colour = colours(shape.colour)
    match shape:
        case Path():
            points = " ".join(f"{x:.1f},{y:.1f}" for x, y in shape.points)
            dash = "; stroke-dasharray: 6 4" if shape.dashed else ""
            ends = "; stroke-linecap: round" if shape.round_ends else ""
            return (
                f'<polyline points="{points}" fill="none" stroke-width="{shape.width:g}" '
                f'style="stroke: {colour}{dash}{ends}"/>'
            )
        case Box():
            fill = f"fill: {colour}" if shape.filled else f"fill: none; stroke: {colour}"
            return (
                f'<rect x="{shape.x:.1f}" y="{shape.y:.1f}" width="{shape.width:.1f}" '
                f'height="{shape.height:.1f}" style="{fill}{_alpha(shape.alpha)}"/>'
            )
        case Dot():
            rim = f"; stroke: {colours('surface')}; stroke-width: 2" if shape.rim else ""
            return (
                f'<circle cx="{shape.x:.1f}" cy="{shape.y:.1f}" r="{shape.radius:g}" '
                f'style="fill: {colour}{rim}{_alpha(shape.alpha)}"/>'
            )
        case Words():
            text = shape.fitted(lambda each: letters([each], shape.size))
            weight = ' font-weight="600"' if shape.bold else ""
            return (
                f'<text x="{shape.x:.1f}" y="{shape.y:.1f}" text-anchor="{shape.anchor}" '
                f'font-size="{shape.size:g}" style="fill: {colour}"{weight}>'
                f"{markup(text)}</text>"
            )


def _alpha(alpha: float) -> str:
    return "" if alpha == 1.0 else f"; opacity: {alpha:.2g}"
