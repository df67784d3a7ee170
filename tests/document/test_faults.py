"""A disk that fails at the n-th write, for every n: through SQLite's own file layer."""

import ctypes
import os
import signal
import sqlite3

import pytest

from studio.document import Document, connection, faults
from studio.errors import DocumentError, DocumentWriteError

pytestmark = pytest.mark.slow

POINTER, INT, LONG = ctypes.c_void_p, ctypes.c_int, ctypes.c_int64
# sqlite3_io_methods: a version, then function pointers in this order.
WRITE, TRUNCATE, SYNC = 3, 4, 5
METHODS = 19
# sqlite3_vfs: xOpen follows version, size, path length, next, name, data; xDelete is next to it.
OPEN = 4
FULL, WRITE_ERROR, SYNC_ERROR, TRUNCATE_ERROR = 13, 778, 1034, 1546


class FailingDisk:
    """Counts what reaches the disk and lets it fail (in this process, for ever: fork first).

    Parameters
    ----------
    first, last : int
        Which of the counted calls fail.
    kind : {"full", "error", "kill"}
        No space; half of the bytes written and then an I/O error; half of the bytes written and
        then ``kill -9``.
    """

    def __init__(self, first, last, kind):
        self.count = 0
        self.first, self.last, self.kind = first, last, kind
        self.kept = []
        self.patched = {}
        library = ctypes.CDLL(__import__("_sqlite3").__file__)
        library.sqlite3_vfs_find.restype = POINTER
        self.vfs = (POINTER * 16).from_address(library.sqlite3_vfs_find(None))
        kind_of_open = ctypes.CFUNCTYPE(INT, POINTER, POINTER, POINTER, INT, POINTER)
        really_open = kind_of_open(self.vfs[OPEN + 1])

        def open_file(vfs, name, file, flags, out):
            code = really_open(vfs, name, file, flags, out)
            methods = POINTER.from_address(file)
            if code == 0 and methods.value:
                methods.value = self.patch(methods.value)
            return code

        self.vfs[OPEN + 1] = self.keep(kind_of_open, open_file)

    def keep(self, kind, function):
        made = kind(function)
        self.kept.append(made)
        return ctypes.cast(made, POINTER).value

    def fails(self):
        self.count += 1
        return self.first <= self.count <= self.last

    def patch(self, address):
        if address in self.patched:
            return ctypes.addressof(self.patched[address])
        table = (POINTER * METHODS)(*(POINTER * METHODS).from_address(address))
        kind_of_write = ctypes.CFUNCTYPE(INT, POINTER, POINTER, INT, LONG)
        kind_of_truncate = ctypes.CFUNCTYPE(INT, POINTER, LONG)
        kind_of_sync = ctypes.CFUNCTYPE(INT, POINTER, INT)
        really_write = kind_of_write(table[WRITE])
        really_truncate = kind_of_truncate(table[TRUNCATE])
        really_sync = kind_of_sync(table[SYNC])

        def write(file, data, amount, offset):
            if not self.fails():
                return really_write(file, data, amount, offset)
            if self.kind == "full":
                return FULL
            really_write(file, data, amount // 2, offset)
            self.perhaps_die()
            return WRITE_ERROR

        def truncate(file, size):
            if not self.fails():
                return really_truncate(file, size)
            self.perhaps_die()
            return TRUNCATE_ERROR

        def sync(file, flags):
            if not self.fails():
                return really_sync(file, flags)
            self.perhaps_die()
            return SYNC_ERROR

        table[WRITE] = self.keep(kind_of_write, write)
        table[TRUNCATE] = self.keep(kind_of_truncate, truncate)
        table[SYNC] = self.keep(kind_of_sync, sync)
        self.patched[address] = table
        return ctypes.addressof(table)

    def perhaps_die(self):
        if self.kind == "kill":
            os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture(scope="module", autouse=True)
def sqlite_can_be_reached():
    try:
        _ = ctypes.CDLL(__import__("_sqlite3").__file__).sqlite3_vfs_find
    except (AttributeError, OSError):
        pytest.skip("this Python hides the functions of its SQLite")


def session(path, work, say, patient):
    """Make a document and work on it; ``patient`` tries a second time what has failed."""

    def do(what, action):
        for attempt in (1, 2):
            try:
                found = action()
            except DocumentError as error:
                assert isinstance(error, DocumentWriteError) or what in {"create", "claim"}, error
                say(f"failed: {what}: {error}")
                if not patient or attempt == 2:
                    raise
            else:
                say(what)
                return found
        return None

    # Every commit is also moved into the file at once, so that those writes fail too.
    connection._CHECKPOINT_PAGES = 1
    document = do("create", lambda: Document.create(path))
    try:
        run = do("run", lambda: work.start(document))
        do("claim", lambda: document.claim(run))
        for number in (1, 2):
            do(f"trial {number}", lambda n=number: work.add(document, run, n))
        do("result", lambda: document.set_result(run, {"members": []}))
        do("note", lambda: document.set_note("page", "Run"))
    finally:
        document.close()


def play(fork, path, work, first, last, kind, patient):
    def job(say):
        disk = FailingDisk(first, last, kind)
        try:
            session(path, work, say, patient)
            say("done")
        except DocumentError:
            say("gave up")
        say(f"calls {disk.count}")

    said = fork(job).end()
    assert not [line for line in said if line.startswith("ERROR")], said
    return said


def check(path, work, said):
    """Everything that was reported is there, and the next can be added."""
    trials = [line for line in said if line.startswith("trial ")]
    if "create" not in said and not path.exists():
        return
    with Document.open(path) as document:
        runs = document.runs()
        if "run" in said:
            assert len(runs) >= 1
        work.check_all(document)
        if runs:
            document.claim(runs[-1].id)
            count = document.trial_count(runs[-1].id)
            assert count in {len(trials), len(trials) + 1}
            work.add(document, runs[-1].id, count + 1)
        if "result" in said:
            assert runs[-1].result == {"members": []}
        if "note" in said:
            assert document.note("page") == "Run"


def clean(path):
    for entry in path.parent.iterdir():
        entry.unlink()


def test_the_session_reaches_the_disk_often_enough_to_be_worth_it(path, work, fork):
    said = play(fork, path, work, 0, 0, "full", patient=True)
    assert said[-2] == "done"
    assert int(said[-1].split()[1]) > 60
    check(path, work, said)


def calls(path, work, fork):
    count = int(play(fork, path, work, 0, 0, "full", patient=True)[-1].split()[1])
    clean(path)
    return count


def shared(kind, count):
    """Return the writes that fail in this way: both ways together go through all of them."""
    return range(1 + (kind == "error"), count + 1, 2)


@pytest.mark.parametrize("kind", ["full", "error"])
def test_a_write_that_fails_once_is_told_and_can_be_repeated(path, work, fork, kind):
    for number in shared(kind, calls(path, work, fork)):
        said = play(fork, path, work, number, number, kind, patient=True)
        assert "done" in said, (number, said)
        failed = [line for line in said if line.startswith("failed: ")]
        for line in failed:
            assert (
                "no space left" in line
                or "disk reported an error" in line
                or "disk refused" in line
            )
        check(path, work, said)
        clean(path)


@pytest.mark.parametrize("kind", ["full", "error"])
def test_a_disk_that_fails_from_the_nth_write_on_loses_nothing(path, work, fork, kind):
    for number in shared(kind, calls(path, work, fork)):
        said = play(fork, path, work, number, 10**9, kind, patient=False)
        check(path, work, said)
        clean(path)


def test_a_torn_write_and_a_kill_at_every_write_lose_nothing(path, work, fork):
    for number in range(1, calls(path, work, fork) + 1):
        said = play(fork, path, work, number, number, "kill", patient=False)
        check(path, work, said)
        clean(path)


def test_a_limit_of_the_file_size_is_told_and_loses_nothing(path, work, fork):
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

    for limit in range(1_000, 400_000, 9_000):
        said = fork(job(limit)).end()
        assert not [line for line in said if line.startswith("ERROR")], said
        check(path, work, said)
        clean(path)


def test_every_known_error_is_a_sentence_with_a_remedy(path):
    for code, name in ((c, n) for n, c in vars(sqlite3).items() if n.startswith("SQLITE_")):
        if not isinstance(code, int):
            continue
        error = sqlite3.OperationalError(name)
        error.sqlite_errorcode = code
        told = faults.explain(error, path, "opened")
        assert told.startswith(f"The document {path.name!r} could not be opened. ")
        assert told.endswith((".", ".)"))


def test_an_error_of_the_program_is_shown_as_it_is(path):
    told = faults.explain(
        sqlite3.ProgrammingError("Cannot operate on a closed database."), path, "read"
    )
    assert told.endswith("could not be read. Cannot operate on a closed database.")
    assert not faults.is_busy(sqlite3.ProgrammingError("x"))
