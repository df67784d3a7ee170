"""An ensemble's errors as rows: the list of disputed rows, and the numbers to export."""

from collections.abc import Iterable
from typing import Any

from studio.arrays import AnyArray
from studio.gui.base.language import percent, tr, written
from studio.gui.plots.errors_model import (
    CONFUSION,
    HISTOGRAM,
    PRECISION,
    RELIABILITY,
    RESIDUALS,
    ROC,
    SCATTER,
    ErrorsPicture,
    curves_of,
)
from studio.numerals import Numerals


def list_headings(picture: ErrorsPicture) -> tuple[str, ...]:
    """Name the columns of the list of rows."""
    if picture.classes:
        return tr("row"), tr("true"), tr("ensemble"), tr("agree"), tr("others predict")
    return tr("row"), tr("true"), tr("ensemble"), tr("off by"), tr("members' sd")


def list_rows(picture: ErrorsPicture) -> list[tuple[str, ...]]:
    """Return the list's cells as they are shown."""
    found = picture.found
    rows: list[tuple[str, ...]] = []
    columns = (
        found.listed,
        found.listed_truth,
        found.listed_said,
        found.listed_spread,
        found.listed_other,
    )
    values = Numerals.together([*found.listed_truth, *found.listed_said])
    off = Numerals.together(found.listed_said - found.listed_truth, 3)
    spreads = Numerals.together(found.listed_spread, 3)
    for place, true, answer, spread, other in zip(*(x.tolist() for x in columns), strict=True):
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
            rows.append(
                (
                    str(place),
                    *(written(each, values) for each in (true, answer)),
                    written(answer - true, off, "+"),
                    written(spread, spreads),
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
                "row {row} is {true}: {share} of the ensemble's weight predicts that, "
                "correctly; most others predict {other}",
                **values,
            )
        return tr(
            "row {row} is {true}, but {share} of the ensemble's weight predicts {answer}; most "
            "others predict {other}",
            answer=cells[2][2:],
            **values,
        )
    return tr(
        "row {row}: true {true}, the ensemble predicts {answer} ({off}); its members "
        "differ by {sd}",
        row=cells[0],
        true=cells[1],
        answer=cells[2],
        off=cells[3],
        sd=cells[4],
    )


def table_of(picture: ErrorsPicture, view: str) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """Return the numbers of a view: names of columns, and rows."""
    found = picture.found
    if view == CONFUSION and picture.matrix is not None:
        counts = found.confusion.tolist()
        names = ("true class", *(f"answer {name}" for name in picture.classes))
        return names, [(name, *line) for name, line in zip(picture.classes, counts, strict=True)]
    if view in (ROC, PRECISION):
        names = ("whose", "recall", "precision")
        if view == ROC:
            names = ("whose", "false positive rate", "true positive rate")
        return names, _of_both((curve.x, curve.y) for curve in curves_of(picture, view))
    if view == RELIABILITY:
        names = ("whose", "mean probability", "share true", "rows")
        return names, _of_both(
            (each.predicted, each.observed, each.counts) for each in found.reliability
        )
    if view == HISTOGRAM:
        low, high = found.edges[:-1], found.edges[1:]
        return ("whose", "from", "to", "rows"), _of_both((low, high, bars) for bars in found.bars)
    if view in (SCATTER, RESIDUALS):
        columns = (found.dots, found.dots_truth, found.dots_said)
        return ("row", "true", "predicted"), list(
            zip(*(each.tolist() for each in columns), strict=True)
        )
    rows = [tuple(cells) for cells in list_rows(picture)]
    return list_headings(picture), list(rows)


def _of_both(both: Iterable[tuple[AnyArray, ...]]) -> list[tuple[Any, ...]]:
    return [
        (whose, *each)
        for whose, columns in zip(("ensemble", "best single model"), both, strict=False)
        for each in zip(*(column.tolist() for column in columns), strict=True)
    ]
