"""Preparation of the exported model: from a data frame to the matrix of the trials.

A recipe (:mod:`studio.data.recipe`) is pairs of patterns and replacements, patterns of dates and
keys of labels. Here they become scikit-learn objects that unpickle without this package. They take
a table read all as text, or one that pandas typed: every rule looks at a cell alone.

* numbers: the pairs rewrite cells that are text, then ``pandas.to_numeric``; infinities become
  missing, the rest is bounded;
* categories: a cell is looked up among the words, and as a number among the numbers; the codes
  agree where both find one;
* dates: the patterns rewrite cells year first, then ``pandas.to_datetime``; the parts follow.
"""

import operator
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np

from studio.data.column import Column
from studio.data.column_recipe import ColumnRecipe
from studio.data.dates import (
    DAY,
    HOUR,
    MORNING,
    ORDERS,
    PM,
    SERIAL_DAYS,
    SERIALS,
    SHORT_ORDERS,
    DateFormat,
    Order,
    Part,
    pattern,
)
from studio.data.labels import LabelKeys
from studio.data.numbers import MAX_MAGNITUDE, NumberFormat
from studio.data.terms import Terms
from studio.data.treatments import ValueLimits

_READ = "\x00"
"""Prefix of a cell rewritten by a date pattern; no other cell has this character."""

_CLOCK, _ZONED = f"{_READ}%Y-%m-%d %H:%M:%S", f"{_READ}%Y-%m-%d %H:%M:%S%z"


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
            return f"{self.name}: {self.term.word}"
        suffix = "limited" if self.limits is not None else "merged" if self.merged else ""
        return f"{self.name}: {suffix}" if suffix else self.name


def make_matrix_pipeline(raw: Sequence[RawColumn], sample: Any) -> Any:
    """Return a fitted pipeline from a raw table to a float64 matrix, by column.

    As in :meth:`studio.data.recipe.Recipe.encode`, a column that a table lacks is empty; one that
    lacks most of them is refused, with a ``ValueError``.

    Args:
        raw: The trials' columns, in order.
        sample: At least one row with these columns; only their names matter.
    """
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import Pipeline

    blocks: list[tuple[str, Any, list[str]]] = []
    order: list[int] = []
    for places in _group_columns(raw):
        first = raw[places[0]]
        names = [raw[at].name for at in places]
        if first.date is not None:
            block = _dates(
                first.date.format, [at.date.part for at in map(raw.__getitem__, places) if at.date]
            )
            names = names[:1]
        elif first.term is not None:
            term_indices = [at.term.place for at in map(raw.__getitem__, places) if at.term]
            block = _texts(first.term.terms, term_indices, first.missing_words)
            names = names[:1]
        elif first.categories is None:
            block = _numbers(first.number_format, first.limits)
        else:
            block = _categories(first)
        blocks.append((f"columns-{len(blocks)}", block, names))
        order += places
    columns = ColumnTransformer(blocks, sparse_threshold=0.0, verbose_feature_names_out=False)
    inverse_order = np.argsort(order)
    column_names = list(dict.fromkeys(column.name for column in raw))
    steps = [("columns", _complete(column_names, columns))]
    if (inverse_order != np.arange(len(inverse_order))).any():
        steps.append(("order", _function(np.take, indices=inverse_order, axis=1)))
    return Pipeline(steps).fit(sample)


def _complete(names: Sequence[str], columns: Any) -> Any:
    """Return a transformer that gives another one all of its columns, absent ones empty."""
    import pandas as pd
    from sklearn.pipeline import FeatureUnion
    from sklearn.utils import check_array

    # Its columns are none: it only refuses. A function of this package would not load elsewhere.
    check = _steps(
        _function(pd.DataFrame.filter, items=list(names)),
        _function(pd.DataFrame.isna),
        _function(np.asarray),
        _function(check_array, ensure_min_features=len(names) - len(names) // 2, dtype=None),
        _function(np.take, indices=np.array([], dtype=np.int64), axis=1),
    )
    complete = _steps(_function(pd.DataFrame.reindex, columns=list(names)), columns)
    return FeatureUnion([("most-are-there", check), ("columns", complete)])


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


def _function(function: Any, **arguments: Any) -> Any:
    from sklearn.preprocessing import FunctionTransformer

    return FunctionTransformer(function, kw_args=arguments)


def _steps(*steps: Any) -> Any:
    from sklearn.pipeline import make_pipeline

    return make_pipeline(*steps)


def _side_by_side(*ways: Any) -> Any:
    from sklearn.pipeline import FeatureUnion

    return FeatureUnion([(f"way-{index}", way) for index, way in enumerate(ways)])


def _rewriting(pairs: Sequence[tuple[str, str]]) -> list[Any]:
    import pandas as pd

    cells = [_function(pd.DataFrame.astype, dtype=object)] if pairs else []
    return cells + [
        _function(pd.DataFrame.replace, to_replace=pattern_text, value=replacement, regex=True)
        for pattern_text, replacement in pairs
    ]


def _parse(number_format: NumberFormat) -> list[Any]:
    """Return the steps from cells to numbers, NaN for other cells."""
    import pandas as pd

    if number_format.duration:
        frame: Any = pd.DataFrame
        return [
            # Times of day are objects that pandas only parses as text.
            _function(pd.DataFrame.astype, dtype="str"),
            *_rewriting(number_format.pairs),
            _function(pd.DataFrame.apply, func=pd.to_timedelta, errors="coerce"),
            _function(frame.div, other=pd.Timedelta(days=1)),
        ]
    return [
        *_rewriting(number_format.pairs),
        _function(pd.DataFrame.apply, func=pd.to_numeric, errors="coerce"),
        _function(pd.DataFrame.astype, dtype="float64"),
    ]


def _clip_steps() -> list[Any]:
    import pandas as pd

    return [
        _function(pd.DataFrame.replace, to_replace=[np.inf, -np.inf], value=np.nan),
        _function(pd.DataFrame.clip, lower=-MAX_MAGNITUDE, upper=MAX_MAGNITUDE),
    ]


def _numbers(number_format: NumberFormat, limits: ValueLimits | None) -> Any:
    import pandas as pd

    limit_steps = []
    if limits is not None and limits.beyond == "limit":
        limit_steps = [_function(pd.DataFrame.clip, lower=limits.low, upper=limits.high)]
    elif limits is not None:
        limit_steps = [
            _function(pd.DataFrame.mask, cond=partial(operator.gt, limits.low)),
            _function(pd.DataFrame.mask, cond=partial(operator.lt, limits.high)),
        ]
    return _steps(
        *_parse(number_format),
        *_clip_steps(),
        *limit_steps,
        _function(np.asarray, dtype=np.float64),
    )


def _categories(column: RawColumn) -> Any:
    """Return the pipeline of a categorical column: codes, NaN for missing and unseen."""
    import pandas as pd

    keys = LabelKeys(column.categories or (), column.merged, column.number_format)
    text = [
        _function(pd.DataFrame.astype, dtype=object),
        _function(pd.DataFrame.map, func=str, na_action="ignore"),
    ]
    word = _steps(
        _function(pd.DataFrame.map, func=str.split, na_action="ignore"),
        _function(pd.DataFrame.map, func=" ".join, na_action="ignore"),
        *_code_steps(keys.words),
    )
    if not keys.numbers:
        return _steps(*text, *(step for _, step in word.steps))
    number = _steps(
        *_parse(column.number_format),
        *_clip_steps(),
        # All number parsers agree in 15 digits.
        _function(pd.DataFrame.map, func="{:.15g}".format, na_action="ignore"),
        _function(pd.DataFrame.astype, dtype="float64"),
        *_code_steps(keys.numbers),
    )
    return _steps(
        *text,
        _side_by_side(word, number),
        _function(np.fmax.reduce, axis=1, keepdims=True),
    )


def _code_steps(codes: Any) -> list[Any]:
    import pandas as pd

    float_codes = {key: float(code) for key, code in codes.items()}
    return [
        _function(pd.DataFrame.map, func=float_codes.get),
        _function(np.asarray, dtype=np.float64),
    ]


def _dates(date_format: DateFormat, parts: Sequence[Part]) -> Any:
    """Return the pipeline of a date column: a column for each of these parts."""
    import pandas as pd

    if date_format.order == "serial":
        serial = [
            *_parse(NumberFormat()),
            _function(pd.DataFrame.mask, cond=partial(operator.gt, SERIALS[0])),
            _function(pd.DataFrame.mask, cond=partial(operator.lt, SERIALS[1])),
            _function(pd.DataFrame.sub, other=SERIAL_DAYS),
            _function(pd.DataFrame.mul, other=DAY),
            _function(pd.DataFrame.round),
            _function(pd.DataFrame.apply, func=pd.to_datetime, unit="s", errors="coerce"),
        ]
        text_dates = _dates(DateFormat(ORDERS[0]), parts)
        return _steps(
            _side_by_side(_steps(*serial, _parts(parts, utc=False)), text_dates),
            _function(np.reshape, shape=(-1, 2, len(parts))),
            _function(np.fmax.reduce, axis=1),
        )
    zone = {"format": get_pandas_format(date_format), "utc": date_format.words}
    return _steps(
        _function(pd.DataFrame.map, func=str, na_action="ignore"),
        *_rewriting(make_year_first_pairs(date_format)),
        _function(pd.DataFrame.apply, func=pd.to_datetime, errors="coerce", **zone),
        _parts(parts, utc=date_format.words),
    )


def _texts(terms: Terms, places: Sequence[int], missing: frozenset[str]) -> Any:
    """Return the pipeline of a text column: a column for each of these terms' weights."""
    import pandas as pd

    return _steps(
        _function(pd.DataFrame.astype, dtype=object),
        _function(pd.DataFrame.squeeze, axis=1),
        _function(pd.Series.fillna, value=""),
        _function(pd.Series.astype, dtype=str),
        _function(pd.Series.replace, to_replace=sorted(missing), value=""),
        *terms.pipeline(),
        _function(np.take, indices=np.array(places), axis=1),
    )


def _parts(parts: Sequence[Part], *, utc: bool) -> Any:
    return _side_by_side(*(_steps(*_part(part, utc=utc)) for part in parts))


def _part(part: Part, *, utc: bool) -> list[Any]:
    import pandas as pd

    frame: Any = pd.DataFrame
    start = pd.Timestamp(0, tz="UTC") if utc else pd.Timestamp(0)
    numbers = _function(np.asarray, dtype=np.float64)
    if part == "days":
        return [
            _function(frame.sub, other=start),
            _function(frame.div, other=pd.Timedelta(seconds=1)),
            _function(pd.DataFrame.round),  # nanoseconds do not fit into double precision
            _function(frame.div, other=DAY),
            numbers,
        ]
    attribute = {"weekday": "dt.day_of_week"}.get(part, f"dt.{part}")
    return [_function(pd.DataFrame.apply, func=operator.attrgetter(attribute)), numbers]


def get_pandas_format(date_format: DateFormat) -> str:
    """Return pandas' format of the cells rewritten by :func:`make_year_first_pairs`."""
    return _ZONED if date_format.words else _CLOCK


def make_year_first_pairs(date_format: DateFormat) -> list[tuple[str, str]]:
    """Return the pairs that rewrite dates year first after :data:`_READ`, with seconds."""
    pairs = list(date_format.pairs)
    for order in date_format.orders:
        expression = pattern(order, words=date_format.words)
        if not date_format.words:
            pairs += _rewrite_pairs(order, expression, "")
            continue
        # PM as a time zone twelve hours behind.
        afternoon = expression.replace(f"(?P<pm>{PM})?", PM).replace(HOUR, MORNING)
        pairs += _rewrite_pairs(order, afternoon, "-1200")
        pairs += _rewrite_pairs(order, expression, "+0000")
    return [
        *pairs,
        (rf"^({_READ}[0-9]+-[0-9]+)- ", r"\1-1 "),
        (rf"^({_READ}.*) ::", r"\1 0:0:0"),
        (rf"^({_READ}[^+]* [0-9]+)::", r"\1:0:0"),
        (rf"^({_READ}[^+]* [0-9]+:[0-9]+):(?![0-9])", r"\1:0"),
    ]


def _rewrite_pairs(order: Order, expression: str, zone: str) -> list[tuple[str, str]]:
    clock = r"\g<hour>:\g<minute>:\g<second>"
    fields = rf"{_READ}\g<year>-\g<month>-\g<day> {clock}{zone}"
    if order not in SHORT_ORDERS:
        return [(expression, fields)]
    recent_years = "(?:[0-5][0-9]|6[0-8])"
    return [
        (
            expression.replace("(?P<year>[0-9]{2})", f"(?P<year>{years})"),
            fields.replace(r"\g<year>", rf"{century}\g<year>"),
        )
        for century, years in (("20", recent_years), ("19", f"(?!{recent_years})[0-9]{{2}}"))
    ]
