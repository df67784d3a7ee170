"""The ensemble of a finished run agrees with its recorded result."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from studio.document.store import Document
from studio.runs.load import load_history, select_ensemble
from studio.runs.prepare import build_ensemble, prepare


@pytest.mark.slow
def test_selected_ensemble_uses_temperature_of_result(
    finished_run: Callable[..., tuple[Path, int]],
) -> None:
    path, run_id = finished_run(
        method="RS-post", metric="log-loss", budget=6, overrides={"ensemble.calibrate": True}
    )
    with Document.open(path) as document:
        prepared_run = prepare(document, run_id)
        history = load_history(document, run_id, prepared_run)
        row = document.runs.get(run_id)
    ensemble = build_ensemble(prepared_run, history)
    assert row.result is not None
    assert ensemble.temperature == row.result.temperature != 1.0
    earlier = replace(row, result=replace(row.result, temperature=1.0))
    assert select_ensemble(earlier, prepared_run, history) == replace(ensemble, temperature=1.0)
    continued = replace(row, result=replace(row.result, temperature=1.0, trials=5))
    assert select_ensemble(continued, prepared_run, history) == ensemble
