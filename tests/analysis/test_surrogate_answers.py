"""Map, calibration and importance of real runs, from the helper."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from studio.analysis.surrogate.calibration import predict_one_step_ahead
from studio.analysis.surrogate.importances import compute_importances
from studio.analysis.surrogate.planes import compute_surrogate_plane, compute_surrogate_slice
from studio.document.store import Document
from studio.errors import SpaceError
from tests.facts import facts

pytestmark = pytest.mark.slow

Make = Callable[..., tuple[Path, int]]


def get_branch(path: Path, run_id: int, number: int) -> str:
    with Document.open(path, writable=False) as document:
        return str(document.trials.list_all(run_id)[number - 1].configuration["algorithm"])


def test_map_of_one_branch_has_one_panel(finished_run: Make) -> None:
    path, run_id = finished_run(method="BO-best", budget=8)
    plane = compute_surrogate_plane(path, run_id, None, "rbf-svm.C", "rbf-svm.width")
    assert plane.reason == ""
    assert plane.panels == ("rbf-svm",)
    assert plane.mean.shape == plane.sd.shape == plane.acquisition.shape == (1, 48, 48)
    assert (plane.sd > 0).all()
    branch_trials = {n for n in range(1, 9) if get_branch(path, run_id, n) == "rbf-svm"}
    assert set(plane.trial_numbers.tolist()) == branch_trials


def test_map_agrees_with_slice_through_same_point(finished_run: Make) -> None:
    path, run_id = finished_run(method="BO-best", budget=8)
    plane = compute_surrogate_plane(path, run_id, None, "forest.max_depth", "algorithm")
    assert plane.panels == ("",)
    row = int(np.flatnonzero(np.isfinite(plane.mean[0]).any(axis=1))[0])
    along = compute_surrogate_slice(path, run_id, None, "forest.max_depth")
    if plane.fixed_values[0] == "the next configuration" or "random" not in plane.fixed_values[0]:
        np.testing.assert_allclose(plane.mean[0, row], along.mean)


def test_map_of_two_branches_gives_reason(finished_run: Make) -> None:
    path, run_id = finished_run(method="BO-best", budget=4)
    plane = compute_surrogate_plane(path, run_id, None, "rbf-svm.C", "forest.max_depth")
    assert "different branches" in plane.reason
    with pytest.raises(SpaceError, match="two different"):
        compute_surrogate_plane(path, run_id, None, "rbf-svm.C", "rbf-svm.C")


def test_map_over_branch_is_empty_for_inactive_parameter(finished_run: Make) -> None:
    path, run_id = finished_run(method="BO-best", budget=4)
    plane = compute_surrogate_plane(path, run_id, None, "algorithm", "knn.n_neighbors")
    assert np.isfinite(plane.mean[0]).any(axis=0).sum() == 1


def test_bandit_slices_stay_within_arm_space(finished_run: Make) -> None:
    path, run_id = finished_run(method="RB", budget=5, overrides={"surrogate": "gp"})
    arm = get_branch(path, run_id, 4)
    assert "separately" in compute_surrogate_slice(path, run_id, 4, "algorithm").reason
    other = "forest.max_depth" if arm == "knn" else "knn.n_neighbors"
    reason_facts = facts(compute_surrogate_slice(path, run_id, 4, other).reason)
    assert (reason_facts["arm"], reason_facts["names"]) == (arm, other)
    with Document.open(path, writable=False) as document:
        names = [
            name
            for name in document.trials.list_all(run_id)[3].configuration
            if name != "algorithm"
        ]
    along = compute_surrogate_slice(path, run_id, 4, names[0])
    assert along.reason == ""
    assert np.isfinite(along.grid).all()
    assert np.ptp(along.mean) > 0 or np.ptp(along.sd) > 0
    assert np.isfinite(along.trial_values).all()
    assert "separately" in compute_surrogate_plane(path, run_id, 4, other, "algorithm").reason


def test_one_step_ahead_pairs_predictions_with_losses(finished_run: Make) -> None:
    path, run_id = finished_run(method="BO-best", budget=8)
    predictions = predict_one_step_ahead(path, run_id, None)
    with Document.open(path, writable=False) as document:
        losses = {t.number: t.loss for t in document.trials.list_all(run_id)}
    assert predictions.numbers.tolist() == list(range(3, 9))
    assert predictions.n_random == 2
    assert predictions.observed.tolist() == [losses[n] for n in predictions.numbers.tolist()]
    assert (predictions.sd > 0).all()
    assert predict_one_step_ahead(path, run_id, 5).numbers.tolist() == [3, 4, 5]


def test_one_step_ahead_of_eo_uses_ensemble_loss_of_slot(finished_run: Make) -> None:
    """The slot's ensemble has no other member: its loss is the model's squared margin loss."""
    path, run_id = finished_run(method="EO-sqm", budget=8, overrides={"proposer.slots": 1})
    predictions = predict_one_step_ahead(path, run_id, None)
    assert not predictions.in_metric
    surrogate_slice = compute_surrogate_slice(path, run_id, None, "algorithm")
    by_number = dict(
        zip(
            surrogate_slice.trial_numbers.tolist(),
            surrogate_slice.trial_targets.tolist(),
            strict=True,
        )
    )
    # With a single slot, E without it is always empty, so the losses never change.
    for number, observed in zip(
        predictions.numbers.tolist(), predictions.observed.tolist(), strict=True
    ):
        assert observed == pytest.approx(by_number[number])


def test_one_step_ahead_of_esmbo_uses_its_bootstrap(finished_run: Make) -> None:
    path, run_id = finished_run(method="ESMBO", budget=8)
    predictions = predict_one_step_ahead(path, run_id, None)
    for number, observed in zip(
        predictions.numbers.tolist(), predictions.observed.tolist(), strict=True
    ):
        # After each trial the next of four bootstraps is optimised.
        repeated = compute_surrogate_slice(path, run_id, number + 3, "algorithm")
        if number + 3 <= 8 and not repeated.reason:
            where = repeated.trial_numbers.tolist().index(number)
            assert observed == pytest.approx(repeated.trial_targets[where])


def test_one_step_ahead_is_empty_before_surrogate(finished_run: Make) -> None:
    path, run_id = finished_run(method="BO-best", budget=4)
    assert "at random" in predict_one_step_ahead(path, run_id, 2).reason
    random, other = finished_run(method="RS", budget=3)
    assert "nothing was predicted" in predict_one_step_ahead(random, other, None).reason


@pytest.mark.parametrize("method", ["BO-best", "SMAC", "RS"])
def test_importance_is_share_of_variance(finished_run: Make, method: str) -> None:
    path, run_id = finished_run(method=method, budget=10)
    branch = get_branch(path, run_id, 10)
    importances = compute_importances(path, run_id, None, branch)
    assert importances.reason == ""
    assert importances.names[0] == "algorithm"
    assert importances.scopes[0] == ""
    assert set(importances.scopes[1:]) <= {branch}
    assert importances.n_active_trials[0] == 10
    is_finite = np.isfinite(importances.share)
    assert is_finite[0]
    assert (importances.share[is_finite] >= 0).all()
    assert (importances.share[is_finite] <= 1).all()
    assert importances.models > 1
    assert ("random forest of" in importances.model) == (method == "RS")
    repeated = compute_importances(path, run_id, None, branch)
    np.testing.assert_array_equal(importances.share, repeated.share)


def test_importance_without_trials_or_known_branch_is_rejected(finished_run: Make) -> None:
    path, run_id = finished_run(method="BO-best", budget=6)
    assert "there are 3" in compute_importances(path, run_id, 3, "").reason
    with pytest.raises(SpaceError, match="no value 'nobody'"):
        compute_importances(path, run_id, None, "nobody")
