"""Preparation of the exported model: from a data frame to the matrix of the trials.

A recipe (:mod:`studio.data.recipe`) consists of pairs of patterns and replacements, patterns of
dates and keys of labels. Here they become scikit-learn objects that unpickle without this package.
The input is a table read as text, or typed by pandas: each rule depends on a single cell.

* numbers: the pairs rewrite text cells, then ``pandas.to_numeric`` parses them; infinities become
missing, other values are clipped;
* categories: a cell is looked up as a word, and as a number; the codes agree if both are found;
* dates: the patterns rewrite cells year first, ``pandas.to_datetime`` parses them, then the parts
are extracted. Whole numbers are read in the training order, since pandas removes full stops as
thousands separators; a warning names a column whose cells are mostly not dates.
"""

import operator
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np

from studio.data.column import Column
from studio.data.dates import (
    END_PLACEHOLDER,
    FULL_YEAR,
    HOUR,
    HOUR_BEFORE_NOON,
    ORDERS,
    PM_GROUP,
    PM_PLACEHOLDER,
    SECONDS_PER_DAY,
    SHORT_YEAR,
    STORED,
    STORED_NUMBERS,
    DateFormat,
    Order,
    Part,
    make_pattern,
)
from studio.data.labels import INVISIBLE, LabelKeys
from studio.data.numbers import MAX_MAGNITUDE, NumberFormat
from studio.data.recipe import ColumnRecipe
from studio.data.terms import Terms
from studio.data.treatments import ValueLimits

_PARSED_MARK = "\x00"
"""Prefix of a cell rewritten by a date pattern; no other cell has this character."""

CALENDARS: Mapping[Order, tuple[str, str]] = {
    "week": (r"\g<year>-W\g<week>-\g<day>", f"{_PARSED_MARK}%G-W%V-%u"),
    "year-day": (r"\g<year>-\g<ordinal>", f"{_PARSED_MARK}%Y-%j"),
}
"""Replacements of dates in weeks or days of a year, and their formats for pandas."""

_CLOCK, _ZONED = f"{_PARSED_MARK}%Y-%m-%d %H:%M:%S", f"{_PARSED_MARK}%Y-%m-%d %H:%M:%S%z"


class RawColumn(ColumnRecipe):
    """A column recipe with the pandas name of its column in the raw table."""

    @classmethod
    def from_column(cls, column: Column) -> Self:
        """Extract the recipe from a table's column."""
        name = column.aliases[0] if column.aliases else column.name
        return replace(super().from_column(column), name=name, aliases=())

    @property
    def title(self) -> str:
        """The name of its values, distinct from the file's: ``when: month``, ``pay: limited``."""
        if self.date is not None:
            return f"{self.name}: {self.date.part}"
        if self.term is not None:
            return f"{self.name}: {self.term.term}"
        suffix = "limited" if self.limits is not None else "merged" if self.merged else ""
        return f"{self.name}: {suffix}" if suffix else self.name


def make_matrix_transformer(raw: Sequence[RawColumn], sample: Any) -> Any:
    """Return a fitted transformer from a raw table to a float64 matrix, by column.

    As in :meth:`studio.data.recipe.Recipe.encode`, missing columns are empty, with a warning; a
    table without most columns is rejected, with a ``ValueError``.

    Args:
        raw: The trials' columns, in order.
        sample: At least one row with these columns; only their names matter.
    """
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import Pipeline

    blocks: list[tuple[str, Any, list[str]]] = []
    order: list[int] = []
    for column_indices in _group_columns(raw):
        first = raw[column_indices[0]]
        columns = [raw[index] for index in column_indices]
        names = [each.name for each in columns]
        if first.date is not None:
            parts = [each.date.part for each in columns if each.date]
            block = _make_warning_date_pipeline(first, parts)
            names = names[:1]
        elif first.term is not None:
            term_indices = [each.term.index for each in columns if each.term]
            block = _make_text_pipeline(first.term.terms, term_indices, first.missing_words)
            names = names[:1]
        elif first.categories is None:
            block = _make_number_pipeline(first.number_format, first.limits)
        else:
            block = _make_category_pipeline(first)
        blocks.append((f"columns-{len(blocks)}", block, names))
        order += column_indices
    transformer = ColumnTransformer(blocks, sparse_threshold=0.0, verbose_feature_names_out=False)
    inverse_order = np.argsort(order)
    column_names = list(dict.fromkeys(column.name for column in raw))
    steps = [("columns", _add_missing_columns(column_names, transformer))]
    if (inverse_order != np.arange(len(inverse_order))).any():
        steps.append(("order", _make_function_step(np.take, indices=inverse_order, axis=1)))
    # scikit-learn represents nested steps again at each level, in exponential time, but not a
    # function inside np.vectorize. It is called once, with the whole table, as its only argument is
    # excluded.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the sample's cells are no dates
        encode = np.vectorize(Pipeline(steps).fit(sample).transform, excluded={0})
    return _make_function_step(encode).fit(sample)


def _add_missing_columns(names: Sequence[str], columns: Any) -> Any:
    """Return a transformer that adds the missing columns of another one as empty columns."""
    import pandas as pd
    from sklearn.pipeline import FeatureUnion
    from sklearn.utils import check_array

    # Returns no columns, only checks: a function of this package could not be unpickled elsewhere.
    check = _make_steps(
        _make_function_step(pd.DataFrame),  # an array has no columns of these names
        _make_function_step(pd.DataFrame.filter, items=list(names)),
        _make_function_step(pd.DataFrame.isna),
        _make_function_step(np.asarray),
        _make_function_step(
            check_array, ensure_min_features=len(names) - len(names) // 2, dtype=None
        ),
        _make_function_step(np.take, indices=np.array([], dtype=np.int64), axis=1),
    )
    completion_step = _make_steps(
        # A column whose computation warns; the next step drops it.
        _make_function_step(pd.DataFrame.assign, **{_WARNING_COLUMN: _make_missing_warning(names)}),
        _make_function_step(pd.DataFrame.reindex, columns=list(names)),
        columns,
    )
    return FeatureUnion([("most-are-there", check), ("columns", completion_step)])


MISSING_COLUMNS_WARNING = "Missing columns, treated as empty"

_WARNING_COLUMN = "\x00missing"
"""The name of a column; no column of a table has this name."""


def _make_missing_warning(names: Sequence[str]) -> Any:
    """Return a function of a data frame that warns of missing columns, at each call."""
    import pandas as pd

    text = f"{MISSING_COLUMNS_WARNING} ({{0.size}} of {len(names)}): {{0}}"
    return _make_steps(
        _make_function_step(pd.DataFrame.keys),
        _make_function_step(pd.Index(list(names), dtype=object).difference, sort=False),
        _make_function_step(np.asarray, dtype=object),
        _make_function_step(text.format),
        _make_function_step(re.compile(rf"(?s){MISSING_COLUMNS_WARNING} \([1-9].*").findall),
        *_make_warning_steps(),
    ).transform


def _make_warning_steps() -> list[Any]:
    """Return the steps that show warnings (texts) and return their number."""
    # Without a registry of shown warnings, none is suppressed as a repetition.
    warn = partial(warnings.warn_explicit, category=UserWarning, filename="model", lineno=1)
    return [_make_function_step(each) for each in (partial(map, warn), list, len)]


def _group_columns(raw: Sequence[RawColumn]) -> list[list[int]]:
    """Return the indices of columns made by one block: equal numbers, parts of one date."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    for index, column in enumerate(raw):
        if column.date is not None:
            key: tuple[Any, ...] = ("date", column.name, column.date.format)
        elif column.term is not None:
            key = ("text", column.name, column.term.terms)
        elif column.categories is None:
            key = ("number", column.number_format, column.limits)
        else:
            key = ("category", index)
        groups.setdefault(key, []).append(index)
    return list(groups.values())


def _make_function_step(function: Any, **arguments: Any) -> Any:
    from sklearn.preprocessing import FunctionTransformer

    return FunctionTransformer(function, kw_args=arguments)


def _make_steps(*steps: Any) -> Any:
    from sklearn.pipeline import make_pipeline

    return make_pipeline(*steps)


def _make_union(*transformers: Any) -> Any:
    from sklearn.pipeline import FeatureUnion

    return FeatureUnion([(f"way-{index}", way) for index, way in enumerate(transformers)])


def _make_rewrite_steps(pairs: Sequence[tuple[str, str]]) -> list[Any]:
    import pandas as pd

    cells = [_make_function_step(pd.DataFrame.astype, dtype=object)] if pairs else []
    make_step = partial(_make_function_step, pd.DataFrame.replace)
    return cells + [make_step(to_replace=found, value=new, regex=True) for found, new in pairs]


def _make_parse_steps(number_format: NumberFormat) -> list[Any]:
    """Return the steps from cells to numbers, NaN for other cells."""
    import pandas as pd

    if number_format.duration:
        frame: Any = pd.DataFrame
        return [
            # Times of day are objects that pandas only parses as text.
            _make_function_step(pd.DataFrame.astype, dtype="str"),
            *_make_rewrite_steps(number_format.pairs),
            _make_function_step(pd.DataFrame.apply, func=pd.to_timedelta, errors="coerce"),
            _make_function_step(frame.div, other=pd.Timedelta(days=1)),
        ]
    return [
        *_make_rewrite_steps(number_format.pairs),
        _make_function_step(pd.DataFrame.apply, func=pd.to_numeric, errors="coerce"),
        _make_function_step(pd.DataFrame.astype, dtype="float64"),
    ]


def _make_clip_steps() -> list[Any]:
    import pandas as pd

    return [
        _make_function_step(pd.DataFrame.replace, to_replace=[np.inf, -np.inf], value=np.nan),
        _make_function_step(pd.DataFrame.clip, lower=-MAX_MAGNITUDE, upper=MAX_MAGNITUDE),
    ]


def _make_number_pipeline(number_format: NumberFormat, limits: ValueLimits | None) -> Any:
    import pandas as pd

    limit_steps = []
    if limits is not None and limits.beyond == "limit":
        limit_steps = [_make_function_step(pd.DataFrame.clip, lower=limits.low, upper=limits.high)]
    elif limits is not None:
        limit_steps = [
            _make_function_step(pd.DataFrame.mask, cond=partial(operator.gt, limits.low)),
            _make_function_step(pd.DataFrame.mask, cond=partial(operator.lt, limits.high)),
        ]
    return _make_steps(
        *_make_parse_steps(number_format),
        *_make_clip_steps(),
        *limit_steps,
        _make_function_step(np.asarray, dtype=np.float64),
    )


def _make_category_pipeline(column: RawColumn) -> Any:
    """Return the pipeline of a categorical column: codes, NaN for missing and unseen."""
    import pandas as pd

    keys = LabelKeys(column.categories or (), column.merged, column.number_format)
    text = [
        _make_function_step(pd.DataFrame.astype, dtype=object),
        _make_function_step(pd.DataFrame.map, func=str, na_action="ignore"),
    ]
    drop_invisible = operator.methodcaller("translate", INVISIBLE)
    word = _make_steps(
        _make_function_step(pd.DataFrame.map, func=drop_invisible, na_action="ignore"),
        _make_function_step(pd.DataFrame.map, func=str.split, na_action="ignore"),
        _make_function_step(pd.DataFrame.map, func=" ".join, na_action="ignore"),
        *_make_code_steps(keys.codes_by_spelling),
    )
    if not keys.numbers:
        return _make_steps(*text, *(step for _, step in word.steps))
    number = _make_steps(
        *_make_parse_steps(column.number_format),
        *_make_clip_steps(),
        # All number parsers agree on 15 digits.
        _make_function_step(pd.DataFrame.map, func="{:.15g}".format, na_action="ignore"),
        _make_function_step(pd.DataFrame.astype, dtype="float64"),
        *_make_code_steps(keys.numbers),
    )
    return _make_steps(
        *text, _make_union(word, number), _make_function_step(np.fmax.reduce, axis=1, keepdims=True)
    )


def _make_code_steps(codes: Any) -> list[Any]:
    import pandas as pd

    float_codes = {key: float(code) for key, code in codes.items()}
    return [
        _make_function_step(pd.DataFrame.map, func=float_codes.get),
        _make_function_step(np.asarray, dtype=np.float64),
    ]


UNREAD_DATES_WARNING = "Dates that cannot be read, treated as empty"

_MAX_UNREAD_SHARE = 0.5  # maximum share of filled cells without a date before a warning


def _make_warning_date_pipeline(column: RawColumn, parts: Sequence[Part]) -> Any:
    """Return the pipeline of the parts of dates; it warns if most filled cells are not dates."""
    import pandas as pd

    if column.date is None:
        raise ValueError(f"{column.name!r} has no dates.")
    is_missing = operator.methodcaller("isin", sorted({*column.missing_words, ""}))
    filled = _make_steps(
        _make_function_step(pd.DataFrame.astype, dtype=object),
        _make_function_step(pd.DataFrame.map, func=str, na_action="ignore"),
        _make_function_step(pd.DataFrame.map, func=str.strip, na_action="ignore"),
        _make_function_step(pd.DataFrame.mask, cond=is_missing),
        _make_function_step(pd.DataFrame.isna),
        _make_function_step(pd.DataFrame.map, func={False: 0.0, True: np.nan}.get),
        _make_function_step(np.asarray, dtype=np.float64),
    )
    text_of_warning = f"{UNREAD_DATES_WARNING}: {column.name!r}"
    # The unread cells minus this share of the filled ones: both exclude the empty ones.
    excess = _make_steps(
        _make_function_step(np.asarray),
        _make_function_step(np.take, indices=[0, len(parts)], axis=1),
        _make_function_step(np.isnan),
        _make_function_step(np.tensordot, b=np.array([1.0, _MAX_UNREAD_SHARE - 1.0]), axes=1),
        _make_function_step(partial(np.add, -_MAX_UNREAD_SHARE)),
        _make_function_step(np.sum),
        _make_function_step(partial(operator.lt, 0.0)),
        _make_function_step(int),
        _make_function_step(partial(operator.mul, [text_of_warning])),
        *_make_warning_steps(),
    )
    return _make_steps(
        _make_union(_make_date_pipeline(column.date.format, parts), filled),
        _make_function_step(pd.DataFrame, columns=[*parts, "filled"]),
        # A column whose computation warns; the last step drops it.
        _make_function_step(pd.DataFrame.assign, **{_WARNING_COLUMN: excess.transform}),
        _make_function_step(np.asarray, dtype=np.float64),
        _make_function_step(np.take, indices=list(range(len(parts))), axis=1),
    )


def _make_date_pipeline(
    date_format: DateFormat, parts: Sequence[Part], *, is_unseparated: bool = True
) -> Any:
    import pandas as pd

    cells_to_text = _make_function_step(pd.DataFrame.map, func=str, na_action="ignore")
    own: list[Any] = []
    if date_format.order in CALENDARS:
        _, pandas_format = CALENDARS[date_format.order]
        parsing = {"func": pd.to_datetime, "format": pandas_format, "errors": "coerce"}
        own = [
            cells_to_text,
            *_make_rewrite_steps(make_calendar_pairs(date_format)),
            _make_function_step(pd.DataFrame.apply, **parsing),
        ]
    elif date_format.order in STORED:
        low, high, epoch, unit = STORED[date_format.order]
        own = [
            *_make_parse_steps(STORED_NUMBERS),
            _make_function_step(pd.DataFrame.mask, cond=partial(operator.gt, low)),
            _make_function_step(pd.DataFrame.mask, cond=partial(operator.lt, high)),
            _make_function_step(pd.DataFrame.sub, other=epoch),
            _make_function_step(pd.DataFrame.mul, other=unit),
            _make_function_step(pd.DataFrame.round),
            _make_function_step(pd.DataFrame.apply, func=pd.to_datetime, unit="s", errors="coerce"),
        ]
    if own:
        text_dates = _make_date_pipeline(DateFormat(ORDERS[0]), parts, is_unseparated=False)
        return _make_steps(
            _make_union(_make_steps(*own, _make_part_union(parts, utc=False)), text_dates),
            _make_function_step(np.reshape, shape=(-1, 2, len(parts))),
            _make_function_step(np.fmax.reduce, axis=1),
        )
    zone = {"format": get_pandas_format(date_format), "utc": date_format.has_words}
    return _make_steps(
        cells_to_text,
        *_make_rewrite_steps(
            make_year_first_pairs(replace(date_format, is_unseparated=is_unseparated))
        ),
        _make_function_step(pd.DataFrame.apply, func=pd.to_datetime, errors="coerce", **zone),
        _make_part_union(parts, utc=date_format.has_words),
    )


def _make_text_pipeline(
    terms: Terms, column_indices: Sequence[int], missing: frozenset[str]
) -> Any:
    import pandas as pd

    return _make_steps(
        _make_function_step(pd.DataFrame.astype, dtype=object),
        _make_function_step(pd.DataFrame.squeeze, axis=1),
        _make_function_step(pd.Series.fillna, value=""),
        _make_function_step(pd.Series.astype, dtype=str),
        _make_function_step(pd.Series.replace, to_replace=sorted(missing), value=""),
        *terms.make_pipeline_steps(),
        _make_function_step(np.take, indices=np.array(column_indices), axis=1),
    )


def _make_part_union(parts: Sequence[Part], *, utc: bool) -> Any:
    return _make_union(*(_make_steps(*_make_part_steps(part, utc=utc)) for part in parts))


def _make_part_steps(part: Part, *, utc: bool) -> list[Any]:
    import pandas as pd

    frame_type: Any = pd.DataFrame
    start = pd.Timestamp(0, tz="UTC") if utc else pd.Timestamp(0)
    numbers = _make_function_step(np.asarray, dtype=np.float64)
    if part == "days":
        return [
            _make_function_step(frame_type.sub, other=start),
            _make_function_step(frame_type.div, other=pd.Timedelta(seconds=1)),
            # nanoseconds since 1970 do not fit into double precision
            _make_function_step(pd.DataFrame.round),
            _make_function_step(frame_type.div, other=SECONDS_PER_DAY),
            numbers,
        ]
    attribute = {"weekday": "dt.day_of_week"}.get(part, f"dt.{part}")
    return [_make_function_step(pd.DataFrame.apply, func=operator.attrgetter(attribute)), numbers]


def get_pandas_format(date_format: DateFormat) -> str:
    """Return pandas' format of the cells rewritten by :func:`make_year_first_pairs`."""
    return _ZONED if date_format.has_words else _CLOCK


def make_calendar_pairs(date_format: DateFormat) -> list[tuple[str, str]]:
    """Return the pairs that rewrite dates after :data:`_PARSED_MARK`, weeks with a day."""
    return [
        *date_format.pairs,
        (make_pattern(date_format.order), _PARSED_MARK + CALENDARS[date_format.order][0]),
        (rf"^({_PARSED_MARK}.*-)$", r"\g<1>1"),
    ]


def make_year_first_pairs(date_format: DateFormat) -> list[tuple[str, str]]:
    """Return the pairs that rewrite dates year first after :data:`_PARSED_MARK`, with seconds."""
    pairs = list(date_format.pairs)
    for order, expression in date_format.patterns:
        if not date_format.has_words:
            pairs += _rewrite_pairs(date_format, order, expression, "")
            continue
        # PM, and the end of a day, as a time zone twelve hours behind.
        afternoon = expression.replace(PM_GROUP, PM_PLACEHOLDER).replace(HOUR, HOUR_BEFORE_NOON)
        pairs += _rewrite_pairs(date_format, order, afternoon, "-1200")
        end_of_day = expression.replace(PM_GROUP, END_PLACEHOLDER)
        pairs += _rewrite_pairs(date_format, order, end_of_day, "-1200")
        pairs += _rewrite_pairs(date_format, order, expression, "+0000")
    return [
        *pairs,
        (rf"^({_PARSED_MARK}[0-9]+-[0-9]+)- ", r"\1-1 "),
        (rf"^({_PARSED_MARK}.*) ::", r"\1 0:0:0"),
        (rf"^({_PARSED_MARK}[^+]* [0-9]+)::", r"\1:0:0"),
        (rf"^({_PARSED_MARK}[^+]* [0-9]+:[0-9]+):(?![0-9])", r"\1:0"),
    ]


def _rewrite_pairs(
    date_format: DateFormat, order: Order, expression: str, zone: str
) -> list[tuple[str, str]]:
    clock = r"\g<hour>:\g<minute>:\g<second>"
    fields = rf"{_PARSED_MARK}\g<year>-\g<month>-\g<day> {clock}{zone}"
    if not order.endswith("short"):
        return [(expression, fields)]
    recent_years = _make_years_pattern(date_format.pivot)
    return [
        (
            expression.replace(SHORT_YEAR, f"(?P<year>{years})"),
            fields.replace(r"\g<year>", rf"{century}\g<year>"),
        )
        for century, years in (
            ("", FULL_YEAR),
            ("20", recent_years),
            ("19", f"(?!{recent_years})[0-9]{{2}}"),
        )
    ]


def _make_years_pattern(pivot: int) -> str:
    """Return the pattern of the two-digit years before a pivot."""
    tens, ones = divmod(pivot, 10)
    decades = f"[0-{tens - 1}][0-9]" if tens else "(?!)"
    return f"(?:{decades}|{tens}[0-{ones - 1}])" if ones else f"(?:{decades})"
