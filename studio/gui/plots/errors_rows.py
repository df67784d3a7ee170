"""An ensemble's errors as rows: the list of disputed rows, and the numbers to take away."""

from typing import Any

import numpy as np

from studio.arrays import AnyArray
from studio.gui.base.language import number, percent, tr
from studio.gui.plots.errors_model import (
    CONFUSION,
    HISTOGRAM,
    PRECISION,
    RELIABILITY,
    RESIDUALS,
    ROC,
    SCATTER,
    ErrorsPicture,
)


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
