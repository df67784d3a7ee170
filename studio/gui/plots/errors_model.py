"""Where an ensemble errs: what the helper's answer means for the plot."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.gui.language import mark, ntr, number, percent, tr

CONFUSION, ROC, PRECISION, RELIABILITY = "confusion", "roc", "precision", "reliability"
SCATTER, RESIDUALS, HISTOGRAM, LIST = "scatter", "residuals", "histogram", "list"

OF_CLASSES = {
    CONFUSION: mark("Confusion matrix"),
    ROC: mark("ROC curve"),
    PRECISION: mark("Precision and recall"),
    RELIABILITY: mark("Calibration"),
    LIST: mark("Disputed rows"),
}
OF_VALUES = {
    SCATTER: mark("Predicted and true"),
    RESIDUALS: mark("Residuals"),
    HISTOGRAM: mark("Histogram"),
    LIST: mark("Disputed rows"),
}
"""The views, in the order of the chooser, by the kind of target."""

SUMMARIES = {
    CONFUSION: mark("Rows of each true class, by the answer that the ensemble gives."),
    ROC: mark("How many rows of a class are found, for how many false alarms, at every threshold."),
    PRECISION: mark("How many of the rows picked out are right, for how many that are found."),
    RELIABILITY: mark("How often it is true what the ensemble says with some probability."),
    SCATTER: mark("Each dot is a row; on the diagonal the prediction is right."),
    RESIDUALS: mark("Each dot is a row: how far the prediction is off, and in which direction."),
    HISTOGRAM: mark("How many rows are how far off, of the ensemble and of its best single model."),
    LIST: mark("Rows about which the members disagree most; a click marks a row."),
}
"""What is seen, by view."""

SPOILED = mark("Looking at test rows while you still choose methods spoils them as a fair test.")

MOST_CLASSES = 20
"""Classes that a confusion matrix shows; the others become one row and column."""

ALL = -1


@dataclass(frozen=True)
class Matrix:
    """A confusion matrix as it is drawn.

    Attributes
    ----------
    names : tuple of str, length k
        The classes, the last perhaps "18 others".
    counts : Integers, shape (k, k)
        Rows by true class (first axis) and answer.
    shares : Floats, shape (k, k)
        The same as share of the true class' rows, NaN where it has none.
    lumped : int
        How many classes the last name stands for; 0 for none.
    """

    names: tuple[str, ...]
    counts: Integers
    shares: Floats
    lumped: int


@dataclass(frozen=True)
class ErrorsPicture:
    """What the plot draws. Arrays of both: of the ensemble, and behind it of the best single model.

    Attributes
    ----------
    words, arrays : mapping
        The fields of :class:`studio.runs.prediction_errors.PredictionErrors`.
    matrix : Matrix or None
        ``None`` for values.
    test : bool
        Whether the rows are the test rows.
    target : str
        The column that is predicted.
    """

    words: Mapping[str, Any]
    arrays: Mapping[str, AnyArray]
    matrix: Matrix | None
    test: bool
    target: str

    @property
    def reason(self) -> str:
        """Why there is nothing to draw."""
        return str(self.words["reason"])

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes' names; empty for values."""
        return tuple(self.words["classes"])

    @property
    def views(self) -> Mapping[str, str]:
        """The views that there are."""
        return OF_CLASSES if self.classes else OF_VALUES

    @property
    def about(self) -> int:
        """The class that curves are about, or :data:`ALL`."""
        return int(self.words["about"])

    @property
    def single(self) -> str:
        """The name of the best single model; empty where it is all of the ensemble."""
        trial = int(self.words["single"])
        return tr("best single model (trial {number})", number=trial) if trial else ""


def errors_picture(
    words: Mapping[str, Any], arrays: Mapping[str, AnyArray], *, test: bool, target: str
) -> ErrorsPicture:
    """Read the helper's answer.

    Parameters
    ----------
    words, arrays : mapping
        The fields of :class:`studio.runs.prediction_errors.PredictionErrors`.
    test : bool
        Whether the test rows were asked for.
    target : str
        The column that is predicted.
    """
    names = [str(name) for name in words["classes"]]
    found = matrix_of(names, arrays["confusion"]) if names and not words["reason"] else None
    return ErrorsPicture({**words, "classes": names}, arrays, found, test, target)


def matrix_of(names: list[str], counts: Integers, most: int = MOST_CLASSES) -> Matrix:
    """Return the matrix with at most so many classes: those with most mistakes, then the others."""
    lumped = 0
    shown = list(names)
    if len(names) > most:
        wrong = counts.sum(axis=0) + counts.sum(axis=1) - 2 * np.diag(counts)
        kept = np.sort(np.argsort(-wrong, kind="stable")[: most - 1])
        into = np.full(len(names), most - 1)
        into[kept] = np.arange(most - 1)
        small = np.zeros((most, most), dtype=np.int64)
        np.add.at(small, (into[:, None], into[None, :]), counts)
        lumped = len(names) - most + 1
        shown = [names[place] for place in kept]
        shown.append(ntr("{count} other", "{count} others", lumped))
        counts = small
    of_class = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, of_class, out=np.full(counts.shape, np.nan), where=of_class > 0)
    return Matrix(tuple(shown), counts.astype(np.int64), shares, lumped)


def about_words(picture: ErrorsPicture, about: int) -> str:
    """Name what curves are about: a class, or all."""
    if about == ALL:
        return tr("mean over all classes")
    if len(picture.classes) == 2:
        return tr("positive: {name}", name=picture.classes[about])
    return tr("{name} against the rest", name=picture.classes[about])


def frequency(picture: ErrorsPicture) -> float:
    """Return the share of rows of the class that curves are about: precision by chance alone."""
    of_class = picture.arrays["confusion"].sum(axis=1)
    if picture.about != ALL:
        return float(of_class[picture.about] / of_class.sum())
    return float((of_class[of_class > 0] / of_class.sum()).mean())


# Sentences ----------------------------------------------------------------------------------


def rest_words(picture: ErrorsPicture, view: str) -> str:
    """Say what stands out while nothing is pointed at."""
    if view in (ROC, PRECISION):
        key = "roc_area" if view == ROC else "pr_area"
        name = tr("area under the curve") if view == ROC else tr("average precision")
        return _both(picture, name, picture.arrays[key], ".3f", "")
    if view == RELIABILITY:
        name = tr("expected calibration error")
        return _both(picture, name, 100 * picture.arrays["bin_error"], ".1f", " %")
    if view == LIST:
        return _listed(picture)
    return wrong_words(picture) if picture.classes else value_words(picture)


def wrong_words(picture: ErrorsPicture) -> str:
    """Say how many answers are wrong and which mistake is most frequent."""
    counts = picture.arrays["confusion"]
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
        "{share} wrong ({wrong} of {total}); most often {true} taken for {answer} ({rows})",
        true=picture.classes[true],
        answer=picture.classes[answer],
        rows=_rows(int(off.max())),
        **values,
    )


def value_words(picture: ErrorsPicture) -> str:
    """Say how far the predictions are off."""
    arrays = picture.arrays
    return tr(
        "off by {rmse} (root mean square), {mae} on average, in the unit of {target}  ·  "
        "R² {r2}  ·  {rows}",
        rmse=number(float(arrays["rmse"][0]), ".3g"),
        mae=number(float(arrays["mae"][0]), ".3g"),
        r2=number(float(arrays["r2"][0]), ".3f"),
        target=picture.target,
        rows=_rows(int(picture.words["count"])),
    )


def _both(picture: ErrorsPicture, name: str, values: Floats, form: str, unit: str) -> str:
    """Write a figure of the ensemble, and of the best single model."""
    if not np.isfinite(values[0]):
        return tr("no curve: the rows hold one sort only")
    first = f"{number(float(values[0]), form)}{unit}"
    about = about_words(picture, picture.about)
    if picture.about == ALL and name == tr("expected calibration error"):
        about = tr("the answer given, whatever it is")
    if len(values) == 1:
        return tr("{name} {value}  ·  {about}", name=name, value=first, about=about)
    return tr(
        "{name}: ensemble {value}, {single} {other}  ·  {about}",
        name=name,
        value=first,
        single=picture.single,
        other=f"{number(float(values[1]), form)}{unit}",
        about=about,
    )


def _listed(picture: ErrorsPicture) -> str:
    count = len(picture.arrays["listed"])
    if not count:
        members = ntr("{count} member", "{count} members", int(picture.words["members"]))
        return tr("{members}: no row has two opinions", members=members)
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
        "{rows} of class {true} taken for {answer}: {share} of that class",
        rows=_rows(count),
        true=matrix.names[row],
        answer=matrix.names[column],
        share=percent(share),
    )


def curve_words(picture: ErrorsPicture, view: str, x: float) -> str:
    """Read the curves at a place of the x-axis."""
    if not 0 <= x <= 1:
        return ""
    key = "roc" if view == ROC else "pr"
    parts = []
    names = [tr("ensemble"), picture.single]
    for name, xs, ys in zip(
        names, picture.arrays[f"{key}_x"], picture.arrays[f"{key}_y"], strict=False
    ):
        if not len(xs) or np.isnan(xs[0]):
            return ""
        if view == ROC:
            y = float(ys[max(int(np.searchsorted(xs, x, side="right")) - 1, 0)])
        else:
            y = float(ys[min(int(np.searchsorted(xs, x, side="left")), len(ys) - 1)])
        parts.append(f"{name} {percent(y)}")
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
    counts = picture.arrays["bin_counts"]
    if not 0 <= x <= 1:
        return ""
    width = 1.0 / counts.shape[1]
    place = min(int(x / width), counts.shape[1] - 1)
    span = f"{100 * place * width:.0f}–{100 * (place + 1) * width:.0f} %"
    if not counts[0, place]:
        return tr("no row was given {span}", span=span)
    return tr(
        "{span}: said {said} on average, true of {came} of {rows} (ensemble)",
        span=span,
        said=percent(float(picture.arrays["bin_said"][0, place])),
        came=percent(float(picture.arrays["bin_came"][0, place])),
        rows=_rows(int(counts[0, place])),
    )


def bar_words(picture: ErrorsPicture, x: float) -> str:
    """Say how many rows a bar of the residuals counts."""
    edges, bars = picture.arrays["edges"], picture.arrays["bars"]
    if not edges[0] <= x <= edges[-1]:
        return ""
    place = min(int(np.searchsorted(edges, x, side="right")) - 1, bars.shape[1] - 1)
    span = f"{edges[place]:.3g} … {edges[place + 1]:.3g}"
    words = tr("{rows} off by {span} (ensemble)", rows=_rows(int(bars[0, place])), span=span)
    if len(bars) > 1:
        words += "  ·  " + tr("{rows} of the best single model", rows=_rows(int(bars[1, place])))
    return words


def dot_words(picture: ErrorsPicture, place: int) -> str:
    """Say what a dot is."""
    truth = float(picture.arrays["dots_truth"][place])
    value = float(picture.arrays["dots_said"][place])
    return tr(
        "row {row}: true {truth}, predicted {said} ({off})",
        row=int(picture.arrays["dots"][place]),
        truth=number(truth, ".4g"),
        said=number(value, ".4g"),
        off=number(value - truth, "+.3g"),
    )


def _rows(count: int) -> str:
    return ntr("{count} row", "{count} rows", count)


# The list -----------------------------------------------------------------------------------


def list_headings(picture: ErrorsPicture) -> tuple[str, ...]:
    """Name the columns of the list of rows."""
    if picture.classes:
        return tr("row"), tr("true"), tr("ensemble"), tr("agree"), tr("others say")
    return tr("row"), tr("true"), tr("ensemble"), tr("off by"), tr("members' sd")


def list_rows(picture: ErrorsPicture) -> list[tuple[str, ...]]:
    """Return the list's cells as they are shown."""
    arrays = picture.arrays
    rows: list[tuple[str, ...]] = []
    names = ("listed", "listed_truth", "listed_said", "listed_spread", "listed_other")
    columns = (arrays[name].tolist() for name in names)
    for place, true, answer, spread, other in zip(*columns, strict=True):
        if picture.classes:
            classes = picture.classes
            rows.append(
                (
                    str(place),
                    classes[int(true)],
                    ("" if int(true) == int(answer) else "✗ ") + classes[int(answer)],
                    percent(spread, 0),
                    classes[int(other)] if other >= 0 else "—",
                )
            )
        else:
            values = (true, answer)
            rows.append(
                (
                    str(place),
                    *(number(each, ".4g") for each in values),
                    number(answer - true, "+.3g"),
                    number(spread, ".3g"),
                )
            )
    return rows


def row_words(picture: ErrorsPicture, place: int) -> str:
    """Say what a row of the list means."""
    cells = list_rows(picture)[place]
    if picture.classes:
        values = {"row": cells[0], "true": cells[1], "share": cells[3], "other": cells[4]}
        if not cells[2].startswith("✗"):
            return tr(
                "row {row} is {true}: {share} of the ensemble's weight says so, rightly; "
                "most others say {other}",
                **values,
            )
        return tr(
            "row {row} is {true}, but {share} of the ensemble's weight says {answer}; "
            "most others say {other}",
            answer=cells[2][2:],
            **values,
        )
    return tr(
        "row {row}: true {true}, the ensemble says {answer} ({off}); its members differ by {sd}",
        row=cells[0],
        true=cells[1],
        answer=cells[2],
        off=cells[3],
        sd=cells[4],
    )


# Numbers to take away -----------------------------------------------------------------------


def table_of(picture: ErrorsPicture, view: str) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """Return the numbers of a view: names of columns, and rows."""
    arrays = picture.arrays
    if view == CONFUSION and picture.matrix is not None:
        counts = arrays["confusion"].tolist()
        names = ("true class", *(f"answer {name}" for name in picture.classes))
        return names, [(name, *line) for name, line in zip(picture.classes, counts, strict=True)]
    if view in (ROC, PRECISION):
        key, names = (
            ("roc", ("whose", "false positive rate", "true positive rate"))
            if view == ROC
            else ("pr", ("whose", "recall", "precision"))
        )
        return names, _of_both(arrays[f"{key}_x"], arrays[f"{key}_y"])
    if view == RELIABILITY:
        names = ("whose", "mean probability", "share true", "rows")
        return names, _of_both(arrays["bin_said"], arrays["bin_came"], arrays["bin_counts"])
    if view == HISTOGRAM:
        edges = arrays["edges"]
        low = np.broadcast_to(edges[:-1], arrays["bars"].shape)
        high = np.broadcast_to(edges[1:], arrays["bars"].shape)
        return ("whose", "from", "to", "rows"), _of_both(low, high, arrays["bars"])
    if view in (SCATTER, RESIDUALS):
        columns = (arrays["dots"], arrays["dots_truth"], arrays["dots_said"])
        return ("row", "true", "predicted"), list(
            zip(*(each.tolist() for each in columns), strict=True)
        )
    rows = [tuple(cells) for cells in list_rows(picture)]
    return list_headings(picture), list(rows)


def _of_both(*columns: AnyArray) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    for whose, *lines in zip(("ensemble", "best single model"), *columns, strict=False):
        rows += [(whose, *each) for each in zip(*(x.tolist() for x in lines), strict=True)]
    return rows
