"""The ensemble as an ONNX graph, which runs without Python."""

from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from studio.arrays import AnyArray
from studio.errors import ExportError
from studio.export.about import about_model, reading_arguments
from studio.export.estimator import Trained
from studio.export.formats.base import Job, Written
from studio.export.frame import raw_frame, rows_to_check, typed_frame
from studio.export.fresh import ask_fresh_process, differing, largest_difference
from studio.export.literals import quoted
from studio.export.onnx_graph import ensemble_graph
from studio.export.plain_front import reading_code
from studio.export.progress import CHECKING
from studio.export.shares import predicted
from studio.export.verified import write_verified
from studio.phrases import phrase
from studio.scratch import scratch_folder

CONVERTING = "Converting the members"

MOST_DIFFERING = 0.05
"""Share of labels that may differ before the file is refused."""

VALUE_TOLERANCE = 1e-4
"""Relative difference of predicted values that single precision explains."""

_CHECK = """
import onnxruntime
session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
with np.load(sys.argv[2], allow_pickle=False) as table:
    feed = {}
    for place, column in enumerate(session.get_inputs()):
        cells = table[f"c{place}"]
        cells = cells if cells.dtype.kind == "f" else cells.astype(object)
        feed[column.name] = cells.reshape(-1, 1)
found = session.run(None, feed)
kept_as = {f"out{place}": kept(each) for place, each in enumerate(found)}
np.savez("answer.npz", **kept_as)
"""


def write(job: Job) -> Written:
    """Train, convert, measure the differences, write."""
    trained = job.trained()
    problem = trained.prepared.problem
    job.progress(CONVERTING, 0, 0)
    content = ensemble_graph(
        trained.columns,
        trained.models,
        trained.ensemble,
        problem.classes,
        _titles(trained),
        decision=trained.decision,
    ).SerializeToString()
    rows = rows_to_check(trained)
    cells = _cells(trained, rows)
    job.progress(CHECKING, 0, 0)
    with scratch_folder() as folder:
        (folder / "model.onnx").write_bytes(content)
        np.savez(folder / "rows.npz", **cells)  # type: ignore[arg-type]
        arguments = [str(folder / "model.onnx"), str(folder / "rows.npz")]
        answer = ask_fresh_process(_CHECK, arguments, folder, job.stopped)
    wrong, stated = _compared(trained, rows, answer)
    if wrong > MOST_DIFFERING * len(rows):
        raise ExportError(
            "The file was not written: {wrong:,} of {n_rows:,} predictions differed from "
            "those made here. {stated} Export a pickle instead.",
            wrong=wrong,
            n_rows=len(rows),
            stated=stated,
        )
    about = {
        **about_model(trained, content, {"onnxruntime": version("onnxruntime")}),
        "made_with": {each: version(each) for each in ("skl2onnx", "onnxmltools", "onnx")},
        "inputs": [
            {"name": column.title, "type": "float64" if column.categories is None else "text"}
            for column in trained.columns
        ],
        "categories": {
            column.name: list(column.categories)
            for column in trained.columns
            if column.categories is not None
        },
        "outputs": ["label", "probabilities"] if problem.classes else ["value"],
    }
    return write_verified(
        job,
        trained,
        content,
        about=about,
        example=_example(job.path, trained),
        rows=len(rows),
        wrong=wrong,
        notes=(stated,),
    )


def _titles(trained: Trained) -> list[str]:
    return [
        f"Trial {number} ({type(first[-1]).__name__})"
        for number, (first, *_) in zip(trained.ensemble.members, trained.models, strict=True)
    ]


def _cells(trained: Trained, rows: Any) -> dict[str, AnyArray]:
    """Return rows as the graph takes them, (n,) a column: numbers, or text ("" if missing)."""
    frame = typed_frame(trained, rows)
    found: dict[str, AnyArray] = {}
    for place, column in enumerate(trained.columns):
        cells = frame[column.title]
        found[f"c{place}"] = (
            cells.to_numpy(np.float64)
            if column.categories is None
            else np.array(["" if cell is None else str(cell) for cell in cells], dtype="U")
        )
    return found


def _compared(trained: Trained, rows: Any, answer: dict[str, AnyArray]) -> tuple[int, str]:
    """Return how many predictions differ, and what was measured in a sentence.

    The answer has "out0", shape (n,), and of classes "out1", shape (n, C).
    """
    frame = raw_frame(trained, rows)
    expected = np.asarray(trained.estimator.predict(frame))
    found = answer["out0"]
    classes = trained.prepared.problem.classes
    if not classes:
        largest = largest_difference(found, expected)
        spread = float(expected.max() - expected.min())
        return (
            differing(found.astype(np.float64), expected.astype(np.float64), VALUE_TOLERANCE),
            phrase(
                "Single precision: predicted values differ by up to {largest:.3g} "
                "({share:.2g} % of their range).",
                largest=largest,
                share=100 * largest / spread,
            )
            if spread
            else phrase(
                "Single precision: predicted values differ by up to {largest:.3g}.", largest=largest
            ),
        )
    shares = predicted(trained.estimator, frame, classes)[1]
    assert shares is not None, "values have none"
    gap = largest_difference(answer["out1"], shares)
    return (
        differing(found, expected),
        phrase(
            "Single precision: probabilities differ by up to {gap:.2g}. A row within a rounding "
            "error of a boundary (of a tree, between neighbours) can fall on its other side.",
            gap=gap,
        ),
    )


def _example(path: Path, trained: Trained) -> str:
    return (
        '"""How to use the graph: it needs onnxruntime (numpy and pandas read the table)."""\n\n'
        "import numpy as np\n"
        "import onnxruntime\n"
        "import pandas as pd\n\n"
        f"{reading_code(trained.columns, reading_arguments(trained))}"
        f"session = onnxruntime.InferenceSession({quoted(path.name)})\n"
        "feed = {}\n"
        "for column in session.get_inputs():\n"
        "    cells = table[column.name].to_numpy().reshape(-1, 1)\n"
        '    if column.type == "tensor(string)":\n'
        '        feed[column.name] = np.where(pd.isna(cells), "", cells).astype(object)\n'
        "    else:\n"
        "        feed[column.name] = cells.astype(np.float64)\n"
        "print(session.run(None, feed)[0])\n"
    )
