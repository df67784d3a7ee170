"""Fitted models as files in a run's scratch folder, written by its workers.

A run without refit needs its fold models at the end; missing ones are retrained from the trial's
seed (:mod:`studio.runs.final_models`).

A pickle is only written and read by the program's own processes in one session, and never leaves
the folder. Documents store the records of :mod:`studio.serialization`, which a worker makes from
the pickles, so the engine need not load the libraries.
"""

import json
import pickle
import shutil
from collections.abc import Container, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from zipfile import BadZipFile

import numpy as np

from studio.arrays import AnyArray
from studio.errors import SerializationError
from studio.phrases import join_phrases, phrase, phrase_to_json
from studio.plain_json import read_json
from studio.scratch import recreate
from studio.serialization.codec import SerializedModels, decode, encode
from studio.trial import History

if TYPE_CHECKING:
    from studio.runs.prepare import PreparedRun


MAX_BYTES = 2 << 30
"""Maximum total size of trials' files; beyond, those of the worst trials are removed."""

MAX_BYTES_PER_TRIAL = 512 << 20
"""Maximum size of a trial's models that are saved."""


MAX_KEPT_BYTES_PER_TRIAL = 100 << 20
"""Size of a trial's models at which it is rejected early, if that is enabled."""


class FoldModels:
    """Files of each trial's models.

    Args:
        folder: An existing folder of the run; ``None`` if nothing is kept.
        max_bytes: See :data:`MAX_BYTES`.
        max_bytes_per_trial: Size limit of a trial's models, above which it is rejected; ``None``
            for none.
        copied: Number of leading trials that a fork copied from another run.
    """

    def __init__(
        self,
        folder: Path | None,
        n_folds: int,
        max_bytes: int = MAX_BYTES,
        max_bytes_per_trial: int | None = None,
        copied: int = 0,
    ) -> None:
        self._folder = folder
        self._n_folds = n_folds
        self._max_bytes = max_bytes
        self.max_bytes_per_trial = max_bytes_per_trial
        self._n_copied_trials = copied
        self._sizes: dict[int, int] = {}
        self._paths: dict[int, Path] = {}
        self._known_numbers: set[int] = set()
        self._too_large: set[int] = set()

    @classmethod
    def make(cls, prepared_run: "PreparedRun", scratch: Path) -> Self:
        """Return the store of a run's models; it keeps nothing if not needed, or on a cluster."""
        settings = prepared_run.settings
        wanted = not settings.refit and not settings.cluster
        stores_models = wanted and prepared_run.method.evaluation.rejects_early
        return cls(
            scratch if wanted else None,
            len(prepared_run.split.folds),
            max_bytes_per_trial=MAX_KEPT_BYTES_PER_TRIAL if stores_models else None,
            copied=settings.forked.get("iteration", 0),
        )

    def get_folder(self, job_id: int) -> Path | None:
        """Return the folder for a job's models; ``None`` to discard them."""
        if self._folder is None:
            return None
        folder = self._folder / f"models-{job_id}"
        recreate(folder)
        return folder

    def assign_files(self, job_id: int, number: int, *, succeeded: bool) -> None:
        """Assign a finished job's files to a trial; a failed one has none."""
        if self._folder is None:
            return
        self._known_numbers.add(number)
        folder = self._folder / f"models-{job_id}"
        files = self._list_paths(folder)
        sizes = _get_sizes(files) if succeeded else None
        if sizes is not None:
            self._paths[number] = folder
            self._sizes[number] = sum(sizes)
        else:
            written = _get_sizes(each for each in files if each.exists()) or []
            if sum(written) > MAX_BYTES_PER_TRIAL:  # no further models were written
                self._too_large.add(number)
            shutil.rmtree(folder, ignore_errors=True)

    def allocate_files(self, number: int) -> tuple[Path, ...]:
        """Return the files, one per fold, for a trial's models restored from the document."""
        return () if self._folder is None else self._list_paths(self._folder / f"kept-{number}")

    def mark_written(self, number: int) -> None:
        """Record that the allocated files of a trial have been written."""
        files = self.allocate_files(number)
        sizes = _get_sizes(files)
        if files and sizes is not None:
            self._known_numbers.add(number)
            self._paths[number] = files[0].parent
            self._sizes[number] = sum(sizes)

    def free_disk_space(self, history: History, members: Container[int]) -> None:
        """Remove files, of the worst trials first and members last, until the rest fits."""
        best = sorted(
            self._paths,
            key=lambda number: (number not in members, history.trials[number - 1].loss, number),
        )
        while best and sum(self._sizes.values()) > self._max_bytes:
            worst_number = best.pop()
            shutil.rmtree(self._paths.pop(worst_number), ignore_errors=True)
            del self._sizes[worst_number]
            self._too_large.add(worst_number)

    def explain_missing(self, numbers: Iterable[int]) -> str:
        """Return why the given trials have no models."""
        if self._folder is None:
            return CLUSTER_NOTE
        unseen = set(numbers) - self._known_numbers
        if not unseen:
            return VANISHED_NOTE if self._too_large.isdisjoint(numbers) else TOO_LARGE_NOTE
        return FORKED_NOTE if max(unseen) <= self._n_copied_trials else INTERRUPTED_NOTE

    def count_bytes(self, numbers: Iterable[int]) -> int:
        """Return the total size of the given trials' files in bytes."""
        return sum(self._sizes.get(number, 0) for number in numbers)

    def list_files(self, number: int) -> tuple[Path, ...]:
        """Return the files of a trial's models, one per fold; empty if any is missing."""
        if number not in self._paths:
            return ()
        files = self._list_paths(self._paths[number])
        # Temporary files may have been removed.
        return () if _get_sizes(files) is None else files

    def _list_paths(self, folder: Path) -> tuple[Path, ...]:
        return tuple(folder / get_file_name(fold) for fold in range(self._n_folds))


def advise_refit(reason: str) -> str:
    """Return why members are trained again each time, a sentence, with the remedy."""
    advice = phrase("Refit the members once to avoid that; test errors may fall or rise.")
    return join_phrases((reason, advice))


TOO_LARGE_NOTE = phrase(
    "The models of some members were too large for the search to keep, so members are trained "
    "again for each prediction and export."
)
VANISHED_NOTE = advise_refit(
    phrase(
        "The models of some members are missing from the temporary folder, which was full or "
        "was cleared, so members are trained again for each prediction and export."
    )
)
INTERRUPTED_NOTE = advise_refit(
    phrase(
        "The run was interrupted, and the models of some members were lost with its processes, "
        "so members are trained again for each prediction and export."
    )
)
FORKED_NOTE = advise_refit(
    phrase(
        "The document contains no models of some trials from before the fork, so members are "
        "trained again for each prediction and export."
    )
)
CLUSTER_NOTE = advise_refit(
    phrase(
        "The workers of a cluster do not send back the models of trials, so members are trained "
        "again for each prediction and export."
    )
)


def _get_sizes(files: Iterable[Path]) -> list[int] | None:
    try:
        return [file.stat().st_size for file in files]
    except OSError:
        return None


def get_file_name(fold: int) -> str:
    """Return the file name of a fold's model, from 0."""
    return f"{fold}.pkl"


_REASON_KEY = "reason"


def write_model(pipeline: Any, destination: Path) -> int:
    """Write a pipeline atomically; return the file's size in bytes."""
    recreate(destination.parent)
    partial = destination.with_name(destination.name + ".part")
    with partial.open("wb") as file:
        pickle.dump(pipeline, file, protocol=5)
    partial.replace(destination)
    return destination.stat().st_size


def write_if_possible(pipeline: Any, destination: Path) -> int:
    """Write a pipeline if possible: a full disk loses the file, not the trial."""
    try:
        return write_model(pipeline, destination)
    except OSError:
        return MAX_BYTES_PER_TRIAL + 1


def load_model(path: Path) -> Any:
    """Unpickle a file written by a worker of this session, in a private folder."""
    with path.open("rb") as file:
        return pickle.load(file)  # noqa: S301 - our own workers' file


def pack(files: Sequence[Sequence[Path]], destination: Path) -> None:
    """Write the record of fitted pipelines (.npz), or the reason for its absence."""
    try:
        record = encode([list(map(load_model, each)) for each in files])
    except SerializationError as error:
        reason = json.dumps(phrase_to_json(str(error)))
        np.savez(destination, allow_pickle=False, **{_REASON_KEY: np.array(reason)})
    else:
        np.savez(destination, allow_pickle=False, **record.to_arrays())


def read_record(path: Path) -> SerializedModels:
    """Return the record written by :func:`pack`, or raise SerializationError with the reason."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays: dict[str, AnyArray] = dict(file)
        reason = read_json(str(arrays[_REASON_KEY])) if _REASON_KEY in arrays else ""
    except (OSError, ValueError, EOFError, BadZipFile) as error:
        raise SerializationError("Its file is damaged ({error}).", error=error) from error
    if reason:
        raise SerializationError(str(reason))
    return SerializedModels.from_arrays(arrays)


def unpack(packed: Path, files: Sequence[Sequence[Path]]) -> None:
    """Write the fitted pipelines of a record, each atomically.

    Args:
        packed: A file written by :func:`pack`.
        files: By member, a path for each of its last pipelines; empty for omitted members.

    Raises:
        SerializationError: If the record is damaged, or its members do not match.
        OSError: If a file cannot be written.
    """
    models_by_trial = decode(read_record(packed))
    if len(models_by_trial) != len(files):
        raise SerializationError("It has different members.")
    for pipelines, paths in zip(models_by_trial, files, strict=True):
        if len(paths) > len(pipelines):
            raise SerializationError("It has different members.")
        for pipeline, path in zip(reversed(pipelines), reversed(paths), strict=False):
            write_model(pipeline, path)
