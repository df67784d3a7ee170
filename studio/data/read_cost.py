"""Cost of reading a table: memory, checked beforehand, and an estimate of time."""

import gzip
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from studio.errors import DataError, StudioError
from studio.phrases import phrase
from studio.system import available_resources


class StoppedReadingError(StudioError):
    """The user cancelled before the whole table was read; no part of it is kept."""

    def __init__(self) -> None:
        super().__init__("Stopped while the table was being read.")


_IS_STOPPED: ContextVar[Callable[[], bool]] = ContextVar("stopped", default=lambda: False)


@contextmanager
def allow_interruption(stopped: Callable[[], bool]) -> Iterator[None]:
    """Stop reading tables in this context once ``stopped()``, polled up to once a row, is true."""
    token = _IS_STOPPED.set(stopped)
    try:
        yield
    finally:
        _IS_STOPPED.reset(token)


def check_stopped() -> None:
    """Raise :class:`StoppedReadingError` if a stop was requested; called in every long step."""
    if _IS_STOPPED.get()():
        raise StoppedReadingError


CELL_BYTES = 24
"""Bytes per cell while a table is being built: pointer, code, value."""

TEXT_BYTES = 72
"""Bytes per distinct text besides its characters: the object, and entries in two lists."""

MEMORY_SHARE = 0.8
"""Maximum share of the free memory for one table."""

MAX_COLUMNS = 250_000
"""Maximum number of columns of a table; describing this many already takes minutes."""

CHUNK_CELLS = 2**20
"""Cells per step of cutting or padding, for any shape of the table."""

_MAX_CACHED_TEXTS = 2**17  # maximum number of remembered texts, to bound the memory of the cache
_FORECAST_DIVISOR = 8  # forecasts below this fraction of the limit are ignored


def get_free_memory() -> int:
    """Return the bytes of memory available to this process, within its container's limit."""
    return available_resources.get_free_memory()


@dataclass
class MemoryBudget:
    """Counts a table's memory in bytes step by step, and raises an error at the limit."""

    name: str
    limit: int = field(default_factory=lambda: int(MEMORY_SHARE * get_free_memory()))
    used_bytes: int = 0
    _shared_texts: dict[str, str] = field(default_factory=dict, repr=False)

    def intern_texts(self, column: Sequence[str]) -> list[str]:
        """Replace equal texts by one shared object, and add their memory to the total."""
        n_previous = len(self._shared_texts)
        cells = list(map(self._shared_texts.setdefault, column, column))
        self.used_bytes += CELL_BYTES * len(cells) + TEXT_BYTES * (
            len(self._shared_texts) - n_previous
        )
        if len(self._shared_texts) > _MAX_CACHED_TEXTS:
            self._shared_texts.clear()
        return cells

    def count_cells(self, n_cells: int, n_bytes: int) -> None:
        """Count encoded cells, and the bytes of their lookup table."""
        self.used_bytes += CELL_BYTES * n_cells + n_bytes

    def check(self, n_rows: int, n_columns: int, part: float = 1.0, characters: int = 0) -> None:
        """Raise an error if a table exceeds the limit, or is forecast to.

        Reading can also be stopped here (:func:`allow_interruption`).

        Args:
            part: The fraction of the file read so far, in (0, 1]; 1 if unknown.
            characters: Bytes of text read so far.

        Raises:
            DataError: The message gives the expected size and a remedy.
            StoppedReadingError: If the user cancelled.
        """
        check_stopped()
        if n_columns > MAX_COLUMNS:
            raise DataError(
                "{name!r} has {n_columns:,} columns; at most {max_columns:,} can be read. "
                "Choose another separator if that is wrong, or leave columns out.",
                name=self.name,
                n_columns=n_columns,
                max_columns=MAX_COLUMNS,
            )
        needed = self.used_bytes + characters
        forecast = needed / part
        if needed > self.limit or (
            _FORECAST_DIVISOR * needed > self.limit and forecast > self.limit
        ):
            raise DataError(
                "{name!r} would be a table of about {n_rows:,.0f} rows and {n_columns:,} "
                "columns and take {whole} of memory or more, but {limit} can be used. Take a "
                "sample of its rows, leave columns out, or close other programs.",
                name=self.name,
                n_rows=n_rows / part,
                n_columns=n_columns,
                whole=_format_size(forecast),
                limit=_format_size(self.limit),
            )

    def reserve(self, n_rows: int, n_columns: int) -> None:
        """Raise DataError if a table's shape alone exceeds the limit, before creating cells."""
        MemoryBudget(self.name, self.limit, CELL_BYTES * n_rows * n_columns).check(
            n_rows, n_columns
        )


def _format_size(n_bytes: float) -> str:
    return f"{n_bytes / 1e9:,.1f} GB" if n_bytes >= 1e8 else f"{n_bytes / 1e6:,.1f} MB"


_SECONDS_PER_COLUMN, _SECONDS_PER_BYTE = 5e-4, 1e-7  # of reading and describing a table

MIN_REPORTED_SECONDS = 10.0

_SAMPLE_BYTES = 2**23  # maximum number of bytes of the first line


def estimate_column_count(path: Path) -> int:
    """Estimate the columns of a text table from its first line; 0 for an unreadable file."""
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        with gzip.open(path) if packed else path.open("rb") as stream:
            line = stream.readline(_SAMPLE_BYTES)
    except (OSError, EOFError, ValueError, zlib.error):
        return 0
    return 1 + max(line.count(sign) for sign in (b",", b";", b"\t", b"|"))


def estimate_read_time(path: Path) -> str:
    """Describe the expected time for reading a file; empty if it is short."""
    if not path.is_file():
        return ""
    n_columns, n_bytes = estimate_column_count(path), path.stat().st_size
    seconds = _SECONDS_PER_COLUMN * n_columns + _SECONDS_PER_BYTE * n_bytes
    if seconds < MIN_REPORTED_SECONDS:
        return ""
    time = phrase("about {minutes:.0f} minutes", minutes=seconds / 60)
    if seconds < 90:
        time = phrase("about {seconds:.0f} seconds", seconds=round(seconds, -1))
    return phrase(
        "About {n_columns:,} columns in {megabytes:,.0f} MB: examining all of them takes {time}.",
        n_columns=n_columns,
        megabytes=n_bytes / 1000000.0,
        time=time,
    )
