"""What is seen in a column, light enough for whoever only shows or sends it."""

from dataclasses import dataclass
from typing import Literal

from studio.data.column import ColumnKind, Role


@dataclass(frozen=True)
class ColumnRemedy:
    """A choice for a column that settles a warning.

    Attributes
    ----------
    choice : "kind", "role" or "treatment"
        What is chosen.
    value : str
        The choice: a kind, a role, or a treatment as it is spelled; empty for none.
    effect : str
        What it changes, in some words: "170 categories → numbers from 0 to 7,159".
    """

    choice: Literal["kind", "role", "treatment"]
    value: str
    effect: str


@dataclass(frozen=True)
class Finding:
    """Something worth knowing of a column.

    Attributes
    ----------
    sentence : str
        A plain sentence.
    remedies : tuple of ColumnRemedy
        What can be done about it.
    """

    sentence: str
    remedies: tuple[ColumnRemedy, ...] = ()


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
    minimum, maximum : float or None
        Of a column of numbers.
    findings : tuple of Finding
        What is worth knowing.
    reason : str
        Why this kind.
    """

    name: str
    kind: ColumnKind
    role: Role
    missing: int
    distinct: int
    minimum: float | None
    maximum: float | None
    findings: tuple[Finding, ...]
    reason: str

    @property
    def warnings(self) -> tuple[str, ...]:
        """The findings' sentences."""
        return tuple(each.sentence for each in self.findings)
