"""The work on one ensemble: permutation importance and partial dependence of the columns.

It is done in small steps, so that its progress can be shown and it can be cancelled.
"""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from studio.analysis.answers.column_effects import Dependence
from studio.analysis.column_groups import together
from studio.analysis.column_plan import ASK_SECONDS, PlannedWork
from studio.analysis.smooth_metric import smooth_metric
from studio.arrays import AnyArray, Flags, Floats, Integers
from studio.awake import awake_seconds
from studio.data.intervals.shuffling import beyond_chance, row_parts, worth_intervals
from studio.data.metrics.base import Metric
from studio.data.metrics.weighting import row_weights
from studio.ensembles.base import Ensemble, probabilities
from studio.errors import RunError
from studio.learners.base import Learner
from studio.phrases import phrase
from studio.runs.evaluate import Fitted, fit
from studio.runs.jobs import trained_by
from studio.runs.predicting import predict
from studio.seeds import derive

REPETITIONS = 5
"""How often each column is shuffled."""

BACKGROUND = 200
"""Rows over which a partial dependence is averaged."""

GRID = 24
"""Values of a column at which it is computed; also the bars of the column's distribution."""

AT_ONCE = 8
"""Columns of greatest importance whose partial dependence is computed with the importance."""

_BLOCK = 4000
"""Rows that a member predicts at once."""


@dataclass
class Work:
    """The work on one ensemble, as far as it is done.

    Attributes:
        start: What there is to do, and what it takes.
        groups: Columns that are shuffled together too, when each has been tried alone.
        rises: Shape (r, d + g). By how much the loss rose when each column, and then each group,
            was shuffled, in each repetition; NaN where it was not tried.
        taken, given: Shape (n, d + g). What each row had to do with the rises, summed over the
            repetitions: as the one that was given another row's value, and as the one whose value
            was given away.
        loss: The loss with all columns as they are.
        dependences: By column number.
        notes: Members that could not be trained again.
        done: Whether all is done that is wanted.
        phase: What is being done.
        share: How much of the phase is done, in [0, 1].
    """

    start: PlannedWork
    groups: tuple[tuple[int, ...], ...] = ()
    rises: Floats = field(init=False)
    taken: Floats = field(init=False)
    given: Floats = field(init=False)
    loss: float = float("nan")
    dependences: dict[int, Dependence] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    done: bool = False
    phase: str = ""
    share: float = 0.0
    _lost: AnyArray = field(init=False)
    _models: dict[int, tuple[Learner, Fitted]] = field(default_factory=dict)
    _ensemble: Ensemble = field(init=False)
    _steps: Iterator[None] = field(init=False)

    def __post_init__(self) -> None:
        self.groups = together(self.start.prepared.problem)
        width = len(self._sets)
        self.rises = np.full((REPETITIONS, width), np.nan)
        self.taken, self.given = np.zeros((2, len(self.start.held), width))
        self._lost = np.zeros((1 + REPETITIONS, len(self.start.held), width), dtype=np.float32)
        self._ensemble = self.start.ensemble
        self._steps = self._all()

    @property
    def _sets(self) -> list[list[int]]:
        """The columns that are shuffled together, those that are alone first."""
        alone = [[column] for column in range(len(self.start.plan.names))]
        return alone + [list(each) for each in self.groups]

    def go_on(self, seconds: float) -> None:
        """Work for about so long; a single training may take longer.

        Raises:
            RunError: If no member could be trained again.
        """
        ends = awake_seconds() + seconds
        while not self.done:
            self.done = next(self._steps, self) is self
            if awake_seconds() >= ends:
                break

    def want(self, column: int) -> None:
        """Have the partial dependence of one more column computed."""
        if self.done and column not in self.dependences:
            self.done, self._steps = False, self._depend([column])

    def predictions(self, X: Floats) -> Floats:
        """Return what the ensemble says of rows (n, d): probabilities (n, C), or values (n,)."""
        return probabilities(self._members(X), self._ensemble)

    def _members(self, X: Floats) -> Callable[[int], AnyArray]:
        """Return what each member says of rows (n, d), by its trial's number: (n, C) or (n,)."""
        count = self.start.prepared.problem.n_classes
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            said = {
                number: predict(fitted.pipeline, learner, X, count)
                for number, (learner, fitted) in self._models.items()
            }
        return said.__getitem__

    def _all(self) -> Iterator[None]:
        yield from self._train()
        yield from self._shuffle()
        means = np.nan_to_num(self.worth[: len(self.start.plan.names)], nan=-np.inf)
        order = np.argsort(-means, kind="stable").tolist()
        yield from self._depend([each for each in order if self._known(each).size][:AT_ONCE])

    def _train(self) -> Iterator[None]:
        members = self.start.plan.members
        for place, number in enumerate(members):
            self.phase = phrase(
                "Refitting member {place} of {n_members}…",
                place=place + 1,
                n_members=len(members),
            )
            self.share = place / len(members)
            yield
            try:
                self._models[number] = self._fit(number)
            except Exception as error:  # noqa: BLE001 - a learner may raise anything at all
                self.notes.append(
                    phrase(
                        "Trial {number} could not be refitted: {error}",
                        number=number,
                        error=error,
                    )
                )
        if not self._models:
            raise RunError("None of the members could be refitted. {note}", note=self.notes[0])
        self._ensemble = self.start.ensemble.keeping(self._models)

    def _fit(self, number: int) -> tuple[Learner, Fitted]:
        prepared = self.start.prepared
        trial = self.start.history.trials[number - 1]
        learner, choice = trained_by(prepared.space, trial.configuration)
        if number in self.start.trained:
            return learner, Fitted(self.start.trained[number], {}, "")
        choice = choice.settled(trial.used, learner.settles)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = fit(prepared.data(), learner, choice, trial.seed, self.start.training)
        return learner, fitted

    @property
    def tried(self) -> Integers:
        """How often each column, and group, was shuffled so far, shape (d + g,)."""
        count: Integers = np.isfinite(self.rises).sum(axis=0)
        return count

    @property
    def worth(self) -> Floats:
        """The mean rise of each so far, shape (d + g,); NaN where it was not tried."""
        sums = np.where(self.tried > 0, np.nansum(self.rises, axis=0), np.nan)
        mean: Floats = sums / np.maximum(1, self.tried)
        return mean

    def intervals(self) -> tuple[Floats, Floats]:
        """Return the 95 % interval of each rise so far, shapes (d + g,), NaN as there."""
        parts = (self.taken + self.given) / np.maximum(1, self.tried) - self.worth
        low, high = np.full((2, parts.shape[1]), np.nan)
        known = np.isfinite(parts).all(axis=0)
        if known.any():
            units = self.start.prepared.units_of(self.start.held)
            low[known], high[known] = worth_intervals(parts[:, known], units)
        return low, high

    def matters(self, low: Floats) -> Flags:
        """Return which columns and groups are worth more than chance explains so far, (d + g,).

        Rows that are drawn together are no witnesses each: there it takes the interval.

        Args:
            low: Shape (d + g,). Lower ends of the intervals.
        """
        if self.start.prepared.units_of(self.start.held) is not None:
            return low > 0
        found = np.zeros(len(low), dtype=np.bool_)
        for count in np.unique(self.tried[self.tried > 0]):
            columns = np.flatnonzero(self.tried == count)
            found[columns] = beyond_chance(self._lost[: count + 1, :, columns].astype(np.float64))
        return found

    @property
    def metric(self) -> Metric:
        """The loss by which the worth of columns is told."""
        votes = self._ensemble.combination == "vote"
        return smooth_metric(self.start.prepared.metric, votes=votes)

    def _parts(self, predictions: AnyArray) -> Floats:
        """Return what each row has to do with the loss, shape (n,); NaN where that is undefined."""
        prepared, held = self.start.prepared, self.start.held
        truth, weights = prepared.problem.y[held], prepared.weights_of(held)
        found = row_parts(self.metric, truth, predictions, weights)
        return np.full(len(held), np.nan) if found is None else found

    def _row_losses(self, predictions: AnyArray) -> Floats:
        """Return what each row loses, times its weight, shape (n,)."""
        prepared, held = self.start.prepared, self.start.held
        found = self.metric.row_losses(prepared.problem.y[held], predictions)
        assert found is not None, "every smooth metric is a mean over rows"
        return found * row_weights(prepared.weights_of(held), len(held))

    def _shuffle(self) -> Iterator[None]:
        """Shuffle columns, then groups (Breiman 2001, section 10; Fisher et al. 2019)."""
        X = np.asarray(self.start.prepared.problem.X[self.start.held], dtype=np.float64)
        (count, width), sets = X.shape, self._sets
        rng = np.random.default_rng(derive(self.start.prepared.settings.seed, "shuffle"))
        usual = self.predictions(X)
        before = self._parts(usual)
        self.loss = float(before.mean())
        self._lost[0] = self._row_losses(usual)[:, None]
        at_once = max(1, _BLOCK // count)
        spent = 0.0
        for repetition in range(REPETITIONS):
            order = rng.permutation(count)
            self.phase = phrase(
                "Shuffling columns, repetition {repetition} of {repetitions}…",
                repetition=repetition + 1,
                repetitions=REPETITIONS,
            )
            for first in range(0, len(sets), at_once):
                self.share = (repetition + first / len(sets)) / REPETITIONS
                yield
                if spent > ASK_SECONDS:
                    return  # columns of a first repetition that was too long stay unknown
                begun = awake_seconds()
                block = range(first, min(first + at_once, len(sets)))
                shuffled = np.tile(X, (len(block), 1, 1))
                for place, number in enumerate(block):
                    shuffled[place][:, sets[number]] = X[np.ix_(order, np.array(sets[number]))]
                said = self.predictions(shuffled.reshape(-1, width))
                for place, number in enumerate(block):
                    rows = said[place * count : (place + 1) * count]
                    apart = self._parts(rows) - before
                    self.rises[repetition, number] = apart.mean()
                    self.taken[:, number] += apart
                    self.given[order, number] += apart
                    self._lost[1 + repetition, :, number] = self._row_losses(rows)
                spent += awake_seconds() - begun

    def _depend(self, wanted: list[int]) -> Iterator[None]:
        for place, column in enumerate(wanted):
            name = self.start.plan.names[column]
            self.phase = phrase("Trying out values of {name!r}…", name=name)
            self.share = place / len(wanted)
            yield
            self.dependences[column] = self._dependence(column)

    def _known(self, column: int) -> Floats:
        """Return a column's values in the rows that are looked at, (n,), without missing ones."""
        rows = np.concatenate([self.start.training, self.start.held])
        known = self.start.prepared.problem.X[rows, column]
        return np.asarray(known[~np.isnan(known)], dtype=np.float64)

    def _dependence(self, column: int) -> Dependence:
        problem, held = self.start.prepared.problem, self.start.held
        X = np.asarray(problem.X[held[:BACKGROUND]], dtype=np.float64)
        there = self._known(column)
        if not there.size:
            raise RunError(
                "{name!r} is empty in all rows that are looked at, so its effect is not known.",
                name=self.start.plan.names[column],
            )
        grid, edges, counts = values_of(there, categorical=bool(problem.categorical[column]))
        categories = problem.categories[column]
        labels = () if categories is None else tuple(categories[int(code)] for code in grid)
        filled = np.tile(X, (len(grid), 1, 1))
        filled[:, :, column] = grid[:, None]
        said = probabilities(self._members(filled.reshape(-1, X.shape[1])), self._ensemble)
        means = said.reshape(len(grid), len(X), -1).mean(axis=1)
        date = problem.recipe().features[column].date
        dates = date is not None and date.part == "days"
        missing = len(self.start.training) + len(held) - len(there)
        beyond = np.empty(0)
        if missing:
            X[:, column] = np.nan
            beyond = (
                probabilities(self._members(X), self._ensemble).reshape(len(X), -1).mean(axis=0)
            )
        return Dependence(grid, labels, means, edges, counts, missing, dates, beyond)


def values_of(values: Floats, *, categorical: bool) -> tuple[Floats, Floats, Integers]:
    """Return at which values of a column a dependence is computed, and its distribution.

    Few values are taken each; of many categories the most frequent; of many numbers an even grid
    from the 1st to the 99th percentile, with bars between.

    Args:
        values: Shape (n,), n > 0. Without missing ones.
        categorical: Whether they are codes.

    Returns:
        Shapes (g,), (b + 1,) or (0,), and (b,) or (g,), as in :class:`Dependence`.
    """
    none: Floats = np.empty(0)
    found, counts = np.unique(values, return_counts=True)
    if found.size <= GRID:
        return found, none, counts.astype(np.int64)
    if categorical:
        kept = np.sort(np.argsort(-counts, kind="stable")[:GRID])
        return found[kept], none, counts[kept].astype(np.int64)
    low, high = np.quantile(values, [0.01, 0.99])
    if low == high:
        low, high = found[0], found[-1]
    bars, edges = np.histogram(values, bins=GRID, range=(low, high))
    return np.linspace(low, high, GRID), edges, bars.astype(np.int64)
