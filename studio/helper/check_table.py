"""Task ``check_table``: does a new file fit a run? Asked before anything is trained or written."""

from pathlib import Path
from typing import Any

from studio.helper.registry import Answer


def run(arguments: dict[str, Any]) -> Answer:
    """Read the file and compare it with the run's columns.

    Parameters
    ----------
    arguments : dict
        document, run, path.

    Returns
    -------
    dict, arrays
        rows: how many can be predicted; notes: what is not as in training, in sentences. No
        arrays.
    """
    from studio.document.store import Document
    from studio.runs.fitting import fit_file, training_options
    from studio.runs.load import follow

    run_id = int(arguments["run"])
    with Document.open(Path(arguments["document"]), writable=False) as document:
        like = training_options(document, run_id)
        prepared, _ = follow(document, run_id)
    found = fit_file(Path(arguments["path"]), prepared.problem.codec(), like)
    return {"rows": found.raw.n_rows, "notes": list(found.notes)}, {}
