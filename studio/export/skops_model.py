"""Export of the ensemble in the skops format, which loads without running code."""

import io
import json
import zipfile
from collections.abc import Sequence
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from studio.data.dates import STORED, STORED_NUMBERS
from studio.data.labels import INVISIBLE
from studio.data.terms import COUNTER_OPTIONS
from studio.errors import ExportError
from studio.export.bundle import (
    MODULE_MARKERS,
    PACKAGES,
    format_reading,
    make_model_metadata,
    make_test_comment,
)
from studio.export.estimator import TrainedEnsemble, assemble_pipeline
from studio.export.formats.base import ExportJob, ExportResult
from studio.export.frame import choose_check_rows, make_numeric_frame, make_raw_frame
from studio.export.preprocessing import (
    CALENDARS,
    MISSING_COLUMNS_WARNING,
    RawColumn,
    get_pandas_format,
    make_calendar_pairs,
    make_year_first_pairs,
)
from studio.export.verified import READ_ROWS_CODE, to_python_literal, write_verified
from studio.phrases import phrase


def make_column_transformer(columns: Sequence[RawColumn]) -> Any:
    """Return a fitted ``ColumnTransformer`` from a DataFrame to a float64 matrix.

    Adjacent columns of the same kind form a block, so that the matrix keeps their order. Labels
    that are missing or unknown become NaN.
    """
    import pandas as pd
    from sklearn.compose import ColumnTransformer

    blocks: list[tuple[str, Any, list[str]]] = []
    for is_number, column_group in groupby(columns, key=lambda column: column.categories is None):
        block = list(column_group)
        column_names = [column.title for column in block]
        if is_number:
            blocks.append((f"numbers-{len(blocks)}", "passthrough", column_names))
            continue
        labels = [np.array(column.categories or ("\x00",), dtype=object) for column in block]
        blocks.append((f"categories-{len(blocks)}", _make_encoder(labels), column_names))
    sample = pd.DataFrame(
        {
            column.title: pd.Series([0.0])
            if column.categories is None
            else pd.Series([(column.categories or ("\x00",))[0]], dtype=object)
            for column in columns
        }
    )
    transformer = ColumnTransformer(blocks, sparse_threshold=0.0, verbose_feature_names_out=False)
    return transformer.fit(sample)


def _make_encoder(categories: Sequence[Any]) -> Any:
    """Return an encoder of columns with these categories; empty and other cells become NaN."""
    from sklearn.preprocessing import OrdinalEncoder

    return OrdinalEncoder(
        categories=list(categories),
        handle_unknown="use_encoded_value",
        unknown_value=np.nan,
        encoded_missing_value=np.nan,
        dtype=np.float64,
    )


def make_reading_code(columns: Sequence[RawColumn], reading: str) -> str:
    """Return Python code that reads a table in the expected format (statements).

    Args:
        reading: The expression of its cells as text, :func:`studio.export.bundle.format_reading`.
    """
    names = list(dict.fromkeys(column.name for column in columns))
    lines = [
        f"table = {reading}",
        f"missing = [name for name in {names!r} if name not in table]",
        f"if len(missing) > {len(names) // 2}:",
        '    raise ValueError(f"The table lacks most of the columns: {missing}")',
        "if missing:",
        f'    found = f"{MISSING_COLUMNS_WARNING} ({{len(missing)}} of {len(names)}): {{missing}}"',
        "    warnings.warn(found, stacklevel=1)",
        'table[missing] = ""',
    ]
    for column in columns:
        cells = f"table[{to_python_literal(column.name)}]"
        if column.date is not None:
            lines += _make_date_lines(column, cells)
        elif column.term is not None:
            lines += _make_term_lines(column, cells)
        elif column.categories is None:
            lines += _make_number_lines(column, cells)
        else:
            lines += _make_label_lines(column, cells)
    imports = ["import warnings"]
    if any("re.compile" in line for line in lines):
        imports.insert(0, "import re")
    lines.insert(0, "\n".join(imports) + "\n")
    return "\n".join(lines) + "\n"


def _make_rewrite_lines(pairs: Sequence[tuple[str, str]]) -> list[str]:
    pair_lines = "".join(f"    ({pattern!r}, {replacement!r}),\n" for pattern, replacement in pairs)
    # Compiled, so that Python's engine is used: pandas may pass plain patterns to pyarrow, which
    # has no look-behind and different blanks.
    return [
        f"for found, replacement in [\n{pair_lines}]:",
        "    cells = cells.str.replace(re.compile(found), replacement, regex=True)",
    ]


def _make_number_lines(column: RawColumn, cells: str) -> list[str]:
    target = f"table[{to_python_literal(column.title)}]"
    lines = []
    if column.number_format.pairs:
        lines = [f"cells = {cells}", *_make_rewrite_lines(column.number_format.pairs)]
        cells = "cells"
    if column.number_format.duration:
        lines.append(f'{target} = pd.to_timedelta({cells}, errors="coerce") / pd.Timedelta("1D")')
    else:
        lines.append(f'{target} = pd.to_numeric({cells}, errors="coerce")')
    if column.limits is not None:
        limit_arguments = f'float("{column.limits.low}"), float("{column.limits.high}")'
        operation = f"clip({limit_arguments})"
        if column.limits.beyond != "limit":
            operation = f"where({target}.between({limit_arguments}))"
        lines.append(f"{target} = {target}.{operation}")
    return lines


def _make_term_lines(column: RawColumn, cells: str) -> list[str]:
    assert column.term is not None
    if column.term.index:  # the lines of the first part apply to all parts
        return []
    terms = column.term.terms
    arguments = ", ".join(f"{name}={value!r}" for name, value in COUNTER_OPTIONS.items())
    return [
        "from sklearn.feature_extraction.text import CountVectorizer",
        "from sklearn.preprocessing import Normalizer",
        f"words = {list(terms.words)!r}",
        f"idf = {list(terms.idf)!r}",
        f"counter = CountVectorizer(vocabulary=words, {arguments})",
        f'weights = counter.transform({cells}.fillna("")).multiply([idf])',
        "weights = Normalizer().transform(weights).toarray()",
        f"names = [{to_python_literal(column.name + ': ')} + word for word in words]",
        "table = table.join(pd.DataFrame(weights, table.index, names))",
    ]


def _make_label_lines(column: RawColumn, cells: str) -> list[str]:
    target = f"table[{to_python_literal(column.title)}]"
    cells = f'{cells}.str.translate({INVISIBLE}).str.normalize("NFC")'
    lines = [f'{target} = {cells}.str.split().str.join(" ")']
    if column.merged:
        lines.append(f"{target} = {target}.replace({dict(column.merged)!r})")
    return lines


def _make_date_lines(column: RawColumn, cells: str) -> list[str]:
    assert column.date is not None
    target = f"table[{to_python_literal(column.title)}]"
    if column.date.format.order in STORED:
        options = {"serial": 'unit="D", origin="1899-12-30"', "epoch-seconds": 'unit="s"'}.get(
            column.date.format.order, 'unit="ms"'
        )
        lines = [
            f"cells = {cells}",
            *_make_rewrite_lines(STORED_NUMBERS.pairs),
            'numbers = pd.to_numeric(cells, errors="coerce")',
            f'dates = pd.to_datetime(numbers, {options}).dt.round("s")',
        ]
    elif column.date.format.order in CALENDARS:
        _, pandas_format = CALENDARS[column.date.format.order]
        lines = [
            f"cells = {cells}",
            *_make_rewrite_lines(make_calendar_pairs(column.date.format)),
            f'dates = pd.to_datetime(cells, format={pandas_format!r}, errors="coerce")',
        ]
    else:
        lines = [
            f"cells = {cells}",
            *_make_rewrite_lines(make_year_first_pairs(column.date.format)),
            f"dates = pd.to_datetime(cells, format={get_pandas_format(column.date.format)!r}, "
            'errors="coerce", utc=True)',
            "dates = dates.dt.tz_localize(None)",
        ]
    expression = {
        "days": '(dates - pd.Timestamp(0)) / pd.Timedelta("1D")',
        "weekday": "dates.dt.day_of_week",
    }.get(column.date.part, f"dates.dt.{column.date.part}")
    return [*lines, f"{target} = {expression}"]


_CHECK_CODE = f"""{READ_ROWS_CODE}
import skops.io
model = skops.io.load(sys.argv[1], trusted=json.loads(sys.argv[3]))
about = json.loads(sys.argv[4])
table = rows_of(sys.argv[2], object)
for name, kind in about.items():  # a column without any value has no type of its own
    table[name] = table[name].astype(kind)
np.savez("answer.npz", predicted=kept(model.predict(table)))
"""

_ALLOWED_PREFIXES = ("numpy.", "sklearn.", "lightgbm.", "collections.", "scipy.")
"""Modules whose types a file may declare as trusted; other modules could run foreign code."""


def write(job: ExportJob) -> ExportResult:
    """Train and write the model, list the types to trust, and check the file."""
    ensemble = job.train()
    model = assemble_pipeline(
        make_column_transformer(ensemble.columns),
        ensemble.prepared_run,
        ensemble.ensemble,
        ensemble.member_estimators,
        ensemble.decision,
    )
    content, trusted_types = _dump_model(model)
    rows = choose_check_rows(ensemble)
    frame = make_numeric_frame(ensemble, rows)
    expected = np.asarray(ensemble.estimator.predict(make_raw_frame(ensemble, rows)))
    kinds = {
        column.title: "float64" if column.categories is None else "object"
        for column in ensemble.columns
    }
    labels = {
        column.name: list(column.categories)
        for column in ensemble.columns
        if column.categories is not None
    }
    metadata = {
        **make_model_metadata(ensemble, content, _list_packages(ensemble)),
        "trusted_types": trusted_types,
        "categories": labels,
    }
    notes = _describe_label_codes(labels)
    if trusted_types:
        trust_note = phrase(
            "When skops loads the file, it asks which types to trust. They hold numbers, not code; "
            "the example code lists them."
        )
        notes = (trust_note, *notes)
    return write_verified(
        job,
        ensemble,
        content,
        frame,
        expected,
        code=_CHECK_CODE,
        arguments=[json.dumps(trusted_types), json.dumps(kinds)],
        metadata=metadata,
        example=_make_example(job.path, ensemble, trusted_types),
        notes=notes,
        remedy=phrase("Export a pickle instead."),
    )


def _dump_model(model: Any) -> tuple[bytes, list[str]]:
    """Return the file's bytes, and the types to be trusted by its user."""
    import skops.io

    target = io.BytesIO()
    try:
        skops.io.dump(model, target, compression=zipfile.ZIP_DEFLATED, compresslevel=6)
    except (TypeError, ValueError, AttributeError, NotImplementedError) as error:
        raise ExportError(
            "skops cannot write a member of this ensemble. Export a pickle instead."
        ) from error
    content = target.getvalue()
    trusted_types = sorted(map(str, skops.io.get_untrusted_types(data=content)))
    foreign_types = [name for name in trusted_types if not name.startswith(_ALLOWED_PREFIXES)]
    if foreign_types:
        raise ExportError(
            "A member of this ensemble needs code to be loaded, which skops does not run. Export "
            "a pickle instead."
        )
    return content, trusted_types


def _list_packages(ensemble: TrainedEnsemble) -> dict[str, str]:
    names = {"skops", *PACKAGES} - set(MODULE_MARKERS)
    if any("lightgbm" in type(each[-1]).__module__ for (each, *_) in ensemble.models):
        names.add("lightgbm")
    return {name: version(name) for name in sorted(names)}


def _describe_label_codes(labels: dict[str, list[str]]) -> tuple[str, ...]:
    if not labels:
        return ()
    return (
        phrase(
            "Categories ({labels}) must be text, spelled as in the JSON file beside it; the "
            "pickle also accepts other spellings.",
            labels=", ".join(list(labels)[:5]),
        ),
    )


def _make_example(path: Path, ensemble: TrainedEnsemble, trusted: list[str]) -> str:
    trusted_lines = "".join(f"    {to_python_literal(name)},\n" for name in trusted)
    return (
        '"""How to use the file: it needs the packages named in the JSON file beside it."""\n\n'
        "import pandas as pd\n"
        "import skops.io\n\n"
        "# skops loads nothing but what you list; these types hold numbers, no code.\n"
        f"trusted = [\n{trusted_lines}]\n"
        f"model = skops.io.load({to_python_literal(path.name)}, trusted=trusted)\n\n"
        f"{make_reading_code(ensemble.columns, format_reading(ensemble))}"
        f"print(model.predict(table))\n{make_test_comment(ensemble)}"
    )
