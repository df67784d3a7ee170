"""The ensemble in skops' format, which loads without running code."""

import io
import json
import zipfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from studio.errors import ExportError
from studio.export.about import PACKAGES, SIGNS, about_model, reading_arguments
from studio.export.estimator import Trained, assemble
from studio.export.formats.base import Job, Written
from studio.export.frame import raw_frame, rows_to_check, typed_frame
from studio.export.fresh import ROWS, ask_fresh_process, differing, keep_rows
from studio.export.literals import quoted
from studio.export.plain_front import plain_front, reading_code
from studio.export.progress import CHECKING
from studio.export.verified import write_verified
from studio.phrases import phrase
from studio.scratch import scratch_folder

_CHECK = f"""{ROWS}
import skops.io
model = skops.io.load(sys.argv[1], trusted=json.loads(sys.argv[3]))
about = json.loads(sys.argv[4])
table = rows_of(sys.argv[2], object)
for name, kind in about.items():  # a column without any value has no type of its own
    table[name] = table[name].astype(kind)
np.savez("answer.npz", predicted=kept(model.predict(table)))
"""

_ALLOWED = ("numpy.", "sklearn.", "lightgbm.", "collections.", "scipy.")
"""Where the types come from that a file may ask to trust; others would run somebody's code."""


def write(job: Job) -> Written:
    """Train, write, list the types to trust, check."""
    trained = job.trained()
    model = assemble(
        plain_front(trained.columns),
        trained.prepared,
        trained.ensemble,
        trained.fitted,
        trained.decision,
    )
    content, trusted = _dumped(model)
    rows = rows_to_check(trained)
    frame = typed_frame(trained, rows)
    expected = np.asarray(trained.estimator.predict(raw_frame(trained, rows)))
    job.progress(CHECKING, 0, 0)
    with scratch_folder() as folder:
        draft, table = folder / "model.skops", folder / "rows.json"
        draft.write_bytes(content)
        keep_rows(frame, table)
        kinds = {
            column.title: "float64" if column.categories is None else "object"
            for column in trained.columns
        }
        arguments = [str(draft), str(table), json.dumps(trusted), json.dumps(kinds)]
        answer = ask_fresh_process(_CHECK, arguments, folder, job.stopped)
    wrong = differing(answer["predicted"], expected)
    if wrong:
        raise ExportError(
            "The file was not written: in a fresh process {wrong:,} of {n_frame:,} "
            "predictions differed from those made here. Export a pickle instead, and please "
            "report this with the document.",
            wrong=wrong,
            n_frame=len(frame),
        )
    labels = {
        column.name: list(column.categories)
        for column in trained.columns
        if column.categories is not None
    }
    about = {
        **about_model(trained, content, _packages(trained)),
        "trusted_types": trusted,
        "categories": labels,
    }
    listed = ", ".join(trusted) or "none"
    notes = (
        phrase(
            "Types that must be trusted when loading it: {listed}. They contain numbers, no code.",
            listed=listed,
        ),
        *_about_labels(labels),
    )
    return write_verified(
        job,
        trained,
        content,
        about=about,
        example=_example(job.path, trained, trusted),
        rows=len(frame),
        wrong=wrong,
        notes=notes,
    )


def _dumped(model: Any) -> tuple[bytes, list[str]]:
    """Return the file's bytes, and the types that whoever loads it has to trust."""
    import skops.io

    target = io.BytesIO()
    try:
        skops.io.dump(model, target, compression=zipfile.ZIP_DEFLATED, compresslevel=6)
    except (TypeError, ValueError, AttributeError, NotImplementedError) as error:
        raise ExportError(
            "skops cannot write a member of this ensemble ({error}). Export a pickle instead.",
            error=error,
        ) from error
    content = target.getvalue()
    trusted = sorted(map(str, skops.io.get_untrusted_types(data=content)))
    foreign = [name for name in trusted if not name.startswith(_ALLOWED)]
    if foreign:
        raise ExportError(
            "A member of this ensemble needs types that are not known to be safe ({foreign}), "
            "so the file could not be loaded without running code. Export a pickle instead.",
            foreign=", ".join(foreign[:5]),
        )
    return content, trusted


def _packages(trained: Trained) -> dict[str, str]:
    names = {"skops", *PACKAGES} - set(SIGNS)
    if any("lightgbm" in type(each[-1]).__module__ for (each, *_) in trained.models):
        names.add("lightgbm")
    return {name: version(name) for name in sorted(names)}


def _about_labels(labels: dict[str, list[str]]) -> tuple[str, ...]:
    if not labels:
        return ()
    return (
        phrase(
            "Categories ({labels}) must be text, spelled as in the JSON file beside it; the "
            "pickle also takes other spellings.",
            labels=", ".join(list(labels)[:5]),
        ),
    )


def _example(path: Path, trained: Trained, trusted: list[str]) -> str:
    listed = "".join(f"    {quoted(name)},\n" for name in trusted)
    return (
        '"""How to use the file: it needs the packages named in the JSON file beside it."""\n\n'
        "import pandas as pd\n"
        "import skops.io\n\n"
        "# skops loads nothing but what you list; these types hold numbers, no code.\n"
        f"trusted = [\n{listed}]\n"
        f"model = skops.io.load({quoted(path.name)}, trusted=trusted)\n\n"
        f"{reading_code(trained.columns, reading_arguments(trained))}"
        "print(model.predict(table))\n"
    )
