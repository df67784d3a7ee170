"""A stop that is heard while a table is read, which may take minutes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from studio.errors import StudioError


class StoppedReadingError(StudioError):
    """Somebody said stop before the table was read to its end; nothing was kept of it."""

    def __init__(self) -> None:
        super().__init__("Stopped while the table was being read.")


_STOPPED: ContextVar[Callable[[], bool]] = ContextVar("stopped", default=lambda: False)


@contextmanager
def interruptible(stopped: Callable[[], bool]) -> Iterator[None]:
    """Let a stop end the reading of tables inside.

    Args:
        stopped: Asked whether anybody said stop, up to once for each row: it should answer at once.
    """
    token = _STOPPED.set(stopped)
    try:
        yield
    finally:
        _STOPPED.reset(token)


def check_stopped() -> None:
    """Raise :class:`StoppedReadingError` if anybody said stop; called wherever reading is long."""
    if _STOPPED.get()():
        raise StoppedReadingError
