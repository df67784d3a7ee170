"""A readable Python script that trains the same ensemble from the table's file."""

from typing import ClassVar

from studio.export.formats.base import ROWS, Format, Job, Written


class ScriptFormat(Format):
    """Plain scikit-learn, from the file of the table to predictions for a new one."""

    key: ClassVar[str] = "script"
    title: ClassVar[str] = "Python script"
    also: ClassVar[str] = "python code py source program reproduce notebook"
    summary: ClassVar[str] = "Trains the same ensemble from your table, for people who read code."
    suffix: ClassVar[str] = ".py"
    endings: ClassVar[tuple[str, ...]] = ROWS

    def write(self, job: Job) -> Written:
        """Train, write, check."""
        from studio.export.script.training import write

        return write(job)
