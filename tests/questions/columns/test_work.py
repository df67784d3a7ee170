"""Which results of an earlier computation are shown for a run."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from studio.questions.columns import ColumnsWork
from tests.results import make_result


def make_work() -> ColumnsWork:
    """Return the work of requesters that never answer."""

    requester = SimpleNamespace(
        submit=lambda *_: None, submit_arguments=lambda *_: None, clear=lambda: None
    )
    return ColumnsWork(cast(Any, SimpleNamespace(for_task=lambda *_: requester)), {})


def test_effects_are_specific_to_run_state(tmp_path: Path) -> None:
    work, path = make_work(), tmp_path / "work.studio"
    results = [
        None,  # before its end, without test rows
        make_result(kept_bytes=0, refitted=False),
        make_result(kept_bytes=900, refitted=True),
    ]
    keys = []
    for result in results:
        work.set_run(path, 1, 4, result)
        keys.append(work.ensemble_key)
    assert len({*keys}) == len(results)
    work.set_run(path, 1, 4, results[1])
    assert work.ensemble_key == keys[1]
