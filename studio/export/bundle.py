"""A pickle to take home: written whole, tried in a fresh process, with what one needs beside it."""

import hashlib
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from studio.document.store import Document
from studio.errors import ExportError
from studio.export.estimator import Trained, train
from studio.export.frame import raw_frame

PACKAGES = ("scikit-learn", "pandas", "numpy", "scipy", "lightgbm", "torch")
"""What a pickle may need; only those that it does are named beside it."""

_SIGNS = {"lightgbm": b"lightgbm.", "torch": b"torch.nn."}
"""What a pickle holds if it needs a package that most do without."""

CHECK_ROWS = 200
"""Rows of the table on which the fresh process must agree with this one."""

_CHECK = """
import pickle, sys
import numpy as np
import pandas as pd
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "studio":
            raise ImportError("the pickle needs Ensemble Studio itself")
sys.meta_path.insert(0, Blocked())
with open(sys.argv[1], "rb") as file:
    model = pickle.load(file)
table = pd.read_json(sys.argv[2], orient="split", dtype=False, convert_dates=False)
predicted = model.predict(table)
np.save(sys.argv[3], np.asarray(predicted, dtype="U" if predicted.dtype == object else None))
"""


def export_pickle(
    document: Document, run_id: int, path: Path, stopped: Callable[[], bool] = lambda: False
) -> dict[str, Any]:
    """Train a run's ensemble and write it as a pickle that needs no Ensemble Studio.

    Beside ``model.pkl`` come ``model.json`` (checksum, exact versions, columns, classes) and
    ``model_example.py`` (ten lines that use it).

    Returns
    -------
    dict
        What is in the JSON file, with ``path`` and ``notes``.

    Raises
    ------
    ExportError
        If the file cannot be written, or a fresh process does not agree with this one.
    """
    trained = train(document, run_id, stopped)
    content = pickle.dumps(trained.estimator, protocol=5)
    frame = raw_frame(trained, CHECK_ROWS)
    expected = trained.estimator.predict(frame)
    with TemporaryDirectory(prefix="studio-export-") as folder:
        draft = Path(folder) / "model.pkl"
        draft.write_bytes(content)
        _try_in_fresh_process(draft, frame, np.asarray(expected), Path(folder))
    about = _about(trained, content)
    _write_whole(path, content)
    _write_whole(path.with_suffix(".json"), json.dumps(about, indent=2).encode())
    example = path.with_name(path.stem + "_example.py")
    _write_whole(example, _example(path, trained).encode())
    return {**about, "path": str(path), "notes": list(trained.notes)}


def _try_in_fresh_process(draft: Path, frame: Any, expected: Any, folder: Path) -> None:
    rows, answer = folder / "rows.json", folder / "answer.npy"
    frame.to_json(rows, orient="split")
    environment = {**os.environ, "PYTHONPATH": "", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", _CHECK, str(draft), str(rows), str(answer)],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment,
        check=False,
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise ExportError(f"The pickle was not written: a fresh process could not use it ({last}).")
    found = np.load(answer, allow_pickle=False)
    same = (
        np.allclose(found, expected, rtol=1e-9, atol=0.0)
        if expected.dtype.kind == "f"
        else bool((found.astype(str) == expected.astype(str)).all())
    )
    if not same:
        raise ExportError(
            "The pickle was not written: in a fresh process its predictions differed from those "
            "made here. Please report this with the document."
        )


def _about(trained: Trained, content: bytes) -> dict[str, Any]:
    problem = trained.prepared.problem
    needed = [name for name in PACKAGES if _SIGNS.get(name, b"") in content]
    return {
        "made_by": "Ensemble Studio",
        "sha256": hashlib.sha256(content).hexdigest(),
        "python": ".".join(map(str, sys.version_info[:3])),
        "packages": {name: version(name) for name in needed},
        "task": problem.task,
        "target": problem.target_name,
        "classes": list(problem.classes),
        "columns": [column.name for column in trained.columns],
        "members": [
            {"trial": number, "weight": weight}
            for number, weight in zip(
                trained.ensemble.members, trained.ensemble.weights, strict=True
            )
        ],
        "combination": trained.ensemble.combination,
    }


def _example(path: Path, trained: Trained) -> str:
    options = trained.prepared.table.options
    arguments = "".join(
        f", {name}={value!r}"
        for name, value, default in (
            ("sep", options.separator, ","),
            ("decimal", options.decimal, "."),
            ("thousands", options.thousands or None, None),
            ("encoding", options.encoding, "utf-8"),
        )
        if value != default
    )
    return (
        f'"""How to use {path.name}: it needs the packages named in {path.stem}.json."""\n\n'
        "import pickle\n\n"
        "import pandas as pd\n\n"
        "# Only load pickles that you trust: loading one can run any code.\n"
        f'with open("{path.name}", "rb") as file:\n'
        "    model = pickle.load(file)\n\n"
        f'table = pd.read_csv("new.csv"{arguments})  # the columns as in the training file\n'
        "print(model.predict(table))\n"
    )


def _write_whole(path: Path, content: bytes) -> None:
    """Write a file under its name whole, or not at all."""
    partial = path.with_name(f".{path.name}.part")
    try:
        with partial.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise ExportError(
            f"{path} could not be written ({error.strerror or error}). "
            "Choose a folder in which you may write and that has space left."
        ) from error
