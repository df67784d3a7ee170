"""What columns are worth: a bar from zero for each, with its interval, and words beneath."""

from collections.abc import Sequence
from dataclasses import dataclass

from studio.figures.shapes import Box, Diagram, Path, Shape, Words, series

ROW = 52.0
"""Height of a row."""

_EDGE, _BAR, _THICK = 8.0, 23.0, 9.0
_SMALL, _INSET = 11.5, 18.0


@dataclass(frozen=True)
class WorthRow:
    """One column.

    Attributes:
        name: The column.
        value: What it is worth.
        interval: Between what that probably lies.
        text: Both, as they are written.
        words: More about it, beneath the bar.
        matters: Whether it is worth more than chance explains.
        within: Whether it belongs to the row above that is no such part.
    """

    name: str
    value: float
    interval: tuple[float, float] | None
    text: str
    words: str = ""
    matters: bool = False
    within: bool = False

    @property
    def ends(self) -> tuple[float, ...]:
        """Zero, the value, and the ends of the interval if there is one."""
        return (0.0, self.value, *(self.interval or ()))


def worth_diagram(
    rows: Sequence[WorthRow], title: str, width: float = 720.0, chosen: int | None = None
) -> Diagram:
    """Return a bar for each column; those that may be worth nothing are faint.

    Args:
        rows: From above.
        title: What it is, for a screen reader.
        width: In pixels.
        chosen: The row that is marked.
    """
    ends = [end for row in rows for end in row.ends]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    left, right = _EDGE, width - _EDGE

    def at(value: float) -> float:
        return left + (right - left) * (value - low) / ((high - low) or 1.0)

    shapes: list[Shape] = []
    for place, row in enumerate(rows):
        top = ROW * place
        if place == chosen:
            shapes.append(Box(0.0, top, width, ROW, "raised"))
        middle, start = top + _BAR + _THICK / 2, min(at(0.0), at(row.value))
        extent = max(1.5, abs(at(row.value) - at(0.0)))
        name = left + _INSET * row.within
        shapes += [
            Words(
                name,
                top + 16,
                row.name,
                size=13,
                bold=row.matters,
                room=right - name,
                beside=row.text,
            ),
            Words(right, top + 16, row.text, "end", "text" if row.matters else "muted", 12),
            Box(start, top + _BAR, extent, _THICK, series(0), alpha=1.0 if row.matters else 0.35),
            Words(name, top + ROW - 7, row.words, colour="muted", size=_SMALL, room=right - name),
        ]
        if low < 0:
            zero = ((at(0.0), middle - 8), (at(0.0), middle + 8))
            shapes.append(Path(zero, "muted"))
        if row.interval is not None:
            first, last = map(at, row.interval)
            shapes.append(Path(((first, middle), (last, middle)), "text", 1.5))
            shapes += [
                Path(((end, middle - 3.5), (end, middle + 3.5)), "text", 1.5)
                for end in (first, last)
            ]
    return Diagram("worth", title, "", width, ROW * len(rows), tuple(shapes))
