"""Export of a pickle: written atomically, tested in a fresh process, with companion files."""

import hashlib
import json
import pickle
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from studio.analysis.prediction_digits import choose_saved_decimals, count_observed_decimals
from studio.arrays import AnyArray
from studio.data.numbers import format_json, parse_format
from studio.data.recipe import ColumnRecipe
from studio.document.decision import OUTDATED_NOTE, Decision
from studio.document.shapes import pick
from studio.errors import StudioError
from studio.export.estimator import TrainedEnsemble
from studio.export.formats.base import ExportJob, ExportResult
from studio.export.frame import choose_check_rows, make_raw_frame
from studio.export.verified import READ_ROWS_CODE, to_python_literal, write_verified
from studio.runs.settings import describe_training
from studio.serialization.codec import get_version
from studio.version import VERSION

MODULE_MARKERS = {
    "lightgbm": b"lightgbm.",
    "torch": b"torch.nn.",
    "xgboost": b"xgboost.",
    "catboost": b"catboost.",
    "tabicl": b"tabicl.",
}
"""Bytes in a pickle that indicate an optional package."""

PACKAGES = ("scikit-learn", "pandas", "numpy", "scipy", *MODULE_MARKERS)
"""Optional packages of models; only those needed are listed."""


def make_model_metadata(
    ensemble: TrainedEnsemble, content: bytes, packages: dict[str, str] | None = None
) -> dict[str, Any]:
    """Return the metadata of a model's file; packages are detected in a pickle if ``None``."""
    problem, settings = ensemble.prepared_run.problem, ensemble.prepared_run.settings
    members, weights = ensemble.ensemble.members, ensemble.ensemble.weights
    packages_needed = [name for name in PACKAGES if MODULE_MARKERS.get(name, b"") in content]
    return {
        "made_by": f"Ensemble Studio {VERSION}",
        "sha256": hashlib.sha256(content).hexdigest(),
        "python": ".".join(map(str, sys.version_info[:3])),
        "packages": packages or {name: get_version(name) for name in packages_needed},
        "task": problem.task,
        "target": problem.target_name,
        "classes": list(problem.classes),
        "columns": list(dict.fromkeys(column.name for column in ensemble.columns)),
        "formats": {
            each.name: format_json(each.number_format)
            for each in problem.make_recipe().features
            if each.number_format.plain_units
        },
        "decimal": ensemble.prepared_run.table.decimal,
        "target_decimals": None if problem.classes else count_observed_decimals(problem.y),
        "target_unit": ensemble.prepared_run.table.target_unit,
        "members": [
            {"trial": number, "weight": weight}
            for number, weight in zip(members, weights, strict=True)
        ],
        "combination": ensemble.ensemble.combination,
        "temperature": ensemble.ensemble.temperature,
        "second_layer": ensemble.ensemble.correction.share if ensemble.ensemble.correction else 0.0,
        "training": describe_training(settings, refitted=settings.refit),
        "decision": None if ensemble.decision is None else asdict(ensemble.decision),
        "decision_outdated": bool(ensemble.decision_note),
    }


def read_metadata(model: Path) -> dict[str, Any]:
    """Return the metadata of a model's file; empty if missing or of another model."""
    metadata_path = model.with_name(f"{model.name}.json")
    with suppress(OSError, ValueError, TypeError, LookupError):
        metadata = json.loads(metadata_path.read_text("utf-8"))
        with model.open("rb") as file:
            if metadata["sha256"] == hashlib.file_digest(file, "sha256").hexdigest():
                return dict(metadata)
    return {}


def get_decision_notes(metadata: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the notes on the decision in a model's metadata."""
    with suppress(ValueError, TypeError, LookupError, StudioError):
        if metadata.get("decision"):
            decision = pick(Decision, metadata["decision"], "decision")
            note = OUTDATED_NOTE if metadata.get("decision_outdated") is True else ""
            return tuple(filter(None, (decision.sentence, note)))
    return ()


def get_amounts(metadata: Mapping[str, Any]) -> dict[str, ColumnRecipe]:
    """Return a model's columns of numbers with a unit, by name, from its metadata."""
    with suppress(ValueError, TypeError, LookupError, AttributeError, StudioError):
        return {
            name: ColumnRecipe(name, number_format=parse_format(each))
            for name, each in metadata["formats"].items()
        }
    return {}


def get_target_format(metadata: Mapping[str, Any], values: AnyArray) -> tuple[str, int | None]:
    """Return the decimal mark and the decimals of predictions (n,) in files, from a model's data.

    Older metadata do not contain them: a point, and all decimals (``None``).
    """
    decimal = "," if metadata.get("decimal") == "," else "."
    decimals, unit = metadata.get("target_decimals"), metadata.get("target_unit")
    if not isinstance(decimals, int) or not isinstance(unit, str):
        return decimal, None
    return decimal, choose_saved_decimals(values, decimals, unit)


def format_reading(ensemble: TrainedEnsemble) -> str:
    """Return the expression by which pandas reads ``new.csv``, a table like the training file.

    Rows above the names are skipped. All cells are read as text, which the model expects: it
    contains the format of each column, such as its decimal mark.
    """
    table = ensemble.prepared_run.table
    options = table.options
    arguments = (
        ("sep", options.separator, ","),
        ("encoding", options.encoding, "utf-8"),
        ("skiprows", max(options.rows_above, (table.header_row or 1) - 1), 0),
        ("quotechar", options.quote, '"'),
    )
    non_default = [
        f"{name}={value!r}, " for name, value, default in arguments if value and value != default
    ]
    if options.quote == "":
        non_default.append("quoting=3, ")  # csv.QUOTE_NONE
    renaming = ""
    if options.header is False:
        non_default.append("header=None, ")
        renaming = ".rename(columns=str)"  # the model's names are text
    text_arguments = "dtype=str, keep_default_na=False"
    return f'pd.read_csv("new.csv", {"".join(non_default)}{text_arguments}){renaming}'


def make_test_comment(ensemble: TrainedEnsemble) -> str:
    """Return lines of Python, as comments, that test a model on a table with the true values.

    Empty for numbers, also of the weights, that only this program reads.
    """
    prepared_run = ensemble.prepared_run
    target = prepared_run.table.target
    cells = f"table[{to_python_literal(prepared_run.problem.target_name)}]"
    weight_column = prepared_run.table.get_single_column("weight")
    weights = ""
    if weight_column is not None:
        if not weight_column.number_format.is_plain:
            return ""  # pandas would not read its numbers
        weights = f", sample_weight=table[{to_python_literal(weight_column.name)}].astype(float)"
    if prepared_run.problem.classes:
        score, observed = "accuracy_score", f"{cells}.str.strip()"
        predicted = "model.predict(table).astype(str)"
    elif target is not None and not target.number_format.is_plain:
        return ""  # pandas would not read its numbers
    else:
        score, observed = "mean_absolute_error", f"{cells}.astype(float)"
        predicted = "model.predict(table)"
    return (
        "\n# If the table contains the true values, these lines test the predictions:\n"
        f"# from sklearn.metrics import {score}\n"
        f"# print({score}({observed}, {predicted}{weights}))\n"
    )


_CHECK_CODE = f"""{READ_ROWS_CODE}
import pickle
with open(sys.argv[1], "rb") as file:
    model = pickle.load(file)
np.savez("answer.npz", predicted=kept(model.predict(rows_of(sys.argv[2]))))
"""


def write(job: ExportJob) -> ExportResult:
    """Train, pickle, check, write; loading needs no Ensemble Studio."""
    ensemble = job.train()
    content = pickle.dumps(ensemble.estimator, protocol=5)
    frame = make_raw_frame(ensemble, choose_check_rows(ensemble))
    return write_verified(
        job,
        ensemble,
        content,
        frame,
        np.asarray(ensemble.estimator.predict(frame)),
        code=_CHECK_CODE,
        metadata=make_model_metadata(ensemble, content),
        example=_make_example(job.path, ensemble),
    )


def _make_example(path: Path, ensemble: TrainedEnsemble) -> str:
    return (
        '"""How to use the pickle: it needs the packages named in the JSON file beside it."""\n\n'
        "import pickle\n\n"
        "import pandas as pd\n\n"
        "# Only load pickles that you trust: loading one can run any code.\n"
        f'with open({to_python_literal(path.name)}, "rb") as file:\n'
        "    model = pickle.load(file)\n\n"
        "# The columns as in the training file, in any order (one that is missing counts as\n"
        "# empty, with a warning); as text, since pandas would make the words None and NA empty,\n"
        "# and 01 a 1.\n"
        f"table = {format_reading(ensemble)}\n"
        f"print(model.predict(table))\n{make_test_comment(ensemble)}"
    )
