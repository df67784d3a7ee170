"""Description of a column, light enough for the window to import."""

from dataclasses import dataclass
from typing import Literal, get_args

from studio.data.column import ColumnKind, Role
from studio.data.dates import DateFormat
from studio.data.numbers import NumberFormat

Level = Literal["stop", "decide", "done", "idea"]

LEVELS: tuple[Level, ...] = get_args(Level)
"""Levels of findings, the most urgent first.

``stop``: the column contains the target, or is known only after it. ``decide``: only the user can
decide, and the result depends on it. ``done``: handled automatically. ``idea``: a possible
improvement.
"""

FindingKind = Literal[
    "alike-labels", "codes", "constant", "contradictions", "decimal-mark", "duplicates",
    "empty", "far-values", "free-text", "group", "huge-numbers", "identifier", "imbalance",
    "infinite", "leak", "long-numbers", "many-categories", "many-classes", "missing",
    "missing-words", "mixed-units", "rare-classes", "reading", "repeated-column", "role",
    "time", "treated", "unclear-dates", "unclear-numbers", "unread-numbers", "weight",
    "words-among-numbers",
]  # fmt: skip
"""Stable identifiers of findings for programs; sentences may change."""


@dataclass(frozen=True)
class ColumnRemedy:
    """A remedy for a column's warning.

    Attributes:
        value: The choice: a kind, a role, a treatment in its spelling (empty for none), the format
            of the column as text (:mod:`studio.data.read_options`), or the direction of its effect
            (:mod:`studio.data.monotone`).
        effect: What it changes: "170 categories → numbers from 0 to 7,159".
    """

    choice: Literal["kind", "role", "treatment", "reading", "monotone"]
    value: str
    effect: str


@dataclass(frozen=True)
class Finding:
    """A finding about a table or some of its columns.

    Attributes:
        sentence: The finding, without the use of the column.
        columns: Empty for findings about the whole table.
        fact: The sentence without its advice; empty if it is the same.
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
        missing: Rows without a value (in a numeric column, also those with words).
        number_format, date_format: ``None`` for other kinds.
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

    @property
    def warnings(self) -> tuple[str, ...]:
        """The findings' sentences."""
        return tuple(each.sentence for each in self.findings)

    @property
    def is_doubtful(self) -> bool:
        """Whether a finding requires a decision if the column is used."""
        needs_decision = any(each.level in {"stop", "decide"} for each in self.findings)
        return needs_decision and self.role != "ignore"
