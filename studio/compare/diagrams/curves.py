"""Diagrams over the iterations: mean ranks, and the probability of being better (SMBEO 1, 2)."""

from collections.abc import Mapping, Sequence

from studio.arrays import Floats
from studio.compare.comparison import Comparison
from studio.compare.course import BEFORE_REFIT
from studio.compare.outcomes import CellOutcome
from studio.figures.axes import HEIGHT, WIDTH, Axes, legend, whole
from studio.figures.shapes import Diagram, Path, Shape, series
from studio.phrases import joined, phrase


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
    )
    named, height = legend(comparison.methods, HEIGHT)
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
        HEIGHT + height,
        (*_lines(axes, comparison.methods, comparison.curve), *named),
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
    )
    named, height = legend(comparison.methods, HEIGHT)
    return Diagram(
        "probability-over-iterations",
        phrase("Probability of being better"),
        phrase(
            "Poisson-binomial probability that a method is better than {first} on more than "
            "half of such data sets, by the ensembles so far; ½ means undecided.",
            first=first,
        ),
        WIDTH,
        HEIGHT + height,
        (*_lines(axes, comparison.methods, comparison.probability_curve), *named),
    )


def _lines(axes: Axes, names: Sequence[str], curves: Mapping[int, Floats]) -> list[Shape]:
    """Return the axes with a line a method, curves of shape (methods,); every second is dashed."""
    shapes: list[Shape] = axes.frame()
    for place, _ in enumerate(names):
        points = tuple((axes.x(at), axes.y(float(each[place]))) for at, each in curves.items())
        shapes.append(Path(points, series(place), 2.0, dashed=place % 2 == 1))
    return shapes
