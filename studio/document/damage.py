"""Damaged records of a document that remains usable: recorded in one place, reported once.

Readers of lists of records use :meth:`DamageLog.read_or_record_damage`: a damaged record is
recorded and omitted (or replaced by a substitute), and the others are read. For readers of a single
record the error propagates.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from studio.errors import DamagedError
from studio.phrases import count_phrase, join_phrases, phrase

T = TypeVar("T")

_MAX_LISTED = 3

BACKUP_ADVICE = phrase("Use a backup copy of the document.")


@dataclass(frozen=True)
class DamagedRecord:
    """A record that was altered after it was written: "trial 1 17" is trial 17 of run 1."""

    record: str
    run_id: int | None
    consequence: str
    details: str = ""

    @property
    def affects_whole_run(self) -> bool:
        """Whether the run itself is damaged, so that no part of it can be shown."""
        return self.record == f"run {self.run_id}"

    @property
    def sentence(self) -> str:
        """The damaged record, and the consequence, in a sentence."""
        location = phrase("The document is damaged in its record {record!r}.", record=self.record)
        return join_phrases((location, self.details, self.consequence))


class DamageLog:
    """The damaged records found while reading a document, without repetition."""

    def __init__(self) -> None:
        self._by_record: dict[str, DamagedRecord] = {}

    @property
    def damaged_records(self) -> tuple[DamagedRecord, ...]:
        """Damaged records found so far, in the order of detection; the rest is usable."""
        return tuple(self._by_record.values())

    def note_damage(self, damage: DamagedRecord) -> None:
        """Record a damage to be reported."""
        self._by_record.setdefault(damage.record, damage)

    def read_or_record_damage(
        self, read: Callable[[], T], run_id: int | None, consequence: str
    ) -> T | None:
        """Return the result of a read, or ``None`` for a damaged record, which is recorded."""
        try:
            return read()
        except DamagedError as error:
            self.note_damage(DamagedRecord(error.record, run_id, consequence, error.reason))
            return None

    def read_undamaged(
        self, reads: Iterable[Callable[[], T]], run_id: int | None, consequence: str
    ) -> list[T]:
        """Return the results of reads without damaged records, which are recorded."""
        results = (self.read_or_record_damage(each, run_id, consequence) for each in reads)
        return [each for each in results if each is not None]


def describe_damaged_records(damaged_records: Iterable[DamagedRecord]) -> list[str]:
    """Return a sentence for each damaged record, or for the first few of many, and the remedy."""
    descriptions = [each.sentence for each in damaged_records]
    n_more = len(descriptions) - _MAX_LISTED
    if n_more > 0:
        descriptions[_MAX_LISTED:] = [
            count_phrase(
                "1 more of its records is damaged.",
                "{count:,} more of its records are damaged.",
                n_more,
            )
        ]
    return [*descriptions, BACKUP_ADVICE] if descriptions else []
