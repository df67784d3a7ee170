"""Data about runs cached by the helper process."""

import gc
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from studio.analysis.diversity import compute_least_diversity, compute_surrogate_agreement
from studio.analysis.surrogate import choices
from studio.analysis.what_if import compute_what_if
from studio.helper.protocol import MessageUnpacker, pack
from studio.runs import load
from studio.runs.prepare import PreparedRun
from studio.trial import History
from tests.small_runs import finished_run, new_run, small_table  # noqa: F401

Finished = Callable[..., tuple[Path, int]]
BAYESIAN = {"method": "BO-best", "overrides": {"ensemble": "posterior-mean"}, "budget": 6}
COMMAND = [
    sys.executable,
    "-c",
    "from studio.helper.server import serve; raise SystemExit(serve())",
]


def alive(kind: type) -> dict[int, object]:
    gc.collect()
    return {id(each): each for each in gc.get_objects() if type(each) is kind}


@pytest.mark.slow
@pytest.mark.parametrize(
    "ask",
    [
        lambda path, run_id: choices.compute_posterior_choices(path, run_id, None),
        lambda path, run_id: compute_what_if(path, run_id, 6, {1: 1.0}),
        lambda path, run_id: compute_surrogate_agreement(path, run_id, 6),
        compute_least_diversity,
    ],
    ids=["choices", "what-if", "agreement", "diversity"],
)
def test_run_cache_keeps_most_recent_runs(
    finished_run: Finished,  # noqa: F811
    ask: Callable[[Path, int], object],
) -> None:
    runs = [finished_run(**BAYESIAN) for _ in range(4)]
    load._get_cached_run.cache_clear()
    before = {kind: set(alive(kind)) for kind in (PreparedRun, History)}
    for _ in range(2):
        for path, run_id in runs:
            ask(path, run_id)
    most = load._get_cached_run.cache_info().maxsize
    assert most is not None
    assert most < len(runs)
    for kind, earlier_objects in before.items():
        assert len(set(alive(kind)) - earlier_objects) <= most, kind.__name__


@pytest.mark.slow
def test_choices_are_cached_in_bounded_cache(
    finished_run: Finished,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path, run_id = finished_run(**BAYESIAN)
    choices._CHOICE_CACHE.clear()
    first = choices.compute_posterior_choices(path, run_id, None)
    assert len(choices._CHOICE_CACHE) == len(first.iterations) > 1
    with monkeypatch.context() as patch:
        patch.setattr(choices, "_choose_trial", pytest.fail)
        repeated = choices.compute_posterior_choices(path, run_id, None)
    assert repeated.trials.tolist() == first.trials.tolist()
    monkeypatch.setattr(choices, "MAX_CACHED", 1)
    choices._CHOICE_CACHE.clear()
    assert (
        choices.compute_posterior_choices(path, run_id, None).trials.tolist()
        == first.trials.tolist()
    )
    assert len(choices._CHOICE_CACHE) == 1


def mapped_libraries(*requests: dict[str, Any]) -> str:
    """Return the files that a helper has mapped after it answered requests."""
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for request in requests:
            process.stdin.write(pack(request))
        process.stdin.flush()
        unpacker, answers = MessageUnpacker(), []
        while len(answers) < len(requests):
            piece = os.read(process.stdout.fileno(), 1 << 16)
            assert piece, "the helper ended"
            answers += unpacker.feed(piece)
        assert all("error" not in each.header for each in answers)
        mapped = Path(f"/proc/{process.pid}/maps").read_text("utf-8")
        process.stdin.close()
        process.wait(60)
    return mapped


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_persistent_helper_loads_only_needed_libraries(
    finished_run: Finished,  # noqa: F811
) -> None:
    path, run_id = finished_run(method="RS-ES", budget=6)
    run = {"path": str(path), "run_id": run_id}
    plan = {"id": 1, "task": "make_column_plan", "arguments": {**run, "iteration": 4}}
    assert "/pandas/" not in mapped_libraries(plan)
    # The final models are restored and asked about the test rows.
    final = {"id": 2, "task": "contributions", "arguments": run}
    mapped = mapped_libraries(plan, final)
    assert "/sklearn/" in mapped
    assert "/scipy/stats/" not in mapped
    assert "/scipy/interpolate/" not in mapped
