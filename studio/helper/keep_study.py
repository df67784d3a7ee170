"""Task ``keep_study``: check a study and put it into the document."""

from pathlib import Path
from typing import Any

from studio.helper.registry import Answer


def run(arguments: dict[str, Any]) -> Answer:
    """See :func:`studio.compare.keep.keep_study`.

    Parameters
    ----------
    arguments : dict
        document; study: as JSON.

    Returns
    -------
    dict
        Empty.
    """
    from studio.compare.keep import keep_study

    keep_study(Path(arguments["document"]), arguments["study"])
    return {}, {}
