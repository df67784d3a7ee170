"""Disk failures at every n-th write, through SQLite's file layer."""

import contextlib
import ctypes
import itertools
import shutil
import sqlite3
from pathlib import Path

import pytest

from studio.document import connection, sqlite_errors
from studio.document.store import Document
from studio.errors import DocumentError, DocumentWriteError
from tests.facts import facts
from tests.results import make_result

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def add_test_folder_to_path(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))


@pytest.fixture(scope="module", autouse=True)
def sqlite_can_be_reached():
    try:
        _ = ctypes.CDLL(__import__("_sqlite3").__file__).sqlite3_vfs_find
    except (AttributeError, OSError):
        pytest.skip("this Python hides the functions of its SQLite")


def session(path, work, say, patient):
    """Make a document and work on it; with ``patient``, failed actions are repeated."""

    def do(what, action):
        for attempt in (1, 2):
            try:
                outcome = action()
            except DocumentError as error:
                assert isinstance(error, DocumentWriteError) or what in {"create", "claim"}, error
                say(f"failed: {what}: {error}")
                if not patient or attempt == 2:
                    raise
            else:
                say(what)
                return outcome
        return None

    # Every commit is checkpointed immediately, so that those writes fail too.
    connection._CHECKPOINT_PAGES = 1
    document = do("create", lambda: Document.create(path))
    try:
        run = do("run", lambda: work.start(document))
        do("claim", lambda: document.owners.claim(run))
        for number in (1, 2):
            do(f"trial {number}", lambda n=number: work.add(document, run, n))
        do("result", lambda: document.runs.set_result(run, make_result()))
        do("note", lambda: document.notes.set("page", "Run"))
    finally:
        document.close()


def play(fork, path, work, first, last, kind, patient):
    def job(say):
        from failing_disk import FailingDisk

        disk = FailingDisk(first, last, kind)
        try:
            session(path, work, say, patient)
            say("done")
        except DocumentError:
            say("gave up")
        say(f"calls {disk.count}")

    after_message = fork(job).end()
    assert not [line for line in after_message if line.startswith("ERROR")], after_message
    return after_message


def check(path, work, after_message):
    """All reported trials exist, and the next can be added."""
    trials = [line for line in after_message if line.startswith("trial ")]
    if "create" not in after_message and not path.exists():
        return
    with Document.open(path) as document:
        runs = document.runs.list_all()
        if "run" in after_message:
            assert len(runs) >= 1
        work.check_all(document)
        if runs:
            document.owners.claim(runs[-1].id)
            count = document.trials.count(runs[-1].id)
            assert count in {len(trials), len(trials) + 1}
            work.add(document, runs[-1].id, count + 1)
        if "result" in after_message:
            assert runs[-1].result == make_result()
        if "note" in after_message:
            assert document.notes.get("page") == "Run"


def clean(path):
    for entry in path.parent.iterdir():
        entry.unlink()


def test_fault_injection_session_has_enough_writes(path, work, fork):
    after_message = play(fork, path, work, 0, 0, "full", patient=True)
    assert after_message[-2] == "done"
    assert int(after_message[-1].split()[1]) > 60
    check(path, work, after_message)


def calls(path, work, fork):
    count = int(play(fork, path, work, 0, 0, "full", patient=True)[-1].split()[1])
    clean(path)
    return count


def shared(kind, count):
    """Return the failing writes of this kind, every third one in total.

    The torture suite tests all of them (``writes``).
    """
    return range(1 + 3 * (kind == "error"), count + 1, 6)


@pytest.mark.parametrize("kind", ["full", "error"])
def test_failed_write_is_reported_and_can_be_repeated(path, work, fork, kind):
    for number in shared(kind, calls(path, work, fork)):
        after_message = play(fork, path, work, number, number, kind, patient=True)
        assert "done" in after_message, (number, after_message)
        failed = [line for line in after_message if line.startswith("failed: ")]
        for line in failed:
            assert "no space left" in line or "reported an error" in line or "disk refused" in line
        check(path, work, after_message)
        clean(path)


@pytest.mark.parametrize("kind", ["full", "error"])
def test_failing_disk_loses_no_committed_data(path, work, fork, kind):
    for number in shared(kind, calls(path, work, fork)):
        after_message = play(fork, path, work, number, 10**9, kind, patient=False)
        check(path, work, after_message)
        clean(path)


def test_torn_write_and_kill_lose_no_committed_data(path, work, fork):
    for number in range(1, calls(path, work, fork) + 1, 3):
        after_message = play(fork, path, work, number, number, "kill", patient=False)
        check(path, work, after_message)
        clean(path)


@pytest.mark.parametrize("kind", ["full", "kill"])
def test_failed_removal_does_not_harm_other_runs(path, work, fork, kind, monkeypatch):
    monkeypatch.setattr(connection, "_STEP_PAGES", 4)
    intact_path = path.with_name("whole.studio")
    work.rows = 1000
    with Document.create(intact_path) as document:
        for _ in range(2):
            run = work.start(document)
            for trial in (1, 2, 3):
                work.add(document, run, trial)
    outcomes = set()
    for number in itertools.count(1):
        shutil.copyfile(intact_path, path)

        def job(say, number=number):
            from failing_disk import FailingDisk

            disk = FailingDisk(number, 10**9, kind)
            with contextlib.suppress(DocumentError), Document.open(path) as document:
                document.remove_run(1)
                say("removed")
                document.vacuum_free_pages()
            say(f"calls {disk.count}")

        after_message = fork(job).end()
        with Document.open(path) as document:
            n_runs = len(document.runs.list_all())
            work.check_all(document)
            assert n_runs == 1 or "removed" not in after_message
            document.vacuum_free_pages()
            assert document.count_free_bytes() == 0
        outcomes.add((n_runs, path.stat().st_size < intact_path.stat().st_size))
        if after_message[-1:] == [f"calls {number - 1}"]:
            break
        for each in path.parent.glob(f"{path.name}*"):
            each.unlink()
    assert outcomes == {(2, False), (1, True)}


def test_file_size_limit_is_reported_without_loss(path, work, fork):
    """The same with a real failing system call: writes stop at a size of the file."""

    resource = pytest.importorskip("resource")

    def job(limit):
        def run(say):
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            try:
                session(path, work, say, patient=False)
            except DocumentError:
                say("gave up")

        return run

    for limit in range(1_000, 400_000, 19_000):
        after_message = fork(job(limit)).end()
        assert not [line for line in after_message if line.startswith("ERROR")], after_message
        check(path, work, after_message)
        clean(path)


def test_known_errors_have_messages_with_remedies(path):
    for code, name in ((c, n) for n, c in vars(sqlite3).items() if n.startswith("SQLITE_")):
        if not isinstance(code, int):
            continue
        error = sqlite3.OperationalError(name)
        error.sqlite_errorcode = code
        explanation = sqlite_errors.explain(error, path, "opened")
        assert facts(explanation)["name"] == repr(path.name)
        assert explanation.endswith((".", ".)"))


def raise_error(error_name, path):
    error = sqlite3.OperationalError(error_name)
    error.sqlite_errorcode = getattr(sqlite3, f"SQLITE_{error_name}")
    return str(sqlite_errors.explain(error, path, "written"))


@pytest.mark.parametrize("name", ["FULL", "IOERR", "IOERR_WRITE", "IOERR_FSYNC"])
def test_disk_failure_is_reported_as_cause(path, monkeypatch, name):
    monkeypatch.setattr(
        sqlite_errors, "find_mount_point", lambda place: {path: Path("/the/disk")}[place]
    )
    assert "disk /the/disk" in raise_error(name, path)


def test_file_system_without_locks_is_reported(path, monkeypatch):
    monkeypatch.setattr(sqlite_errors, "find_mount_point", lambda place: Path("/the/disk"))
    without = raise_error("IOERR_LOCK", path)
    assert "/the/disk " in without
    for name in ("IOERR_RDLOCK", "IOERR_UNLOCK", "IOERR_CHECKRESERVEDLOCK", "IOERR_SHMLOCK"):
        assert raise_error(name, path) == without
    for name in ("BUSY", "PROTOCOL"):
        assert raise_error(name, path) != without
        with monkeypatch.context() as lacking:
            lacking.setattr(sqlite_errors, "has_locks", lambda folder: folder != path.parent)
            assert raise_error(name, path) == without


def test_programming_error_is_not_explained(path):
    text = "Cannot operate on a closed database."
    explanation = sqlite_errors.explain(sqlite3.ProgrammingError(text), path, "read")
    assert explanation.endswith(f" read. {text}")
    assert not sqlite_errors.is_busy(sqlite3.ProgrammingError("x"))
