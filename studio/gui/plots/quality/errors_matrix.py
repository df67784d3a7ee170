"""The confusion matrix of an ensemble."""

import numpy as np

from studio.figures.compose import confusion
from studio.figures.figure import Figure, Pointer, Scale
from studio.gui.base.language import mark, number, percent, tr
from studio.gui.plots.quality.errors_model import ErrorsPicture, ErrorsView, Table, rows_words


def _figure(picture: ErrorsPicture, chosen: int) -> Figure:
    """Return true classes downwards, answers to the right."""
    del chosen
    names, counts = picture.matrix

    def written(count: float, share: float) -> str:
        return f"{number(count, ',.0f')}\n{percent(share, 0)}" if count else ""

    labels = (tr("predicted class"), tr("true class"))
    panel, cells = confusion(names, counts, written, labels)
    return Figure(
        [panel], [cells], scale=Scale(tr("share of the true class' rows"), "0 %", "100 %")
    )


def _rest(picture: ErrorsPicture) -> str:
    """Say how many answers are wrong and which mistake is most frequent."""
    counts = picture.found.confusion
    total, wrong = int(counts.sum()), int(counts.sum() - np.trace(counts))
    if not wrong:
        return tr("none of {rows} is wrong", rows=rows_words(total))
    values = {
        "share": percent(wrong / total),
        "wrong": number(wrong, ",d"),
        "total": number(total, ",d"),
    }
    off = np.where(np.eye(len(counts), dtype=bool), 0, counts)
    if off.max() == 1:
        return tr("{share} wrong ({wrong} of {total}); no mistake occurs twice", **values)
    true, answer = np.unravel_index(int(off.argmax()), off.shape)
    return tr(
        "{share} wrong ({wrong} of {total}); most often {true} predicted as {answer} ({rows})",
        true=picture.classes[true],
        answer=picture.classes[answer],
        rows=rows_words(int(off.max())),
        **values,
    )


def _words(picture: ErrorsPicture, at: Pointer) -> str:
    """Say what a cell counts."""
    names, counts = picture.matrix
    row, column = int(at.y // 1), int(at.x // 1)
    if not (0 <= row < len(names) and 0 <= column < len(names)):
        return ""
    if not (total := int(counts[row].sum())):
        return tr("no row is of class {true}", true=names[row])
    return tr(
        "{rows} of class {true} predicted as {answer}: {share} of that class",
        rows=rows_words(int(counts[row, column])),
        true=names[row],
        answer=names[column],
        share=percent(counts[row, column] / total),
    )


def _table(picture: ErrorsPicture) -> Table:
    names = ("true class", *(f"answer {name}" for name in picture.classes))
    counts = picture.found.confusion.tolist()
    return names, [(name, *line) for name, line in zip(picture.classes, counts, strict=True)]


CONFUSION = ErrorsView(
    title=mark("Confusion matrix"),
    summary=mark("Rows of each true class, by the class that the ensemble predicts."),
    rest=_rest,
    table=_table,
    figure=_figure,
    words=_words,
)
