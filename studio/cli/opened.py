"""Opening a document for a command, which says in the end what of it is damaged."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studio.document.store import Document


@contextmanager
def opened(path: Path, *, writable: bool | None = True) -> "Iterator[Document]":
    """Open a document for as long as a command needs it.

    Args:
        path: The file.
        writable: As :meth:`studio.document.store.Document.open` takes it.
    """
    from studio.document.damage import sentences
    from studio.document.store import Document

    with Document.open(path, writable=writable) as document:
        try:
            yield document
        finally:
            for sentence in sentences(document.damages):
                print(sentence, file=sys.stderr)
