import numpy as np
import pytest

from studio.document.runs import Request
from studio.document.store import Document
from studio.errors import DocumentError
from tests.facts import about
from tests.results import make_result


def test_run_round_trips(document):
    run = document.runs.add("mein Lauf", {"budget": 5, "x": [1.5]}, 3, {"train": np.arange(4)})
    row = document.runs.get(run)
    assert (row.name, row.settings, row.table_id) == ("mein Lauf", {"budget": 5, "x": [1.5]}, 3)
    assert (row.state, row.message, row.result, row.owner) == ("waiting", "", None, None)
    assert not row.is_owner_alive
    np.testing.assert_array_equal(document.runs.split(run)["train"], np.arange(4))
    assert document.runs.list_all() == (row,)


def test_run_can_be_added_before_table(document):
    run = document.runs.add("early", {"a": 1})
    row = document.runs.get(run)
    assert (row.table_id, row.prepared, document.runs.split(run)) == (None, False, {})
    document.runs.prepare(run, {"a": 1, "b": 2}, 4, {"test": np.arange(3)})
    row = document.runs.get(run)
    assert (row.table_id, row.prepared, row.settings) == (4, True, {"a": 1, "b": 2})
    document.runs.prepare(run, {}, 4, {"test": np.arange(9)})
    np.testing.assert_array_equal(document.runs.split(run)["test"], np.arange(3))


def test_settings_can_be_changed_individually(document):
    run = document.runs.add("r", {"budget": 5, "seed": 1})
    document.runs.change_settings(run, {"budget": 9})
    assert document.runs.get(run).settings == {"budget": 9, "seed": 1}


def test_run_state_and_result_are_independent(document):
    run = document.runs.add("r", {})
    document.runs.set_state(run, "running", "Reading the table")
    document.runs.set_result(run, make_result())
    assert document.runs.get(run).message == "Reading the table"
    document.runs.set_state(run, "finished")
    row = document.runs.get(run)
    assert (row.state, row.message) == ("finished", "")
    assert row.result == make_result()


def test_unknown_states_and_requests_are_rejected(document):
    run = document.runs.add("r", {})
    with pytest.raises(DocumentError, match="cannot be 'dancing'"):
        document.runs.set_state(run, "dancing")
    with pytest.raises(DocumentError, match="'dance'"):
        document.requests.post(run, "dance")


def test_requests_are_delivered_once_in_order(document, path):
    run, other = document.runs.add("r", {}), document.runs.add("s", {})
    with Document.open(path) as window:
        window.requests.post(run, "pause")
        window.requests.post(other, "stop")
        window.requests.post(run, "budget", {"budget": 40})
    assert document.requests.pop_all(run) == [Request("pause"), Request("budget", {"budget": 40})]
    assert document.requests.pop_all(run) == []
    assert document.requests.pop_all(other) == [Request("stop")]


def test_pending_request_is_not_lost(document):
    run = document.runs.add("r", {"budget": 1})
    document.requests.post(run, "budget", 7)
    with pytest.raises(KeyboardInterrupt), document.run_transaction():
        (request,) = document.requests.pop_all(run)
        document.runs.change_settings(run, {"budget": request.value})
        raise KeyboardInterrupt
    assert document.runs.get(run).settings == {"budget": 1}
    assert document.requests.pop_all(run) == [Request("budget", 7)]


def test_missing_run_error_contains_number(document):
    for ask in (
        document.runs.get,
        document.runs.split,
        document.owners.is_alive,
        document.owners.claim,
    ):
        with pytest.raises(DocumentError, check=about(run_id="5")):
            ask(5)
    with pytest.raises(DocumentError, check=about(run_id="5")):
        document.requests.post(5, "stop")
    assert not document.query("SELECT * FROM requests")
