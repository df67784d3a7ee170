"""Studies with a method of another library where that library is not installed."""

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from studio.cli.entry import main
from studio.compare.interim_results import InterimReader
from studio.compare.study import load_study
from studio.document import sealing
from studio.errors import UsageError
from studio.proposers import optuna
from studio.proposers.method import compose
from studio.runs.compatible import check_settings
from studio.runs.settings import RunSettings
from tests.small_runs import small_table  # noqa: F401

OWN, PEER = "RS-post", "optuna"


def conduct(folder: Path, document: Path, methods: str, *more: object) -> int:
    return main(
        ["compare", str(folder), "--methods", methods, "--spaces", "svm-rbf", "--budget", "3",
         "--repetitions", "1", "--workers", "1", "--quiet", "-o", str(document),
         *map(str, more)]
    )  # fmt: skip


def rename_method(path: Path) -> None:
    """Make the records of our own method those of another library's, as if it had run."""
    with sqlite3.connect(path) as database:
        for table, key in (("runs", "id"), ("notes", "name")):
            for name, sealed in database.execute(f"SELECT {key}, body FROM {table}").fetchall():
                kind = "run" if table == "runs" else "note"
                content = json.dumps(sealing.unseal(sealed, f"{kind} {name}"))
                new_name = name if table == "runs" else name.replace(OWN, PEER)
                renamed = json.loads(content.replace(OWN, PEER))
                database.execute(
                    f"UPDATE {table} SET {key} = ?, body = ? WHERE {key} = ?",
                    (new_name, sealing.seal(renamed, f"{kind} {new_name}"), name),
                )
    database.close()


@pytest.fixture(scope="module")
def finished_study(
    tmp_path_factory: pytest.TempPathFactory,
    small_table: Path,  # noqa: F811
) -> Path:
    """Return the document of a finished study with a method of the library."""
    folder = tmp_path_factory.mktemp("study")
    tables = folder / "tables"
    tables.mkdir()
    (tables / "small.csv").write_bytes(small_table.read_bytes())
    document = folder / "study.studio"
    assert conduct(tables, document, f"RS,{OWN}") == 0
    rename_method(document)
    return document


@pytest.fixture
def study(finished_study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the finished study's document, without the library."""
    monkeypatch.setattr(optuna, "find_spec", lambda _: None)
    return Path(shutil.copy(finished_study, tmp_path))


@pytest.mark.slow
def test_finished_study_is_read_without_library(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report.md"
    assert main(["compare", str(study), "--report", str(report)]) == 0
    assert f"| RS | {PEER} |" in report.read_text(encoding="utf-8")
    results = InterimReader(study).read(thorough=True)
    assert results.finished == 2
    # Another method of the library is rejected before the stored study changes.
    assert main(["compare", str(study), "--with", "optuna-gp", "-o", str(study)]) == 2
    assert optuna.OptunaGp.get_missing_dependency() in capsys.readouterr().err
    assert [each.name for each in load_study(study).methods] == ["RS", PEER]


@pytest.mark.slow
def test_only_open_runs_of_missing_library_fail(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report.md"
    arguments = ["compare", str(study), "--repetitions", "2", "--report", str(report)]
    assert main(arguments) == 0
    assert optuna.OptunaTpe.get_missing_dependency() in capsys.readouterr().err
    text = report.read_text(encoding="utf-8")
    assert f"{PEER} · svm-rbf · 2" in text and optuna.OptunaTpe.title in text
    assert f"| RS | {PEER} |" in text


def test_only_new_runs_need_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optuna, "find_spec", lambda _: None)
    method = compose(PEER, {}, "binary", is_prepared=True)
    message = method.proposer.get_missing_dependency()
    with pytest.raises(UsageError) as rejection:
        check_settings(RunSettings(method=PEER))
    assert str(rejection.value) == message
    with pytest.raises(UsageError) as rejection:
        method.proposer.suggest(None)  # type: ignore[arg-type]
    assert str(rejection.value) == message
