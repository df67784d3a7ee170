"""Commands on documents with one damaged record: messages, and what still works."""

import contextlib
import io
import json
import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from studio.cli.entry import main
from studio.document.sealing import DIGITS
from studio.document.store import Document
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.settings import RunSettings, Source

BUDGET = 6


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a document of two finished runs, beside its table."""
    folder = tmp_path_factory.mktemp("whole")
    rng = np.random.default_rng(0)
    lines = [f"{a:.3f},{b:.3f},{'yn'[int(a + b > 0)]}" for a, b in rng.normal(size=(80, 2))]
    table, path = folder / "t.csv", folder / "whole.studio"
    table.write_text("\n".join(["a,b,target", *lines]))
    settings = RunSettings(
        method="RS-post",
        budget=BUDGET,
        workers=1,
        refit=False,
        source=Source(path=str(table)),
        overrides={"ensemble.size": 3},
    )
    with Document.create(path) as document:
        for name in ("one", "two"):
            run = document.runs.add(name, settings.to_json())
            Engine(document, run, lambda progress: None, InlinePool).work()
    return path


@pytest.fixture
def document(whole: Path, tmp_path: Path) -> Path:
    """Return a copy of that document to be damaged."""
    return Path(shutil.copyfile(whole, tmp_path / "d.studio"))


def change(path: Path, sql: str, *values: object) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(sql, values).rowcount


def spoil(path: Path, table: str, column: str, where: str) -> None:
    """Make a record disagree with its checksum."""
    change(path, f"UPDATE {table} SET {column} = '{'0' * DIGITS}' || substr({column}, 9) "
                 f"WHERE {where}")  # fmt: skip


def members(path: Path, run: int) -> set[int]:
    with Document.open(path, writable=False) as document:
        result = document.runs.get(run).result
    assert result is not None
    return set(result.weights)


def no_member(path: Path, run: int) -> int:
    return min(set(range(1, BUDGET + 1)) - members(path, run))


def asked(*words: object) -> tuple[int, str, str]:
    """Return a command's exit code, what it printed, and what it said of errors."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(list(map(str, words)))
    return code, out.getvalue(), err.getvalue()


@pytest.mark.slow
def test_a_damaged_run_is_named_and_the_other_is_shown_and_used(
    document: Path, whole: Path, tmp_path: Path
) -> None:
    spoil(document, "runs", "body", "id = 2")
    code, out, err = asked("show", document, "--json")
    assert code == 0
    assert json.loads(out)["run"] == 1
    assert err.count("'run 2'") == 1
    table, made = whole.parent / "t.csv", tmp_path / "p.csv"
    code, _, err = asked("predict", document, table, "-o", made)
    assert code == 2
    assert "'run 2'" in err
    assert "--run" in err
    assert asked("predict", document, table, "-o", made, "--run", 1)[0] == 0
    assert asked("show", document, "--run", 2)[0] == 1


@pytest.mark.slow
def test_a_run_whose_status_is_damaged_is_shown_and_gets_its_result_again(document: Path) -> None:
    before = asked("show", document, "--json", "--run", 2)[1]
    spoil(document, "runs", "status", "id = 2")
    code, out, err = asked("show", document, "--json", "--run", 2)
    assert code == 0
    shown = json.loads(out)
    assert (shown["state"], shown["trials"]) == ("failed", BUDGET)
    assert shown["test_error_ensemble"] is None
    assert "'status 2'" in err
    assert asked("resume", document, "--run", 2, "--quiet")[0] == 0
    again = json.loads(asked("show", document, "--json", "--run", 2)[1])
    for name in ("state", "test_error_ensemble", "members", "trials"):
        assert again[name] == json.loads(before)[name]


@pytest.mark.slow
@pytest.mark.parametrize("kept", [True, False], ids=["kept", "trained again"])
def test_a_lost_trial_changes_no_prediction(
    document: Path, whole: Path, tmp_path: Path, kept: bool
) -> None:
    if not kept:
        change(document, "DELETE FROM ensembles")
    lost = no_member(document, 2)
    table, made = whole.parent / "t.csv", tmp_path / "p.csv"
    predict = ("predict", document, table, "-o", made, "--run", 2)
    assert asked(*predict)[0] == 0
    before = made.read_bytes()
    spoil(document, "trials", "body", f"run = 2 AND number = {lost}")
    code, _, err = asked(*predict)
    assert code == 0
    assert f"'trial 2 {lost}'" in err
    assert made.read_bytes() == before


def test_a_lost_member_is_needed_where_the_ensemble_is_trained_again(
    document: Path, whole: Path, tmp_path: Path
) -> None:
    lost = min(members(document, 2))
    table, made = whole.parent / "t.csv", tmp_path / "p.csv"
    predict = ("predict", document, table, "-o", made, "--run", 2)
    assert asked(*predict)[0] == 0
    before = made.read_bytes()
    spoil(document, "trials", "body", f"run = 2 AND number = {lost}")
    assert asked(*predict)[0] == 0
    assert made.read_bytes() == before
    change(document, "DELETE FROM ensembles")
    code, _, err = asked(*predict)
    assert code == 1
    assert f"Trial {lost} of" in err


@pytest.mark.parametrize("member", [True, False])
def test_the_report_and_the_trials_name_the_lost_trial(
    document: Path, tmp_path: Path, member: bool
) -> None:
    lost = min(members(document, 2)) if member else no_member(document, 2)
    error = json.loads(asked("show", document, "--json")[1])["test_error_ensemble"]
    spoil(document, "trials", "body", f"run = 2 AND number = {lost}")
    page, table = tmp_path / "r.html", tmp_path / "t.csv"
    assert asked("export", document, "--format", "report", "-o", page)[0] == 0
    text = page.read_text()
    assert f"its record &#x27;trial 2 {lost}&#x27;" in text
    assert f"{100 * error:.1f}" in text
    assert ("Weights of the" in text) is not member
    assert asked("export", document, "--format", "trials", "-o", table)[0] == 0
    rows = table.read_text().splitlines()
    assert len(rows) == BUDGET + 1
    assert rows[lost].startswith(f"{lost},failed,")


@pytest.mark.parametrize(
    "words",
    [
        "resume {document} --budget 9 --quiet",
        "fork {document} --at 6 --quiet",
        "refit {document}",
    ],
)
def test_continuing_after_a_lost_trial_is_rejected(document: Path, words: str) -> None:
    lost = no_member(document, 2)
    spoil(document, "trials", "body", f"run = 2 AND number = {lost}")
    with Document.open(document) as opened:
        result = opened.runs.get(2).result
    code, _, err = asked(*words.format(document=document).split())
    assert code == 1
    assert f"Trial {lost} of" in err
    assert "the program's fault" not in err
    with Document.open(document) as opened:
        assert [row.id for row in opened.runs.all()] == [1, 2]
        assert opened.trials.count(2) == BUDGET
        assert opened.runs.get(2).result == result


def test_lost_predictions_count_as_a_lost_trial(document: Path, tmp_path: Path) -> None:
    lost = no_member(document, 2)
    with Document.open(document, writable=False) as opened:
        ((array, _),) = [opened.query("SELECT body, 0 FROM trials WHERE run = 2 AND number = ?",
                                      (lost,))[0]]  # fmt: skip
    stored = json.loads(array[DIGITS:])["validation"][0]
    change(document, "UPDATE blocks SET crc = crc + 1 WHERE id = ?", stored << 20)
    page = tmp_path / "r.html"
    assert asked("show", document)[2] == ""
    code, _, err = asked("export", document, "--format", "report", "-o", page)
    assert code == 0
    assert f"'predictions of trial 2 {lost}'" in err
    assert asked("resume", document, "--budget", 9, "--quiet")[0] == 1


def test_damaged_table_blocks_only_its_run(document: Path, whole: Path, tmp_path: Path) -> None:
    spoil(document, "data", "body", "id = 2")
    table, made = whole.parent / "t.csv", tmp_path / "p.csv"
    assert asked("show", document, "--run", 2)[0] == 0
    assert asked("export", document, "--format", "trials", "-o", made, "--run", 2)[0] == 0
    code, _, err = asked("predict", document, table, "-o", made, "--run", 2)
    assert code == 1
    assert "'table 2'" in err
    assert asked("predict", document, table, "-o", made, "--run", 1)[0] == 0
