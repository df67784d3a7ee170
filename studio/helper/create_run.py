"""Task ``create_run``: write a run into the document, ready for an engine."""

from pathlib import Path
from typing import Any

from studio.helper.registry import Answer


def run(arguments: dict[str, Any]) -> Answer:
    """Check the settings and create the run.

    Parameters
    ----------
    arguments : dict
        document; table: the table's id, or ``None`` for the engine to read the source file;
        settings: RunSettings as JSON; name: what to call the run, optional.

    Returns
    -------
    dict
        run: the id in the document.
    """
    from studio.document.store import Document
    from studio.runs.create import create_run
    from studio.runs.settings import RunSettings

    settings = RunSettings.from_json(arguments["settings"])
    with Document.open(Path(arguments["document"])) as document:
        number = create_run(document, arguments["table"], settings, arguments.get("name", ""))
    return {"run": number}, {}
