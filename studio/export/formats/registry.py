"""Registry of export formats, for the window's list and the command line."""

from studio.errors import UsageError
from studio.export.formats.base import Format
from studio.export.formats.documents import (
    PickleFormat,
    ReportFormat,
    SkopsFormat,
    SpaceFormat,
    TrialsFormat,
)

REGISTRY: tuple[Format, ...] = (
    ReportFormat(),
    PickleFormat(),
    SkopsFormat(),
    TrialsFormat(),
    SpaceFormat(),
)


def get_format(key: str) -> Format:
    """Return a format by name; raise UsageError if there is none."""
    for each in REGISTRY:
        if each.key == key:
            return each
    available = ", ".join(each.key for each in REGISTRY)
    raise UsageError(
        ("There is no export format {key!r}; available: {known}."), key=key, known=available
    )
