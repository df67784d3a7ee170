"""The learning curve: its rows, its power law, and a real run."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.analysis.answers.learning_curve import (
    LastStep,
    LearningCurve,
    choose_outlook,
    describe_last_step,
    find_last_step,
)
from studio.analysis.learning_curve.curve import (
    MIN_ROWS,
    add_forecast,
    compute_learning_curve,
    estimate_curve_cost,
    fit_power_laws,
    make_forecast,
    make_nested_rows,
)
from studio.analysis.learning_curve.storage import load_curve, store_curve
from studio.data.split_plan import SplitPlan
from studio.data.splits.splitter import RowSplitter
from studio.document.notes import make_run_note_name
from studio.document.store import Document
from studio.errors import DataError
from studio.language import translate
from studio.runs.inline import InlinePool
from studio.runs.settings import TableSource
from tests.facts import contains_facts, facts

ROWS = np.arange(10, 410)
STRATA = np.zeros(420, dtype=np.int64)
SHARES = np.array([1, 1, 2, 2, 4, 4, 8]) / 8


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_training_shares_are_nested_and_stratified() -> None:
    strata = np.where(np.arange(420) % 10 == 0, 1, 0)
    nested_rows = make_nested_rows(ROWS, RowSplitter(strata), rng())
    assert [len(each) for each in nested_rows] == [50, 50, 100, 100, 200, 200, 400]
    for first, second in ((0, 2), (2, 4), (4, 6), (1, 3), (3, 5), (5, 6)):
        assert set(nested_rows[first]) < set(nested_rows[second])
    assert not set(nested_rows[4]) & set(nested_rows[5])
    assert [int(strata[each].sum()) for each in nested_rows] == [5, 5, 10, 10, 20, 20, 40]


def test_learning_curve_does_not_split_groups() -> None:
    groups = np.arange(420) // 7
    for rows in make_nested_rows(ROWS, RowSplitter(STRATA, groups), rng())[:-1]:
        inside = np.isin(ROWS, rows)
        assert all(len(set(inside[groups[ROWS] == each])) == 1 for each in set(groups[ROWS]))


def test_learning_curve_does_not_split_duplicates() -> None:
    records = np.arange(420) // 3
    records[300:] = np.arange(300, 420)
    nested_rows = make_nested_rows(ROWS, RowSplitter(STRATA, records=records), rng())
    assert [len(each) for each in nested_rows] == pytest.approx(
        [50, 50, 100, 100, 200, 200, 400], abs=3
    )
    for rows in nested_rows:
        inside = np.isin(ROWS, rows)
        assert all(len(set(inside[records[ROWS] == each])) == 1 for each in set(records[ROWS]))


def test_learning_curve_of_time_split_uses_latest_rows() -> None:
    times = -np.arange(420.0)
    nested_rows = make_nested_rows(ROWS, RowSplitter(STRATA, times=times), rng())
    assert [len(each) for each in nested_rows] == sorted(len(each) for each in nested_rows)
    assert nested_rows[0].tolist() == list(range(10, 60))


def test_learning_curve_is_rejected_for_few_rows() -> None:
    with pytest.raises(DataError, match=str(MIN_ROWS)):
        make_nested_rows(ROWS[: MIN_ROWS - 1], RowSplitter(STRATA), rng())


def test_power_law_is_recovered() -> None:
    fit = fit_power_laws(SHARES, (0.1 + 0.2 * SHARES**-0.5)[None])
    near = fit.predict(2) - (0.1 + 0.2 * 2**-0.5)
    assert abs(near[0]) < 2e-3


def test_power_law_never_predicts_negative_error() -> None:
    fit = fit_power_laws(SHARES, (-0.5 + SHARES**-0.3)[None])
    assert fit.predict(1e9)[0] >= 0.0


@pytest.mark.parametrize(
    ("truth", "outlook"),
    [(lambda n: 0.1 + 0.2 * n**-0.5, "lower"), (lambda n: 0.3 + 0.0 * n, "flat")],
)
def test_significant_forecast_is_reported(truth: Callable[[Any], Any], outlook: str) -> None:
    draws = rng()
    losses = truth(SHARES) + 5e-4 * draws.normal(size=7) / np.sqrt(SHARES)
    resampled = losses + 0.02 * draws.normal(size=(400, 1))  # all are evaluated on the same rows
    forecast = make_forecast((800 * SHARES).astype(np.int64), losses, resampled, draws)
    assert forecast.outlook == outlook
    assert forecast.min_decrease - 2e-3 <= truth(1.0) - truth(2.0) <= forecast.max_decrease + 2e-3


def test_forecast_within_noise_is_not_reported() -> None:
    losses = np.array([0.30, 0.42, 0.25, 0.38, 0.24, 0.36, 0.27])
    resampled = losses + 0.05 * rng().normal(size=(400, 7))
    assert (
        make_forecast((800 * SHARES).astype(np.int64), losses, resampled, rng()).outlook
        == "unknown"
    )


LUCKY = np.array([0.400, 0.390, 0.360, 0.365, 0.340, 0.345, 0.272])
"""Errors of which the last, with all rows, lies far below the curve through them."""


FALLING = np.array([0.3181, 0.3246, 0.3133, 0.3237, 0.3060, 0.3060, 0.2929])
"""Log losses that fall by half of what separates them from guessing."""


def test_curve_is_flat_if_gain_is_small_against_baseline() -> None:
    rows = (2400 * SHARES).astype(np.int64)
    resampled = FALLING + 0.006 * rng().normal(size=(400, 7))
    near, far = (make_forecast(rows, FALLING, resampled, rng(), guess) for guess in (0.357, 9.0))
    assert (near.outlook, far.outlook) == ("unknown", "flat")
    curve = add_forecast(LearningCurve(rows=tuple(rows.tolist()), losses=tuple(FALLING)), far)
    assert curve.later is not None
    by, least, most = facts(curve.sentence)["percent"]
    assert 0 < least < by < most < 5, "a share of the error, which says more than its log loss"
    assert by == pytest.approx(100 * (far.current_error - curve.later) / far.current_error)
    assert contains_facts(translate(curve.sentence), f"{by:.1f} %")


@pytest.mark.parametrize(
    ("losses", "supported", "outlook"),
    [
        ([0.633, 0.633, 0.496, 0.495, 0.377, 0.372, 0.378], 0.330, "lower"),
        ([0.291, 0.314, 0.309, 0.294, 0.316, 0.308, 0.292], 0.305, "flat"),
    ],
)
def test_outlook_does_not_contradict_last_step(
    losses: list[float], supported: float, outlook: str
) -> None:
    rows = (800 * SHARES).astype(np.int64)
    outlooks = []
    for last in (losses[-1], supported):
        errors = np.array([*losses[:-1], last])
        resampled = errors + 0.002 * rng().normal(size=(400, 7))
        forecast = make_forecast(rows, errors, resampled, rng())
        outlooks.append(forecast.outlook)
        bare = LearningCurve(rows=tuple(rows.tolist()), losses=tuple(errors.tolist()), unit="%")
        curve = add_forecast(bare, forecast)
        fall = float(errors[4:6].mean() - last)
        is_unknown = forecast.outlook == "unknown"
        assert ("noticeably" in curve.sentence) is (is_unknown and fall > 0)
        assert (facts(curve.sentence).get("count") == 400) is (is_unknown and fall < 0)
        if is_unknown:
            assert forecast.min_decrease <= fall <= forecast.max_decrease
            assert forecast.max_decrease >= abs(fall), "an increase of that size may be chance"
        step = facts(describe_last_step(replace(curve, outlook="flat")))
        assert (step["few"], step["rows"]) == (400, 800)
        assert step["points"] == pytest.approx(100 * abs(errors[4:6].mean() - last))
    assert outlooks == ["unknown", outlook]


def test_last_step_is_described_with_its_direction() -> None:
    def describe(last: float) -> str:
        curve = LearningCurve(rows=(400, 800), losses=(0.3, last), unit="%")
        return translate(describe_last_step(curve))

    assert contains_facts(describe(0.28), "400", "800", "fell by 2.0")
    assert contains_facts(describe(0.31), "rose by 1.0")
    assert "0.0" not in describe(0.2999)
    assert not describe_last_step(LearningCurve(rows=(100, 800), losses=(0.4, 0.3)))


PARTS = LearningCurve(
    rows=(90, 90, 180, 180, 360, 360, 720),
    losses=(0.6341, 0.6622, 0.6284, 0.6587, 0.6175, 0.6135, 0.6544),
    unit="%",
)
"""Errors that rose by 3.9 percentage points in the last step."""


def test_forecast_uncertainty_includes_error_increase() -> None:
    losses = np.array(PARTS.losses)
    resampled = losses + 0.001 * rng().normal(size=(400, 1))
    forecast = make_forecast(np.array(PARTS.rows), losses, resampled, rng())
    curve = add_forecast(PARTS, forecast)
    assert forecast.outlook == "unknown"
    assert -forecast.min_decrease == pytest.approx(0.0389)
    assert facts(curve.sentence) == {"count": 360}
    # A record of an earlier version, with an interval that does not include the increase.
    assert curve.later is not None
    for each in (curve, replace(curve, later_low=curve.later - 0.01, later_high=curve.later)):
        step = describe_last_step(each)
        assert facts(step)["few"] == 360 and facts(step)["rows"] == 720
        assert np.ravel(facts(step)["points"]) == pytest.approx(3.89), "once as the rise"
        assert translate(step).count("3.9") == 3, "measured, and possible in both directions"
        assert "0.0" not in translate(step)
    certain = replace(curve, outlook="flat")
    assert "90 % interval" not in describe_last_step(certain)


def test_curve_is_flat_after_small_increase_only() -> None:
    for fall, outlook in ((-0.01, "flat"), (-0.03, "unknown")):
        step = LastStep(400, fall)
        assert choose_outlook((0.0, 0.01), step, 0.005, 0.02) == outlook


def test_last_step_needs_about_half_of_rows() -> None:
    assert find_last_step((50, 100, 400), (0.4, 0.3, 0.2)) is None
    step = find_last_step((50, 200, 267, 400), (0.4, 0.3, 0.2, 0.25))
    assert step == LastStep(200, pytest.approx(0.05))


@pytest.mark.parametrize("halves", [(480, 488), (484, 484), (410, 558)])
def test_last_step_averages_halves_of_unequal_size(halves: tuple[int, int]) -> None:
    curve = LearningCurve(rows=(245, *halves, 968), losses=(0.2, 0.178, 0.211, 0.186), unit="%")
    step = find_last_step(curve.rows, curve.losses)
    assert step == LastStep(484, pytest.approx(0.0085)), "not the better or the worse half alone"
    assert facts(describe_last_step(curve))["points"] == pytest.approx(0.85)
    later = find_last_step((480, 640, 968), (0.178, 0.211, 0.186))
    assert later == LastStep(480, pytest.approx(-0.008)), "two thirds are another step"


@pytest.mark.parametrize("unit", ["%", "target"])
def test_forecast_sentence_agrees_with_figure(unit: str) -> None:
    rows = (800 * SHARES).astype(np.int64)
    resampled = LUCKY + 0.04 * rng().normal(size=(400, 7))
    forecast = make_forecast(rows, LUCKY, resampled, rng())
    bare = LearningCurve(rows=tuple(rows.tolist()), losses=tuple(LUCKY.tolist()), unit=unit)
    curve = add_forecast(bare, forecast)
    assert curve.later is not None
    assert curve.later_low is not None
    assert curve.later_high is not None
    fitted_by_rows = dict(zip(curve.fitted_rows, curve.fitted, strict=True))
    assert curve.later == fitted_by_rows[2 * 800], "the dot is where its line ends"
    assert curve.later_low <= curve.later <= curve.later_high
    assert curve.later_high <= fitted_by_rows[800], "the forecast starts on the line"
    assert forecast.outlook == "unknown"
    most = fitted_by_rows[800] - curve.later_low
    assert "chance" not in curve.sentence, "the interval is above 0"
    least, by = facts(curve.sentence)["points" if unit == "%" else "percent"]
    assert 0 < least < by
    assert by == pytest.approx(100 * (most if unit == "%" else most / fitted_by_rows[800]))


def test_forecast_extrapolates_to_more_rows() -> None:
    rows = (800 * SHARES).astype(np.int64)
    for losses, start in (
        (0.1 + 0.1 * SHARES**-0.5, "Another 800 rows"),
        (0.3 + 0.001 * SHARES**-0.5, "More rows would change little"),
    ):
        resampled = losses + 1e-4 * rng().normal(size=(400, 7))
        bare = LearningCurve(rows=tuple(rows.tolist()), losses=tuple(losses.tolist()), unit="%")
        curve = add_forecast(bare, make_forecast(rows, losses, resampled, rng()))
        sentence = translate(curve.sentence)
        assert sentence.startswith(start)
        assert curve.later is not None and ("%" in sentence)
        if "Another" in start:
            step = translate(describe_last_step(curve))
            assert contains_facts(sentence, f"{20.0 - 100 * curve.later:.1f} percentage points")
            assert contains_facts(step, "400", "800", "4.1 percentage points")


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    draws = rng()
    path = tmp_path_factory.mktemp("tables") / "numbers.csv"
    X = draws.normal(size=(300, 3))
    y = X @ [1.0, 2.0, -1.0] + 0.3 * draws.normal(size=300)
    lines = [
        "a,b,c,value",
        *(",".join(f"{v:.4f}" for v in (*x, t)) for x, t in zip(X, y, strict=True)),
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("test", "refit", "reason"),
    [
        (0.25, True, "were refitted"),
        (0.25, False, "combines 3 models per member"),
        (0.0, False, "rows of the first fold"),
    ],
)
def test_learning_curve_explains_difference_from_result(
    finished_run: Callable[..., tuple[Path, int]],
    table: Path,
    test: float,
    refit: bool,
    reason: str,
) -> None:
    source = TableSource(path=str(table), target="value")
    plan = SplitPlan(1 - test, 0.0, test, folds=3)
    path, run_id = finished_run(method="RS-ES", budget=2, source=source, plan=plan, refit=refit)
    with Document.open(path) as document:
        curve = compute_learning_curve(document, run_id, make_pool=InlinePool)
    assert reason in curve.notes[-1]


@pytest.mark.slow
@pytest.mark.parametrize("plan", [SplitPlan(0.6, 0.2, 0.2), SplitPlan(0.7, 0.3, 0.0)])
def test_learning_curve_of_finished_run_is_complete(
    finished_run: Callable[..., tuple[Path, int]], table: Path, plan: SplitPlan
) -> None:
    path, run_id = finished_run(
        method="RS-ES", budget=4, source=TableSource(path=str(table), target="value"), plan=plan
    )
    progress_reports: list[tuple[int, int]] = []
    with Document.open(path) as document:
        curve = compute_learning_curve(
            document,
            run_id,
            progress=lambda *each: progress_reports.append(each),
            make_pool=InlinePool,
        )
        result = document.runs.get(run_id).result
        store_curve(document, run_id, curve)
        assert load_curve(document, run_id) == curve
        with Document.open(path, writable=False) as another:
            assert load_curve(another, run_id) == curve
    cost = estimate_curve_cost(path, run_id)
    with Document.open(path) as document:
        document.remove_run(run_id)
        assert document.notes.get(make_run_note_name(run_id, "learning_curve")) is None
    assert cost.trainings == progress_reports[-1][0] == progress_reports[-1][1]
    assert curve.on == cost.on == ("test" if plan.test else "validation")
    assert curve.rows[-1] == (240 if plan.test else 210)
    if plan.test:
        assert curve.losses[-1] == pytest.approx(result.test_error_ensemble)
    assert curve.sentence
    assert curve.losses[0] >= curve.losses[-1]


@pytest.mark.slow
def test_learning_curve_uses_members_of_result(
    finished_run: Callable[..., tuple[Path, int]], table: Path
) -> None:
    source = TableSource(path=str(table), target="value")
    path, run_id = finished_run(method="RS-post", budget=3, source=source)
    progress_reports: list[tuple[int, int]] = []
    with Document.open(path) as document:
        result = document.runs.get(run_id).result
        assert result is not None
        assert len(result.members) > 1
        heaviest = max(result.members, key=lambda each: each.weight)
        # As if the others could not be refitted in time.
        document.runs.set_result(run_id, replace(result, members=(replace(heaviest, weight=1.0),)))
        curve = compute_learning_curve(
            document,
            run_id,
            progress=lambda *each: progress_reports.append(each),
            make_pool=InlinePool,
        )
    assert progress_reports[-1][0] == estimate_curve_cost(path, run_id).trainings
    assert len(curve.rows) == progress_reports[-1][0]
