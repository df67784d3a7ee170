"""Task ``study_results``: tables and diagrams of the document's study, as far as it is."""

from pathlib import Path

from studio.compare.answers import StudySoFar
from studio.compare.so_far import SoFar

_KEPT: dict[Path, SoFar] = {}
"""What was read of the last document: every finished cell is read once while this process lives."""


def study_results(document: Path, *, thorough: bool) -> StudySoFar:
    """See :class:`studio.compare.so_far.SoFar`.

    Args:
        document: The document.
        thorough: Whether probabilities from the test rows are computed, too.
    """
    if document not in _KEPT:
        _KEPT.clear()
        _KEPT[document] = SoFar(document)
    return _KEPT[document].read(thorough=thorough)
