"""Models verified in a fresh process: the model file, two companions, a summary.

The summary also reports differences from the model with the run's displayed test error.
"""

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from studio.analysis.what_if import make_test_reader
from studio.arrays import AnyArray
from studio.children import make_code_command, make_process_environment
from studio.document.atomic_files import write_file
from studio.document.runs import RunRow
from studio.document.store import Document
from studio.ensembles.base import combine
from studio.errors import EnsembleError, ExportError
from studio.export.estimator import TrainedEnsemble
from studio.export.formats.base import MODEL_COMPANIONS, ExportJob, ExportResult, get_companions
from studio.export.frame import make_raw_frame
from studio.export.members import predict_shares
from studio.export.progress import CHECKING, WRITING, StopCheck, never_cancel
from studio.numerals import format_significant
from studio.phrases import join_phrases, phrase
from studio.runs.final_models import StoppedError
from studio.runs.load import load_history, select_ensemble
from studio.runs.prepare import PreparedRun
from studio.runs.uncertainty import compute_test_difference_interval
from studio.scratch import make_scratch_folder
from studio.system.signals import describe_crash, was_killed


def to_python_literal(text: str) -> str:
    """Return text as a Python literal in double quotes, escaped."""
    literal = repr(text)
    if literal[0] == "'" and '"' not in literal:
        return f'"{literal[1:-1]}"'
    return literal


_BLOCK_IMPORTS = """\
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "studio":
            raise ImportError("the file needs Ensemble Studio itself")
sys.meta_path.insert(0, Blocked())
"""

_CONVERSION_CODE = """
import numpy as np
def kept(predicted):
    predicted = np.asarray(predicted)
    return predicted.astype("U") if predicted.dtype == object else predicted
"""
"""Code that converts labels for a .npy file without pickle."""

READ_ROWS_CODE = """
import json
import pandas as pd
def rows_of(path, dtype=None):
    with open(path, encoding="utf-8") as file:
        rows = json.load(file)
    return pd.DataFrame(rows["cells"], columns=rows["names"], dtype=dtype)
"""
"""Code that reads the rows written by :func:`write_rows`.

``pandas.read_json`` cannot do so: it converts names such as "2019" to numbers or dates, so the
model would not find its columns.
"""


def write_rows(frame: Any, path: Path) -> None:
    """Write text (``None`` if missing) and numbers losslessly, for a fresh process."""
    cells = frame.astype(object).to_numpy().tolist()
    path.write_text(json.dumps({"names": list(frame.columns), "cells": cells}), "ascii")


def run_fresh_process(
    code: str, arguments: Sequence[str], folder: Path, stopped: StopCheck = never_cancel
) -> dict[str, AnyArray]:
    """Run Python code that writes ``answer_path.npz`` into the folder, and return its content.

    Its arrays are returned by name, in their original shapes.

    Args:
        code: Python code, which cannot import this package.
        arguments: The code's ``sys.argv[1:]``.
        stopped: Polled several times a second.

    Raises:
        ExportError: If the process fails; contains the last line of its output or the exit status.
        StoppedError: If ``stopped`` returned true.
    """
    answer_path = folder / "answer.npz"
    answer_path.unlink(missing_ok=True)
    error_path = folder / "complaints.txt"
    with error_path.open("wb") as error_file:
        process = subprocess.Popen(
            make_code_command(_BLOCK_IMPORTS + _CONVERSION_CODE + code, *arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=error_file,
            cwd=folder,
            env=make_process_environment(PYTHONDONTWRITEBYTECODE="1"),
        )
        try:
            while process.poll() is None:
                if stopped():
                    raise StoppedError("Stopped during verification; nothing was written.")
                try:
                    process.wait(0.1)
                except subprocess.TimeoutExpired:
                    continue
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
    if process.returncode or not answer_path.exists():
        lines = error_path.read_text("utf-8", "replace").strip().splitlines()
        last_line = lines[-1] if lines else _describe_exit(process.returncode)
        raise ExportError(
            "Nothing was written: a fresh process could not use the file ({last}).", last=last_line
        )
    with np.load(answer_path, allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def _count_differing(actual: AnyArray, expected: AnyArray) -> int:
    """Return the number of predictions that differ from the expected ones, shape (n,) each.

    Labels must be equal, values equal up to a relative difference of 1e-9.
    """
    if actual.shape != expected.shape:
        return len(expected)
    if expected.dtype.kind == "f":
        return int((~np.isclose(actual, expected, rtol=1e-9, atol=0.0)).sum())
    return int((actual.astype(str) != expected.astype(str)).sum())


def _describe_exit(code: int) -> str:
    if was_killed(code):
        return phrase("the system killed it, most likely because the machine ran out of memory")
    if signal := describe_crash(code):
        return phrase("it crashed: {signal}", signal=signal)
    return phrase("it ended with exit code {code} and without a message", code=code)


MAX_ROWS = 20_000
"""Maximum number of test rows predicted again for comparison."""


def write_verified(
    job: ExportJob,
    ensemble: TrainedEnsemble,
    content: bytes,
    frame: Any,
    expected: AnyArray,
    *,
    code: str,
    arguments: Sequence[str] = (),
    metadata: Mapping[str, Any],
    example: str,
    notes: tuple[str, ...] = (),
    remedy: str = "",
) -> ExportResult:
    """Write a model and its companions, a JSON description and an example, once it is checked.

    Args:
        content: The model's file.
        frame: Rows, as input of the file's model, predicted again in a fresh process.
        expected: Shape (n,). The predictions of this process.
        code: As :func:`run_fresh_process`; its arguments are the paths of the model's file and of
            the rows (:func:`write_rows`), and ``arguments``. It answers with ``predicted``, (n,).
        remedy: A sentence for the case that predictions differ.

    Raises:
        ExportError: If predictions differ in a fresh process, or a file cannot be written.
    """
    job.progress.report_progress(CHECKING, 0, 0)
    with make_scratch_folder() as folder:
        draft, rows = folder / "model", folder / "rows.json"
        draft.write_bytes(content)
        write_rows(frame, rows)
        output = run_fresh_process(code, [str(draft), str(rows), *arguments], folder, job.stopped)
    if n_differing := _count_differing(output["predicted"], expected):
        problem = phrase(
            "The file was not written: in a fresh process {wrong:,} of {n_frame:,} predictions "
            "differed from those here. Please report this with the document.",
            wrong=n_differing,
            n_frame=len(frame),
        )
        raise ExportError(join_phrases((problem, *filter(None, (remedy,)))))
    job.progress.report_progress(WRITING, 0, 0)
    metadata_path, example_path = files = tuple(
        get_companions(job.path, ending) for ending in MODEL_COMPANIONS
    )
    write_file(job.path, content)
    write_file(metadata_path, json.dumps(metadata, indent=2))
    write_file(example_path, example)
    notes += ensemble.notes + explain_test_error(ensemble, job.document, job.run_id)
    verification_note = phrase(
        "Verified in a fresh process: 0 of {n_rows:,} predictions differ.", n_rows=len(frame)
    )
    return ExportResult(job.path, files, len(frame), verification_note, notes, example, metadata)


def predict_test_rows(ensemble: TrainedEnsemble) -> AnyArray | None:
    """Return the test predictions, (n, C) or (n,); ``None`` if not immediately available."""
    prepared_run = ensemble.prepared_run
    test = prepared_run.split.test
    rows = prepared_run.problem.rows[test]
    if not 0 < test.size <= MAX_ROWS or (rows < 0).any():  # those of a second file are missing
        return None
    frame = make_raw_frame(ensemble, rows)
    if not prepared_run.problem.classes:
        return np.asarray(ensemble.estimator.predict(frame), dtype=np.float64)
    predictions: AnyArray = predict_shares(ensemble.estimator, frame)
    if ensemble.ensemble.combination != "mean" or len(ensemble.ensemble.members) > 1:
        predictions = predictions.round(12)
    return predictions


def explain_test_error(
    trained: TrainedEnsemble, document: Document, run_id: int
) -> tuple[str, ...]:
    """Return a note if the test error differs from the one shown by the run.

    The note is a warning if the difference is significant. If the run tested its members before a
    refit, a difference is expected. For a single trial the run shows no test error.
    """
    row = document.runs.get(run_id)
    shown_error = None if trained.is_single_trial else row.result and row.result.test_error_ensemble
    predictions = None if shown_error is None else predict_test_rows(trained)
    if row.result is None or shown_error is None or predictions is None:
        return ()
    error = trained.prepared_run.compute_loss(trained.prepared_run.split.test, predictions)
    if format_significant(error) == format_significant(shown_error):
        return ()
    if trained.prepared_run.settings.refit and not row.result.refitted:
        return (
            phrase(
                "The members in this file were refitted on all rows except the test rows; their "
                "test error is {found:.4g}. The run shows {shown:.4g}, for the search's models.",
                found=error,
                shown=shown_error,
            ),
        )
    if not _differs_beyond_chance(trained.prepared_run, document, row, predictions):
        return ()
    return (
        phrase(
            "The test error of the ensemble in this file is {found:.4g}, that of the run "
            "{shown:.4g}: more than chance explains. Possible causes are another version of a "
            "package, or a time or memory limit that was reached.",
            found=error,
            shown=shown_error,
        ),
    )


def _differs_beyond_chance(
    prepared_run: PreparedRun, document: Document, row: RunRow, predictions: AnyArray
) -> bool:
    """Return whether the test error of predictions, (n, C) or (n,), differs significantly.

    Paired on the same rows if the run's predictions are stored; otherwise by the interval of the
    run's test error.
    """
    assert row.result is not None
    if row.result.refitted:
        ends = row.result.test_interval
        loss = prepared_run.compute_loss(prepared_run.split.test, predictions)
        return ends is not None and not ends[0] <= loss <= ends[1]
    history = load_history(document, row.id, prepared_run)
    ensemble = select_ensemble(row, prepared_run, history)
    try:
        run_predictions = combine(
            make_test_reader(document, row.id, prepared_run, history), ensemble
        )
    except EnsembleError:
        return False
    ends = compute_test_difference_interval(prepared_run, predictions, run_predictions)
    return ends is not None and not ends[0] <= 0 <= ends[1]
