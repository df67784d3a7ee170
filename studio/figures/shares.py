"""Shares of a whole as bars under one another."""

from collections.abc import Sequence

from studio.figures.shapes import Box, Diagram, Shape, Words, cut, letters, series

_ROW, _EDGE, _BAR = 26.0, 8.0, 14.0


def share_bars(rows: Sequence[tuple[str, float, str]], title: str, width: float) -> Diagram:
    """Return a bar for each share.

    Args:
        rows: A name, a share in [0, 1], and how it is written; the first one is set off.
        title: What it is, for a screen reader.
        width: In pixels.
    """
    names = min(0.4 * width, letters([name for name, _, _ in rows], 12.5) + 2 * _EDGE)
    texts = letters([text for _, _, text in rows], 12) + _EDGE
    left, room = _EDGE + names, width - 2 * _EDGE - names - texts
    shapes: list[Shape] = []
    for place, (name, share, text) in enumerate(rows):
        middle = _ROW * place + _ROW / 2
        first = place == 0
        shapes += [
            Words(_EDGE, middle + 4, cut(name, names - _EDGE, 12.5), size=12.5, bold=first),
            Box(left, middle - _BAR / 2, room, _BAR, "raised"),
            Box(
                left, middle - _BAR / 2, room * share, _BAR, series(5), alpha=1.0 if first else 0.55
            ),
            Words(width - _EDGE, middle + 4, text, "end", size=12, bold=first),
        ]
    return Diagram("shares", title, "", width, _ROW * len(rows), tuple(shapes))
