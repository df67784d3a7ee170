"""Models of trials that the document keeps from before: of a continued run, or of a fork's parent.

The document keeps one record of a result's members together, so what is taken over is written
again with the members of the new result.
"""

import json
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from studio.document import shapes
from studio.document.store import Document
from studio.errors import DocumentError, KeepingError
from studio.runs.jobs import Refitted, unpack_job
from studio.runs.kept_ensemble import About, awaited
from studio.runs.model_files import FoldModels
from studio.runs.session import RunContext
from studio.runs.settings import RunSettings
from studio.serialization.codec import Kept, versions
from studio.trial import History


def take_over(
    context: RunContext,
    history: History,
    there: FoldModels,
    numbers: Sequence[int],
    stopped: Callable[[], bool],
) -> None:
    """Put kept models of trials among those that the search has left.

    Models that the document does not keep, or not for these versions of the libraries, stay away.

    Args:
        context: The run; its workers are idle.
        history: Its trials.
        there: Models of the search.
        numbers: The trials whose models are wanted.
        stopped: Asked several times a second whether to give up.

    Raises:
        StoppedError: If ``stopped`` said so.
    """
    for run_id, last in _sources(context.document, context.run_id):
        wanted = [each for each in numbers if each <= last and not there.files(each)]
        if not wanted:
            continue
        try:
            found = _kept(context.document, run_id)
        except (DocumentError, KeepingError):
            continue  # it is trained again, as where nothing is kept
        if found is None:
            continue
        members, kept = found
        taken = [each for each in wanted if each in members]
        if not taken:
            continue
        packed = context.scratch / f"kept-{run_id}.npz"
        np.savez(packed, allow_pickle=False, **kept.to_arrays())
        files = [there.free(each) if each in taken else () for each in members]
        configuration = history.trials[taken[0] - 1].configuration
        context.pool.submit(
            0, unpack_job(context.prepared.space, configuration, packed=packed, files=files)
        )
        if isinstance(awaited(context.pool, stopped), Refitted):
            for number in taken:
                there.adopt(number)


def _sources(document: Document, run_id: int) -> Iterator[tuple[int, int]]:
    """Yield the run and those that it was forked from, each with the last trial they share."""
    last, known = document.trials.count(run_id), {row.id for row in document.runs.all()}
    while run_id in known:
        known.discard(run_id)
        yield run_id, last
        forked = RunSettings.of(document.runs.get(run_id)).forked
        run_id, last = forked.get("run", 0), min(last, forked.get("iteration", 0))


def _kept(document: Document, run_id: int) -> tuple[tuple[int, ...], Kept] | None:
    """Return the members that a document keeps as the search trained them, and their record."""
    plain = document.ensembles.about(run_id)
    if plain is None:
        return None
    about = shapes.build(About, json.loads(json.dumps(plain)), f"ensemble {run_id}")
    if about.refitted:
        return None
    kept = Kept.from_arrays(document.ensembles.arrays(run_id))
    sound = about.versions == versions(kept) and about.checksum == kept.checksum()
    return (about.members, kept) if sound else None
