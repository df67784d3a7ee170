"""Whoever listens to a command may leave, or their disk may be full: the command continues."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from studio.printable import harmless


def _encodable(text: str, encoding: str | None) -> str:
    """Return a text in letters of an encoding: files and pipes of Windows have not every one."""
    known = encoding or "utf-8"
    return text.encode(known, "backslashreplace").decode(known)


class Listener:
    """A stream to write to; from its first refusal on, what is said goes nowhere.

    Args:
        stream: Standard output or standard error.

    Attributes:
        refusal: Why it could not be written, if not because whoever read it left; "" where all was
            said.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.refusal = ""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Say something; names and messages of strangers cannot command the terminal."""
        shown = _encodable(harmless(text), self._stream.encoding)
        try:
            return self._stream.write(shown)
        except OSError as error:
            self._leave(error)
        return len(text)

    def flush(self) -> None:
        """Let what was said arrive."""
        try:
            self._stream.flush()
        except OSError as error:
            self._leave(error)

    def _leave(self, error: OSError) -> None:
        if not isinstance(error, BrokenPipeError):
            self.refusal = error.strerror or str(error)
        # What the stream still holds, and what libraries say, goes there too.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)


@contextmanager
def listening() -> Iterator[Listener]:
    """Let ``print`` inside speak to listeners that may leave; yields that of standard output."""
    _open_what_is_closed()
    before = sys.stdout, sys.stderr
    out, err = Listener(before[0]), Listener(before[1])
    sys.stdout, sys.stderr = out, err
    try:
        yield out
    finally:
        out.flush()
        err.flush()
        sys.stdout, sys.stderr = before


def _open_what_is_closed() -> None:
    """Give closed standard streams somewhere to go, before a document takes their numbers."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
