"""Diagrams over the iterations: mean ranks, and the probability of being better (SMBEO 1, 2)."""

from collections.abc import Mapping, Sequence

from studio.arrays import Floats
from studio.compare.comparison import Comparison
from studio.compare.course import BEFORE_REFIT
from studio.compare.outcomes import CellOutcome
from studio.figures.axes import HEIGHT, LEADER, WIDTH, Axes, end_names, whole
from studio.figures.shapes import Diagram, Path, Shape, letters, series
from studio.phrases import joined, phrase

_BESIDE = 8.0
"""Around the names at the right, in pixels."""


def rank_over_iterations(comparison: Comparison, outcomes: Sequence[CellOutcome]) -> Diagram | None:
    """Return mean ranks by the test error of the ensemble so far; ``None`` without any."""
    del outcomes
    if len(comparison.curve) < 2:
        return None
    axes = Axes(
        (1, max(comparison.curve)),
        (1, len(comparison.methods)),
        phrase("iteration (trials)"),
        phrase("mean rank (1 is best)"),
        down=True,
        x_text=whole,
        right=_room(comparison.methods),
    )
    return Diagram(
        "rank-over-iterations",
        phrase("Mean rank over the iterations"),
        joined(
            (
                phrase(
                    "Mean rank over all repetitions by the test error of the ensemble so far; the "
                    "best is at the top."
                ),
                BEFORE_REFIT,
            )
        ),
        WIDTH,
        HEIGHT,
        _lines(axes, comparison.methods, comparison.curve),
    )


def probability_over_iterations(
    comparison: Comparison, outcomes: Sequence[CellOutcome]
) -> Diagram | None:
    """Return the probability of being better than the first method; ``None`` without any."""
    del outcomes
    if len(comparison.probability_curve) < 2:
        return None
    first = comparison.methods[0]
    axes = Axes(
        (1, max(comparison.probability_curve)),
        (0, 1),
        phrase("iteration (trials)"),
        phrase("probability of being better than {first}", first=first),
        x_text=whole,
        right=_room(comparison.methods),
    )
    return Diagram(
        "probability-over-iterations",
        phrase("Probability of being better"),
        phrase(
            "Poisson-binomial probability that a method is better than {first} on more than "
            "half of such data sets, by the ensembles so far; ½ means undecided.",
            first=first,
        ),
        WIDTH,
        HEIGHT,
        _lines(axes, comparison.methods, comparison.probability_curve),
    )


def _room(names: Sequence[str]) -> float:
    """Return the width of names at the right, beside the ends of their lines."""
    return LEADER + letters(names) + _BESIDE


def _lines(axes: Axes, names: Sequence[str], curves: Mapping[int, Floats]) -> tuple[Shape, ...]:
    """Return the axes with a line a method, named at its end; every second is dashed.

    Args:
        axes, names: Of the diagram, and of its methods.
        curves: Iteration → the methods' values, shape (methods,).
    """
    shapes: list[Shape] = axes.frame()
    ends = []
    for place, _ in enumerate(names):
        points = tuple((axes.x(at), axes.y(float(each[place]))) for at, each in curves.items())
        shapes.append(Path(points, series(place), 2.0, dashed=place % 2 == 1))
        ends.append(points[-1])
    low, high = sorted(map(axes.y, axes.y_range))
    return (*shapes, *end_names(names, ends, low, high))
