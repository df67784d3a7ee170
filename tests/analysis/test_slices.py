"""The surrogate along one hyperparameter, at any iteration."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from studio.analysis.surrogate import planes
from studio.analysis.surrogate.coordinates import GRID_SIZE, make_coordinate
from studio.analysis.surrogate.planes import compute_surrogate_plane, compute_surrogate_slice
from studio.analysis.surrogate.snapshot import load_snapshot
from studio.document.store import Document
from studio.errors import SpaceError
from studio.proposers.bayesian import ModelBased
from studio.proposers.divbo import DivBO
from studio.proposers.presets import get_default, get_preset
from studio.space.encoding import encode
from tests.facts import contains_facts

pytestmark = pytest.mark.slow

Make = Callable[..., tuple[Path, int]]


def test_slice_of_random_search_gives_reason(finished_run: Make) -> None:
    path, run_id = finished_run(method="RS", budget=3)
    surrogate_slice = compute_surrogate_slice(path, run_id, None, "forest.max_depth")
    best = get_preset(get_default("multiclass"))
    assert contains_facts(surrogate_slice.reason, "Random search", "surrogate", best.title)
    assert "surrogate" in best.get_all_parts(), "it is named as a method with one"
    assert surrogate_slice.grid.size == 0


def test_slice_before_surrogate_gives_reason(finished_run: Make) -> None:
    path, run_id = finished_run(method="BO-best", budget=3)
    assert "at random" in compute_surrogate_slice(path, run_id, 1, "forest.max_depth").reason


@pytest.mark.parametrize(
    ("parameter", "log", "points"),
    [("rbf-svm.C", True, 121), ("forest.max_depth", False, 10), ("algorithm", False, 9)],
)
def test_slice_covers_whole_range(
    finished_run: Make, parameter: str, log: bool, points: int
) -> None:
    path, run_id = finished_run(method="BO-best", budget=8)
    surrogate_slice = compute_surrogate_slice(path, run_id, None, parameter)
    assert surrogate_slice.reason == ""
    assert surrogate_slice.is_log is log
    assert len(surrogate_slice.grid) == points
    assert (np.diff(surrogate_slice.grid) > 0).all()
    assert (surrogate_slice.sd > 0).all()
    assert np.isfinite(surrogate_slice.mean).all()
    assert np.isfinite(surrogate_slice.acquisition).all()
    assert len(surrogate_slice.choices) == (9 if parameter == "algorithm" else 0)
    assert surrogate_slice.trial_numbers.tolist() == list(range(1, 9))


def test_slice_marks_actual_next_trial(finished_run: Make) -> None:
    path, run_id = finished_run(method="BO-best", budget=8)
    with Document.open(path, writable=False) as document:
        sixth = document.trials.list_all(run_id)[5].configuration
    name = next((key for key in sixth if key != "algorithm"), "algorithm")
    surrogate_slice = compute_surrogate_slice(path, run_id, 5, name)
    value = sixth[name]
    expected = surrogate_slice.choices.index(str(value)) if surrogate_slice.choices else value
    assert surrogate_slice.next_trial is not None
    assert surrogate_slice.next_trial.value == pytest.approx(expected)
    assert surrogate_slice.has_next_trial
    at_the_end = compute_surrogate_slice(path, run_id, 8, name)
    assert (at_the_end.next_trial, at_the_end.has_next_trial) == (None, False)


def test_slice_holds_settings_of_best_trial_whatever_is_tried_next(finished_run: Make) -> None:
    path, run_id = finished_run(method="BO-best", budget=10)
    branches_of_next = []
    for iteration in range(3, 10):
        snapshot = load_snapshot(path, run_id, iteration)
        every = compute_surrogate_slice(path, run_id, iteration, "algorithm")
        assert every.fixed_trial == every.trial_numbers[every.trial_targets.argmin()]
        assert every.is_fixed_best and every.is_trial_in_branch.all()
        assert not every.fixed_settings, "all others belong to one of the algorithms"
        trials = [each.configuration for each in snapshot.history.trials]
        branch = next(each["algorithm"] for each in trials if len(each) > 1)
        name = next(key for each in trials for key in each if key.startswith(f"{branch}."))
        along = compute_surrogate_slice(path, run_id, iteration, name)
        own = [each["algorithm"] == branch for each in trials]
        assert along.is_trial_in_branch.tolist() == own
        best = int(np.where(own, along.trial_targets, np.inf).argmin())
        assert along.fixed_trial == best + 1
        assert along.is_fixed_best == (along.trial_targets[best] == along.trial_targets.min())
        assert along.fixed_settings.keys() == trials[best].keys() - {name}
        assert snapshot.next_configuration is not None and along.next_trial is not None
        next_branch = snapshot.next_configuration["algorithm"]
        is_elsewhere = next_branch != branch
        assert along.next_trial.other_branch == (next_branch if is_elsewhere else "")
        assert (along.next_trial.value is None) == is_elsewhere
        assert not (is_elsewhere and along.next_trial.is_on_slice)
        branches_of_next.append(next_branch)
    assert len(set(branches_of_next)) > 1, "the next trial changes the branch, the slice does not"


def test_slice_of_earlier_iteration_ignores_later_trials(finished_run: Make) -> None:
    path, run_id = finished_run(method="BO-best", budget=8)
    shorter, _ = finished_run(method="BO-best", budget=5)
    then = compute_surrogate_slice(path, run_id, 5, "knn.n_neighbors")
    now = compute_surrogate_slice(shorter, run_id, None, "knn.n_neighbors")
    np.testing.assert_array_equal(then.trial_targets, now.trial_targets)
    if then.explanation == now.explanation:
        np.testing.assert_array_equal(then.mean, now.mean)


def test_slice_of_unknown_hyperparameter_is_rejected(finished_run: Make) -> None:
    path, run_id = finished_run(method="BO-best", budget=3)
    with pytest.raises(SpaceError, match="'nobody'"):
        compute_surrogate_slice(path, run_id, None, "nobody")


def test_slice_explains_non_maximal_acquisition_by_method(finished_run: Make) -> None:
    path, run_id = finished_run(method="DivBO", budget=8)
    surrogate_slice = compute_surrogate_slice(path, run_id, 6, "algorithm")
    assert surrogate_slice.not_maximal_reason == DivBO.not_maximal_reason
    path, run_id = finished_run(method="BO-best", budget=8)
    assert (
        compute_surrogate_slice(path, run_id, 5, "algorithm").not_maximal_reason
        == ModelBased.not_maximal_reason
    )
    assert DivBO.not_maximal_reason != ModelBased.not_maximal_reason


def test_slice_and_map_show_one_posterior(
    finished_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planes, "CELLS_PER_SIDE", 400)  # so that the nearest cell is close enough
    path, run_id = finished_run(method="BO-best", budget=10)
    snapshot = load_snapshot(path, run_id, None)
    space = snapshot.prepared_run.space
    n_compared = 0
    for iteration in range(3, 10):
        configuration = snapshot.history.trials[iteration - 1].configuration
        active = [name for name in configuration if name != "algorithm"]
        if len(active) < 2:
            continue
        x, y = active[:2]
        plane = compute_surrogate_plane(path, run_id, iteration, x, y)
        curve = compute_surrogate_slice(path, run_id, iteration, x)
        assert plane.reason == curve.reason
        if plane.reason:
            continue
        n_compared += 1
        assert (plane.objective, plane.in_metric) == (curve.objective, curve.in_metric)
        panel = plane.panels.index(str(curve.fixed_settings["algorithm"]))
        fixed_trial = snapshot.history.trials[curve.fixed_trial - 1]
        fixed_y = encode(space, [fixed_trial.configuration])[0, make_coordinate(space, y).column]
        units, values = make_coordinate(space, x).list_positions(GRID_SIZE)
        np.testing.assert_array_equal(values, curve.grid)
        pairs = ((curve.mean, plane.mean), (curve.sd, plane.sd))
        for drawn, mapped in (*pairs, (curve.acquisition, plane.acquisition)):
            n_rows, n_columns = mapped.shape[1:]
            row = mapped[panel, min(int(fixed_y * n_rows), n_rows - 1)]
            line = row[np.minimum((units * n_columns).astype(int), n_columns - 1)]
            assert np.abs(line - drawn).max() <= 0.05 * max(np.ptp(mapped), np.ptp(drawn))
    assert n_compared > 0
