"""Which value of a single column would change the answer for a row."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from studio.analysis.answers.one_row import NearestChange
from studio.analysis.one_row.asked import AskedEnsemble
from studio.arrays import Flags, Floats

_Describe = Callable[[int], NearestChange]

VALUES = 48
"""Values of a column of numbers or dates that are tried first: its quantiles."""

BETWEEN = 24
"""Values that are tried between the nearest one that changes the answer and the row's own."""

MAX_LABELS = 200
"""Labels that are tried: the most frequent ones."""

_STEPS = 1000
"""A column's range is divided into a tenth of this many steps, or more: values are round."""


class ColumnChanges:
    """What single columns can do to one row's answer.

    Only values are tried that were learned from: numbers between the smallest and the largest one,
    labels and dates that were there.

    Args:
        asked: The ensemble.
        row: Shape (d,). The row, in the matrix.
        amount: For numbers: by how much the prediction has to move.
    """

    def __init__(self, asked: AskedEnsemble, row: Floats, amount: float) -> None:
        self._asked, self._row, self._amount = asked, row, amount
        answers, said = asked.said(row[None])
        self._answer, self._said = int(answers[0]), said[0]

    def of(self, field: int) -> NearestChange | None:
        """Return the nearest value of a field that changes the answer; ``None`` where none does."""
        known, about = self._asked.fields[field].known, self._asked.fields[field].about
        if not len(known) or about.kind == "text":  # of a text there are no others to try
            return None
        if about.kind == "category":
            return self._of_labels(field)
        tried = known[np.unique(np.linspace(0, len(known) - 1, VALUES).round().astype(np.int64))]
        own = self._row[self._asked.fields[field].places[0]]
        if about.kind == "date":
            return self._nearest(field, tried, own)
        found = self._nearest(field, self._rounded(field, tried), own)
        if found is None or np.isnan(own):
            return found
        between = np.linspace(own, float(found.value), BETWEEN + 2)[1:, None]
        return self._nearest(field, self._rounded(field, between), own) or found

    def _of_labels(self, field: int) -> NearestChange | None:
        codes = self._asked.fields[field].known[:, 0].astype(np.int64)
        counts = np.bincount(codes)
        often = np.argsort(-counts, kind="stable")[:MAX_LABELS]
        tried = often[counts[often] > 0].astype(np.float64)[:, None]
        changed, describe = self._tried(field, tried)
        if not changed.any():
            return None
        return replace(describe(int(np.argmax(changed))), others=int(changed.sum()) - 1)

    def _nearest(self, field: int, tried: Floats, own: float) -> NearestChange | None:
        """Return the nearest of values (k, p) that changes the answer."""
        changed, describe = self._tried(field, tried)
        if not changed.any():
            return None
        middle = tried[len(tried) // 2, 0] if np.isnan(own) else own
        return describe(int(np.argmin(np.where(changed, np.abs(tried[:, 0] - middle), np.inf))))

    def _tried(self, field: int, tried: Floats) -> tuple[Flags, _Describe]:
        """Return which of values (k, p) change the answer, (k,), and what describes one of them."""
        filled = np.tile(self._row, (len(tried), 1))
        filled[:, self._asked.fields[field].places] = tried
        answers, said = self._asked.said(filled)
        if self._answer < 0:
            moved = np.abs(said[:, 0] - self._said[0])
            changed = (moved >= self._amount) & (moved > 0)
            said_then = said[:, 0]
        else:
            changed = answers != self._answer
            said_then = said[np.arange(len(said)), answers]
        columns = self._asked.prepared.table.features

        def describe(place: int) -> NearestChange:
            value = self._asked.fields[field].decoded(filled[place], columns)
            assert value is not None, "known values are not missing"
            return NearestChange(field, value, int(answers[place]), float(said_then[place]))

        return changed, describe

    def _rounded(self, field: int, values: Floats) -> Floats:
        """Return numbers (k, 1) as round ones, which are tried as they are then shown."""
        about = self._asked.fields[field].about
        span = about.high - about.low
        if span <= 0:
            return values
        digits = 0 if about.whole else int(np.floor(np.log10(_STEPS / span)))
        found: Floats = np.unique(np.clip(values.round(digits), about.low, about.high))[:, None]
        return found
