"""A pickle to take home: written whole, tried in a fresh process, with what one needs beside it."""

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from studio.document.store import Document
from studio.errors import ExportError
from studio.export.about import about_model, reading_arguments
from studio.export.agreement import test_error_note
from studio.export.estimator import Trained, train
from studio.export.files import write_whole
from studio.export.frame import raw_frame, rows_to_check
from studio.export.fresh import ROWS, ask_fresh_process, differing, keep_rows, sentence
from studio.export.literals import quoted
from studio.export.progress import CHECKING, WRITING, OnProgress, silent
from studio.scratch import scratch_folder

CHECK_ROWS = 1000
"""Rows of the table on which the fresh process must agree with this one."""

_CHECK = f"""{ROWS}
import pickle
with open(sys.argv[1], "rb") as file:
    model = pickle.load(file)
np.savez("answer.npz", predicted=kept(model.predict(rows_of(sys.argv[2]))))
"""


def export_pickle(
    document: Document,
    run_id: int,
    path: Path,
    stopped: Callable[[], bool] = lambda: False,
    progress: OnProgress = silent,
    *,
    trial: int | None = None,
) -> dict[str, Any]:
    """Train a run's ensemble, or one trial, and write it as a pickle that needs no Ensemble Studio.

    Beside ``model.pkl`` come ``model.json`` (checksum, exact versions, columns, classes) and
    ``model_example.py`` (ten lines that use it).

    Returns
    -------
    dict
        What is in the JSON file, with ``path``, ``beside``, ``notes``, ``example`` and what the
        check found: ``rows``, ``differing``, ``checked``.

    Raises
    ------
    ExportError
        If the file cannot be written, or a fresh process does not agree with this one.
    """
    trained = train(document, run_id, stopped, progress=progress, trial=trial)
    content = pickle.dumps(trained.estimator, protocol=5)
    frame = raw_frame(trained, rows_to_check(trained, CHECK_ROWS))
    expected = np.asarray(trained.estimator.predict(frame))
    progress(CHECKING, 0, 0)
    with scratch_folder() as folder:
        draft, rows = folder / "model.pkl", folder / "rows.json"
        draft.write_bytes(content)
        keep_rows(frame, rows)
        answer = ask_fresh_process(_CHECK, [str(draft), str(rows)], folder, stopped)
    wrong = differing(answer["predicted"], expected)
    if wrong:
        raise ExportError(
            "The pickle was not written: in a fresh process {wrong:,} of {n_frame:,} "
            "predictions differed from those made here. Please report this with the document.",
            wrong=wrong,
            n_frame=len(frame),
        )
    progress(WRITING, 0, 0)
    about = about_model(trained, content)
    example = _example(path, trained)
    beside = (path.with_suffix(".json"), path.with_name(path.stem + "_example.py"))
    write_whole(path, content)
    write_whole(beside[0], json.dumps(about, indent=2))
    write_whole(beside[1], example)
    return {
        **about,
        "path": str(path),
        "beside": [str(each) for each in beside],
        "notes": [*trained.notes, *test_error_note(trained, document.run(run_id).result)],
        "rows": len(frame),
        "differing": wrong,
        "checked": sentence(len(frame), wrong),
        "example": example,
    }


def _example(path: Path, trained: Trained) -> str:
    return (
        '"""How to use the pickle: it needs the packages named in the JSON file beside it."""\n\n'
        "import pickle\n\n"
        "import pandas as pd\n\n"
        "# Only load pickles that you trust: loading one can run any code.\n"
        f'with open({quoted(path.name)}, "rb") as file:\n'
        "    model = pickle.load(file)\n\n"
        "# The columns as in the training file, in any order.\n"
        f'table = pd.read_csv("new.csv"{reading_arguments(trained)})\n'
        "print(model.predict(table))\n"
    )
