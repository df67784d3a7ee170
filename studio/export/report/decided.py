"""A report's texts about a decision: headline, matrix and advice."""

import numpy as np

from studio.analysis.answers.predictions import Confusion, DecisionFigures
from studio.arrays import Floats
from studio.data.metrics.plain import PlainScore
from studio.document.decision import Decision

WITHOUT = "without a decision"
"""Name of labels without a decision: the ensemble's predicted class."""

_UNTESTED = "Before relying on it, test it on rows it has never seen."


def describe_labels(found: DecisionFigures, score: PlainScore) -> str:
    """Return the accuracy of the decided labels, compared with those without a decision."""
    right, plain, of = (
        _n_correct(found.decided),
        _n_correct(found.usual),
        found.decided.total,
    )
    tested = " it had never seen" if found.judged == "test" else ""
    if found.weighted:
        shares = [f"{100 * each / of:.1f} %" for each in (right, plain, score.guess * of)]
        return (
            f"With the decision, {shares[0]} of the rows' weight{tested} is labelled correctly "
            f"({WITHOUT}: {shares[1]}; guessing the most common class: {shares[2]})."
        )
    rows = "row" if found.count == 1 else "rows"
    are = "is" if f"{right:.0f}" == "1" else "are"
    fewer = found.decided.missed < found.usual.missed and round(right) < round(plain)
    traded = " The decision accepts that, so as to miss fewer." if fewer else ""
    return (
        f"With the decision, {right:,.0f} of {of:,.0f} {rows}{tested} {are} labelled correctly "
        f"({WITHOUT}: {plain:,.0f}; guessing the most common class: {score.guess * of:,.0f})."
        f"{traded}"
    )


def describe_advice(kept: Decision, found: DecisionFigures) -> str:
    """Return the advice for a decision, with its valid outcome on the evaluation rows."""
    name, cells = kept.looked_for, found.decided
    rows = f"{found.judged} rows"
    untested = "" if found.judged == "test" else f" {_UNTESTED}"
    if kept.capacity is not None:
        share = f"{100 * kept.capacity:.4g} %"
        words = (
            f"Handle rows in the order of their probability of “{name}”, the highest first, up to "
            f"your capacity of {share} of the rows."
        )
        if found.gains.x.size:
            held = float(np.interp(kept.capacity, found.gains.x, found.gains.y))
            words += f" The first {share} of the {rows} held {100 * held:.0f} % of all “{name}”."
        return f"{words}{untested}"
    flagged, positive = cells.found + cells.alarms, cells.found + cells.missed
    words = f"Act on the rows that the decision labels “{name}”."
    if positive:
        words += (
            f" Of the {rows} these were {100 * flagged / cells.total:.0f} %, with "
            f"{100 * cells.found / positive:.0f} % of all “{name}”."
        )
    return f"{words}{untested}"


def matrix(found: DecisionFigures) -> Floats:
    """Return the confusion matrix of the decision, shape (2, 2), with true classes in rows."""
    cells = found.decided
    if found.looked_for == found.classes[0]:
        return np.array([[cells.found, cells.missed], [cells.alarms, cells.passed]])
    return np.array([[cells.passed, cells.alarms], [cells.missed, cells.found]])


def _n_correct(cells: Confusion) -> float:
    return cells.found + cells.passed
