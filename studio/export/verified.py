"""How a model is written that a fresh process has tried: its file, two beside it, an account.

The account says, too, where the model is not the one whose test error the run has shown.
"""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from studio.document.results import Result
from studio.document.whole_files import write_whole
from studio.export.estimator import Trained
from studio.export.formats.base import MODEL, Job, Written, beside
from studio.export.frame import raw_frame
from studio.export.progress import WRITING
from studio.export.shares import shares_of
from studio.numerals import significant
from studio.phrases import phrase

MAX_ROWS = 20_000
"""More test rows than this are not predicted again only to be compared."""


def write_verified(
    job: Job,
    trained: Trained,
    content: bytes,
    *,
    about: Mapping[str, Any],
    example: str,
    rows: int,
    wrong: int,
    notes: tuple[str, ...] = (),
) -> Written:
    """Write a model and, beside it, a JSON file that describes it and an example that uses it.

    Args:
        job: What was asked for.
        trained: What is in the file.
        content: The file.
        about: What the JSON file says.
        example: Python that uses the file.
        rows, wrong: On how many rows it was tried, and how many predictions differed.
        notes: What to know of this format, before what is to be known of the ensemble.

    Raises:
        ExportError: If a file cannot be written.
    """
    job.progress(WRITING, 0, 0)
    described, shown = files = tuple(beside(job.path, ending) for ending in MODEL)
    write_whole(job.path, content)
    write_whole(described, json.dumps(about, indent=2))
    write_whole(shown, example)
    notes += trained.notes + test_error_note(trained, job.document.runs.get(job.run_id).result)
    checked = phrase(
        "Verified in a fresh process: {n_differing:,} of {n_rows:,} predictions differ.",
        n_differing=wrong,
        n_rows=rows,
    )
    return Written(job.path, files, rows, wrong, checked, notes, example, about)


def test_error(trained: Trained) -> float | None:
    """Return the test loss of the trained ensemble; ``None`` where it cannot be had at once."""
    prepared = trained.prepared
    test = prepared.split.test
    rows = prepared.problem.rows[test]
    if not 0 < test.size <= MAX_ROWS or (rows < 0).any():  # those of a second file are not there
        return None
    frame = raw_frame(trained, rows)
    classes = prepared.problem.classes
    if classes:
        given = shares_of(trained.estimator, frame)
        if trained.ensemble.combination != "mean" or len(trained.ensemble.members) > 1:
            given = given.round(12)
    else:
        given = np.asarray(trained.estimator.predict(frame), dtype=np.float64)
    return prepared.loss(test, given)


def test_error_note(trained: Trained, result: Result | None) -> tuple[str, ...]:
    """Return a sentence where the test error does not read as the one that the run has shown.

    Of a trial that is taken alone it has shown none.
    """
    shown = None if trained.alone else result and result.test_error_ensemble
    found = None if shown is None else test_error(trained)
    if shown is None or found is None or significant(found) == significant(shown):
        return ()
    return (
        phrase(
            "Refitted, the ensemble has a test error of {found:.4g} where the run had "
            "{shown:.4g}: another version of a package, or a limit of time or memory that was "
            "reached, can make such a difference.",
            found=found,
            shown=shown,
        ),
    )
