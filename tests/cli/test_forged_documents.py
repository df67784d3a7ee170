"""Forged documents with valid checksums: all readers reject them.

Only an attacker or another program writes such a record; each must cause an error message of ours.
"""

import contextlib
import io
import itertools
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from studio.cli.entry import BUG_MESSAGE, main
from studio.compare import study_notes
from studio.compare.coordinator import load_coordinator
from studio.compare.study import load_study
from studio.document.store import Document
from studio.errors import DocumentError, StudioError
from studio.helper.answers import encode
from studio.helper.registry import run_task
from studio.runs.inline import InlinePool
from studio.runs.settings import RunSettings
from tests.facts import facts
from tests.forged import iter_forgeries, make_complete_document, put, write_into_open

pytestmark = pytest.mark.slow

RUN = 2


@pytest.fixture(scope="module")
def valid_document(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a sound document with a record of every kind."""
    return make_complete_document(tmp_path_factory.mktemp("whole"))


def read_everything(document: Document) -> None:
    """Read every record, like the window on opening."""
    for row in document.runs.list_all():
        RunSettings.from_row(row)
        document.trials.list_rows(row.id)
        document.journal.list_running(row.id)
        document.ensembles.read_metadata(row.id)
    document.journal.list_messages()
    document.spaces.list_names()
    document.tables.list_all()
    document.get_removed_runs()
    study_notes.load_stored_study(document)
    study_notes.find_dataset_note(document, "t")
    study_notes.find_cell_note(document, "t · BO-post · svm-rbf · 1")
    load_coordinator(document)


def test_forged_records_are_rejected_or_skipped(
    valid_document: Path, tmp_path: Path, every: int
) -> None:
    # A third, coprime to the number of altered values, so that each location gets several of them.
    stride = min(every, 3)
    path = Path(shutil.copyfile(valid_document, tmp_path / "d.studio"))
    faults, count = [], 0
    with Document.open(path) as document:
        for description, record, text in itertools.islice(
            iter_forgeries(valid_document), None, None, stride
        ):
            write_into_open(document, record, text)
            count += 1
            try:
                read_everything(document)
            except StudioError:
                pass
            except Exception as error:
                faults.append(f"{description}: {error!r}")
            write_into_open(document, record, record.sealed)
    assert count > 3000 / stride
    assert not faults, faults[:20]


def test_damage_message_contains_expected_and_actual_value(
    valid_document: Path, tmp_path: Path
) -> None:
    path = Path(shutil.copyfile(valid_document, tmp_path / "d.studio"))
    for description, record, text in iter_forgeries(valid_document):
        if description == f"run {RUN} settings.plan.train = 'no such thing'":
            put(path, record, text)
    with (
        Document.open(path, writable=False) as document,
        pytest.raises(DocumentError) as error_info,
    ):
        RunSettings.from_row(document.runs.get(RUN))
    error_facts = facts(error_info.value)
    assert (error_facts["label"], error_facts["place"]) == ("'run 2'", "'plan.train'")
    assert error_facts["found"] == "'no such thing'"


def run_and_check(*words: object) -> str:
    """Run a command with training in this process; return the output of a fault."""
    stdout = io.StringIO()
    with (
        mock.patch(
            "studio.runs.pool.start_early_workers", lambda *_: contextlib.nullcontext(InlinePool)
        ),
        contextlib.redirect_stdout(stdout),
        contextlib.redirect_stderr(stdout),
    ):
        main(list(map(str, words)))
    return stdout.getvalue() if BUG_MESSAGE in stdout.getvalue() else ""


def run_helper_task(task: str, **arguments: Any) -> str:
    """Run a task of the window's helper; return a fault, if any."""
    try:
        encode(run_task(task, arguments))
    except StudioError:
        return ""
    except Exception as error:
        return repr(error)
    return ""


def readers(path: Path, table: Path, out: Path) -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield the readers of a document."""
    run = ("--run", RUN)
    of_run = {"path": str(path), "run_id": RUN}
    commands: dict[str, tuple[object, ...]] = {
        "show": ("show", path, "--json", *run),
        "predict": ("predict", path, table, "-o", out, *run),
        **{
            form: ("export", path, "--format", form, "-o", out, *run)
            for form in ("report", "trials", "space")
        },
    }
    for name, argv in commands.items():
        yield name, lambda argv=argv: run_and_check(*argv)
    tasks: dict[str, dict[str, Any]] = {
        "study_grid": {"document": str(path)},
        "study_results": {"document": str(path), "thorough": True},
        "check_table": {"document": str(path), "run": RUN, "path": str(table)},
        "search_diversity": of_run,
        "contributions": {**of_run, "iteration": 6},
        "prediction_errors": {**of_run, "iteration": 6, "rows": "test", "about": None},
        "what_if": {**of_run, "iteration": 6, "weights": [[1, 0.5]]},
    }
    for name, arguments in tasks.items():
        yield name, lambda name=name, arguments=arguments: run_helper_task(name, **arguments)


def test_commands_and_helper_report_forged_documents(
    valid_document: Path, tmp_path: Path, every: int
) -> None:
    faults = []
    for number, (description, record, text) in enumerate(iter_forgeries(valid_document)):
        if number % every == 0:
            path = Path(shutil.copyfile(valid_document, tmp_path / f"{number}.studio"))
            put(path, record, text)
            for name, read in readers(path, valid_document.parent / "t.csv", tmp_path / "out"):
                if fault := read():
                    faults.append(f"{description}: {name}: {fault[-900:]}")
            path.unlink()
    assert not faults, faults[:5]


def test_malformed_study_is_rejected(valid_document: Path, tmp_path: Path) -> None:
    path = Path(shutil.copyfile(valid_document, tmp_path / "d.studio"))
    with Document.open(path) as document:
        document.notes.set(study_notes.STUDY, {"data": "t", "methods": []})
    with pytest.raises(DocumentError, match="should be a list"):
        load_study(path)


def test_damaged_run_can_be_removed_by_command(valid_document: Path, tmp_path: Path) -> None:
    path = Path(shutil.copyfile(valid_document, tmp_path / "d.studio"))
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE runs SET body = 'x', owner = NULL WHERE id = ?", (RUN,))
    assert not run_and_check("remove", path, "--run", RUN)
    with Document.open(path, writable=False) as document:
        assert document.runs.list_all() == ()
        assert document.damaged_records == ()
        assert document.get_removed_runs() == (1, RUN)
        assert document.query("SELECT * FROM trials") == []
