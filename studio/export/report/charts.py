"""Charts as SVG text, for a page that may be light or dark; colours come from its style sheet.

Every text goes through :func:`html.escape`; numbers are formatted here. The classes are those of
:mod:`studio.export.report.style`.
"""

import math
from collections.abc import Sequence
from html import escape

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.export.report.numbers import figure, ticks

WIDTH = 720
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 16, 12, 40


def svg(height: float, title: str, body: str) -> str:
    """Return a picture; ``title`` is what a screen reader says."""
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" '
        f'aria-label="{escape(title, quote=True)}" xmlns="http://www.w3.org/2000/svg">'
        f"<title>{escape(title)}</title>{body}</svg>"
    )


def intervals(
    rows: Sequence[tuple[str, float, tuple[float, float] | None, str]], unit: str, caption: str
) -> str:
    """Return a dot with a whisker for each (name, value, interval, class); left is better."""
    values = [value for _, value, _, _ in rows]
    values += [end for _, _, ends, _ in rows if ends for end in ends]
    low, high = _padded(min(values), max(values), floor=min(values) >= 0)
    height = 56 * len(rows) + 44
    left, right = 16, WIDTH - 16

    def at(value: float) -> float:
        return left + (right - left) * (value - low) / (high - low)

    parts = []
    for place, (name, value, ends, series) in enumerate(rows):
        y = 56 * place + 20
        shown = figure(value, unit)
        if ends:
            shown += f" ({figure(ends[0], unit)} to {figure(ends[1], unit)})"
        parts.append(f'<text class="label" x="{left}" y="{y}">{escape(name)}</text>')
        parts.append(f'<text class="strong" x="{right}" y="{y}" text-anchor="end">{shown}</text>')
        parts.append(f'<path class="track" d="M{left} {y + 18}H{right}"/>')
        if ends:
            parts.append(
                f'<path class="whisker {series}" '
                f'd="M{at(ends[0]):.1f} {y + 18}H{at(ends[1]):.1f}"/>'
            )
        parts.append(f'<circle class="dot {series}" cx="{at(value):.1f}" cy="{y + 18}" r="7"/>')
    foot = 56 * len(rows) + 8
    parts.append(f'<path class="axis" d="M{left} {foot}H{right}"/>')
    for tick in ticks(low, high):
        parts.append(
            f'<text class="tick" x="{at(tick):.1f}" y="{foot + 18}" text-anchor="middle">'
            f"{figure(tick, unit)}</text>"
        )
    return svg(height, caption, "".join(parts))


def course(
    numbers: Sequence[int],
    lines: Sequence[tuple[str, Sequence[float | None], str]],
    dots: Sequence[tuple[int, float]],
    unit: str,
    caption: str,
) -> str:
    """Return losses by iteration.

    Parameters
    ----------
    numbers : sequence of int
        Iterations.
    lines : sequence of (name, losses, class)
        A step each; None where there is none.
    dots : sequence of (iteration, loss)
        The single trials.
    """
    known = [value for _, values, _ in lines for value in values if value is not None]
    low, high = min(known), max(known)
    if dots:
        shown = sorted(loss for _, loss in dots)
        high = max(high, shown[int(0.75 * (len(shown) - 1))])  # the worst would flatten the rest
    low, high = _padded(low, high, floor=low >= 0)
    height, bottom = 320, 320 - _BOTTOM
    last = max(numbers)

    def x(number: float) -> float:
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * (number - 1) / max(1, last - 1)

    def y(value: float) -> float:
        return bottom - (bottom - _TOP) * (value - low) / (high - low)

    parts = _frame(low, high, unit, y, bottom)
    for tick in ticks(1, last):
        if tick == int(tick) and 1 <= tick <= last:
            parts.append(
                f'<text class="tick" x="{x(tick):.1f}" y="{bottom + 18}" text-anchor="middle">'
                f"{int(tick)}</text>"
            )
    parts.append(
        f'<text class="tick" x="{(_LEFT + WIDTH - _RIGHT) / 2}" y="{bottom + 34}" '
        'text-anchor="middle">models tried</text>'
    )
    parts += [
        f'<circle class="trial" cx="{x(number):.1f}" cy="{y(loss):.1f}" r="2.5"/>'
        for number, loss in dots
        if low <= loss <= high
    ]
    for _, values, name in lines:
        points = [
            (x(number), y(value))
            for number, value in zip(numbers, values, strict=True)
            if value is not None
        ]
        if points:
            path = f"M{points[0][0]:.1f} {points[0][1]:.1f}" + "".join(
                f"H{across:.1f}V{up:.1f}" for across, up in points[1:]
            )
            parts.append(f'<path class="line {name}" d="{path}"/>')
    return svg(height, caption, "".join(parts)) + _legend([(n, c) for n, _, c in lines])


def bars(
    rows: Sequence[tuple[str, float]], caption: str, words: Sequence[str], zero: bool = True
) -> str:
    """Return horizontal bars from zero, to either side; ``words`` stand at their right."""
    values = [value for _, value in rows if math.isfinite(value)]
    low, high = min([0.0, *values]), max([0.0, *values])
    if high == low:
        high = low + 1.0
    left, right = 220, WIDTH - 110
    height = 26 * len(rows) + 8

    def x(value: float) -> float:
        return left + (right - left) * (value - low) / (high - low)

    parts = []
    for place, ((name, value), said) in enumerate(zip(rows, words, strict=True)):
        y = 26 * place + 4
        parts.append(
            f'<text class="label" x="{left - 12}" y="{y + 14}" text-anchor="end">'
            f"{escape(_cut(name, 32))}</text>"
        )
        if math.isfinite(value):
            start, end = sorted((x(0.0), x(value)))
            kind = "fill s1" if value >= 0 else "fill s6"
            parts.append(
                f'<rect class="{kind}" x="{start:.1f}" y="{y + 2}" '
                f'width="{max(1.5, end - start):.1f}" height="16" rx="3"/>'
            )
        parts.append(
            f'<text class="strong" x="{WIDTH - 4}" y="{y + 14}" text-anchor="end">{escape(said)}'
            "</text>"
        )
    if zero:
        parts.append(f'<path class="axis" d="M{x(0.0):.1f} 0V{height}"/>')
    return svg(height, caption, "".join(parts))


def confusion(truth: Integers, predicted: Integers, classes: Sequence[str], caption: str) -> str:
    """Return the confusion matrix: rows are true classes, shades the share of a row."""
    size = len(classes)
    counts = np.zeros((size, size), dtype=np.int64)
    np.add.at(counts, (truth, predicted), 1)
    cell = min(84.0, (WIDTH - 240) / size)
    left, top = 200.0, 44.0
    height = top + cell * size + 12
    parts = [
        f'<text class="tick" x="{left + cell * size / 2:.1f}" y="14" text-anchor="middle">'
        "predicted</text>"
    ]
    for place, name in enumerate(classes):
        across, down = left + cell * (place + 0.5), top + cell * (place + 0.5)
        most = max(3, int(cell / 8.5))
        parts.append(
            f'<text class="label" x="{across:.1f}" y="36" text-anchor="middle">'
            f"{escape(_cut(name, most))}</text>"
        )
        parts.append(
            f'<text class="label" x="{left - 10:.1f}" y="{down + 4:.1f}" text-anchor="end">'
            f"{escape(_cut(name, 24))}</text>"
        )
    for row in range(size):
        total = max(1, int(counts[row].sum()))
        for column in range(size):
            share = counts[row, column] / total
            kind = "s1" if row == column else "s6"
            x, y = left + cell * column, top + cell * row
            parts.append(
                f'<rect class="cell" x="{x:.1f}" y="{y:.1f}" width="{cell - 2:.1f}" '
                f'height="{cell - 2:.1f}" rx="3"/>'
                f'<rect class="fill {kind}" x="{x:.1f}" y="{y:.1f}" width="{cell - 2:.1f}" '
                f'height="{cell - 2:.1f}" rx="3" opacity="{0.06 + 0.6 * share:.2f}"/>'
                f'<text class="strong" x="{x + cell / 2 - 1:.1f}" y="{y + cell / 2 + 4:.1f}" '
                f'text-anchor="middle">{counts[row, column]:,}</text>'
            )
    return svg(height, caption, "".join(parts))


def scatter(truth: Floats, predicted: AnyArray, caption: str, most: int = 600) -> str:
    """Return predicted against true values with the line where they are equal."""
    step = max(1, math.ceil(truth.size / most))
    shown, found = truth[::step], predicted[::step]
    low, high = _padded(
        float(min(shown.min(), found.min())), float(max(shown.max(), found.max())), floor=False
    )
    height, bottom = 360, 360 - _BOTTOM

    def x(value: float) -> float:
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * (value - low) / (high - low)

    def y(value: float) -> float:
        return bottom - (bottom - _TOP) * (value - low) / (high - low)

    parts = _frame(low, high, "", y, bottom)
    for tick in ticks(low, high):
        parts.append(
            f'<text class="tick" x="{x(tick):.1f}" y="{bottom + 18}" text-anchor="middle">'
            f"{figure(tick, '')}</text>"
        )
    parts.append(
        f'<text class="tick" x="{WIDTH / 2}" y="{bottom + 34}" text-anchor="middle">true value'
        "</text>"
        f'<path class="even" d="M{x(low):.1f} {y(low):.1f}L{x(high):.1f} {y(high):.1f}"/>'
    )
    parts += [
        f'<circle class="point s1" cx="{x(a):.1f}" cy="{y(b):.1f}" r="3"/>'
        for a, b in zip(shown.tolist(), found.tolist(), strict=True)
    ]
    return svg(height, caption, "".join(parts))


def _frame(low: float, high: float, unit: str, y: object, bottom: float) -> list[str]:
    assert callable(y)
    parts = []
    for tick in ticks(low, high):
        parts.append(f'<path class="grid" d="M{_LEFT} {y(tick):.1f}H{WIDTH - _RIGHT}"/>')
        parts.append(
            f'<text class="tick" x="{_LEFT - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">'
            f"{figure(tick, unit)}</text>"
        )
    parts.append(f'<path class="axis" d="M{_LEFT} {bottom}H{WIDTH - _RIGHT}"/>')
    return parts


def _legend(entries: Sequence[tuple[str, str]]) -> str:
    shown = "".join(
        f'<li><svg viewBox="0 0 28 10" aria-hidden="true"><path class="line {kind}" '
        f'd="M1 5H27"/></svg>{escape(name)}</li>'
        for name, kind in entries
    )
    return f'<ul class="legend">{shown}</ul>'


def _padded(low: float, high: float, *, floor: bool) -> tuple[float, float]:
    margin = 0.12 * (high - low) or 0.1 * abs(high) or 0.01
    return (max(0.0, low - margin) if floor else low - margin), high + margin


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
