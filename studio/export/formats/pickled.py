"""The ensemble as a pickle of plain scikit-learn objects."""

from typing import ClassVar

from studio.export.formats.base import MODEL, Format, Job, Written


class PickleFormat(Format):
    """One scikit-learn estimator that takes the raw table."""

    key: ClassVar[str] = "pickle"
    title: ClassVar[str] = "Pickle"
    also: ClassVar[str] = "scikit-learn python model save joblib deploy production pkl"
    summary: ClassVar[str] = (
        "Opens in Python with scikit-learn. Loading it runs code, so share it only with people "
        "who trust you."
    )
    suffix: ClassVar[str] = ".pkl"
    endings: ClassVar[tuple[str, ...]] = MODEL

    def write(self, job: Job) -> Written:
        """Train, write, check."""
        from studio.export.bundle import write

        return write(job)
