"""What commands print: text for people, or one JSON object as the last line."""

import json
import math
import os
import sys
from typing import Any, TextIO

from studio.children import PHRASES
from studio.phrases import Phrase, plain
from studio.printable import printable


def print_json(content: dict[str, Any]) -> None:
    """Print the object on one line of standard output; NaN and infinities become null."""
    shown = plain(content) if _phrases_wanted() else content
    print(json.dumps(_finite(shown), ensure_ascii=False, allow_nan=False), flush=True)


def print_line(text: str, stream: TextIO | None = None) -> None:
    """Print a line for people: one line, whatever is in the names that it contains."""
    print(printable(text), file=stream or sys.stdout, flush=True)


def complaint(message: str) -> str:
    """Return what is printed last where a command has failed: a sentence."""
    if isinstance(message, Phrase) and _phrases_wanted():
        return json.dumps(plain(message))
    return message


def _phrases_wanted() -> bool:
    """Whether the window reads what is printed, and translates it."""
    return PHRASES in os.environ


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


def size(n_bytes: int) -> str:
    """Write bytes as people do: "3.4 MB"; few as "12 kB"."""
    return f"{n_bytes / 1e6:.1f} MB" if n_bytes >= 1e5 else f"{max(1, round(n_bytes / 1e3))} kB"


def duration(seconds: float) -> str:
    """Return a duration for people: "48 s", "3 min 20 s", "2 h 05 min"."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
