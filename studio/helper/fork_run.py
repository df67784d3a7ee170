"""Task ``fork_run``: continue a run with another method, ready for an engine."""

from pathlib import Path
from typing import Any

from studio.helper.registry import Answer


def run(arguments: dict[str, Any]) -> Answer:
    """Copy the first trials of a run into a new one.

    Parameters
    ----------
    arguments : dict
        document; run: the run to fork; iteration: how many of its trials are taken over;
        changes: settings as JSON that differ; name: what to call the fork, optional.

    Returns
    -------
    dict
        run: the new run's id in the document.
    """
    from studio.document.store import Document
    from studio.runs.fork import fork_run

    with Document.open(Path(arguments["document"])) as document:
        number = fork_run(
            document,
            int(arguments["run"]),
            int(arguments["iteration"]),
            arguments["changes"],
            arguments.get("name", ""),
        )
    return {"run": number}, {}
