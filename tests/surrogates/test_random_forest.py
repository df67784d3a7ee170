import itertools

import numpy as np
import pytest
from scipy import stats
from sklearn.ensemble import RandomForestRegressor

from studio.errors import SurrogateError
from studio.space.encoding import impute, sample
from studio.space.parameters import Categorical, Constant, Float
from studio.space.space import Space
from studio.surrogates.random_forest import MIN_VARIANCE, RandomForest, TargetOrder


def seeded(seed=0):
    return np.random.default_rng(seed)


def objective(space, U):
    dense = impute(space, U)
    return np.sin(5.0 * dense).sum(axis=1) + 0.3 * dense[:, 0]


def scikit_learns(space, U, y, **options):
    """Return scikit-learn's forest with SMAC's defaults, on the same rows and seed."""
    forest = RandomForestRegressor(
        n_estimators=10,
        max_features=3,
        min_samples_split=3,
        min_samples_leaf=3,
        random_state=int(seeded().integers(2**31)),
        **options,
    )
    return forest.fit(impute(space, U, "default"), (y - y.mean()) / y.std())


@pytest.mark.parametrize("variance", ["trees", "total"])
def test_mean_and_variance_equal_manual_computation_from_sklearn_trees(tree, rng, variance):
    U, V = sample(tree, rng, 60), sample(tree, rng, 30)
    y = 5.0 + 3.0 * objective(tree, U)
    process = RandomForest(encoding="index", variance=variance)
    means, variances = process.fit(tree, U, y, seeded()).predict(V)
    # int(4 * 5/6) = 3 coordinates per split.
    forest = scikit_learns(tree, U, y)
    X, Q = impute(tree, U, "default"), impute(tree, V, "default")
    by_tree = np.array([tree_.predict(Q) for tree_ in forest.estimators_])
    expected = by_tree.var(axis=0)
    if variance == "total":
        inside = np.empty_like(by_tree)
        standard = (y - y.mean()) / y.std()
        for row, (tree_, bootstrap_rows) in enumerate(
            zip(forest.estimators_, forest.estimators_samples_, strict=True)
        ):
            leaf_of_drawn, leaf_of_asked = tree_.apply(X[bootstrap_rows]), tree_.apply(Q)
            for index, leaf in enumerate(leaf_of_asked):
                inside[row, index] = standard[bootstrap_rows][leaf_of_drawn == leaf].var()
        expected = expected + inside.mean(axis=0)
    np.testing.assert_allclose(means[0], y.mean() + y.std() * by_tree.mean(axis=0), rtol=1e-10)
    np.testing.assert_allclose(
        variances[0], y.var() * np.maximum(expected, MIN_VARIANCE), rtol=1e-7, atol=1e-15
    )


def test_mean_without_bootstrap_equals_sklearn_prediction(tree, rng):
    U, V = sample(tree, rng, 40), sample(tree, rng, 20)
    y = objective(tree, U)
    process = RandomForest(encoding="index", bootstrap=False)
    forest = scikit_learns(tree, U, y, bootstrap=False)
    expected = y.mean() + y.std() * forest.predict(impute(tree, V, "default"))
    np.testing.assert_allclose(process.fit(tree, U, y, seeded()).predict(V)[0][0], expected)


def test_leaves_have_minimum_size(box, rng):
    U = rng.random((30, 2))
    posterior = RandomForest(leaf=7, bootstrap=False).fit(box, U, U[:, 0], seeded())
    for forest_tree in posterior.forests[0].trees:
        leaves = forest_tree.children_left < 0
        assert forest_tree.n_node_samples[leaves].min() >= 7


def test_forest_separates_categories(rng):
    space = Space("choice", (Categorical("colour", tuple("abcdefgh")),))
    U = sample(space, rng, 200)
    category = np.floor(8 * U[:, 0]).astype(int)
    y = np.where(category % 2 == 0, 0.0, 1.0)
    stump = {"trees": 1, "bootstrap": False, "features": 1.0, "split": 200}
    by_target = RandomForest(encoding="by-target", **stump).fit(space, U, y, seeded())
    np.testing.assert_allclose(by_target.predict(U)[0][0], y, atol=1e-12)
    by_index = RandomForest(encoding="index", **stump).fit(space, U, y, seeded())
    assert np.abs(by_index.predict(U)[0][0] - y).max() > 0.3


def test_forest_without_observations_is_uninformative(tree, rng):
    posterior = RandomForest().fit(tree, np.empty((0, 4)), np.empty(0), seeded())
    means, variances = posterior.predict(sample(tree, rng, 3))
    assert means.tolist() == [[0.0, 0.0, 0.0]]
    assert variances.tolist() == [[1.0, 1.0, 1.0]]
    assert posterior.best.tolist() == [0.0]


def test_forest_predicts_constant_observations(tree, rng):
    for size in (1, 9):
        U = sample(tree, rng, size)
        means, variances = RandomForest().fit(tree, U, np.full(size, 0.7), rng).predict(U)
        np.testing.assert_allclose(means, 0.7, rtol=1e-12)
        np.testing.assert_allclose(variances, MIN_VARIANCE)


def test_space_of_single_configuration_is_accepted():
    space = Space("fixed", (Constant("algorithm", "only"),))
    posterior = RandomForest(bootstrap=False).fit(
        space, np.empty((4, 0)), np.array([1.0, 2.0, 3.0, 4.0]), seeded()
    )
    assert posterior.predict(np.empty((2, 0)))[0].tolist() == [[2.5, 2.5]]


@pytest.mark.slow
def test_fantasies_have_predicted_moments(tree, rng):
    U, pending = sample(tree, rng, 40), sample(tree, rng, 3)
    y = objective(tree, U)
    for variance in ("trees", "total"):
        posterior = RandomForest(fantasies=10, variance=variance).fit(tree, U, y, seeded())
        forest, X = posterior.forests[0], posterior.complete(pending)
        draws = np.array([forest.draw(X, rng) for _ in range(4000)])
        mean, spread = forest.predict(X)
        np.testing.assert_allclose(draws.mean(axis=0), mean, atol=5 * np.sqrt(spread.max() / 4000))
        np.testing.assert_allclose(draws.var(axis=0), spread, rtol=0.15)


@pytest.mark.slow
def test_pending_trials_are_modelled_by_forests_on_fantasies(box, rng):
    U = rng.random((60, 2))
    y = objective(box, U) + 0.3 * rng.standard_normal(60)
    posterior = RandomForest(leaf=1, split=2).fit(box, U, y, seeded())
    pending = np.array([[0.31, 0.77]])
    further = posterior.condition_on(pending, seeded(1))
    assert len(further.forests) == 10
    means, _ = further.predict(pending)
    fantasies = further.shift + further.scale * np.array([s.targets[-1] for s in further.observed])
    assert stats.pearsonr(means[:, 0], fantasies).statistic > 0.8
    np.testing.assert_allclose(further.best, np.minimum(fantasies, y.min()), rtol=1e-12)


@pytest.mark.slow
def test_fantasies_without_observations_are_sampled_from_prior(box):
    posterior = RandomForest(fantasies=200, trees=1).fit(
        box, np.empty((0, 2)), np.empty(0), seeded()
    )
    further = posterior.condition_on(np.array([[0.5, 0.5]]), seeded(1))
    fantasies = [observations.targets[0] for observations in further.observed]
    assert stats.kstest(fantasies, stats.norm.cdf).pvalue > 0.01


def test_missing_gradients_error_names_alternative(box, rng):
    posterior = RandomForest().fit(box, rng.random((5, 2)), rng.random(5), seeded())
    with pytest.raises(SurrogateError, match=r"choose .* local-search"):
        posterior.predict_with_gradients(rng.random((2, 2)))


def test_forest_exposes_predictions_of_trees(tree, rng):
    U, V = sample(tree, rng, 40), sample(tree, rng, 9)
    targets = 40.0 + 7.0 * rng.random(40)
    posterior = RandomForest(fantasies=3).fit(tree, U, targets, rng)
    tree_predictions = posterior.predict_by_model(V)
    assert len(tree_predictions) == len(posterior.forests[0].trees)
    np.testing.assert_allclose(
        tree_predictions.mean(axis=0), posterior.predict(V)[0][0], rtol=1e-12
    )
    assert np.ptp(tree_predictions, axis=0).max() > 0.5
    further = posterior.condition_on(V[:2], rng)
    assert len(further.predict_by_model(V)) == 3 * len(tree_predictions)


COLOURS = Space("colours", (Categorical("colour", tuple("abcd")), Float("x", 0.0, 1.0)))


def observed(rng, size=60):
    category = rng.integers(4, size=size)
    y = np.array([3.0, -1.0, 2.0, 0.0])[category] + rng.standard_normal(size)
    return category, np.column_stack([(category + 0.5) / 4, rng.random(size)]), y


def test_categories_are_ordered_by_mean_target(rng):
    category, U, y = observed(rng)
    reordered_rows = TargetOrder.fit(COLOURS, U, y).reorder(U)
    np.testing.assert_array_equal(reordered_rows[:, 1], U[:, 1])
    means = [y[category == c].mean() for c in range(4)]
    for c, rank in enumerate(np.argsort(np.argsort(means))):
        assert (reordered_rows[category == c, 0] == (rank + 0.5) / 4).all()


def test_best_target_order_cut_equals_best_subset(rng):
    category, U, y = observed(rng)
    order = TargetOrder.fit(COLOURS, U, y).reorder(U)[:, 0]

    def error(left):
        return sum(((part - part.mean()) ** 2).sum() for part in (y[left], y[~left]))

    cuts = [error(order < cut) for cut in (0.25, 0.5, 0.75)]
    subsets = [
        error(np.isin(category, subset))
        for size in (1, 2)
        for subset in itertools.combinations(range(4), size)
    ]
    assert min(cuts) == min(subsets)


def test_unseen_category_counts_as_average():
    U = np.array([[0.125, 0.5], [0.375, 0.5], [0.625, np.nan]])
    order = TargetOrder.fit(COLOURS, U, np.array([0.9, 0.1, 0.2]))
    # Means: a 0.9, b 0.1, c 0.2, all 0.4; d was never seen.
    assert order.category_positions[0].tolist() == [0.875, 0.125, 0.375, 0.625]
    assert np.isnan(order.reorder(U)[2, 1])


def test_category_seen_once_keeps_its_value():
    category = np.array([0, 1, 1, 1, 1, 2, 3, 3])
    # About the mean of 2.125: a 1.875, b 1.125, c -2.125, d -2.125 and so after c by its place.
    targets = np.array([4.0, 3.25, 3.25, 3.25, 3.25, 0.0, 0.0, 0.0])
    U = np.column_stack([(category + 0.5) / 4, np.zeros(8)])
    order = TargetOrder.fit(COLOURS, U, targets)
    assert order.category_positions[0].tolist() == [0.875, 0.625, 0.125, 0.375]


def test_category_order_without_observations_equals_space():
    order = TargetOrder.fit(COLOURS, np.empty((0, 2)), np.empty(0))
    assert order.category_positions[0].tolist() == [0.125, 0.375, 0.625, 0.875]
    inactive = np.array([[np.nan, 0.1]])
    assert np.isnan(order.reorder(inactive)[0, 0])
