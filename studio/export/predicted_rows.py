"""Predictions as the window and its helper hold them: arrays, with each text only once."""

import numpy as np

from studio.analysis.answers.rows import OwnColumn, PredictedRows
from studio.arrays import AnyArray, Floats
from studio.data.coded import Coded
from studio.data.distinct import Distinct
from studio.data.reading import RawTable
from studio.data.texts import Texts
from studio.export.intervals import Intervals
from studio.export.predictions import OwnTable, TablePredictions


def rows_of(predicted: TablePredictions) -> PredictedRows:
    """Return predictions with the columns of their table, whose texts are sorted by value."""
    own, raw = predicted.own, predicted.raw
    columns: tuple[OwnColumn, ...] = ()
    if raw is not None:
        columns = tuple(_column(raw, place) for place in range(len(raw.names)))
    classes = tuple(map(str, predicted.classes))
    known = {label: code for code, label in enumerate(predicted.classes)}
    answers: AnyArray = predicted.values
    if classes:
        answers = np.array([known[value] for value in predicted.values.tolist()], dtype=np.int64)
    ends = predicted.intervals
    empty = np.empty((len(answers), 0))
    return PredictedRows(
        own=columns,
        answers=answers,
        classes=classes,
        shares=empty if predicted.shares is None else predicted.shares,
        ends=empty if ends is None else ends.ends,
        share=float("nan") if ends is None else ends.share,
        unseen=predicted.unseen,
        unknown="" if predicted.unseen else predicted.unknown,
        together=predicted.together,
        looked_for=predicted.looked_for,
        caution=predicted.unlike.verdict,
        separator=predicted.separator,
        decimal="." if own is None else own.decimal,
    )


def predictions_of(rows: PredictedRows) -> TablePredictions:
    """Return what is written of the rows of a table."""
    coded = tuple(Coded(each.codes, Texts.of(each.texts())) for each in rows.own)
    own = OwnTable(tuple(each.name for each in rows.own), coded, rows.separator, rows.decimal)
    values: AnyArray = rows.answers
    if rows.classes:
        values = np.array(rows.classes, dtype=object)[rows.answers]
    ends = Intervals(rows.share, rows.ends) if rows.ends.shape[1] else None
    shares = rows.shares if rows.classes else None
    return TablePredictions(values, shares, rows.classes, (), own, ends)


def _column(raw: RawTable, place: int) -> OwnColumn:
    cells, kind = raw.distinct(place), raw.formats[place].kind
    texts = list(cells.texts)
    order = _order(cells, kind, texts)
    ranks = np.empty(len(order), dtype=np.int32)
    ranks[order] = np.arange(len(order), dtype=np.int32)
    octets = [texts[each].encode("utf-8", "replace") for each in order.tolist()]
    return OwnColumn(
        str(raw.names[place]),
        ranks[cells.codes],
        np.frombuffer(b"".join(octets), dtype=np.uint8),
        np.cumsum([len(each) for each in octets], dtype=np.int64),
        right=kind == "number",
        aliases=tuple(raw.aliases[place]),
    )


def _order(cells: Distinct, kind: str, texts: list[str]) -> AnyArray:
    """Return the places of texts, (k,), by their values; what has none comes last."""
    if kind in {"number", "date"}:
        values: Floats = cells.numbers if kind == "number" else cells.moments()
        return np.argsort(values, kind="stable")
    folded = [(not text.strip(), text.casefold(), place) for place, text in enumerate(texts)]
    return np.array([place for *_, place in sorted(folded)], dtype=np.int64)
