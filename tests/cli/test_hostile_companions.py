"""Files beside a foreign document are harmless to all commands."""

import contextlib
import io
import shutil
import subprocess
from pathlib import Path

import pytest

from studio.children import make_studio_command
from studio.cli.entry import COMMANDS, main
from tests.document.hostile_files import content, create_special_file, write_rollback_journal
from tests.forged import make_complete_document

pytestmark = pytest.mark.slow

DOCUMENT, TABLE, OUT = "whole.studio", "t.csv", "out"

WORDS = {
    "run": (TABLE, "-o", DOCUMENT, "--budget", "1", "--quiet"),
    "resume": (DOCUMENT, "--quiet"),
    "fork": (DOCUMENT, "--method", "RS", "--quiet"),
    "compare": (DOCUMENT, "--quiet"),
    "show": (DOCUMENT,),
    "refit": (DOCUMENT,),
    "remove": (DOCUMENT, "--run", "2"),
    "decide": (DOCUMENT,),
    "predict": (DOCUMENT, TABLE, "-o", OUT),
    "export": (DOCUMENT, "--format", "report", "-o", OUT),
    "learning-curve": (DOCUMENT,),
    "engine": (DOCUMENT, "--run", "2"),
    "conduct": (DOCUMENT,),
    "lane": (DOCUMENT,),
    "picture": (DOCUMENT, "-o", OUT),
}
WITHOUT = {"open", "methods", "spaces", "helper", "check"}
"""Commands that open no document, or (the window) open it like ``picture``."""


@pytest.fixture(scope="module")
def document_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a sound document and its table."""
    return make_complete_document(tmp_path_factory.mktemp("whole")).parent


@pytest.fixture
def folder(document_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the folder to work in."""
    shutil.copytree(document_folder, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_command(name: str) -> tuple[int, str]:
    """Run a command; return its exit code and output."""
    if name in {"picture", "lane"}:  # a window, and a command that reads its input from a pipe
        process = subprocess.run(
            make_studio_command(name, *WORDS[name]), input="1\n", text=True, timeout=120,
            capture_output=True, check=False,
        )  # fmt: skip
        return process.returncode, process.stdout + process.stderr
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        return main([name, *WORDS[name]]), output.getvalue()


def test_hostile_companion_tests_cover_every_command() -> None:
    assert WORDS.keys() | WITHOUT == COMMANDS.keys()


@pytest.mark.parametrize("name", WORDS)
def test_rollback_journal_error_names_file(folder: Path, name: str) -> None:
    victim = folder / "thesis.tex"
    victim.write_text("years of work")
    write_rollback_journal(folder / DOCUMENT, victim)
    content_before = content(folder)
    code, output = run_command(name)
    assert content(folder) == content_before
    assert f"{DOCUMENT}-journal" in output
    assert code == (name != "lane"), "a lane reports it to the study, and waits for the next cell"


@pytest.mark.parametrize("suffix", ["-journal", "-wal", "-shm"])
def test_named_pipe_next_to_document_does_not_block(folder: Path, suffix: str) -> None:
    create_special_file(folder / DOCUMENT, suffix, "fifo", folder / TABLE)
    code, output = run_command("show")
    assert f"{DOCUMENT}{suffix}" in output
    assert code == 1
