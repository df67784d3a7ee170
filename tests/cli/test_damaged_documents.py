"""Commands on documents with one damaged record: messages and remaining functions."""

import contextlib
import io
import json
import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from studio.cli.entry import BUG_MESSAGE, main
from studio.document.damage import BACKUP_ADVICE
from studio.document.sealing import DIGITS
from studio.document.store import Document
from studio.numerals import break_tie
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.settings import RunSettings, TableSource

pytestmark = pytest.mark.slow

BUDGET = 6


@pytest.fixture(scope="module")
def intact_document(tmp_path_factory: pytest.TempPathFactory) -> Path:
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
        source=TableSource(path=str(table)),
        overrides={"ensemble.size": 3},
    )
    with Document.create(path) as document:
        for name in ("one", "two"):
            run = document.runs.add(name, settings.to_json())
            Engine(document, run, lambda progress: None, InlinePool).execute_run()
    return path


@pytest.fixture
def document(intact_document: Path, tmp_path: Path) -> Path:
    """Return a copy of the document, to be damaged."""
    return Path(shutil.copyfile(intact_document, tmp_path / "d.studio"))


def execute_sql(path: Path, sql: str, *values: object) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(sql, values).rowcount


def damage_record(path: Path, table: str, column: str, where: str) -> None:
    """Make a record disagree with its checksum."""
    execute_sql(path, f"UPDATE {table} SET {column} = '{'0' * DIGITS}' || substr({column}, 9) "
                 f"WHERE {where}")  # fmt: skip


def members(path: Path, run: int) -> set[int]:
    with Document.open(path, writable=False) as document:
        result = document.runs.get(run).result
    assert result is not None
    return set(result.weights)


def find_non_member(path: Path, run: int) -> int:
    return min(set(range(1, BUDGET + 1)) - members(path, run))


def run_command(*words: object) -> tuple[int, str, str]:
    """Return a command's exit code, output and error output."""
    stdout, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(err):
        code = main(list(map(str, words)))
    return code, stdout.getvalue(), err.getvalue()


def test_damaged_run_is_reported_and_other_run_is_usable(
    document: Path, intact_document: Path, tmp_path: Path
) -> None:
    damage_record(document, "runs", "body", "id = 2")
    code, out, err = run_command("show", document, "--json")
    assert code == 0
    assert json.loads(out)["run"] == 1
    assert err.count("'run 2'") == 1
    table, predictions_path = intact_document.parent / "t.csv", tmp_path / "p.csv"
    code, _, err = run_command("predict", document, table, "-o", predictions_path)
    assert code == 2
    assert "'run 2'" in err
    assert "--run" in err
    assert run_command("predict", document, table, "-o", predictions_path, "--run", 1)[0] == 0
    assert run_command("show", document, "--run", 2)[0] == 1


def test_document_without_intact_run_is_reported_once(document: Path) -> None:
    damage_record(document, "runs", "body", "id IN (1, 2)")
    code, _, err = run_command("show", document)
    assert code == 2
    assert [err.count(f"'run {number}'") for number in (1, 2)] == [1, 1]
    assert err.count(BACKUP_ADVICE) == 1


def test_run_with_damaged_status_can_be_refitted(document: Path) -> None:
    before = run_command("show", document, "--json", "--run", 2)[1]
    damage_record(document, "runs", "status", "id = 2")
    code, out, err = run_command("show", document, "--json", "--run", 2)
    assert code == 0
    content = json.loads(out)
    assert (content["state"], content["trials"]) == ("failed", BUDGET)
    assert content["test_error_ensemble"] is None
    assert "'status 2'" in err
    assert run_command("resume", document, "--run", 2, "--quiet")[0] == 0
    repeated = json.loads(run_command("show", document, "--json", "--run", 2)[1])
    for name in ("state", "test_error_ensemble", "members", "trials"):
        assert repeated[name] == json.loads(before)[name]


@pytest.mark.parametrize("kept", [True, False], ids=["kept", "trained again"])
def test_lost_trial_does_not_change_predictions(
    document: Path, intact_document: Path, tmp_path: Path, kept: bool
) -> None:
    if not kept:
        execute_sql(document, "DELETE FROM ensembles")
    trial_number = find_non_member(document, 2)
    table, predictions_path = intact_document.parent / "t.csv", tmp_path / "p.csv"
    predict = ("predict", document, table, "-o", predictions_path, "--run", 2)
    assert run_command(*predict)[0] == 0
    bytes_before = predictions_path.read_bytes()
    damage_record(document, "trials", "body", f"run = 2 AND number = {trial_number}")
    code, _, err = run_command(*predict)
    assert code == 0
    assert f"'trial 2 {trial_number}'" in err
    assert predictions_path.read_bytes() == bytes_before


def test_missing_member_prevents_retraining(
    document: Path, intact_document: Path, tmp_path: Path
) -> None:
    trial_number = min(members(document, 2))
    table, predictions_path = intact_document.parent / "t.csv", tmp_path / "p.csv"
    predict = ("predict", document, table, "-o", predictions_path, "--run", 2)
    assert run_command(*predict)[0] == 0
    bytes_before = predictions_path.read_bytes()
    damage_record(document, "trials", "body", f"run = 2 AND number = {trial_number}")
    assert run_command(*predict)[0] == 0
    assert predictions_path.read_bytes() == bytes_before
    execute_sql(document, "DELETE FROM ensembles")
    code, _, err = run_command(*predict)
    assert code == 1
    assert f"Trial {trial_number} of" in err


@pytest.mark.parametrize("member", [True, False])
def test_report_and_trial_list_mention_lost_trial(
    document: Path, tmp_path: Path, member: bool
) -> None:
    trial_number = min(members(document, 2)) if member else find_non_member(document, 2)
    error = json.loads(run_command("show", document, "--json")[1])["test_error_ensemble"]
    damage_record(document, "trials", "body", f"run = 2 AND number = {trial_number}")
    page, table = tmp_path / "r.html", tmp_path / "t.csv"
    assert run_command("export", document, "--format", "report", "-o", page)[0] == 0
    text = page.read_text()
    assert f"“trial 2 {trial_number}”" in text
    assert f"{break_tie(100 * error, 1):.1f}" in text
    assert ("Weights of the" in text) is not member
    assert run_command("export", document, "--format", "trials", "-o", table)[0] == 0
    rows = table.read_text().splitlines()
    assert len(rows) == BUDGET + 1
    assert rows[trial_number].startswith(f"{trial_number},failed,")


@pytest.mark.parametrize(
    "command_line",
    ["resume {document} --budget 9 --quiet", "fork {document} --at 6 --quiet", "refit {document}"],
)
def test_resuming_after_lost_trial_is_rejected(document: Path, command_line: str) -> None:
    trial_number = find_non_member(document, 2)
    damage_record(document, "trials", "body", f"run = 2 AND number = {trial_number}")
    with Document.open(document) as opened:
        result = opened.runs.get(2).result
    code, _, err = run_command(*command_line.format(document=document).split())
    assert code == 1
    assert f"Trial {trial_number} of" in err
    assert BUG_MESSAGE not in err
    with Document.open(document) as opened:
        assert [row.id for row in opened.runs.list_all()] == [1, 2]
        assert opened.trials.count(2) == BUDGET
        assert opened.runs.get(2).result == result


def test_trial_without_predictions_counts_as_lost(document: Path, tmp_path: Path) -> None:
    trial_number = find_non_member(document, 2)
    with Document.open(document, writable=False) as opened:
        ((array, _),) = [opened.query("SELECT body, 0 FROM trials WHERE run = 2 AND number = ?",
                                      (trial_number,))[0]]  # fmt: skip
    stored = json.loads(array[DIGITS:])["validation"][0]
    execute_sql(document, "UPDATE blocks SET crc = crc + 1 WHERE id = ?", stored << 20)
    page = tmp_path / "r.html"
    assert run_command("show", document)[2] == ""
    code, _, err = run_command("export", document, "--format", "report", "-o", page)
    assert code == 0
    assert f"'predictions of trial 2 {trial_number}'" in err
    assert run_command("resume", document, "--budget", 9, "--quiet")[0] == 1


def test_damaged_table_blocks_only_its_run(
    document: Path, intact_document: Path, tmp_path: Path
) -> None:
    damage_record(document, "data", "body", "id = 2")
    table, output_path = intact_document.parent / "t.csv", tmp_path / "p.csv"
    assert run_command("show", document, "--run", 2)[0] == 0
    assert (
        run_command("export", document, "--format", "trials", "-o", output_path, "--run", 2)[0] == 0
    )
    code, _, err = run_command("predict", document, table, "-o", output_path, "--run", 2)
    assert code == 1
    assert "'table 2'" in err
    assert run_command("predict", document, table, "-o", output_path, "--run", 1)[0] == 0
