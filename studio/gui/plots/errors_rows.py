"""The rows about which an ensemble's members disagree most."""

from studio.gui.base.language import mark, ntr, percent, tr, written
from studio.gui.plots.errors_model import ErrorsPicture, ErrorsView, rows_words
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


def _rest(picture: ErrorsPicture) -> str:
    count = len(picture.found.listed)
    if not count:
        members = ntr("{count} member", "{count} members", picture.found.members)
        return tr("{members}: they agree on every row", members=members)
    if not picture.classes:
        return tr("the {rows} of largest disagreement", rows=rows_words(count))
    return tr("{rows} where the members disagree, the most divided first", rows=rows_words(count))


LIST = ErrorsView(
    title=mark("Disputed rows"),
    summary=mark("Rows about which the members disagree most; a click marks a row."),
    rest=_rest,
    table=lambda picture: (list_headings(picture), [*list_rows(picture)]),
)
