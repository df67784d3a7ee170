"""DivBO, compared with its parts and with Bayesian optimisation."""

import dataclasses

import numpy as np
import pytest

from studio.acquisition.maximisers.global_local import GlobalLocal
from studio.acquisition.maximisers.local_search import LocalSearch
from studio.data.metrics.registry import get_default
from studio.ensembles.diversity import compute_pairwise_diversity
from studio.ensembles.greedy import GreedySelection
from studio.errors import ExhaustedError, UsageError
from studio.proposers.bayesian import BayesianOptimisation
from studio.proposers.divbo import DRAWS, DivBO, compute_ranks
from studio.proposers.method import compose
from studio.space.encoding import encode
from studio.space.library import load
from studio.space.parameters import Categorical, Condition, Integer
from studio.space.space import Space
from studio.surrogates.diversity.lightgbm import LightGbmDiversity
from studio.surrogates.diversity.row_by_row import ForestDiversity, HistGradientBoostingDiversity
from studio.surrogates.random_forest import RandomForest

pytestmark = pytest.mark.slow

TASKS = {"multiclass": ("sklearn-cash", 3), "regression": ("sklearn-cash-regression", 0)}


@pytest.fixture(params=list(TASKS))
def faker(request, make_faker):
    space, n_classes = TASKS[request.param]
    return make_faker(load(space), n_classes)


def proposers(**options):
    """Return DivBO with these options, and BO of the same parts."""
    maximiser = GlobalLocal(everywhere=400, around=50)
    parts = {"initial": 5, "surrogate": RandomForest(), "maximiser": maximiser}
    options.setdefault("diversity", LightGbmDiversity(models=3, trees=30))
    return DivBO(**parts, **options), BayesianOptimisation(**parts)


@pytest.mark.parametrize("options", [{"weight": "fixed", "fixed_weight": 0.0}, {"beta": 0.0}])
@pytest.mark.parametrize("count", [3, 5, 6, 30])
def test_divbo_without_weight_is_bayesian_optimisation(faker, options, count):
    divbo, bo = proposers(**options)
    history = faker.history(faker.draw(count), lambda number: number == 2)
    for pending in ([], faker.draw(2, seed=5)):
        search = faker.search(history, pending)
        one, other = divbo.suggest(search), bo.suggest(search)
        assert one.configuration == other.configuration
        assert one.origin == other.origin
        assert one.details.get("acquisition") == other.details.get("acquisition")
        assert "diversity" not in one.details


@pytest.mark.parametrize("running", [0, 2])
def test_divbo_follows_algorithm(faker, running):
    """Compare with lines 6 to 9 of algorithm 1, with ranks and minima by brute force."""
    divbo, bo = proposers(weight="fixed", fixed_weight=0.1)
    history = faker.history(faker.draw(24), lambda number: number % 6 == 0)
    search = faker.search(history, faker.draw(running, seed=5))
    suggestion = divbo.suggest(search)

    view = bo.get_view(search)
    order = np.argsort(history.get_losses(), kind="stable")
    rng = np.random.default_rng([search.seed, 2])
    U = GlobalLocal(everywhere=400).draw_candidates(
        faker.space, view.observations.U[order], search.get_tried_keys(), rng
    )
    performance = view.acquisition(U)

    succeeded = history.succeeded
    predictions = [history.get_predictions(trial.number) for trial in succeeded]
    diversity = compute_pairwise_diversity(predictions, history.truth)
    rows = encode(faker.space, [trial.configuration for trial in succeeded])
    surrogate = divbo.diversity.fit(rows, diversity, np.random.default_rng([search.seed, 4]))
    metric = get_default("regression")
    pool = GreedySelection(ties="seed").build(history, metric, search.ensemble_seed).members
    theta = [history.trials[number - 1].configuration for number in pool]
    mean, variance = surrogate.predict(U, encode(faker.space, theta + list(search.pending)))
    draws = np.random.default_rng([search.seed, 5]).standard_normal((DRAWS, *mean.shape))
    alpha = np.mean(np.min(mean + np.sqrt(variance) * draws, axis=2), axis=0)

    total = compute_ranks(performance) + 0.1 * compute_ranks(alpha)
    (best,) = encode(faker.space, [suggestion.configuration])
    row = int(np.flatnonzero(((np.isnan(U) & np.isnan(best)) | (best == U)).all(axis=1))[0])
    assert total[row] == total.min()
    assert suggestion.details == {
        "acquisition": pytest.approx(performance[row]),
        "weight": 0.1,
        "diversity": pytest.approx(mean[row].min()),
        "pool": len(theta) + running,
    }
    assert suggestion.origin == "performance and diversity"


def test_cached_models_do_not_change_suggestions(faker, monkeypatch):
    """Some trials fail and others are running; a continued run retrains all models."""
    divbo, _ = proposers(diversity=LightGbmDiversity(models=3, trees=10, in_turn=15))
    history = faker.history(faker.draw(24), lambda number: number % 6 == 0)
    for running in (0, 2):
        monkeypatch.setattr("studio.surrogates.diversity.lightgbm._MODEL_CACHE", {})
        for length in range(20, 25):
            search = faker.search(history.take_first(length), faker.draw(running, seed=5))
            incremental_suggestion = divbo.suggest(search)
            assert incremental_suggestion.origin == "performance and diversity"
        monkeypatch.setattr("studio.surrogates.diversity.lightgbm._MODEL_CACHE", {})
        assert divbo.suggest(search) == incremental_suggestion


def test_weight_makes_suggestions_more_diverse(faker):
    light, bo = proposers(weight="fixed", fixed_weight=1e-9)
    heavy = dataclasses.replace(light, fixed_weight=100.0)
    history = faker.history(faker.draw(20))
    for seed in (1, 2):
        search = dataclasses.replace(faker.search(history), seed=seed)
        slight, strong = light.suggest(search).details, heavy.suggest(search).details
        assert slight["acquisition"] == bo.suggest(search).details["acquisition"]
        assert slight["acquisition"] > strong["acquisition"]
        assert slight["diversity"] < strong["diversity"]


def test_weight_schedule_counts_started_trials(faker):
    divbo, _ = proposers()
    history = faker.history(faker.draw(8), lambda number: number == 1)
    assert divbo.suggest(faker.search(history)).details["weight"] == divbo.compute_weight(8)
    search = faker.search(history, faker.draw(2, seed=5))
    assert divbo.suggest(search).details["weight"] == divbo.compute_weight(10)
    weights = [round(divbo.compute_weight(t), 4) for t in (5, 10, 20)]
    assert weights == [0.0116, 0.0190, 0.0241]


def test_divbo_starts_with_five_random_trials(faker):
    divbo, _ = proposers()
    for count in range(7):
        suggestion = divbo.suggest(faker.search(faker.history(faker.draw(count))))
        assert (suggestion.origin == "random start") == (count < 5)


def test_divbo_with_one_successful_trial_equals_bo(faker):
    divbo, bo = proposers()
    search = faker.search(faker.history(faker.draw(9), lambda number: number != 4))
    assert divbo.suggest(search).configuration == bo.suggest(search).configuration


@pytest.mark.parametrize("diversity", [LightGbmDiversity(), ForestDiversity()])
def test_diversity_surrogate_can_be_selected(faker, diversity):
    divbo, _ = proposers(diversity=diversity)
    suggestion = divbo.suggest(faker.search(faker.history(faker.draw(10))))
    faker.space.validate(suggestion.configuration)
    assert 0.0 < suggestion.details["diversity"] < 1.0


def test_other_maximisers_are_rejected():
    with pytest.raises(UsageError, match="use 'global-local'"):
        compose("DivBO", {"maximiser": LocalSearch.key}, "binary")


def test_divbo_presets_match_paper():
    for task in ("binary", "regression"):
        methods = {key: compose(key, {}, task) for key in ("BO", "BO-ES", "DivBO", "DivBO-")}
        methods["DivBO-fixed"] = compose("DivBO-fixed", {}, task)
        for method in methods.values():
            proposer = method.proposer
            assert proposer.initial == 5
            assert proposer.surrogate.key == "random-forest"
            assert proposer.acquisition.key == "ei"
            assert proposer.maximiser == GlobalLocal(everywhere=4950, around=50)
        for key in ("BO-ES", "DivBO", "DivBO-fixed"):
            ensemble = methods[key].ensemble
            assert (ensemble.size, ensemble.start, ensemble.replacement) == (25, 0, True)
            assert (ensemble.combination, ensemble.loss) == ("mean", "zero-one")
        assert methods["BO"].ensemble.key == methods["DivBO-"].ensemble.key == "single-best"
        assert methods["DivBO"].proposer.diversity == LightGbmDiversity(models=5)
        assert methods["DivBO"].proposer == methods["DivBO-"].proposer
        assert methods["DivBO-fixed"].proposer.compute_weight(7) == 0.1
        assert methods["DivBO"].proposer.needs_predictions
        assert not methods["BO"].proposer.needs_predictions


def test_diversity_surrogate_has_options():
    overrides = {"diversity": "boosted", "diversity.models": "2"}
    assert compose(
        "DivBO", overrides, "binary"
    ).proposer.diversity == HistGradientBoostingDiversity(models=2)


def test_divbo_exhausts_finite_space_with_error(make_faker):
    space = Space(
        "small",
        (
            Categorical("algorithm", choices=("x", "y")),
            Integer("k", low=1, high=5, conditions=(Condition("algorithm", values=("x",)),)),
        ),
    )
    small = make_faker(space, 2)
    divbo = dataclasses.replace(proposers()[0], initial=2)
    history, origins = small.history([]), []
    for _ in range(6):
        suggestion = divbo.suggest(small.search(history))
        small.extend(history, suggestion.configuration)
        origins.append(suggestion.origin)
    assert origins == ["random start"] * 2 + ["performance and diversity"] * 4
    assert len({repr(trial.configuration) for trial in history.trials}) == 6
    with pytest.raises(ExhaustedError, match="All 6 configurations"):
        divbo.suggest(small.search(history))
