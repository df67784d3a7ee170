"""Task ``posterior_choices``: which trials the posterior mean would choose, and their losses."""

from pathlib import Path
from typing import Any

from studio.helper.registry import Answer


def run(arguments: dict[str, Any]) -> Answer:
    """See :func:`studio.analysis.surrogate.choices.posterior_choices`.

    Parameters
    ----------
    arguments : dict
        document, run; iteration: trials finished by then, or ``None`` for all.

    Returns
    -------
    dict, arrays
        The fields of
        :class:`studio.analysis.surrogate.choices.PosteriorChoices`: words, and arrays.
    """
    from studio.analysis.surrogate.choices import posterior_choices
    from studio.helper.fields import split_fields

    return split_fields(
        posterior_choices(
            Path(arguments["document"]), int(arguments["run"]), arguments["iteration"]
        )
    )
