"""Distance of suggestions from the previous ensemble, compared with manual counts."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from studio.analysis.diversity import (
    compute_least_diversity,
    compute_surrogate_agreement,
    list_checkpoints,
)
from studio.document.store import Document
from studio.document.trials import Trials
from studio.ensembles.diversity import compute_pairwise_diversity
from studio.errors import EnsembleError
from studio.runs.load import load_history
from studio.runs.prepare import prepare
from studio.space.encoding import encode
from studio.surrogates.diversity.row_by_row import compute_rank_agreement

pytestmark = pytest.mark.slow

Finished = Callable[..., tuple[Path, int]]


def what_if(path: Path, run_id: int) -> dict[int, float]:
    with Document.open(path, writable=False) as document:
        members = [[n for n, _ in each.members] for each in document.trials.list_iterations(run_id)]
        stored = {
            t.number: document.trials.read_predictions(run_id, t.number, "validation")
            for t in document.trials.list_all(run_id)
        }
    return {
        number: min(
            compute_pairwise_diversity([predictions, stored[m]], np.zeros(1))[0, 1] for m in before
        )
        for (number, predictions), before in zip(list(stored.items())[1:], members, strict=False)
        if predictions is not None and before
    }


def test_suggestions_are_compared_with_preceding_ensemble(finished_run: Finished) -> None:
    path, run_id = finished_run(method="RS-ES", budget=9)
    diversity = compute_least_diversity(path, run_id)
    expected = what_if(path, run_id)
    assert diversity.numbers.tolist() == list(expected)
    np.testing.assert_allclose(diversity.min_diversities, list(expected.values()), atol=1e-6)
    with Document.open(path, writable=False) as document:
        iterations = document.trials.list_iterations(run_id)
    for number, nearest in zip(diversity.numbers, diversity.nearest, strict=True):
        assert nearest in [member for member, _ in iterations[number - 2].members]


def test_least_diversity_is_updated_incrementally(
    finished_run: Finished, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, run_id = finished_run(method="RS-ES", budget=6)
    first = compute_least_diversity(path, run_id)
    monkeypatch.setattr(Trials, "read_predictions", None)
    repeated = compute_least_diversity(path, run_id)
    np.testing.assert_array_equal(first.min_diversities, repeated.min_diversities)


def test_least_diversity_of_long_run_is_computed_in_chunks(
    finished_run: Finished, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, run_id = finished_run(method="RS-ES", budget=7)
    monkeypatch.setattr("studio.analysis.diversity.AT_ONCE", 4)
    first, second = compute_least_diversity(path, run_id), compute_least_diversity(path, run_id)
    assert (first.has_more, second.has_more) == (True, False)
    assert first.numbers.max() <= 4
    np.testing.assert_allclose(
        second.min_diversities, list(what_if(path, run_id).values()), atol=1e-6
    )


def test_least_diversity_needs_common_rows(finished_run: Finished) -> None:
    path, run_id = finished_run(method="RS", budget=3, overrides={"evaluation": "reshuffle"})
    with pytest.raises(EnsembleError, match="its own rows"):
        compute_least_diversity(path, run_id)


def test_checkpoints_become_sparser() -> None:
    assert list_checkpoints(9) == []
    assert list_checkpoints(45) == [10, 15, 20, 30, 40]
    assert len(list_checkpoints(1000)) <= 14


def test_surrogate_agreement_evaluates_one_iteration_per_call(finished_run: Finished) -> None:
    path, run_id = finished_run(method="DivBO", budget=16, overrides={"proposer.initial": 16})
    first = compute_surrogate_agreement(path, run_id, 16)
    second = compute_surrogate_agreement(path, run_id, 16)
    assert (first.numbers.tolist(), first.has_more) == ([10], True)
    assert (second.numbers.tolist(), second.has_more) == ([10, 15], False)
    early = compute_surrogate_agreement(path, run_id, 12)
    assert early.numbers.tolist() == [10]
    with Document.open(path, writable=False) as document:
        prepared_run = prepare(document, run_id)
        history = load_history(document, run_id, prepared_run).take_first(10)
    rows = encode(prepared_run.space, [trial.configuration for trial in history.succeeded])
    trial_predictions = [history.get_predictions(number) for number in history.list_numbers()]
    expected = compute_rank_agreement(
        prepared_run.method.proposer.diversity,
        rows,
        compute_pairwise_diversity(trial_predictions, history.truth),
    )
    assert first.taus[0] == pytest.approx(expected, abs=0.05)


def test_method_without_diversity_surrogate_has_no_tau(finished_run: Finished) -> None:
    path, run_id = finished_run(method="RS-ES", budget=3)
    assert not compute_surrogate_agreement(path, run_id, 3).has_diversity_surrogate


def test_iterations_record_suggestion_and_start_times(finished_run: Finished) -> None:
    path, run_id = finished_run(method="RS", budget=3)
    with Document.open(path, writable=False) as document:
        details = [each.details for each in document.trials.list_iterations(run_id)]
    for each in details:
        suggestion_time, started = each["timing"]
        assert 0 <= suggestion_time <= started <= each["elapsed"]
