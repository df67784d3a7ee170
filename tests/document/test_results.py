"""Results of all document versions; forged ones are rejected."""

import contextlib
import json
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.data.metrics.plain_score import PlainScore
from studio.document import sealing
from studio.document.results import Result
from studio.document.store import Document
from studio.document.trials import Iteration
from studio.errors import DocumentError
from studio.phrases import phrase
from studio.runs.settings import RunSettings
from studio.trial import Trial
from tests.document.old_documents import unpack
from tests.results import make_result

Json = Mapping[str, Any]

TESTED = make_result(
    (4, 0.75),
    (2, 0.25),
    combination="vote",
    temperature=0.5,
    test_rows=12,
    test_error_single=0.2,
    test_error_ensemble=0.1,
    test_interval=(0.05, 0.2),
    single_interval=(0.1, 0.3),
    difference_interval=(-0.2, 0.0),
    headline=PlainScore(12, True, 0.9, None, 0.5, False, True, True),
    notes=(phrase("Trial {number} failed.", number=9), "A note."),
    kept_bytes=2_500_000,
    trials=5,
    concluding=1,
    seconds=7.5,
    time_budget=None,
    utilisation={"training": 0.75, "suggesting": 0.05, "idle": 0.1, "finishing": 0.1},
    exhausted="There is nothing more to try.",
)

NAMES = (
    "members", "combination", "temperature", "single", "metric", "unit", "test_rows",
    "test_error_single", "test_error_ensemble", "test_interval", "single_interval",
    "difference_interval", "headline", "refitted", "notes", "kept_bytes", "kept_reason", "trials",
    "concluding", "seconds", "time_budget", "utilisation", "exhausted",
)  # fmt: skip
"""As stored in documents, in this order."""

REFITTED = ("headline", "time_budget", "utilisation")
"""Fields missing in the result of a refit if trials were scored on separate rows."""


def read_result(document: Document, run: int) -> Json:
    """Return the stored result of a run."""
    ((sealed,),) = document.query("SELECT status FROM runs WHERE id = ?", (run,))
    result_json: Json = sealing.unseal(sealed, f"status {run}")["result"]
    return result_json


def write(document: Document, run: int, result: object) -> None:
    """Store a result of a run directly in a document."""
    status = {"state": "finished", "message": "", "result": result}
    with document.run_transaction():
        sealed = sealing.seal(status, f"status {run}")
        document.execute("UPDATE runs SET status = ? WHERE id = ?", (sealed, run))


@pytest.mark.parametrize(
    ("result", "unknown"),
    [
        (TESTED, ()),
        (make_result(kept_bytes=0, utilisation={"idle": 1.0}, time_budget=60.0), ("headline",)),
        (make_result(kept_bytes=0), REFITTED),
    ],
    ids=["tested", "alone", "refitted"],
)
def test_result_round_trips(document: Document, result: Result, unknown: tuple[str, ...]) -> None:
    run = document.runs.add("a", RunSettings().to_json())
    document.runs.set_result(run, result)
    stored_result = document.runs.get(run).result
    assert stored_result == result
    assert [type(note) for note in stored_result.notes] == [type(note) for note in result.notes]
    assert list(read_result(document, run)) == [name for name in NAMES if name not in unknown]


def make_document_without_results(*names: str) -> Callable[[Json], Json]:
    return lambda result: {name: each for name, each in result.items() if name not in names}


TEMPERATURE, KEPT = ("temperature",), ("kept_bytes", "kept_reason")
FIRST = (*TEMPERATURE, *KEPT, "headline", "time_budget", "utilisation")


@pytest.mark.parametrize(
    ("name", "lacks"),
    [
        ("1a-classes", FIRST),
        ("1a-study", FIRST),
        ("1b-numbers", (*TEMPERATURE, *KEPT, "headline")),
        ("2-numbers", ("headline",)),
        ("3-classes", ("headline",)),
    ],
)
def test_results_of_older_versions_are_read(
    name: str, lacks: tuple[str, ...], tmp_path: Path
) -> None:
    with Document.open(unpack(name, tmp_path)) as document:
        result, old = document.runs.get(1).result, read_result(document, 1)
        assert not old.keys() & set(lacks)
        assert result is not None
        # Existing fields are unchanged, …
        content = json.loads(json.dumps(result.to_json()))
        assert {key: content[key] for key in old} == old
        # … and missing ones get their former meaning: the plain mean, unknown size, no measurement.
        usual = {"temperature": 1.0, "kept_reason": ""}
        assert {each: getattr(result, each) for each in lacks} == {
            each: usual.get(each) for each in lacks
        }
        assert content.keys() - old.keys() == usual.keys() & set(lacks)
        # A change of state does not rewrite the result.
        document.runs.set_state(1, "paused")
        assert list(read_result(document, 1).items()) == list(old.items())


def test_results_of_first_version_have_defaults(document: Document) -> None:
    run = document.runs.add("a", RunSettings().to_json())
    write(
        document,
        run,
        make_document_without_results("difference_interval", "concluding", *FIRST)(
            TESTED.to_json()
        ),
    )
    stored_result = document.runs.get(run).result
    assert (stored_result.difference_interval, stored_result.concluding, stored_result.trials) == (
        None,
        0,
        5,
    )


def test_unknown_fields_of_newer_version_are_preserved(document: Document) -> None:
    run = document.runs.add("a", RunSettings().to_json())
    (first, *others) = TESTED.to_json()["members"]
    newer = {**TESTED.to_json(), "members": [{**first, "more": 2}, *others], "later": [1.5]}
    write(document, run, newer)
    assert document.runs.get(run).result == TESTED
    document.runs.set_state(run, "running", "It goes on.")
    assert read_result(document, run) == json.loads(json.dumps(newer))
    assert document.runs.get(run).message == "It goes on."
    document.runs.set_result(run, make_result())
    assert "later" not in read_result(document, run), "it belongs to another result"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("members", [1]),
        ("members", [{"trial": "one", "weight": 1.0}]),
        ("test_interval", [0.1]),
        ("test_error_ensemble", "low"),
        ("notes", "a note"),
        ("refitted", 1),
        ("headline", [[]]),
        ("headline", {"rows": 5}),
    ],
)
def test_malformed_result_is_reported_as_damage(
    document: Document, name: str, value: object
) -> None:
    run = document.runs.add("a", RunSettings().to_json())
    write(document, run, {**TESTED.to_json(), name: value})
    assert document.runs.get(run).result is None
    assert [each.record for each in document.damaged_records] == [f"status {run}"]


@pytest.mark.parametrize("name", ["members", "metric", "test_interval", "trials"])
def test_result_without_required_fields_is_reported_as_damage(
    document: Document, name: str
) -> None:
    run = document.runs.add("a", RunSettings().to_json())
    write(document, run, make_document_without_results(name)(TESTED.to_json()))
    assert document.runs.get(run).result is None
    assert [each.record for each in document.damaged_records] == [f"status {run}"]
    document.runs.set_state(run, "running")
    assert read_result(document, run) is None, "it is shown verbatim"


@pytest.mark.parametrize(
    "changed",
    [
        {"budget": "many"},
        {"source": {"path": 5}},
        {"source": []},
        {"plan": {"train": "half"}},
        {"overrides": {"proposer.starts": [1]}},
        {"workers": None},
    ],
    ids=str,
)
def test_malformed_settings_are_reported_as_damage(changed: dict[str, Any]) -> None:
    content = RunSettings(budget=4).to_json()
    assert RunSettings.from_json(content) == RunSettings(budget=4)
    with pytest.raises(DocumentError, match="settings of a run"):
        RunSettings.from_json({**content, **changed})


@pytest.mark.parametrize(
    "details", [{"elapsed": "\x1b[2J"}, {"timing": [1.0]}, {"spent": []}, {"seen": {"after": "x"}}]
)
def test_malformed_details_are_reported_as_damage(tmp_path: Path, details: dict[str, Any]) -> None:
    with Document.create(tmp_path / "d.studio") as document:
        run = document.runs.add("a", RunSettings().to_json())
        document.owners.claim(run)
        predictions = np.zeros((2, 2), dtype=np.float16)
        document.trials.add(
            run,
            Trial(1, {}, 0, 0.5),
            predictions,
            None,
            Iteration(1, details={"start": 1.0, **details}),
        )
        assert [row.trial.damaged_record for row in document.trials.list_rows(run)] == [
            f"trial {run} 1"
        ]
        assert "trial 1 1" in document.damaged_records[0].sentence


def test_invalid_trial_values_are_reported_as_damage(tmp_path: Path) -> None:
    with Document.create(tmp_path / "d.studio") as document:
        run = document.runs.add("a", RunSettings().to_json())
        document.trials.add(run, Trial(1, {}, 1 << 40, None, "x"), None, None, Iteration(1))
        later = Iteration(2, best=3, members=((3, 1.0),))
        document.trials.add(run, Trial(2, {}, 0, None, "x"), None, None, later)
        assert all(row.trial.damaged_record for row in document.trials.list_rows(run))


def test_array_with_wrong_row_count_is_reported_as_damage(tmp_path: Path) -> None:
    path = tmp_path / "d.studio"
    with Document.create(path) as document:
        run = document.runs.add("a", RunSettings().to_json())
        document.owners.claim(run)
        predictions = np.zeros(16, dtype=np.float32)
        document.trials.add(run, Trial(1, {}, 0, 0.5), predictions, None, Iteration(1))
        document.owners.release(run)
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        ((array, header),) = connection.execute("SELECT id, header FROM arrays").fetchall()
        damaged_header = {**sealing.unseal(header, f"array {array}"), "shape": [0]}
        connection.execute(
            "UPDATE arrays SET header = ?", (sealing.seal(damaged_header, f"array {array}"),)
        )
    with (
        Document.open(path, writable=False) as document,
        pytest.raises(DocumentError, match="damaged"),
    ):
        document.trials.read_predictions(run, 1, "validation")
