"""What a column seems to be: its kind and role, and warnings in plain words."""

import itertools
from collections.abc import Mapping

import numpy as np

from studio.arrays import Flags
from studio.data import dates, remedies, suspicions, value_findings
from studio.data.column import ColumnKind, Role
from studio.data.description import ColumnDescription, Finding
from studio.data.distinct import Distinct
from studio.data.missing import NUMBER_FILLERS
from studio.data.numbers import bounded
from studio.data.reading import RawTable
from studio.data.relations import with_relations
from studio.data.tasks import guess_target
from studio.data.treatments import Merge, ValueLimits, treatment
from studio.phrases import phrase

READABLE = 0.95
"""A column in which at least this share of the filled cells are numbers is one of numbers."""

_FEWEST_AMOUNTS, _SMALL_AMOUNTS = 20, 0.05
"""Different zero-padded numbers that amounts have at least, and the share of those that are not 0
which lies below a hundredth of the largest."""


def describe(
    raw: RawTable,
    target: str | None = None,
    kinds: Mapping[str, ColumnKind] | None = None,
    treatments: Mapping[str, str] | None = None,
) -> tuple[ColumnDescription, ...]:
    """Describe every column of a table.

    Parameters
    ----------
    raw : RawTable
        The table as text.
    target : str or None
        The column to predict; ``None`` guesses it (:func:`studio.data.tasks.guess_target`).
    kinds : mapping by column name, or None
        What the user says that columns hold.
    treatments : mapping by column name, or None
        What is done with odd values; what does not fit its column is left out.

    Raises
    ------
    DataError
        If there is no column of that name.
    """
    kinds, treatments = kinds or {}, treatments or {}
    goal = raw.position(guess_target(raw.names).name if target is None else target)
    described = [
        _describe(
            name,
            raw.aliases[i],
            raw.distinct(i),
            kinds.get(name),
            treatment(treatments[name]) if name in treatments else None,
            is_target=i == goal,
        )
        for i, name in enumerate(raw.names)
    ]
    return with_relations(raw, described, goal)


def _describe(
    name: str,
    aliases: tuple[str, ...],
    cells: Distinct,
    chosen: ColumnKind | None,
    treated: ValueLimits | Merge | None,
    *,
    is_target: bool,
) -> ColumnDescription:
    kind, reason, findings = _kind(cells)
    if kind == "date" and is_target:
        kind = "category"
    if chosen is not None and chosen != kind:
        kind, reason, findings = chosen, phrase("You chose this."), []
    is_number = kind == "number"
    values = bounded(cells.numbers)
    if is_number and isinstance(treated, ValueLimits):
        values = treated.applied(values)
    present = ~np.isnan(values) if is_number else ~cells.missing
    n_rows = len(cells.codes)
    missing = n_rows - int(cells.counts[present].sum())
    distinct = len(np.unique(values[present])) if is_number else cells.label_count
    if is_number:
        findings += value_findings.about_numbers(cells)
    role: Role = "target" if is_target else "feature"
    if is_target:
        findings += suspicions.about_target(cells, missing, distinct, kind == "category")
    else:
        useless, found = suspicions.about_feature(
            name, aliases, cells, missing, distinct, is_category=kind == "category"
        )
        findings += found
        if kind == "date":
            sentence = phrase(
                "Give it the role “time” if later rows are to be predicted from earlier ones."
            )
            findings.append(Finding("time", "idea", sentence, (remedies.time(),)))
        role = "ignore" if useless else "feature"
    if treated is not None:
        findings = [*value_findings.about_treatment(cells, kind, treated), *findings]
    elif is_number and role != "ignore":
        findings += value_findings.about_far(values, cells, is_target=is_target)
    return ColumnDescription(
        name=name,
        kind=kind,
        role=role,
        missing=missing,
        distinct=distinct,
        minimum=float(values[present].min()) if is_number and present.any() else None,
        maximum=float(values[present].max()) if is_number and present.any() else None,
        findings=tuple(findings),
        reason=reason,
    )


def _kind(cells: Distinct) -> tuple[ColumnKind, str, list[Finding]]:
    """Decide between numbers and categories; return the kind, the reason and the findings."""
    readable = ~np.isnan(cells.numbers)
    words = ~readable & ~cells.missing
    if not words.any() and not readable.any():
        return "number", phrase("It has no values."), []
    if not readable.any():
        return _kind_of_words(_texts(cells, words))
    if words.any():
        fillers = [text in NUMBER_FILLERS for text in cells.stripped]
        words &= ~np.array(fillers, dtype=np.bool_)
    if not words.any():
        codes = _codes(cells, readable)
        if codes:
            return _kind_of_padded(cells, codes[0][:40])
        return "number", phrase("Every cell that is filled is a number."), []
    n_words = int(cells.counts[words].sum())
    n_filled = n_words + int(cells.counts[readable].sum())
    listed = ", ".join(repr(text[:40]) for text in _texts(cells, words)[:3])
    if n_words <= (1 - READABLE) * n_filled:
        sentence = phrase(
            "{n_words:,} cells are not numbers ({listed}); they count as missing. Make "
            "it a category if they mean something.",
            n_words=n_words,
            listed=listed,
        )
        reason = phrase(
            "All but {n_words:,} of {n_filled:,} filled cells are numbers.",
            n_words=n_words,
            n_filled=n_filled,
        )
        return (
            "number",
            reason,
            [Finding("words-among-numbers", "done", sentence, (remedies.as_words(cells),))],
        )
    findings = []
    ways = remedies.as_numbers(cells)
    if n_words < 0.5 * n_filled and ways:
        sentence = phrase(
            "It mixes numbers with words ({listed}). If the words mean “missing”, make "
            "it a column of numbers.",
            listed=listed,
        )
        findings.append(Finding("words-among-numbers", "decide", sentence, ways))
    return (
        "category",
        phrase("It contains words, such as {example!r}.", example=_texts(cells, words)[0][:40]),
        findings,
    )


def _kind_of_padded(cells: Distinct, example: str) -> tuple[ColumnKind, str, list[Finding]]:
    """Decide between amounts and codes where all cells are digits, some with leading zeros."""
    if _seem_amounts(cells):
        reason = phrase(
            "Its numbers are padded with zeros to one width, as in {example!r}, and differ "
            "widely in size, as amounts do.",
            example=example,
        )
        sentence = phrase("If its numbers are codes, treat them as words.")
        return (
            "number",
            reason,
            [Finding("unclear-numbers", "idea", sentence, (remedies.as_words(cells),))],
        )
    reason = phrase(
        "Its numbers have leading zeros, as in {example!r}, so they are codes.", example=example
    )
    sentence = phrase("Codes that differ only by leading zeros (01 and 1) count as the same one.")
    return "category", reason, [Finding("codes", "done", sentence, remedies.as_numbers(cells))]


def _seem_amounts(cells: Distinct) -> bool:
    """Whether zero-padded digits are sizes rather than codes, judging by the cells alone.

    Codes fill the room that their digits have: of numbers below 10,000 given out in turn, one in a
    hundred lies below 100. Amounts crowd at its lower end, and there are many of them.
    """
    known = ~cells.missing & ~np.isnan(cells.numbers)
    widths = {len(text) for text in _texts(cells, known)}
    numbers, counts = cells.numbers[known], cells.counts[known]
    filled = numbers > 0
    small = counts[filled & (numbers < numbers.max() / 100)].sum()
    many = len(numbers) >= _FEWEST_AMOUNTS
    return len(widths) == 1 and many and bool(small >= _SMALL_AMOUNTS * counts[filled].sum())


def _kind_of_words(texts: list[str]) -> tuple[ColumnKind, str, list[Finding]]:
    """Decide between dates and categories where no cell is a number."""
    if dates.order_of(texts) is not None:
        return "date", phrase("It contains dates, such as {example!r}.", example=texts[0][:40]), []
    boolean = all(text.lower() in {"true", "false"} for text in texts)
    return (
        "category",
        phrase("It contains yes or no.") if boolean else phrase("It contains words."),
        [],
    )


def _codes(cells: Distinct, readable: Flags) -> list[str]:
    """Return the cells with leading zeros if all readable ones, (k,), hold nothing but digits."""
    numbers = cells.numbers[readable]
    if np.any(numbers != np.floor(numbers)):
        return []
    texts = _texts(cells, readable)
    codes = [text for text in texts if text[0] == "0" and len(text) > 1]
    return codes if codes and all(text.isdigit() for text in texts) else []


def _texts(cells: Distinct, chosen: Flags) -> list[str]:
    return list(itertools.compress(cells.stripped, chosen.tolist()))
