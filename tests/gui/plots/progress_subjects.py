"""Data of the progress plot from a run's series and the facts that a test is about."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.quality import progress_model
from studio.gui.plots.quality.progress_model import ProgressData
from studio.runs.settings import RunSettings


def make_overlay(name: str, run_id: int, series: RunSeries, **facts: Any) -> Subject:
    """Return another run to be drawn over or beside a run; ``facts``: fields of a subject."""
    subject = Subject(Path("x.studio"), run_id, series, None, None, name=name)
    return replace(subject, **facts)


def make_progress_data(
    series: RunSeries,
    chosen: int | None,
    overlays: Sequence[Subject] = (),
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
