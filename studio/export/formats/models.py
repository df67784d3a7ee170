"""Exported models: a pickle of scikit-learn objects, or skops' format, which runs no code."""

from typing import ClassVar

from studio.export.formats.base import MODEL, ExportResult, Format, Job


class PickleFormat(Format):
    """One scikit-learn estimator for the raw table."""

    key: ClassVar[str] = "pickle"
    title: ClassVar[str] = "Pickle"
    also: ClassVar[str] = "scikit-learn python model save joblib deploy production pkl"
    summary: ClassVar[str] = (
        "For Python with scikit-learn, the usual way. Loading it runs code: only for people who "
        "trust you."
    )
    suffix: ClassVar[str] = ".pkl"
    aliases: ClassVar[tuple[str, ...]] = (".pickle",)
    endings: ClassVar[tuple[str, ...]] = MODEL

    def write(self, job: Job) -> ExportResult:
        """Train, write, check."""
        from studio.export.bundle import write

        return write(job)


class SkopsFormat(Format):
    """One scikit-learn estimator, serialised as a zip of arrays and type names."""

    key: ClassVar[str] = "skops"
    title: ClassVar[str] = "skops"
    also: ClassVar[str] = "safe model python save scikit-learn"
    summary: ClassVar[str] = (
        "For Python with scikit-learn and skops: loading it runs no code in the file."
    )
    suffix: ClassVar[str] = ".skops"
    extra: ClassVar[str] = "skops"
    modules: ClassVar[tuple[str, ...]] = ("skops",)
    endings: ClassVar[tuple[str, ...]] = MODEL

    def write(self, job: Job) -> ExportResult:
        """Train, write, check."""
        from studio.export.skops_model import write

        return write(job)
