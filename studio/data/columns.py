"""Inferred kind and role of a column, with warnings in plain words.

What speaks for a date as the time of the rows: that says when a row was recorded.

A date of birth or of a car's first registration is like any other column: to test on the latest of
these would answer another question, and models would no longer see the column.
"""

from collections.abc import Mapping

import numpy as np

from studio.arrays import Floats, Integers
from studio.data import remedies, suspicions, value_findings
from studio.data.column import WORD_KINDS, ColumnKind, Role
from studio.data.column_format import ColumnFormat
from studio.data.dates import DAY
from studio.data.description import ColumnDescription, Finding, Level
from studio.data.distinct import Distinct
from studio.data.formulas import find_formulas, sample_rows
from studio.data.identifiers import FEW_ROWS
from studio.data.leaks import find_relations, rank, rank_correlation
from studio.data.missing import NUMBER_FILLERS, READABLE
from studio.data.notations import NOTATIONS
from studio.data.numbers import clip_numbers
from studio.data.reading import RawTable
from studio.data.tasks import guess_target
from studio.data.treatments import MergeRareLabels, Treatment, ValueLimits, merge_values, treatment
from studio.data.value_codes import Answer, ValueCodes
from studio.phrases import counted, joined, listed, phrase

_IN_ORDER = 0.5
"""Minimum rank correlation of dates and row numbers for rows ordered by date."""

_STEPS = 0.75
"""Share of steps in one direction from which rows are ordered in parts, for example by shop."""

_DEPENDS = 0.6
"""Rank correlation of dates and target from which the date explains much of the target."""

_DRIFTS, _SURE = 0.1, 3.5
"""Minimum rank correlation of dates and target for a drift, and how many standard errors it is from
none."""

_ROWS = 20_000
"""Numbers of examined rows: the first for the order, spread ones for the rest."""

_DECADES = 25 * 365.25 * 86400.0
"""Span of the inner 98 % of dates in seconds beyond which they were not recorded over time."""


def explain_time_column(dates: Distinct, answer: Answer) -> str:
    """Return the reason for dates as the time of the rows; empty for none.

    Either the rows are in their order, as where they were recorded one after another, or the
    answers change with them, by more than chance explains. Dates that span decades in no order, or
    tell much of a numeric target, describe the rows' subjects.
    """
    by_code = np.asarray(dates.moments())
    top = by_code[dates.codes[:_ROWS]]
    top = top[~np.isnan(top)]
    if len(top) < FEW_ROWS:
        return ""
    if _are_ordered(top):
        return phrase(
            "The rows are in its order: give it the role “time” if later rows are to be "
            "predicted from earlier ones."
        )
    some = np.arange(0, len(dates.codes), max(1, len(dates.codes) // _ROWS))
    moments, answers = by_code[dates.codes[some]], answer.column.codes[some]
    known = ~np.isnan(moments) & (answers >= 0)
    if known.sum() < FEW_ROWS:
        return ""
    moments, answers = moments[known], answers[known]
    low, high = np.quantile(moments, [0.01, 0.99])
    if high - low > _DECADES or not _drifts(moments, answers, answer):
        return ""
    return phrase(
        "{name!r} changes with it: give it the role “time” if later rows are to be predicted from "
        "earlier ones.",
        name=answer.name,
    )


def _drifts(moments: Floats, answers: Integers, answer: Answer) -> bool:
    """Return whether answers change with dates, (n,) each, beyond chance, but do not follow them.

    Of numbers by the rank correlation, of classes by the statistic of Kruskal and Wallis (1952).
    """
    ranks = rank(_codes(moments))
    numbers = answer.column.numbers
    if numbers is not None and not answer.can_be_classes:
        found = rank_correlation(_codes(moments), _codes(numbers[answers]))
        return found < _DEPENDS and found >= max(_DRIFTS, _SURE / np.sqrt(len(moments) - 1))
    counts = np.bincount(answers)
    there = counts > 0
    means = np.bincount(answers, ranks)[there] / counts[there]
    between = float(counts[there] @ (means - ranks.mean()) ** 2)
    share = between / max(float(((ranks - ranks.mean()) ** 2).sum()), 1e-12)
    free = max(1, int(there.sum()) - 1)
    # About normal where there are many classes, and of two the square of a normal variable.
    sure = max(_SURE**2, free + _SURE * np.sqrt(2.0 * free))
    return share >= _DRIFTS**2 and (len(moments) - 1) * share >= sure


def _are_ordered(moments: Floats) -> bool:
    """Return whether rows are ordered by dates, (n,), in total or in parts, up or down."""
    steps = np.sign(np.diff(moments))
    moved = np.count_nonzero(steps)
    if not moved or rank_correlation(np.arange(len(moments)), _codes(moments)) >= _IN_ORDER:
        return True
    return bool(max(np.count_nonzero(steps > 0), np.count_nonzero(steps < 0)) >= _STEPS * moved)


def _codes(values: Floats) -> Integers:
    """Return codes in the order of values, both of shape (n,)."""
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


_PLAIN_REASONS: Mapping[str, str] = {
    "empty": phrase("It has no values."),
    "words": phrase("It contains words."),
    "truth": phrase("It contains yes or no."),
}


def describe(
    raw: RawTable,
    target: str | None = None,
    kinds: Mapping[str, ColumnKind] | None = None,
    treatments: Mapping[str, str] | None = None,
) -> tuple[ColumnDescription, ...]:
    """Describe each column of a table.

    Args:
        target: The column to predict; ``None`` guesses it (:func:`studio.data.tasks.guess_target`).
        treatments: Of odd values; those that do not fit their column are ignored.

    Raises:
        DataError: If there is no column of that name.
    """
    kinds, treatments = kinds or {}, treatments or {}
    goal = raw.position(guess_target(raw).name if target is None else target)

    def describe_column(place: int, cells: Distinct) -> ColumnDescription:
        name = raw.names[place]
        treated = treatment(treatments[name]) if name in treatments else None
        return _describe(raw, place, cells, kinds.get(name), treated, is_target=place == goal)

    cells = raw.distinct(goal)
    wanted, twins = describe_column(goal, cells), suspicions.duplicate_columns(raw)
    answer = Answer(wanted.name, ValueCodes(cells, wanted.kind), len(raw.names))
    result, numbers, rows = [], {}, sample_rows(answer)
    for i in range(len(raw.names)):
        # One column at a time, as its parsed cells take much memory.
        cells = raw.distinct(i)
        twin = "" if twins.get(i, goal) == goal else raw.names[twins[i]]
        made = find_relations(
            wanted if i == goal else describe_column(i, cells), cells, answer, twin
        )
        if made.kind == "date" and i != goal and (why := explain_time_column(cells, answer)):
            made = made.with_finding(
                Finding("time", "idea", why, (remedies.use_as_time(),), (made.name,))
            )
        is_leak = any(each.kind == "leak" for each in made.findings)
        if made.kind in {"number", "date"} and made.role == "feature" and not is_leak:
            values = cells.moments() / DAY if made.kind == "date" else clip_numbers(cells.numbers)
            numbers[made.name] = values[cells.codes[rows]]
        result.append(made)
    formulas = find_formulas(numbers, rows, answer)
    return tuple(
        each.with_finding(formulas[each.name]) if each.name in formulas else each for each in result
    )


def _describe(
    raw: RawTable,
    place: int,
    cells: Distinct,
    chosen: ColumnKind | None,
    treated: Treatment | None,
    *,
    is_target: bool,
) -> ColumnDescription:
    name, known = raw.names[place], raw.formats[place]
    kind: ColumnKind = known.kind
    reason, findings = _kind(cells, known)
    if known.otherwise is not None:
        findings = [value_findings.find_other_decimal_mark(cells, known.otherwise)]
    if kind == "date" and is_target:
        kind = "category"
    if chosen is not None and chosen != kind:
        kind, reason, findings = chosen, phrase("You chose this."), []
    is_number = kind == "number"
    settled = [] if treated is None else value_findings.treatment_findings(cells, kind, treated)
    if kind == "category":
        cells = merge_values(cells, treated)
    values = clip_numbers(cells.numbers) if is_number else np.empty(0)
    if is_number and isinstance(treated, ValueLimits):
        values = treated.applied(values)
    present = ~cells.missing
    if kind not in WORD_KINDS:
        present = ~np.isnan(values if is_number else cells.moments())
    n_rows = len(cells.codes)
    missing = n_rows - int(cells.counts[present].sum())
    if is_number:
        distinct = len(cells.levels[0] if treated is None else np.unique(values[present]))
        findings += value_findings.precision_findings(cells)
    else:
        distinct = cells.label_count
    role: Role = "target" if is_target else "feature"
    if is_target:
        findings += suspicions.target_findings(cells, missing, distinct, kind == "category")
    else:
        useless, found = suspicions.feature_findings(
            name, raw.aliases[place], cells, missing, distinct, is_category=kind == "category"
        )
        findings += found
        role = "ignore" if useless else "feature"
    if treated is not None:
        rare = isinstance(treated, MergeRareLabels)
        asked = (each for each in findings if not (rare and each.kind == "many-categories"))
        findings = [*settled, *asked]
    elif is_number and role != "ignore":
        findings += value_findings.outlier_findings(cells, is_target=is_target)
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
        number_format=cells.number_format if is_number else None,
        date_format=cells.dates if kind == "date" else None,
        missing_words=_find_missing_words(cells, kind),
    )


def _find_missing_words(cells: Distinct, kind: ColumnKind) -> tuple[str, ...]:
    """Return the words in a column's cells that count as missing."""
    empty = cells.missing if kind in WORD_KINDS else cells.missing | cells.holds(NUMBER_FILLERS)
    return tuple(sorted({cells.texts[at].strip() for at in np.flatnonzero(empty).tolist()} - {""}))


def _kind(cells: Distinct, known: ColumnFormat) -> tuple[str, list[Finding]]:
    """Return the reason for a column's kind, and findings about it."""
    example = ""
    if not cells.missing.all():
        example = cells.texts[int(cells.missing.argmin())].strip()[:40]
    findings = _mark_findings(cells, known) if known.kind == "number" else []
    match known.reason:
        case "empty" | "words" | "truth":
            reason = _PLAIN_REASONS[known.reason]
            findings = value_findings.notation_findings(cells)
        case "numbers":
            reason = _append_format(known, phrase("Every cell that is not missing is a number."))
        case "mostly-numbers":
            reason, lost = _mostly_numbers_reason(cells, known)
            reason, findings = _append_format(known, reason), [lost, *findings]
        case "padded-amounts":
            reason = phrase(
                "Its numbers are padded with zeros to one width, as in {example!r}, and differ "
                "widely in size, as amounts do.",
                example=example,
            )
            sentence = phrase("If its numbers are codes, treat them as words.")
            findings = [Finding("unclear-numbers", "idea", sentence, remedies.read_as_words(cells))]
        case "padded-codes" | "versions":
            reason = _codes_reason(cells, known)
            sentence = phrase("If its numbers are amounts, treat them as numbers.")
            findings = [Finding("codes", "idea", sentence, remedies.as_numbers(cells))]
        case "long-numbers":
            reason = phrase(
                "Its numbers have more digits than a number can hold exactly, as in "
                "{example!r}, so they are codes.",
                example=example,
            )
        case "hex-codes":
            reason = phrase(
                "It contains codes of digits and letters, such as {example!r}.", example=example
            )
        case "lists":
            listing = next((text for text in cells.stripped if "," in text), "")[:40]
            reason = phrase("It contains lists of numbers, such as {listing!r}.", listing=listing)
        case "dates":
            reason = phrase("It contains dates, such as {example!r}.", example=example)
            findings = [_near_date_findings(cells, known)] if known.n_unread else []
        case "durations":
            reason = phrase(
                "It contains durations or times of day, such as {example!r}, read as parts of a "
                "day.",
                example=example,
            )
            findings = [_mostly_numbers_reason(cells, known)[1]] if known.n_unread else []
        case "mixed" | "mixed-units":
            reason, findings = _mixed_column_findings(cells, known)
    return reason, findings


def _codes_reason(cells: Distinct, known: ColumnFormat) -> str:
    """Return why numbers are codes, with an example."""
    if known.reason == "versions":
        ten = next(each for each in cells.stripped if each[-1:] == "0" and each[-3:-2] == ".")
        return phrase(
            "Its cells are versions or chapters, such as {example!r}, rather than decimals.",
            example=ten,
        )
    padded = next((text for text in cells.stripped if text[:1] == "0" and text != "0"), "")
    return phrase(
        "Its numbers have leading zeros, as in {example!r}, so they are codes.", example=padded[:40]
    )


def _mostly_numbers_reason(cells: Distinct, known: ColumnFormat) -> tuple[str, Finding]:
    """Return why a column with some words is numeric, and how the words are read."""
    names = listed(text[:40] for text in known.unread)
    sentence = counted(
        "1 of {n_filled:,} cells is not a number ({listed}) and counts as missing. Make the column "
        "a category if that cell means something.",
        "{count:,} of {n_filled:,} cells are not numbers ({listed}); they count as missing. Make "
        "it a category if they mean something.",
        known.n_unread,
        n_filled=known.n_filled,
        listed=names,
    )
    reason = phrase(
        "All but {n_words:,} of {n_filled:,} filled cells are numbers.",
        n_words=known.n_unread,
        n_filled=known.n_filled,
    )
    ways = remedies.read_as_words(cells)
    if known.numbers is not None and known.numbers.mixed_units:
        return reason, Finding("mixed-units", "decide", sentence, ways)
    return reason, Finding("words-among-numbers", "done", sentence, ways)


def _near_date_findings(cells: Distinct, known: ColumnFormat) -> Finding:
    sentence = counted(
        "1 of {n_filled:,} cells is not a date ({listed}) and counts as missing. Make the column a "
        "category if that cell means something.",
        "{count:,} of {n_filled:,} cells are not dates ({listed}); they count as missing. Make "
        "it a category if they mean something.",
        known.n_unread,
        n_filled=known.n_filled,
        listed=listed(text[:40] for text in known.unread),
    )
    several = known.n_unread > (1 - READABLE) * known.n_filled and len(known.unread) > 2
    level: Level = "decide" if several else "done"
    return Finding("unclear-dates", level, sentence, remedies.read_as_words(cells))


def _append_format(known: ColumnFormat, reason: str) -> str:
    """Append an unusual number format: "Amount in €, read as numbers"."""
    number_format = known.number_format
    sentences = [reason]
    if number_format.given_units:
        unit = ", ".join(number_format.given_units)
        sentences.append(phrase("Amounts in {unit}, read as numbers.", unit=unit))
    sentences += [
        phrase("It has {notation}.", notation=NOTATIONS[key].words)
        for key in number_format.notations
    ]
    return joined(sentences)


def _mark_findings(cells: Distinct, known: ColumnFormat) -> list[Finding]:
    """Return findings about ambiguous marks in numbers."""
    guess = known.numbers
    if guess is not None and guess.partly:
        sentence = phrase(
            "Only some of its numbers have {unit}; the others are read alike. Write all of them in "
            "one way in the file if they mean something else.",
            unit=guess.partly,
        )
        return [Finding("mixed-units", "decide", sentence)]
    if guess is None or not guess.open_mark:
        return []
    mark, decimal = guess.open_mark, known.number_format.decimal
    sentence = phrase(
        "{mark!r} may mark decimals or group thousands: three digits always follow it, as in "
        "{example!r}.",
        mark=mark,
        example=guess.example,
    )
    is_read = phrase("It is read as grouping thousands.")
    if mark == decimal:
        is_read = phrase("It is read as the decimal mark.")
    ways, otherwise = remedies.read_marks(cells, mark), ""
    if mark == "," != decimal and not known.number_format.units:
        otherwise = phrase("If its cells are lists of numbers, treat them as words.")
        ways += remedies.read_as_words(cells)
    return [Finding("unclear-numbers", "decide", joined((sentence, is_read, otherwise)), ways)]


def _mixed_column_findings(cells: Distinct, known: ColumnFormat) -> tuple[str, list[Finding]]:
    """Explain why a column with numbers is categorical, with findings that offer remedies."""
    names = listed(text[:40] for text in known.unread)
    reason = phrase("It contains words, such as {example!r}.", example=(*known.unread, "")[0][:40])
    if known.numbers is not None and known.numbers.mixed_units:
        sentence = phrase(
            "Its numbers are in different units ({units}), so they cannot be compared. Convert "
            "them to one unit in the file.",
            units=", ".join((*known.number_format.units, *known.numbers.mixed_units)),
        )
        return reason, [Finding("mixed-units", "decide", sentence)]
    ways = remedies.as_numbers(cells)
    if known.n_unread < 0.5 * known.n_filled and ways:
        sentence = phrase(
            "It mixes numbers with words ({listed}). If the words mean “missing”, make "
            "it a column of numbers.",
            listed=names,
        )
        return reason, [Finding("words-among-numbers", "decide", sentence, ways)]
    return reason, value_findings.notation_findings(cells)
