"""Importance and dependence of columns on data with known effects."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from studio.data.metrics.absolute_errors import Mae, MedianAbsoluteError
from studio.data.metrics.predicted_classes import ErrorRate, MacroF1
from studio.data.metrics.probabilities import BrierScore, LogLoss
from studio.data.metrics.rankings import Auc
from studio.data.metrics.registry import get_smooth_metric
from studio.data.metrics.squared_errors import R2, Rmse
from studio.data.splits import SplitPlan
from studio.document.store import Document
from studio.ensembles.base import compute_probabilities
from studio.errors import RunError
from studio.language import translate
from studio.questions.columns import compute as module
from studio.questions.columns import compute_column_effects, make_column_plan
from studio.questions.columns.answer import (
    MAX_CATEGORIES,
    MIN_VALUE_ROWS,
    N_GRID_VALUES,
    compute_mean_rise,
    describe_rows,
    get_value_names,
    make_grid,
)
from studio.questions.columns.compute import (
    MAX_MEMBERS,
    ColumnEffectsComputation,
    continue_work,
    explain_smooth_metric,
    start_work,
)
from studio.questions.columns.effect_figure import describe_direction
from studio.questions.columns.figure import find_missing_effect, make_importance_row
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.prepare import PreparedRun
from studio.runs.settings import RunSettings, TableSource
from tests.facts import contains_facts, facts

pytestmark = pytest.mark.slow

Make = Callable[..., tuple[Path, int]]
LEVELS = {"low": -2.0, "middle": 0.0, "high": 3.0}


@pytest.fixture(scope="module")
def additive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a noise-free table of y = 4·a + level with an irrelevant column."""
    rng = np.random.default_rng(8)
    path = tmp_path_factory.mktemp("tables") / "additive.csv"
    lines = []
    for _ in range(300):
        a, useless = rng.normal(size=2)
        level = rng.choice(list(LEVELS))
        lines.append(f"{a:.4f},{useless:.4f},{level},{4 * a + LEVELS[level]:.4f}")
    path.write_text("a,useless,level,target\n" + "\n".join(lines) + "\n")
    return path


def run_on(table: Path, folder: Path, budget: int, **source: Any) -> tuple[Path, int]:
    table_source = TableSource(path=str(table), **source)
    settings = RunSettings(
        method="RS-ES", budget=budget, workers=1, source=table_source, keep=False
    )
    path = folder / "work.studio"
    with Document.create(path) as document:
        run_id = document.runs.add("run", settings.to_json())
        Engine(document, run_id, lambda _: None, InlinePool).execute_run()
    return path, run_id


@pytest.fixture(scope="module")
def additive_run(additive: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """Return a run on this table with a linear best model."""
    return run_on(additive, tmp_path_factory.mktemp("run"), 12)


@pytest.fixture(scope="module")
def small_run(small_table: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """Return a run with classes whose ensemble has several members."""
    return run_on(small_table, tmp_path_factory.mktemp("run"), 8)


@pytest.fixture(autouse=True)
def clear_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clear the stored computations before each test."""
    monkeypatch.setattr(module, "_WORK_CACHE", {})


def compute_all_effects(
    path: Path, run_id: int, iteration: int, column: str = ""
) -> ColumnEffectsComputation:
    work = continue_work(path, run_id, iteration, column, 60.0)
    assert work is not None
    assert work.is_complete
    return work


def test_importance_of_irrelevant_column_is_insignificant(additive_run: tuple[Path, int]) -> None:
    work = compute_all_effects(*additive_run, 12)
    a, useless, level = compute_mean_rise(work.rises)
    low, high = work.compute_intervals()
    assert a > level > 0.5
    assert low[0] > 0
    assert low[2] > 0
    assert work.find_significant(low)[[0, 2]].all()
    assert not work.find_significant(low - low[0] - 1e-9)[0], "its interval reaches 0"
    # Chance, or negligible compared with the important columns.
    assert low[1] < 0 < high[1] or abs(useless) < 0.02 * a


def test_importance_handles_huge_numbers(tmp_path: Path) -> None:
    table = tmp_path / "huge.csv"
    values = np.random.default_rng(8).normal(size=60)
    table.write_text("a,target\n" + "".join(f"{a:.4f},{4e25 * a:.4e}\n" for a in values))
    work = compute_all_effects(*run_on(table, tmp_path, 3), 3)
    assert work.find_significant(work.compute_intervals()[0])[0]


def test_redundant_columns_are_shuffled_jointly(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    table, lines = tmp_path / "twins.csv", []
    for _ in range(150):
        a, other = rng.normal(size=2)
        gap = "" if rng.random() < 0.2 else f"{other:.3f}"
        lines.append(f"{a:.4f},{a + rng.normal() / 20:.4f},{gap},{4 * a + rng.normal():.4f}")
    table.write_text("a,twin,other,target\n" + "\n".join(lines) + "\n")
    work = compute_all_effects(*run_on(table, tmp_path, 4), 4)
    assert work.groups == ((0, 1),)
    low, _ = work.compute_intervals()
    # For 4·a with error variance 1: the loss with another row's a, minus that with the row's own.
    assert compute_mean_rise(work.rises)[3] == pytest.approx((1 + 2 * 4**2) ** 0.5 - 1, rel=0.2)
    assert work.find_significant(low)[3]
    missing = work.dependences[2].missing_means
    assert missing.shape == (1,)
    assert np.isfinite(missing).all()
    assert not len(work.dependences[0].missing_means)


def test_importance_uses_smooth_surrogate_of_metric() -> None:
    for metric, votes, smooth in (
        (ErrorRate(), False, LogLoss),
        (Auc(), False, LogLoss),
        (MacroF1(), True, BrierScore),
        (R2(), False, Rmse),
        (MedianAbsoluteError(), False, Mae),
    ):
        assert isinstance(get_smooth_metric(metric, is_voting=votes), smooth)
        assert contains_facts(explain_smooth_metric(metric, smooth()), metric.title)
    assert explain_smooth_metric(LogLoss(), LogLoss()) == ""


def test_partial_dependence_of_additive_function_equals_component(
    additive_run: tuple[Path, int],
) -> None:
    work = compute_all_effects(*additive_run, 12)
    dependence = work.dependences[0]
    inner = np.abs(dependence.grid) < 1.5
    means = dependence.means[inner, 0]
    slope, _ = np.polyfit(dependence.grid[inner], means, 1)
    assert slope == pytest.approx(4.0, rel=0.15)
    levels = work.dependences[2]
    mean_by_level = dict(zip(levels.labels, levels.means[:, 0], strict=True))
    assert mean_by_level["high"] - mean_by_level["low"] == pytest.approx(5.0, rel=0.2)
    assert mean_by_level["middle"] - mean_by_level["low"] == pytest.approx(2.0, abs=0.7)
    assert levels.counts.sum() == 300, "the run is over: the test rows, too"
    flat = work.dependences[1].means[:, 0]
    assert np.ptp(flat) < 0.1 * np.ptp(dependence.means)


def test_refitted_members_give_equal_importance(
    small_run: tuple[Path, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, run_id = small_run
    heaviest = make_column_plan(path, run_id, 8)
    assert len(heaviest.members) == MAX_MEMBERS < heaviest.n_members
    assert 0.5 < heaviest.weight < 1
    monkeypatch.setattr(module, "MAX_MEMBERS", 20)
    new = start_work(path, run_id, 7)
    assert new is not None
    with Document.open(path, writable=False) as document:
        iteration = document.trials.list_iterations(run_id)[6]
    assert sorted(new.plan.members) == sorted(number for number, _ in iteration.members)
    assert new.plan.weight == pytest.approx(1.0)
    # On the same rows with the same seed; stored values are rounded.
    probabilities = compute_probabilities(new.history.get_predictions, new.ensemble)
    work = compute_all_effects(path, run_id, 7)
    assert work.loss == pytest.approx(
        work.metric.compute_loss(new.history.truth, probabilities), rel=1e-3
    )


def test_importance_resumes_after_interruption(
    additive_run: tuple[Path, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, run_id = additive_run
    first = continue_work(path, run_id, 12, "", 0.0)
    assert first is not None
    assert not first.is_complete
    steps = 1
    while not first.is_complete:
        assert continue_work(path, run_id, 12, "", 0.0) is first
        steps += 1
    assert steps > 5
    assert np.isfinite(first.rises).all()
    other = continue_work(path, run_id, 2, "", 0.0)
    assert other is not first, "later trials are not used"
    for _ in range(2):  # two views at different iterations do not restart each other
        assert continue_work(path, run_id, 12, "", 0.0) is first
        assert continue_work(path, run_id, 2, "", 0.0) is other
    monkeypatch.setattr(module, "_MAX_CACHED_WORKS", 1)
    continue_work(path, run_id, 2, "", 0.0)
    assert continue_work(path, run_id, 12, "", 0.0) is not first, "memory is limited"


def test_effect_of_further_column_requires_no_training(
    additive_run: tuple[Path, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "N_INITIAL_COLUMNS", 1)
    work = compute_all_effects(*additive_run, 12)
    assert set(work.dependences) == {0}
    monkeypatch.setattr(module, "fit", None)
    repeated = compute_all_effects(*additive_run, 12, "level")
    assert repeated is work
    assert set(work.dependences) == {0, 2}


def test_effects_that_take_long_are_computed_on_demand(
    additive_run: tuple[Path, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_WORK_CACHE", {})
    assert not compute_all_effects(*additive_run, 12).get_effects(12).is_time_over
    monkeypatch.setattr(module, "_WORK_CACHE", {})
    monkeypatch.setattr(module, "MAX_EFFECT_SECONDS", 0.0)
    work = compute_all_effects(*additive_run, 12)
    effects = work.get_effects(12)
    assert (set(effects.dependences), effects.is_complete, effects.is_time_over) == (
        {0},
        True,
        True,
    )
    rows = [make_importance_row(effects, column) for column in (0, 2)]
    assert find_missing_effect(effects, rows) == ""
    assert find_missing_effect(replace(effects, is_time_over=False), rows) == "level"
    assert set(compute_all_effects(*additive_run, 12, "level").dependences) == {0, 2}


def test_importance_step_respects_time(
    additive_run: tuple[Path, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_PREDICT_SECONDS", -1.0)
    work = compute_all_effects(*additive_run, 12)
    assert np.isnan(work.rises).all()


def test_failed_members_are_skipped_with_note(
    small_run: tuple[Path, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    new = start_work(*small_run, 8)
    assert new is not None
    assert len(new.plan.members) > 1
    real, broken = module.fit, new.plan.members[-1]

    def fit(data, learner, choice, seed, rows):
        if seed == new.history.trials[broken - 1].seed:
            raise ValueError("no luck")
        return real(data, learner, choice, seed, rows)

    monkeypatch.setattr(module, "fit", fit)
    work = compute_all_effects(*small_run, 8)
    (note,) = work.notes
    assert contains_facts(note, f"Trial {broken} ", "no luck")
    assert np.isfinite(work.rises).all()


def test_importance_without_members_can_be_retried(
    small_run: tuple[Path, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "fit", None)
    for _ in range(2):
        with pytest.raises(RunError, match="the members"):
            compute_column_effects(*small_run, 8, "", 60.0)
    monkeypatch.undo()
    assert compute_all_effects(*small_run, 8).notes == []


def test_importance_needs_model(additive_run: tuple[Path, int]) -> None:
    path, run_id = additive_run
    assert continue_work(path, run_id, 0, "", 1.0) is None
    assert make_column_plan(path, run_id, 0).reason
    assert compute_column_effects(path, run_id, 0, "").reason


def test_importance_of_folds_uses_first_fold(finished_run: Make) -> None:
    path, run_id = finished_run(method="RS-ES", budget=3, plan=SplitPlan(folds=3), keep=False)
    new = start_work(path, run_id, 3)
    assert new is not None
    plan = new.plan
    assert plan.folds == 3
    assert len(new.training) == pytest.approx(48, abs=1), "of 72 rows outside the test"
    assert len(new.unseen_rows) == 90 - len(new.training), "the first fold's, and the test rows"
    assert facts(describe_rows(plan)) == {"count": 42}
    assert plan.n_rows == 18 + 24
    early = make_column_plan(path, run_id, 2)
    assert facts(describe_rows(early)) == {"count": 24}, "nothing later is used, nor the test rows"


def test_importance_is_requested_until_complete(small_run: tuple[Path, int]) -> None:
    path, run_id = small_run
    effects = compute_column_effects(path, run_id, 8, "b", 0.0)
    assert not effects.is_complete
    assert effects.phase
    while not effects.is_complete:
        effects = compute_column_effects(path, run_id, 8, "b")
    assert effects.plan == make_column_plan(path, run_id, 8)
    assert effects.plan.names == ("a", "b", "colour")
    assert effects.dependences[2].labels == ("blue", "green", "red")
    assert effects.dependences[1].n_missing > 0
    assert effects.dependences[2].means.shape == (3, 2)
    np.testing.assert_allclose(effects.dependences[2].means.sum(axis=1), 1.0, atol=1e-6)


def test_column_without_values_has_no_effect(
    small_run: tuple[Path, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    get_known_values = ColumnEffectsComputation._get_known_values
    monkeypatch.setattr(
        ColumnEffectsComputation,
        "_get_known_values",
        lambda self, column: get_known_values(self, column)[: None if column else 0],
    )
    path, run_id = small_run
    effects = compute_all_effects(path, run_id, 8)
    assert effects.dependences
    assert 0 not in effects.dependences
    with pytest.raises(RunError, match="empty"):
        continue_work(path, run_id, 8, effects.plan.names[0], 60.0)


def test_date_parts_and_terms_have_labelled_values() -> None:
    def name_values(grid: list[float], **made: Any) -> tuple[str, ...]:
        recipe: Any = SimpleNamespace(**{"date": None, "term": None, **made})
        return get_value_names(recipe, None, np.array(grid))

    assert name_values([1.0, 12.0], date=SimpleNamespace(part="month")) == ("Jan", "Dec")
    assert name_values([0.0, 6.0], date=SimpleNamespace(part="weekday")) == ("Mon", "Sun")
    assert (
        name_values([1.0, 31.0], date=SimpleNamespace(part="day")) == name_values([1.0, 2.0]) == ()
    )
    assert "refund" in name_values([0.0, 0.4], term=SimpleNamespace(term="refund"))[1]


def test_grid_values_cover_column_distribution() -> None:
    grid, edges, counts = make_grid(np.array([2.0, 1.0, 2.0]), categorical=False)
    assert (grid.tolist(), edges.tolist(), counts.tolist()) == ([1.0, 2.0], [], [1, 2])
    many = np.linspace(0.0, 100.0, 1001)
    grid, edges, counts = make_grid(many, categorical=False)
    assert (len(grid), len(edges), len(counts)) == (N_GRID_VALUES, N_GRID_VALUES + 1, N_GRID_VALUES)
    assert (grid[0], grid[-1]) == pytest.approx((1.0, 99.0))
    codes = np.concatenate([np.arange(40.0), np.arange(30.0, 40.0)])
    grid, _, counts = make_grid(codes, categorical=True)
    assert len(grid) == N_GRID_VALUES
    assert set(range(30, 40)) <= set(grid)
    assert counts[-1] == 2
    common = np.repeat(np.arange(40.0), MIN_VALUE_ROWS)
    grid, _, counts = make_grid(np.append(common, np.arange(50.0, 60.0)), categorical=True)
    assert grid.tolist() == list(range(40)), "all with enough rows"
    assert set(counts) == {MIN_VALUE_ROWS}
    grid, *_ = make_grid(np.repeat(np.arange(300.0), MIN_VALUE_ROWS), categorical=True)
    assert len(grid) == MAX_CATEGORIES
    spread = np.concatenate([np.zeros(5000), np.arange(30.0)])
    grid, *_ = make_grid(spread, categorical=False)
    assert (grid[0], grid[-1]) == (0.0, 29.0)


@pytest.mark.parametrize(
    "changes",
    [{}, {"refit": False, "plan": SplitPlan(0.6, 0.2, 0.2, folds=3)}],
    ids=["refitted", "committees"],
)
def test_stored_members_are_not_retrained(
    changes: dict[str, object],
    new_run: Make,
    run_inline: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path, run_id = new_run(method="RS-post", budget=5, **changes)
    assert run_inline(path, run_id) == "finished"
    monkeypatch.setattr(module, "fit", lambda *_, **__: pytest.fail("trained again"))
    new = start_work(path, run_id, 5)
    assert new is not None
    assert new.plan.fit_seconds == 0
    split = new.prepared_run.split
    unseen = [split.test, split.folds[0][1]] if changes else [split.test]
    assert set(new.unseen_rows) == set(np.concatenate(unseen))
    assert not set(new.unseen_rows) & set(new.training)
    assert np.isfinite(compute_all_effects(path, run_id, 5).rises).all()


def test_final_importance_uses_members_of_result(
    small_run: tuple[Path, int], tmp_path: Path
) -> None:
    """Members that could not be refitted are ignored."""
    original, run_id = small_run
    path = tmp_path / "left_out.studio"
    path.write_bytes(original.read_bytes())
    before = start_work(path, run_id, 8)
    assert before is not None and before.plan.n_members > 2
    kept = before.plan.members[1:3]
    with Document.open(path) as document:
        result = document.runs.get(run_id).result
        assert result is not None
        members = tuple(each for each in result.members if each.trial in kept)
        document.runs.set_result(run_id, replace(result, members=members))
    after = start_work(path, run_id, 8)
    assert after is not None
    assert set(after.plan.members) == set(kept) and after.plan.n_members == 2
    assert after.plan.weight == pytest.approx(1.0)
    earlier = start_work(path, run_id, 7)
    assert earlier is not None
    assert earlier.plan.n_members == len(earlier.ensemble.members), "not of the result"


def test_rare_values_are_compared_jointly(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    table, lines = tmp_path / "places.csv", []
    for number in range(600):
        category = number % 30 if number < 590 else 30 + number % 4
        value = 4.0 * (category == 29) - 3.0 * (category >= 30) + rng.normal() / 9
        lines.append(f"p{category},{rng.normal():.3f},{value:.3f}")
    table.write_text("place,a,target\n" + "\n".join(lines) + "\n")
    work = compute_all_effects(*run_on(table, tmp_path, 2), 2)
    dependence = work.dependences[0]
    assert dependence.n_rarer == 4
    assert len(dependence.grid) == len(dependence.labels) == len(dependence.means) == 31
    assert dependence.counts[-1] <= 10
    X = np.asarray(work.prepared_run.problem.X[work.unseen_rows[: module.N_BACKGROUND_ROWS]])
    for index in (0, 17, 29):
        code = work.prepared_run.problem.categories[0].index(dependence.labels[index])
        rows = np.column_stack([np.full(len(X), float(code)), X[:, 1]])
        assert dependence.means[index, 0] == pytest.approx(work.predict(rows).mean(), rel=1e-6)


@pytest.fixture(scope="module")
def text_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """Return a run on texts of phrases, of which one raises and one lowers the target."""
    rng, folder = np.random.default_rng(5), tmp_path_factory.mktemp("texts")
    effects = {"carbon frame": 6.0, "rusty chain": -6.0, "one owner": 0.0, "stored indoors": 0.0}
    lines = []
    for _ in range(400):
        phrases = rng.permutation(list(effects))[: rng.integers(1, 4)]
        price = 20 + sum(effects[each] for each in phrases) + rng.normal()
        other_words = " ".join(rng.choice(list("bdfghjklmnpqrstvwxz"), 4) + "ao")
        text = f"{' and also '.join(phrases)} {other_words}"
        lines.append(f"{rng.normal():.3f},{text},{price:.3f}")
    table = folder / "texts.csv"
    table.write_text("size,about,price\n" + "\n".join(lines) + "\n")
    return run_on(table, folder, 12, kinds={"about": "text"})


def test_joint_terms_are_shuffled_and_varied_together(text_run: tuple[Path, int]) -> None:
    work = compute_all_effects(*text_run, 12)
    effects = work.get_effects(12)
    features = work.prepared_run.problem.make_recipe().features
    terms = [tuple(str(features[k].term.term) for k in unit) for unit in work.units[1:]]
    assert sum(map(len, terms)) == len(features) - 1
    column = 1 + next(k for k, each in enumerate(terms) if each[0] == "carbon frame")
    rusty = 1 + next(k for k, each in enumerate(terms) if each[0] == "rusty chain")
    assert set(terms[column - 1]) == {"carbon frame", "carbon", "frame"}
    assert len(effects.plan.names) == len(work.units)
    assert "carbon frame" in effects.plan.names[column]
    assert effects.groups == (tuple(range(1, len(work.units))),)
    others = [
        k for k, each in enumerate(terms, 1) if {"owner", "indoors"} & set(" ".join(each).split())
    ]
    assert others
    assert effects.is_significant[[column, rusty]].all()
    assert not effects.is_significant[others].any()
    work.request_effect(rusty)
    work.run_for(60.0)
    # The effect of the phrase, not of one of its words beside the others.
    for index, difference in ((column, 6.0), (rusty, -6.0)):
        dependence = work.dependences[index]
        assert dependence.is_term
        without, present = dependence.means[:, 0]
        assert present - without == pytest.approx(difference, abs=2.5)


def test_effect_of_term_quotes_it_once(text_run: tuple[Path, int]) -> None:
    work = compute_all_effects(*text_run, 12)
    texts = [
        translate(describe_direction(each, work.plan))
        for each in work.dependences.values()
        if each.is_term and np.ptp(each.means)
    ]
    assert any("carbon frame" in text for text in texts)
    for text in texts:
        assert (text.count("“"), text.count("”")) == (1, 1)


def test_terms_of_dependent_rows_have_extended_intervals(
    text_run: tuple[Path, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    work = compute_all_effects(*text_run, 12)
    n_rows, n_terms = len(work.unseen_rows), len(work.groups[0])
    monkeypatch.setattr(PreparedRun, "get_units", lambda self, rows: np.arange(n_rows))
    means = compute_mean_rise(work.rises)
    low = means - 1.96 / 2.5 * means  # 2.5 standard errors from 0
    low[means <= 0] = -1.0
    is_significant = work.find_significant(low)
    assert n_terms > 5
    assert not is_significant[1 : 1 + n_terms].any()
    assert is_significant[-1], "the text as a whole is one comparison"
