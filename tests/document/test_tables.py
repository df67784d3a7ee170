import json
import os
from dataclasses import asdict

import numpy as np
import pytest

from studio.document import tables
from studio.document.follow import ChangeReader
from studio.document.processes import Owner
from studio.document.store import Document
from studio.errors import DocumentError


def count(document, table):
    ((rows,),) = document.query(f"SELECT count(*) FROM {table}")
    return rows


def test_table_round_trips(document, work):
    table = document.tables.add({"a": [1, None, "é"]}, work.columns)
    description, columns = document.tables.read(table)
    assert description == {"a": [1, None, "é"]}
    assert list(columns) == ["age", "town"]
    for name, expected in work.columns.items():
        np.testing.assert_array_equal(columns[name], expected)
        assert columns[name].dtype == expected.dtype
    (row,) = document.tables.list_all()
    assert (row.id, row.n_bytes > 36) == (table, True)


@pytest.mark.slow
def test_large_table_is_stored_in_several_transactions(document, path, monkeypatch):
    monkeypatch.setattr(tables, "_STEP_BYTES", 1 << 19)
    column = np.random.default_rng(0).normal(size=300_000)
    table_lists = []
    add_waiting = tables.Tables._add_waiting

    def step(self, waiting):
        add_waiting(self, waiting)
        with Document.open(path) as other:
            other.notes.set("between", len(table_lists))
            table_lists.append(other.tables.list_all())

    monkeypatch.setattr(tables.Tables, "_add_waiting", step)
    table = document.tables.add({}, {"x": column, "y": column})
    assert len(table_lists) > 3
    assert not any(table_lists)
    np.testing.assert_array_equal(document.tables.read(table)[1]["y"], column)


@pytest.mark.slow
def test_table_description_may_exceed_record_size(document):
    names = [f"category {number}" for number in range(200_000)]
    table = document.tables.add({"categories": names}, {})
    assert document.tables.read(table)[0] == {"categories": names}


def test_unstorable_table_leaves_no_rows(document):
    with pytest.raises(DocumentError, match="plain numbers"):
        document.tables.add({}, {"good": np.zeros(3), "bad": np.array(["x"])})
    with pytest.raises(DocumentError, match="name"):
        document.tables.add({}, {"": np.zeros(3)})
    assert document.tables.list_all() == ()
    assert not document.query("SELECT * FROM arrays")


def test_failed_table_import_leaves_no_rows(document, monkeypatch):
    def fail(self, *parts):
        raise KeyboardInterrupt

    monkeypatch.setattr(tables.Tables, "_publish", fail)
    with pytest.raises(KeyboardInterrupt):
        document.tables.add({}, {"x": np.zeros(3)})
    assert [count(document, table) for table in ("arrays", "blocks", "data")] == [0, 0, 0]


def test_unfinished_table_of_dead_process_is_removed(document, path, fork, monkeypatch):
    def job(say):
        with Document.open(path) as other:
            monkeypatch.setattr(tables.Tables, "_publish", lambda *parts: os._exit(9))
            other.tables.add({}, {"x": np.arange(1000)})

    document.notes.set("opened", True)
    fork(job).end()
    assert document.tables.list_all() == ()
    assert count(document, "data") == 1
    with ChangeReader(path) as follower:
        assert follower.read_changes().tables == ()
        table = document.tables.add({}, {"y": np.arange(2)})
        assert follower.read_changes().tables == (table,)
    assert (count(document, "data"), count(document, "arrays")) == (1, 2)


def test_unfinished_table_of_living_process_is_kept(document):
    with document.run_transaction():
        writer = json.dumps(asdict(Owner.for_current_process()))
        document.execute("INSERT INTO data (revision, writer) VALUES (0, ?)", (writer,))
    document.tables.add({}, {"y": np.arange(2)})
    assert count(document, "data") == 2


def test_missing_table_error_contains_number(document):
    with pytest.raises(DocumentError, match="has no table 7"):
        document.tables.read(7)
