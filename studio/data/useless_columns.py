"""Detection of useless columns: constants, identifiers, copies."""

import itertools
import re
from collections.abc import Callable, Sequence

import numpy as np

from studio.data import remedies
from studio.data.balance import ImbalanceNote, check_class_counts
from studio.data.date_guess import DATE_LIKE, guess_dates, guess_timestamp_unit, is_date_name
from studio.data.dates import SECONDS_PER_DAY, STORED, Order, format_days
from studio.data.description import ColumnRemedy, Finding, Level
from studio.data.distinct import DistinctCells
from studio.data.identifiers import (
    FEW_ROWS,
    MIN_DISTINCT_SHARE,
    are_area_codes,
    explain_identifier,
    looks_like_group_id,
)
from studio.data.labels import find_misspellings, group_similar_labels, normalise_spelling
from studio.data.reading import RawTable
from studio.phrases import count_phrase, join_phrases, join_quoted, phrase

_MAX_LABELS = 10_000  # maximum number of compared texts; beyond it, texts are names

_MAX_EXAMPLES = 3
_SHOWN_CHARACTERS = 40


def check_labels(cells: DistinctCells) -> list[Finding]:
    """Return findings about classes or categories of a column that are probably identical."""
    if len(cells.texts) > _MAX_LABELS:
        return []
    labels, rows = cells.known_labels[0], cells.label_rows
    similar, misspellings = group_similar_labels(labels), find_misspellings(labels, rows.tolist())
    groups = [each for each in similar if len({*map(normalise_spelling, each)}) == 1]
    synonyms = [each for each in similar if each not in groups]
    spellings_differ = phrase(
        "{number:,} labels differ only by case, spaces, width or a final full stop ({listed}) "
        "and count as different. Merge them if they mean the same.",
        number=sum(map(len, groups)),
        listed=_format_groups(groups),
    )
    forms_differ = phrase(
        "{number:,} labels may be different forms of the same ({listed}) and count as "
        "different. Merge them if they mean the same.",
        number=sum(map(len, synonyms)),
        listed=_format_groups(synonyms),
    )
    letters_differ = count_phrase(
        "1 rare label looks like a misspelling ({listed}) and counts as different. Merge "
        "it if it means the same.",
        "{count:,} rare labels look like misspellings ({listed}) and count as different. "
        "Merge them if they mean the same.",
        len(misspellings),
        listed=_format_groups(misspellings),
    )
    cases = ((groups, spellings_differ), (synonyms, forms_differ), (misspellings, letters_differ))
    if sentences := [sentence for labels, sentence in cases if labels]:
        has_spelling_variants = any(
            len({*map(normalise_spelling, each)}) < len(each) for each in similar
        )
        level: Level = "decide" if has_spelling_variants or misspellings else "idea"
        return [
            Finding("alike-labels", level, join_phrases(sentences), remedies.merge_similar(cells))
        ]
    texts: dict[str, list[str]] = {}
    for text, label in zip(cells.texts, cells.labels, strict=True):
        if label is not None:
            texts.setdefault(label, []).append(text)
    merged = tuple(group for each in texts.values() for group in group_similar_labels(each))
    if not merged:
        return []
    sentence = phrase(
        "{number:,} spellings differ only by case, spaces, width or a final full stop ({listed}) "
        "and are treated as the same.",
        number=sum(map(len, merged)),
        listed=_format_groups(merged),
    )
    return [Finding("alike-labels", "done", sentence)]


def _format_groups(groups: Sequence[Sequence[str]]) -> str:
    """Format some groups: "'no' = 'No'; 'yes' = 'YES'"."""
    descriptions = [
        join_quoted(_shorten_labels(each), separator=" = ") for each in groups[:_MAX_EXAMPLES]
    ]
    return join_phrases([*descriptions, "…"] if len(groups) > _MAX_EXAMPLES else descriptions, "; ")


def _shorten_labels(labels: Sequence[str]) -> list[str]:
    """Shorten long similar labels to the part where they first differ, and its surroundings."""
    columns = enumerate(zip(*labels, strict=False))
    n_common = next((i for i, each in columns if len({*each}) > 1), min(map(len, labels)))
    start = max(0, n_common - _SHOWN_CHARACTERS // 2)
    if max(map(len, labels)) <= _SHOWN_CHARACTERS:
        start = 0
    end = start + _SHOWN_CHARACTERS
    return ["…" * bool(start) + label[start:end] + "…" * (len(label) > end) for label in labels]


_FIRST_CELLS = 8  # number of distinct cells of two columns compared before all others


_MIN_CATEGORIES = 20  # minimum number of categories for reporting that most are rare
_MAX_SENTENCES = 10_000  # number of cells sampled to detect sentences
_MIN_WORDS = 3  # number of words above which a cell is a sentence rather than a name
_PUNCTUATION = '.,;:!?()"“”«»…'

_WEIGHT_NAME = re.compile(
    r"(?:sample|survey|case|row|obs|observation|sampling|final|person|p|fnl)[_\s.-]?(?:weights?|wgt|wt)",
    re.IGNORECASE,
)


def check_feature(
    name: str,
    aliases: Sequence[str],
    cells: DistinctCells,
    missing: int,
    distinct: int,
    *,
    is_category: bool,
) -> tuple[bool, list[Finding]]:
    """Return whether to ignore a column, with the reasons."""
    n_rows = len(cells.codes)
    if distinct == 0:
        return True, [Finding("empty", "done", phrase("Every cell is missing."))]
    if distinct == 1 and not missing:
        value = cells.texts[0].strip()[:40]
        return True, [Finding("constant", "done", phrase("Every row is {value!r}.", value=value))]
    findings, is_text = [], False
    if distinct == 1:
        sentence = phrase("All its filled rows have the same value.")
        findings.append(Finding("constant", "idea", sentence, (remedies.EXCLUDE,)))
    n_filled = n_rows - missing
    is_stored = cells.date_format is not None and cells.date_format.order in STORED
    if is_category:
        findings += _check_dates(cells)
        if n_filled >= FEW_ROWS and distinct > MIN_DISTINCT_SHARE * n_filled:
            sentence = phrase(
                "{distinct:,} of {filled:,} values are distinct, as in an identifier or free text.",
                distinct=distinct,
                filled=n_filled,
            )
            identifier = Finding("identifier", "done", sentence, (remedies.INCLUDE,))
            text = _make_free_text_finding(n_filled, distinct)
            return True, [*findings, text if _are_sentences(cells) else identifier]
        is_text = n_filled >= FEW_ROWS and _are_free_text(cells, n_filled, distinct)
        if is_text:
            findings.append(_make_free_text_finding(n_filled, distinct, *remedies.merge(cells)))
        elif distinct > _MIN_CATEGORIES and 2 * remedies.count_rare_labels(cells) > distinct:
            sentence = phrase(
                "It has {distinct:,} categories; most of them are rare and will matter little.",
                distinct=distinct,
            )
            texts = (remedies.READ_AS_TEXT,) if _are_sentences(cells) else ()
            choices = (*texts, *remedies.merge(cells), remedies.EXCLUDE)
            findings.append(Finding("many-categories", "idea", sentence, choices))
    elif not is_stored and (reason := explain_identifier(name, aliases, cells, missing, distinct)):
        return True, [*findings, Finding("identifier", "done", reason, (remedies.INCLUDE,))]
    if is_category and not is_text:
        findings += check_labels(cells)
    if missing > 0.5 * n_rows:
        sentence = phrase(
            "{missing:,} of {n_rows:,} rows have no value.", missing=missing, n_rows=n_rows
        )
        findings.append(Finding("missing", "idea", sentence, (remedies.EXCLUDE,)))
    if looks_like_group_id(name, cells, missing, distinct, is_category):
        sentence = phrase(
            "It seems to identify the person or thing each row belongs to ({distinct:,} "
            "different values). If new rows will belong to others, give it the role “group”, "
            "so that splits keep these rows together.",
            distinct=distinct,
        )
        findings.append(Finding("group", "idea", sentence, (remedies.group_by_column(distinct),)))
    if not is_category and cells.date_format is None:
        findings += _check_name(name, cells)
    return False, findings


def _check_name(name: str, cells: DistinctCells) -> list[Finding]:
    """Return findings suggested by a numeric column's name."""
    findings = _check_stored_dates(name, cells)
    if are_area_codes(name, cells):
        sentence = phrase(
            "Its numbers seem to be postcodes, not quantities: neighbouring numbers may be far "
            "apart."
        )
        words = remedies.read_as_words(cells)
        advice = (
            phrase("If few areas matter, treat them as words.")
            if words
            else phrase("Nearly all are different, so they hardly help: leave them out.")
        )
        sentence = join_phrases((sentence, advice))
        choices = (*words, remedies.EXCLUDE)
        findings.append(Finding("unclear-numbers", "idea", sentence, choices))
    if _WEIGHT_NAME.fullmatch(name) and np.nanmin(cells.numbers) >= 0:
        sentence = phrase("Its name suggests that it weights the rows.")
        findings.append(Finding("weight", "idea", sentence, (remedies.USE_AS_WEIGHT,)))
    return findings


_MIN_RISING, _MAX_SPAN = 0.95, 10 * 365.25
"""Minimum share of rows not earlier than the previous row, and maximum span in days of unordered
times, if the name gives no indication."""

_PHONE_NAME = re.compile(r".*(?:phone|tel|mobil|fax).*", re.IGNORECASE)


def _check_stored_dates(name: str, cells: DistinctCells) -> list[Finding]:
    """Return a question about numbers that may be dates stored by Excel or other programs."""
    rows = cells.numbers[cells.codes]
    rows = rows[~np.isnan(rows)]
    order = guess_timestamp_unit(rows) if len(rows) >= FEW_ROWS else None
    if order is None or (order == "serial" and not is_date_name(name)):
        return []
    _, _, epoch, unit = STORED[order]
    low, high = (
        (float(end) - epoch) * unit // 1 / SECONDS_PER_DAY for end in (rows.min(), rows.max())
    )
    is_even = bool((rows == np.floor(rows)).all()) and not _PHONE_NAME.fullmatch(name)
    is_scattered = high - low <= _MAX_SPAN and 2 * len(cells.levels[0]) > len(rows)
    is_likely = is_even and (np.mean(np.diff(rows) >= 0) > _MIN_RISING or is_scattered)
    if not is_date_name(name) and not is_likely:
        return []
    units: dict[Order, str] = {
        "serial": phrase("Excel's days since 1900"),
        "epoch-seconds": phrase("seconds since 1970"),
        "epoch-milliseconds": phrase("milliseconds since 1970"),
        "epoch-microseconds": phrase("microseconds since 1970"),
        "epoch-nanoseconds": phrase("nanoseconds since 1970"),
    }
    sentence = phrase(
        "Its numbers seem to be dates from {low} to {high}, stored as {unit}. If they are, read "
        "them as dates.",
        low=format_days(low),
        high=format_days(high),
        unit=units[order],
    )
    return [Finding("unclear-dates", "decide", sentence, remedies.read_stored(cells, order))]


_MAX_TEXT_ROWS = 4  # mean number of rows of a repeated sentence, up to which it is free text
_MIN_RARE_TEXTS = 50  # minimum number of sentences that occur once, beside frequent ones
_MIN_PLAIN_WORDS = 0.5  # minimum share of words without capitals and digits after the first one


def _are_free_text(cells: DistinctCells, n_filled: int, distinct: int) -> bool:
    """Whether a column holds free text: sentences with few rows each on average, or mostly one.

    Unless most are different, they must be prose: addresses and names of products repeat as well.
    """
    if not _are_sentences(cells):
        return False
    if 2 * distinct > n_filled:
        return True
    n_single = int((cells.label_rows == 1).sum())
    has_many = _MAX_TEXT_ROWS * distinct > n_filled or (
        2 * n_single > distinct and n_single >= _MIN_RARE_TEXTS
    )
    return has_many and _are_most(_is_prose, cells)


def _are_sentences(cells: DistinctCells) -> bool:
    """Whether most of a column's distinct cells have several words."""
    return _are_most(lambda text: len(text.split()) > _MIN_WORDS, cells)


def _are_most(condition: Callable[[str], bool], cells: DistinctCells) -> bool:
    """Whether most of a column's distinct cells, as far as not single words, fulfil a condition."""
    texts = cells.stripped.select(~cells.missing)
    if texts.are_ascii_words:
        return False
    sample = texts[:: max(1, len(texts) // _MAX_SENTENCES)]
    return 2 * sum(map(condition, sample)) > len(sample)


def _is_prose(text: str) -> bool:
    """Whether most words of a text are neither names nor codes."""
    words = [word.strip(_PUNCTUATION) for word in text.split()[1:]]
    n_plain = sum(word.replace("'", "").isalpha() and not word[0].isupper() for word in words)
    return n_plain >= max(1, _MIN_PLAIN_WORDS * len(words))


def _make_free_text_finding(n_filled: int, distinct: int, *alternatives: ColumnRemedy) -> Finding:
    """Return the finding that a column holds free text, perhaps with alternatives."""
    sentence = phrase(
        "{distinct:,} of {filled:,} values are distinct, and most have several words: free text. "
        "Models can use its words.",
        distinct=distinct,
        filled=n_filled,
    )
    all_choices = (remedies.READ_AS_TEXT, *alternatives, remedies.EXCLUDE)
    return Finding("free-text", "decide", sentence, all_choices)


def _check_dates(cells: DistinctCells) -> list[Finding]:
    """Warn of words that look like dates but were not read as dates."""
    texts = cells.stripped.select(~cells.missing)
    if not all(DATE_LIKE.fullmatch(text) for text in texts[:20]):
        return []
    guess = guess_dates(texts, cells.counts[~cells.missing], partly=True)
    if guess is not None and guess.is_open:
        sentence = phrase(
            "It seems to contain dates, but it is unclear whether the day or the month comes "
            "first, so they are used as plain categories. Choose which comes first."
        )
        return [Finding("unclear-dates", "decide", sentence, remedies.read_dates(cells))]
    if guess is None:
        sentence = phrase(
            "It seems to contain dates as text, which are used as plain categories. Add "
            "columns such as year, month or days since a start to make use of them."
        )
    else:
        sentence = phrase(
            "It contains dates, but also other cells, so it is used as plain categories. If these "
            "others mean “missing”, make it a column of dates."
        )
    return [Finding("unclear-dates", "decide", sentence, remedies.split_date(cells))]


def check_target(
    cells: DistinctCells, missing: int, distinct: int, is_category: bool
) -> list[Finding]:
    """Warn about the target column."""
    n_rows = len(cells.codes)
    if distinct == 0:
        sentence = phrase(
            "Every cell is missing, so it cannot be predicted. Choose another column."
        )
        return [Finding("empty", "decide", sentence)]
    findings = []
    if distinct == 1:
        sentence = phrase(
            "It is {value!r} in every row that has a value ({rows}), so there is nothing to "
            "predict. Choose another target, or add rows with other values.",
            value=next(
                text
                for text, absent in zip(cells.stripped, cells.missing, strict=True)
                if not absent
            )[:80],
            rows=count_phrase("1 row", "{count:,} rows", n_rows - missing),
        )
        findings.append(Finding("constant", "decide", sentence))
    has_letters = [any(map(str.isalpha, text)) for text in cells.stripped]
    words = cells.missing & np.array(has_letters)
    n_dropped = int(cells.counts[words].sum()) if is_category else 0
    if n_dropped:
        sentence = count_phrase(
            "1 of {n_rows:,} rows is left out as missing ({words}). If that is a class, keep it.",
            "{count:,} of {n_rows:,} rows are left out as missing ({words}). If that is a class, "
            "keep it.",
            n_dropped,
            n_rows=n_rows,
            words=join_quoted(sorted(cells.stripped.select(words)), max_names=len(words)),
        )
        findings.append(
            Finding("missing", "decide", sentence, (remedies.keep_missing_words(cells),))
        )
    if missing > n_dropped:
        sentence = count_phrase(
            "1 of {n_rows:,} rows has no value to predict and is left out.",
            "{count:,} of {n_rows:,} rows have no value to predict; they are left out.",
            missing - n_dropped,
            n_rows=n_rows,
        )
        findings.append(Finding("missing", "done", sentence))
    if is_category and distinct > 1:
        findings += check_labels(cells)
        if 2 * distinct > n_rows - missing:
            sentence = phrase(
                "It has {distinct:,} classes for {n_rows:,} rows; it looks like a name "
                "or free text. Choose another column.",
                distinct=distinct,
                n_rows=n_rows - missing,
            )
            findings.append(Finding("many-classes", "decide", sentence))
        else:
            findings.extend(_check_imbalance(cells))
    return findings


def _check_imbalance(cells: DistinctCells) -> list[Finding]:
    counts = cells.counts[~cells.missing]
    n_rare = int((counts < 10).sum())
    findings = []
    if n_rare:
        sentence = count_phrase(
            "1 class has fewer than ten rows; it can hardly be learned.",
            "{count:,} classes have fewer than ten rows; they can hardly be learned.",
            n_rare,
        )
        findings.append(Finding("rare-classes", "idea", sentence))
    note = check_cell_balance(cells)
    if note is not None:
        findings.append(Finding("imbalance", "idea", note.sentence))
    return findings


def check_cell_balance(cells: DistinctCells) -> ImbalanceNote | None:
    """Suggest another metric if the cells, as classes, are strongly imbalanced."""
    labels = list(itertools.compress(cells.stripped, ~cells.missing))
    return check_class_counts(cells.counts[~cells.missing], labels)


def find_duplicate_columns(raw: RawTable) -> dict[int, int]:
    """Return, for each column equal to an earlier one, the earlier one's index."""
    candidates: dict[tuple[int, tuple[str, ...]], list[int]] = {}
    duplicate_of = {}
    for i in range(len(raw.names)):
        cells = raw.get_distinct(i)
        # Columns without repeated cells all have the same codes: without the first cells, each of
        # 10,000 measurements would be compared with every other one.
        first = tuple(text.strip() for text in cells.texts[:_FIRST_CELLS])
        candidate_columns = candidates.setdefault((hash(cells.codes.tobytes()), first), [])
        for j in candidate_columns:
            candidate_cells = raw.get_distinct(j)
            if (
                np.array_equal(candidate_cells.codes, cells.codes)
                and candidate_cells.stripped == cells.stripped
            ):
                duplicate_of[i] = j
                break
        else:
            candidate_columns.append(i)
    return duplicate_of
