"""Task ``prediction_errors``: where an ensemble errs, from the stored predictions."""

from pathlib import Path
from typing import Any

from studio.helper.registry import Answer


def run(arguments: dict[str, Any]) -> Answer:
    """See :func:`studio.analysis.prediction_errors.prediction_errors`.

    Parameters
    ----------
    arguments : dict
        document, run; iteration: whose ensemble; rows: "validation" or "test"; about: the code of
        the class that curves are about, -1 for all, ``None`` for the usual choice.

    Returns
    -------
    dict, arrays
        The fields of :class:`studio.analysis.prediction_errors.PredictionErrors`.
    """
    from studio.analysis.prediction_errors import prediction_errors
    from studio.helper.fields import split_fields

    return split_fields(
        prediction_errors(
            Path(arguments["document"]),
            int(arguments["run"]),
            int(arguments["iteration"]),
            arguments["rows"],
            arguments["about"],
        )
    )
