"""Where an ensemble errs: what the helper's answer means for the plot."""

from dataclasses import dataclass

import numpy as np

from studio.analysis.answers.prediction_errors import ALL, PredictionErrors
from studio.arrays import Floats, Integers
from studio.data.metrics.curves import Curve
from studio.figures.compose import row_shares
from studio.gui.base.language import mark, ntr, tr

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
    CONFUSION: mark("Rows of each true class, by the class that the ensemble predicts."),
    ROC: mark("How many rows of a class are found, for how many false alarms, at every threshold."),
    PRECISION: mark("How many of the rows picked are right, for how many are found."),
    RELIABILITY: mark(
        "How often the ensemble is right, for each probability that it predicts (reliability "
        "diagram)."
    ),
    SCATTER: mark("Each dot is a row; on the diagonal the prediction is right."),
    RESIDUALS: mark("Each dot is a row: how far the prediction is off, and in which direction."),
    HISTOGRAM: mark("How many rows are how far off, of the ensemble and of its best single model."),
    LIST: mark("Rows about which the members disagree most; a click marks a row."),
}
"""What is seen, by view."""

SPOILED = mark("Looking at test rows while you still choose methods spoils them as a fair test.")

MOST_CLASSES = 20
"""Classes that a confusion matrix shows; the others become one row and column."""


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
    """

    names: tuple[str, ...]
    counts: Integers
    shares: Floats


@dataclass(frozen=True)
class ErrorsPicture:
    """What the plot draws. Arrays of both: of the ensemble, and after it of the best single model.

    Attributes
    ----------
    found : PredictionErrors
        What the helper has found.
    matrix : Matrix or None
        ``None`` for values.
    test : bool
        Whether the rows are the test rows.
    target : str
        The column that is predicted.
    """

    found: PredictionErrors
    matrix: Matrix | None
    test: bool
    target: str

    @property
    def reason(self) -> str:
        """Why there is nothing to draw."""
        return self.found.reason

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes' names; empty for values."""
        return self.found.classes

    @property
    def about(self) -> int:
        """The class that curves are about, or :data:`ALL`."""
        return self.found.about

    @property
    def single(self) -> str:
        """The name of the best single model; empty where it is all of the ensemble."""
        trial = self.found.single
        return tr("best single model (trial {number})", number=trial) if trial else ""


def errors_picture(found: PredictionErrors, *, test: bool, target: str) -> ErrorsPicture:
    """Add to what was found what is drawn of it.

    Parameters
    ----------
    found : PredictionErrors
        The answer.
    test : bool
        Whether the test rows were asked for.
    target : str
        The column that is predicted.
    """
    there = found.classes and not found.reason
    matrix = matrix_of(list(found.classes), found.confusion) if there else None
    return ErrorsPicture(found, matrix, test, target)


def matrix_of(names: list[str], counts: Integers, most: int = MOST_CLASSES) -> Matrix:
    """Return the matrix of counts (C, C) with at most this many classes.

    Those with most mistakes are kept, the others joined.
    """
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
    return Matrix(tuple(shown), counts.astype(np.int64), row_shares(counts))


def curves_of(picture: ErrorsPicture, view: str) -> tuple[Curve, ...]:
    """Return the curves of both."""
    return picture.found.roc if view == ROC else picture.found.precision


def frequency(picture: ErrorsPicture) -> float:
    """Return the share of rows of the class that curves are about: precision by chance alone."""
    of_class = picture.found.confusion.sum(axis=1)
    if picture.about != ALL:
        return float(of_class[picture.about] / of_class.sum())
    return float((of_class[of_class > 0] / of_class.sum()).mean())
