"""How long a large table takes, said before it is looked at.

Looking at a column of a hundred rows takes about a third of a millisecond of computing (its kind,
its warnings, its relations to the others), making the table of it half as much, and text is cut at
some ten megabytes a second; measured on one core of a shared server.
"""

import gzip
import zlib
from pathlib import Path

from studio.phrases import phrase

SECONDS_A_COLUMN = 5e-4
SECONDS_A_BYTE = 1e-7

WORTH_SAYING = 10.0
"""Seconds from which on it is said."""

_GLANCE = 2**23
"""Bytes of the first line that are looked at, at most."""


def columns_at_a_glance(path: Path) -> int:
    """Return about how many columns a text table has, by the signs of its first line.

    0 of what cannot be read: reading it says why.
    """
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        with gzip.open(path) if packed else path.open("rb") as stream:
            line = stream.readline(_GLANCE)
    except (OSError, EOFError, ValueError, zlib.error):
        return 0
    return 1 + max(line.count(sign) for sign in (b",", b";", b"\t", b"|"))


def seconds_for(n_columns: int, n_bytes: int) -> float:
    """Return about how many seconds it takes to read a table and look at its columns."""
    return SECONDS_A_COLUMN * n_columns + SECONDS_A_BYTE * n_bytes


def estimate_read_time(path: Path) -> str:
    """Return a sentence of how long a file takes; empty where that is not worth saying."""
    if not path.is_file():
        return ""
    n_columns, n_bytes = columns_at_a_glance(path), path.stat().st_size
    seconds = seconds_for(n_columns, n_bytes)
    if seconds < WORTH_SAYING:
        return ""
    return phrase(
        "About {n_columns:,} columns in {megabytes:,.0f} MB: looking at all of them takes {time}.",
        n_columns=n_columns,
        megabytes=n_bytes / 1000000.0,
        time=_time(seconds),
    )


def _time(seconds: float) -> str:
    if seconds < 90:
        return phrase("about {seconds:.0f} seconds", seconds=round(seconds, -1))
    return phrase("about {minutes:.0f} minutes", minutes=seconds / 60)
