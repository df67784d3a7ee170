"""How a model is written that a fresh process has tried: its file, two beside it, an account."""

import json
from collections.abc import Mapping
from typing import Any

from studio.export.agreement import test_error_note
from studio.export.estimator import Trained
from studio.export.files import write_whole
from studio.export.formats.base import Job, Written
from studio.export.fresh import sentence
from studio.export.progress import WRITING

CHECK_ROWS = 1000
"""Rows of the table on which the fresh process must agree with this one."""


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

    Parameters
    ----------
    job : Job
        What was asked for.
    trained : Trained
        What is in the file.
    content : bytes
        The file.
    about : Mapping
        What the JSON file says.
    example : str
        Python that uses the file.
    rows, wrong : int
        On how many rows it was tried, and how many predictions differed.
    notes : tuple of str
        What to know of this format, before what is to be known of the ensemble.

    Raises
    ------
    ExportError
        If a file cannot be written.
    """
    job.progress(WRITING, 0, 0)
    beside = (job.beside(".json"), job.beside("_example.py"))
    write_whole(job.path, content)
    write_whole(beside[0], json.dumps(about, indent=2))
    write_whole(beside[1], example)
    notes += trained.notes + test_error_note(trained, job.document.run(job.run_id).result)
    return Written(job.path, beside, rows, wrong, sentence(rows, wrong), notes, example, about)
