"""The ensemble as a pickle of plain scikit-learn objects."""

from pathlib import Path
from typing import ClassVar

from studio.export.formats.base import Format, Job, Written

_KNOWN = ("path", "beside", "notes", "rows", "differing", "checked", "example")


class PickleFormat(Format):
    """One scikit-learn estimator that takes the raw table."""

    key: ClassVar[str] = "pickle"
    title: ClassVar[str] = "Pickle"
    also: ClassVar[str] = "scikit-learn python model save joblib deploy production pkl"
    summary: ClassVar[str] = (
        "Opens in Python with scikit-learn. Loading it runs code: for people who trust you."
    )
    suffix: ClassVar[str] = ".pkl"

    def write(self, job: Job) -> Written:
        """Train, write, check."""
        from studio.export.bundle import export_pickle

        found = export_pickle(
            job.document, job.run_id, job.path, job.stopped, job.progress, trial=job.trial
        )
        return Written(
            job.path,
            beside=tuple(map(Path, found["beside"])),
            rows=found["rows"],
            differing=found["differing"],
            checked=found["checked"],
            notes=tuple(found["notes"]),
            example=found["example"],
            details={name: value for name, value in found.items() if name not in _KNOWN},
        )
