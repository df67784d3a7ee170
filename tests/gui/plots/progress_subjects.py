"""Data of the progress plot from a run's series and the facts that a test is about."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subjects import Overlay, Subject
from studio.gui.plots.quality import progress_model
from studio.gui.plots.quality.progress_model import ProgressData
from studio.runs.settings import RunSettings


def make_progress_data(
    series: RunSeries,
    chosen: int | None,
    overlays: Sequence[Overlay] = (),
    *,
    n_copied: int = 0,
    **facts: Any,
) -> ProgressData:
    """Return the data of a run at an iteration (``None``: live); ``facts``: fields of a subject."""
    settings = RunSettings(forked={"iteration": n_copied} if n_copied else {})
    subject = Subject(
        Path("x.studio"), 1, series, chosen, None,
        settings=settings, overlays=tuple(overlays), **facts,
    )  # fmt: skip
    return progress_model.make_progress_data(subject)
