"""Fitted models as files of a run's scratch folder, written by its workers.

A pickle is written and read by processes of ours in one session, and never leaves the folder. What
goes into a document is the record of :mod:`studio.keeping`, which a worker makes of the pickles: it
has the libraries loaded already, and the engine need not load them at all.
"""

import json
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from studio.arrays import AnyArray
from studio.errors import KeepingError
from studio.keeping.codec import Kept, encode
from studio.phrases import plain
from studio.plain_json import read_json
from studio.runs.fold_models import MOST_BYTES_OF_TRIAL
from studio.scratch import make_again

_REASON = "reason"


def keep(pipeline: Any, destination: Path) -> int:
    """Write a pipeline whole or not at all; return the bytes of the file."""
    make_again(destination.parent)
    partial = destination.with_name(destination.name + ".part")
    with partial.open("wb") as file:
        pickle.dump(pipeline, file, protocol=5)
    partial.replace(destination)
    return destination.stat().st_size


def leave(pipeline: Any, destination: Path) -> int:
    """Write a pipeline where there is room: a full disk costs the file and not the trial."""
    try:
        return keep(pipeline, destination)
    except OSError:
        return MOST_BYTES_OF_TRIAL + 1


def load_own(path: Path) -> Any:
    """Unpickle a file that a worker of ours has written in this session, in a folder of ours."""
    with path.open("rb") as file:
        return pickle.load(file)  # noqa: S301 - our own workers' file


def pack(files: Sequence[Sequence[Path]], destination: Path) -> None:
    """Write the record of fitted pipelines, or why there is none.

    Parameters
    ----------
    files : sequence of sequences of Path
        Pickles, by member.
    destination : Path
        An .npz file.
    """
    try:
        kept = encode([list(map(load_own, each)) for each in files])
    except KeepingError as error:
        reason = json.dumps(plain(str(error)))
        np.savez(destination, allow_pickle=False, **{_REASON: np.array(reason)})
    else:
        np.savez(destination, allow_pickle=False, **kept.to_arrays())


def unpacked(path: Path) -> Kept:
    """Return the record that :func:`pack` has written.

    Raises
    ------
    KeepingError
        If there is none; the message says why.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays: dict[str, AnyArray] = dict(file)
        reason = read_json(str(arrays[_REASON])) if _REASON in arrays else ""
    except (OSError, ValueError, EOFError, BadZipFile) as error:
        raise KeepingError("Its file is damaged ({error}).", error=error) from error
    if reason:
        raise KeepingError(str(reason))
    return Kept.from_arrays(arrays)
