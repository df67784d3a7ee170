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
    found = compute_surrogate_plane(path, run_id, None, "rbf-svm.C", "rbf-svm.width")
    assert found.reason == ""
    assert found.panels == ("rbf-svm",)
    assert found.mean.shape == found.sd.shape == found.acquisition.shape == (1, 48, 48)
    assert (found.sd > 0).all()
    tried = {n for n in range(1, 9) if get_branch(path, run_id, n) == "rbf-svm"}
    assert set(found.trial_numbers.tolist()) == tried


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
    found = compute_surrogate_plane(path, run_id, None, "rbf-svm.C", "forest.max_depth")
    assert "different branches" in found.reason
    with pytest.raises(SpaceError, match="two different"):
        compute_surrogate_plane(path, run_id, None, "rbf-svm.C", "rbf-svm.C")


def test_map_over_branch_is_empty_for_inactive_parameter(finished_run: Make) -> None:
    path, run_id = finished_run(method="BO-best", budget=4)
    found = compute_surrogate_plane(path, run_id, None, "algorithm", "knn.n_neighbors")
    assert np.isfinite(found.mean[0]).any(axis=0).sum() == 1


def test_bandit_arms_are_drawn_within_their_space(finished_run: Make) -> None:
    path, run_id = finished_run(method="RB", budget=5, overrides={"surrogate": "gp"})
    arm = get_branch(path, run_id, 4)
    assert "separately" in compute_surrogate_slice(path, run_id, 4, "algorithm").reason
    other = "forest.max_depth" if arm == "knn" else "knn.n_neighbors"
    told = facts(compute_surrogate_slice(path, run_id, 4, other).reason)
    assert (told["arm"], told["names"]) == (arm, other)
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
    found = predict_one_step_ahead(path, run_id, None)
    with Document.open(path, writable=False) as document:
        losses = {t.number: t.loss for t in document.trials.list_all(run_id)}
    assert found.numbers.tolist() == list(range(3, 9))
    assert found.n_random == 2
    assert found.observed.tolist() == [losses[n] for n in found.numbers.tolist()]
    assert (found.sd > 0).all()
    assert predict_one_step_ahead(path, run_id, 5).numbers.tolist() == [3, 4, 5]


def test_one_step_ahead_of_eo_uses_ensemble_loss_of_slot(finished_run: Make) -> None:
    """The first slot's ensemble is empty but for the model: its own squared margin loss."""
    path, run_id = finished_run(method="EO-sqm", budget=8, overrides={"proposer.slots": 1})
    found = predict_one_step_ahead(path, run_id, None)
    assert not found.in_metric
    seen = compute_surrogate_slice(path, run_id, None, "algorithm")
    by_number = dict(zip(seen.trial_numbers.tolist(), seen.trial_targets.tolist(), strict=True))
    # With a single slot E without it is empty at any time, so the losses never change.
    for number, observed in zip(found.numbers.tolist(), found.observed.tolist(), strict=True):
        assert observed == pytest.approx(by_number[number])


def test_one_step_ahead_of_esmbo_uses_its_bootstrap(finished_run: Make) -> None:
    path, run_id = finished_run(method="ESMBO", budget=8)
    found = predict_one_step_ahead(path, run_id, None)
    for number, observed in zip(found.numbers.tolist(), found.observed.tolist(), strict=True):
        # One trial later the search is for the next bootstrap; four of them come round after four.
        again = compute_surrogate_slice(path, run_id, number + 3, "algorithm")
        if number + 3 <= 8 and not again.reason:
            where = again.trial_numbers.tolist().index(number)
            assert observed == pytest.approx(again.trial_targets[where])


def test_one_step_ahead_is_empty_before_surrogate(finished_run: Make) -> None:
    path, run_id = finished_run(method="BO-best", budget=4)
    assert "at random" in predict_one_step_ahead(path, run_id, 2).reason
    random, other = finished_run(method="RS", budget=3)
    assert "nothing was predicted" in predict_one_step_ahead(random, other, None).reason


@pytest.mark.parametrize("method", ["BO-best", "SMAC", "RS"])
def test_importance_is_share_of_variance(finished_run: Make, method: str) -> None:
    path, run_id = finished_run(method=method, budget=10)
    branch = get_branch(path, run_id, 10)
    found = compute_importances(path, run_id, None, branch)
    assert found.reason == ""
    assert found.names[0] == "algorithm"
    assert found.scopes[0] == ""
    assert set(found.scopes[1:]) <= {branch}
    assert found.n_active_trials[0] == 10
    told = np.isfinite(found.share)
    assert told[0]
    assert (found.share[told] >= 0).all()
    assert (found.share[told] <= 1).all()
    assert found.models > 1
    assert ("random forest of" in found.model) == (method == "RS")
    again = compute_importances(path, run_id, None, branch)
    np.testing.assert_array_equal(found.share, again.share)


def test_importance_needs_trials_and_known_branch(finished_run: Make) -> None:
    path, run_id = finished_run(method="BO-best", budget=6)
    assert "there are 3" in compute_importances(path, run_id, 3, "").reason
    with pytest.raises(SpaceError, match="no value 'nobody'"):
        compute_importances(path, run_id, None, "nobody")
