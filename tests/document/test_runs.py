import numpy as np
import pytest

from studio.document.runs import Request
from studio.document.store import Document
from studio.errors import DocumentError
from tests.results import result_of


def test_a_run_comes_back_as_it_was(document):
    run = document.add_run("mein Lauf", {"budget": 5, "x": [1.5]}, 3, {"train": np.arange(4)})
    row = document.run(run)
    assert (row.name, row.settings, row.table_id) == ("mein Lauf", {"budget": 5, "x": [1.5]}, 3)
    assert (row.state, row.message, row.result, row.owner) == ("waiting", "", None, None)
    assert not row.owner_alive
    np.testing.assert_array_equal(document.run_split(run)["train"], np.arange(4))
    assert document.runs() == (row,)


def test_a_run_may_be_added_before_its_table_is_read(document):
    run = document.add_run("early", {"a": 1})
    row = document.run(run)
    assert (row.table_id, row.prepared, document.run_split(run)) == (None, False, {})
    document.prepare_run(run, {"a": 1, "b": 2}, 4, {"test": np.arange(3)})
    row = document.run(run)
    assert (row.table_id, row.prepared, row.settings) == (4, True, {"a": 1, "b": 2})
    document.prepare_run(run, {}, 4, {"test": np.arange(9)})
    np.testing.assert_array_equal(document.run_split(run)["test"], np.arange(3))


def test_settings_are_changed_one_by_one(document):
    run = document.add_run("r", {"budget": 5, "seed": 1})
    document.change_settings(run, {"budget": 9})
    assert document.run(run).settings == {"budget": 9, "seed": 1}


def test_state_and_result_are_kept_apart(document):
    run = document.add_run("r", {})
    document.set_state(run, "running", "Reading the table")
    document.set_result(run, result_of())
    assert document.run(run).message == "Reading the table"
    document.set_state(run, "finished")
    row = document.run(run)
    assert (row.state, row.message) == ("finished", "")
    assert row.result == result_of()


def test_unknown_states_and_requests_are_refused(document):
    run = document.add_run("r", {})
    with pytest.raises(DocumentError, match="cannot be 'dancing'"):
        document.set_state(run, "dancing")
    with pytest.raises(DocumentError, match="asked to 'dance'"):
        document.post_request(run, "dance")


def test_requests_are_taken_once_and_in_order(document, path):
    run, other = document.add_run("r", {}), document.add_run("s", {})
    with Document.open(path) as window:
        window.post_request(run, "pause")
        window.post_request(other, "stop")
        window.post_request(run, "budget", {"budget": 40})
    assert document.take_requests(run) == [Request("pause"), Request("budget", {"budget": 40})]
    assert document.take_requests(run) == []
    assert document.take_requests(other) == [Request("stop")]


def test_a_request_that_was_not_answered_is_not_lost(document):
    run = document.add_run("r", {"budget": 1})
    document.post_request(run, "budget", 7)
    with pytest.raises(KeyboardInterrupt), document.transaction():
        (request,) = document.take_requests(run)
        document.change_settings(run, {"budget": request.value})
        raise KeyboardInterrupt
    assert document.run(run).settings == {"budget": 1}
    assert document.take_requests(run) == [Request("budget", 7)]


def test_a_run_that_is_not_there_is_named(document):
    for ask in (document.run, document.run_split, document.owner_alive, document.claim):
        with pytest.raises(DocumentError, match="has no run 5"):
            ask(5)
    with pytest.raises(DocumentError, match="has no run 5"):
        document.post_request(5, "stop")
    assert document._read("SELECT count(*) FROM requests") == [(0,)]
