"""Labels at the ends of the progress plot's curves: of one run, or by run if there are several."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from studio.figures.figure import LineEnd
from studio.figures.ink import SINGLE, Ink, make_series_ink
from studio.figures.marks import Line, Mark
from studio.figures.shapes import elide_middle
from studio.gui.plots.painting.canvas import compute_drawing_width, count_fitting_labels
from studio.gui.plots.quality.progress_model import ProgressData
from studio.gui.session.short_names import abbreviate, split_brackets
from studio.language import tr
from studio.measure import Measure

LabelledLines = Sequence[tuple[Line, str]]
"""Curves with their end labels, each label without and with the last value."""

NAME_LETTERS = (60, 24, 16, 11)
"""Maximum letters of runs' names in labels, in the order tried until they fit."""

MIN_DRAWING_SHARE, MIN_SHORT_SHARE = 0.58, 0.5
"""Minimum share of the width for the curves beside their labels; beside runs' names, and in a plot
that is too short for a legend instead."""


@dataclass(frozen=True)
class EndLabel:
    """A label, the end of its curve on the axis, and whether the label names the curve."""

    end: LineEnd
    curve_end: float
    is_named: bool = True


def name_after_run(lines: LabelledLines, run: str, lead: Ink) -> LabelledLines:
    """Name the curves of ``lead`` after their run and put them first."""
    renamed_lines = []
    for line, name in lines:
        label = tr("{run}: {curve}", run=run, curve=name)
        if line.ink == lead:
            label = tr("{run}, test", run=run) if line.dashed else run
        renamed_lines.append((replace(line, name=label if line.name else ""), label))
    return sorted(renamed_lines, key=lambda each: (each[0].ink != lead, each[0].dashed))


def make_end_labels(
    lines: LabelledLines,
    data: ProgressData,
    measure: Measure,
    lead: Ink,
    *,
    is_named: bool = True,
    named_after_refit: bool = False,
) -> list[EndLabel]:
    """Return the curves' labels, with or without names.

    Without names, the values of refitted models keep the word for it, as they end no curve.
    At the end of a run the final models' dots are labelled instead of the dashed lines.

    Args:
        named_after_refit: Whether these lines keep their labels if refitted models differ.
    """

    def make_label(name: str, line: Line, last: float, ink: Ink, refit: str = "") -> EndLabel:
        value = measure.format_briefly(last / measure.factor)
        words = ", ".join(filter(None, (name, refit)))
        # A run's name may end with a number: "BO-post from 8: 0.9 %".
        template = tr("{name}: {value}") if data.overlaid_curves else "{name} {value}"
        text = template.format(name=words, value=value)
        if not is_named:
            text = value
            if line.dashed:
                text = f"{refit} {value}" if refit else tr("test {loss}", loss=value)
        return EndLabel(LineEnd(last, text, ink), float(line.x[-1]), is_named)

    labels: list[EndLabel] = []
    # With several runs, "test" alone is ambiguous.
    dashed = [line for line, _ in lines if line.dashed and np.isfinite(line.y).any()]
    has_several_runs = len(dashed) > 1 or bool(data.overlaid_curves)
    single_final = data.single_final, data.single_refit
    finals = {make_series_ink(SINGLE): single_final, lead: (data.final, data.refit)}
    for line, name in lines:
        last, words, refit = line.y[-1] if len(line.y) else math.nan, name, ""
        if line.dashed and len(line.y):
            words = name if has_several_runs else tr("test")
            final, refit = finals.get(line.ink, (None, ""))
            if final is not None:
                if named_after_refit and refit and _are_displayed_differently(last, final, measure):
                    labels.append(make_label(words, line, last, line.ink))
                last = final
            refit = "" if final is None else refit
        if math.isfinite(last):
            labels.append(make_label(words, line, last, line.ink, refit))
    for each in data.overlaid_curves:
        run = each.name
        test = tr("{run}, test", run=run)
        for curve, words, final in ((each.validation, run, None), (each.test, test, each.final)):
            last = final if final is not None else curve.y[-1] if len(curve.y) else math.nan
            if len(curve.y) and math.isfinite(last):
                line = Line(x=curve.x, y=curve.y, dashed=curve is each.test)
                refit = "" if final is None else each.refit
                labels.append(make_label(words, line, last, each.ink, refit))
    return labels


def shorten_names(names: Sequence[str], max_letters: int) -> list[str]:
    """Return at most so many letters of runs' names, of whole words that differ if possible.

    Brackets are left out first.
    """
    outer = [split_brackets(each)[0] for each in names]
    if max(map(len, names)) > max_letters and len({*outer}) == len(names):
        names = outer
    return [
        elide_middle(abbreviate(each, names, lambda text: len(text) <= max_letters), max_letters)
        for each in names
    ]


def _are_displayed_differently(last: float, final: float, measure: Measure) -> bool:
    """Return whether the displayed losses of refitted models and of a curve's end differ."""
    texts = {measure.format_briefly(each / measure.factor) for each in (last, final)}
    return math.isfinite(last) and len(texts) > 1


def labels_fit(
    line_ends: Sequence[LineEnd], width: int, height: float, *, min_share: float
) -> bool:
    """Return whether labels leave a share of a canvas to the curves, and do not overlap."""
    is_narrow = compute_drawing_width(width, line_ends, height) >= min_share * width
    return is_narrow and len(line_ends) <= count_fitting_labels(height)


def draw_leaders(labels: Sequence[EndLabel], right_edge: float) -> Iterable[Mark]:
    """Yield lines from the ends of curves to their labels, if the edge is farther away."""
    for label in labels:
        if label.curve_end < right_edge:
            x, y = np.array([label.curve_end, right_edge]), np.full(2, label.end.y)
            ink = label.end.ink.with_opacity(0.4)
            yield Line(x=x, y=y, ink=ink, weight="hair", dashed=True, depth=0)
