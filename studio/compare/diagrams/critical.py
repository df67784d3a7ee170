"""Diagram: mean ranks on a line, with bars over methods that Nemenyi's test leaves together."""

import math
from collections.abc import Sequence

import numpy as np

from studio.compare.comparison import Comparison
from studio.compare.outcomes import CellOutcome
from studio.compare.statistics.ranks import groups
from studio.figures.shapes import Diagram, Dot, Path, Shape, Words, letters, series
from studio.phrases import phrase

_WIDTH, _EDGE = 720.0, 24.0
_AXIS, _STEP = 72.0, 22.0


def critical_difference(comparison: Comparison, outcomes: Sequence[CellOutcome]) -> Diagram | None:
    """Return Demšar's diagram (2006, figure 1); ``None`` where there is no critical difference."""
    del outcomes
    difference = comparison.critical_difference
    if difference is None or len(comparison.methods) < 2:
        return None
    ranks = np.array(comparison.mean_ranks)
    n_methods = len(ranks)
    room = letters([f"{name} 9.99" for name in comparison.methods]) + _EDGE
    left, right = room, _WIDTH - room

    def x(rank: float) -> float:
        return left + (right - left) * (rank - 1) / max(1, n_methods - 1)

    shapes: list[Shape] = [Path(((x(1), _AXIS), (x(n_methods), _AXIS)))]
    for rank in range(1, n_methods + 1):
        shapes.append(Path(((x(rank), _AXIS - 6), (x(rank), _AXIS))))
        shapes.append(Words(x(rank), _AXIS - 12, str(rank), "middle", "muted"))
    shapes += _ruler(
        left, min(difference * (right - left) / (n_methods - 1), right - left), difference
    )
    bars = groups(ranks, difference)
    for place, bar in enumerate(bars):
        y = _AXIS + 12 + 9 * place
        ends = ((x(ranks[bar[0]]) - 5, y), (x(ranks[bar[-1]]) + 5, y))
        shapes.append(Path(ends, "text", 4.0))
    below = _AXIS + 24 + 9 * len(bars)
    order = [int(i) for i in np.argsort(ranks, kind="stable")]
    half = math.ceil(n_methods / 2)
    for place, method in enumerate(order):
        at_left = place < half
        y = below + _STEP * (place if at_left else n_methods - 1 - place)
        end = left - 8 if at_left else right + 8
        text = f"{comparison.methods[method]} {ranks[method]:.2f}"
        at = x(float(ranks[method]))
        shapes += [
            Path(((at, _AXIS), (at, y), (end, y)), "border"),
            Dot(at, _AXIS, 4.5, series(method)),
            Words(end - 4 if at_left else end + 4, y + 4, text, "end" if at_left else "start"),
        ]
    return Diagram(
        "critical-difference",
        phrase("Critical differences"),
        phrase(
            "Mean ranks over {n_complete} data sets, better ones at the left. Methods under one "
            "bar do not differ significantly by Nemenyi's test at 5 % (their mean ranks differ "
            "by less than {difference:.2f}).",
            n_complete=len(comparison.complete),
            difference=difference,
        ),
        _WIDTH,
        below + _STEP * half + 8,
        tuple(shapes),
    )


def _ruler(left: float, length: float, difference: float) -> list[Shape]:
    """Draw how long the critical difference is, above the axis."""
    text = phrase("critical difference {difference:.2f}", difference=difference)
    return [
        Path(((left, 22), (left + length, 22)), "text", 2.0),
        Path(((left, 17), (left, 27)), "text"),
        Path(((left + length, 17), (left + length, 27)), "text"),
        Words(left + length / 2, 14, text, "middle", "muted", 11),
    ]
