"""Jobs from the engine to workers, as plain JSON, and their outcomes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from studio.arrays import AnyArray, Floats
from studio.data.metrics.base import Metric
from studio.data.metrics.registry import get_metric
from studio.data.tasks import Task
from studio.errors import EarlyEndError
from studio.learners.base import Learner
from studio.learners.choice import LearnerConfiguration, choose_learner
from studio.numerals import format_number, format_significant
from studio.space.space import Space
from studio.trial import Configuration, Training, Value


@dataclass(frozen=True)
class EarlyStopThresholds:
    """Loss thresholds of early rejection after the first folds, and the best trial's losses."""

    metric: Metric
    losses: tuple[float, ...]
    best: tuple[float, ...]

    def check(
        self,
        n_done: int,
        n_folds: int,
        truth: AnyArray,
        predictions: AnyArray,
        weights: Floats | None,
    ) -> None:
        """Reject a trial if the losses of its first folds are too high.

        Truth and weights have shape (n,), predictions (n, C) or (n,).

        Raises:
            EarlyEndError: With the compared losses.
        """
        loss = self.metric.compute_loss(truth, predictions, weights)
        if loss > self.losses[n_done - 1]:
            raise EarlyEndError(
                "Ended early after {done} of {folds} folds: on the rows of these folds, its "
                "{metric} was {loss} and the best trial's {best}.",
                done=n_done,
                folds=n_folds,
                metric=self.metric.title.lower(),
                loss=_format_loss(self.metric, loss),
                best=_format_loss(self.metric, self.best[n_done - 1]),
            )

    def to_json(self) -> dict[str, Any]:
        """Return the thresholds as plain JSON."""
        return {"metric": self.metric.key, "losses": list(self.losses), "best": list(self.best)}

    @classmethod
    def from_json(cls, thresholds_json: Mapping[str, Any], task: Task) -> Self:
        """Create the thresholds from JSON."""
        metric = get_metric(thresholds_json["metric"], task)
        return cls(metric, tuple(thresholds_json["losses"]), tuple(thresholds_json["best"]))


def _format_loss(metric: Metric, loss: float) -> str:
    if metric.unit == "%":
        return f"{format_number(100 * loss, '.1f')} %"
    return format_significant(loss)


def make_evaluation_job(
    space: Space,
    configuration: Configuration,
    seed: int,
    *,
    seconds: float | None = None,
    training_seconds: float | None = None,
    models: Path | None = None,
    thresholds: EarlyStopThresholds | None = None,
    max_bytes: int | None = None,
    max_rows: int | None = None,
) -> dict[str, Any]:
    """Return the request of a trial, answered by a ``TrialOutcome`` or a ``Failure``.

    Args:
        seed: Of the fit, in [0, 2**31).
        seconds: Wall-clock limit from the start in a worker; ``None`` for none. Learners with early
            stopping stop within it.
        training_seconds: A shorter time for learners with early stopping, divided among the folds
            and not enforced otherwise; ``None`` for no other limit.
        models: An existing folder for the fitted pipelines of the folds.
        thresholds: Losses above which the remaining folds are skipped.
        max_bytes: Limit of the models' total size; ``None`` for none.
        max_rows: Train on a sample of at most this many rows; ``None`` for all.
    """
    return {
        "kind": "evaluate",
        "sets": _settings_to_json(space, configuration),
        "configuration": dict(configuration),
        "seed": seed,
        "seconds": seconds,
        "training_seconds": training_seconds,
        "models": None if models is None else str(models),
        "thresholds": None if thresholds is None else thresholds.to_json(),
        "max_bytes": max_bytes,
        "max_rows": max_rows,
    }


def make_refit_job(
    space: Space,
    configuration: Configuration,
    seed: int,
    *,
    rows: Path,
    early_stopping_rows: Path | None = None,
    pickle: Path | None = None,
    matrix_paths: Sequence[Path] = (),
    settled: Mapping[str, Value] | None = None,
) -> dict[str, Any]:
    """Return the request of one training, answered by a ``RefitResult`` or a ``Failure``.

    Args:
        space, configuration, seed: See :func:`make_evaluation_job`.
        rows: A .npy file of row numbers to train on.
        early_stopping_rows: A .npy file of row numbers for early stopping, if supported by the
            learner.
        pickle: The output file of the fitted pipeline; ``None`` to discard it.
        matrix_paths: .npy files of float64 matrices of shape (n, d) to predict.
        settled: Hyperparameters tuned during the trial's fits, by the space's names
            (``Trial.used``).
    """
    return {
        **make_evaluation_job(space, configuration, seed),
        "kind": "refit",
        "rows": str(rows),
        "watched": None if early_stopping_rows is None else str(early_stopping_rows),
        "pickle": None if pickle is None else str(pickle),
        "matrices": [str(matrix) for matrix in matrix_paths],
        "settled": dict(settled or {}),
    }


def make_pack_job(
    space: Space, configuration: Configuration, *, files: Sequence[Sequence[Path]], packed: Path
) -> dict[str, Any]:
    """Return the request to serialise models, answered by a ``RefitResult`` or a ``Failure``.

    Args:
        space, configuration: Of one of the models, as for :func:`make_evaluation_job`.
        packed: The output file of the record (:func:`studio.runs.model_files.pack`).
    """
    return {
        **make_evaluation_job(space, configuration, 0),
        "kind": "pack",
        "files": [list(map(str, each)) for each in files],
        "packed": str(packed),
    }


def make_unpack_job(
    space: Space, configuration: Configuration, *, packed: Path, files: Sequence[Sequence[Path]]
) -> dict[str, Any]:
    """Return the request to restore models, answered by a ``RefitResult`` or a ``Failure``.

    Args:
        space, configuration: Of one of the models, as for :func:`make_evaluation_job`.
        packed: The record (:func:`studio.runs.model_files.pack`).
        files: Output paths of the pickles, by member; empty for members that are not needed.
    """
    job = make_pack_job(space, configuration, files=files, packed=packed)
    return {**job, "kind": "unpack"}


def build_training(
    space: Space, configuration: Configuration
) -> tuple[Learner, LearnerConfiguration]:
    """Return a configuration's learner and values, or raise UsageError or LearnerError."""
    return choose_learner(configuration, _settings_to_json(space, configuration))


def _settings_to_json(space: Space, configuration: Configuration) -> dict[str, str]:
    return {each.name: each.sets for each in space.parameters if each.name in configuration}


@dataclass(frozen=True)
class TrialOutcome(Training):
    """The outcome of a trial.

    Attributes:
        validation: Stored form: shape (n_V, C) float16 (one-hot for label-only learners), or (n_V,)
            float32 or float64 (:attr:`studio.runs.staging.TrialData.stored_type`). Out-of-fold with
            k-fold.
        test: The same for the n_G test rows, shape (n_G, C) or (n_G,); for k-fold the mean over the
            fold models (for label-only learners their vote shares).
        selection: Each fold model's predictions for the selection rows in stored form: shape (k,
            n_S, C) or (k, n_S). ``None`` without such rows.
        note: A note for the user on the training; mostly empty.
    """

    validation: AnyArray
    test: AnyArray | None
    selection: AnyArray | None = None
    note: str = ""

    def to_parts(self) -> tuple[dict[str, Any], dict[str, AnyArray]]:
        """Serialise the outcome to plain JSON and arrays of any shape."""
        arrays = {"validation": self.validation, "test": self.test, "selection": self.selection}
        header = {"measured": self.get_measured(), "note": self.note}
        return header, {name: array for name, array in arrays.items() if array is not None}


@dataclass(frozen=True)
class RefitResult(Training):
    """A configuration refitted on given rows, with its file.

    Attributes:
        predictions: For each given matrix: shape (n, C) float64 (one-hot for label-only learners)
            or (n,) float64.
    """

    predictions: tuple[Floats, ...]
