"""Put a run into a document, ready for an engine, after a look at what can be known already."""

from studio.document.store import Document
from studio.runs.compatible import check_settings, check_space, check_values, constrained
from studio.runs.settings import RunSettings
from studio.space.space import Space


def create_run(
    document: Document, table_id: int | None, settings: RunSettings, name: str = ""
) -> int:
    """Check the settings and add the run, state "waiting"; return its id.

    Args:
        document: Open for writing.
        table_id: The table in the document; ``None`` for the engine to read
            ``settings.source.path``.
        settings: What is asked for.
        name: For people; the method's key if empty.

    Raises:
        UsageError, SpaceError: If the settings, the method's parts or the space cannot work.
    """
    proposed = check_settings(settings)
    if settings.space is not None:
        space = Space.from_json(settings.space)
        check_values(space)
        if settings.source.task != "auto":
            check_space(space, settings.source.task)
            constrained(space, settings, settings.source.task)
    return document.runs.add(name or proposed, settings.to_json(), table_id)
