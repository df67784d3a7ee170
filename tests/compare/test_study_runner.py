"""Real studies on small tables: complete, killed and resumed, extended, changed, broken."""

import contextlib
import csv
import io
import json
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import psutil
import pytest

from studio.cli.entry import main
from studio.compare import study_notes
from studio.compare.cell_names import drop_repetition
from studio.compare.coordinator import load_coordinator
from studio.compare.helper_tasks import list_grid_rows, store_study
from studio.compare.interim_results import InterimReader
from studio.compare.outcomes import CellOutcome
from studio.compare.pair_comparisons import _compute_losses
from studio.compare.study import load_study
from studio.compare.study_runner import StudyStep, _Coordinator
from studio.compare.study_runner import run_study as run_study_here
from studio.document.store import Document
from studio.errors import SpaceError, UsageError
from studio.space.library import load
from studio.space.parameters import Constant, Float
from studio.space.space import Space

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
BUDGET = 4


def study_arguments(folder: Path, document: Path, *more: object) -> list[str]:
    return [
        "compare", str(folder), "--methods", "RS,RS-post", "--spaces", "svm-rbf",
        "--budget", str(BUDGET), "--repetitions", "2", "--workers", "1", "--json",
        "-o", str(document), *map(str, more),
    ]  # fmt: skip


def run_command(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run a command in this process, with its cell workers as processes."""
    stdout, stderr = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
        code = main(arguments)
    return subprocess.CompletedProcess(arguments, code, stdout.getvalue(), stderr.getvalue())


def run_compare(folder: Path, document: Path, *more: object) -> "subprocess.CompletedProcess[str]":
    return run_command(*study_arguments(folder, document, *more))


def parse_results(done: "subprocess.CompletedProcess[str]") -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    content: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    # Times differ between runs.
    return {key: content[key] for key in content if key not in {"seconds", "suggest_seconds"}}


def runs(path: Path) -> dict[str, int]:
    with Document.open(path, writable=False) as document:
        return {row.name: row.id for row in document.runs.list_all()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of two tables and a non-tabular file."""
    data_folder = tmp_path_factory.mktemp("study")
    for number, name in enumerate(("one", "two")):
        rng = np.random.default_rng(number)
        lines = ["a,b,target"]
        for a, b, noise in rng.normal(size=(90, 3)):
            lines.append(f"{a:.4f},{b:.4f},{'yes' if a * b + 0.3 * noise > 0 else 'no'}")
        (data_folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    (data_folder / "broken.csv").write_bytes(b"\x00\x01\x02 no table")
    return data_folder


@pytest.fixture(scope="module")
def finished_study(folder: Path) -> tuple[Path, "subprocess.CompletedProcess[str]"]:
    """Return a document with the finished study, and the output."""
    path = folder / "whole.studio"
    return path, run_compare(folder, path, "--workers", 2)


def test_cell_uses_split_of_its_repetition(finished_study) -> None:
    path, process = finished_study
    content = parse_results(process)
    assert content["cells"] == 8
    assert set(content["errors"]) == {"one", "two"}
    assert content["methods"] == ["RS", "RS-post"]
    assert sum(content["mean_rank"].values()) == pytest.approx(3)
    splits, seeds = {}, {}
    with Document.open(path, writable=False) as document:
        for row in document.runs.list_all():
            assert row.state == "finished"
            data, _, _, repetition = row.name.split(" · ")
            arrays = {name: tuple(rows) for name, rows in document.runs.split(row.id).items()}
            assert splits.setdefault((data, repetition), arrays) == arrays
            assert seeds.setdefault(repetition, row.settings["seed"]) == row.settings["seed"]
        assert len(document.tables.list_all()) == 2
        mean = np.mean(
            [
                row.result.test_error_ensemble
                for row in document.runs.list_all()
                if row.name.startswith("one · RS-post ·") and row.result
            ]
        )
    assert content["errors"]["one"]["RS-post"] == pytest.approx(mean)
    assert splits["one", "1"] != splits["one", "2"]
    assert seeds["1"] != seeds["2"]


def test_progress_and_runs_name_searched_space(
    finished_study, folder: Path, tmp_path: Path
) -> None:
    path, process = finished_study
    title = load("svm-rbf").title
    assert f"one · RS · {title} · 1 " in process.stderr
    run_compare(folder, path, "--tables", tmp_path / "tables")
    rows = csv.DictReader(io.StringIO((tmp_path / "tables" / "runs.csv").read_text()))
    assert {row["space"] for row in rows} == {title}
    assert f"· {title} ·" in run_command("show", str(path)).stdout.splitlines()[1]


def test_misspelt_metric_of_study_is_reported_once(folder: Path, tmp_path: Path) -> None:
    process = run_compare(folder, tmp_path / "new.studio", "--metric", "rmsee")
    assert process.returncode == 2
    assert process.stderr.count("'rmsee'") == 1
    assert not (tmp_path / "new.studio").exists()


def test_unreadable_data_set_is_skipped_with_report(finished_study) -> None:
    _, process = finished_study
    assert "broken" in parse_results(process)["failed"]
    assert "broken" in process.stderr
    assert "Traceback" not in process.stderr


def test_contests_use_final_models(finished_study) -> None:
    path, _ = finished_study
    with Document.open(path, writable=False) as document:
        for row in document.runs.list_all():
            last = document.trials.list_iterations(row.id)[-1]
            outcome = CellOutcome(
                row.id, "", "", 1, "error", "%", 0.0, (), BUDGET, 0, 0.0, 0.0, 0.0
            )
            first, end = _compute_losses(document, outcome, [1, BUDGET])
            assert end is not None
            assert end.rows.mean() == pytest.approx(last.ensemble_test)
            begun = document.trials.list_rows(row.id)[0].iteration.ensemble_test
            assert begun is None if first is None else first.rows.mean() == pytest.approx(begun)


def test_methods_with_equal_search_share_trials(
    folder: Path, finished_study, tmp_path: Path
) -> None:
    path, process = finished_study
    # After the last search, the remaining cells copy its trials.
    *_, last = (line for line in process.stderr.splitlines() if " · RS · " in line)
    assert last.endswith(" 0 s to go")
    alone = tmp_path / "alone.studio"
    parse_results(run_compare(folder, alone, "--methods", "RS-post", "--repetitions", 1))
    with Document.open(path, writable=False) as shared, Document.open(alone) as own:
        ids = runs(path)
        for name, run in runs(alone).items():
            assert (
                shared.runs.get(ids[name]).settings["forked"]["run"]
                == ids[name.replace("RS-post", "RS")]
            )
            assert own.runs.get(run).settings["forked"] == {}
            of_both = [
                [(row.trial.configuration, row.trial.loss, row.iteration.members) for row in rows]
                for rows in (shared.trials.list_rows(ids[name]), own.trials.list_rows(run))
            ]
            assert of_both[0] == of_both[1]
            results = [each.result for each in (shared.runs.get(ids[name]), own.runs.get(run))]
            assert results[0].test_error_ensemble == results[1].test_error_ensemble


def test_finished_study_is_not_modified(folder: Path, finished_study) -> None:
    path, process = finished_study
    runs_before = runs(path)
    assert parse_results(run_compare(folder, path)) == parse_results(process)
    assert runs(path) == runs_before


def test_stored_study_can_be_continued(finished_study) -> None:
    path, process = finished_study
    content = parse_results(run_command("compare", str(path), "--json"))
    # The document keeps the tables, but not the broken file; only the reason differs.
    assert {**content, "failed": {}} == {**parse_results(process), "failed": {}}
    assert set(content["failed"]) == {"broken"}


def test_interim_results_agree_with_command(finished_study) -> None:
    path, process = finished_study
    so_far = InterimReader(path)
    quick = so_far.read(thorough=False)
    assert quick.finished == 8
    assert "probability-over-iterations" not in quick.diagrams
    thorough = so_far.read(thorough=True)
    assert "probability-over-iterations" in thorough.diagrams
    errors = thorough.tables["errors"]
    mean = parse_results(process)["errors"]["one"]["RS-post"]
    row = next(each for each in errors.rows if each[0].text.startswith("one"))
    assert row[2 + thorough.methods.index("RS-post")].text == f"{100 * mean:.1f}"
    assert so_far.read(thorough=True).tables == thorough.tables


def test_damaged_cell_is_skipped_and_reported(finished_study, tmp_path: Path) -> None:
    path = tmp_path / "damaged.studio"
    path.write_bytes(finished_study[0].read_bytes())
    name = "one · RS-post · svm-rbf · 1"
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM trials WHERE run = ? AND number = 2", (runs(path)[name],))
    so_far = InterimReader(path).read(thorough=True)
    assert so_far.finished == 7
    (report_line,) = (line for line in so_far.report.splitlines() if line.startswith(f"- {name}: "))
    assert "damaged" in report_line


def test_report_does_not_overwrite_document(finished_study, folder, tmp_path: Path) -> None:
    path = tmp_path / "w.studio"
    path.write_bytes(finished_study[0].read_bytes())
    runs_before = runs(path)
    process = run_compare(folder, path, "--report", path)
    assert process.returncode == 1
    # The message abbreviates a long path in the middle.
    assert f"{path.name} could not be" in process.stderr
    assert runs(path) == runs_before


def test_grid_lists_runs_and_skipped_cells(finished_study) -> None:
    path, _ = finished_study
    with Document.open(path, writable=False) as document:
        rows = {row.name: row for row in list_grid_rows(document, load_study(path))}
        last = load_coordinator(document)
    first = "one · RS-post · svm-rbf · 1"
    assert rows["one"].runs[1][0] == runs(path)[first]
    assert {run for row in rows.values() for each in row.runs for run in each if run} <= set(
        runs(path).values()
    )
    assert rows["broken"].exclusion_reason
    assert not rows["two"].exclusion_reason
    assert last is not None
    assert (last.stage, last.is_alive) == ("ended", False)


def test_grid_marks_unsupported_cells(tmp_path: Path) -> None:
    numbers = "\n".join(f"{k % 7},{k % 5},{k * k % 11}.5" for k in range(60))
    (tmp_path / "numbers.csv").write_text(f"a,b,target\n{numbers}\n")
    path = tmp_path / "w.studio"
    process = run_compare(
        tmp_path, path, "--methods", "EO-sqm", "--spaces", "sklearn-cash-regression"
    )
    assert process.returncode == 1
    with Document.open(path, writable=False) as document:
        (row,) = list_grid_rows(document, load_study(path))
    assert row.runs == ((None, None),)
    assert all("regression" in row.explain_missing_run(0, r) for r in range(2))


def test_unsupported_cells_are_known_before_first_run(folder: Path, tmp_path: Path) -> None:
    """Otherwise the number of runs, and with it the progress, would change meanwhile."""
    shutil.copy(folder / "one.csv", tmp_path)
    numbers = "\n".join(f"{k % 7},{k % 5},{k * k % 11}.5" for k in range(60))
    (tmp_path / "numbers.csv").write_text(f"a,b,target\n{numbers}\n")
    changes = {"methods": ["RS", "EO-sqm"], "budget": 2, "repetitions": 2}
    study = load_study(tmp_path, None, changes)
    steps: list[StudyStep] = []
    result = run_study_here(tmp_path / "w.studio", study, 1, steps.append)
    refused = [step.name for step in steps if step.message]
    remaining = [step.remaining_seconds for step in steps if not step.message]
    assert None not in remaining and remaining[0] > 0 and remaining[-1] == 0
    assert [drop_repetition(name) for name in refused] == ["numbers · EO-sqm"] * 2
    assert [step.name for step in steps[:2]] == refused
    assert len(result.runs) == 6 and result.failures.keys() == set(refused)


def test_study_with_different_settings_is_rejected(finished_study) -> None:
    path, _ = finished_study
    with Document.open(path, writable=False) as document:
        study_note = document.notes.get(study_notes.STUDY)
    with pytest.raises(UsageError, match="budget 4"):
        store_study(path, {**study_note, "budget": 5})
    with pytest.raises(UsageError, match="called 'one'"):
        store_study(path, {**study_note, "data": [*study_note["data"], "elsewhere/one.csv"]})
    store_study(path, {**study_note, "repetitions": 3})
    with Document.open(path, writable=False) as document:
        assert document.notes.get(study_notes.STUDY)["repetitions"] == 3
    store_study(path, study_note)


def test_extended_study_computes_missing_cells_only(folder: Path, finished_study) -> None:
    path, process = finished_study
    runs_before = runs(path)
    more = run_compare(folder, path, "--methods", "RS,RS-post,BO-best", "--repetitions", 1)
    content = parse_results(more)
    assert content["methods"] == ["RS", "RS-post", "BO-best"]
    new_names = set(runs(path)) - set(runs_before)
    cell = "{} · BO-best · svm-rbf · 1"
    assert new_names == {cell.format(name) for name in ("one", "two")}
    assert {name: runs(path)[name] for name in runs_before} == runs_before
    assert more.stderr.count("to go") == 2
    assert parse_results(run_compare(folder, path)) == parse_results(process)


def test_cell_with_different_settings_is_rejected(folder: Path, finished_study) -> None:
    path, _ = finished_study
    runs_before = runs(path)
    process = run_compare(folder, path, "--budget", 5)
    assert process.returncode == 2
    assert "budget 4 (now 5)" in process.stderr
    assert f" · {load('svm-rbf').title} · " in process.stderr
    assert runs(path) == runs_before
    with Document.open(path, writable=False) as document:
        assert document.notes.get(study_notes.STUDY)["budget"] == BUDGET


def test_failing_method_does_not_affect_others(
    folder: Path, finished_study, tmp_path: Path
) -> None:
    path, _ = finished_study
    runs_before = runs(path)
    process = run_compare(folder, path, "--methods", "RS,EO-mse", "--repetitions", 1)
    content = parse_results(process)
    assert content["methods"] == ["RS"]
    failed = "one · EO-mse · svm-rbf · 1"
    assert "cannot be used" in content["failed"][failed]
    assert runs(path) == runs_before


def test_invalid_space_is_rejected_before_start(folder: Path, tmp_path: Path) -> None:
    C = Float("rbf-svm.C", 0.0, 1.0)
    space = Space("wrong", (Constant("algorithm", "rbf-svm"), C)).to_json()
    changes = {"methods": ["RS"], "spaces": ["svm-rbf", space], "repetitions": 2}
    study = load_study(folder, changes=changes)
    with pytest.raises(SpaceError, match=r"rbf-svm\.C"):
        run_study_here(tmp_path / "d.studio", study, 1, lambda step: None)
    assert not runs(tmp_path / "d.studio")


def test_study_file_selects_tested_models(folder: Path, tmp_path: Path) -> None:
    study = {
        "data": ["one"], "target": "target", "methods": ["RS-post"], "spaces": ["svm-rbf"],
        "split": "DivBO", "refit": False, "sizes": {"quick": {"budget": 2, "repetitions": 1}},
    }  # fmt: skip
    (tmp_path / "s.json").write_text(json.dumps(study))
    path, page = tmp_path / "s.studio", tmp_path / "s.md"
    process = run_command(
        "compare", str(tmp_path / "s.json"), "--size", "quick", "--data", str(folder),
        "--workers", "1", "--report", str(page), "-o", str(path),
    )  # fmt: skip
    assert process.returncode == 0, process.stderr
    assert "RS-post" in process.stdout
    assert "mean rank" not in process.stdout, "it does not apply to one data set"
    with Document.open(path, writable=False) as document:
        (row,) = document.runs.list_all()
        assert row.result is not None
        assert (
            row.result.test_error_ensemble
            == document.trials.list_iterations(row.id)[-1].ensemble_test
        )
        assert f"{100 * row.result.test_error_ensemble:.1f}" in page.read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is a POSIX signal")
def test_killed_cell_worker_is_replaced(folder: Path, finished_study, tmp_path: Path) -> None:
    path = tmp_path / "killed.studio"
    few = study_arguments(folder, path, "--methods", "RS-post", "--repetitions", 1)
    process = subprocess.Popen(
        [sys.executable, "-m", "studio", *few],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT,
    )  # fmt: skip
    wait_for(path, process, trials=1)
    assert kill_cell_worker(process.pid)
    output, complaints = process.communicate()
    content = parse_results(
        subprocess.CompletedProcess(process.args, process.returncode, output, complaints)
    )
    assert content == parse_results(
        run_compare(folder, finished_study[0], "--methods", "RS-post", "--repetitions", 1)
    )
    assert content["cells"] == 2
    mine, theirs = read_recorded_trials(path), read_recorded_trials(finished_study[0])
    assert {name: theirs[name] for name in mine} == mine


def read_recorded_trials(path: Path) -> dict[str, Any]:
    """Return each run's trials and results by name."""
    with Document.open(path, writable=False) as document:
        return {
            row.name: (
                row.result and row.result.test_error_ensemble,
                [
                    (each.configuration, each.loss, each.seed)
                    for each in document.trials.list_all(row.id)
                ],
            )
            for row in document.runs.list_all()
        }


def wait_for(path: Path, process: "subprocess.Popen[str]", trials: int) -> None:
    """Wait until all runs together have a number of trials."""
    while process.poll() is None:
        if path.exists():
            with Document.open(path, writable=False) as document:
                if sum(document.trials.count(row.id) for row in document.runs.list_all()) >= trials:
                    return
        time.sleep(0.02)  # only to leave the core to the study; nothing is timed
    raise AssertionError("the study ended before it could be killed")


def kill_cell_worker(pid: int) -> bool:
    for child in psutil.Process(pid).children():
        with contextlib.suppress(psutil.Error):
            if "lane" in child.cmdline():
                child.kill()
                return True
    return False


@pytest.mark.parametrize(("n_trials", "expected"), [(15, 250.0), (5, 10.0)])
def test_slow_cell_is_extrapolated_from_its_trials(n_trials: int, expected: float) -> None:
    """Once it has taken longer than similar cells, they say nothing about it."""
    coordinator: Any = _Coordinator.__new__(_Coordinator)
    coordinator._study = SimpleNamespace(budget=40)
    coordinator._document = SimpleNamespace(trials=SimpleNamespace(count=lambda _: n_trials))
    coordinator._started = {1: (time.monotonic() - 100, 5)}
    assert coordinator._estimate_rest(1, 20.0) == pytest.approx(expected, rel=0.05)
