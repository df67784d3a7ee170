"""Put a run into a document, ready for an engine, after a look at what can be known already."""

from studio.document.store import Document
from studio.proposers.method import compose
from studio.proposers.presets import default_for, preset_for
from studio.runs.settings import RunSettings
from studio.space.space import Space


def create_run(
    document: Document, table_id: int | None, settings: RunSettings, name: str = ""
) -> int:
    """Check the settings and add the run, state "waiting"; return its id.

    Parameters
    ----------
    document : Document
        Open for writing.
    table_id : int or None
        The table in the document; ``None`` for the engine to read ``settings.source.path``.
    settings : RunSettings
        What is asked for.
    name : str
        For people; the method's key if empty.

    Raises
    ------
    UsageError, SpaceError
        If the settings, the method's parts or the space cannot work.
    """
    settings.check()
    if settings.space is not None:
        Space.from_json(settings.space).check()
    task = settings.source.task
    if task != "auto":
        key = default_for(task) if settings.method == "auto" else settings.method
        name = name or compose(key, settings.overrides, task).preset
    elif settings.method != "auto":
        name = name or preset_for(settings.method).key
    return document.add_run(name or settings.method, settings.to_json(), table_id)
