"""Diagrams of a study as shapes, drawn by the window and written by the report as SVG."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from studio.arrays import Floats
from studio.compare.comparison import Comparison, format_repetitions
from studio.compare.refit import explain_curve
from studio.compare.statistics.intervals import MIN_REPETITIONS, SIGNIFICANCE_LEVEL
from studio.compare.statistics.ranks import find_groups
from studio.compare.tables.table import format_error
from studio.figures.axes import BOTTOM, HEIGHT, LEADER, WIDTH, Axes, format_integer, make_end_labels
from studio.figures.shapes import (
    Box,
    Diagram,
    Dot,
    Path,
    Shape,
    TextLabel,
    estimate_text_width,
    get_series_colour,
)
from studio.phrases import join_phrases, phrase
from studio.proposers.presets import find_title

_WIDTH, _EDGE = 720.0, 24.0
_AXIS, _STEP, _DOT_RADIUS = 72.0, 22.0, 4.5


def draw_critical_difference(comparison: Comparison) -> Diagram | None:
    """Return Demšar's diagram (2006, figure 1); ``None`` without a critical difference."""
    difference = comparison.critical_difference
    if difference is None or len(comparison.ranked) < 2:
        return None
    ranks = np.array(comparison.mean_ranks)
    n_methods = len(ranks)
    label_width = estimate_text_width([f"{name} 9.99" for name in comparison.ranked]) + _EDGE
    left, right = label_width, _WIDTH - label_width

    def to_x(rank: float) -> float:
        return left + (right - left) * (rank - 1) / max(1, n_methods - 1)

    shapes: list[Shape] = [Path(((to_x(1), _AXIS), (to_x(n_methods), _AXIS)))]
    for rank in range(1, n_methods + 1):
        shapes.append(Path(((to_x(rank), _AXIS - 6), (to_x(rank), _AXIS))))
        shapes.append(TextLabel(to_x(rank), _AXIS - 12, str(rank), "middle", "muted"))
    shapes += _draw_difference_bar(
        left, min(difference * (right - left) / (n_methods - 1), right - left), difference
    )
    bars = find_groups(ranks, difference)
    for position, bar in enumerate(bars):
        y = _AXIS + 12 + 9 * position
        bar_ends = ((to_x(ranks[bar[0]]) - 5, y), (to_x(ranks[bar[-1]]) + 5, y))
        shapes.append(Path(bar_ends, "text", 4.0))
    y_below = _AXIS + 24 + 9 * len(bars)
    order = np.argsort(ranks, kind="stable").tolist()
    n_left = math.ceil(n_methods / 2)
    for position, method in enumerate(order):
        is_left = position < n_left
        y = y_below + _STEP * (position if is_left else n_methods - 1 - position)
        line_end = left - 8 if is_left else right + 8
        text = phrase(
            "{method} {rank:.2f}", method=comparison.ranked[method], rank=float(ranks[method])
        )
        # Methods of equal rank have dots side by side.
        level = [each for each in order if math.isclose(ranks[each], ranks[method])]
        shift = (level.index(method) - (len(level) - 1) / 2) * 2 * _DOT_RADIUS
        x_position = to_x(float(ranks[method])) + shift
        shapes += [
            Path(((x_position, _AXIS), (x_position, y), (line_end, y)), "border"),
            Dot(x_position, _AXIS, _DOT_RADIUS, _get_colour(comparison, comparison.ranked[method])),
            TextLabel(line_end - 4, y + 4, text, "end")
            if is_left
            else TextLabel(line_end + 4, y + 4, text),
        ]
    return Diagram(
        "critical-difference",
        phrase("Critical differences"),
        phrase(
            "Mean ranks over {n_complete} data sets, better ones on the left. Methods under one "
            "bar do not differ significantly by Nemenyi's test at 5 % (their mean ranks differ "
            "by less than {difference:.2f}).",
            n_complete=len(comparison.complete),
            difference=difference,
        ),
        _WIDTH,
        y_below + _STEP * n_left + 8,
        tuple(shapes),
    )


def _draw_difference_bar(left: float, length: float, difference: float) -> list[Shape]:
    text = phrase("critical difference {difference:.2f}", difference=difference)
    return [
        Path(((left, 22), (left + length, 22)), "text", 2.0),
        Path(((left, 17), (left, 27)), "text"),
        Path(((left + length, 17), (left + length, 27)), "text"),
        TextLabel(left + length / 2, 14, text, "middle", "muted", 11),
    ]


_LABEL_GAP = 8.0
"""Margin around the names on the right, in pixels."""


def draw_rank_over_iterations(comparison: Comparison) -> Diagram | None:
    """Return mean ranks by test error at each iteration; ``None`` for a single data set."""
    if comparison.error_curve:
        return _draw_error_over_iterations(comparison)
    if len(comparison.curve) < 2:
        return None
    return _draw_curves(
        comparison,
        comparison.curve,
        y_range=(1, len(comparison.ranked)),
        y_title=phrase("mean rank before the refit (1 is best)")
        if comparison.is_refitted
        else phrase("mean rank (1 is best)"),
        key="rank-over-iterations",
        title=phrase("Mean rank by repetition during the search"),
        caption=phrase(
            "Mean rank over all repetitions by the test error of the ensemble so far; the best is "
            "at the top."
        ),
        remark=explain_curve(comparison),
        is_y_inverted=True,
    )


def _draw_error_over_iterations(comparison: Comparison) -> Diagram | None:
    """Return the mean test errors of a single data set; ``None`` for a single iteration."""
    (name,) = comparison.complete
    is_share = comparison.units[name] == "%"
    curve = {
        point: each * (100 if is_share else 1) for point, each in comparison.error_curve.items()
    }
    if len(curve) < 2:
        return None
    errors = np.array(list(curve.values()))
    low, high = float(errors.min()), float(errors.max())
    margin = 0.05 * (high - low) or 0.05 * abs(high) or 1.0
    title = comparison.get_metric_title(name)
    scale = phrase("{metric} (%)", metric=title) if is_share else title
    return _draw_curves(
        comparison,
        curve,
        y_range=(low - margin if low < 0 else max(0.0, low - margin), high + margin),
        y_title=phrase("{metric} before the refit", metric=scale)
        if comparison.is_refitted
        else scale,
        key="rank-over-iterations",
        title=phrase("Mean test error during the search"),
        caption=phrase(
            "Mean test error over {repetitions} of the ensemble so far.",
            repetitions=comparison.repetitions_words,
        ),
        remark=explain_curve(comparison),
        first_point=min(curve),
    )


def draw_probability_over_iterations(comparison: Comparison) -> Diagram | None:
    """Return the probability of being better than the first method; ``None`` without any."""
    if len(comparison.probability_curve) < 2 or len(comparison.complete) < 2:
        return None
    first = comparison.ranked[0]
    return _draw_curves(
        comparison,
        comparison.probability_curve,
        y_range=(0, 1),
        y_title=phrase("probability of being better than {first}", first=first),
        key="probability-over-iterations",
        title=phrase("Probability of being better"),
        caption=phrase(
            "Poisson-binomial probability that a method is better than {first} on more than half "
            "of such data sets, by the ensembles so far; ½ means undecided.",
            first=first,
        ),
    )


def _draw_curves(
    comparison: Comparison,
    curves: Mapping[int, Floats],
    *,
    y_range: tuple[float, float],
    y_title: str,
    key: str,
    title: str,
    caption: str,
    remark: str = "",
    first_point: int = 1,
    is_y_inverted: bool = False,
) -> Diagram:
    """Return a diagram with a line per method, curves of shape (methods,) by iteration.

    Equal curves have one label, "B = A". Every second line is dashed, and so is the later one of
    two equal ones.
    """
    columns = np.array(list(curves.values())).T.tolist()
    firsts = [columns.index(column) for column in columns]
    names = [
        name if first == index else f"{name} = {comparison.ranked[first]}"
        for index, (name, first) in enumerate(zip(comparison.ranked, firsts, strict=True))
    ]
    axes = Axes(
        (first_point, max(curves)),
        y_range,
        phrase("time (s)") if comparison.is_timed else phrase("trials"),
        y_title,
        is_y_inverted=is_y_inverted,
        x_text=format_integer,
        right_margin=LEADER + estimate_text_width(names) + _LABEL_GAP,
    )
    shapes: list[Shape] = axes.draw_frame()
    line_ends = []
    colours = [_get_colour(comparison, name) for name in comparison.ranked]
    for index, (first, column) in enumerate(zip(firsts, columns, strict=True)):
        points = tuple((axes.to_x(x), axes.to_y(y)) for x, y in zip(curves, column, strict=True))
        dashed = index != first if firsts.count(first) > 1 else index % 2 == 1
        shapes.append(Path(points, colours[index], 2.0, dashed=dashed))
        line_ends.append(points[-1])
    low, high = sorted(map(axes.to_y, axes.y_range))
    shapes += make_end_labels(names, colours, line_ends, low, high)
    if len(set(firsts)) < len(firsts):
        equality = phrase("Methods joined by “=” have the same curve.")
        caption = join_phrases((caption, equality))
    return Diagram(key, title, caption, WIDTH, HEIGHT, tuple(shapes), remark)


def _get_colour(comparison: Comparison, method: str) -> str:
    return get_series_colour(comparison.methods.index(method))


_MAX_BARS = 12
"""Maximum number of bars of mean errors, to be legible from a distance."""

_BAR_STEP, _BAR_HEIGHT, _LABEL_SHIFT, _HEADING = 46.0, 18.0, 10.0, 30.0
_VALUE_SIZE, _VALUE_WIDTH, _STATUS_WIDTH = 20.0, 110.0, 165.0
_LEGEND_HEIGHT, _LEGEND_LINE = 24.0, 40.0


def draw_mean_errors(comparison: Comparison) -> Diagram | None:
    """Return a bar per method and data set, the lowest on top; ``None`` if there are many."""
    counts = comparison.n_common_repetitions
    rows = {name: row for name, row in comparison.errors.items() if counts[name]}
    count = sum(map(len, rows.values()))
    if not 1 < count <= _MAX_BARS:
        return None
    shapes: list[Shape] = []
    top = 0.0
    for name, row in rows.items():
        heading = _describe_errors(comparison, name)
        shapes.append(TextLabel(0, top + 16, heading, size=13.0, bold=True))
        shapes += _draw_mean_bars(comparison, name, top + _HEADING)
        top += _HEADING + _BAR_STEP * len(row) + 12
    has_intervals = any(each.has_known_spread for row in rows.values() for each in row.values())
    fixed = [name for name in rows if comparison.has_fixed_test(name)]
    lacks_intervals = any(counts[name] < MIN_REPETITIONS for name in rows if name not in fixed)
    if has_intervals or lacks_intervals:
        shapes += _draw_interval_legend(top, has_intervals=has_intervals, lacking=lacks_intervals)
        top += _LEGEND_HEIGHT
    return Diagram(
        "mean-errors",
        phrase("Mean test errors by method"),
        join_phrases(
            (
                phrase(
                    "Mean test errors over {repetitions}; lower is better. The paired test in "
                    "the table of errors shows whether a difference may be chance.",
                    repetitions=comparison.repetitions_words,
                ),
                phrase("Overlapping intervals do not contradict that test.")
                if has_intervals
                else "",
            )
        ),
        _WIDTH,
        top,
        tuple(shapes),
        join_phrases(
            (
                phrase(
                    "No 95 % interval for {names}: all repetitions have the same test rows.",
                    names=", ".join(fixed),
                )
                if fixed
                else "",
                phrase("The bars of each data set have their own scale, from 0.")
                if len(rows) > 1
                else "",
            )
        ),
    )


def _draw_interval_legend(top: float, *, has_intervals: bool, lacking: bool) -> list[Shape]:
    """Explain, below the bars, the lines across them, and why some bars have none."""
    middle, right = top + _LEGEND_HEIGHT / 2, _LEGEND_LINE
    text = phrase("95 % interval")
    if lacking:
        text = phrase("95 % interval: from {fewest} repetitions on", fewest=MIN_REPETITIONS)
    if not has_intervals:
        return [TextLabel(0, middle + 4, text, colour="muted")]
    return [
        *_draw_interval(1.0, right, middle),
        TextLabel(right + 8, middle + 4, text, colour="muted"),
    ]


def _draw_interval(low: float, high: float, y: float) -> list[Shape]:
    return [
        Path(((low, y), (high, y)), "text", 2.0),
        *(Path(((end, y - 5), (end, y + 5)), "text", 2.0) for end in (low, high)),
    ]


def _describe_errors(comparison: Comparison, name: str) -> str:
    """Return "Error rate on the test rows of breast_cancer, mean of 5 repetitions"."""
    count = comparison.n_common_repetitions[name]
    title = comparison.get_metric_title(comparison.datasets[name])
    if count == 1:
        return phrase("{metric} on the test rows of {data}, 1 repetition", data=name, metric=title)
    values = {"data": name, "metric": title, "repetitions": format_repetitions([count])}
    if comparison.is_refitted:
        return phrase(
            "{metric} on the test rows of {data}, mean of {repetitions}, final models", **values
        )
    return phrase("{metric} on the test rows of {data}, mean of {repetitions}", **values)


def _draw_mean_bars(comparison: Comparison, name: str, top: float) -> Iterator[Shape]:
    """Yield a row's methods with their means and intervals, and the certainty of their order."""
    row, unit = comparison.errors[name], comparison.units[name]
    order = sorted(row, key=lambda each: row[each].mean)
    # Values that are printed identically count as equal, as in the table.
    error_format = comparison.get_error_format(name)
    texts = {method: format_error(each.mean, unit, error_format) for method, each in row.items()}
    lowest = [method for method in order if texts[method] == texts[order[0]]]
    upper_limits = [each.high if each.has_known_spread else each.mean for each in row.values()]
    highest = max([each for each in upper_limits if math.isfinite(each)], default=1.0) or 1.0
    right = _WIDTH - _VALUE_WIDTH - _STATUS_WIDTH

    def to_x(value: float) -> float:
        return right * max(0.0, min(1.0, value / highest))

    for position, method in enumerate(order):
        middle = top + _BAR_STEP * (position + 0.5) + _LABEL_SHIFT
        mean, colour = row[method].mean, _get_colour(comparison, method)
        box_top = middle - _BAR_HEIGHT / 2
        title = find_title(method)
        label = phrase("{method} ({key})", method=phrase(title), key=method) if title else method
        yield TextLabel(0, box_top - 5, label, size=13.0, bold=method in lowest)
        yield Box(0, box_top, to_x(mean), _BAR_HEIGHT, colour)
        if row[method].has_known_spread:
            yield from _draw_interval(to_x(row[method].low), to_x(row[method].high), middle)
        text = texts[method] + (" %" if unit == "%" else "")
        x, y = right + _VALUE_WIDTH - 12, middle + 7
        yield TextLabel(x, y, text, "end", size=_VALUE_SIZE, bold=method in lowest)
        certainty_text = _describe_certainty(comparison, name, method, lowest)
        yield TextLabel(right + _VALUE_WIDTH, middle + 5, certainty_text)


def _describe_certainty(
    comparison: Comparison, name: str, method: str, lowest: Sequence[str]
) -> str:
    """Describe how a method's mean error relates to the lowest; empty for a single method."""
    if len(comparison.errors[name]) < 2:
        return ""
    if method in lowest:
        return phrase("lowest") if len(lowest) == 1 else phrase("tied for lowest")
    n_repetitions = comparison.n_common_repetitions[name]
    if n_repetitions < MIN_REPETITIONS and not comparison.has_fixed_test(name):
        return phrase("too few repetitions")
    p = comparison.p_against_best.get(name, {}).get(method, 1.0)
    is_clear = p < SIGNIFICANCE_LEVEL
    return phrase("clearly higher") if is_clear else phrase("difference may be chance")


_WHISKER = 1.5
_BOX_HALF_WIDTH = 0.28
_SIZE = 13.0


def draw_box_plots(comparison: Comparison) -> Diagram | None:
    """Return one box per method over all complete repetitions; ``None`` without any.

    Errors of different data sets have no common scale, so each is divided by the mean error of all
    methods in its repetition: 1 is the average.
    """
    if not comparison.is_decidable:
        return None
    relative_errors = np.concatenate(
        [_divide_by_means(matrix) for matrix in comparison.complete.values()]
    )
    n_repetitions = relative_errors.shape[1]
    axes = Axes(
        (0.5, n_repetitions + 0.5),
        (min(0.0, float(relative_errors.min())), float(relative_errors.max()) * 1.05),
        "",
        phrase("error relative to the average of the methods"),
    )
    shapes: list[Shape] = axes.draw_frame(x_ticks=False)
    # Names are staggered on two lines if adjacent ones would overlap.
    fits = estimate_text_width(comparison.ranked, _SIZE) < axes.to_x(2) - axes.to_x(1)
    n_label_rows = 1 if fits else 2
    for index, name in enumerate(comparison.ranked):
        colour = _get_colour(comparison, name)
        shapes += _draw_box(axes, index, relative_errors[:, index], colour)
        baseline = HEIGHT - BOTTOM + 16 + 14 * (index % n_label_rows)
        shapes.append(TextLabel(axes.to_x(index + 1), baseline, name, "middle", size=_SIZE))
    return Diagram(
        "box-plots",
        phrase("Spread of the errors"),
        phrase(
            "Test errors of {repetitions}, each divided by the mean of all methods in its "
            "repetition: below 1 is better than average. Boxes extend from the first to the third "
            "quartile, the line is the median, and whiskers extend to at most 1.5 times the box.",
            repetitions=comparison.repetitions_words,
        ),
        WIDTH,
        HEIGHT,
        tuple(shapes),
    )


def _divide_by_means(matrix: Floats) -> Floats:
    """Divide errors, shape (repetitions, methods), by their means; 1 if all are 0."""
    means = matrix.mean(axis=1, keepdims=True)
    relative_errors: Floats = np.where(means == 0, 1.0, matrix / np.where(means == 0, 1.0, means))
    return relative_errors


def _draw_box(axes: Axes, index: int, values: Floats, colour: str) -> list[Shape]:
    low, median, high = (float(each) for each in np.quantile(values, (0.25, 0.5, 0.75)))
    whisker = _WHISKER * (high - low)
    values_within_whiskers = values[(values >= low - whisker) & (values <= high + whisker)]
    # A quartile between two values may exceed all non-outliers.
    lowest = min(low, float(values_within_whiskers.min()))
    highest = max(high, float(values_within_whiskers.max()))
    outliers = values[(values < lowest) | (values > highest)]
    left = axes.to_x(index + 1 - _BOX_HALF_WIDTH)
    right = axes.to_x(index + 1 + _BOX_HALF_WIDTH)
    centre = axes.to_x(index + 1)
    bottom, middle, top = map(axes.to_y, (low, median, high))
    return [
        Path(((centre, axes.to_y(lowest)), (centre, bottom)), colour, 1.5),
        Path(((centre, top), (centre, axes.to_y(highest))), colour, 1.5),
        Box(left, top, right - left, bottom - top, colour, filled=False),
        Path(((left, middle), (right, middle)), colour, 3.0),
        *(Dot(centre, axes.to_y(float(value)), 2.5, colour) for value in outliers),
    ]


REGISTRY: tuple[Callable[[Comparison], Diagram | None], ...] = (
    draw_critical_difference,
    draw_rank_over_iterations,
    draw_probability_over_iterations,
    draw_mean_errors,
    draw_box_plots,
)
"""Each returns a diagram, or ``None`` without data."""


def draw_diagrams(comparison: Comparison) -> list[Diagram]:
    """Return every non-empty diagram."""
    all_diagrams = (draw(comparison) for draw in REGISTRY)
    return [diagram for diagram in all_diagrams if diagram is not None]
