"""Charts of the report as SVG, in the colours of its style sheet, light or dark."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from studio.analysis.headline_text import count_expected_chance_hits, name_baseline
from studio.analysis.number_phrases import PLUS_MINUS, format_expected_hits, make_rounded_phrase
from studio.arrays import AnyArray, Floats, Integers
from studio.data.metrics.plain_score import PlainScore, RankedHits
from studio.figures.axes import WIDTH, Axes, choose_ticks, format_integer
from studio.figures.intervals import IntervalRow, compute_padded_range, make_interval_diagram
from studio.figures.ranking import MAX_DOTS, Ranking, RankingText, make_ranking_diagram
from studio.figures.shapes import (
    Box,
    Diagram,
    Dot,
    Path,
    Shape,
    TextLabel,
    get_page_colour,
    render_inline_svg,
)
from studio.language import capitalise, format_share, group_digits, ntr, number, tr, translate
from studio.measure import format_quantity, make_tick_formatter
from studio.numerals import NumeralFormat
from studio.printable import escape_markup


def format_difference(value: float, unit: str, numeral_format: NumeralFormat) -> str:
    """Format a difference of losses with its sign, in percentage points for shares."""
    if not math.isfinite(value):
        return "–"
    if unit == "%":
        points = number(100 * value, "+.2f")
        return tr("{number} points", number=points) if round(100 * value, 2) else "0"
    return "0" if value == 0 else format_quantity(value, unit, numeral_format, "+")


_SMALL = 11.5

SINGLE, ENSEMBLE = "series 0", "series 5"
"""Colours of single models and ensemble, as in the plots; test curves are dashed."""

Line = tuple[str, Sequence[float | None], str, bool]
"""Name, losses, colour, and whether it is dashed."""


def _inline_chart(height: float, title: str, shapes: Sequence[Shape]) -> str:
    return render_inline_svg(Diagram("", title, "", WIDTH, height, tuple(shapes)), get_page_colour)


def draw_intervals(rows: Sequence[IntervalRow], unit: str, caption: str) -> str:
    """Draw a dot with a whisker for each estimate; left is better."""
    return render_inline_svg(
        make_interval_diagram(rows, unit, caption, tr("lower is better")), get_page_colour
    )


def make_ranking(ranked: RankedHits, n_rows: int) -> Ranking:
    """Return the hits among the top-ranked rows, and the cumulative gains."""
    chance = count_expected_chance_hits(ranked, n_rows)
    hits = tr(
        "Ranked highest: {hits} of {top} “{label}”",
        hits=group_digits(ranked.hits),
        top=group_digits(ranked.top),
        label=ranked.label,
    )
    if ranked.top > MAX_DOTS:
        rows_per_dot = ntr("{count} row", "{count} rows", ranked.top // MAX_DOTS)
        hits += " " + tr("(each dot: {rows})", rows=rows_per_dot)
    chance_text = number(chance, ".2g") if chance < 1 else translate(format_expected_hits(chance))
    texts = RankingText(
        hits=hits,
        chance=tr("By chance: {number}", number=chance_text),
        x_title=tr("share of rows handled"),
        y_title=tr("share of all “{label}” rows found", label=ranked.label),
        title=tr("Highest-ranked rows and cumulative gains"),
    )
    return Ranking(n_rows, ranked.top, ranked.hits, chance, ranked.gains, texts)


def make_headline_figure(
    score: PlainScore, positive_class: str | None
) -> Callable[[float], Diagram] | None:
    """Return the headline's figure by its width; ``None`` for scores in a metric's unit.

    The rows ranked highest, or else the rows that are right, or the bands of half of the rows.
    """
    ranked = score.get_ranking(positive_class)
    if ranked is not None:
        return partial(make_ranking_diagram, make_ranking(ranked, score.rows))
    if score.of_classes:
        return partial(make_ranking_diagram, _make_right_rows(score))
    if score.metric or score.middle is None or not score.guess_middle:
        return None
    baseline = translate(name_baseline(score))
    bands = [
        ErrorBand(
            name, value, translate(make_rounded_phrase(value, PLUS_MINUS, score.target_unit)), ink
        )
        for name, value, ink in (
            (tr("Prediction"), score.middle, ENSEMBLE),
            (capitalise(baseline), score.guess_middle, "muted"),
        )
    ]
    note = (
        tr("Each band holds half of the rows' weight; the line in its middle is the prediction.")
        if score.weighted
        else tr("Each band holds half of all rows; the line in its middle is the prediction.")
    )
    return partial(make_band_diagram, bands, tr("How far half of all rows are off"), note)


def _make_right_rows(score: PlainScore) -> Ranking:
    """Return the rows that are right, and those that guessing has right."""
    shares = score.average, score.guess
    if not score.has_row_counts:
        right, guessed = (
            tr("{share} per class", share=format_share(each))
            if score.per_class
            else tr("{share} of the weight", share=format_share(each))
            for each in shares
        )
        n_rows, each_dot = MAX_DOTS, ""
    else:
        right, guessed = (
            tr("{count} of {rows}", count=group_digits(round(each * score.rows)),
               rows=group_digits(score.rows))
            for each in shares
        )  # fmt: skip
        n_rows = score.rows
        each_dot = (
            ""
            if n_rows <= MAX_DOTS
            else " " + tr("(each dot: {share} of the rows)", share=format_share(1 / MAX_DOTS, 0))
        )
    texts = RankingText(
        hits=tr("Right: {rows}", rows=right) + each_dot,
        chance=(
            tr("Always guessing the same class: {rows}", rows=guessed)
            if score.per_class
            else tr("Guessing the most common class: {rows}", rows=guessed)
        ),
        x_title="",
        y_title="",
        title=tr("Rows predicted correctly, compared with guessing"),
    )
    return Ranking(n_rows, n_rows, n_rows * score.average, n_rows * score.guess, (), texts)


def draw_headline_figure(score: PlainScore, positive_class: str | None) -> str:
    """Draw the figure of :func:`make_headline_figure`; empty without one."""
    make = make_headline_figure(score, positive_class)
    return "" if make is None else render_inline_svg(make(WIDTH), get_page_colour)


def draw_loss_curve(
    numbers: Sequence[int],
    lines: Sequence[Line],
    dots: Sequence[tuple[int, float]],
    unit: str,
    caption: str,
) -> str:
    """Draw losses by iteration as a step curve; ``None`` marks a missing loss."""
    loss_values = [value for _, values, _, _ in lines for value in values if value is not None]
    if dots:
        sorted_losses = sorted(loss for _, loss in dots)
        loss_values.append(sorted_losses[int(0.75 * (len(sorted_losses) - 1))])
    low, high = compute_padded_range(loss_values)
    axes = Axes(
        (1, max(2, *numbers)),
        (low, high),
        tr("trials"),
        "",
        height=320,
        x_text=format_integer,
        y_text=make_tick_formatter(choose_ticks(low, high), unit),
    )
    shapes = axes.draw_frame()
    shapes += [
        Dot(axes.to_x(number), axes.to_y(loss), 2.5, "muted", alpha=0.4)
        for number, loss in dots
        if low <= loss <= high
    ]
    for _, values, colour, dashed in lines:
        points = [
            (axes.to_x(number), axes.to_y(value))
            for number, value in zip(numbers, values, strict=True)
            if value is not None
        ]
        corners = [
            corner
            for before, after in pairwise(points)
            for corner in ((after[0], before[1]), after)
        ]
        shapes.append(Path((*points[:1], *corners), colour, 2.2, dashed=dashed))
    return _inline_chart(320, caption, shapes) + _render_legend(lines)


def draw_bars(rows: Sequence[tuple[str, float]], caption: str, words: Sequence[str]) -> str:
    """Draw horizontal bars from zero in both directions, with ``words`` on the right."""
    values = [value for _, value in rows if math.isfinite(value)]
    low, high = min([0.0, *values]), max([0.0, *values])
    left, right = 220.0, WIDTH - 110
    height = 26.0 * len(rows) + 8

    def to_x(value: float) -> float:
        return left + (right - left) * (value - low) / ((high - low) or 1.0)

    shapes: list[Shape] = []
    for index, ((name, value), text) in enumerate(zip(rows, words, strict=True)):
        y = 26.0 * index + 4
        shapes.append(TextLabel(left - 12, y + 14, _elide(name, 32), "end"))
        if math.isfinite(value):
            start, end = sorted((to_x(0.0), to_x(value)))
            colour = SINGLE if value >= 0 else ENSEMBLE
            shapes.append(Box(start, y + 2, max(1.5, end - start), 16, colour))
        shapes.append(TextLabel(WIDTH - 4, y + 14, text, "end", bold=True))
    shapes.append(Path(((to_x(0.0), 0.0), (to_x(0.0), height)), "muted"))
    return _inline_chart(height, caption, shapes)


def draw_confusion(
    truth: Integers, predictions: Integers, classes: Sequence[str], caption: str
) -> str:
    """Draw the confusion matrix of codes (n,), with true classes in rows, shaded by row share."""
    counts = np.zeros((len(classes), len(classes)), dtype=np.float64)
    np.add.at(counts, (truth, predictions), 1)
    return draw_confusion_counts(counts, classes, caption)


def draw_confusion_counts(counts: Floats, classes: Sequence[str], caption: str) -> str:
    """Draw a confusion matrix, shape (C, C), of counts or weights, as :func:`draw_confusion`."""
    size = len(classes)
    shares = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
    cell = min(84.0, (WIDTH - 240) / size)
    left, top = 200.0, 44.0
    middle = left + cell * size / 2
    shapes: list[Shape] = [TextLabel(middle, 14, tr("predicted"), "middle", "muted", _SMALL)]
    for index, name in enumerate(classes):
        offset = cell * (index + 0.5)
        shapes.append(TextLabel(left + offset, 36, _elide(name, max(3, int(cell / 8.5))), "middle"))
        shapes.append(TextLabel(left - 10, top + offset + 4, _elide(name, 24), "end"))
    for (row, column), count in np.ndenumerate(counts):
        x, y = left + cell * column, top + cell * row
        colour = SINGLE if row == column else ENSEMBLE
        alpha = 0.06 + 0.6 * float(shares[row, column])
        text = number(float(count), ",.6g")
        shapes += [
            Box(x, y, cell - 2, cell - 2, "raised"),
            Box(x, y, cell - 2, cell - 2, colour, alpha=alpha),
            TextLabel(x + cell / 2 - 1, y + cell / 2 + 4, text, "middle", bold=True),
        ]
    return _inline_chart(top + cell * size + 12, caption, shapes)


def draw_scatter(truth: Floats, predictions: AnyArray, caption: str, max_points: int = 600) -> str:
    """Draw predicted against true values, both (n,), with the diagonal."""
    step = max(1, math.ceil(truth.size / max_points))
    true_values, predicted_values = truth[::step], predictions[::step]
    axis_limits = compute_padded_range(np.concatenate([true_values, predicted_values]).tolist())
    axes = Axes(
        axis_limits,
        axis_limits,
        tr("true value"),
        tr("predicted value"),
        height=360,
        x_text=number,
        y_text=number,
    )
    diagonal = tuple((axes.to_x(end), axes.to_y(end)) for end in axis_limits)
    dots = [
        Dot(axes.to_x(a), axes.to_y(b), 3.0, SINGLE, alpha=0.5)
        for a, b in zip(true_values.tolist(), predicted_values.tolist(), strict=True)
    ]
    return _inline_chart(
        360, caption, [*axes.draw_frame(), Path(diagonal, "muted", dashed=True), *dots]
    )


def _render_legend(lines: Sequence[Line]) -> str:
    samples = [
        (name, Diagram("", name, "", 28, 10, (Path(((1, 5), (27, 5)), colour, 2.2, dashed),)))
        for name, _, colour, dashed in lines
    ]
    items = "".join(
        f"<li>{render_inline_svg(each, get_page_colour)}{escape_markup(name)}</li>"
        for name, each in samples
    )
    return f'<ul class="legend">{items}</ul>'


def _elide(text: str, max_length: int) -> str:
    return text if len(text) <= max_length else text[: max_length - 1] + "…"


_EDGE, _ROW, _BAND, _FOOTER = 8.0, 34.0, 10.0, 22.0
_MIN_WIDTH = 2.0


@dataclass(frozen=True)
class ErrorBand:
    """Half of the rows lie within ``half_width`` of the prediction; ``colour`` is an ink's role."""

    name: str
    half_width: float
    text: str
    colour: str


def make_band_diagram(
    bands: Sequence[ErrorBand], title: str, note: str, width: float = 720.0
) -> Diagram:
    """Return the bands on one scale around a common middle, the prediction; not all are empty."""
    widest = max(each.half_width for each in bands)
    middle, scale = width / 2, (width / 2 - _EDGE) / widest
    bottom = _ROW * len(bands)
    shapes: list[Shape] = []
    for index, each in enumerate(bands):
        top, half = _ROW * index, max(_MIN_WIDTH / 2, each.half_width * scale)
        shapes += [
            TextLabel(_EDGE, top + 14, each.name, size=12.5, max_width=0.7 * width),
            TextLabel(width - _EDGE, top + 14, each.text, "end", size=12.5, bold=True),
            Box(middle - half, top + 20, 2 * half, _BAND, each.colour),
        ]
        line = (middle, top + 18), (middle, top + 22 + _BAND)
        shapes.append(Path(line, "text", 1.5))
    shapes.append(TextLabel(middle, bottom + 14, note, "middle", "muted", 11.5, max_width=width))
    return Diagram("bands", title, "", width, bottom + _FOOTER, tuple(shapes))
