"""Finished trials, each stored with its predictions and their effects in one transaction."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from studio.arrays import AnyArray
from studio.document import predictions, sealing, shapes
from studio.document.arrays import ArrayStore
from studio.document.connection import Store
from studio.document.damage import BACKUP_ADVICE, DamagedRecord
from studio.document.owners import Owners
from studio.document.predictions import PackedPredictions, pack_predictions
from studio.document.runs import RESULT_LOST, unseal_status
from studio.errors import DocumentError
from studio.phrases import count_phrase, phrase
from studio.trial import LostTrial, Trial

Part = Literal["validation", "test"]

_MAX_LOST = 10_000
"""Maximum number of missing trials before a trial; higher numbers are rejected."""

_COUNTED_AS_FAILED = phrase(
    "That trial counts as failed, and nothing that depends on it is computed again."
)

GAP_KEY = "gap"
"""Detail of an iteration: the 95 % interval of the ensemble's test loss minus its validation loss,
or null without one.
"""


@dataclass(frozen=True)
class Iteration:
    """A run's state after a trial: all data of its plots at that time.

    Attributes:
        best: The best single trial so far; ``None`` before the first success.
        details: JSON values about the suggestion and its times; :data:`GAP_KEY`.
    """

    number: int
    best: int | None = None
    single_validation: float | None = None
    single_test: float | None = None
    ensemble_validation: float | None = None
    ensemble_test: float | None = None
    members: tuple[tuple[int, float], ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class _SuggestionBasis:
    after: float
    started: float
    budget: float | None = None
    seconds_left: float | None = None


@dataclass(frozen=True)
class _Details:
    """The details used by readers; proposers may add others."""

    elapsed: float
    timing: tuple[float, float]
    seen: _SuggestionBasis
    spent: dict[str, float]
    predicted: tuple[float, float] | None
    gap: tuple[float, float] | None


@dataclass(frozen=True)
class TrialRow:
    """A trial and its iteration, with their run."""

    run_id: int
    trial: Trial
    iteration: Iteration


class Trials:
    """The trials of all runs of a document."""

    def __init__(self, store: Store, arrays: ArrayStore, owners: Owners) -> None:
        self._store = store
        self._arrays = arrays
        self._owners = owners

    def add(
        self,
        run_id: int,
        trial: Trial,
        validation: AnyArray | None,
        test: AnyArray | None,
        iteration: Iteration,
    ) -> None:
        """Store a finished trial durably, with its predictions and the run's state.

        Args:
            run_id: A run not claimed by another process.
            validation, test: Predictions in stored form: float16 of shape (n, C), or float32 or
                float64 of shape (n,); ``None`` for a failed trial, or without such rows.

        Raises:
            DocumentWriteError: If writing failed; nothing was stored, and a retry is possible.
            DocumentError: If the number is not the next, or another process has claimed the run.
        """
        # Packing is slow, so it is done before the transaction.
        parts = pack_predictions(validation), pack_predictions(test)
        self.add_packed(run_id, trial, iteration, parts)

    def add_packed(
        self,
        run_id: int,
        trial: Trial,
        iteration: Iteration,
        parts: tuple[PackedPredictions | None, PackedPredictions | None],
    ) -> None:
        """Store a finished trial with packed predictions; otherwise as :meth:`add`."""
        if iteration.number != trial.number:
            raise DocumentError(
                "Iteration {number} does not belong to trial {trial_number}.",
                number=iteration.number,
                trial_number=trial.number,
            )
        # (Shallow, as deep copies would take half of the time.)
        record: dict[str, Any] = {"trial": vars(trial), "iteration": vars(iteration)}
        with self._store.run_transaction():
            self._check_next(run_id, trial.number)
            for name, part in zip(("validation", "test"), parts, strict=True):
                array_id = part and self._arrays.add_blocks(part.layout, part.blocks)
                record[name] = part and [array_id, part.classes]
            body = sealing.seal(record, _make_label(run_id, trial.number))
            # Ids come from the revision counter, so deleted ids are never reused.
            self._store.execute(
                "INSERT INTO trials (id, run, number, body) VALUES (?, ?, ?, ?)",
                (self._store.advance_revision(), run_id, trial.number, body),
            )

    def count(self, run_id: int) -> int:
        """Return the number of a run's finished trials, including failed ones."""
        ((count,),) = self._store.query(
            "SELECT coalesce(max(number), 0) FROM trials WHERE run = ?", (run_id,)
        )
        return int(count)

    def list_rows(self, run_id: int, after: int = 0) -> tuple[TrialRow, ...]:
        """Return a run's trials and iterations with numbers above ``after``, in order.

        A missing or damaged trial is replaced by a :class:`studio.trial.LostTrial`.
        """
        rows: list[TrialRow] = []
        for row in self.read_after(run_id, after):
            rows += self.insert_missing(row, after + len(rows))
        return (*rows, *self.make_missing_trailing_trials(run_id, after + len(rows)))

    def make_missing_trailing_trials(self, run_id: int, last: int) -> list[TrialRow]:
        """Return the missing trials after the last one, up to the number in the run's result.

        Args:
            last: The number of its last trial that was read, or is known to exist.
        """
        rows = self._store.query("SELECT status FROM runs WHERE id = ?", (run_id,))
        status = None
        if rows:
            read = partial(unseal_status, run_id, rows[0][0])
            status = self._store.read_or_record_damage(read, run_id, RESULT_LOST)
        result = status.result if status else None
        n_trials = min(result.trials if result else 0, last + _MAX_LOST)
        return [self._make_lost_row(run_id, each) for each in range(last + 1, n_trials + 1)]

    def insert_missing(self, row: TrialRow, last: int) -> list[TrialRow]:
        """Return a trial, preceded by the missing ones between it and the last one.

        Args:
            last: The number of its run's last trial, 0 for none.

        Returns:
            Trials numbered ``last + 1``, …; nothing if the trial's number is impossible.
        """
        number = row.trial.number
        if not last < number <= last + _MAX_LOST:
            label, consequence = _make_label(row.run_id, number), phrase("That trial is left out.")
            self._store.note_damage(DamagedRecord(label, row.run_id, consequence))
            return []
        return [*(self._make_lost_row(row.run_id, each) for each in range(last + 1, number)), row]

    def _read_valid_row(self, run_id: int, number: int, body: str) -> TrialRow:
        row = self._store.read_or_record_damage(
            partial(_unseal_row, run_id, number, body), run_id, _COUNTED_AS_FAILED
        )
        return self._make_lost_row(run_id, number) if row is None else row

    def _make_lost_row(self, run_id: int, number: int) -> TrialRow:
        damage = DamagedRecord(_make_label(run_id, number), run_id, _COUNTED_AS_FAILED)
        self._store.note_damage(damage)
        trial = LostTrial(
            number, {}, 0, None, cause=damage.sentence, remedy=BACKUP_ADVICE, record=damage.record
        )
        return TrialRow(run_id, trial, Iteration(number))

    def make_lost_trial(self, run_id: int, trial: Trial) -> Trial:
        """Return the replacement of a trial with damaged predictions."""
        label = _make_predictions_label(run_id, trial.number)
        damage = DamagedRecord(label, run_id, _COUNTED_AS_FAILED)
        self._store.note_damage(damage)
        return LostTrial(
            trial.number,
            trial.configuration,
            trial.seed,
            None,
            cause=damage.sentence,
            remedy=BACKUP_ADVICE,
            origin=trial.origin,
            record=damage.record,
        )

    def from_row(self, row_id: int, limit: int) -> tuple[tuple[TrialRow, ...], int]:
        """Return at most ``limit`` trials of all runs from a row on, and the row for continuing."""
        stored_rows = self._store.query(
            "SELECT id, run, number, body FROM trials WHERE id > ? ORDER BY id LIMIT ?",
            (row_id, limit),
        )
        rows = tuple(self._read_valid_row(*columns[1:]) for columns in stored_rows)
        return rows, stored_rows[-1][0] if stored_rows else row_id

    def read_after(self, run_id: int, after: int, limit: int = -1) -> tuple[TrialRow, ...]:
        """Return the existing trials of a run with numbers above ``after``, in order.

        At most ``limit`` of them; all if it is negative.
        """
        rows = self._store.query(
            "SELECT run, number, body FROM trials WHERE run = ? AND number > ? "
            "ORDER BY number LIMIT ?",
            (run_id, after, limit),
        )
        return tuple(self._read_valid_row(*columns) for columns in rows)

    def list_all(self, run_id: int, after: int = 0) -> tuple[Trial, ...]:
        """Return a run's trials with numbers above ``after``, in order."""
        return tuple(row.trial for row in self.list_rows(run_id, after))

    def list_iterations(self, run_id: int) -> tuple[Iteration, ...]:
        """Return a run's iterations in order."""
        return tuple(row.iteration for row in self.list_rows(run_id))

    def read_predictions(self, run_id: int, number: int, part: Part) -> AnyArray | None:
        """Return predictions as stored: float16 (n, C), or (n,); ``None`` without such rows."""
        stored = self.find_predictions(run_id, number, part)
        if stored is None:
            return None
        array_id, classes = stored
        with sealing.attribute_damage(_make_predictions_label(run_id, number)):
            array = self._arrays.read(array_id)
            return predictions.from_labels(array, classes) if classes else array

    def find_predictions(self, run_id: int, number: int, part: Part) -> tuple[int, int] | None:
        """Return the array id of a trial's predictions, and the number of classes if one-hot."""
        rows = self._store.query(
            "SELECT body FROM trials WHERE run = ? AND number = ?", (run_id, number)
        )
        if not rows:
            raise DocumentError("Run {run_id} has no trial {number}.", run_id=run_id, number=number)
        record = _unseal_record(run_id, number, rows[0][0])
        return record.validation if part == "validation" else record.test

    def get_prediction_array_ids(self, run_id: int) -> list[int]:
        """Return the ids of the arrays with the run's predictions."""
        rows = self._store.query("SELECT number, body FROM trials WHERE run = ?", (run_id,))
        reads = (partial(_unseal_record, run_id, *columns) for columns in rows)
        records = self._store.read_undamaged(reads, run_id, _COUNTED_AS_FAILED)
        parts = [part for each in records for part in (each.validation, each.test)]
        return [part[0] for part in parts if part is not None]

    def _check_next(self, run_id: int, number: int) -> None:
        self._owners.check(run_id)
        count = self.count(run_id)
        if number != count + 1:
            raise DocumentError(
                "Trial {number} cannot be added to run {run_id}, which has {trials}.",
                number=number,
                run_id=run_id,
                trials=count_phrase("1 trial", "{count:,} trials", count),
            )


def _make_label(run_id: int, number: int) -> str:
    return f"trial {run_id} {number}"


def _make_predictions_label(run_id: int, number: int) -> str:
    return f"predictions of {_make_label(run_id, number)}"


@dataclass(frozen=True)
class _Record:
    """The sealed record of a trial; predictions are (array id, C if one-hot, else 0)."""

    trial: dict[str, Any]
    iteration: dict[str, Any]
    validation: tuple[int, int] | None
    test: tuple[int, int] | None


def _unseal_record(run_id: int, number: int, sealed: str) -> _Record:
    return shapes.unseal(_Record, sealed, _make_label(run_id, number))


def _unseal_row(run_id: int, number: int, sealed: str) -> TrialRow:
    label = _make_label(run_id, number)
    record = _unseal_record(run_id, number, sealed)
    trial = shapes.build(Trial, record.trial, label)
    iteration = shapes.build(Iteration, record.iteration, label)
    shapes.check(_Details, dict(iteration.details), label)
    member_trials = [each for each, _ in iteration.members]
    mentioned_trials = member_trials if iteration.best is None else [*member_trials, iteration.best]
    if trial.number != number or iteration.number != number:
        sealing.raise_damaged(label)
    if not all(1 <= each <= number for each in mentioned_trials) or not 0 <= trial.seed < 1 << 31:
        sealing.raise_damaged(label)
    return TrialRow(run_id, trial, iteration)
