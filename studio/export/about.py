"""The content of the JSON file beside an exported model."""

import hashlib
import sys
from dataclasses import asdict
from typing import Any

from studio.export.estimator import Trained
from studio.serialization.codec import version_of
from studio.version import VERSION

SIGNS = {
    "lightgbm": b"lightgbm.",
    "torch": b"torch.nn.",
    "xgboost": b"xgboost.",
    "catboost": b"catboost.",
}
"""What a pickled model holds if it needs a package that most do not have."""

PACKAGES = ("scikit-learn", "pandas", "numpy", "scipy", *SIGNS)
"""What a model may need; only those that it does are named beside it."""


def about_model(
    trained: Trained, content: bytes, packages: dict[str, str] | None = None
) -> dict[str, Any]:
    """Return what one has to know about a model's file, as plain JSON.

    Args:
        trained: What is in the file.
        content: The file.
        packages: Names and versions of what reading it takes; found in a pickle's bytes if
            ``None``.
    """
    problem = trained.prepared.problem
    needed = [name for name in PACKAGES if SIGNS.get(name, b"") in content]
    return {
        "made_by": f"Ensemble Studio {VERSION}",
        "sha256": hashlib.sha256(content).hexdigest(),
        "python": ".".join(map(str, sys.version_info[:3])),
        "packages": packages or {name: version_of(name) for name in needed},
        "task": problem.task,
        "target": problem.target_name,
        "classes": list(problem.classes),
        "columns": list(dict.fromkeys(column.name for column in trained.columns)),
        "members": [
            {"trial": number, "weight": weight}
            for number, weight in zip(
                trained.ensemble.members, trained.ensemble.weights, strict=True
            )
        ],
        "combination": trained.ensemble.combination,
        "temperature": trained.ensemble.temperature,
        "decision": None if trained.decision is None else asdict(trained.decision),
    }


def reading_arguments(trained: Trained) -> str:
    """Return how ``pandas.read_csv`` reads tables like the training file: ``, sep=';'``.

    All cells are read as text, as the model takes them: it knows each column's own format.
    """
    options = trained.prepared.table.options
    given = (("sep", options.separator, ","), ("encoding", options.encoding, "utf-8"))
    found = [f", {name}={value!r}" for name, value, default in given if value and value != default]
    return "".join([*found, ", dtype=str, keep_default_na=False"])
