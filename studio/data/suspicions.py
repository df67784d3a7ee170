"""What makes a column useless or too good to be true: identifiers, constants, copies, leaks."""

import hashlib
import itertools
import re

import numpy as np

from studio.arrays import Integers
from studio.data import remedies
from studio.data.balance import ImbalanceNote, note_of_counts
from studio.data.dates import guess_dates
from studio.data.description import Finding
from studio.data.distinct import Distinct
from studio.data.numbers import bounded
from studio.data.ownership import says_whose
from studio.data.reading import RawTable
from studio.phrases import phrase

FEW_ROWS = 20
"""Below this number of rows, chance makes columns look like identifiers or leaks."""

_FIRST_CELLS = 8
"""Distinct cells of two columns that are compared first, before all of them are."""

_ID_NAME = re.compile(r"(?:.*[_\s.-])?(?:id|uuid|guid|key|index|nr|no|number|row)", re.IGNORECASE)
_SOME = 20
"""Categories from which on it is said that most of them are rare."""

_WEIGHT_NAME = re.compile(
    r"(?:sample|survey|case|row|obs|observation|sampling|final|person|p|fnl)[_\s.-]?(?:weights?|wgt|wt)",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"(?:[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}|[0-9]{1,2}[-/.][0-9]{1,2}[-/.](?:[0-9]{4}|[0-9]{2}))"
    r"(?:[T ][0-9:.+Z-]+)?"
)


def about_feature(
    name: str, cells: Distinct, missing: int, distinct: int, is_category: bool
) -> tuple[bool, list[Finding]]:
    """Return whether a column cannot help to predict, and warn.

    Parameters
    ----------
    name : str
        The column's name.
    cells : Distinct
        Its cells.
    missing, distinct : int
        Rows without a value, and different values.
    is_category : bool
        Whether it would be used as a category.

    Returns
    -------
    bool, list of Finding
        Whether to ignore it, and what says why.
    """
    n_rows = len(cells.codes)
    if distinct == 0:
        return True, [Finding(phrase("Every cell is missing, so it is ignored."))]
    if distinct == 1 and not missing:
        value = cells.stripped[0][:40]
        return True, [Finding(phrase("Every row is {value!r}, so it is ignored.", value=value))]
    found = []
    if distinct == 1:
        found.append(
            Finding(
                phrase("Its only value is the same in every row that has one."),
                (remedies.leave_out(),),
            )
        )
    filled = n_rows - missing
    if is_category:
        found += _about_dates(cells)
        if filled >= FEW_ROWS and distinct > 0.9 * filled:
            sentence = phrase(
                "{distinct:,} of {filled:,} values are different, as in an identifier or "
                "free text, so it is ignored.",
                distinct=distinct,
                filled=filled,
            )
            return True, [*found, Finding(sentence, (remedies.use(),))]
        if distinct > 100 or (distinct > _SOME and 2 * remedies.rare_labels(cells) > distinct):
            sentence = phrase(
                "It has {distinct:,} categories; most of them are rare and will matter little.",
                distinct=distinct,
            )
            found.append(Finding(sentence, (*remedies.merge(cells), remedies.leave_out())))
    elif _counts_rows(name, cells, missing, distinct):
        sentence = phrase("It numbers the rows like an identifier, so it is ignored.")
        return True, [*found, Finding(sentence, (remedies.use(),))]
    if missing > 0.5 * n_rows:
        sentence = phrase(
            "{missing:,} of {n_rows:,} rows have no value.", missing=missing, n_rows=n_rows
        )
        found.append(Finding(sentence, (remedies.leave_out(),)))
    if says_whose(name, cells, missing, distinct, is_category):
        sentence = phrase(
            "It seems to say whom or what each row belongs to ({distinct:,} different "
            "values). If new rows will belong to others, give it the role “group”: then "
            "every split keeps its rows together.",
            distinct=distinct,
        )
        found.append(Finding(sentence, (remedies.group(distinct),)))
    if not is_category and _WEIGHT_NAME.fullmatch(name) and np.nanmin(cells.numbers) >= 0:
        sentence = phrase("Its name says how much each row counts.")
        found.append(Finding(sentence, (remedies.weight(),)))
    return False, found


def _about_dates(cells: Distinct) -> list[Finding]:
    """Warn of words that look like dates but were not read as dates."""
    texts = list(itertools.compress(cells.stripped, ~cells.missing))
    seen = texts[:20]
    if not all(_DATE.fullmatch(text) for text in seen):
        return []
    if guess_dates(seen, np.ones(len(seen), dtype=np.int64), partly=True) is None:
        sentence = phrase(
            "It seems to contain dates as text, which are used as plain categories. Add "
            "columns such as year, month or days since a start to make use of them; "
            "give it the role “time” if later rows are to be predicted from earlier "
            "ones."
        )
    else:
        sentence = phrase(
            "It seems to contain dates, but it is unclear whether the day or the month "
            "comes first, so they are used as plain categories. Make it a column of "
            "dates if the day comes first; write the year first otherwise."
        )
    return [Finding(sentence, remedies.split_date(cells))]


def _counts_rows(name: str, cells: Distinct, missing: int, distinct: int) -> bool:
    """Whole numbers, all different: in steps of one down the rows, or named like a key."""
    n_rows = len(cells.codes)
    if missing or distinct != n_rows or n_rows < FEW_ROWS:
        return False
    numbers = cells.numbers[cells.codes]
    if not np.array_equal(numbers, np.round(numbers)):
        return False
    return bool(np.all(np.diff(numbers) == 1.0)) or _ID_NAME.fullmatch(name) is not None


def about_target(cells: Distinct, missing: int, distinct: int, is_category: bool) -> list[Finding]:
    """Warn about a column that is to be predicted."""
    n_rows = len(cells.codes)
    if distinct == 0:
        sentence = phrase(
            "Every cell is missing, so it cannot be predicted. Choose another column."
        )
        return [Finding(sentence)]
    warnings = []
    if distinct == 1:
        warnings.append(phrase("It has one value only, so there is nothing to predict."))
    if missing:
        warnings.append(
            phrase(
                "{missing:,} of {n_rows:,} rows have no value to predict; they are left out.",
                missing=missing,
                n_rows=n_rows,
            )
        )
    if is_category and distinct > 1:
        if 2 * distinct > n_rows - missing:
            warnings.append(
                phrase(
                    "It has {distinct:,} classes for {n_rows:,} rows; it looks like a name "
                    "or free text. Choose another column.",
                    distinct=distinct,
                    n_rows=n_rows - missing,
                )
            )
        else:
            warnings.extend(_imbalance(cells))
    return [Finding(each) for each in warnings]


def _imbalance(cells: Distinct) -> list[str]:
    counts = cells.counts[~cells.missing]
    rare = int((counts < 10).sum())
    warnings = []
    if rare:
        warnings.append(
            phrase("1 class has fewer than ten rows; they can hardly be learnt.")
            if rare == 1
            else phrase(
                "{rare:,} classes have fewer than ten rows; they can hardly be learnt.", rare=rare
            )
        )
    note = balance_of_cells(cells)
    if note is not None:
        warnings.append(note.sentence)
    return warnings


def balance_of_cells(cells: Distinct) -> ImbalanceNote | None:
    """Propose another metric where the cells, taken as classes, are of very different number."""
    labels = list(itertools.compress(cells.stripped, ~cells.missing))
    return note_of_counts(cells.counts[~cells.missing], labels)


def twins(raw: RawTable) -> dict[int, int]:
    """Return, for each column with the same cells as an earlier one, that column's position."""
    alike: dict[tuple[bytes, tuple[str, ...]], list[int]] = {}
    found = {}
    for i in range(len(raw.names)):
        cells = raw.distinct(i)
        # Columns without repeated cells all have the same codes: without the first cells each of
        # 10,000 measurements would be compared with every other one.
        codes = hashlib.blake2b(cells.codes.tobytes()).digest()
        earlier = alike.setdefault((codes, tuple(cells.stripped[:_FIRST_CELLS])), [])
        for j in earlier:
            if list(raw.distinct(j).stripped) == list(cells.stripped):
                found[i] = j
                break
        else:
            earlier.append(i)
    return found


def leak(raw: RawTable, feature: int, target: int) -> tuple[bool, str] | None:
    """Return whether a column gives the target away.

    Returns
    -------
    (bool, str) or None
        Whether it is a plain copy (which is ignored), and the sentence; ``None`` if it is neither.
    """
    given, wanted = raw.distinct(feature), raw.distinct(target)
    name = raw.names[target]
    if len(given.codes) < FEW_ROWS or len(wanted.texts) < 2:
        return None
    same_rows = np.array_equal(given.codes, wanted.codes)
    if same_rows and _equal_values(given, wanted):
        return True, phrase(
            "It is a copy of {name!r}, the column to predict, so it is ignored.", name=name
        )
    few = 5 * len(given.texts) <= len(given.codes)
    if few and len(given.texts) >= len(wanted.texts) and _determines(given, wanted):
        return False, phrase(
            "It gives {name!r} away: it alone determines the answer. Ignore it unless it is "
            "known before the prediction is made.",
            name=name,
        )
    if _follows_line(given, wanted):
        return False, phrase(
            "It says nearly the same as {name!r} (correlation above 0.9999). Ignore it "
            "unless it is known before the prediction is made.",
            name=name,
        )
    return None


def _equal_values(given: Distinct, wanted: Distinct) -> bool:
    if list(given.stripped) == list(wanted.stripped):
        return True
    numbers = given.numbers
    return bool(np.isfinite(numbers).all()) and np.array_equal(numbers, wanted.numbers)


def _determines(given: Distinct, wanted: Distinct) -> bool:
    """Whether rows with the same cell here always have the same target."""
    target_of: Integers = np.full(len(given.texts), -1, dtype=np.int64)
    target_of[given.codes] = wanted.codes
    return np.array_equal(target_of[given.codes], wanted.codes)


def _follows_line(given: Distinct, wanted: Distinct) -> bool:
    """Whether two columns of numbers lie on a line."""
    if len(wanted.texts) <= FEW_ROWS:
        return False
    x, y = bounded(given.numbers)[given.codes], bounded(wanted.numbers)[wanted.codes]
    both = ~np.isnan(x) & ~np.isnan(y)
    if both.sum() < max(FEW_ROWS, 0.9 * len(x)):
        return False
    x, y = x[both] - x[both].mean(), y[both] - y[both].mean()
    scale = float(np.sqrt((x @ x) * (y @ y)))
    return scale > 0 and abs(float(x @ y)) > 0.9999 * scale
