"""Trials and histories: plain records for all higher layers.

A trial is one configuration, trained and scored (or failed, with its cause). A history is the
information available to proposers and ensemble builders: a run's finished trials in order, with
their predictions for the validation rows, but not for test rows.
"""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.errors import DamagedError, EnsembleError
from studio.phrases import phrase

DIFFERENT_ROWS = phrase(
    "With a reshuffled hold-out every trial was scored on its own rows, so predictions of "
    "several trials cannot be compared or combined. Cross-validate (reshuffled folds predict "
    "every row), or evaluate on fixed rows."
)

FailureKind = Literal["time", "memory", "crash", "early", "other"]
"""Reasons for a failed trial: a time limit, lack of memory, death of its process, early rejection
after its first folds, or another reason.
"""

Status = Literal["ok", "ended early", "not finished", "failed"]
"""Outcome of a trial; a trial rejected early, or unfinished after a timeout, has no predictions
although nothing went wrong.
"""

_UNFAILED_STATUSES: Mapping[str, Status] = {"early": "ended early", "time": "not finished"}

Value = bool | int | float | str
"""A hyperparameter's value."""

Configuration = Mapping[str, Value]
"""A value for each *active* hyperparameter of a space, and no other, by name."""


@dataclass(frozen=True, kw_only=True)
class Training:
    """The record of a finished training, successful or not.

    A further field must be measured by the worker (:mod:`studio.runs.evaluate`) and declared here;
    it is then copied to the trial and stored in the document.

    Attributes:
        fit_seconds: Wall seconds of all fits and predictions.
        peak_memory: The worker's peak resident memory during the training, in bytes (0 if unknown).
        used: Clipped values, by the space's parameter names.
    """

    fit_seconds: float = 0.0
    peak_memory: int = 0
    used: Mapping[str, Value] = field(default_factory=dict)

    def get_measured(self) -> dict[str, Any]:
        """Return the fields of :class:`Training` only, by name, for other records."""
        return {each.name: getattr(self, each.name) for each in dataclasses.fields(Training)}


@dataclass(frozen=True)
class Trial(Training):
    """One finished trial.

    Attributes:
        number: 1, 2, … in the order in which the run's trials finished, as the iterations.
        seed: The seed of the fit, in [0, 2**31).
        loss: The run's metric on the validation rows (lower is better); ``None`` exactly when
            failed.
        cause: The cause of the failure, in plain words; otherwise empty.
        remedy: A remedy for the failure; else empty.
        failure: The kind of failure; "other" if an older version did not record it.
        suggest_seconds: CPU seconds spent on suggesting it.
        origin: Displayed source of the suggestion: "random", "expected improvement", …
        selection: The run's metric on the selection rows D_S, if any; used only for the final
            choice, not by any proposer or surrogate.
        concluding: Whether it is the additional trial of a final choice (posterior mean selection),
            which does not count towards the budget.
    """

    number: int
    configuration: Configuration
    seed: int
    loss: float | None
    cause: str = ""
    remedy: str = ""
    suggest_seconds: float = 0.0
    origin: str = ""
    selection: float | None = None
    concluding: bool = False
    failure: FailureKind = "other"

    @property
    def status(self) -> Status:
        """The outcome: predictions, a failure, or neither."""
        if self.loss is not None:
            return "ok"
        return _UNFAILED_STATUSES.get(self.failure, "failed")

    @property
    def damaged_record(self) -> str:
        """The damaged record; empty if nothing is lost."""
        return ""


@dataclass(frozen=True)
class LostTrial(Trial):
    """A damaged trial; it counts as failed, with the damage as its cause.

    Computations that need it are rejected: see :func:`check_no_lost_trials`.
    """

    record: str = ""

    @property
    def damaged_record(self) -> str:
        return self.record


def check_no_lost_trials(trials: Iterable[Trial]) -> None:
    """Raise DamagedError if a computation would need a lost trial."""
    for trial in trials:
        if trial.damaged_record:
            raise DamagedError(
                phrase(
                    "Trial {number} of this run cannot be read, and without it the result "
                    "would differ from the run's. {cause} {remedy}",
                    number=trial.number,
                    cause=trial.cause,
                    remedy=trial.remedy,
                ),
                trial.damaged_record,
            )


class History:
    """The finished trials of a run and their validation predictions; append-only.

    Predictions are kept as they are stored in the document (half precision probabilities, single
    precision values), so a live and a continued run use the same numbers.

    Args:
        truth: Shape (n_rows,). Validation targets: class codes 0..C-1 (integers), or values
            (float64).
        n_classes: Number of classes C; 0 for regression.
        comparable: Whether all trials were scored on the same rows. If not (a reshuffled hold-out),
            only their losses are kept: predictions for different rows are never mixed.
        weights: Shape (n_rows,). At least 0, not all 0; ``None`` for equal weights.
    """

    def __init__(
        self,
        truth: AnyArray,
        n_classes: int,
        comparable: bool = True,
        weights: Floats | None = None,
    ) -> None:
        self.truth = truth if comparable else truth[:0]
        self.weights = weights if comparable else None
        self.n_classes = n_classes
        self.comparable = comparable
        self._trials: list[Trial] = []
        self._predictions: dict[int, AnyArray] = {}
        self._votes: dict[int, AnyArray] = {}

    def __len__(self) -> int:
        """Return the number of finished trials, including failed ones."""
        return len(self._trials)

    def append(self, trial: Trial, predictions: AnyArray | None) -> None:
        """Append the next finished trial.

        Args:
            trial: Its number must be ``len(history) + 1``.
            predictions: Validation predictions as stored: shape (n_rows, C) float16, or (n_rows,)
                float32 or float64; ``None`` exactly for a failed trial, and not kept if trials are
                not comparable.
        """
        assert trial.number == len(self._trials) + 1, "trials are numbered as they finish"
        self._trials.append(trial)
        if not self.comparable:
            return
        assert (predictions is None) == (trial.loss is None), "failed trials have no predictions"
        if predictions is not None:
            self._predictions[trial.number] = predictions
            if self.n_classes:
                code_type = np.uint8 if self.n_classes <= 256 else np.uint16
                self._votes[trial.number] = predictions.argmax(axis=1).astype(code_type)

    def take_first(self, length: int) -> "History":
        """Return the history after ``length`` finished trials (arrays are shared)."""
        return self.select_trials(range(1, min(length, len(self)) + 1))

    def select_trials(self, numbers: Sequence[int]) -> "History":
        """Return a history of some of the trials, such as a population or a branch.

        Args:
            numbers: The trials, in the order of their new numbers 1, 2, … (arrays are shared).
        """
        subset = History(self.truth, self.n_classes, self.comparable, self.weights)
        for new_number, number in enumerate(numbers, start=1):
            trial = self._trials[number - 1]
            renumbered = number != new_number
            subset._trials.append(
                dataclasses.replace(trial, number=new_number) if renumbered else trial
            )
            if number in self._predictions:
                subset._predictions[new_number] = self._predictions[number]
            if number in self._votes:
                subset._votes[new_number] = self._votes[number]
        return subset

    @property
    def trials(self) -> Sequence[Trial]:
        """All finished trials, in order."""
        return self._trials

    @property
    def succeeded(self) -> list[Trial]:
        """The successful trials, in order."""
        return [trial for trial in self._trials if trial.loss is not None]

    @property
    def is_regression(self) -> bool:
        """Whether the task is regression, not classification."""
        return self.n_classes == 0

    def get_predictions(self, number: int) -> AnyArray:
        """Return the stored validation predictions of a successful trial (read-only).

        Shape (n_rows, C) for classes, (n_rows,) for values.

        Raises:
            EnsembleError: If the trials were scored on different rows.
        """
        self._check_comparable()
        return self._predictions[number]

    def get_votes(self, number: int) -> AnyArray:
        """Return the classes a trial votes for, as codes, shape (n_rows,).

        The first of tied classes is chosen.

        Raises:
            EnsembleError: If the trials were scored on different rows.
        """
        self._check_comparable()
        return self._votes[number]

    def _check_comparable(self) -> None:
        if not self.comparable:
            raise EnsembleError(DIFFERENT_ROWS)

    def get_losses(self) -> Floats:
        """Return losses, shape (len(self),), failures as the worst finite one, or 0 without any."""
        finite = [trial.loss for trial in self._trials if trial.loss is not None]
        worst_loss = max(finite, default=0.0)
        return np.array(
            [worst_loss if t.loss is None else t.loss for t in self._trials], dtype=float
        )

    def list_numbers(self) -> Integers:
        """Return the numbers of the successful trials, ascending, shape (t,)."""
        return np.array([trial.number for trial in self.succeeded], dtype=np.int64)
