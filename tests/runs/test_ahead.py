"""Suggestions made ahead do not depend on durations."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from studio.document.store import Document
from studio.proposers.base import Suggestion, SuggestionContext
from studio.runs import suggesting
from studio.space.library import load
from studio.trial import History
from tests.hostile_json import HOSTILE

pytestmark = pytest.mark.slow

Make = Callable[..., tuple[Path, int]]


LoopMaker = Callable[..., tuple[Any, Any]]
Tried = Callable[..., list[Any]]


def second(job: dict[str, Any]) -> float:
    return 1.0


@pytest.fixture
def run_trials(
    new_run: Make, make_search_loop: LoopMaker, ahead_proposer: Callable[..., Any]
) -> Tried:
    """Return a function that makes a stopped run and returns its trials."""

    def work(*, stops: tuple[int, ...] = (), starts: int = 0, **options: Any) -> list[Any]:
        path, run_id = new_run(method="RS-post", budget=7)
        proposer = ahead_proposer(starts=starts)
        with Document.open(path) as document:
            for stop in (*stops, None):
                loop, _ = make_search_loop(
                    document, run_id, second, proposer=proposer, stop_after=stop, **options
                )
                assert loop.run() == ("finished" if stop is None else "stopped")
            return [
                (
                    dict(row.trial.configuration),
                    row.iteration.details["seen"]["after"],
                    row.iteration.details["seen"]["started"],
                )
                for row in document.trials.list_rows(run_id)
            ]

    return work


def test_ahead_suggestion_uses_all_except_running_trial(run_trials: Tried) -> None:
    history_counts = [each[1:] for each in run_trials()]
    assert history_counts == [(0, 0), *((number, number + 1) for number in range(6))]


def test_immediate_suggestion_uses_all_finished_trials(run_trials: Tried) -> None:
    history_counts = [each[1:] for each in run_trials(starts=3)]
    assert history_counts == [(0, 0), (1, 1), (2, 2), (2, 3), (3, 4), (4, 5), (5, 6)]


def test_suggestion_process_agrees_with_engine(run_trials: Tried) -> None:
    assert run_trials(apart=True) == run_trials()


def test_stopped_run_with_ahead_suggestions_continues_identically(run_trials: Tried) -> None:
    assert run_trials(stops=(1, 4)) == run_trials()
    assert run_trials(stops=(3,), apart=True) == run_trials()


def test_dead_suggestion_process_does_not_change_trials(
    run_trials: Tried, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suggesting, "PROPOSERS", "dying_proposers")
    assert run_trials(apart=True) == run_trials()


@pytest.mark.parametrize(
    "header", [*HOSTILE[:5], "{}", '{"suggestion": {}}', '{"suggestion": 1, "cpu": 0.1}']
)
def test_invalid_suggestion_reply_is_detected(
    run_trials: Tried, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, header: str
) -> None:
    (tmp_path / "header").write_text(header)
    program = (
        "import pathlib, sys; text = pathlib.Path(sys.argv[1]).read_bytes(); "
        "sys.stdout.buffer.write(len(text).to_bytes(4, 'big') + text); "
        "sys.stdout.buffer.flush(); sys.stdin.buffer.read()"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "header")]
    monkeypatch.setattr(suggesting, "make_module_command", lambda *_: command)
    assert run_trials(apart=True) == run_trials()


def test_two_workers_get_different_suggestions(run_trials: Tried) -> None:
    suggestions = run_trials(workers=2)
    assert len({repr(each[0]) for each in suggestions}) == 7
    assert all(after <= started for _, after, started in suggestions)


def test_snapshot_reconstructs_history_of_ahead_suggestion(
    new_run: Make, make_search_loop: LoopMaker, ahead_proposer: Callable[..., Any]
) -> None:
    from studio.analysis.surrogate.snapshot import _find_suggestion
    from studio.document.trials import TrialRow

    path, run_id = new_run(method="RS-post", budget=6)
    with Document.open(path) as document:
        make_search_loop(document, run_id, second, proposer=ahead_proposer())[0].run()
        rows: tuple[TrialRow, ...] = document.trials.list_rows(run_id)
    suggestion = _find_suggestion(3, rows[3:], (), 6, ahead_proposer())
    assert suggestion.pending == (rows[3].trial.configuration,)
    assert suggestion.configuration == rows[4].trial.configuration


def looking_ahead(monkeypatch: pytest.MonkeyPatch, calls: list[str]) -> suggesting.SuggestionSource:
    """Return the source of a proposer whose first four suggestions are immediate."""
    fake = SimpleNamespace(
        open=lambda: calls.append("open"),
        send_query=lambda search: calls.append("ask"),
        close=lambda: None,
    )
    monkeypatch.setattr(suggesting, "SuggestionProcess", lambda prepared: fake)
    proposer = SimpleNamespace(
        ahead=True,
        is_immediate=lambda search: search.n_started < 4,
        suggest=lambda search: Suggestion({"a": search.n_started}, ""),
    )
    method, metric = SimpleNamespace(proposer=proposer), SimpleNamespace(local=False)
    prepared: Any = SimpleNamespace(method=method, metric=metric)
    return suggesting.SuggestionSource(prepared, separate_process=True)


def started(n: int, seconds_left: float | None = None) -> SuggestionContext:
    space, history = load("sklearn-cash"), History(np.zeros(3, dtype=int), 2)
    pending = tuple({"a": value} for value in range(n))
    return SuggestionContext(
        space=space, history=history, pending=pending, seconds_left=seconds_left
    )


def test_suggestion_process_is_started_one_trial_before_use(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    events: list[str] = []
    looking = looking_ahead(monkeypatch, events)
    for n in range(5):
        looking.suggest_ahead(started(n))
        events.append("trial")
    assert events == ["trial", "trial", "trial", "open", "trial", "ask", "trial"]


def test_no_suggestion_is_computed_without_remaining_time(monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[str] = []
    looking = looking_ahead(monkeypatch, events)
    looking.suggest_ahead(started(4, seconds_left=-0.5))
    assert (events, looking.is_pending) == ([], False)
    looking.suggest_ahead(started(4, seconds_left=0.5))
    assert (events, looking.is_pending) == (["ask"], True)


@pytest.mark.parametrize("method", ["BO-post", "EO-post", "SMBO", "DivBO"])
def test_paper_methods_can_suggest_ahead(
    new_run: Make, run_inline: Callable[..., str], method: str
) -> None:
    def run_and_count_history(**options: Any) -> list[tuple[float, float]]:
        path, run_id = new_run(method=method, budget=7, overrides=options)
        assert run_inline(path, run_id) == "finished"
        with Document.open(path, writable=False) as document:
            history_counts = [
                row.iteration.details["seen"] for row in document.trials.list_rows(run_id)
            ]
        return [(each["after"], each["started"]) for each in history_counts]

    assert run_and_count_history() == [(number, number) for number in range(7)]
    ahead = {"proposer.ahead": True}
    assert run_and_count_history(**ahead) == [
        (0, 0),
        *((number, number + 1) for number in range(6)),
    ]
