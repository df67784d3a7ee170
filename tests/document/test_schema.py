import contextlib
import os
import pickle
import random
import sqlite3

import numpy as np
import pytest

from studio.document import schema, sealing
from studio.document.follow import ChangeReader
from studio.document.store import Document
from studio.errors import DamagedError, DocumentError
from tests.facts import about


@contextlib.contextmanager
def connect_directly(path):
    """A direct SQLite connection to the file."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA trusted_schema = ON")
    try:
        yield connection
    finally:
        connection.close()


HOSTILE = [
    "CREATE TRIGGER x AFTER INSERT ON trials BEGIN DELETE FROM runs; END",
    "CREATE VIEW x AS SELECT load_extension('evil')",
    "CREATE TEMP VIEW x AS SELECT 1; CREATE TABLE extra (a)",
    "CREATE INDEX x ON runs (abs(heartbeat))",
    "CREATE VIRTUAL TABLE x USING fts5(a)",
    "ALTER TABLE runs ADD COLUMN x ANY AS (zeroblob(1000000000))",
    "DROP TABLE notes; CREATE VIEW notes AS SELECT 1 AS name, 2 AS revision, 3 AS body",
    "ANALYZE",
]


@pytest.mark.parametrize("sql", HOSTILE)
def test_foreign_schema_is_rejected(filled, sql):
    with connect_directly(filled) as connection:
        connection.executescript(sql)
    bytes_before = filled.read_bytes()
    with pytest.raises(DocumentError, match=r"not created|damaged"):
        Document.open(filled)
    assert filled.read_bytes() == bytes_before


def test_modified_schema_is_rejected(filled):
    with connect_directly(filled) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_master SET sql = replace(sql, 'draft INTEGER', "
            "'draft INTEGER DEFAULT (abs(-9))') WHERE name = 'arrays'"
        )
    with pytest.raises(DocumentError, check=about(kind="table", label="'arrays on arrays'")):
        Document.open(filled)


@pytest.mark.parametrize(
    "schema", [b"CREATE TABLE x(", b"CREATE \xceABLE runs (id INTEGER)"], ids=["cut", "no text"]
)
def test_unparsable_schema_is_rejected(filled, schema):
    with connect_directly(filled) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_master SET sql = CAST(? AS TEXT) WHERE name = 'runs'", (schema,)
        )
    with pytest.raises(DocumentError, match="damaged"):
        Document.open(filled)


@pytest.mark.parametrize(
    "content", [b"", b"a;b\n1;2\n" * 999, bytes(100_000), b"SQLite format 3\0"]
)
def test_non_database_files_are_rejected(path, content):
    path.write_bytes(content)
    with pytest.raises(DocumentError, match="Ensemble Studio document"):
        Document.open(path)
    assert path.read_bytes() == content


def test_foreign_database_is_rejected(path):
    with connect_directly(path) as connection:
        connection.execute("CREATE TABLE mine (a)")
    with pytest.raises(DocumentError, match="another program"):
        Document.open(path)


@pytest.mark.parametrize("version", [0, -1])
def test_invalid_version_is_reported_as_damage(filled, version):
    with connect_directly(filled) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    with pytest.raises(DocumentError, match="damaged"):
        Document.open(filled)


def test_row_violating_constraints_is_reported_as_damage(filled):
    def declare(before, after):
        with contextlib.closing(sqlite3.connect(filled)) as connection, connection:
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute(
                "UPDATE sqlite_master SET sql = replace(sql, ?, ?) WHERE name = 'spaces'",
                (before, after),
            )

    declare("body TEXT NOT NULL", "body TEXT         ")
    with contextlib.closing(sqlite3.connect(filled)) as connection, connection:
        connection.execute("UPDATE spaces SET body = NULL")
    declare("body TEXT         ", "body TEXT NOT NULL")
    with pytest.raises(DocumentError, match=r"damaged.*spaces"):
        Document.open(filled)


def test_newer_version_is_rejected_with_remedy(filled):
    with connect_directly(filled) as connection:
        connection.execute("PRAGMA user_version = 9")
    with pytest.raises(DocumentError, match="Install the newer", check=about(version="9")):
        Document.open(filled)


NEXT = (
    "ALTER TABLE runs ADD COLUMN colour TEXT; CREATE TABLE folds (id INTEGER PRIMARY KEY) STRICT;"
)


@pytest.mark.slow
def test_migration_keeps_all_records(filled, work, monkeypatch):
    monkeypatch.setattr(schema, "SCRIPTS", (*schema.SCRIPTS, NEXT))
    with Document.open(filled) as document:
        assert work.check(document, 1) == 5
        assert document.run_pragma("user_version") == (len(schema.SCRIPTS),)
        ((colour,),) = document.query("SELECT colour FROM runs")
        assert colour is None
    with Document.open(filled) as document:
        assert work.check(document, 1) == 5
    Document.create(filled.with_name("new.studio")).close()


def test_reading_does_not_migrate_document(filled, monkeypatch):
    monkeypatch.setattr(schema, "SCRIPTS", (*schema.SCRIPTS, NEXT))
    monkeypatch.setattr(schema, "OLDEST_READABLE_VERSION", len(schema.SCRIPTS))
    with pytest.raises(DocumentError, match="an earlier"):
        Document.open(filled, writable=False)


def test_documents_without_ensembles_are_migrated(path, work, monkeypatch):
    with monkeypatch.context() as older:
        older.setattr(schema, "SCRIPTS", schema.SCRIPTS[:1])
        with Document.create(path) as document:
            run = work.start(document)
            for number in range(1, 6):
                work.add(document, run, number)
            assert document.run_pragma("user_version") == (1,)
    bytes_before = path.read_bytes()
    with Document.open(path, writable=False) as document:
        assert work.check(document, 1) == 5
        assert document.ensembles.read_metadata(1) is None
    assert path.read_bytes() == bytes_before, "reading changes nothing"
    with Document.open(path) as document:
        assert work.check(document, 1) == 5
        assert document.run_pragma("user_version") == (len(schema.SCRIPTS),)
        assert document.ensembles.read_metadata(1) is None


def test_failed_migration_changes_nothing(filled, work, monkeypatch):
    with monkeypatch.context() as newer:
        newer.setattr(
            schema, "SCRIPTS", (*schema.SCRIPTS, f"{NEXT} INSERT INTO nowhere VALUES (1);")
        )
        with pytest.raises(DocumentError):
            Document.open(filled)
    with Document.open(filled) as document:
        assert work.check(document, 1) == 5


def test_concurrent_migrations_succeed(filled, monkeypatch):
    monkeypatch.setattr(schema, "SCRIPTS", (*schema.SCRIPTS, NEXT))
    with Document.open(filled) as document:
        schema.migrate(document._connection, len(schema.SCRIPTS) - 1)
        assert document.run_pragma("user_version") == (len(schema.SCRIPTS),)


@pytest.mark.slow
def test_truncated_files_are_reported(filled, work):
    content = filled.read_bytes()
    n_errors = 0
    for size in range(0, len(content), 4096):
        filled.write_bytes(content[:size])
        try:
            with Document.open(filled) as document:
                work.check_all(document)
        except DocumentError as error:
            n_errors += 1
            assert "damaged" in str(error) or "Ensemble Studio document" in str(error)
        with contextlib.suppress(DocumentError), ChangeReader(filled) as follower:
            follower.read_changes()
    # A last page that is still empty can be removed without loss.
    assert n_errors == sum(any(content[size:]) for size in range(0, len(content), 4096))


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["flip", "zero"])
def test_damaged_bytes_are_reported(filled, work, damage):
    original = filled.read_bytes()
    draw = random.Random(7)
    n_errors = 0
    for _ in range(300):
        content = bytearray(original)
        index = draw.randrange(len(original))
        if damage == "flip":
            content[index] ^= 1 << draw.randrange(8)
        else:
            end = min(index + 512, len(original))
            content[index:end] = bytes(end - index)
        filled.write_bytes(content)
        try:
            with Document.open(filled) as document:
                work.check_all(document)
                document.spaces.read("mine")
                document.notes.get("page")
        except DocumentError as error:
            n_errors += 1
            assert str(error).endswith((".", ")"))
    assert n_errors > 10


@pytest.mark.slow
def test_document_without_log_is_valid(path, work, fork):
    def job(say):
        document = Document.create(path)
        run = work.start(document)
        for number in range(1, 4):
            work.add(document, run, number)
        document.close()
        document = Document.open(path)
        for number in range(4, 9):
            work.add(document, run, number)
        say("done")
        os._exit(0)

    child = fork(job)
    assert child.line() == "done"
    child.end()
    (path.parent / (path.name + "-wal")).unlink()
    with Document.open(path) as document:
        assert work.check(document, 1) == 3


def execute_sql(path, sql, *values):
    with connect_directly(path) as connection:
        connection.execute(sql, values)


def test_hostile_array_is_rejected_without_allocation(filled):
    for header in (
        {"dtype": "<f8", "shape": [1 << 29]},
        {"dtype": "<f8", "shape": [1 << 60]},
        {"dtype": "|O", "shape": [3]},
        {"dtype": "<f8", "shape": "abc"},
        {"dtype": "<f8"},
        [1],
    ):
        sealed = sealing.seal(header, "array 2")
        execute_sql(filled, "UPDATE arrays SET header = ? WHERE id = 2", sealed)
        with Document.open(filled) as document, pytest.raises(DocumentError):
            document.tables.read(1)


def test_embedded_pickle_is_never_loaded(filled, tmp_path):
    class PickleBomb:
        def __reduce__(self):
            return open, (str(tmp_path / "owned"), "w")

    blob = pickle.dumps(np.array([PickleBomb()], dtype=object))
    execute_sql(filled, "UPDATE blocks SET data = ?, crc = 1", blob)
    with Document.open(filled) as document, pytest.raises(DocumentError, match="damaged"):
        document.tables.read(1)
    assert not (tmp_path / "owned").exists()


@pytest.mark.parametrize(
    "record",
    [
        {"trial": {"number": 1}, "iteration": {}, "validation": None, "test": [1]},
        {"trial": [], "iteration": []},
        [],
        5,
        {"trial": {"number": 2, "configuration": {}, "seed": 1, "loss": 0.5}, "iteration": None},
        {
            "trial": {"number": 1, "configuration": {}, "seed": 1, "loss": "evil"},
            "iteration": {"number": 1, "members": []},
        },
        {
            "trial": {"number": 1, "configuration": [1], "seed": 1, "loss": 0.5},
            "iteration": {"number": 1, "members": [], "best": "x"},
        },
    ],
)
def test_malformed_records_are_rejected(filled, record):
    sealed = sealing.seal(record, "trial 1 1")
    execute_sql(filled, "UPDATE trials SET body = ? WHERE number = 1", sealed)
    with Document.open(filled) as document:
        assert document.trials.list_all(1)[0].damaged_record
        assert [each.record for each in document.damaged_records] == ["trial 1 1"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "label", "column"),
    [
        ("runs", "run 1", "body"),
        ("runs", "status 1", "status"),
        ("runs", "owner 1", "owner"),
        ("data", "table 1", "body"),
        ("spaces", "space 3", "body"),
        ("running", "running 1", "body"),
        ("messages", "message", "body"),
        ("requests", "request 1", "body"),
    ],
)
@pytest.mark.parametrize("content", [[], {}, 5, None, {"state": "evil"}, [[1]], "text"])
def test_any_malformed_record_is_rejected(filled, table, label, column, content):
    with Document.open(filled) as document:
        document.owners.claim(1)
        document.journal.set_running(1, [])
        document.journal.add_message(1, "info", "x")
        document.requests.post(1, "stop")
    execute_sql(filled, f"UPDATE {table} SET {column} = ?", sealing.seal(content, label))
    with Document.open(filled) as document:

        def read_all():
            document.runs.list_all()
            document.runs.split(1)
            document.tables.list_all()
            document.tables.read(1)
            document.spaces.read("mine")
            document.spaces.list_names()
            document.journal.list_running(1)
            document.journal.list_messages()
            document.requests.pop_all(1)

        if (label, content) == ("status 1", {}):
            read_all()  # a waiting run
        else:
            with contextlib.suppress(DamagedError):
                read_all()
                assert label in {each.record for each in document.damaged_records}
