"""From a raw pandas table to the matrix that trials saw, with scikit-learn and pandas alone.

This is the twin of :class:`studio.data.codec.Codec`, built of objects that unpickle without this
package. It gives the same matrix whether pandas read the table with its default types or all as
text, because every rule looks at a cell alone (``studio/data/numbers.py``, ``labels.py``):

* numbers: grouping and decimal marks are rewritten in cells that are text, then
  ``pandas.to_numeric``; infinities become missing, the rest is bounded;
* categories: a cell that reads as a number is looked up among the number labels, any other among
  the words. Each column is encoded twice, once a way, and the way that found something wins;
* parts of dates: cells are rewritten year first, then ``pandas.to_datetime``.
"""

import math
import operator
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np

from studio.data.column import Column, codes_of
from studio.data.dates import DAY, ORDERS, SHORT_ORDERS, DatePart, pattern
from studio.data.feature import Feature
from studio.data.labels import BOOLEAN_WORDS, number_label, order
from studio.data.numbers import LIMIT, NumberFormat
from studio.data.treatments import ValueLimits

_EXACT_TEXT = 1e15
"""Below this, 15 significant digits keep every whole number."""

_INFINITE = 1e300
"""Stands for infinity among categories, where scikit-learn's encoder refuses infinity itself."""

_MOST_GROUPS = 6
"""Groups of three digits that are joined; LIMIT needs no more in practice."""

_JOINED = "\x00"
"""Stands for a removed grouping mark while the other marks of the cell are still looked for."""


class RawColumn(Feature):
    """A feature under the name by which pandas shows its column of the raw table."""

    @classmethod
    def of(cls, column: Column) -> Self:
        """Take what is needed from a table's column."""
        name = column.aliases[0] if column.aliases else column.name
        return replace(super().of(column), name=name, aliases=())

    @property
    def title(self) -> str:
        """What its values are called apart from the file's: ``when: month``, ``pay: limited``."""
        if self.date is not None:
            return f"{self.name}: {self.date.part}"
        made = "limited" if self.limits is not None else "merged" if self.merged else ""
        return f"{self.name}: {made}" if made else self.name


def matrix_of(raw: Sequence[RawColumn], sample: Any) -> Any:
    """Return a fitted pipeline from a raw table to a float64 matrix, one column each.

    Parameters
    ----------
    raw : sequence of RawColumn
        The columns that trials saw, in their order.
    sample : pandas.DataFrame
        At least one row with these columns; only their names matter.
    """
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import Pipeline

    alike: dict[tuple[Any, ...], list[int]] = {}
    for at, column in enumerate(raw):
        # What is merged is of one column only.
        key = (column.categories is None, column.number_format, column.date, column.limits,
               at if column.merged else None)  # fmt: skip
        alike.setdefault(key, []).append(at)
    blocks: list[tuple[str, Any, list[str]]] = []
    for places in alike.values():
        labels = [raw[at].categories or () for at in places]
        first = raw[places[0]]
        if first.date is not None:
            block = _dates(first.date)
        elif first.categories is None:
            block = _numbers(first.number_format, first.limits)
        elif first.merged:
            block = _merged(first.categories, first.merged, first.number_format)
        else:
            block = _categories(labels, first.number_format)
        blocks.append((f"columns-{len(blocks)}", block, [raw[at].name for at in places]))
    columns = ColumnTransformer(blocks, sparse_threshold=0.0, verbose_feature_names_out=False)
    back = np.argsort(np.concatenate([np.array(places) for places in alike.values()]))
    steps = [("columns", columns)]
    if (back != np.arange(len(back))).any():
        steps.append(("order", _function(np.take, indices=back, axis=1)))
    return Pipeline(steps).fit(sample)


def _function(function: Any, **arguments: Any) -> Any:
    from sklearn.preprocessing import FunctionTransformer

    return FunctionTransformer(function, kw_args=arguments)


def _steps(*steps: Any) -> Any:
    from sklearn.pipeline import make_pipeline

    return make_pipeline(*steps)


def _numbers(number_format: NumberFormat, limits: ValueLimits | None) -> Any:
    import pandas as pd

    treated = []
    if limits is not None and limits.beyond == "limit":
        treated = [_function(pd.DataFrame.clip, lower=limits.low, upper=limits.high)]
    elif limits is not None:
        treated = [
            _function(pd.DataFrame.mask, cond=partial(operator.gt, limits.low)),
            _function(pd.DataFrame.mask, cond=partial(operator.lt, limits.high)),
        ]

    return _steps(
        *_parse(number_format),
        _function(pd.DataFrame.replace, to_replace=[np.inf, -np.inf], value=np.nan),
        _function(pd.DataFrame.clip, lower=-LIMIT, upper=LIMIT),
        *treated,
        _function(np.asarray, dtype=np.float64),
    )


def _dates(date: DatePart) -> Any:
    """Return the pipeline of columns that hold the same part of dates in the same order."""
    import pandas as pd

    frame: Any = pd.DataFrame
    whole = [
        _function(frame.sub, other=pd.Timestamp(0)),
        _function(frame.div, other=pd.Timedelta(seconds=1)),
        _function(frame.round),  # nanoseconds do not fit into double precision
        _function(frame.div, other=DAY),
    ]
    attribute = {"weekday": "dt.day_of_week"}.get(date.part, f"dt.{date.part}")
    part = _function(pd.DataFrame.apply, func=operator.attrgetter(attribute))
    return _steps(
        _function(pd.DataFrame.map, func=str, na_action="ignore"),
        *(
            _function(pd.DataFrame.replace, to_replace=found, value=replacement, regex=True)
            for found, replacement in _year_first(date)
        ),
        _function(pd.DataFrame.apply, func=pd.to_datetime, format=_FORMAT, errors="coerce"),
        *(whole if date.part == "days" else [part]),
        _function(np.asarray, dtype=np.float64),
    )


_FORMAT = f"{_JOINED}%Y-%m-%d %H:%M:%S"
"""How cells are rewritten that hold a date; no other cell has the first character."""


def _year_first(date: DatePart) -> list[tuple[str, str]]:
    """Return (pattern, replacement) pairs that write dates in :data:`_FORMAT`."""
    fields = rf"{_JOINED}\g<year>-\g<month>-\g<day> \g<hour>:\g<minute>:\g<second>"
    pairs = [(pattern(ORDERS[0]), fields)]
    if date.order in SHORT_ORDERS:
        later = "(?:[0-5][0-9]|6[0-8])"
        for century, years in (("20", later), ("19", f"(?!{later})[0-9]{{2}}")):
            found = pattern(date.order).replace("(?P<year>[0-9]{2})", f"(?P<year>{years})")
            pairs.append((found, fields.replace(r"\g<year>", rf"{century}\g<year>")))
    elif date.order != ORDERS[0]:
        pairs.append((pattern(date.order), fields))
    return [*pairs, (rf"^({_JOINED}.*) ::$", r"\1 0:0:0"), (rf"^({_JOINED}.*):$", r"\1:0")]


def _parse(number_format: NumberFormat) -> list[Any]:
    """Return the steps from cells to numbers, NaN where a cell is none."""
    import pandas as pd

    rewrite = [
        _function(pd.DataFrame.replace, to_replace=pattern, value=replacement, regex=True)
        for pattern, replacement in _rewriting(number_format)
    ]
    return [
        *rewrite,
        _function(pd.DataFrame.apply, func=pd.to_numeric, errors="coerce"),
        _function(pd.DataFrame.astype, dtype="float64"),
    ]


def _rewriting(number_format: NumberFormat) -> list[tuple[str, str]]:
    """Return (pattern, replacement) pairs that write text cells as plain numbers.

    A grouping mark goes only where the whole cell is well grouped, as in
    :attr:`NumberFormat.pattern`.
    """
    blanks = [(r"^\s+|\s+$", "")]
    if number_format.is_plain:
        return []
    exponent = r"(?:[eE][+-]?[0-9]+)?"
    decimal = re.escape(number_format.decimal)
    pairs = list(blanks)
    if number_format.thousands:
        mark = f"[{re.escape(number_format.grouping)}]"
        rest = rf"(?:[0-9]{{3}}{mark})*[0-9]{{3}}(?:{decimal}[0-9]*)?{exponent}$"
        pairs.append((rf"^([+-]?[0-9]{{1,3}}){mark}(?={rest})", rf"\1{_JOINED}"))
        pairs += [(rf"(?<={_JOINED}[0-9]{{3}}){mark}", _JOINED)] * _MOST_GROUPS
        pairs.append((_JOINED, ""))
    if number_format.decimal != ".":
        pairs.append(
            (rf"^([+-]?)(?:([0-9]+){decimal}([0-9]*)|{decimal}([0-9]+))({exponent})$",
             r"\1\2.\3\4\5")
        )  # fmt: skip
    return pairs


def _categories(labels: Sequence[Sequence[str]], number_format: NumberFormat) -> Any:
    """Return the pipeline of all columns of categories: codes, NaN for missing and unseen."""
    from sklearn.pipeline import FeatureUnion

    both = FeatureUnion(
        [("as_number", _as_number(labels, number_format)), ("as_word", _as_word(labels))]
    )
    return _steps(
        both,
        _function(np.reshape, shape=(-1, 2, len(labels))),
        _function(np.fmax.reduce, axis=1),
    )


def _merged(categories: Sequence[str], merged: Sequence[str], number_format: NumberFormat) -> Any:
    """Return the pipeline of a column in which the merged labels are the last category."""
    every = order((*categories, *merged))
    codes = codes_of(every, categories, merged)
    places = np.arange(len(every), dtype=np.float64)
    # At whole numbers this looks up, and keeps NaN.
    return _steps(
        _categories([every], number_format),
        _function(np.interp, xp=places, fp=codes.astype(np.float64)),
    )


def _as_number(labels: Sequence[Sequence[str]], number_format: NumberFormat) -> Any:
    """Encode cells that read as numbers; True and False do not."""
    import pandas as pd

    values = [[_finite(float(label)) for label in column if _is_number(label)] for column in labels]
    sizes = [abs(value) for column in values for value in column]
    biggest = max((size for size in sizes if size < _INFINITE), default=0.0)
    # A cell beyond the limit has the limit's label, infinity its own.
    ends = [_function(pd.DataFrame.replace, to_replace=[np.inf, -np.inf], value=np.nan)]
    if _INFINITE in sizes:
        both = {np.inf: _INFINITE, -np.inf: -_INFINITE}
        ends = [_function(pd.DataFrame.replace, to_replace=both)]
    else:
        ends.append(_function(pd.DataFrame.clip, lower=-LIMIT, upper=LIMIT))
    # Labels of fractions carry 15 digits, so the cell is brought to them as well.
    rounding = [
        _function(pd.DataFrame.map, func="{:.15g}".format, na_action="ignore"),
        _function(pd.DataFrame.astype, dtype="float64"),
    ]
    return _steps(
        _function(pd.DataFrame.map, func=str, na_action="ignore"),
        *_parse(number_format),
        *ends,
        *(rounding if biggest < _EXACT_TEXT else []),
        encoder_of([column or [-np.inf] for column in values]),
    )


def _as_word(labels: Sequence[Sequence[str]]) -> Any:
    """Encode all other cells; their codes follow those of the numbers, which come first."""
    import pandas as pd

    padded = [
        [f"\x00{at}" if _is_number(label) else label for at, label in enumerate(column)]
        for column in labels
    ]
    words: Mapping[str, str] = {
        rf"(?i)^\s*{word}\s*$": label
        for word, label in BOOLEAN_WORDS.items()
        if any(label in column for column in labels)
    }
    spelled = [_function(pd.DataFrame.replace, to_replace=dict(words), regex=True)] if words else []
    return _steps(
        _function(pd.DataFrame.map, func=str, na_action="ignore"),
        _function(pd.DataFrame.map, func=str.strip, na_action="ignore"),
        *spelled,
        _function(pd.DataFrame.astype, dtype=object),
        encoder_of([np.array(column or ["\x00"], dtype=object) for column in padded]),
    )


def encoder_of(categories: Sequence[Any]) -> Any:
    """Return an encoder of columns with these categories; other cells and empty ones become NaN."""
    from sklearn.preprocessing import OrdinalEncoder

    return OrdinalEncoder(
        categories=list(categories),
        handle_unknown="use_encoded_value",
        unknown_value=np.nan,
        encoded_missing_value=np.nan,
        dtype=np.float64,
    )


def _finite(value: float) -> float:
    return value if math.isfinite(value) else math.copysign(_INFINITE, value)


def _is_number(label: str) -> bool:
    """Say whether a label is a number's (other words read by float(), such as "1_0", are not)."""
    try:
        return number_label(float(label)) == label
    except (ValueError, OverflowError):
        return False
