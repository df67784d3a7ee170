"""What an engine asks of a worker, as plain JSON."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from studio.learners.base import Learner
from studio.learners.choice import Choice, chosen
from studio.runs.hopeless import EarlyStopThresholds
from studio.space.space import Space
from studio.trial import Configuration, Value


def evaluate_job(
    space: Space,
    configuration: Configuration,
    seed: int,
    *,
    seconds: float | None = None,
    models: Path | None = None,
    bars: EarlyStopThresholds | None = None,
    most_bytes: int | None = None,
    most_rows: int | None = None,
) -> dict[str, Any]:
    """Ask for a trial: answered by an ``Outcome`` or a ``Failure``.

    Parameters
    ----------
    space : Space
        Says what each parameter sets.
    configuration : Configuration
        What is tried.
    seed : int
        Of the fit, in [0, 2**31).
    seconds : float or None
        Wall seconds, from when a worker takes it, after which its result is of no use; ``None``
        where there is no such time. A learner that can stop early heeds it.
    models : Path or None
        An existing folder in which the fitted pipelines of the folds are left.
    bars : Bars or None
        Where the trial is given up after its first folds; ``None`` for nowhere.
    most_bytes : int or None
        What its models may take together before it is given up; ``None`` for no limit.
    most_rows : int or None
        Train on a sample of at most so many rows; ``None`` for all.
    """
    return {
        "kind": "evaluate",
        "sets": _sets(space, configuration),
        "configuration": dict(configuration),
        "seed": seed,
        "seconds": seconds,
        "models": None if models is None else str(models),
        "bars": None if bars is None else bars.to_json(),
        "most_bytes": most_bytes,
        "most_rows": most_rows,
    }


def refit_job(
    space: Space,
    configuration: Configuration,
    seed: int,
    *,
    rows: Path,
    watched: Path | None = None,
    pickle: Path | None = None,
    matrices: Sequence[Path] = (),
    settled: Mapping[str, Value] | None = None,
) -> dict[str, Any]:
    """Ask for one more training: answered by a ``Refitted`` or a ``Failure``.

    Parameters
    ----------
    space, configuration, seed
        As for :func:`evaluate_job`.
    rows : Path
        A .npy file of row numbers to train on.
    watched : Path or None
        The same of rows at which a learner that ``settles`` may look.
    pickle : Path or None
        Where the fitted pipeline is written; ``None`` for nowhere.
    matrices : sequence of Path
        .npy files of float64 matrices of shape (n, d) to predict.
    settled : Mapping or None
        What the trial's trainings settled, by the space's names (``Trial.used``).
    """
    return {
        **evaluate_job(space, configuration, seed),
        "kind": "refit",
        "rows": str(rows),
        "watched": None if watched is None else str(watched),
        "pickle": None if pickle is None else str(pickle),
        "matrices": [str(matrix) for matrix in matrices],
        "settled": dict(settled or {}),
    }


def pack_job(
    space: Space, configuration: Configuration, *, files: Sequence[Sequence[Path]], packed: Path
) -> dict[str, Any]:
    """Ask for the record of fitted models: answered by a ``Refitted`` or a ``Failure``.

    Parameters
    ----------
    space, configuration
        Of one of the models, as for :func:`evaluate_job`.
    files : sequence of sequences of Path
        The pickles that workers have left, by member.
    packed : Path
        Where the record is written (:func:`studio.runs.model_files.pack`).
    """
    return {
        **evaluate_job(space, configuration, 0),
        "kind": "pack",
        "files": [list(map(str, each)) for each in files],
        "packed": str(packed),
    }


def trained_by(space: Space, configuration: Configuration) -> tuple[Learner, Choice]:
    """Return the learner that a configuration of a space trains, and what it gives the learner.

    Raises
    ------
    UsageError, LearnerError
        If there is no such learner, or it cannot take what it is given.
    """
    return chosen(configuration, _sets(space, configuration))


def _sets(space: Space, configuration: Configuration) -> dict[str, str]:
    return {each.name: each.sets for each in space.parameters if each.name in configuration}
