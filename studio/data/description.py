"""Description of a column, light enough for the window to import."""

from dataclasses import dataclass, replace
from typing import Literal, Self, get_args

from studio.data.column import ColumnKind, Role
from studio.data.dates import DateFormat
from studio.data.numbers import NumberFormat

Level = Literal["stop", "decide", "done", "idea"]

LEVELS: tuple[Level, ...] = get_args(Level)
"""Levels of findings, the most urgent first.

``stop``: the answer is in the table, or the column cannot be known before it. ``decide``: only the
user knows what is right, and the result depends on it. ``done``: the program has dealt with it.
``idea``: something that may help.
"""

FindingKind = Literal[
    "alike-labels",
    "codes",
    "constant",
    "contradictions",
    "decimal-mark",
    "duplicates",
    "empty",
    "far-values",
    "free-text",
    "group",
    "huge-numbers",
    "identifier",
    "imbalance",
    "infinite",
    "leak",
    "long-numbers",
    "many-categories",
    "many-classes",
    "missing",
    "missing-words",
    "mixed-units",
    "rare-classes",
    "reading",
    "repeated-column",
    "role",
    "time",
    "treated",
    "unclear-dates",
    "unclear-numbers",
    "unread-numbers",
    "weight",
    "words-among-numbers",
]
"""Stable identifiers of findings for programs; sentences may change."""


@dataclass(frozen=True)
class ColumnRemedy:
    """A remedy for a column's warning.

    Attributes:
        choice: What is chosen.
        value: The choice: a kind, a role, a treatment as it is spelled (empty for none), the format
            of the column as text (:mod:`studio.data.column_reading`), or the direction of its
            effect (:mod:`studio.data.monotone`).
        effect: What it changes, in some words: "170 categories → numbers from 0 to 7,159".
    """

    choice: Literal["kind", "role", "treatment", "reading", "monotone"]
    value: str
    effect: str


@dataclass(frozen=True)
class Finding:
    """A finding about a table or some of its columns.

    Attributes:
        kind: What it is about.
        level: How much it asks of the reader.
        sentence: A plain sentence: what was found, not what a column is used for.
        remedies: What can be done about it.
        columns: The columns that it concerns; empty where it is about the whole table.
        fact: What was found without what to do about it; empty where the sentence says no more.
    """

    kind: FindingKind
    level: Level
    sentence: str
    remedies: tuple[ColumnRemedy, ...] = ()
    columns: tuple[str, ...] = ()
    fact: str = ""


@dataclass(frozen=True)
class ColumnDescription:
    """The description of a column.

    Attributes:
        name: Its name.
        kind: How it would be used.
        role: What for; a proposal that the user may change.
        missing: Number of rows without a value (in a column of numbers also those that hold words).
        distinct: Number of different values.
        minimum, maximum: Of a column of numbers.
        findings: What is worth knowing.
        reason: Why this kind.
        number_format: How its numbers are written; ``None`` where its kind is another.
        date_format: How its dates are written; ``None`` where its kind is another.
        missing_words: The words in its cells that count as missing, as such words usually do or as
            the user said.
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
    number_format: NumberFormat | None = None
    date_format: DateFormat | None = None
    missing_words: tuple[str, ...] = ()

    def having(self, found: Finding) -> Self:
        """Return a copy with another finding."""
        return replace(self, findings=(*self.findings, found))

    def without_findings(self, kind: FindingKind) -> Self:
        """Return a copy without findings of a kind."""
        return replace(self, findings=tuple(each for each in self.findings if each.kind != kind))

    @property
    def warnings(self) -> tuple[str, ...]:
        """The findings' sentences."""
        return tuple(each.sentence for each in self.findings)

    @property
    def is_doubtful(self) -> bool:
        """Whether a finding needs a decision while the column is used."""
        asks = any(each.level in {"stop", "decide"} for each in self.findings)
        return asks and self.role != "ignore"
