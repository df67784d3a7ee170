"""Inferred kind and role of a column, with warnings in plain words."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from studio.data import remedies, useless_columns, value_findings
from studio.data.column import WORD_KINDS, ColumnKind, Role
from studio.data.column_format import ColumnFormat
from studio.data.dates import SECONDS_PER_DAY, STORED, format_days
from studio.data.description import ColumnDescription, Finding, Level
from studio.data.distinct import DistinctCells
from studio.data.formulas import find_formulas, sample_known_rows
from studio.data.identifiers import is_code_name
from studio.data.leaks import find_relations
from studio.data.missing import MIN_NUMERIC_SHARE, NUMBER_FILLERS
from studio.data.notations import NOTATIONS
from studio.data.numbers import clip_numbers
from studio.data.reading import RawTable
from studio.data.tasks import guess_target
from studio.data.time_columns import TimeEvidence, examine_times, make_time_findings
from studio.data.treatments import (
    MergeRareLabels,
    Treatment,
    ValueLimits,
    merge_values,
    parse_treatment,
)
from studio.data.value_codes import TargetCells, ValueCodes
from studio.phrases import count_phrase, join_phrases, join_quoted, phrase

_REASONS: Mapping[str, str] = {
    "empty": phrase("It has no values."),
    "words": phrase("It contains words."),
    "truth": phrase("It contains yes or no."),
    "declared": phrase("The file declares it as categories."),
    "numbers": phrase("Every non-missing cell is a number."),
    "padded-amounts": phrase(
        "Its numbers are padded with zeros to one width, as in {example!r}, and differ widely in "
        "size, as amounts do."
    ),
    "long-numbers": phrase(
        "Its numbers have more digits than a number can hold exactly, as in {example!r}, so they "
        "are codes."
    ),
    "hex-codes": phrase("It contains codes of digits and letters, such as {example!r}."),
    "dates": phrase("It contains dates, such as {example!r}."),
    "durations": phrase(
        "It contains durations or times of day, such as {example!r}, read as parts of a day."
    ),
}


def describe_all_columns(
    raw: RawTable,
    target: str | None = None,
    kinds: Mapping[str, ColumnKind] | None = None,
    treatments: Mapping[str, str] | None = None,
) -> tuple[ColumnDescription, ...]:
    """Describe each column of a table; raise DataError if the target is unknown.

    Args:
        target: The column to predict; ``None`` guesses it (:func:`studio.data.tasks.guess_target`).
        treatments: Treatments of unusual values; inapplicable ones are ignored.
    """
    kinds, treatments = kinds or {}, treatments or {}
    target_index = raw.find_position(guess_target(raw).name if target is None else target)

    def describe_column(index: int, cells: DistinctCells) -> ColumnDescription:
        name = raw.names[index]
        treatment = parse_treatment(treatments[name]) if name in treatments else None
        return _describe_column(
            raw, index, cells, kinds.get(name), treatment, is_target=index == target_index
        )

    cells = raw.get_distinct(target_index)
    target_column = describe_column(target_index, cells)
    duplicates = useless_columns.find_duplicate_columns(raw)
    known_target = TargetCells(
        target_column.name, ValueCodes(cells, target_column.kind), len(raw.names)
    )
    result, numbers, rows = [], {}, sample_known_rows(known_target)
    times: dict[str, TimeEvidence] = {}
    for i in range(len(raw.names)):
        # One column at a time, as its parsed cells take much memory.
        cells = raw.get_distinct(i)
        duplicate_of = (
            "" if duplicates.get(i, target_index) == target_index else raw.names[duplicates[i]]
        )
        column = find_relations(
            target_column if i == target_index else describe_column(i, cells),
            cells,
            known_target,
            duplicate_of,
        )
        is_leak = any(each.kind == "leak" for each in column.findings)
        if column.kind == "date" and i != target_index:
            evidence = examine_times(column.name, cells, known_target)
            is_record = evidence.is_record and column.role == "feature" and not is_leak
            times[column.name] = replace(evidence, is_record=is_record)
        if column.kind in {"number", "date"} and column.role == "feature" and not is_leak:
            values = (
                cells.parse_dates() / SECONDS_PER_DAY
                if column.kind == "date"
                else clip_numbers(cells.numbers)
            )
            numbers[column.name] = values[cells.codes[rows]]
        result.append(column)
    by_column = make_time_findings(times), find_formulas(numbers, rows, known_target)
    further = {each.name: [f[each.name] for f in by_column if each.name in f] for each in result}
    return tuple(replace(each, findings=(*each.findings, *further[each.name])) for each in result)


def _describe_column(
    raw: RawTable,
    index: int,
    cells: DistinctCells,
    chosen_kind: ColumnKind | None,
    treatment: Treatment | None,
    *,
    is_target: bool,
) -> ColumnDescription:
    name, column_format = raw.names[index], raw.formats[index]
    kind: ColumnKind = column_format.kind
    reason, findings = _explain_kind(name, cells, column_format)
    if column_format.alternative_format is not None:
        findings = [value_findings.find_other_decimal_mark(cells, column_format.alternative_format)]
    if kind == "date" and is_target:
        kind = "number" if cells.likely_date_format.order in STORED else "category"
    if chosen_kind is not None and chosen_kind != kind:
        kind, reason, findings = chosen_kind, phrase("You chose this."), []
    is_number = kind == "number"
    treatment_notes = (
        [] if treatment is None else value_findings.check_treatment(cells, kind, treatment)
    )
    if kind == "category":
        cells = merge_values(cells, treatment)
    values = clip_numbers(cells.numbers) if is_number else np.empty(0)
    if is_number and isinstance(treatment, ValueLimits):
        values = treatment.apply_to(values)
    is_filled = ~cells.missing
    if kind not in WORD_KINDS:
        is_filled = ~np.isnan(values if is_number else cells.parse_dates())
    filled_values = values[is_filled] if is_number and not is_filled.all() else values
    n_rows = len(cells.codes)
    missing = n_rows - int(cells.counts[is_filled].sum())
    if is_number:
        distinct = len(cells.levels[0] if treatment is None else np.unique(filled_values))
        findings += value_findings.check_precision(cells)
    else:
        distinct = cells.label_count
    role: Role = "target" if is_target else "feature"
    if is_target:
        findings += useless_columns.check_target(cells, missing, distinct, kind == "category")
    else:
        is_useless, column_findings = useless_columns.check_feature(
            name, raw.aliases[index], cells, missing, distinct, is_category=kind == "category"
        )
        findings += column_findings
        role = "ignore" if is_useless else "feature"
    if treatment is not None:
        rare = isinstance(treatment, MergeRareLabels)
        remaining = (each for each in findings if not (rare and each.kind == "many-categories"))
        findings = [*treatment_notes, *remaining]
    elif kind not in WORD_KINDS and role != "ignore":
        findings += value_findings.check_outliers(cells, kind, is_target=is_target)
    return ColumnDescription(
        name=name,
        kind=kind,
        role=role,
        missing=missing,
        distinct=distinct,
        minimum=float(filled_values.min()) if len(filled_values) else None,
        maximum=float(filled_values.max()) if len(filled_values) else None,
        findings=tuple(findings),
        reason=reason,
        number_format=cells.number_format if is_number else None,
        date_format=cells.likely_date_format if kind == "date" else None,
        missing_words=_find_missing_words(cells, kind),
    )


def _find_missing_words(cells: DistinctCells, kind: ColumnKind) -> tuple[str, ...]:
    empty = (
        cells.missing if kind in WORD_KINDS else cells.missing | cells.match_words(NUMBER_FILLERS)
    )
    return tuple(sorted({cells.texts[i].strip() for i in np.flatnonzero(empty).tolist()} - {""}))


def _explain_kind(
    name: str, cells: DistinctCells, column_format: ColumnFormat
) -> tuple[str, list[Finding]]:
    """Return the reason for a column's kind, and findings about it."""
    example = ""
    if not cells.missing.all():
        example = cells.texts[int(cells.missing.argmin())].strip()[:40]
    findings = (
        _collect_mark_findings(cells, column_format) if column_format.kind == "number" else []
    )
    reason = phrase(_REASONS.get(column_format.reason, ""), example=example)
    match column_format.reason:
        case "empty" | "words" | "truth":
            findings = value_findings.check_notation(cells)
        case "numbers":
            reason = _append_format(column_format, reason)
        case "mostly-numbers":
            reason, finding = _explain_mostly_numbers(cells, column_format)
            reason, findings = _append_format(column_format, reason), [finding, *findings]
        case "padded-amounts":
            sentence = phrase("If its numbers are codes, treat them as words.")
            findings = [Finding("unclear-numbers", "idea", sentence, remedies.read_as_words(cells))]
        case "padded-codes" | "versions" | "limits":
            reason = _explain_codes(cells, column_format)
            sentence = phrase("If its numbers are amounts, treat them as numbers.")
            finding = Finding("codes", "idea", sentence, remedies.read_as_numbers(cells))
            findings = [] if is_code_name(name) else [finding]
        case "lists":
            listing = next((text for text in cells.stripped if "," in text), "")[:40]
            reason = phrase("It contains lists of numbers, such as {listing!r}.", listing=listing)
        case "dates":
            findings = _collect_date_findings(cells, column_format)
        case "durations":
            if column_format.n_unread:
                findings = [_explain_mostly_numbers(cells, column_format)[1]]
            else:
                findings = []
        case "mixed" | "mixed-units":
            reason, findings = _explain_mixed_column(cells, column_format)
    return reason, findings


def _explain_codes(cells: DistinctCells, column_format: ColumnFormat) -> str:
    """Return why numbers are codes, with an example."""
    if column_format.reason == "limits":
        return phrase(
            "It contains limits, and the same numbers with another limit or none ({listed}).",
            listed=join_quoted(text[:40] for text in cells.stripped.select(~cells.missing)[:3]),
        )
    if column_format.reason == "versions":
        example = next(each for each in cells.stripped if each[-1:] == "0" and each[-3:-2] == ".")
        return phrase(
            "Its cells are versions or chapters, such as {example!r}, rather than decimals.",
            example=example,
        )
    if phone := next((text for text in cells.stripped if text.startswith("+")), ""):
        return phrase(
            "Its cells are written like telephone numbers, as in {example!r}, so they are codes.",
            example=phone[:40],
        )
    padded_text = next((text for text in cells.stripped if text[:1] == "0" and text != "0"), "")
    return phrase(
        "Its numbers have leading zeros, as in {example!r}, so they are codes.",
        example=padded_text[:40],
    )


def _explain_mostly_numbers(
    cells: DistinctCells, column_format: ColumnFormat
) -> tuple[str, Finding]:
    """Return why a column with some words is numeric, and how the words are read."""
    names = join_quoted(text[:40] for text in column_format.unread)
    sentence = count_phrase(
        "1 of {n_filled:,} cells is not a number ({listed}) and counts as missing. Make the column "
        "a category if that cell means something.",
        "{count:,} of {n_filled:,} cells are not numbers ({listed}); they count as missing. Make "
        "it a category if they mean something.",
        column_format.n_unread,
        n_filled=column_format.n_filled,
        listed=names,
    )
    reason = phrase(
        "All but {n_words:,} of {n_filled:,} filled cells are numbers.",
        n_words=column_format.n_unread,
        n_filled=column_format.n_filled,
    )
    choices = remedies.read_as_words(cells)
    if column_format.numbers is not None and column_format.numbers.mixed_units:
        return reason, Finding("mixed-units", "decide", sentence, choices)
    return reason, Finding("words-among-numbers", "done", sentence, choices)


def _make_near_date_finding(cells: DistinctCells, column_format: ColumnFormat) -> Finding:
    sentence = count_phrase(
        "1 of {n_filled:,} cells is not a date ({listed}) and counts as missing. Make the column a "
        "category if that cell means something.",
        "{count:,} of {n_filled:,} cells are not dates ({listed}); they count as missing. Make "
        "it a category if they mean something.",
        column_format.n_unread,
        n_filled=column_format.n_filled,
        listed=join_quoted(text[:40] for text in column_format.unread),
    )
    is_common = (
        column_format.n_unread > (1 - MIN_NUMERIC_SHARE) * column_format.n_filled
        and len(column_format.unread) > 2
    )
    level: Level = "decide" if is_common else "done"
    return Finding("unclear-dates", level, sentence, remedies.read_as_words(cells))


def _collect_date_findings(cells: DistinctCells, column_format: ColumnFormat) -> list[Finding]:
    findings = [_make_near_date_finding(cells, column_format)] if column_format.n_unread else []
    if cells.likely_date_format.order not in STORED:
        return findings
    moments = cells.parse_dates() / SECONDS_PER_DAY
    sentence = phrase(
        "Its numbers are read as Unix timestamps from {low} to {high}. If they are not, make the "
        "column numeric.",
        low=format_days(float(np.nanmin(moments))),
        high=format_days(float(np.nanmax(moments))),
    )
    return [Finding("unclear-dates", "done", sentence, remedies.read_as_numbers(cells)), *findings]


def _append_format(column_format: ColumnFormat, reason: str) -> str:
    """Append an unusual number format to the reason: "Amounts in €, read as numbers"."""
    number_format = column_format.number_format
    sentences = [reason]
    if number_format.plain_units:
        unit = ", ".join(number_format.plain_units)
        sentences.append(phrase("Amounts in {unit}, read as numbers.", unit=unit))
    sentences += [
        phrase("It has {notation}.", notation=NOTATIONS[key].name)
        for key in number_format.notations
    ]
    return join_phrases(sentences)


def _collect_mark_findings(cells: DistinctCells, column_format: ColumnFormat) -> list[Finding]:
    """Return findings about ambiguous marks in numbers."""
    limits = value_findings.find_limits(cells)
    guess = column_format.numbers
    if guess is not None and guess.partly:
        sentence = phrase(
            "Only some of its numbers have {unit}; the others are read in the same unit. If they "
            "mean something else, make the unit explicit in the file.",
            unit=guess.partly,
        )
        return [*limits, Finding("mixed-units", "decide", sentence)]
    if guess is None or not guess.open_mark:
        return limits
    mark, decimal = guess.open_mark, column_format.number_format.decimal
    sentence = phrase(
        "{mark!r} may mark decimals or group thousands: three digits always follow it, as in "
        "{example!r}.",
        mark=mark,
        example=guess.example,
    )
    reading_sentence = phrase("It is read as grouping thousands.")
    if mark == decimal:
        reading_sentence = phrase("It is read as the decimal mark.")
    choices, default_text = remedies.read_marks(cells, mark), ""
    if mark == "," != decimal and not column_format.number_format.units:
        default_text = phrase("If its cells are lists of numbers, treat them as words.")
        choices += remedies.read_as_words(cells)
    sentence = join_phrases((sentence, reading_sentence, default_text))
    return [*limits, Finding("unclear-numbers", "decide", sentence, choices)]


def _explain_mixed_column(
    cells: DistinctCells, column_format: ColumnFormat
) -> tuple[str, list[Finding]]:
    """Explain why a column with numbers is categorical, with findings that propose remedies."""
    names = join_quoted(text[:40] for text in column_format.unread)
    reason = phrase(
        "It contains words, such as {example!r}.", example=(*column_format.unread, "")[0][:40]
    )
    if column_format.numbers is not None and column_format.numbers.mixed_units:
        sentence = phrase(
            "Its numbers are in different units ({units}), so they cannot be compared. Convert "
            "them to one unit in the file.",
            units=", ".join(
                (*column_format.number_format.units, *column_format.numbers.mixed_units)
            ),
        )
        return reason, [Finding("mixed-units", "decide", sentence)]
    choices = remedies.read_as_numbers(cells)
    if column_format.n_unread < 0.5 * column_format.n_filled and choices:
        sentence = phrase(
            "It mixes numbers with words ({listed}). If the words mean “missing”, make "
            "it a column of numbers.",
            listed=names,
        )
        return reason, [Finding("words-among-numbers", "decide", sentence, choices)]
    return reason, value_findings.check_notation(cells)
