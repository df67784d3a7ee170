"""Files named in the settings of a run are opened only at its start."""

from collections.abc import Callable
from pathlib import Path

import pytest

from studio.cli.entry import main
from studio.document.store import Document
from studio.errors import RunError
from studio.runs.load import follow
from studio.runs.prepare import prepare
from studio.runs.settings import TableSource

MakesRun = Callable[..., tuple[Path, int]]


def test_opening_run_does_not_read_referenced_files(new_run: MakesRun) -> None:
    path, run_id = new_run()
    for look in (prepare, follow):
        with Document.open(path) as document, pytest.raises(RunError, match="has not started"):
            look(document, run_id)
    with Document.open(path) as document:
        assert document.runs.get(run_id).table_id is None
        prepare(document, run_id, starts_run=True)
        prepare(document, run_id)
        follow(document, run_id)


def test_opening_run_does_not_read_second_file(new_run: MakesRun, small_table: Path) -> None:
    path, run_id = new_run()
    with Document.open(path) as document:
        prepare(document, run_id, starts_run=True)
        table = document.runs.get(run_id).table_id
        both = TableSource(path=str(small_table), test_path=str(small_table))
        settings = {**document.runs.get(run_id).settings, "source": both.to_json()}
        other = document.runs.add("other", settings, table)
        with pytest.raises(RunError, match="has not started"):
            prepare(document, other)
        prepare(document, other, starts_run=True)
        prepare(document, other)


@pytest.mark.parametrize(
    "argv",
    [
        ("show", "{document}"),
        ("predict", "{document}", "{table}", "-o", "{folder}/p.csv", "--run", "1"),
        ("export", "{document}", "--format", "report", "-o", "{folder}/r.html", "--run", "1"),
        ("export", "{document}", "--format", "pickle", "-o", "{folder}/r.pkl", "--run", "1"),
        ("refit", "{document}", "--run", "1"),
        ("fork", "{document}", "--run", "1", "--budget", "3"),
    ],
    ids=lambda words: "-".join(words[:1] + words[3:4]).strip("-"),
)
def test_only_starting_commands_read_table_file(
    new_run: MakesRun, small_table: Path, tmp_path: Path, argv: tuple[str, ...]
) -> None:
    document, run_id = new_run()
    places = {"document": document, "table": small_table, "folder": tmp_path}
    main([each.format(**places) for each in argv])
    with Document.open(document) as opened:
        assert opened.runs.get(run_id).table_id is None
        assert next(iter(opened.runs.list_all())).state == "waiting"


@pytest.mark.slow
def test_run_stores_path_of_its_table(finished_run: MakesRun, small_table: Path) -> None:
    path, run_id = finished_run(budget=1, method="RS")
    with Document.open(path) as document:
        messages = [each.text for each in document.journal.list_messages(run_id)]
    assert any(str(small_table) in text for text in messages)
