"""Transfer of a run, complete or incremental, between two documents."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studio.arrays import AnyArray
from studio.document.arrays import ArrayStore
from studio.document.connection import Store
from studio.document.journal import Journal, Message, RunningJob
from studio.document.owners import Owners
from studio.document.predictions import PackedPredictions
from studio.document.results import Result
from studio.document.runs import Runs, RunState
from studio.document.trials import Iteration, Part, Trials
from studio.trial import Trial, check_no_lost_trials


@dataclass(frozen=True)
class PackedTrial:
    """A trial, the subsequent state of the run, and its predictions (``None`` without any)."""

    trial: Trial
    iteration: Iteration
    validation: PackedPredictions | None
    test: PackedPredictions | None


@dataclass(frozen=True)
class RunPackage:
    """A part of a run.

    Attributes:
        settings, split: JSON of the run's settings, and its row numbers, each shape (k,), by name;
            ``None`` if the receiver has them.
        state, message, result: As in :class:`studio.document.runs.RunRow`.
    """

    name: str
    settings: Mapping[str, Any] | None
    split: Mapping[str, AnyArray] | None
    trials: tuple[PackedTrial, ...]
    messages: tuple[Message, ...]
    running: tuple[RunningJob, ...]
    state: RunState
    message: str
    result: Result | None


class RunPackages:
    """Packs runs of a document, and adds packed runs from other documents."""

    def __init__(
        self,
        store: Store,
        arrays: ArrayStore,
        *,
        runs: Runs,
        owners: Owners,
        trials: Trials,
        journal: Journal,
    ) -> None:
        self._store = store
        self._arrays = arrays
        self._runs = runs
        self._owners = owners
        self._trials = trials
        self._journal = journal

    def pack(
        self, run_id: int, *, after: int = 0, after_message: int = 0, settled: bool = False
    ) -> RunPackage:
        """Return a run or its updates, without table and trained ensemble.

        Args:
            settled: Whether to omit the run's settings and rows.

        Raises:
            DamagedError: If one of the trials is damaged.
        """
        with self._store.open_snapshot():
            row = self._runs.get(run_id)
            rows = self._trials.list_rows(run_id, after)
            check_no_lost_trials(each.trial for each in rows)
            return RunPackage(
                row.name,
                None if settled else row.settings,
                None if settled else self._runs.split(run_id),
                tuple(
                    PackedTrial(
                        each.trial,
                        each.iteration,
                        self._pack_predictions(run_id, each.trial.number, "validation"),
                        self._pack_predictions(run_id, each.trial.number, "test"),
                    )
                    for each in rows
                ),
                self._journal.list_messages(run_id, after_message),
                self._journal.list_running(run_id),
                row.state,
                row.message,
                row.result,
            )

    def unpack(self, package: RunPackage, table_id: int) -> int:
        """Add the run of a package, trained on a table of this document; return its id."""
        with self._store.run_transaction():
            run_id = self._runs.add(package.name, package.settings or {}, table_id, package.split)
            self._add_trials(run_id, package)
        return run_id

    def add_updates(self, run_id: int, package: RunPackage) -> None:
        """Add updates to a run claimed by this process; raise DocumentError for missing trials."""
        with self._store.run_transaction():
            row = self._runs.get(run_id)
            if package.settings is not None and row.table_id is not None:
                self._runs.prepare(run_id, package.settings, row.table_id, package.split or {})
            self._add_trials(run_id, package)
            for after_message in package.messages:
                self._journal.add_message(run_id, after_message.level, after_message.text)
            self._journal.set_running(run_id, package.running)
            if (row.state, row.message) != (package.state, package.message):
                self._runs.set_state(run_id, package.state, package.message)
            if package.result is not None and package.result != row.result:
                self._runs.set_result(run_id, package.result)
            self._owners.write_heartbeat(run_id)

    def _add_trials(self, run_id: int, package: RunPackage) -> None:
        for each in package.trials:
            parts = (each.validation, each.test)
            self._trials.add_packed(run_id, each.trial, each.iteration, parts)

    def _pack_predictions(self, run_id: int, number: int, part: Part) -> PackedPredictions | None:
        predictions = self._trials.find_predictions(run_id, number, part)
        if predictions is None:
            return None
        array_id, classes = predictions
        layout = self._arrays.get_layout(array_id)
        return PackedPredictions(
            layout, list(self._arrays.iterate_blocks(array_id, layout)), classes
        )
