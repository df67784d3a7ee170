"""The loop of a run: records, ends, and deterministic continuation."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.analysis.summary import summarise_run
from studio.compare.cell_workers import make_cell_worker_command
from studio.document.journal import Journal, RunningJob
from studio.document.runs import Runs
from studio.document.store import Document
from studio.errors import DataError, UsageError
from studio.runs import engine, table_files
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.limits import TrialLimits, get_memory_limit
from studio.runs.progress import Progress
from studio.runs.settings import TableSource
from studio.runs.staging import TrialData
from studio.runs.worker_group import FinishedJob
from tests.facts import contains_facts

pytestmark = pytest.mark.slow

Make = Callable[..., tuple[Path, int]]
Read = Callable[[Path, int], list[Any]]
Work = Callable[..., str]


def work(path: Path, run_id: int) -> str:
    """Work on a run with worker processes."""
    with Document.open(path) as document:
        return Engine(document, run_id, lambda progress: None).execute_run()


def test_run_uses_budget_and_tests_ensemble(new_run: Make) -> None:
    path, run_id = new_run()
    assert work(path, run_id) == "finished"
    with Document.open(path, writable=False) as document:
        content = summarise_run(document, run_id)
    assert content.state == "finished"
    assert content.trials == 8
    assert content.best_validation_loss is not None
    assert content.test_error_ensemble is not None
    assert content.test_interval is not None
    low, high = content.test_interval
    assert 0 <= low <= content.test_error_ensemble <= high <= 1
    assert sum(member.weight for member in content.members) == pytest.approx(1)


@pytest.mark.parametrize("method", ["RS", "RS-post", "BO-best", "EO-sqm", "EO-post"])
def test_run_is_determined_by_seed(
    new_run: Make, run_inline: Work, recorded: Read, method: str
) -> None:
    runs = [new_run(method=method, budget=6) for _ in range(2)]
    assert [run_inline(*run) for run in runs] == ["finished", "finished"]
    assert recorded(*runs[0]) == recorded(*runs[1])


def test_new_engine_removes_trials_of_killed_engine(
    new_run: Make, run_inline: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, run_id = new_run(budget=1)
    with Document.open(path) as document:
        document.journal.set_running(run_id, [RunningJob(0, {"algorithm": "forest"}, 100.0)])
    prepare, running = engine.prepare, []

    def record_running(document: Document, *arguments: Any, **options: Any) -> Any:
        running.append(document.journal.list_running(run_id))
        return prepare(document, *arguments, **options)

    monkeypatch.setattr(engine, "prepare", record_running)
    assert run_inline(path, run_id) == "finished"
    assert running == [()]


class FoldInspector(InlinePool):
    """Reports the second fold twice while the first trial trains."""

    looks = 0

    def wait(self, timeout: float) -> list[FinishedJob]:
        self.looks += 1
        self.current_folds = {1: (2, 5)} if self.looks <= 2 else {}
        return [] if self.looks <= 2 else super().wait(timeout)


def test_current_fold_is_stored_on_change_only(
    new_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    updates: list[Sequence[RunningJob]] = []
    monkeypatch.setattr("studio.runs.searching.FOLD_INTERVAL", 0.0)
    monkeypatch.setattr(Journal, "set_running", lambda _, run, now: updates.append(now))
    path, run_id = new_run(budget=1)
    with Document.open(path) as document:
        Engine(document, run_id, lambda progress: None, FoldInspector).execute_run()
    fold_progress = [(each.fold, each.folds) for now in updates for each in now]
    assert fold_progress == [(0, 0), (2, 5)]


def test_run_depends_on_seed(finished_run: Make, recorded: Read) -> None:
    assert recorded(*finished_run(seed=1, budget=3)) != recorded(*finished_run(seed=2, budget=3))


def test_stopped_run_continues_identically(
    finished_run: Make, new_run: Make, recorded: Read, run_inline: Work
) -> None:
    """The first trials run in a different process from the trials compared with them."""
    uninterrupted = recorded(*finished_run(method="EO-sqm", budget=9))
    path, run_id = new_run(method="EO-sqm", budget=9)
    with Document.open(path) as document:
        engine: Engine

        def stop_after_four(progress: Progress) -> None:
            if progress.trial is not None and progress.trial.number == 4:
                engine.stop()

        engine = Engine(document, run_id, stop_after_four)
        assert engine.execute_run() == "stopped"
        assert document.trials.count(run_id) == 4
    assert run_inline(path, run_id) == "finished"
    assert recorded(path, run_id) == uninterrupted


def test_finished_run_is_not_executed_again(
    finished_run: Make, recorded: Read, run_inline: Work
) -> None:
    path, run_id = finished_run(budget=3)
    trials_before = recorded(path, run_id)
    assert run_inline(path, run_id) == "finished"
    assert recorded(path, run_id) == trials_before


def test_finished_run_continues_with_larger_budget(finished_run: Make, run_inline: Work) -> None:
    path, run_id = finished_run(budget=3)
    with Document.open(path) as document:
        document.requests.post(run_id, "budget", 5)
    assert run_inline(path, run_id) == "finished"
    with Document.open(path, writable=False) as document:
        assert summarise_run(document, run_id).trials == 5


def test_requests_to_dead_engine_do_not_stop_next_engine(new_run: Make, run_inline: Work) -> None:
    path, run_id = new_run(budget=2)
    with Document.open(path) as document:
        document.requests.post(run_id, "stop")
    assert run_inline(path, run_id) == "finished"


def test_stop_request_in_document_stops_run(new_run: Make, run_inline: Work) -> None:
    path, run_id = new_run(budget=50)

    def ask_for_a_stop(progress: Progress) -> None:
        if progress.trial is not None and progress.trial.number == 2:
            with Document.open(path) as other:
                other.requests.post(run_id, "stop")

    assert run_inline(path, run_id, ask_for_a_stop) == "stopped"
    with Document.open(path, writable=False) as document:
        assert 2 <= document.trials.count(run_id) <= 4
        assert document.runs.get(run_id).state == "stopped"


@pytest.mark.parametrize("method", ["EO-sqm", "BO-best"])
def test_stopped_run_can_be_finished(new_run: Make, method: str) -> None:
    path, run_id = new_run(method=method, budget=50)
    with Document.open(path) as document:
        engine: Engine

        def stop_after_five(progress: Progress) -> None:
            if progress.trial is not None and progress.trial.number == 5:
                engine.stop()

        engine = Engine(document, run_id, stop_after_five, InlinePool)
        assert engine.execute_run() == "stopped"
        last = document.trials.list_iterations(run_id)[-1]
        summary = summarise_run(document, run_id)
        result = document.runs.get(run_id).result
        assert result is not None
        assert summary.test_error_ensemble == last.ensemble_test
        assert summary.test_error_single == last.single_test
        assert summary.test_error_ensemble is not None
        assert summary.test_interval is not None
        low, high = summary.test_interval
        assert low <= summary.test_error_ensemble <= high
        assert (result.refitted, result.kept_bytes) == (False, 0)
        assert contains_facts(summary.kept_reason, "stopped", "fall or rise")
        document.runs.set_state(run_id, "running")
        assert summarise_run(document, run_id).test_error_ensemble is None, "it continues"


@pytest.mark.parametrize("refit", [False, True])
def test_refit_stage_is_reported_before_refit(
    new_run: Make, monkeypatch: pytest.MonkeyPatch, refit: bool
) -> None:
    messages: list[str] = []
    write = Runs.set_state

    def listen(runs: Runs, run_id: int, state: str, message: str = "") -> None:
        messages.append(message)
        write(runs, run_id, state, message)

    monkeypatch.setattr(Runs, "set_state", listen)
    path, run_id = new_run(budget=2, refit=refit)
    with Document.open(path) as document:
        Engine(document, run_id, lambda progress: None, InlinePool).execute_run()
        result = document.runs.get(run_id).result
    assert result is not None
    assert result.refitted == refit == any("all rows" in each for each in messages)


def test_parallel_runs_share_memory_limit(new_run: Make) -> None:
    limits = []

    def record_limits(
        workers: int, scratch: Path, limit: TrialLimits, data: TrialData
    ) -> InlinePool:
        limits.append(limit.memory)
        return InlinePool(workers, scratch, limit, data)

    path, run_id = new_run(method="RS", budget=1)
    with Document.open(path) as document:
        Engine(document, run_id, lambda progress: None, record_limits, at_once=3).execute_run()
    assert limits == [get_memory_limit(None, 3)]
    assert make_cell_worker_command(path, 3)[-2:] == ["--lanes", "3"]


def test_several_workers_do_not_exceed_budget(finished_run: Make) -> None:
    path, run_id = finished_run(workers=2, budget=8, method="BO-best")
    with Document.open(path, writable=False) as document:
        trials = document.trials.list_all(run_id)
    assert [trial.number for trial in trials] == list(range(1, 9))
    assert len({repr(sorted(trial.configuration.items())) for trial in trials}) == 8


def test_k_fold_run_predicts_every_non_test_row(finished_run: Make) -> None:
    from studio.data.splits import SplitPlan

    path, run_id = finished_run(plan=SplitPlan(folds=3), budget=2, method="RS")
    with Document.open(path, writable=False) as document:
        stored = document.trials.read_predictions(run_id, 1, "validation")
        split = document.runs.split(run_id)
    assert stored is not None
    assert len(stored) == len(split["validation"])
    assert len(split["validation"]) + len(split["test"]) == 90


def test_second_file_is_test_set(
    new_run: Make, small_table: Path, tmp_path: Path, run_inline: Work
) -> None:
    other = tmp_path / "other.csv"
    lines = small_table.read_text().splitlines()
    other.write_text("\n".join([lines[0], *lines[1:21]]) + "\n")
    source = TableSource(path=str(small_table), test_path=str(other))
    path, run_id = new_run(source=source, budget=2, method="RS")
    assert run_inline(path, run_id) == "finished"
    with Document.open(path, writable=False) as document:
        result = document.runs.get(run_id).result
        stored = document.trials.read_predictions(run_id, 1, "test")
    assert result is not None
    assert result.test_rows == 20
    assert stored is not None
    assert len(stored) == 20


def test_time_budget_ends_run(new_run: Make, run_inline: Work) -> None:
    path, run_id = new_run(budget=None, seconds=0.5, method="RS")
    assert run_inline(path, run_id) == "finished"
    with Document.open(path, writable=False) as document:
        assert document.trials.count(run_id) >= 1


def test_preparation_error_is_stored_in_document(
    new_run: Make, tmp_path: Path, run_inline: Work
) -> None:
    path, run_id = new_run(source=TableSource(path=str(tmp_path / "gone.csv")))
    with pytest.raises(DataError):
        run_inline(path, run_id)
    with Document.open(path, writable=False) as document:
        row = document.runs.get(run_id)
    assert row.state == "failed"
    assert "gone.csv" in row.message


def test_metric_of_another_task_is_rejected(new_run: Make, run_inline: Work) -> None:
    path, run_id = new_run(metric="rmse")
    with pytest.raises(UsageError, match="does not apply"):
        run_inline(path, run_id)


def test_live_test_errors_agree_with_combined_stored_predictions(finished_run: Make) -> None:
    from studio.ensembles.base import Ensemble, combine
    from studio.runs.prepare import prepare

    path, run_id = finished_run(method="RS-post", budget=6)
    with Document.open(path, writable=False) as document:
        prepared_run = prepare(document, run_id)
        last = document.trials.list_iterations(run_id)[-1]
        numbers = tuple(number for number, _ in last.members)
        weights = tuple(weight for _, weight in last.members)
        stored = {
            number: document.trials.read_predictions(run_id, number, "test") for number in numbers
        }
        votes = combine(stored.__getitem__, Ensemble(numbers, weights, "vote"))
        truth = prepared_run.problem.y[prepared_run.split.test]
    assert last.ensemble_test == pytest.approx(float(np.mean(votes.argmax(axis=1) != truth)))


@pytest.mark.parametrize("asked", ["by a signal", "in the document"])
def test_run_can_be_stopped_while_reading_table(
    new_run: Make, monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    path, run_id = new_run(method="RS", budget=2)
    with Document.open(path) as document:
        engine = Engine(document, run_id, lambda progress: None, InlinePool)
        read = table_files.read_with_column

        def read_slowly(*given: Any) -> Any:
            if asked == "by a signal":
                engine.stop()
            else:
                document.requests.post(run_id, "stop")
            return read(*given)

        with monkeypatch.context() as patch:
            patch.setattr(table_files, "read_with_column", read_slowly)
            assert engine.execute_run() == "stopped"
        row = document.runs.get(run_id)
        assert (row.state, row.table_id, row.prepared) == ("stopped", None, False)
        assert "Stopped" in row.message
        assert (
            Engine(document, run_id, lambda progress: None, InlinePool).execute_run() == "finished"
        )
