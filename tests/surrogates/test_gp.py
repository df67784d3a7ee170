import numpy as np
import pytest
from scipy import stats
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, WhiteKernel
from sklearn.gaussian_process.kernels import Matern as SklearnMatern
from sklearn.metrics.pairwise import laplacian_kernel

from studio.errors import SurrogateError, UsageError
from studio.space.encoding import find_conditions, impute, sample
from studio.space.parameters import Constant
from studio.space.space import Space
from studio.surrogates.gp import GaussianProcess
from studio.surrogates.registry import SURROGATES
from tests.facts import about

FAST = {"samples": 4, "burn_in": 3}


def seeded(seed=0):
    return np.random.default_rng(seed)


def objective(space, U):
    dense = impute(space, U)
    return np.sin(5.0 * dense).sum(axis=1) + 0.3 * dense[:, 0]


@pytest.mark.parametrize("inference", ["slice", "ml"])
def test_predictions_agree_with_sklearn_for_same_hyperparameters(box, rng, inference):
    U, V = rng.random((25, 2)), rng.random((40, 2))
    y = 40.0 + 7.0 * (np.sin(6.0 * U[:, 0]) + U[:, 1]) + rng.standard_normal(25)
    process = GaussianProcess(kernel="matern", inference=inference, **FAST)
    posterior = process.fit(box, U, y, seeded())
    means, variances = posterior.predict(V)
    settings = posterior.settings
    assert means.shape == variances.shape == (1 if inference == "ml" else 4, 40)
    standard = (y - y.mean()) / y.std()
    for model in range(len(means)):
        kernel = ConstantKernel(settings.amplitude[model])
        kernel *= SklearnMatern(settings.length_scales[model], nu=2.5)
        reference = GaussianProcessRegressor(kernel, alpha=settings.noise[model], optimizer=None)
        reference.fit(U, standard - settings.mean[model])
        mean, deviation = reference.predict(V, return_std=True)
        expected = y.mean() + y.std() * (mean + settings.mean[model])
        np.testing.assert_allclose(means[model], expected, rtol=1e-7)
        np.testing.assert_allclose(variances[model], (y.std() * deviation) ** 2, rtol=1e-5)


def test_conditional_kernel_equals_independent_processes_per_branch(tree, rng):
    U, V = sample(tree, rng, 50), sample(tree, rng, 60)
    y = objective(tree, U)
    posterior = GaussianProcess(**FAST).fit(tree, U, y, seeded())
    means, variances = posterior.predict(V)
    settings = posterior.settings
    standard = (y - y.mean()) / y.std()
    X, Q = impute(tree, U), impute(tree, V)
    for group in np.unique(find_conditions(tree, U)):
        is_training_row, is_query_row = (
            find_conditions(tree, U) == group,
            find_conditions(tree, V) == group,
        )
        for model in range(4):
            kernel = ConstantKernel(settings.amplitude[model])
            kernel *= SklearnMatern(settings.length_scales[model], nu=2.5)
            alone = GaussianProcessRegressor(kernel, alpha=settings.noise[model], optimizer=None)
            alone.fit(X[is_training_row], standard[is_training_row] - settings.mean[model])
            mean, deviation = alone.predict(Q[is_query_row], return_std=True)
            expected = y.mean() + y.std() * (mean + settings.mean[model])
            np.testing.assert_allclose(means[model, is_query_row], expected, rtol=1e-6, atol=1e-9)
            np.testing.assert_allclose(
                variances[model, is_query_row], (y.std() * deviation) ** 2, rtol=1e-4, atol=1e-12
            )


def test_branch_without_observations_has_prior(tree, rng):
    U = sample(tree, rng, 80)
    c = find_conditions(tree, U)
    only = U[c == c[0]]
    posterior = GaussianProcess(**FAST).fit(tree, only, objective(tree, only), seeded())
    means, variances = posterior.predict(U[c != c[0]])
    prior_mean = posterior.shift + posterior.scale * posterior.settings.mean
    np.testing.assert_allclose(means, np.broadcast_to(prior_mean[:, None], means.shape))
    prior = posterior.scale**2 * posterior.settings.amplitude
    np.testing.assert_allclose(variances, np.broadcast_to(prior[:, None], variances.shape))


@pytest.mark.parametrize("inference", ["slice", "ml"])
@pytest.mark.parametrize("kernel", ["conditional", "matern", "se"])
@pytest.mark.parametrize("case", ["none", "one", "constant", "repeated", "clash"])
def test_gp_accepts_few_constant_and_repeated_observations(tree, rng, inference, kernel, case):
    rows = sample(tree, rng, 8)
    U, y = {
        "none": (rows[:0], np.zeros(0)),
        "one": (rows[:1], np.array([0.3])),
        "constant": (rows, np.full(8, 0.1)),
        "repeated": (np.repeat(rows[:2], 4, axis=0), np.repeat([0.1, 0.2], 4)),
        "clash": (np.repeat(rows[:1], 6, axis=0), np.arange(6.0)),
    }[case]
    process = GaussianProcess(kernel=kernel, inference=inference, **FAST)
    posterior = process.fit(tree, U, y, seeded())
    V = np.concatenate([U, sample(tree, rng, 20)])
    means, variances = posterior.predict(V)
    assert np.isfinite(means).all()
    assert (variances > 0.0).all()
    assert posterior.best.shape == (len(means),)
    if len(y):
        np.testing.assert_allclose(posterior.best, y.min(), atol=1e-12)
    further = posterior.condition_on(V[-3:], seeded(1))
    assert np.isfinite(further.predict(V)[0]).all()


def test_space_of_single_configuration_is_accepted():
    space = Space("fixed", (Constant("algorithm", "only"),))
    posterior = GaussianProcess(**FAST).fit(space, np.empty((3, 0)), np.arange(3.0), seeded())
    means, _ = posterior.predict(np.empty((2, 0)))
    assert means.shape == (4, 2)


def test_noise_free_observations_are_interpolated(box, rng):
    U = rng.random((30, 2))
    y = objective(box, U)
    means, variances = GaussianProcess(**FAST, kernel="se").fit(box, U, y, seeded()).predict(U)
    np.testing.assert_allclose(means, np.broadcast_to(y, means.shape), atol=0.05)
    assert variances.max() < 0.1 * y.var()


def test_batch_prediction_equals_single_predictions(tree, rng):
    U = sample(tree, rng, 40)
    posterior = GaussianProcess(**FAST).fit(tree, U, objective(tree, U), seeded())
    V = sample(tree, rng, 5000)
    means, variances = posterior.predict(V)
    for row in (0, 1234, 4999):
        mean, variance = posterior.predict(V[row : row + 1])
        np.testing.assert_allclose(mean[:, 0], means[:, row], rtol=1e-10)
        np.testing.assert_allclose(variance[:, 0], variances[:, row], rtol=1e-7)


@pytest.mark.parametrize("kernel", ["conditional", "matern", "se"])
def test_slopes_agree_with_finite_differences(tree, rng, kernel):
    U = sample(tree, rng, 30)
    process = GaussianProcess(kernel=kernel, **FAST)
    posterior = process.fit(tree, U, 10.0 * objective(tree, U), seeded())
    V = sample(tree, rng, 60)
    V = V[~np.isnan(V[:, 1])][:6]
    slopes = posterior.predict_with_gradients(V)
    means, variances = posterior.predict(V)
    np.testing.assert_allclose(slopes.mean, means, rtol=1e-12)
    np.testing.assert_allclose(slopes.variance, variances, rtol=1e-8)
    for dim in (1, 2):
        step = np.zeros(4)
        step[dim] = 1e-5
        (up, more), (down, less) = posterior.predict(V + step), posterior.predict(V - step)
        expected = (up - down) / 2e-5
        np.testing.assert_allclose(slopes.d_mean[:, :, dim], expected, rtol=1e-4, atol=1e-5)
        expected = (more - less) / 2e-5
        scale = np.abs(expected).max()
        np.testing.assert_allclose(
            slopes.d_variance[:, :, dim], expected, rtol=1e-3, atol=1e-5 * scale
        )


def test_slopes_are_zero_in_branch_without_observations(tree, rng):
    U = sample(tree, rng, 80)
    c = find_conditions(tree, U)
    posterior = GaussianProcess(**FAST).fit(
        tree, U[c == c[0]], objective(tree, U[c == c[0]]), seeded()
    )
    slopes = posterior.predict_with_gradients(U[c != c[0]][:5])
    assert not slopes.d_mean.any()
    assert not slopes.d_variance.any()
    for moment, expected in zip(slopes[:2], posterior.predict(U[c != c[0]][:5]), strict=True):
        np.testing.assert_allclose(moment, expected)


def test_fantasies_preserve_mean_and_remove_variance_at_pending(tree, rng):
    U = sample(tree, rng, 40)
    y = objective(tree, U)
    posterior = GaussianProcess(samples=1, burn_in=5, fantasies=1000).fit(tree, U, y, seeded())
    pending = sample(tree, rng, 5)
    V = np.concatenate([pending, sample(tree, rng, 20)])
    before, doubt = posterior.predict(V)
    with_fantasies = posterior.condition_on(pending, seeded(7))
    after, remaining = with_fantasies.predict(V)
    assert after.shape == (1000, 25)
    error = np.sqrt(doubt[0] / 1000)
    assert (np.abs(after.mean(axis=0) - before[0]) < 5.0 * error + 1e-9).all()
    # Law of total variance: a fantasy moves variance into the spread of the means.
    total = remaining.mean(axis=0) + after.var(axis=0)
    np.testing.assert_allclose(total, doubt[0], rtol=0.25)
    assert (remaining[0, :5] < 0.6 * doubt[0, :5] + posterior.scale**2 * 0.1).all()
    assert (with_fantasies.best <= posterior.best[0]).all()


def test_fantasies_of_neighbouring_pending_points_are_consistent(box, rng):
    U = rng.random((5, 2))
    posterior = GaussianProcess(samples=1, burn_in=5, fantasies=400).fit(
        box, U, objective(box, U), seeded()
    )
    far = np.array([[0.5, 0.5], [0.5, 0.5001]])
    fantasies = posterior.condition_on(far, seeded(1)).blocks[0].targets[:, -2:]
    expected = posterior.predict(far)[1][0, 0] / posterior.scale**2
    noise = posterior.settings.noise[0]
    assert stats.pearsonr(*fantasies.T).statistic == pytest.approx(
        expected / (expected + noise), abs=0.1
    )


def test_conditioning_on_no_trials_has_no_effect(tree, rng):
    U = sample(tree, rng, 5)
    posterior = GaussianProcess(**FAST).fit(tree, U, objective(tree, U), seeded())
    assert posterior.condition_on(U[:0], seeded()) is posterior


def test_fantasies_affect_only_branch_of_pending_trial(tree, rng):
    U = sample(tree, rng, 40)
    posterior = GaussianProcess(**FAST, fantasies=4).fit(tree, U, objective(tree, U), seeded())
    further = posterior.condition_on(U[:1], seeded())
    elsewhere = U[find_conditions(tree, U) != find_conditions(tree, U)[0]]
    for before, after in zip(posterior.predict(elsewhere), further.predict(elsewhere), strict=True):
        np.testing.assert_array_equal(before, after)


def test_posterior_is_determined_by_generator(tree, rng):
    U = sample(tree, rng, 30)
    y = objective(tree, U)
    first, second, other = (
        GaussianProcess(**FAST).fit(tree, U, y, seeded(seed)).predict(U)[0] for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, second)
    assert not np.array_equal(first, other)


def test_predictions_follow_affine_target_transformation(tree, rng):
    U, V = sample(tree, rng, 30), sample(tree, rng, 30)
    y = objective(tree, U)
    mean, variance = GaussianProcess(**FAST).fit(tree, U, y, seeded()).predict(V)
    same = GaussianProcess(**FAST).fit(tree, U, 1024.0 + 64.0 * y, seeded()).predict(V)
    np.testing.assert_allclose(same[0], 1024.0 + 64.0 * mean, rtol=1e-6)
    np.testing.assert_allclose(same[1], 64.0**2 * variance, rtol=1e-3)


@pytest.mark.parametrize("rule", ["middle", "default"])
def test_imputed_coordinate_equals_value_of_rule(tree, rng, rule):
    U = sample(tree, rng, 20)
    posterior = GaussianProcess(kernel="matern", imputation=rule, **FAST).fit(
        tree, U, objective(tree, U), seeded()
    )
    expected = {"middle": np.full(4, 0.5), "default": tree.default_units}[rule]
    np.testing.assert_array_equal(posterior.blocks[0].X, np.where(np.isnan(U), expected, U))


def test_queried_rows_are_resampled_per_fit_without_imputation(tree, rng):
    U, V = sample(tree, rng, 20), sample(tree, rng, 20)
    y = objective(tree, U)
    process = GaussianProcess(kernel="matern", imputation="none", inference="ml")
    first, second = (process.fit(tree, U, y, seeded(seed)) for seed in (1, 2))
    np.testing.assert_array_equal(first.blocks[0].X, second.blocks[0].X)
    assert (first.features.complete(V) != second.features.complete(V)).any()
    fills = {process.fit(tree, U[:0], y[:0], seeded(seed)).features.fill for seed in range(40)}
    assert len(fills) == 40
    # One dense draw completes every queried row: the prediction is smooth in the query.
    for column, filled in zip(V.T, first.features.complete(V).T, strict=True):
        assert len(np.unique(filled[np.isnan(column)])) <= 1
    np.testing.assert_array_equal(first.predict(V)[0], first.predict(V)[0])


def test_one_hot_predictions_agree_with_sklearn(tree, rng):
    U, V = sample(tree, rng, 30), sample(tree, rng, 20)
    y = objective(tree, U)
    posterior = GaussianProcess(kernel="laplace", encoding="one-hot", **FAST).fit(
        tree, U, y, seeded()
    )

    def encode_one_hot(rows):
        one_hot_choice = np.floor(3 * rows[:, :1]) == np.arange(3)
        return np.column_stack([one_hot_choice, impute(tree, rows)[:, 1:]])

    means, _ = posterior.predict(V)
    settings = posterior.settings
    assert settings.length_scales.shape == (4, 6)
    standard = (y - y.mean()) / y.std()
    for model, length_scales in enumerate(settings.length_scales):
        noise = settings.noise[model] / settings.amplitude[model]
        K = laplacian_kernel(
            encode_one_hot(U) / length_scales, encode_one_hot(U) / length_scales, gamma=1.0
        ) + noise * np.eye(30)
        weights = np.linalg.solve(K, standard - settings.mean[model])
        cross = laplacian_kernel(
            encode_one_hot(V) / length_scales, encode_one_hot(U) / length_scales, gamma=1.0
        )
        expected = y.mean() + y.std() * (settings.mean[model] + cross @ weights)
        np.testing.assert_allclose(means[model], expected, rtol=1e-6)


@pytest.mark.slow
def test_maximum_likelihood_hyperparameters_agree_with_sklearn(box, rng):
    U = rng.random((40, 2))
    y = np.sin(6.0 * U[:, 0]) + U[:, 1] + 0.1 * rng.standard_normal(40)
    posterior = GaussianProcess(kernel="matern", inference="ml").fit(box, U, y, seeded())
    mean = posterior.settings.mean[0]
    kernel = ConstantKernel(1.0, (1e-4, 1e4)) * SklearnMatern([1.0, 1.0], (1e-3, 1e3), nu=2.5)
    kernel += WhiteKernel(1e-2, (1e-8, 1e2))
    reference = GaussianProcessRegressor(kernel, alpha=0.0, n_restarts_optimizer=3, random_state=1)
    reference.fit(U, (y - y.mean()) / y.std() - mean)
    fitted_kernel = reference.kernel_
    assert posterior.settings.amplitude[0] == pytest.approx(
        fitted_kernel.k1.k1.constant_value, rel=0.02
    )
    assert posterior.settings.noise[0] == pytest.approx(fitted_kernel.k2.noise_level, rel=0.02)
    np.testing.assert_allclose(
        posterior.settings.length_scales[0], fitted_kernel.k1.k2.length_scale, rtol=0.02
    )


@pytest.mark.slow
def test_observations_beyond_limit_are_summarised(box, rng):
    U, V = rng.random((60, 2)), rng.random((200, 2))
    y = objective(box, U)
    few = {"kernel": "matern", **FAST, "burn_in": 20}
    unlimited = GaussianProcess(**few).fit(box, U, y, seeded())
    same = GaussianProcess(most_learnt=60, most_predicted=60, **few).fit(box, U, y, seeded())
    np.testing.assert_array_equal(unlimited.predict(V)[0], same.predict(V)[0])
    learnt = GaussianProcess(most_learnt=30, **few).fit(box, U, y, seeded())
    assert learnt.blocks[0].X.shape == (60, 2)
    assert not np.array_equal(learnt.settings.length_scales, unlimited.settings.length_scales)
    thin = GaussianProcess(most_learnt=20, most_predicted=30, **few).fit(box, U, y, seeded())
    assert thin.blocks[0].X.shape == (30, 2)
    assert thin.best == pytest.approx(y.min())
    truth = objective(box, V)
    for posterior in (learnt, thin):
        away = posterior.predict(V)[0].mean(axis=0) - truth
        assert np.sqrt((away**2).mean()) < 0.1 * truth.std()


def test_observation_limits_apply_per_branch(tree, rng):
    U = sample(tree, rng, 90)
    posterior = GaussianProcess(most_learnt=10, most_predicted=20, **FAST).fit(
        tree, U, objective(tree, U), seeded()
    )
    sizes = np.unique(find_conditions(tree, U), return_counts=True)[1]
    assert [len(block.X) for block in posterior.blocks.values()] == np.minimum(sizes, 20).tolist()


def test_mondrian_kernel_uses_requested_number_of_partitions(box, rng):
    U = rng.random((8, 2))
    for trees in (3, 7):
        posterior = GaussianProcess(kernel="mondrian", trees=trees, **FAST).fit(
            box, U, objective(box, U), seeded()
        )
        shares = posterior.blocks[0].correlate(rng.random((50, 2))) * trees
        np.testing.assert_allclose(shares, np.rint(shares), atol=1e-12)
        assert shares.max() > 1.0


@pytest.mark.parametrize("rule", ["middle", "default", "none"])
def test_imputed_values_of_trial_are_stable(tree, rng, rule):
    U = sample(tree, rng, 20)
    y = objective(tree, U)
    process = GaussianProcess(kernel="matern", imputation=rule, **FAST)
    early = process.fit(tree, U[:10], y[:10], seeded())
    late = process.fit(tree, U, y, seeded())
    np.testing.assert_array_equal(early.blocks[0].X, late.blocks[0].X[:10])
    assert np.isfinite(late.predict(U)[0]).all()


def test_non_finite_or_mismatched_targets_are_rejected(tree, rng):
    U = sample(tree, rng, 3)
    with pytest.raises(SurrogateError, match="worst finite loss"):
        GaussianProcess().fit(tree, U, np.array([0.1, np.nan, 0.2]), rng)
    with pytest.raises(SurrogateError, check=about(dimensions="4", shape="(3, 2)")):
        GaussianProcess().fit(tree, U[:, :2], np.zeros(3), rng)
    with pytest.raises(SurrogateError, check=about(dimensions="4", n_targets="2")):
        GaussianProcess().fit(tree, U, np.zeros(2), rng)


def test_out_of_range_options_are_rejected_with_message():
    with pytest.raises(UsageError, match=r"matern, se", check=about(name="kernel", value="'rbf'")):
        GaussianProcess(kernel="rbf")
    with pytest.raises(UsageError, check=about(name="samples", low=1, value="0")):
        GaussianProcess(samples=0)


@pytest.mark.parametrize("surrogate", SURROGATES)
def test_shipped_surrogates_have_descriptions_and_predict(surrogate, tree, rng):
    assert surrogate.key
    assert surrogate.title
    assert surrogate.reference
    assert surrogate.summary.endswith(".")
    U = sample(tree, rng, 12)
    posterior = surrogate().fit(tree, U, objective(tree, U), seeded())
    means, variances = posterior.predict(U)
    assert means.shape == variances.shape == (len(posterior.best), 12)
