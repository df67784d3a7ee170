"""Diagram: the spread of test errors, relative to the mean of their repetition."""

from collections.abc import Sequence

import numpy as np

from studio.arrays import Floats
from studio.compare.comparison import Comparison
from studio.compare.outcomes import CellOutcome
from studio.figures.axes import BOTTOM, HEIGHT, WIDTH, Axes
from studio.figures.shapes import Box, Diagram, Dot, Path, Shape, Words, letters, series
from studio.phrases import phrase

_WHISKER = 1.5
_HALF = 0.28
_SIZE = 11.0


def box_plots(comparison: Comparison, outcomes: Sequence[CellOutcome]) -> Diagram | None:
    """Return one box a method over all complete repetitions; ``None`` without any.

    Errors of different data sets have no common scale, so each is divided by the mean of all
    methods' errors of its repetition: 1 is the average.
    """
    del outcomes
    if not comparison.complete:
        return None
    relative = np.concatenate([_relative(matrix) for matrix in comparison.complete.values()])
    count = relative.shape[1]
    axes = Axes(
        (0.5, count + 0.5),
        (min(0.0, float(relative.min())), float(relative.max()) * 1.05),
        "",
        phrase("error relative to the average of the methods"),
    )
    shapes: list[Shape] = axes.frame(x_ticks=False)
    # Names take turns on two lines where two beside each other would not fit on one.
    turns = 1 if letters(comparison.methods, _SIZE) < axes.x(2) - axes.x(1) else 2
    for place, name in enumerate(comparison.methods):
        shapes += _box(axes, place, relative[:, place])
        foot = HEIGHT - BOTTOM + 16 + 14 * (place % turns)
        shapes.append(Words(axes.x(place + 1), foot, name, "middle", size=_SIZE))
    return Diagram(
        "box-plots",
        phrase("Spread of the errors"),
        phrase(
            "Test errors of {repetitions}, each divided by the mean of all "
            "methods in its repetition: below 1 is better than average. Boxes reach from the "
            "first to the third quartile, the line is the median, whiskers reach 1.5 times "
            "the box at most.",
            repetitions=comparison.repetitions_words,
        ),
        WIDTH,
        HEIGHT,
        tuple(shapes),
    )


def _relative(matrix: Floats) -> Floats:
    """Divide errors, shape (repetitions, methods), by their means; where all are 0 they are 1."""
    means = matrix.mean(axis=1, keepdims=True)
    found: Floats = np.where(means == 0, 1.0, matrix / np.where(means == 0, 1.0, means))
    return found


def _box(axes: Axes, place: int, values: Floats) -> list[Shape]:
    low, middle, high = (float(each) for each in np.quantile(values, (0.25, 0.5, 0.75)))
    reach = _WHISKER * (high - low)
    inside = values[(values >= low - reach) & (values <= high + reach)]
    # A quartile between two values may lie beyond all that are no outliers.
    ends = min(low, float(inside.min())), max(high, float(inside.max()))
    left, right, centre = axes.x(place + 1 - _HALF), axes.x(place + 1 + _HALF), axes.x(place + 1)
    colour = series(place)
    outside = values[(values < ends[0]) | (values > ends[1])]
    return [
        Path(((centre, axes.y(ends[0])), (centre, axes.y(low))), colour, 1.5),
        Path(((centre, axes.y(high)), (centre, axes.y(ends[1]))), colour, 1.5),
        Box(left, axes.y(high), right - left, axes.y(low) - axes.y(high), colour, filled=False),
        Path(((left, axes.y(middle)), (right, axes.y(middle))), colour, 3.0),
        *(Dot(centre, axes.y(float(value)), 2.5, colour) for value in outside),
    ]
