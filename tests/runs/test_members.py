"""What-if ensembles, the ensemble objective and margins, against plain computation."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from studio.analysis import margins
from studio.analysis.ensemble_objective import compute_ensemble_objective
from studio.analysis.margins import compute_margins, compute_residual_losses, compute_row_margins
from studio.analysis.what_if import compute_what_if, get_actual_ensemble
from studio.arrays import Floats, Integers
from studio.data.metrics.base import REGRESSION, Metric
from studio.data.metrics.registry import REGISTRY as METRICS
from studio.data.metrics.weighting import compute_mean
from studio.document.store import Document
from studio.ensembles.base import Ensemble, combine
from studio.ensembles.losses.base import ValueLoss, VoteLoss
from studio.ensembles.losses.errors import SquaredError
from studio.ensembles.losses.registry import REGISTRY
from studio.errors import EnsembleError
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.load import follow
from studio.runs.prepare import PreparedRun, build_ensemble
from studio.runs.settings import RunSettings, TableSource
from studio.trial import History
from tests.facts import about

BUDGET = 9
METHODS = {
    "EO": ("EO-sqm", {"proposer.slots": 4}),
    "greedy": ("BO-post", {"ensemble.size": 4}),
    "calibrated": (
        "BO-post",
        {"ensemble.size": 4, "ensemble.combination": "mean", "ensemble.calibrate": True},
    ),
    "values": ("EO-mse", {"proposer.slots": 4}),
    "stack": ("BO-post", {"ensemble": "stacking", "ensemble.size": 3}),
}


@pytest.fixture(scope="module", params=METHODS)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a document with one finished run of a method, of classes or of numbers."""
    method, overrides = METHODS[request.param]
    rng = np.random.default_rng(3)
    folder = tmp_path_factory.mktemp("members")
    table = folder / "t.csv"
    a, b = rng.normal(size=(2, 110))
    value = a + 0.5 * b**2 + 0.4 * rng.normal(size=110)
    targets = value if method == "EO-mse" else np.array(list("xyz"))[np.digitize(value, [0, 0.8])]
    rows = [f"{p:.4f},{q:.4f},{target}" for p, q, target in zip(a, b, targets, strict=True)]
    table.write_text("a,b,target\n" + "\n".join(rows) + "\n")
    settings = RunSettings(
        method=method,
        budget=BUDGET,
        workers=1,
        source=TableSource(path=str(table)),
        overrides=overrides,
        metric="brier" if request.param == "calibrated" else None,
    )
    path = folder / "w.studio"
    with Document.create(path) as document:
        run_id = document.runs.add("run", settings.to_json())
        assert (
            Engine(document, run_id, lambda progress: None, InlinePool).execute_run() == "finished"
        )
    return path


@pytest.fixture
def followed_run(run: Path) -> tuple[PreparedRun, History]:
    with Document.open(run, writable=False) as document:
        return follow(document, 1)


def get_members(run: Path, iteration: int) -> dict[int, float]:
    with Document.open(run, writable=False) as document:
        return dict(document.trials.list_iterations(1)[iteration - 1].members)


@pytest.mark.slow
def test_what_if_of_search_members_equals_recorded_errors(run: Path) -> None:
    with Document.open(run, writable=False) as document:
        iterations = document.trials.list_iterations(1)
    for record in (iterations[BUDGET - 1], iterations[4]):
        what_if_losses = compute_what_if(run, 1, record.number, dict(record.members))
        assert what_if_losses.reason == ""
        assert what_if_losses.validation == what_if_losses.actual_validation
        assert what_if_losses.validation == pytest.approx(record.ensemble_validation, rel=1e-9)
        assert what_if_losses.test == pytest.approx(record.ensemble_test, rel=1e-9)
        assert what_if_losses.rule


@pytest.mark.slow
def test_what_if_depends_on_weight_proportions_only(run: Path) -> None:
    members = get_members(run, BUDGET)
    once = compute_what_if(run, 1, BUDGET, members)
    thrice = compute_what_if(
        run, 1, BUDGET, {number: 3 * weight for number, weight in members.items()}
    )
    assert thrice == once


@pytest.mark.slow
def test_what_if_of_single_member_equals_trial(
    run: Path, followed_run: tuple[PreparedRun, History]
) -> None:
    prepared, history = followed_run
    trial = history.succeeded[0]
    what_if_losses = compute_what_if(run, 1, BUDGET, {trial.number: 1.0})
    assert list(what_if_losses.member_test_losses) == [trial.number]
    assert (what_if_losses.test_difference is None) == (
        what_if_losses.test == what_if_losses.actual_test
    )
    if what_if_losses.test_difference is not None:
        low, high = what_if_losses.test_difference
        assert what_if_losses.test is not None and what_if_losses.actual_test is not None
        assert low <= what_if_losses.test - what_if_losses.actual_test <= high
    if prepared.method.ensemble.key == "stacking":
        assert what_if_losses.combination == "stack"  # its layer may change predictions
    else:
        assert what_if_losses.validation == pytest.approx(trial.loss)
        assert what_if_losses.test == pytest.approx(what_if_losses.member_test_losses[trial.number])


def test_what_if_accepts_non_members(run: Path, followed_run: tuple[PreparedRun, History]) -> None:
    prepared, history = followed_run
    members = get_members(run, BUDGET)
    stranger = next(t.number for t in history.succeeded if t.number not in members)
    what_if_losses = compute_what_if(run, 1, BUDGET, {**members, stranger: 0.2})
    assert set(what_if_losses.member_test_losses) == {*members, stranger}
    assert what_if_losses.can_set_weights == (what_if_losses.combination != "stack")
    if what_if_losses.combination == "stack":
        assert "refitted" in what_if_losses.rule
    if prepared.metric.key != "brier":
        assert "temperature" not in what_if_losses.rule


def test_what_if_rejects_later_trials_and_empty_ensemble(run: Path) -> None:
    with pytest.raises(EnsembleError, check=about(number=str(BUDGET), iteration="3")):
        compute_what_if(run, 1, 3, {BUDGET: 1.0})
    with pytest.raises(EnsembleError, match="one member"):
        compute_what_if(run, 1, BUDGET, {1: 0.0})


def test_earlier_ensemble_equals_ensemble_of_prefix(
    followed_run: tuple[PreparedRun, History],
) -> None:
    prepared, history = followed_run
    for iteration in range(1, BUDGET + 1):
        if history.take_first(iteration).succeeded:
            assert get_actual_ensemble(prepared, history, iteration) == build_ensemble(
                prepared, history.take_first(iteration)
            )


def test_objective_equals_loss_with_each_trial_added(
    run: Path, followed_run: tuple[PreparedRun, History]
) -> None:
    prepared, history = followed_run
    objective = compute_ensemble_objective(run, 1, 7)
    assert objective.numbers.tolist() == [t.number for t in history.succeeded if t.number <= 7]
    if objective.slot < 0:
        real = get_actual_ensemble(prepared, history, 7)
        if real.layer is None:
            predictions = combine(history.get_predictions, real)
            loss = prepared.compute_loss(prepared.split.validation, predictions)
            assert objective.ensemble_loss == loss
        assert objective.in_metric
        assert objective.trial_losses.tolist() == [
            history.trials[n - 1].loss for n in objective.numbers
        ]
        return
    assert objective.next_slot == objective.slot == 7 % len(objective.slot_trials)
    others = [
        n for index, n in enumerate(objective.slot_trials.tolist()) if n and index != objective.slot
    ]
    for index, number in enumerate(objective.numbers.tolist()):
        if number in others:
            assert np.isnan(objective.joint_losses[index])
            continue
        assert objective.joint_losses[index] == pytest.approx(_loss(history, [*others, number]))
        assert objective.trial_losses[index] == pytest.approx(_loss(history, [number]))
    assert objective.ensemble_loss == pytest.approx(
        _loss(history, [n for n in objective.slot_trials.tolist() if n])
    )


def _loss(history: History, members: list[int]) -> float:
    """Return the squared margin loss of a vote, or the squared error of a mean."""
    if history.is_regression:
        mean = np.mean([history.get_predictions(n).astype(float) for n in members], axis=0)
        return float(np.mean((mean - history.truth) ** 2))
    is_wrong = np.mean([history.get_votes(n) != history.truth for n in members], axis=0)
    return float(np.mean(is_wrong**2))


def test_objective_is_available_for_every_slot(run: Path) -> None:
    objective = compute_ensemble_objective(run, 1, BUDGET, parameter="algorithm", every_slot=True)
    assert objective.choices
    assert objective.trial_x.min() >= 0
    assert objective.trial_x.max() < len(objective.choices)
    if objective.slot < 0:
        assert objective.losses_by_slot.shape == (0, len(objective.numbers))
        assert objective.grid.size == 0
        return
    assert objective.losses_by_slot.shape == (len(objective.slot_trials), len(objective.numbers))
    np.testing.assert_array_equal(objective.losses_by_slot[objective.slot], objective.joint_losses)
    assert objective.mean.shape == objective.sd.shape == objective.grid.shape
    assert objective.means_by_slot.shape == (len(objective.slot_trials), len(objective.grid))
    np.testing.assert_allclose(objective.means_by_slot[objective.slot], objective.mean)


def test_margins_are_counted_for_every_validation_row(
    run: Path, followed_run: tuple[PreparedRun, History]
) -> None:
    _, history = followed_run
    ensemble_margins = compute_margins(run, 1, BUDGET)
    assert ensemble_margins.counts.sum() == len(history.truth)
    assert ensemble_margins.is_regression == history.is_regression
    for curve in ensemble_margins.curves:
        assert curve.values.shape == ensemble_margins.grid.shape
        assert curve.formula
    if ensemble_margins.search_loss and not ensemble_margins.is_regression:
        assert ensemble_margins.search_loss in [curve.key for curve in ensemble_margins.curves]


def test_row_margins_use_runner_up_or_all_votes() -> None:
    shares = np.array([[0.5, 0.3, 0.2], [0.4, 0.5, 0.1], [0.2, 0.2, 0.6]])
    truth = np.array([0, 0, 2])
    np.testing.assert_allclose(
        compute_row_margins(shares, truth, uses_runner_up_votes=True), [0.2, -0.1, 0.4]
    )
    np.testing.assert_allclose(
        compute_row_margins(shares, truth, uses_runner_up_votes=False), [0.0, -0.2, 0.2]
    )


@pytest.mark.slow
@pytest.mark.parametrize("metric", [each for each in METRICS if each.tasks == REGRESSION])
def test_curve_of_regression_run_agrees_with_its_metric(
    metric: type[Metric], tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text(
        "a,y\n" + "\n".join(f"{k % 10},{k % 10 + k % 3 + 1}" for k in range(80))
    )
    settings = RunSettings(
        method="RS-post",
        metric=metric.key,
        budget=1,
        workers=1,
        source=TableSource(path=str(tmp_path / "t.csv"), target="y", task="regression"),
    )
    with Document.create(tmp_path / "w.studio") as document:
        run_id = document.runs.add("run", settings.to_json())
        assert (
            Engine(document, run_id, lambda progress: None, InlinePool).execute_run() == "finished"
        )
    squares = metric.key in {"rmse", "r2", "rmsle"}
    ensemble_margins = compute_margins(tmp_path / "w.studio", run_id, 1)
    assert ensemble_margins.search_loss == ("mse" if squares else "mae")


@dataclass(frozen=True)
class Cubed(VoteLoss):
    """A loss with minimal declarations."""

    key: ClassVar[str] = "cubed"
    title: ClassVar[str] = "Cubed"

    def compute_terms(
        self, true: Integers, rival: Integers, rivals: Integers, size: int
    ) -> tuple[Floats, ...]:
        """Return the share of wrong votes cubed."""
        return (((size - true) / size) ** 3,)


def test_new_vote_loss_has_curve_once_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(margins, "REGISTRY", (*REGISTRY, Cubed))
    shares = np.array([[0.5, 0.5], [0.25, 0.75], [1.0, 0.0]])
    ensemble = Ensemble((1, 2, 3, 4), (0.25,) * 4, "vote")
    ensemble_margins = margins.compute_vote_margins(shares, np.array([0, 1, 0]), ensemble, Cubed())
    assert ensemble_margins.search_loss == "cubed"
    curve = next(curve for curve in ensemble_margins.curves if curve.key == "cubed")
    np.testing.assert_allclose(curve.values, ((1 - ensemble_margins.grid) / 2) ** 3)
    np.testing.assert_allclose(
        ensemble_margins.points_y, ((1 - ensemble_margins.points_x) / 2) ** 3
    )
    assert len(ensemble_margins.curves) == 5


@pytest.mark.parametrize("kind", [each for each in REGISTRY if issubclass(each, VoteLoss)])
def test_every_vote_loss_can_be_search_loss(kind: type[VoteLoss]) -> None:
    ensemble = Ensemble((1, 2, 3, 4), (0.25,) * 4, "vote")
    shares = np.array([[0.5, 0.5, 0.0], [0.25, 0.0, 0.75], [1.0, 0.0, 0.0]])
    ensemble_margins = margins.compute_vote_margins(shares, np.array([0, 1, 0]), ensemble, kind())
    assert ensemble_margins.search_loss == kind.key
    has_curve = kind.key in [curve.key for curve in ensemble_margins.curves]
    assert has_curve == bool(len(ensemble_margins.points_x)) == (not ensemble_margins.note)


def test_regression_losses_use_residuals() -> None:
    residual_losses = compute_residual_losses(np.array([-1.0, 1.0, 2.0, -2.0]), 3, SquaredError())
    assert residual_losses.mean == pytest.approx(np.sqrt(2.5))
    assert residual_losses.counts.sum() == 4
    squared = next(curve for curve in residual_losses.curves if curve.key == "mse")
    np.testing.assert_allclose(squared.values, residual_losses.grid**2 / 2.5)
    assert residual_losses.search_loss == "mse"
    assert [curve.key for curve in residual_losses.curves] == ["mse", "mae"]
    assert compute_residual_losses(np.zeros(3), 1, None).counts.sum() == 3
    assert compute_residual_losses(np.zeros(3), 1, None, "mae").search_loss == "mae"


def test_new_value_loss_has_curve_once_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass(frozen=True)
    class Cubed(ValueLoss):
        key: ClassVar[str] = "cubed"
        title: ClassVar[str] = "Cubed error"
        power: int = 3

        def compute_loss(self, residuals: Floats, weights: Floats | None = None) -> float:
            return compute_mean(np.abs(residuals) ** self.power, weights)

    monkeypatch.setattr(margins, "REGISTRY", (*margins.REGISTRY, Cubed))
    residual_losses = compute_residual_losses(np.array([-1.0, 1.0]), 2, Cubed(power=5))
    own = next(
        curve for curve in residual_losses.curves if curve.key == residual_losses.search_loss
    )
    np.testing.assert_allclose(own.values, np.abs(residual_losses.grid) ** 5)


@pytest.mark.slow
def test_ensemble_is_empty_before_first_success(
    finished_run: Callable[..., tuple[Path, int]],
) -> None:
    path, run_id = finished_run(budget=1)
    assert "no ensemble" in compute_what_if(path, run_id, 0, {1: 1.0}).reason
    assert "no ensemble" in compute_ensemble_objective(path, run_id, 0).reason
    assert "no ensemble" in compute_margins(path, run_id, 0).reason


@pytest.mark.slow
def test_trials_on_different_rows_have_no_common_ensemble(
    finished_run: Callable[..., tuple[Path, int]],
) -> None:
    path, run_id = finished_run(method="gp-r", budget=3)
    for reason in (
        compute_what_if(path, run_id, 3, {1: 1.0}).reason,
        compute_ensemble_objective(path, run_id, 3).reason,
        compute_margins(path, run_id, 3).reason,
    ):
        assert "its own rows" in reason
