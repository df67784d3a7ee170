"""From a mean to one prediction: what each column adds, one bar after the other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from studio.figures.shapes import Box, Diagram, Path, Shape, Words, cut, letters, series

_ROW, _EDGE, _BAR = 26.0, 8.0, 14.0


@dataclass(frozen=True)
class Step:
    """One bar.

    Attributes
    ----------
    name : str
        What adds it.
    adds, error : float
        How much, and the standard error of that.
    text : str
        Both, as they are written.
    """

    name: str
    adds: float
    error: float
    text: str


def waterfall(
    base: tuple[str, float],
    steps: Sequence[Step],
    end: str,
    written: Callable[[float], str],
    title: str,
    *,
    caption: str = "",
    width: float = 520.0,
    inks: tuple[int, int] = (2, 1),
) -> Diagram:
    """Return bars that begin where the one before has ended, with whiskers of a standard error.

    Parameters
    ----------
    base : str and float
        Where the first one begins, and what that is called.
    steps : sequence of Step
        From above.
    end : str
        What the last one's end is called.
    written : callable
        Writes the number at either end.
    title, caption : str
        What it is, and what has to be known to read it.
    width : float
        In pixels.
    inks : two int
        Places in the series of what raises and what lowers it.
    """
    ends = [base[1]]
    for step in steps:
        ends.append(ends[-1] + step.adds)
    reach = [end + sign * step.error for end, step in zip(ends[1:], steps, strict=True)
             for sign in (-1, 1)]  # fmt: skip
    low, high = min(*ends, *reach), max(*ends, *reach)
    span = (high - low) or 1.0
    names = min(0.48 * width, _EDGE + letters([step.name for step in steps] + [base[0], end], 12.5))
    texts = letters([step.text for step in steps], 12) + _EDGE
    left, right = _EDGE + names, width - _EDGE - texts

    def at(value: float) -> float:
        return left + (right - left) * (value - low) / span

    shapes: list[Shape] = [*_line(base[0], written(base[1]), 0, width)]
    for place, (step, start) in enumerate(zip(steps, ends, strict=False), start=1):
        middle = _ROW * place + _ROW / 2
        begin, stop = at(start), at(start + step.adds)
        ink = series(inks[0] if step.adds >= 0 else inks[1])
        shapes += [
            Words(_EDGE, middle + 4, cut(step.name, names - _EDGE, 12.5), size=12.5),
            Path(((begin, middle - _ROW + _BAR / 2), (begin, middle)), "border"),
            Box(min(begin, stop), middle - _BAR / 2, max(abs(stop - begin), 1.0), _BAR, ink),
            Path(((stop - _w(step, right - left, span), middle),
                  (stop + _w(step, right - left, span), middle)), "text", 1.5),
            Words(width - _EDGE, middle + 4, step.text, "end", size=12),
        ]  # fmt: skip
    shapes += _line(end, written(ends[-1]), len(steps) + 1, width)
    height = _ROW * (len(steps) + 2)
    return Diagram("waterfall", title, caption, width, height, tuple(shapes))


def _w(step: Step, room: float, span: float) -> float:
    """Return half of a whisker's length."""
    return room * step.error / span


def _line(name: str, text: str, place: int, width: float) -> tuple[Words, Words]:
    y = _ROW * place + _ROW / 2 + 4
    return (
        Words(_EDGE, y, name, size=12.5, bold=True),
        Words(width - _EDGE, y, text, "end", size=12.5, bold=True),
    )
