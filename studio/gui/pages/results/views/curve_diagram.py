"""The picture of a learning curve: errors by the number of rows, and the fitted power law."""

from collections.abc import Callable

from studio.analysis.answers.learning_curve import LearningCurve
from studio.figures.axes import WIDTH, Axes
from studio.figures.colours import ENSEMBLE
from studio.figures.shapes import Diagram, Dot, Path, Shape, series
from studio.language import grouped, tr

_ROOM, _HEIGHT = 0.06, 270.0


def curve_diagram(curve: LearningCurve, metric: str, write: Callable[[float], str]) -> Diagram:
    """Return the picture.

    Args:
        curve: Of at least one training.
        metric: The metric's name, in the user's language.
        write: Writes a loss in English.
    """
    seen = [*curve.losses, *curve.fitted]
    seen += [
        end
        for end in (*curve.low, *curve.high, curve.later_low, curve.later_high)
        if end is not None
    ]
    low, high = min(seen), max(seen)
    room = _ROOM * (high - low) or 1.0
    last = 2 * curve.rows[-1] if curve.fitted else curve.rows[-1]
    axes = Axes(
        (0, 1.04 * last),
        (max(0.0, low - room), high + room),
        tr("training rows"),
        metric,
        height=_HEIGHT,
        x_text=lambda value: grouped(round(value)),
        y_text=write,
    )
    shapes: list[Shape] = axes.frame()
    for rows, ends in zip(curve.rows, zip(curve.low, curve.high, strict=True), strict=True):
        shapes += _bar(axes, rows, ends, expected=False)
    known = list(zip(curve.fitted_rows, curve.fitted, strict=True))
    for part, dashed in (
        ([each for each in known if each[0] <= curve.rows[-1]], False),
        ([each for each in known if each[0] >= curve.rows[-1]], True),
    ):
        points = tuple((axes.x(rows), axes.y(loss)) for rows, loss in part)
        shapes.append(Path(points, series(ENSEMBLE), 2.0, dashed=dashed))
    for rows, loss in zip(curve.rows, curve.losses, strict=True):
        shapes.append(Dot(axes.x(rows), axes.y(loss), 4.5, series(ENSEMBLE), rim=True))
    if curve.later is not None:
        shapes += _bar(axes, last, (curve.later_low, curve.later_high), expected=True)
        shapes.append(Dot(axes.x(last), axes.y(curve.later), 4.5, "muted", rim=True))
    return Diagram(
        "learning-curve", tr("Learning curve"), _caption(curve), WIDTH, _HEIGHT, tuple(shapes)
    )


def _caption(curve: LearningCurve) -> str:
    words = [tr("Dots: the error after training on that many rows; bars: 95 % intervals.")]
    if curve.later is not None:
        words.append(
            tr(
                "Line: a curve through the dots that never rises (a power law). Dashed and grey: "
                "where it leads with twice the rows, and how far it may fall (90 % interval)."
            )
        )
    return " ".join(words)


def _bar(
    axes: Axes, rows: float, ends: tuple[float | None, float | None], *, expected: bool
) -> list[Shape]:
    low, high = ends
    if low is None or high is None:
        return []
    x = axes.x(rows)
    return [Path(((x, axes.y(low)), (x, axes.y(high))), "muted", 3.0 if expected else 1.2)]
