"""Detection of lines that are not rows: comments, remarks, totals, and the end of a table."""

import itertools
import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from studio.arrays import Flags, Floats, Integers
from studio.data.coded import CodedColumn
from studio.data.distinct import DistinctCells
from studio.data.header import RULE, is_filled
from studio.data.missing import MISSING_TOKENS, NUMBER_FILLERS
from studio.data.number_guess import guess_numbers
from studio.data.numbers import clip_numbers

COMMENT_MARKS = ("#", "%", "//")

SAMPLE_LINES = 1000
"""Maximum number of lines with comments above the table."""

_MAX_COMMENT_SHARE = 0.2  # share of rows beyond which a leading mark belongs to the cells

_COMMENT_START = re.compile(r"\s*(#|%|//)")
# A column may be called "#", "%" or "# of calls", and Excel writes "#N/A" where a formula failed.
_NO_COMMENT = re.compile(
    r"\s*(?:(?:#{3,}|#|%|//)\s*[,;\t|]|[#%]\s*of\s|#¡?[^\W\d_a-z]+(?:/0)?\s?[!?]|#N/?[A-Z]{1,2}\b"
    r"|%\s*$)"
)


@dataclass(frozen=True)
class LeadingComments:
    """The comments above a table, with blank lines between them, and their number of characters."""

    mark: str = ""
    lines: tuple[str, ...] = ()
    length: int = 0

    def get_first(self, lines: Sequence[str]) -> "LeadingComments":
        """Return only the first comment, if any; its length is that of the first of ``lines``."""
        return LeadingComments(self.mark, self.lines[:1], len(lines[0])) if self.lines else self


def find_comment_mark(line: str) -> str:
    """Return the prefix of a comment line; "" for other lines."""
    match = _COMMENT_START.match(line)
    return "" if match is None or _NO_COMMENT.match(line) else match[1]


def find_leading_comments(sample: Sequence[str]) -> LeadingComments:
    """Return the comments at the beginning of a text, unless cells have the same prefix."""
    mark = next((find_comment_mark(line) for line in sample if line.strip()), "")
    if not mark:
        return LeadingComments()
    comment_lines = list(
        itertools.takewhile(
            lambda line: line.strip() in {"", mark} or find_comment_mark(line) == mark, sample
        )
    )
    lines_below = [line for line in sample[len(comment_lines) :] if line.strip()]
    n_marked = sum(find_comment_mark(line) == mark for line in lines_below)
    if not lines_below or n_marked > max(1, _MAX_COMMENT_SHARE * len(lines_below)):
        return LeadingComments()
    return LeadingComments(mark, tuple(map(str.strip, comment_lines)), sum(map(len, comment_lines)))


def is_comment(row: Sequence[str], mark: str) -> bool:
    """Whether a row of cells is a comment with this mark."""
    return (
        bool(row and mark)
        and find_comment_mark(row[0]) == mark
        # Excel shows ##### for numbers that are too wide for their column
        and (len(row) < 2 or bool(row[0].strip().strip(mark)))
    )


def find_mark_between(rows: Sequence[Sequence[str]], width: int) -> str:
    """Return the comment mark between rows of cells; "" if there are none.

    A row that begins with a mark is a comment if it does not have ``width`` cells, or if the first
    cells of the other rows are numbers.
    """
    for mark in COMMENT_MARKS:
        comment_rows = [row for row in rows if is_comment(row, mark)]
        if not comment_rows or len(comment_rows) > _MAX_COMMENT_SHARE * len(rows):
            continue
        first_cells = [row[0] for row in rows if row and not is_comment(row, mark)]
        numbers = sum(map(_is_number, first_cells))
        if all(len(row) != width for row in comment_rows) or numbers > (
            1 - _MAX_COMMENT_SHARE
        ) * len(first_cells):
            return mark
    return ""


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return not cell.strip()
    return True


MAX_TRAILING_ROWS = 20
"""Maximum number of remarks at the end of a file."""

_MIN_SENTENCE_WORDS = 4
_MIN_REMARK_COLUMNS = 2  # minimum number of columns for a remark
_MAX_REMARK_LENGTH = 200  # maximum number of characters by which a remark is recognised
_SUM_TOLERANCE, _MEAN_TOLERANCE = 1e-4, 5e-3  # relative tolerances of a sum and of a mean

_MAX_LABEL_COLUMNS, _MAX_ROWS, _MIN_CONFIRMED_SHARE = 3, 10_000, 2 / 3
"""Number of columns that may label a total among the rows, maximum number of examined rows, and
minimum share of such labels with sums beside them.
"""

_N_PROBED_ROWS = 1_000  # rows examined in a longer table, which a sum in the last row must exceed
_MIN_SUMMED_ROWS = 10  # minimum number of rows for recognising their sum without a label

_ROWS = (
    r"(?:rows?|records?|lines?|entries|observations?|zeilen|datensätze|lignes|enregistrements|filas"
    r"|registros|righe|rijen|строк|записей)"
)
_REMARK = re.compile(
    rf"""
    (?:total|count|anzahl|nombre|gesamt|n|\#?\s?(?:[^\W\d]+\s){{0,3}}{_ROWS}(?:\s[^\W\d]+){{0,2}})
      \s*[:=]\s*[0-9][0-9.,\s]*{_ROWS}?
    | (?:total|number|anzahl|nombre|gesamt)\s(?:[^\W\d]+\s){{0,2}}{_ROWS}|(?:row|record)\scount
    | \(?[0-9][0-9.,\s]*\s{_ROWS}\b.*
    | (?:(?:opening|closing|ending|final)\sbalance|(?:end|schluss)saldo|saldo\s(?:final|finale)
      |nouveau\ssolde|kontostand)\b.*
    | (?:sources?|quellen?|fuentes?|fonte|notes?|footnotes?|remarks?|legend|anmerkung(?:en)?|hinweis
      |remarques?|notas?|disclaimer|copyright
      |generated|exported|created|printed|downloaded|last\ updated
      |report\ generated|end\ of\ (?:file|report|table|data)|data\ (?:from|source)s?)\b.*[\s:].*
    | (?:bron|källa|kilde|lähde|źródło|zdroj|forrás|kaynak|sumber|источник)\s*:.*
    | (?:注|出典|資料|備考|来源|數據來源|数据来源|资料来源|备注|자료|주)\s*[0-9]*[:：)）].*
    | (?:©|\(c\)|\*+\s|†|‡|[0-9a-z¹²³]\)\s).*
    | (?:end|eof|---+|===+|\#\#\#+|\*\*\*+|___+)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_TOTAL = re.compile(
    r"(?:grand\s|sub[-\s]?|sous-)?totals?|(?:sub)?sums?|gesamt(?:summe)?|(?:gesamt)?ergebnis"
    r"|insgesamt|(?:zwischen|teil)?summen?|итого|всего|сумма"
    r"|total\s(?:général|general|geral)|sommes?|totale|(?:sub)?totaal|suma|razem|celkem|summa|合計|总计|合计"
    r"|总和|小計|小计|합계|총계|toplam|\*{1,3}|[Σ∑]",
    re.IGNORECASE,
)
_LABEL = re.compile(
    rf"(?:{_TOTAL.pattern})(?:[\s:–-].*)?|.*[\s:(–-](?:{_TOTAL.pattern})\)?|\*{{1,3}}\s?\w.*", re.I
)
"""A label of a total among the rows: "Total North", "North: total", SAP's "*North"."""

_DIGIT, _GROUPED = re.compile("[0-9]"), re.compile(r"[0-9][^0-9][0-9]{3}(?![0-9])")
_STATISTIC = re.compile(
    r"averages?|avg|means?|durchschnitt|mittelwert|moyennes?|medias?|promedio|gemiddelde|medel|平均"
    r"|min(?:imum)?|max(?:imum)?|median|count|std(?:\.?\s?dev\.?)?|variance|varianz"
    r"|standard\sdeviation|standardabweichung|écart[-\s]type|desviación(?:\sestándar)?|desvio\spadrão",
    re.IGNORECASE,
)


_SPREAD = re.compile("sd|sem|rsd|cv", re.IGNORECASE)
"""Labels of statistics below a mean; elsewhere they are codes such as that of South Dakota."""


def count_remarks(rows: Iterable[Sequence[str]], gaps: Container[int]) -> int:
    """Return the number of remarks at the end of a table, by its rows from the last one upwards.

    Only their first cell is filled: with a sentence such as "Source: …", or with any words below a
    blank line (a gap), where separators may also split such a sentence. The row above them has more
    cells.
    """
    n_remarks = n_candidates = 0
    for count, row in enumerate(rows, 1):
        if not any(row):
            n_remarks = max(n_remarks, n_candidates)
            continue
        is_single = _is_single_cell(row)
        text = row[0].strip() if is_single else " ".join(row)
        is_rule = bool(row[0].strip()) and RULE.fullmatch("".join(row)) is not None
        is_known = _is_remark(text)
        if not (is_single or is_rule or (is_known and count in gaps)):
            return n_remarks
        is_title = text.endswith(":") or n_remarks == count - 1 > 0
        n_candidates = count if len(text.split()) > 1 or is_title else 0
        is_sentence = len(row) > _MIN_REMARK_COLUMNS and len(text.split()) >= _MIN_SENTENCE_WORDS
        if is_rule or is_known or is_sentence or (n_candidates and count in gaps):
            n_remarks = count
    return 0


def _is_remark(text: str) -> bool:
    return _REMARK.fullmatch(text[:_MAX_REMARK_LENGTH]) is not None


def _is_single_cell(row: Sequence[str]) -> bool:
    """Whether a row has only a first cell, or a sentence cut at a comma."""
    first, *other_cells = (cell.strip() for cell in row)
    if len(other_cells) > 1 and _is_remark(first):
        other_cells = other_cells[1:]
    return bool(first) and not any(other_cells)


def count_totals(columns: Sequence[CodedColumn]) -> int:
    """Return the number of totals or averages at the end of a table.

    Their first filled cells are words such as "total", and at least one of these rows has no other
    content, or contains the sum or mean of a column. Without such words, the last row is a total if
    its first number is the sum of all numbers above it, and larger than each.
    """
    count, is_sure, has_statistic, numbers = 0, False, False, []
    while count < len(columns[0]) - 1:
        last_row = [column.texts[int(column.codes[-count - 1])].strip() for column in columns]
        if count and RULE.fullmatch("".join(last_row)):
            count += 1
            continue
        label_index = next(
            (i for i, cell in enumerate(last_row) if is_filled(cell) or cell == "*"), None
        )
        label = "" if label_index is None else last_row[label_index].rstrip(" :.")
        is_total = _TOTAL.fullmatch(label) is not None
        is_statistic = is_total or _STATISTIC.fullmatch(label) is not None
        if not is_statistic and not _SPREAD.fullmatch(label):
            first = next((i for i, cell in enumerate(last_row) if _DIGIT.search(cell)), None)
            if count or first is None or not _may_be_sum(columns[first]):
                break
            return int(_is_total(columns[first], 1, 1, is_single=True))
        count += 1
        has_statistic |= is_statistic
        value_indices = [
            i for i in range((label_index or 0) + 1, len(last_row)) if is_filled(last_row[i])
        ]
        is_sure |= is_total and not value_indices
        numbers += [(count, columns[i]) for i in value_indices]
    is_sure = is_sure or any(_is_total(column, count, index) for index, column in numbers)
    return count if is_sure and has_statistic else 0


def _has_largest_numbers(numbers: Sequence[Floats], row: int, start: int) -> bool:
    """Whether half of a row's numbers exceed those of their columns, (n,), from ``start`` on."""
    filled = [each for each in numbers if each[row]]
    n_exceeded = sum(bool(each[row] > each[start:row].max() > 0) for each in filled)
    return n_exceeded > 0 and 2 * n_exceeded >= len(filled)


def find_inner_totals(columns: Sequence[CodedColumn]) -> tuple[Integers, Integers]:
    """Return the rows, (k,), that are totals of adjacent rows; or the first, if of all others.

    They are labelled as totals, and most of them have the sum of the rows up to the next total or
    the end of the table. A first row of sums needs no label.

    Returns:
        These rows, and other rows with such labels, at least half of whose numbers exceed all those
        of an adjacent group.
    """
    n_rows, no_rows = len(columns[0]), np.empty(0, dtype=np.int64)
    if n_rows > _MAX_ROWS:
        return no_rows, no_rows
    is_label = np.zeros(n_rows, dtype=np.bool_)
    for column in columns[:_MAX_LABEL_COLUMNS]:
        is_label_text = [_LABEL.fullmatch(text.strip(" :.")) is not None for text in column.texts]
        if any(is_label_text):
            is_label |= np.array(is_label_text)[column.codes]
    rows = np.flatnonzero(is_label)
    if not len(rows):
        first_row = np.zeros(min(n_rows, 1), dtype=np.int64)
        numeric_columns = (
            column for column in columns if n_rows and _DIGIT.search(column.texts[0])
        )
        first = next(map(np.nan_to_num, map(_read_numbers, numeric_columns)), None)
        is_first = (
            first is not None
            and _find_sums(first, is_label, first_row).get(0, 0) >= _MIN_SUMMED_ROWS
        )
        return (first_row if is_first else no_rows), no_rows
    if 2 * len(rows) > n_rows:
        return no_rows, no_rows
    numbers = [each for each in map(np.nan_to_num, map(_read_numbers, columns)) if each.any()]
    is_sum, n_added = np.zeros(len(rows), dtype=np.bool_), 0
    while True:  # later passes find totals of totals
        unconfirmed = np.flatnonzero(~is_sum)
        sums: dict[int, int] = {}
        for each in numbers:
            sums |= _find_sums(each, is_label, rows[unconfirmed])
        if not sums:
            break
        n_added += sum(sums.values())
        is_sum[unconfirmed[list(sums)]] = True
    is_sure = n_added >= _MIN_SUMMED_ROWS and is_sum.sum() >= _MIN_CONFIRMED_SHARE * len(rows)
    is_sum &= is_sure
    unconfirmed = rows[~is_sum]
    starts = [0, *(row + 1 for row in unconfirmed.tolist())]
    largest = [
        row
        for start, row in zip(starts, unconfirmed.tolist(), strict=False)
        if row - start > 1 and _has_largest_numbers(numbers, row, start)
    ]
    # probably a name such as "Total war", unless all other rows are smaller
    if len(unconfirmed) == 1:
        is_rest = np.arange(n_rows) != unconfirmed[0]
        largest = [row for row in largest if any(n[row] > n[is_rest].max() > 0 for n in numbers)]
    is_likely = n_rows > _MIN_SUMMED_ROWS and len(largest) >= _MIN_CONFIRMED_SHARE * len(
        unconfirmed
    )
    return rows[is_sum], np.array(largest if is_likely else [], dtype=np.int64)


def _read_numbers(column: CodedColumn) -> Floats:
    """Return a column's numbers in its own format, (n,), NaN for other cells."""
    return clip_numbers(_parse_in_inferred_format(column).numbers)[column.codes]


def _find_sums(numbers: Floats, is_label: Flags, rows: Integers) -> dict[int, int]:
    """Return the number of adjacent rows that each row sums up, by its index in rows (k,)."""
    bounds = [0, *rows.tolist(), len(numbers)]
    summed_counts = {}
    for index, row in enumerate(rows.tolist()):
        for group in (slice(bounds[index], row), slice(row + 1, bounds[index + 2])):
            summed = numbers[group][~is_label[group]]
            if (
                len(summed) > 1
                and numbers[row] > summed.max()
                and np.isclose(summed.sum(), numbers[row], rtol=_SUM_TOLERANCE)
            ):
                summed_counts[index] = len(summed)
    return summed_counts


def find_next_table(columns: Sequence[CodedColumn], gaps: Iterable[int]) -> int | None:
    """Return the row where another table begins below the first one, with its title; else None.

    It begins below a blank line (a gap) with names, some of them in numeric columns, followed by
    rows.
    """
    n_rows = len(columns[0])
    for gap in sorted({gap for gap in gaps if 0 < gap < n_rows}):
        row, names = gap, get_row(columns, gap)
        while row + 1 < n_rows and sum(map(bool, names)) == 1:  # a title
            row, names = row + 1, get_row(columns, row + 1)
        named_columns = [
            (name, column) for name, column in zip(names, columns, strict=True) if name
        ]
        if (
            row + 1 == n_rows
            or len(named_columns) < _MIN_REMARK_COLUMNS
            or any(map(_is_number, filter(None, names)))
        ):
            continue
        has_numbers_above = [_has_numbers_above(column, gap) for _, column in named_columns]
        recurring = (
            name in set(map(str.strip, column.get_first_rows(gap).texts))
            for name, column in named_columns
        )
        if any(has_numbers_above) and not any(recurring):
            return gap
    return None


def get_row(columns: Sequence[CodedColumn], index: int) -> list[str]:
    """Return the cells of a row without surrounding blanks."""
    return [column.texts[int(column.codes[index])].strip() for column in columns]


def _has_numbers_above(column: CodedColumn, row: int) -> bool:
    cells = _parse_in_inferred_format(column.get_first_rows(row))
    filled = ~cells.missing
    return bool(filled.any() and not np.isnan(cells.numbers[filled]).any())


def _may_be_sum(column: CodedColumn) -> bool:
    """Whether the last number may be the largest one, judged by the first rows of many."""
    if len(column) <= _N_PROBED_ROWS or _GROUPED.search(column.texts[int(column.codes[-1])]):
        return True
    codes = np.append(column.codes[:_N_PROBED_ROWS], column.codes[-1])
    no_rows = np.empty(0, dtype=np.int64)  # dropping none removes the unused texts
    numbers = _read_numbers(CodedColumn(codes, column.texts).drop_rows(no_rows))
    return not numbers[-1] <= np.fmax.reduce(numbers[:-1])


def _is_total(column: CodedColumn, count: int, offset: int, *, is_single: bool = False) -> bool:
    """Whether row ``offset`` from the end has the sum or mean of all but ``count`` rows.

    Without a label (``is_single``), it must be the sum of many numbers that are all smaller.
    """
    numbers = _read_numbers(column)
    total, addends = numbers[-offset], numbers[:-count]
    addends = addends[~np.isnan(addends)]
    if not len(addends):
        return False
    is_sum = bool(np.isclose(addends.sum(), total, rtol=_SUM_TOLERANCE))
    if is_single:
        return is_sum and len(addends) >= _MIN_SUMMED_ROWS and bool(total > addends.max())
    is_mean = np.ptp(addends) > 0 and np.isclose(addends.mean(), total, rtol=_MEAN_TOLERANCE)
    return bool(is_mean) or is_sum


def _parse_in_inferred_format(column: CodedColumn) -> DistinctCells:
    """Return a column's cells in the number format inferred from them."""
    cells = DistinctCells(column.codes, column.texts)
    filled = ~(cells.missing | cells.match_words(NUMBER_FILLERS))
    texts = cells.stripped.select(filled)
    guess = guess_numbers("", texts, cells.counts[filled]) if texts else None
    return cells if guess is None else cells.read_as(guess.number_format, MISSING_TOKENS)
