"""A readable Python script that trains the same ensemble from the table's file."""

import json
from importlib.metadata import version
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from studio.arrays import AnyArray, Integers
from studio.data.column import Column
from studio.errors import ExportError
from studio.export.about import reading_options
from studio.export.estimator import Trained
from studio.export.formats.base import ROWS, Job, Written, beside
from studio.export.frame import raw_frame, rows_to_check, whole_table
from studio.export.fresh import ask_fresh_process, differing, sentence
from studio.export.progress import CHECKING, WRITING
from studio.export.script.write import ScriptRecipe, script
from studio.learners.choice import chosen
from studio.phrases import phrase
from studio.runs.prepare import Prepared
from studio.runs.progress import shown_loss
from studio.scratch import scratch_folder
from studio.whole_files import write_whole

_CHECK = """
import json, runpy
import numpy as np
made = runpy.run_path(sys.argv[1])
rows = np.load("rows.npy")
use = np.load("use.npy")
table = made["read_table"](sys.argv[2])
if len(table) != len(use):
    raise SystemExit("the number of rows of the table has changed")
ensemble = made["train"](table[use == "train"])
some = table.iloc[rows]
found = {"predicted": kept(made["predict"](ensemble, some))}
X = made["matrix"](some)
for place, member in enumerate(ensemble):
    found[f"member{place}"] = kept(member[1].predict(X))
np.savez("answer.npz", **found)
"""

_EXCEL, _PARQUET = (".xlsx", ".xls", ".xlsm", ".ods"), (".parquet", ".pq")


def write(job: Job) -> Written:
    """Train, write the script down, let it train too, compare."""
    trained = job.trained()
    prepared = trained.prepared
    if not prepared.settings.refit and (
        prepared.redraw is not None or len(prepared.split.folds) > 1
    ):
        raise ExportError(
            "Each member of this run was trained on its own rows, or on those of each fold "
            "in turn, so no short script can do the same. Train the members on all rows "
            "first (Refit), or export a pickle."
        )
    rows_file = beside(job.path, *ROWS)
    text = script(_recipe(trained, job.path.name, rows_file.name, _headline(job, trained)))
    use = _use(prepared)
    rows = rows_to_check(trained)
    expected = np.asarray(trained.estimator.predict(raw_frame(trained, rows)))
    job.progress(CHECKING, 0, 0)
    with scratch_folder() as folder:
        (folder / "script.py").write_text(text, encoding="utf-8")
        np.save(folder / "rows.npy", rows)
        np.save(folder / "use.npy", use)
        answer, note = _asked(job, prepared, folder, expected)
    wrong = differing(answer["predicted"], expected, 1e-6)
    lines = ["row,use", *(f"{row},{what}" for row, what in enumerate(use.tolist()))]
    job.progress(WRITING, 0, 0)
    write_whole(job.path, text)
    write_whole(rows_file, "\n".join(lines) + "\n")
    notes = [*note, *trained.notes, *_other_members(trained, rows, answer)]
    return Written(
        job.path,
        (rows_file,),
        len(rows),
        wrong,
        sentence(len(rows), wrong, {"trained": phrase("It trained the members itself.")}),
        tuple(notes),
        example=f"python {job.path.name} {_source_name(prepared)} new.csv\n",
    )


def _asked(
    job: Job, prepared: Prepared, folder: Path, expected: AnyArray
) -> tuple[dict[str, AnyArray], list[str]]:
    """Let the script train on the run's own file, or a copy; return what it predicts, (n,) each."""
    source = Path(prepared.settings.source.path)
    copy = folder / ("table.csv" if _file_kind(prepared) != "csv" else _copy_name(source))
    found: dict[str, AnyArray] | None = None
    note: list[str] = []
    if source.is_file():
        try:
            found = ask_fresh_process(_CHECK, ["script.py", str(source)], folder, job.stopped)
        except ExportError:
            found = None
        if found is not None and not differing(found["predicted"], expected, 1e-6):
            return found, []
        note = [phrase("{source} is no longer the file that the run read.", source=source.name)]
    if _file_kind(prepared) != "csv":
        if found is None:
            raise ExportError(
                "{source} is not where it was, so the script could not be tried. Put the "
                "file back, or export a pickle.",
                source=source.name,
            )
        return found, []
    whole_table(prepared).to_csv(
        copy,
        index=False,
        sep=prepared.table.options.separator or ",",
        encoding=prepared.table.options.encoding or "utf-8",
        header=prepared.table.options.header is not False,
    )
    again = ask_fresh_process(_CHECK, ["script.py", str(copy)], folder, job.stopped)
    if found is not None and differing(again["predicted"], expected, 1e-6):
        return found, []  # the file is not to blame
    if not note:
        note = [phrase("{source} is not where it was.", source=source.name or phrase("The file"))]
    return again, [
        phrase("{note} The script was tried on a copy of what was read then.", note=note[0])
    ]


def _copy_name(source: Path) -> str:
    return "table.csv" + ("".join(source.suffixes[-1:]) if source.suffix == ".gz" else "")


def _source_name(prepared: Prepared) -> str:
    return PurePath(prepared.settings.source.path).name or prepared.table.source


def _file_kind(prepared: Prepared) -> str:
    suffix = PurePath(_source_name(prepared)).suffix.lower()
    return "excel" if suffix in _EXCEL else "parquet" if suffix in _PARQUET else "csv"


def _use(prepared: Prepared) -> Any:
    """Return what each row of the table is for: "train", "test" or nothing."""
    use = np.full(prepared.table.n_rows, "", dtype="<U5")
    known = prepared.problem.rows
    test = prepared.split.test
    use[known[prepared.training_rows(0)]] = "train"
    use[known[test[test < known.size]]] = "test"
    return use


def _shown(column: Column) -> str:
    return column.aliases[0] if column.aliases else column.name


def _recipe(trained: Trained, name: str, rows_file: str, headline: tuple[str, ...]) -> ScriptRecipe:
    prepared = trained.prepared
    table = prepared.table
    sets = {each.name: each.sets for each in prepared.space.parameters}
    balanced, weighted, comments = [], [], []
    for trial in trained.trials:
        active = {key: sets[key] for key in trial.configuration}
        learner, choice = chosen(trial.configuration, active)
        stage = any(each.stage == "balancer" and each.operator is not None
                    for each in choice.operators)  # fmt: skip
        whole = prepared.settings.class_weights == "balanced"
        balanced.append(bool(prepared.problem.classes) and (whole or stage))
        weighted.append(learner.weighted)
        comments.append(f"Trial {trial.number}: {learner.title}, validation loss {trial.loss:.4g}")
    weight = table.single("weight")
    target = table.target
    assert target is not None
    weighs = any(balanced) or weight is not None
    return ScriptRecipe(
        source=_source_name(prepared),
        file_kind=_file_kind(prepared),
        reading={
            key: value
            for key, value in reading_options(trained).items()
            if key in {"sep", "encoding"}
        },
        header=None
        if table.options.header is not False
        else tuple(dict.fromkeys(map(_shown, table.columns))),
        target=target,
        target_name=_shown(target),
        classes=prepared.problem.classes,
        features=tuple(
            (raw.name if column.date is None else raw.title, column)
            for raw, column in zip(trained.columns, table.features, strict=True)
        ),
        weight="" if weight is None else _shown(weight),
        ensemble=trained.ensemble,
        decision=trained.decision,
        models=trained.fitted,
        comments=tuple(comments),
        balanced=tuple(balanced) if weighs else (False,) * len(comments),
        weighted=tuple(weighted),
        rows_file=rows_file,
        headline=headline,
        packages=_packages(trained),
        name=name,
    )


def _packages(trained: Trained) -> tuple[str, ...]:
    names = ["scikit-learn", "pandas", "numpy"]
    if any("lightgbm" in type(each[-1]).__module__ for (each, *_) in trained.models):
        names.append("lightgbm")
    return tuple(f"{name}=={version(name)}" for name in names)


def _headline(job: Job, trained: Trained) -> tuple[str, ...]:
    prepared = trained.prepared
    row = job.document.run(job.run_id)
    tried = job.document.trial_count(job.run_id)
    members = trained.ensemble.members
    what = f"trial {members[0]} alone" if trained.alone else f"an ensemble of {len(members)} models"
    lines = [
        f"Predict {json.dumps(prepared.problem.target_name, ensure_ascii=False)} from "
        f"{_source_name(prepared)}: {what}.",
        "",
        f"Found by {prepared.settings.method} among {tried} models "
        f"(seed {prepared.settings.seed}).",
    ]
    error = row.result and row.result.test_error_ensemble
    if error is not None and not trained.alone:
        shown = shown_loss(error, prepared.metric.unit)
        lines.append(f"Its {prepared.metric.title.lower()} on the test rows was {shown}.")
    return tuple(lines)


def _other_members(trained: Trained, rows: Integers, answer: dict[str, AnyArray]) -> list[str]:
    """Say which members the script trains otherwise than the run did; arrays have shape (n,)."""
    problem = trained.prepared.problem
    X = problem.X[np.searchsorted(problem.rows, rows)]
    notes = []
    for place, member in enumerate(trained.fitted):
        wrong = differing(answer[f"member{place}"], np.asarray(member.predict(X)), 1e-6)
        if wrong:
            notes.append(
                phrase(
                    "Trial {trial} ({model}) is trained in a way that plain scikit-learn does "
                    "not have: what the script trains instead predicts {wrong:,} of {n_rows:,} "
                    "rows differently.",
                    trial=trained.ensemble.members[place],
                    model=type(member[-1]).__name__,
                    wrong=wrong,
                    n_rows=len(rows),
                )
            )
    return notes
