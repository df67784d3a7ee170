"""Reading and following the history of a run."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from studio.document.store import Document
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.load import follow, load_history
from studio.runs.prepare import prepare

pytestmark = pytest.mark.slow

Make = Callable[..., tuple[Path, int]]


def test_history_round_trips_with_predictions(finished_run: Make) -> None:
    path, run_id = finished_run(method="RS", budget=4)
    with Document.open(path, writable=False) as document:
        history = load_history(document, run_id, prepare(document, run_id))
        assert [trial.number for trial in history.trials] == [1, 2, 3, 4]
        stored = document.trials.read_predictions(run_id, 2, "validation")
    np.testing.assert_array_equal(history.get_predictions(2), stored)


def test_following_history_reads_new_trials_only(finished_run: Make) -> None:
    path, run_id = finished_run(method="RS", budget=3)
    with Document.open(path) as document:
        prepared, history = follow(document, run_id)
        assert len(history) == 3
        document.requests.post(run_id, "budget", 5)
        Engine(document, run_id, lambda progress: None, InlinePool).execute_run()
        repeated, longer = follow(document, run_id)
    assert longer is history
    assert repeated is prepared
    assert len(longer) == 5
    assert len(longer.take_first(2)) == 2


def test_run_of_replaced_document_is_reloaded(finished_run: Make, tmp_path: Path) -> None:
    first, run_id = finished_run(method="RS", budget=3)
    second, _ = finished_run(method="RS", budget=2, seed=5)
    moved_path = tmp_path / "place.studio"
    lengths = []
    for source in (first, second):
        source.rename(moved_path)
        with Document.open(moved_path, writable=False) as document:
            lengths.append(len(follow(document, run_id)[1]))
        moved_path.rename(source)
    assert lengths == [3, 2]


def test_run_without_newer_settings_is_read_without_write(finished_run: Make) -> None:
    path, run_id = finished_run(method="RS", budget=1)
    newer = ("class_weights", "refit", "forked")
    with Document.open(path) as document:
        row = document.runs.get(run_id)
        older = {name: value for name, value in row.settings.items() if name not in newer}
        older["plan"] = {name: value for name, value in older["plan"].items() if name != "cap"}
        before = document.runs.add("older", older, row.table_id, document.runs.split(run_id))
    with Document.open(path, writable=False) as document:
        prepared_run = prepare(document, before)
    assert prepared_run.settings.refit
    assert prepared_run.settings.class_weights == "none"
    np.testing.assert_array_equal(
        prepared_run.truth, prepared_run.problem.y[prepared_run.split.validation]
    )
