"""Study files: parsing, errors, and precedence of settings."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.assets import RESOURCES
from studio.cli.entry import main
from studio.compare import datasets, study_notes
from studio.compare.cells import add_run, enumerate_cells, find_run
from studio.compare.datasets import (
    Dataset,
    MissingDatasetError,
    get_dataset_name,
    load_dataset,
    locate,
)
from studio.compare.study import describe_search_spaces, load_study, parse_study
from studio.compare.study_notes import STUDY, get_cell_note_name
from studio.compare.study_runner import get_search_key
from studio.data.problem import Problem
from studio.data.splits import split_plan
from studio.data.table import Table
from studio.document.store import Document
from studio.errors import DataError, SpaceError, UsageError
from studio.space.library import load
from tests.facts import about

PLAIN = {"data": ["a.csv"], "methods": ["RS"]}


def write_study(folder: Path, **content: Any) -> Path:
    path = folder / "study.json"
    path.write_text(json.dumps({**PLAIN, **content}))
    return path


def test_study_stores_space_of_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    custom_space = dataclasses.replace(load("svm-rbf"), name="mine", title="Mine")
    file.write_text(json.dumps(custom_space.to_json()))
    by_file = load_study(write_study(tmp_path, spaces=["mine.json", None]))
    by_option = load_study(write_study(tmp_path), changes={"spaces": [str(file), "best"]})
    file.unlink()
    for study, other in ((by_file, None), (by_option, "best")):
        assert study.spaces == (custom_space.to_json(), other)
        (text,) = describe_search_spaces(dataclasses.replace(study, spaces=study.spaces[:1]), ())
        assert "“Mine”" in text
    with pytest.raises(SpaceError, match=r"mine\.json"):
        load_study(write_study(tmp_path, spaces=["mine.json"]))


def test_study_without_run_limit_is_rejected(tmp_path: Path) -> None:
    assert load_study(write_study(tmp_path)).seconds is None, "as in studies of older versions"
    timed = load_study(write_study(tmp_path, budget=None, seconds=30))
    (cell,) = enumerate_cells(
        dataclasses.replace(timed, repetitions=1), [Dataset("a", 1, "y", "binary", 90)]
    )
    assert (cell.settings.budget, cell.settings.seconds) == (None, 30)
    assert get_search_key(cell) == cell.name, "timed searches are not shared"
    with pytest.raises(UsageError, match="time limit"):
        load_study(write_study(tmp_path, budget=None))


def test_command_line_overrides_study_settings(tmp_path: Path) -> None:
    path = write_study(tmp_path, budget=200, sizes={"quick": {"budget": 4, "repetitions": 2}})
    assert load_study(path).budget == 200
    quick = load_study(path, "quick", {"repetitions": 5})
    assert (quick.budget, quick.repetitions, quick.folder) == (4, 5, tmp_path)
    with pytest.raises(UsageError, match="quick"):
        load_study(path, "tiny")


def test_method_variant_has_separate_name(tmp_path: Path) -> None:
    variant = {"name": "big", "method": "RS-post", "set": {"ensemble.size": 25}}
    path = write_study(tmp_path, methods=["RS", variant])
    names = [(each.name, each.method) for each in load_study(path).methods]
    assert names == [("RS", "RS"), ("big", "RS-post")]
    methods = load_study(path, None, {"methods": ["big", "BO-best"]}).methods
    assert dict(methods[0].set) == {"ensemble.size": 25}
    assert methods[1].method == "BO-best"


@pytest.mark.parametrize(
    ("content", "pattern"),
    [
        ({"buget": 4}, "'buget'.*budget"),
        ({"sizes": {"quick": {"buget": 4}}}, "'buget'"),
        ({"methods": ["RSS"]}, "RSS"),
        ({"methods": []}, "one method"),
        ({"methods": ["RS", "RS"]}, "'RS' is named twice"),
        ({"methods": [{"name": "x"}]}, "'method'"),
        ({"methods": "RS"}, "must be a list"),
        ({"data": []}, "one data set"),
        ({"budget": 0}, "budget"),
        ({"repetitions": 1.5}, "repetitions"),
        ({"seed": -1}, "seed"),
        ({"rows": 20}, "at least 50 rows"),
        ({"split": "half"}, "SMBEO"),
        ({"split": "80/20"}, "for the test"),
    ],
)
def test_invalid_study_is_rejected(tmp_path: Path, content: dict[str, Any], pattern: str) -> None:
    path = write_study(tmp_path, **content)
    with pytest.raises(UsageError, match=pattern):
        load_study(path, "quick" if "sizes" in content else None)


def test_folder_is_read_as_study(tmp_path: Path) -> None:
    for name in ("b.csv", "a.csv.gz", "notes.txt"):
        (tmp_path / name).write_text("x,target\n1,2\n")
    assert load_study(tmp_path).data == ("a.csv.gz", "b.csv")
    with pytest.raises(UsageError, match="no table"):
        load_study(Path(__file__).parent)


def test_data_sets_are_files_names_or_samples(tmp_path: Path) -> None:
    (tmp_path / "car.csv.gz").write_text("x")
    assert locate("car", tmp_path) == (tmp_path / "car.csv.gz", None)
    assert locate("car.csv.gz", tmp_path) == (tmp_path / "car.csv.gz", None)
    assert locate("breast_cancer", tmp_path)[0].name == "breast_cancer.csv"
    assert [get_dataset_name(each) for each in ("d/car.csv.gz", "x.y.csv", "car")] == [
        "car",
        "x.y",
        "car",
    ]
    with pytest.raises(MissingDatasetError):
        locate("gone", tmp_path)


def make_problem_of_study(document: Document, found: Dataset) -> Problem:
    return Problem.from_table(Table.from_parts(*document.tables.read(found.table_id)))


@pytest.mark.slow
def test_study_samples_rows_of_large_table(tmp_path: Path) -> None:
    cells = [f"{i / 7:.4f},{'rare' if i % 10 == 0 else 'usual'}" for i in range(1, 401)]
    (tmp_path / "large.csv").write_text("\n".join(["a,target", *cells, "0.5,"]) + "\n")
    study = load_study(write_study(tmp_path, data=["large"], rows=100, seed=3))
    with Document.create(tmp_path / "one.studio") as document:
        dataset = load_dataset(document, study, "large")
        problem = make_problem_of_study(document, dataset)
        assert dataset.rows == 100
        assert np.bincount(problem.y).tolist() == [10, 90]
        assert len(np.unique(problem.X)) == 100
        assert load_dataset(document, study, "large") == dataset
        with pytest.raises(DataError, match="number of rows"):
            load_dataset(document, dataclasses.replace(study, rows=200), "large")
    with Document.create(tmp_path / "again.studio") as document:
        restored = load_dataset(document, study, "large")
        assert np.array_equal(
            Problem.from_table(Table.from_parts(*document.tables.read(restored.table_id))).X,
            problem.X,
        )


def test_study_reading_options_are_applied(tmp_path: Path) -> None:
    rows = "".join(f"{i / 7:.2f},{('no', 'yes')[i % 2]}\n" for i in range(60))
    (tmp_path / "t.csv").write_text("x,y\na,b\n" + rows)
    study = load_study(write_study(tmp_path, data=["t"], target="b", reading={"header_row": 2}))
    with Document.create(tmp_path / "one.studio") as document:
        assert load_dataset(document, study, "t").target == "b"
        other_study = dataclasses.replace(study, reading={"skip": 1})
        with pytest.raises(DataError, match="different table"):
            load_dataset(document, other_study, "t")
    with pytest.raises(UsageError, match="counted from 1"):
        load_study(write_study(tmp_path, data=["t"], reading={"header_row": 0}))


def test_study_with_folds_needs_test_share_only() -> None:
    plan = split_plan({"folds": 5, "test": 0.3})
    assert (plan.folds, plan.test, plan.train) == (5, 0.3, pytest.approx(0.7))
    assert split_plan("SMBEO").train == 0.4
    assert split_plan("EO").folds == 5
    assert split_plan("40/30/30").shares == split_plan("SMBEO").shares


@pytest.mark.slow
@pytest.mark.parametrize("split", ["60/20/20", {"folds": 3}, "EO", {"train": 0.4, "test": 0.4}])
def test_old_study_keeps_its_split_of_duplicates(tmp_path, split) -> None:
    study = parse_study({"data": ["diabetes"], "methods": ["RS"], "budget": 2, "split": split})
    with Document.create(tmp_path / "old.studio") as document:
        document.notes.set(STUDY, {**study.to_json(), "split": split})
        before = load_study(tmp_path / "old.studio")
        assert before.plan == dataclasses.replace(study.plan, equal_rows="apart")
        dataset = load_dataset(document, study, "diabetes")
        cell = enumerate_cells(before, [dataset])[0]
        run = add_run(document, cell)
        cell_note = document.notes.get(get_cell_note_name(cell.name))
        del cell_note["asked"]["plan"]["equal_rows"]
        document.notes.set(get_cell_note_name(cell.name), cell_note)
        for study_version in (study, before):
            assert find_run(document, enumerate_cells(study_version, [dataset])[0]) == run
        document.notes.set(STUDY, study.to_json())
    assert load_study(tmp_path / "old.studio").plan == study.plan


STUDIES = sorted((RESOURCES / "studies").glob("*.json"))


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_shipped_studies_are_valid(path: Path) -> None:
    sizes = json.loads(path.read_text())["sizes"]
    assert {"quick", "full"} <= sizes.keys()
    for size in sizes:
        study = load_study(path, size)
        assert study.plan.test > 0
        assert study.plan.equal_rows == "apart", "results in docs/studies can be reproduced"
        assert study.title
        assert study.reference
        assert len(study.data) >= 2
        assert len(study.methods) >= 4
        assert all(load(space).name == space for space in study.spaces if space)


def test_default_space_is_not_searched_twice(tmp_path: Path) -> None:
    study = load_study(write_study(tmp_path, spaces=[None, "sklearn-cash"]))
    with pytest.raises(UsageError, check=about(duplicate="a · RS · sklearn-cash · 1")):
        enumerate_cells(study, [Dataset("a", 1, "y", "binary", 90)])
    numbers = enumerate_cells(study, [Dataset("a", 1, "y", "regression", 90)])
    assert len({cell.name for cell in numbers}) == 2 * study.repetitions


def test_study_may_contain_space(tmp_path: Path) -> None:
    custom_space = dataclasses.replace(load("svm-rbf"), name="mine", title="My space")
    study = load_study(write_study(tmp_path, spaces=[custom_space.to_json(), "forest-thesis"]))
    assert parse_study(study.to_json()).spaces == study.spaces
    cells = enumerate_cells(study, [Dataset("a", 1, "y", "binary", 90)])
    assert {cell.space for cell in cells} == {"mine", "forest-thesis"}
    (text,) = describe_search_spaces(study, ())
    assert f"“My space”, “{load('forest-thesis').title}”" in text
    alone = dataclasses.replace(study, spaces=study.spaces[:1])
    (text,) = describe_search_spaces(alone, ())
    assert "“My space”" in text and "“Random forest" not in text
    broken = custom_space.to_json() | {"parameters": []}
    with pytest.raises(SpaceError):
        enumerate_cells(
            dataclasses.replace(study, spaces=(broken,)), [Dataset("a", 1, "y", "binary", 90)]
        )


def test_results_are_not_written_into_data_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "runs.csv").write_text("a,target\n1,x\n2,y\n")
    arguments = [
        "compare",
        str(tmp_path),
        "-o",
        str(tmp_path / "c.studio"),
        "--tables",
        f"{tmp_path}/.",
    ]
    assert main(arguments) == 2
    assert "--tables" in capsys.readouterr().err
    assert (tmp_path / "runs.csv").read_text().startswith("a,target")
    assert not (tmp_path / "c.studio").exists()


def test_continued_study_searches_missing_tables_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = "".join(f"{n},{n % 7},{'ab'[n % 3 > 0]}\n" for n in range(60))
    (tmp_path / "t.csv").write_text(f"a,b,target\n{rows}")
    path = tmp_path / "c.studio"
    study = load_study(write_study(tmp_path, data=[str(tmp_path / "t.csv")]))
    assert study.folder == tmp_path
    with Document.create(path) as document:
        dataset = load_dataset(document, study, study.data[0])
        document.notes.set(study_notes.STUDY, study.to_json())
    located: list[str] = []
    monkeypatch.setattr(datasets, "locate", lambda entry, folder: located.append(entry))
    own = load_study(path)
    assert own.folder is None
    with Document.open(path) as document:
        assert load_dataset(document, own, own.data[0]) == dataset
        with pytest.raises(DataError, match="different table"):
            load_dataset(document, dataclasses.replace(own, target="a"), own.data[0])
    assert located == []
    assert load_study(path, None, {"folder": tmp_path}).folder == tmp_path
