"""What is seen in a column, light enough for whoever only shows or sends it."""

from dataclasses import dataclass

from studio.data.column import ColumnKind, Role


@dataclass(frozen=True)
class ColumnDescription:
    """What is seen in a column.

    Attributes
    ----------
    name : str
        Its name.
    kind : "number", "category" or "date"
        How it would be used.
    role : "feature", "target" or "ignore"
        What for; a proposal that the user may change.
    missing : int
        Number of rows without a value (in a column of numbers also those that hold words).
    distinct : int
        Number of different values.
    examples : tuple of str
        Up to five values as they stand in the file, shortened.
    minimum, maximum : float or None
        Of a column of numbers.
    warnings : tuple of str
        Plain sentences.
    reason : str
        Why this kind.
    """

    name: str
    kind: ColumnKind
    role: Role
    missing: int
    distinct: int
    examples: tuple[str, ...]
    minimum: float | None
    maximum: float | None
    warnings: tuple[str, ...]
    reason: str
