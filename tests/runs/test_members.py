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
from studio.analysis.what_if import (
    compute_losses,
    compute_what_if,
    get_actual_ensemble,
    make_test_reader,
)
from studio.arrays import Floats, Integers
from studio.data.metrics.base import REGRESSION, Metric
from studio.data.metrics.registry import REGISTRY as METRICS
from studio.data.metrics.weighting import compute_mean
from studio.document.store import Document
from studio.ensembles.base import Ensemble
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
def known(run: Path) -> tuple[PreparedRun, History]:
    with Document.open(run, writable=False) as document:
        return follow(document, 1)


def get_members(run: Path, iteration: int) -> dict[int, float]:
    with Document.open(run, writable=False) as document:
        return dict(document.trials.list_iterations(1)[iteration - 1].members)


@pytest.mark.slow
def test_what_if_of_search_members_equals_recorded_errors(run: Path) -> None:
    with Document.open(run, writable=False) as document:
        written = document.trials.list_iterations(1)
    for record in (written[BUDGET - 1], written[4]):
        found = compute_what_if(run, 1, record.number, dict(record.members))
        assert found.reason == ""
        assert found.validation == found.actual_validation
        assert found.validation == pytest.approx(record.ensemble_validation, rel=1e-9)
        assert found.test == pytest.approx(record.ensemble_test, rel=1e-9)
        assert found.rule


def test_only_proportions_of_weights_count(run: Path) -> None:
    members = get_members(run, BUDGET)
    once = compute_what_if(run, 1, BUDGET, members)
    thrice = compute_what_if(
        run, 1, BUDGET, {number: 3 * weight for number, weight in members.items()}
    )
    assert thrice == once


def test_what_if_of_single_member_equals_trial(
    run: Path, known: tuple[PreparedRun, History]
) -> None:
    prepared, history = known
    trial = history.succeeded[0]
    found = compute_what_if(run, 1, BUDGET, {trial.number: 1.0})
    assert list(found.member_test_losses) == [trial.number]
    if prepared.method.ensemble.key == "stacking":
        assert found.combination == "stack"  # whose layer may bend what the trial predicts
    else:
        assert found.validation == pytest.approx(trial.loss)
        assert found.test == pytest.approx(found.member_test_losses[trial.number])


def test_what_if_accepts_non_members(run: Path, known: tuple[PreparedRun, History]) -> None:
    prepared, history = known
    members = get_members(run, BUDGET)
    stranger = next(t.number for t in history.succeeded if t.number not in members)
    found = compute_what_if(run, 1, BUDGET, {**members, stranger: 0.2})
    assert set(found.member_test_losses) == {*members, stranger}
    assert found.can_set_weights == (found.combination != "stack")
    if found.combination == "stack":
        assert "refitted" in found.rule
    assert ("temperature" in found.rule) == (prepared.metric.key == "brier")


def test_what_if_rejects_later_trials_and_empty_ensemble(run: Path) -> None:
    with pytest.raises(EnsembleError, check=about(number=str(BUDGET), iteration="3")):
        compute_what_if(run, 1, 3, {BUDGET: 1.0})
    with pytest.raises(EnsembleError, match="one member"):
        compute_what_if(run, 1, BUDGET, {1: 0.0})


def test_real_ensemble_of_past_is_one_built_from_its_prefix(
    known: tuple[PreparedRun, History],
) -> None:
    prepared, history = known
    for iteration in range(1, BUDGET + 1):
        if history.take_first(iteration).succeeded:
            assert get_actual_ensemble(prepared, history, iteration) == build_ensemble(
                prepared, history.take_first(iteration)
            )


def test_objective_is_what_adding_each_trial_gives(
    run: Path, known: tuple[PreparedRun, History]
) -> None:
    prepared, history = known
    found = compute_ensemble_objective(run, 1, 7)
    assert found.numbers.tolist() == [t.number for t in history.succeeded if t.number <= 7]
    if found.slot < 0:
        with Document.open(run, writable=False) as document:
            test = make_test_reader(document, 1, prepared, history)
            real = get_actual_ensemble(prepared, history, 7)
            if real.layer is None:
                assert found.ensemble_loss == compute_losses(prepared, history, test, real)[0]
        assert found.in_metric
        assert found.trial_losses.tolist() == [history.trials[n - 1].loss for n in found.numbers]
        return
    assert found.next_slot == found.slot == 7 % len(found.slot_trials)
    others = [n for place, n in enumerate(found.slot_trials.tolist()) if n and place != found.slot]
    for place, number in enumerate(found.numbers.tolist()):
        if number in others:
            assert np.isnan(found.joint_losses[place])
            continue
        assert found.joint_losses[place] == pytest.approx(_loss(history, [*others, number]))
        assert found.trial_losses[place] == pytest.approx(_loss(history, [number]))
    assert found.ensemble_loss == pytest.approx(
        _loss(history, [n for n in found.slot_trials.tolist() if n])
    )


def _loss(history: History, members: list[int]) -> float:
    """Return the squared margin loss of a vote, or the squared error of a mean."""
    if history.is_regression:
        mean = np.mean([history.get_predictions(n).astype(float) for n in members], axis=0)
        return float(np.mean((mean - history.truth) ** 2))
    wrong = np.mean([history.get_votes(n) != history.truth for n in members], axis=0)
    return float(np.mean(wrong**2))


def test_every_slot_can_be_omitted_and_laid_out_along_hyperparameter(run: Path) -> None:
    found = compute_ensemble_objective(run, 1, BUDGET, parameter="algorithm", every_slot=True)
    assert found.choices
    assert found.trial_x.min() >= 0
    assert found.trial_x.max() < len(found.choices)
    if found.slot < 0:
        assert found.losses_by_slot.shape == (0, len(found.numbers))
        assert found.grid.size == 0
        return
    assert found.losses_by_slot.shape == (len(found.slot_trials), len(found.numbers))
    np.testing.assert_array_equal(found.losses_by_slot[found.slot], found.joint_losses)
    assert found.mean.shape == found.sd.shape == found.grid.shape
    assert found.means_by_slot.shape == (len(found.slot_trials), len(found.grid))
    np.testing.assert_allclose(found.means_by_slot[found.slot], found.mean)


def test_margins_are_counted_forevery_validation_row(
    run: Path, known: tuple[PreparedRun, History]
) -> None:
    _, history = known
    found = compute_margins(run, 1, BUDGET)
    assert found.counts.sum() == len(history.truth)
    assert found.is_regression == history.is_regression
    for curve in found.curves:
        assert curve.values.shape == found.grid.shape
        assert curve.formula
    if found.search_loss and not found.is_regression:
        assert found.search_loss in [curve.key for curve in found.curves]


def test_margins_by_rival_and_by_all_votes() -> None:
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
    found = compute_margins(tmp_path / "w.studio", run_id, 1)
    assert found.search_loss == ("mse" if squares else "mae")


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


def test_new_loss_is_drawn_as_it_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(margins, "REGISTRY", (*REGISTRY, Cubed))
    shares = np.array([[0.5, 0.5], [0.25, 0.75], [1.0, 0.0]])
    ensemble = Ensemble((1, 2, 3, 4), (0.25,) * 4, "vote")
    found = margins.compute_vote_margins(shares, np.array([0, 1, 0]), ensemble, Cubed())
    assert found.search_loss == "cubed"
    curve = next(curve for curve in found.curves if curve.key == "cubed")
    np.testing.assert_allclose(curve.values, ((1 - found.grid) / 2) ** 3)
    np.testing.assert_allclose(found.points_y, ((1 - found.points_x) / 2) ** 3)
    assert len(found.curves) == 5


@pytest.mark.parametrize("kind", [each for each in REGISTRY if issubclass(each, VoteLoss)])
def test_every_loss_of_votes_can_be_runs_own(kind: type[VoteLoss]) -> None:
    ensemble = Ensemble((1, 2, 3, 4), (0.25,) * 4, "vote")
    shares = np.array([[0.5, 0.5, 0.0], [0.25, 0.0, 0.75], [1.0, 0.0, 0.0]])
    found = margins.compute_vote_margins(shares, np.array([0, 1, 0]), ensemble, kind())
    assert found.search_loss == kind.key
    drawn = kind.key in [curve.key for curve in found.curves]
    assert drawn == bool(len(found.points_x)) == (not found.note)


def test_residuals_take_place_of_margins() -> None:
    found = compute_residual_losses(np.array([-1.0, 1.0, 2.0, -2.0]), 3, SquaredError())
    assert found.mean == pytest.approx(np.sqrt(2.5))
    assert found.counts.sum() == 4
    squared = next(curve for curve in found.curves if curve.key == "mse")
    np.testing.assert_allclose(squared.values, found.grid**2 / 2.5)
    assert found.search_loss == "mse"
    assert [curve.key for curve in found.curves] == ["mse", "mae"]
    assert compute_residual_losses(np.zeros(3), 1, None).counts.sum() == 3
    assert compute_residual_losses(np.zeros(3), 1, None, "mae").search_loss == "mae"


def test_loss_of_values_draws_itself_once_it_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass(frozen=True)
    class Cubed(ValueLoss):
        key: ClassVar[str] = "cubed"
        title: ClassVar[str] = "Cubed error"
        power: int = 3

        def compute_loss(self, residuals: Floats, weights: Floats | None = None) -> float:
            return compute_mean(np.abs(residuals) ** self.power, weights)

    monkeypatch.setattr(margins, "REGISTRY", (*margins.REGISTRY, Cubed))
    found = compute_residual_losses(np.array([-1.0, 1.0]), 2, Cubed(power=5))
    own = next(curve for curve in found.curves if curve.key == found.search_loss)
    np.testing.assert_allclose(own.values, np.abs(found.grid) ** 5)


def test_before_first_success_there_is_no_ensemble(
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
