"""Times that a calendar can show: a record of a stranger may hold any number."""

from studio.errors import DocumentError

_LATEST = 250_000_000_000.0
"""Unix time in seconds, in the year 9892; calendars end with 9999, wherever the reader lives."""


def check_moment(seconds: float) -> None:
    """Refuse a Unix time before 1970 or after all calendars.

    Args:
        seconds: Since the beginning of 1970, in UTC.

    Raises:
        DocumentError: If it is not between them.
    """
    if not 0 <= seconds <= _LATEST:
        raise DocumentError("{seconds:g} is not a time in seconds since 1970.", seconds=seconds)
