"""Helper tasks about one row.

The contributions of a row's fields to its prediction are Shapley values, estimated by sampling.

A function is asked about rows whose fields come one after the other from the row that is explained,
in a random order, while the others stay those of a background row; what each step adds, on average
over orders and background rows, is the field's Shapley value (Štrumbelj and Kononenko 2014). Each
order is followed by its reverse with the same background row, which halves and more than halves the
variance (antithetic permutations: Mitchell et al. 2022, section 3.2).

The background rows are drawn from strata of similar predictions, half of the draws in proportion to
the strata's sizes and half equally (stratified sampling: Cochran 1977, chapter 5). A few rows drawn
from all of them often miss those of a rare class, and then the column that decides seems to add the
same to each. The base is the mean over all background rows and does not depend on the draws. So
that base and values sum to the prediction, what the draws leave over goes to the values in
proportion to the squares of their standard errors, as weighted least squares share it out.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from studio.analysis.answers.rows import (
    NearestChange,
    OwnRow,
    RowForm,
    RowPrediction,
    RowReasons,
    Value,
)
from studio.analysis.decision import positive_class_code
from studio.analysis.one_row.asked import NoStoredModelError, RowEnsemble, load_row_ensemble
from studio.arrays import Flags, Floats, Integers
from studio.awake import awake_seconds
from studio.data.intervals.prediction import SHARE
from studio.errors import DataError
from studio.phrases import joined
from studio.seeds import derive

_MAX_STRATA = 8
_PRIOR_DRAWS = 1.0
"""Prior weight of the pooled variance, in draws, for variances estimated from few."""

Asked = Callable[[Floats], Floats]
"""Predicts rows, shape (n, d), as an array of shape (n, C)."""


class Sampling:
    """Shapley values of one row, estimated incrementally.

    Args:
        ask: The function; its last bits may depend on the other rows of a call.
        row: Shape (d,). The row to explain.
        background: Shape (b, d), b > 0. Rows that represent "not known".
        owners: Shape (d,). The field 0, 1, … of each column.
        seed: Of orders and background rows.
    """

    def __init__(
        self, ask: Asked, row: Floats, background: Floats, owners: Sequence[int], seed: int
    ) -> None:
        self._ask, self._row, self._background = ask, row, background
        self._owners = np.asarray(owners, dtype=np.int64)
        self._fields = int(self._owners.max()) + 1
        self._rng = np.random.default_rng(seed)
        predicted = ask(background)
        self.base: Floats = predicted.mean(axis=0)
        """The mean prediction of the background rows, shape (C,)."""
        self._whole: Floats = ask(row[None])[0] - self.base
        stratum = _strata(predicted)
        self._members = [np.flatnonzero(stratum == each) for each in range(stratum.max() + 1)]
        self._sizes: Floats = np.array([len(each) for each in self._members]) / len(predicted)
        self._waiting: list[list[int]] = [[] for _ in self._members]
        self._counts = np.zeros(len(self._members))
        shape = (len(self._members), self._fields, len(self.base))
        self._sums, self._squares = np.zeros(shape), np.zeros(shape)
        self.draws = 0

    def draw(self, pairs: int) -> None:
        """Draw ``pairs`` more permutations, with their reverses."""
        orders = self._rng.permuted(np.tile(np.arange(self._fields), (pairs, 1)), axis=1)
        ranks = np.argsort(orders, axis=1)
        both = np.stack([ranks, self._fields - 1 - ranks], axis=1).reshape(2 * pairs, -1)
        strata, drawn = self._next(pairs)
        rows = np.repeat(self._background[drawn], 2, axis=0)
        steps = np.arange(self._fields + 1)
        known = both[:, None, self._owners] < steps[:, None]
        asked = np.where(known, self._row, rows[:, None, :])
        predicted = self._ask(asked.reshape(-1, len(self._row)))
        predicted = predicted.reshape(2 * pairs, len(steps), -1)
        added = np.take_along_axis(np.diff(predicted, axis=1), both[:, :, None], axis=1)
        means = added.reshape(pairs, 2, self._fields, -1).mean(axis=1)
        np.add.at(self._sums, strata, means)
        np.add.at(self._squares, strata, np.square(means))
        self.draws += pairs

    @property
    def values(self) -> Floats:
        """Contribution of each field, shape (m, C); with the base they sum to the prediction."""
        drawn = self._counts > 0
        weights = self._sizes[drawn] / self._sizes[drawn].sum() / self._counts[drawn]
        found: Floats = np.tensordot(weights, self._sums[drawn], axes=1)
        variances = self._variances()
        total = variances.sum(axis=0)
        shares = np.divide(
            variances, total, out=np.full_like(variances, 1 / self._fields), where=total > 0
        )
        found += shares * (self._whole - found.sum(axis=0))
        return found

    @property
    def errors(self) -> Floats:
        """Standard errors of the values, shape (m, C).

        They are infinite before each stratum was drawn from, and one of them twice.
        """
        if self.draws <= len(self._members):
            return np.full(self._sums.shape[1:], np.inf)
        found: Floats = np.sqrt(self._variances())
        return found

    def _variances(self) -> Floats:
        """Return the variances of the values, shape (m, C).

        That of a stratum with few draws is shrunk towards the field's over all strata, and this
        towards the mean over the fields: draws that happen to be equal do not prove that all are.
        """
        counts = np.maximum(self._counts, 1.0)[:, None, None]
        within = np.maximum(self._squares - np.square(self._sums) / counts, 0.0)
        free = np.maximum(self._counts - 1.0, 0.0)
        prior = _PRIOR_DRAWS * within.sum(axis=0).mean(axis=0) / max(free.sum(), 1.0)
        pooled = (within.sum(axis=0) + prior) / (free.sum() + _PRIOR_DRAWS)
        spread = (within + _PRIOR_DRAWS * pooled) / (free[:, None, None] + _PRIOR_DRAWS)
        found: Floats = np.tensordot(np.square(self._sizes), spread / counts, axes=1)
        return found

    def _next(self, count: int) -> tuple[Integers, Integers]:
        """Return the next strata and background rows, each of shape (count,).

        Within a stratum come all rows in random order, then all again.
        """
        wanted = self._sizes + 1 / len(self._sizes)
        strata, rows = [], []
        for _ in range(count):
            at = int(np.argmax(wanted / np.maximum(self._counts, 1e-9)))
            if not self._waiting[at]:
                self._waiting[at] = self._rng.permutation(self._members[at]).tolist()
            strata.append(at)
            rows.append(self._waiting[at].pop())
            self._counts[at] += 1
        return np.array(strata), np.array(rows)


def _strata(predicted: Floats) -> Integers:
    """Return the stratum of each row, shape (n,), by its prediction, shape (n, C).

    Their centres are the row nearest to the mean, then again and again the row farthest from all
    centres (Gonzalez 1985), so that rare predictions have a stratum; each row is with its nearest.
    """
    nearest = np.square(predicted - predicted.mean(axis=0)).sum(axis=1)
    centre = int(np.argmin(nearest))
    nearest = np.square(predicted - predicted[centre]).sum(axis=1)
    found: Integers = np.zeros(len(predicted), dtype=np.int64)
    for stratum in range(1, _MAX_STRATA):
        centre = int(np.argmax(nearest))
        if not nearest[centre] > 0:
            break
        apart = np.square(predicted - predicted[centre]).sum(axis=1)
        found[apart < nearest] = stratum
        nearest = np.minimum(nearest, apart)
    return found


_Describe = Callable[[int], NearestChange]

_VALUES = 48
"""Number of quantiles of a numeric or date column that are tried first."""

_BETWEEN = 24
"""Number of values tried between the nearest counterfactual and the row's own value."""

_MAX_LABELS = 200
"""Number of labels tried: the most frequent ones."""

_STEPS = 1000
"""Minimum number of steps in a column's range for rounding values."""


class _ColumnChanges:
    """Searches for changes of single columns that change one row's prediction.

    Only values are tried that were learned from: numbers between the smallest and the largest one,
    labels and dates that were there.

    Args:
        row: Shape (d,). In the matrix.
        amount: For numbers: a notable change of the prediction.
    """

    def __init__(self, asked: RowEnsemble, row: Floats, amount: float) -> None:
        self._asked, self._row, self._amount = asked, row, amount
        answers, predicted = asked.predict(row[None])
        self._answer, self._predicted = int(answers[0]), predicted[0]

    def find_nearest_change(self, field: int) -> NearestChange | None:
        """Return the nearest value of a field that changes the answer; ``None`` without one."""
        known, about = self._asked.fields[field].known, self._asked.fields[field].about
        if not len(known) or about.kind == "text":  # texts have no other values to try
            return None
        if about.kind == "category":
            return self._nearest_category(field)
        tried = known[np.unique(np.linspace(0, len(known) - 1, _VALUES).round().astype(np.int64))]
        own = self._row[self._asked.fields[field].places[0]]
        if about.kind == "date":
            return self._nearest(field, tried, own)
        found = self._nearest(field, self._round(field, tried), own)
        if found is None or np.isnan(own):
            return found
        between = np.linspace(own, float(found.value), _BETWEEN + 2)[1:, None]
        return self._nearest(field, self._round(field, between), own) or found

    def _nearest_category(self, field: int) -> NearestChange | None:
        codes = self._asked.fields[field].known[:, 0].astype(np.int64)
        counts = np.bincount(codes)
        often = np.argsort(-counts, kind="stable")[:_MAX_LABELS]
        tried = often[counts[often] > 0].astype(np.float64)[:, None]
        changed, describe = self._try_values(field, tried)
        if not changed.any():
            return None
        return replace(describe(int(np.argmax(changed))), others=int(changed.sum()) - 1)

    def _nearest(self, field: int, tried: Floats, own: float) -> NearestChange | None:
        """Return the nearest of values (k, p) that changes the answer."""
        changed, describe = self._try_values(field, tried)
        if not changed.any():
            return None
        middle = tried[len(tried) // 2, 0] if np.isnan(own) else own
        return describe(int(np.argmin(np.where(changed, np.abs(tried[:, 0] - middle), np.inf))))

    def _try_values(self, field: int, tried: Floats) -> tuple[Flags, _Describe]:
        """Return which of values (k, p) change the answer, (k,), and the description of one."""
        filled = np.tile(self._row, (len(tried), 1))
        filled[:, self._asked.fields[field].places] = tried
        answers, predicted = self._asked.predict(filled)
        if self._answer < 0:
            moved = np.abs(predicted[:, 0] - self._predicted[0])
            changed = (moved >= self._amount) & (moved > 0)
            predicted_then = predicted[:, 0]
        else:
            changed = answers != self._answer
            predicted_then = predicted[np.arange(len(predicted)), answers]
        columns = self._asked.prepared.table.features

        def describe(place: int) -> NearestChange:
            value = self._asked.fields[field].decode(filled[place], columns)
            assert value is not None, "known values are not missing"
            return NearestChange(field, value, int(answers[place]), float(predicted_then[place]))

        return changed, describe

    def _round(self, field: int, values: Floats) -> Floats:
        """Round numbers (k, 1), so that the tried values are those shown."""
        about = self._asked.fields[field].about
        span = about.high - about.low
        if span <= 0:
            return values
        digits = 0 if about.whole else int(np.floor(np.log10(_STEPS / span)))
        found: Floats = np.unique(np.clip(values.round(digits), about.low, about.high))[:, None]
        return found


SLICE = 0.4
"""Maximum seconds per call: other requests are served in between."""

LONGEST = 8.0
"""Seconds after which contributions are no longer refined."""

SMALL = 0.02
"""Sufficient standard errors relative to the largest explained quantity."""

FEWEST = 32
"""Minimum number of permutation pairs for standard errors."""

MOST = 2000
BACKGROUND = 2000
"""Maximum number of random training rows that represent unknown values."""

_BLOCK = 2000
"""Rows per call of the ensemble."""

_NEAR = 50
"""Number of rows of similar probability for its reliability, or fewer nearby ones."""

_FAR = 0.1
"""Maximum difference of their probabilities."""


def row_form(path: Path, run_id: int) -> RowForm:
    """Return the fields of a run's form, or the reason for having none."""
    try:
        found = load_row_ensemble(path, run_id)
    except NoStoredModelError as error:
        return RowForm(reason=str(error))
    problem = found.prepared.problem
    return RowForm(
        columns=tuple(each.about for each in found.fields),
        rows=found.prepared.table.n_rows,
        target=problem.target_name,
        unit="" if problem.classes else found.prepared.table.target_unit,
        classes=tuple(str(each) for each in problem.classes),
        looked_for=positive_class_code(found.decision, found.prepared)
        if len(problem.classes) == 2
        else None,
        amount=found.amount,
        decision=joined((found.decision.sentence, found.decision_note)) if found.decision else "",
        votes=found.votes,
    )


def table_row(path: Path, run_id: int, row: int) -> OwnRow:
    """Return a row of the run's own table.

    Args:
        row: Its number, from 1.

    Raises:
        DataError: If there is none.
    """
    found = load_row_ensemble(path, run_id)
    table, problem = found.prepared.table, found.prepared.problem
    if not 0 < row <= table.n_rows:
        raise DataError(
            "The table has the rows 1 to {n_rows:,}; {row} was asked for.",
            n_rows=table.n_rows,
            row=row,
        )
    values = tuple(each.get_value(table, row - 1) for each in found.fields)
    at = np.flatnonzero(problem.rows == row - 1)
    truth: Value = None
    if at.size:
        target = problem.y[at[0]]
        truth = str(problem.classes[int(target)]) if problem.classes else float(target)
    seen = bool(np.isin(at, found.prepared.split.development).any())
    return OwnRow(values, truth, seen)


def row_prediction(path: Path, run_id: int, values: tuple[Value, ...]) -> RowPrediction:
    """Return the ensemble's prediction of a row; values in the order of the form's fields."""
    found = load_row_ensemble(path, run_id)
    answers, predicted = found.predict(_row(found, values)[None])
    checked = found.checked
    if found.margins is not None:
        low, high = found.margins.ends(predicted[:, 0])[0].tolist()
        known = np.isfinite(found.margins.factor)
        return RowPrediction(
            value=float(predicted[0, 0]),
            low=low if known else float("nan"),
            high=high if known else float("nan"),
            share=SHARE,
            held=int(checked.right.sum()),
            of=len(checked.right),
            tested=checked.tested,
        )
    answer = int(answers[0])
    sure = checked.sure[:, answer]
    near = _find_nearest(sure, float(predicted[0, answer]))
    return RowPrediction(
        shares=predicted[0],
        answer=answer,
        held=int(checked.right[near, answer].sum()),
        of=int(near.sum()),
        sure=(float(sure[near].min(initial=1.0)), float(sure[near].max(initial=0.0))),
        tested=checked.tested,
    )


def _find_nearest(sure: Floats, probability: float) -> Flags:
    """Return a mask, (n,), of the rows with the most similar probabilities, within a limit.

    With all that are as near as the last of them: a part of equal ones would be the first in the
    table's order, which may be that of the classes.
    """
    apart = np.abs(sure - probability)
    last = min(_FAR, np.sort(apart)[:_NEAR].max(initial=0.0))
    found: Flags = apart <= last + 1e-12
    return found


def row_reasons(
    path: Path, run_id: int, values: tuple[Value, ...], amount: float, seconds: float = SLICE
) -> RowReasons:
    """Continue the explanation of a row for about ``seconds``; to be called until it is done.

    Args:
        values: One per field of the form.
        amount: A notable change of a predicted number.
        seconds: The duration of this call.
    """
    found = load_row_ensemble(path, run_id)
    key = (id(found), values, amount)
    work = _KEPT.pop(key, None) or _Work(found, _row(found, values), amount)
    ends = awake_seconds() + seconds
    while not work.done and awake_seconds() < ends:
        work.advance()
    _KEPT[key] = work
    # One ensemble is cached: work on another one is never continued, and would keep its models.
    for other in [each for each in _KEPT if each[0] != id(found)]:
        del _KEPT[other]
    while len(_KEPT) > _MAX_KEPT:
        _KEPT.popitem(last=False)
    return work.reasons()


_MAX_KEPT = 20


@dataclass
class _Work:
    """The reasons for one row, shape (d,), as far as computed."""

    asked: RowEnsemble
    row: Floats
    amount: float
    done: bool = False
    spent: float = 0.0
    changes: list[NearestChange] = field(default_factory=list)
    tried: int = 0
    _sampling: Sampling = field(init=False)
    _steps: Iterator[None] = field(init=False)

    def __post_init__(self) -> None:
        prepared = self.asked.prepared
        seed = derive(prepared.settings.seed, "one row")
        rows = np.random.default_rng(seed).permutation(prepared.split.development)[:BACKGROUND]
        background = np.asarray(prepared.problem.X[rows], dtype=np.float64)
        self._sampling = Sampling(
            self.asked.predict_shares, self.row, background, self.asked.owners, seed
        )
        self._steps = self._run_steps()

    def advance(self) -> None:
        begun = awake_seconds()
        self.done = next(self._steps, self) is self
        self.spent += awake_seconds() - begun

    def reasons(self) -> RowReasons:
        sampling = self._sampling
        return RowReasons(
            base=sampling.base,
            adds=sampling.values,
            errors=sampling.errors,
            draws=sampling.draws,
            changes=tuple(sorted(self.changes, key=self._distance)),
            tried=self.tried,
            done=self.done,
        )

    def _run_steps(self) -> Iterator[None]:
        """Estimate contributions first, then counterfactuals, then refine the contributions."""
        together = max(1, _BLOCK // (2 * (len(self.asked.fields) + 1)))
        self._sampling.draw(min(together, FEWEST))
        yield
        while self._sampling.draws < FEWEST and self.spent < LONGEST / 2:
            self._sampling.draw(min(together, FEWEST - self._sampling.draws))
            yield
        changes = _ColumnChanges(self.asked, self.row, self.amount)
        for place in range(len(self.asked.fields)):
            found = changes.find_nearest_change(place)
            self.changes += [] if found is None else [found]
            self.tried = place + 1
            yield
        ends = self.spent + LONGEST
        while not self._exact() and self.spent < ends and self._sampling.draws < MOST:
            self._sampling.draw(together)
            yield

    def _exact(self) -> bool:
        sampling = self._sampling
        whole = np.abs(self._sampling.values.sum(axis=0)).max()
        largest = max(float(np.abs(sampling.values).max()), float(whole))
        return float(sampling.errors.max()) <= SMALL * largest

    def _distance(self, change: NearestChange) -> tuple[float, int]:
        """Return the distance of a value from the row's, relative to its column's range."""
        each = self.asked.fields[change.column]
        if each.about.kind == "category":
            return 2.0, change.column
        columns = self.asked.prepared.table.features
        there = each.encode(change.value, columns)[0]
        span = float(each.known[-1, 0] - each.known[0, 0])
        off = abs(there - self.row[each.places[0]]) / span if span else 0.0
        return (1.5 if np.isnan(off) else float(off)), change.column


_KEPT: "OrderedDict[tuple[int, tuple[Value, ...], float], _Work]" = OrderedDict()
"""Cache of the last rows."""


def _row(found: RowEnsemble, values: tuple[Value, ...]) -> Floats:
    """Convert a form's values to a row of the matrix, shape (d,)."""
    row = np.full(len(found.owners), np.nan)
    if len(values) != len(found.fields):
        raise DataError(
            "Values in a row of this run: {expected}; {given} were given.",
            expected=len(found.fields),
            given=len(values),
        )
    for each, value in zip(found.fields, values, strict=True):
        row[list(each.places)] = each.encode(value, found.prepared.table.features)
    return row
