import os
import stat
import tempfile
from pathlib import Path

import pytest

from studio.document import store
from studio.document.follow import ChangeReader
from studio.document.store import Document
from studio.errors import DocumentError, DocumentWriteError


def test_new_document_is_empty_and_valid(path):
    with Document.create(path) as document:
        assert (
            document.runs.list_all(),
            document.tables.list_all(),
            document.spaces.list_names(),
        ) == ((), (), ())
    with Document.open(path) as document:
        assert document.runs.list_all() == ()
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_closed_document_is_single_complete_file(path, work, tmp_path):
    with Document.create(path) as document, Document.open(path) as window:
        run = work.start(document)
        for number in range(1, 6):
            work.add(document, run, number)
        window.notes.set("page", "Run")
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
    copy = tmp_path / "copy.studio"
    copy.write_bytes(path.read_bytes())
    with Document.open(copy) as document:
        assert work.check(document, run) == 5
        assert document.notes.get("page") == "Run"


def test_closing_checkpoints_despite_other_reader(document, path, work):
    with Document.open(path):
        run = work.start(document)
        work.add(document, run, 1)
        document.close()
        assert path.with_name(path.name + "-wal").stat().st_size == 0


def test_document_can_be_closed_twice_and_rejects_use(path):
    document = Document.create(path)
    document.close()
    document.close()
    with pytest.raises(DocumentError, match="closed"):
        document.runs.list_all()
    with pytest.raises(DocumentError, match="closed"):
        document.notes.set("a", 1)


def test_existing_file_is_never_replaced(path):
    path.write_text("precious")
    with pytest.raises(DocumentError, match="already a file"):
        Document.create(path)
    assert path.read_text() == "precious"
    assert len(list(path.parent.iterdir())) == 1


def test_concurrently_created_file_is_not_replaced(path, monkeypatch):
    build = store._initialise
    monkeypatch.setattr(
        store, "_initialise", lambda draft: build(draft) or path.write_text("precious")
    )
    with pytest.raises(DocumentError, match="already a file"):
        Document.create(path)
    assert path.read_text() == "precious"
    assert len(list(path.parent.iterdir())) == 1


def test_document_is_created_without_hard_links(path, monkeypatch):
    def refuse(*names):
        raise PermissionError

    monkeypatch.setattr(os, "link", refuse)
    Document.create(path).close()
    Document.open(path).close()
    assert len(list(path.parent.iterdir())) == 1


def test_concurrently_created_file_is_not_replaced_without_links(path, monkeypatch):
    def refuse(draft, target):
        target.write_text("precious")
        raise PermissionError

    monkeypatch.setattr(os, "link", refuse)
    with pytest.raises(DocumentError, match="already a file"):
        Document.create(path)
    assert path.read_text() == "precious"
    assert len(list(path.parent.iterdir())) == 1


def test_document_without_wal_support_has_no_log(path, monkeypatch):
    monkeypatch.setattr(store, "use_wal", lambda connection: False)
    with pytest.raises(DocumentWriteError, match="local folder"):
        Document.create(path)
    assert list(path.parent.iterdir()) == []


@pytest.mark.parametrize("name", ["no/where.studio", "n" * 400, "a\0b"])
def test_unusable_path_is_reported(tmp_path, name):
    with pytest.raises(DocumentWriteError, match="be created"):
        Document.create(tmp_path / name)
    with pytest.raises(DocumentError):
        Document.open(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name", ["ünïcode 文件 \U0001f600.studio", "50% #1?&x=y.studio", " .studio"]
)
def test_any_file_name_is_accepted(tmp_path, name):
    with Document.create(tmp_path / name) as document:
        document.notes.set("a", 1)
    with Document.open(str(tmp_path / name)) as document:
        assert document.notes.get("a") == 1
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


def test_link_opens_target_document(filled, tmp_path, work):
    link = tmp_path / "link.studio"
    link.symlink_to(filled)
    with Document.open(link) as one, Document.open(filled) as other:
        one.notes.set("a", 1)
        assert other.notes.get("a") == 1


def test_non_file_is_reported(tmp_path):
    with pytest.raises(DocumentError, match="no file"):
        Document.open(tmp_path / "none.studio")
    with pytest.raises(DocumentError, match="not a file"):
        Document.open(tmp_path)
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(DocumentError, match="not a file"):
        Document.open(tmp_path / "fifo")


def is_unprivileged() -> None:
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)


def make_world_readable(folder):
    """Make a folder and its parents accessible to every user."""
    for parent in folder.parents:
        mode = parent.stat().st_mode
        if not (mode & stat.S_IXOTH and mode & stat.S_IROTH):
            parent.chmod(mode | stat.S_IXOTH | stat.S_IROTH)


@pytest.mark.slow
def test_read_only_document_rejects_writes_with_message(filled, work, fork):
    folder = filled.parent
    make_world_readable(folder)
    filled.chmod(0o444)
    folder.chmod(0o555)

    def job(say):
        is_unprivileged()
        with Document.open(filled, writable=False) as document:
            say(f"{work.check(document, 1)} trials")
        for attempt in (
            lambda: Document.open(filled),
            lambda: Document.create(folder / "n.studio"),
        ):
            try:
                attempt()
            except DocumentError as error:
                say(str(error))

    try:
        after_message = fork(job).end()
    finally:
        folder.chmod(0o755)
    assert after_message[0] == "5 trials"
    assert "read-only" in after_message[1]
    assert "may write" in after_message[2]
    assert len(after_message) == 3
    assert [entry.name for entry in folder.iterdir()] == [filled.name]


@pytest.mark.slow
def test_document_on_full_disk_can_be_read(filled, work, fork):
    resource = pytest.importorskip("resource")

    def job(say):
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        for writable in (False, None):
            with Document.open(filled, writable=writable) as document:
                say(f"{work.check(document, 1)} trials, {document.writable}")
        with pytest.raises(DocumentWriteError):
            Document.open(filled)
        say("refused")

    assert fork(job).end() == ["5 trials, False", "5 trials, False", "refused"]


@pytest.mark.slow
def test_read_only_document_is_read_with_log(path, work, fork):
    folder = path.parent

    def crash(say):
        document = Document.create(path)
        work.start(document)
        work.add(document, 1, 1)
        say("made")
        os._exit(9)

    fork(crash).end()
    (folder / (path.name + "-shm")).unlink()
    content = {each.name: each.read_bytes() for each in folder.iterdir()}
    assert content[path.name + "-wal"]
    make_world_readable(folder)
    folder.chmod(0o555)

    def job(say):
        is_unprivileged()
        with Document.open(path, writable=None) as document, ChangeReader(path) as follower:
            assert not document.writable
            say(f"{work.check(document, 1)} trials")
            changes = follower.read_changes()
            say(f"{len(changes.trials)} followed")
            document.copy_to(Path(tempfile.mkdtemp()) / "copy.studio")
            say("copied")

    make_world_readable(folder)
    path.chmod(0o444)
    try:
        after_message = fork(job).end()
    finally:
        folder.chmod(0o755)
    assert after_message == ["1 trials", "1 followed", "copied"]
    assert {each.name: each.read_bytes() for each in folder.iterdir()} == content
