"""The fitted fold models of a run's trials, as files in its scratch folder while it works.

A run whose final models stay as they were trained needs them at its end. They are pickles that the
workers of this very session have written; what is no longer there is trained again from the
trial's seed (:mod:`studio.runs.final_models`).
"""

import shutil
from collections.abc import Container, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Self

from studio.phrases import phrase
from studio.scratch import make_again
from studio.trial import History

if TYPE_CHECKING:
    from studio.runs.prepare import Prepared

MOST_BYTES = 2 << 30
"""What the files of all trials may take; beyond it those of the worst trials are removed."""

MOST_BYTES_OF_TRIAL = 512 << 20
"""Larger models of a single trial are not written down."""


KEPT_OF_TRIAL = 100 << 20
"""Where hopeless trials end early, those do, too, whose models a document could not keep."""


class FoldModels:
    """Where the models of each trial are.

    Parameters
    ----------
    folder : Path or None
        An existing folder of the run's own; ``None`` where nothing is kept.
    n_folds : int
        Models of a trial.
    most_bytes : int
        See :data:`MOST_BYTES`.
    most_of_trial : int or None
        What the models of a trial may take before it is given up; ``None`` for no limit.
    """

    def __init__(
        self,
        folder: Path | None,
        n_folds: int,
        most_bytes: int = MOST_BYTES,
        most_of_trial: int | None = None,
    ) -> None:
        self._folder = folder
        self._n_folds = n_folds
        self._most = most_bytes
        self.most_of_trial = most_of_trial
        self._sizes: dict[int, int] = {}
        self._places: dict[int, Path] = {}
        self._seen: set[int] = set()

    @classmethod
    def of(cls, prepared: "Prepared", scratch: Path) -> Self:
        """Return the place for a run's models; for none where they are not what is tested.

        The workers of a cluster cannot write here: theirs are trained again when they are needed.
        """
        settings = prepared.settings
        wanted = not settings.refit and not settings.cluster
        keeps = wanted and prepared.method.evaluation.ends_early
        return cls(
            scratch if wanted else None,
            len(prepared.split.folds),
            most_of_trial=KEPT_OF_TRIAL if keeps else None,
        )

    def place(self, job_id: int) -> Path | None:
        """Return the folder in which a job is to leave its models; ``None`` for nowhere."""
        if self._folder is None:
            return None
        place = self._folder / f"models-{job_id}"
        make_again(place)
        return place

    def take(self, job_id: int, number: int, *, succeeded: bool) -> None:
        """Note that the job is over and has become this trial; a failed one leaves nothing."""
        if self._folder is None:
            return
        self._seen.add(number)
        place = self._folder / f"models-{job_id}"
        files = [place / name_of(fold) for fold in range(self._n_folds)]
        sizes = _sizes(files) if succeeded else None
        if sizes is not None:
            self._places[number] = place
            self._sizes[number] = sum(sizes)
        else:
            shutil.rmtree(place, ignore_errors=True)

    def make_room(self, history: History, members: Container[int]) -> None:
        """Remove files until all others take no more than they may: of the worst trials first.

        Parameters
        ----------
        history : History
            All finished trials.
        members : container of int
            The trials of the ensemble so far; theirs go last.
        """
        best = sorted(
            self._places,
            key=lambda number: (number not in members, history.trials[number - 1].loss, number),
        )
        while best and sum(self._sizes.values()) > self._most:
            worst = best.pop()
            shutil.rmtree(self._places.pop(worst), ignore_errors=True)
            del self._sizes[worst]

    def why_missing(self, numbers: Iterable[int]) -> str:
        """Return why there are no models of some trials."""
        if self._folder is None:
            return ON_A_CLUSTER
        return TOO_LARGE if self._seen.issuperset(numbers) else INTERRUPTED

    def n_bytes(self, numbers: Iterable[int]) -> int:
        """Return the bytes of the files of some trials' models."""
        return sum(self._sizes.get(number, 0) for number in numbers)

    def files(self, number: int) -> tuple[Path, ...]:
        """Return the files of a trial's models, one a fold; empty where they are not there."""
        place = self._places.get(number)
        if place is None:
            return ()
        files = tuple(place / name_of(fold) for fold in range(self._n_folds))
        # A cleaner of temporary folders may have been there.
        return () if _sizes(files) is None else files


TOO_LARGE = phrase(
    "The models of some members were too large for the search to keep, so members are refitted "
    "for each prediction and export."
)
INTERRUPTED = phrase(
    "The run was interrupted, and the models of some members were lost with its processes, so "
    "members are refitted for each prediction and export. Update the result to refit them once."
)
ON_A_CLUSTER = phrase(
    "The workers of a cluster do not send back the models of trials, so members are refitted for "
    "each prediction and export. Update the result to refit them once."
)


def _sizes(files: Iterable[Path]) -> list[int] | None:
    """Return the bytes of each file, ``None`` where one of them is not there."""
    try:
        return [file.stat().st_size for file in files]
    except OSError:
        return None


def name_of(fold: int) -> str:
    """Return the name of the file of a fold's model, from 0."""
    return f"{fold}.pkl"
