"""Task ``remove_run``: remove a run from the document for good."""

from pathlib import Path
from typing import Any

from studio.helper.registry import Answer


def run(arguments: dict[str, Any]) -> Answer:
    """Remove a run with its trials and predictions.

    Parameters
    ----------
    arguments : dict
        document; run: the run to remove.

    Returns
    -------
    dict
        run: the number that is gone.
    """
    from studio.document.store import Document

    number = int(arguments["run"])
    with Document.open(Path(arguments["document"])) as document:
        document.remove_run(number)
    return {"run": number}, {}
