"""Forks of a run, compared with the run."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from studio.cli.entry import main
from studio.document.store import Document
from studio.errors import SpaceError, UsageError
from studio.helper.runs import fork_run as fork_task
from studio.proposers.composition import has_same_evaluation
from studio.proposers.method import compose, list_methods
from studio.proposers.presets import get_preset
from studio.runs.create import fork_run, make_fork_settings
from studio.runs.load import load_history
from studio.runs.prepare import build_ensemble, prepare
from studio.runs.settings import RunSettings
from tests.facts import about, facts

pytestmark = pytest.mark.slow

Make = Callable[..., tuple[Path, int]]


def fork_run_at(path: Path, run_id: int, at: int, **changes: Any) -> int:
    with Document.open(path) as document:
        return fork_run(document, run_id, at, changes)


@pytest.mark.parametrize("method", ["RS-post", "EO-sqm"])
@pytest.mark.parametrize("at", [0, 3, 6])
def test_fork_with_same_method_continues_identically(
    finished_run: Make,
    run_inline: Callable[..., str],
    recorded: Callable[..., list[Any]],
    method: str,
    at: int,
) -> None:
    path, run_id = finished_run(method=method, budget=6)
    fork = fork_run_at(path, run_id, at)
    with Document.open(path, writable=False) as document:
        assert document.trials.count(fork) == at
        assert document.runs.get(fork).settings["forked"] == {"run": run_id, "iteration": at}
    assert run_inline(path, fork) == "finished"
    assert recorded(path, fork) == recorded(path, run_id)


def test_forked_method_uses_copied_trials(
    finished_run: Make, run_inline: Callable[..., str], recorded: Callable[..., list[Any]]
) -> None:
    path, run_id = finished_run(method="RS", budget=5)
    trials_before = recorded(path, run_id)
    fork = fork_run_at(path, run_id, 4, method="EO-sqm", budget=6)
    assert run_inline(path, fork) == "finished"
    assert recorded(path, run_id) == trials_before
    with Document.open(path, writable=False) as document:
        prepared_run = prepare(document, fork)
        history = load_history(document, fork, prepared_run)
        rows = document.trials.list_rows(fork)
        originals = document.trials.list_rows(run_id)[:4]
    assert prepared_run.method.preset == "EO-sqm"
    for row, original in zip(rows[:4], originals, strict=True):
        assert row.trial == original.trial
    for row, original in zip(rows[:3], originals[:3], strict=True):
        assert row.iteration == original.iteration, "its curves up to the fork"
    assert len(rows) == 6
    for row in rows[3:]:
        ensemble = build_ensemble(prepared_run, history.take_first(row.trial.number))
        assert row.iteration.members == tuple(zip(ensemble.members, ensemble.weights, strict=True))


def test_fork_without_remaining_time_is_explained(
    finished_run: Make, run_inline: Callable[..., str]
) -> None:
    path, run_id = finished_run(method="RS", budget=5)
    fork = fork_run_at(path, run_id, 4, budget=9, seconds=1e-6)
    with Document.open(path) as document:
        iterations = document.trials.list_iterations(fork)
    assert iterations[-1].details["elapsed"] > 0
    assert run_inline(path, fork) == "finished"
    with Document.open(path, writable=False) as document:
        result = document.runs.get(fork).result
    assert result is not None
    (note,) = (each for each in result.notes if "more time" in each)
    assert not facts(note), "no negative number of seconds"


def test_fork_without_new_trials_builds_ensembles(
    finished_run: Make, run_inline: Callable[..., str]
) -> None:
    path, run_id = finished_run(method="RS", budget=5)
    fork = fork_run_at(path, run_id, 5, method="RS-ES")
    assert run_inline(path, fork) == "finished"
    with Document.open(path, writable=False) as document:
        prepared_run = prepare(document, fork)
        history = load_history(document, fork, prepared_run)
        rows = document.trials.list_rows(fork)
    for row in rows:
        ensemble = build_ensemble(prepared_run, history.take_first(row.trial.number))
        assert row.iteration.members == tuple(zip(ensemble.members, ensemble.weights, strict=True))


def test_fork_without_new_trials_has_ensemble_and_explanation(
    finished_run: Make, make_search_loop: Callable[..., tuple[Any, Any]]
) -> None:
    path, run_id = finished_run(method="RS", budget=5)
    with Document.open(path) as document:
        elapsed = document.trials.list_iterations(run_id)[3].details["elapsed"]
        changes = {"method": "RS-ES", "budget": None, "seconds": elapsed + 10.0}
        fork = fork_run(document, run_id, 4, changes)
        loop, pool = make_search_loop(document, fork, lambda job: 0.01)
        pool.now = 9.5
        assert loop.run() == "finished"
        result, (*_, last) = document.runs.get(fork).result, document.trials.list_iterations(fork)
    assert result is not None
    assert last.number == 4
    assert last.members == tuple((each.trial, each.weight) for each in result.members)
    note = loop._session.reporter.reports[-1]
    assert note in result.notes
    assert facts(note) == {"total": pytest.approx(10.0), "worked": pytest.approx(9.5, abs=0.2)}


def test_only_runs_without_new_trials_have_explanation(
    finished_run: Make, make_search_loop: Callable[..., tuple[Any, Any]]
) -> None:
    path, run_id = finished_run(method="RS", budget=5)
    for changes in ({"budget": 6}, {"budget": 4}, {"budget": None, "seconds": 600.0}):
        with Document.open(path) as document:
            fork = fork_run(document, run_id, 4, {"method": "RS-ES", **changes})
            loop, _ = make_search_loop(document, fork, lambda job: 60.0)
            assert loop.run() == "finished"
            result = document.runs.get(fork).result
        assert result is not None
        assert not any("more time" in each for each in result.notes)


def test_fork_keeps_evaluation(finished_run: Make, new_run: Make) -> None:
    overrides = {"evaluation.selection": 0.2, "ensemble": "selection-best"}
    path, run_id = finished_run(method="RS", budget=2, overrides=overrides)
    fork = fork_run_at(path, run_id, 2, method="BO-best", budget=3)
    with Document.open(path, writable=False) as document:
        method = prepare(document, fork).method
    assert method.evaluation.selection == 0.2
    assert method.ensemble.key == "single-best"
    with pytest.raises(UsageError, match="reshuffle", check=about(method="gp-sel-r")):
        fork_run_at(path, run_id, 2, method="gp-sel-r")
    assert fork_run_at(path, run_id, 2, method="gp-sel") == 3


def test_reshuffling_fork_continues_with_reshuffled_trials(finished_run: Make) -> None:
    overrides = {"evaluation": "reshuffle", "evaluation.selection": 0.3}
    path, run_id = finished_run(method="RS", budget=2, overrides=overrides)
    for method in ("gp-r", "gp", "BO-best"):
        fork = fork_run_at(path, run_id, 2, method=method)
        with Document.open(path, writable=False) as document:
            evaluation = prepare(document, fork).method.evaluation
        assert (evaluation.key, evaluation.selection) == ("reshuffle", 0.3)
    with pytest.raises(UsageError, match="cannot be compared"):
        fork_run_at(path, run_id, 2, method="gp-sel-r")  # keeps 0.2 aside


@pytest.mark.parametrize(
    ("changes", "pattern"),
    [
        ({"method": "BO-best", "overrides": {"evaluation": "reshuffle"}}, "cannot be compared"),
        ({"overrides": {"evaluation.selection": 0.2}}, "cannot be compared"),
        ({"metric": "log-loss"}, "cannot change 'metric'"),
        ({"plan": {"folds": 3}}, "cannot change 'plan'"),
        ({"method": "nothing"}, "no method called"),
    ],
)
def test_fork_rejects_settings_that_change_trials(
    finished_run: Make, changes: dict[str, Any], pattern: str
) -> None:
    path, run_id = finished_run(method="RS", budget=1)
    with pytest.raises(UsageError, match=pattern):
        fork_run_at(path, run_id, 1, **changes)
    with Document.open(path, writable=False) as document:
        assert len(document.runs.list_all()) == 1


def test_fork_cannot_combine_reshuffled_trials(finished_run: Make) -> None:
    path, run_id = finished_run(method="RS", budget=2, overrides={"evaluation": "reshuffle"})
    with pytest.raises(UsageError, match="predicts different rows"):
        fork_run_at(path, run_id, 2, method="RS-post")
    assert fork_run_at(path, run_id, 2, method="BO-best") == 2


def test_invalid_iterations_and_spaces_are_rejected(finished_run: Make, new_run: Make) -> None:
    path, run_id = finished_run(method="RS", budget=2)
    with pytest.raises(UsageError, check=about(count=2, iteration="3")):
        fork_run_at(path, run_id, 3)
    with Document.open(path, writable=False) as document:
        space = dict(document.runs.get(run_id).settings["space"])
        algorithm = document.trials.list_all(run_id)[0].configuration["algorithm"]
    names = [each["name"] for each in space["parameters"]]
    index = names.index("algorithm")
    algorithm_parameter = {**space["parameters"][index]}
    algorithm_parameter["choices"] = [
        each for each in algorithm_parameter["choices"] if each != algorithm
    ]
    algorithm_parameter.pop("default", None)
    others = [
        each
        for each in space["parameters"]
        if not any(algorithm in rule.get("values", []) for rule in each.get("conditions", []))
        and each["name"] != "algorithm"
    ]
    smaller = {**space, "parameters": [algorithm_parameter, *others]}
    with pytest.raises(SpaceError, check=about(number="1", name="algorithm")):
        fork_run_at(path, run_id, 1, space=smaller)
    other, other_id = new_run()
    with pytest.raises(UsageError, match="has not started"):
        fork_run_at(other, other_id, 0)


def test_helper_and_command_line_can_fork(
    finished_run: Make, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from studio.runs import engine
    from studio.runs.inline import InlinePool

    monkeypatch.setattr(engine.Engine.__init__, "__defaults__", (InlinePool, None))
    path, run_id = finished_run(method="RS", budget=2)
    assert fork_task(path, run_id, 1, {"method": "RS-post"}) == 2
    line = [str(path), "--run", "1", "--at", "2", "--method", "RS-post", "--budget", "3"]
    assert main(["fork", *line, "--set", "ensemble.size=2", "--json", "--quiet"]) == 0
    printed = capsys.readouterr().out
    assert '"trials": 3' in printed
    assert '"run": 3' in printed


@pytest.mark.parametrize(
    ("method", "overrides"),
    [
        ("RS", {}),
        ("best", {}),
        ("gp-sel", {}),
        ("gp-r", {}),
        ("cma-pv-r", {}),
        ("RS", {"evaluation": "reshuffle", "evaluation.selection": 0.3}),
        ("BO-best", {"evaluation.selection": 0.2}),
    ],
)
def test_offered_fork_methods_are_accepted(method: str, overrides: dict[str, Any]) -> None:
    settings = RunSettings(method=method, overrides=overrides)
    evaluation = compose(method, overrides, "binary").evaluation
    original = SimpleNamespace(
        settings=settings,
        method=SimpleNamespace(evaluation=evaluation),
        problem=SimpleNamespace(task="binary"),
    )
    for preset in list_methods():
        if "binary" in preset.rejections:
            continue
        try:
            make_fork_settings(original, {"method": preset.key})  # type: ignore[arg-type]
        except UsageError:
            accepted = False
        else:
            accepted = True
        assert has_same_evaluation(get_preset(method), overrides, preset) == accepted, preset.key
