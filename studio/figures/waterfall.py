"""Waterfall figure: from the mean to one prediction, with one bar for each column."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from studio.figures.shapes import (
    Box,
    Diagram,
    Path,
    Shape,
    TextLabel,
    count_letters,
    elide_middle,
    get_series_colour,
)

_EDGE, _LINE, _BAR, _ROW = 2.0, 20.0, 9.0, 36.0
_BASELINE_OFFSET = 14.0
"""Distance from the top of a line to the text's baseline."""

_MIN_VALUE_LETTERS = 18
"""Number of letters of a value for which a long name is elided."""

_LETTER_SIZE = 12.5

_RAISING_SERIES, _LOWERING_SERIES = 2, 1
"""Series indices for positive and negative contributions."""


@dataclass(frozen=True)
class WaterfallBar:
    """One bar: value, contribution and its standard error, as numbers and text."""

    name: str
    contribution: float
    standard_error: float
    text: str
    value: str = ""

    @property
    def label(self) -> str:
        """The column's label, with its value."""
        return f"{self.name} = {self.value}" if self.value else self.name


def draw_waterfall(
    base: tuple[str, float],
    steps: Sequence[WaterfallBar],
    end: str,
    format_value: Callable[[float], str],
    title: str,
    *,
    width: float,
) -> Diagram:
    """Return bars, each starting at the previous bar's end, with whiskers of one standard error.

    Args:
        format_value: Formats the number at either end.
        width: In pixels.
    """
    totals = list(accumulate((step.contribution for step in steps), initial=base[1]))
    ends = [
        total + sign * step.standard_error
        for total, step in zip(totals[1:], steps, strict=True)
        for sign in (-1, 1)
    ]
    low, high = min(totals[0], *ends), max(totals[0], *ends)
    pixels_per_unit = (width - 2 * _EDGE) / ((high - low) or 1.0)

    def to_x(value: float) -> float:
        return _EDGE + pixels_per_unit * (value - low)

    shapes: list[Shape] = [*_make_line(base[0], format_value(base[1]), 0.0, width)]
    top, previous_y = _LINE, _LINE - _BAR / 2
    for step, start, stop in zip(steps, totals, totals[1:], strict=False):
        middle = top + _LINE + _BAR / 2
        ink = get_series_colour(_RAISING_SERIES if step.contribution >= 0 else _LOWERING_SERIES)
        whisker = (
            (to_x(stop - step.standard_error), middle),
            (to_x(stop + step.standard_error), middle),
        )
        plot_width = width - 2 * _EDGE
        n_letters = count_letters(plot_width, _LETTER_SIZE) - len(f"{step.name} =   {step.text}")
        value = elide_middle(step.value, max(_MIN_VALUE_LETTERS, n_letters))
        shapes += [
            Path(((to_x(start), previous_y), (to_x(start), middle)), "border"),
            TextLabel(
                _EDGE,
                top + _BASELINE_OFFSET,
                step.name,
                size=_LETTER_SIZE,
                max_width=plot_width,
                neighbour_text=step.text,
                tail=f" = {value}" if value else "",
            ),
            TextLabel(width - _EDGE, top + _BASELINE_OFFSET, step.text, "end", size=_LETTER_SIZE),
            Box(
                to_x(min(start, stop)),
                middle - _BAR / 2,
                max(pixels_per_unit * abs(step.contribution), 1.0),
                _BAR,
                ink,
            ),
            Path(whisker, "text", 1.5),
        ]
        previous_y, top = middle, top + _ROW
    shapes += _make_line(end, format_value(totals[-1]), top, width)
    return Diagram("waterfall", title, "", width, top + _LINE, tuple(shapes))


def _make_line(name: str, text: str, top: float, width: float) -> tuple[TextLabel, TextLabel]:
    return (
        TextLabel(_EDGE, top + _BASELINE_OFFSET, name, size=_LETTER_SIZE, bold=True),
        TextLabel(width - _EDGE, top + _BASELINE_OFFSET, text, "end", size=_LETTER_SIZE, bold=True),
    )
