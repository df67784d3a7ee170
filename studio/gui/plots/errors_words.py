"""What is said of an ensemble's errors: of all of them, and of what is pointed at."""

from collections.abc import Sequence

import numpy as np

from studio.analysis.answers.prediction_errors import ALL
from studio.gui.base.language import ntr, number, percent, tr
from studio.gui.plots.errors_model import (
    CONFUSION,
    HISTOGRAM,
    LIST,
    PRECISION,
    RELIABILITY,
    ROC,
    ErrorsPicture,
    curves_of,
)


def about_words(picture: ErrorsPicture, about: int) -> str:
    """Name what curves are about: a class, or all."""
    if about == ALL:
        return tr("mean over all classes")
    if len(picture.classes) == 2:
        return tr("positive: {name}", name=picture.classes[about])
    return tr("{name} against the rest", name=picture.classes[about])


def rest_words(picture: ErrorsPicture, view: str) -> str:
    """Say what is most notable while nothing is pointed at."""
    if view in (ROC, PRECISION):
        name = tr("area under the curve") if view == ROC else tr("average precision")
        return _both(picture, name, [each.area for each in curves_of(picture, view)], ".3f", "")
    if view == RELIABILITY:
        name = tr("expected calibration error")
        errors = [100 * each.error for each in picture.found.reliability]
        return _both(picture, name, errors, ".1f", " %")
    if view == LIST:
        return _listed(picture)
    return wrong_words(picture) if picture.classes else value_words(picture)


def wrong_words(picture: ErrorsPicture) -> str:
    """Say how many answers are wrong and which mistake is most frequent."""
    counts = picture.found.confusion
    total, wrong = int(counts.sum()), int(counts.sum() - np.trace(counts))
    if not wrong:
        return tr("none of {rows} is wrong", rows=_rows(total))
    values = {
        "share": percent(wrong / total),
        "wrong": number(wrong, ",d"),
        "total": number(total, ",d"),
    }
    off = np.where(np.eye(len(counts), dtype=bool), 0, counts)
    if off.max() == 1:
        return tr("{share} wrong ({wrong} of {total}); no mistake twice", **values)
    true, answer = np.unravel_index(int(off.argmax()), off.shape)
    return tr(
        "{share} wrong ({wrong} of {total}); most often {true} predicted as {answer} ({rows})",
        true=picture.classes[true],
        answer=picture.classes[answer],
        rows=_rows(int(off.max())),
        **values,
    )


def value_words(picture: ErrorsPicture) -> str:
    """Say how far the predictions are off."""
    found = picture.found
    return tr(
        "off by {rmse} (root mean square), {mae} on average, in the unit of {target}  ·  "
        "R² {r2}  ·  {rows}",
        rmse=number(float(found.rmse[0]), ".3g"),
        mae=number(float(found.mae[0]), ".3g"),
        r2=number(float(found.r2[0]), ".3f"),
        target=picture.target,
        rows=_rows(picture.found.count),
    )


def _both(picture: ErrorsPicture, name: str, values: Sequence[float], form: str, unit: str) -> str:
    """Write a figure of the ensemble, and of the best single model."""
    if not np.isfinite(values[0]):
        return tr("no curve: all rows are of one class")
    first = f"{number(values[0], form)}{unit}"
    about = about_words(picture, picture.about)
    if picture.about == ALL and name == tr("expected calibration error"):
        about = tr("the predicted class, whichever it is")
    if len(values) == 1:
        return tr("{name} {value}  ·  {about}", name=name, value=first, about=about)
    return tr(
        "{name}: ensemble {value}, {single} {other}  ·  {about}",
        name=name,
        value=first,
        single=picture.single,
        other=f"{number(values[1], form)}{unit}",
        about=about,
    )


def _listed(picture: ErrorsPicture) -> str:
    count = len(picture.found.listed)
    if not count:
        members = ntr("{count} member", "{count} members", picture.found.members)
        return tr("{members}: they agree on every row", members=members)
    if not picture.classes:
        return tr("the {rows} of largest disagreement", rows=_rows(count))
    return tr("{rows} where the members disagree, the most divided first", rows=_rows(count))


def cell_words(picture: ErrorsPicture, row: int, column: int) -> str:
    """Say what a cell of the confusion matrix counts."""
    matrix = picture.matrix
    if matrix is None or not (0 <= row < len(matrix.names) and 0 <= column < len(matrix.names)):
        return ""
    count, share = int(matrix.counts[row, column]), float(matrix.shares[row, column])
    if np.isnan(share):
        return tr("no row is of class {true}", true=matrix.names[row])
    return tr(
        "{rows} of class {true} predicted as {answer}: {share} of that class",
        rows=_rows(count),
        true=matrix.names[row],
        answer=matrix.names[column],
        share=percent(share),
    )


def curve_words(picture: ErrorsPicture, view: str, x: float) -> str:
    """Read the curves at a place of the x-axis."""
    if not 0 <= x <= 1:
        return ""
    parts = []
    names = [tr("ensemble"), picture.single]
    for name, curve in zip(names, curves_of(picture, view), strict=False):
        if not len(curve.x):
            return ""
        if view == ROC:
            place = max(int(np.searchsorted(curve.x, x, side="right")) - 1, 0)
        else:
            place = min(int(np.searchsorted(curve.x, x, side="left")), len(curve.y) - 1)
        parts.append(f"{name} {percent(float(curve.y[place]))}")
    values = ", ".join(parts)
    if view == ROC:
        return tr("at {x} false alarms, found: {values}", x=percent(x), values=values)
    return tr("with {x} found, right: {values}", x=percent(x), values=values)


def place_words(picture: ErrorsPicture, view: str, x: float, y: float) -> str:
    """Say what lies at a place of the axes of a view without dots."""
    if view == CONFUSION:
        return cell_words(picture, int(y // 1), int(x // 1))
    if view in (ROC, PRECISION):
        return curve_words(picture, view, x)
    if view == RELIABILITY:
        return bin_words(picture, x)
    return bar_words(picture, x) if view == HISTOGRAM else ""


def bin_words(picture: ErrorsPicture, x: float) -> str:
    """Read the reliability diagram at a probability."""
    if not 0 <= x <= 1:
        return ""
    bins = picture.found.reliability[0]
    width = 1.0 / len(bins.counts)
    place = min(int(x / width), len(bins.counts) - 1)
    span = f"{100 * place * width:.0f}–{percent((place + 1) * width, 0)}"
    if not bins.counts[place]:
        return tr("no row has a predicted probability of {span}", span=span)
    return tr(
        "{span}: predicted {said} on average, observed in {observed} of {rows} (ensemble)",
        span=span,
        said=percent(float(bins.predicted[place])),
        observed=percent(float(bins.observed[place])),
        rows=_rows(int(bins.counts[place])),
    )


def bar_words(picture: ErrorsPicture, x: float) -> str:
    """Say how many rows a bar of the residuals counts."""
    edges, bars = picture.found.edges, picture.found.bars
    if not edges[0] <= x <= edges[-1]:
        return ""
    place = min(int(np.searchsorted(edges, x, side="right")) - 1, bars.shape[1] - 1)
    span = " … ".join(number(edge, ".3g") for edge in edges[place : place + 2])
    words = tr("{rows} off by {span} (ensemble)", rows=_rows(int(bars[0, place])), span=span)
    if len(bars) > 1:
        words += "  ·  " + tr("{rows} of the best single model", rows=_rows(int(bars[1, place])))
    return words


def dot_words(picture: ErrorsPicture, place: int) -> str:
    """Say what a dot is."""
    truth = float(picture.found.dots_truth[place])
    value = float(picture.found.dots_said[place])
    return tr(
        "row {row}: true {truth}, predicted {said} ({off})",
        row=int(picture.found.dots[place]),
        truth=number(truth, ".4g"),
        said=number(value, ".4g"),
        off=number(value - truth, "+.3g"),
    )


def _rows(count: int) -> str:
    return ntr("{count} row", "{count} rows", count)
