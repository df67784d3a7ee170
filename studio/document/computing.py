"""Runs that are computed in a document which is not open."""

from pathlib import Path

from studio.document import log_files
from studio.document.locating import locate
from studio.document.store import Document
from studio.errors import DocumentError


def count_computing_runs(path: Path) -> int:
    """Return how many runs of a document are being computed; 0 if it cannot be read.

    A document without a log is open nowhere and is not read, so asking for many is cheap.
    """
    try:
        if not log_files.get_companion_path(locate(path), log_files.LOG).exists():
            return 0
        with Document(path, writable=False, verify=False) as document:
            return sum(each.is_owner_alive for each in document.runs.list_all())
    except (DocumentError, OSError):
        return 0
