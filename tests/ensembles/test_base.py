import numpy as np
import pytest

from studio.ensembles.base import (
    Ensemble,
    EnsembleBuilder,
    break_tie,
    combine,
    compute_probabilities,
    get_pool,
)
from studio.ensembles.layer import Layer
from studio.errors import EnsembleError

SURE_0 = np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3]])
SURE_1 = np.array([[0.6, 0.4], [0.3, 0.7], [0.0, 1.0]])


def test_repeated_choices_become_weighted_members() -> None:
    ensemble = Ensemble.from_choices([7, 3, 7, 5], "vote")
    assert ensemble.members == (7, 3, 5)
    assert ensemble.weights == (0.5, 0.25, 0.25)


def test_empty_ensemble_is_rejected() -> None:
    with pytest.raises(EnsembleError, match="one trial"):
        Ensemble.from_choices([], "vote")


def test_vote_predicts_shares_of_classes() -> None:
    shares = combine({1: SURE_0, 2: SURE_1}.__getitem__, Ensemble((1, 2), (0.75, 0.25), "vote"))
    assert shares.tolist() == [[1.0, 0.0], [0.75, 0.25], [0.75, 0.25]]


def test_tied_vote_predicts_smallest_class() -> None:
    shares = combine({1: SURE_0, 2: SURE_1}.__getitem__, Ensemble((2, 1), (0.5, 0.5), "vote"))
    assert shares.argmax(axis=1).tolist() == [0, 0, 0]


@pytest.mark.parametrize("votes", range(2, 40))
def test_equal_vote_weights_give_tie(votes: int) -> None:
    one_hot = np.eye(2)
    choices = [0] * votes + list(range(1, votes + 1))
    predictions = [one_hot[[1]]] + [one_hot[[0]]] * votes
    shares = combine(predictions.__getitem__, Ensemble.from_choices(choices, "vote"))
    assert shares[0, 0] == shares[0, 1]
    shares = combine(predictions.__getitem__, Ensemble.from_choices(choices, "mean"))
    assert shares[0, 0] == shares[0, 1]


def test_mean_combination_averages_probabilities() -> None:
    mean = combine({1: SURE_0, 2: SURE_1}.__getitem__, Ensemble((1, 2), (0.5, 0.5), "mean"))
    np.testing.assert_allclose(mean, (SURE_0 + SURE_1) / 2, atol=1e-12)


def test_mean_combination_averages_values() -> None:
    predictions = {4: np.array([1.0, 2.0], np.float32), 9: np.array([3.0, 6.0], np.float32)}
    mean = combine(predictions.__getitem__, Ensemble((9, 4), (0.75, 0.25), "mean"))
    assert mean.dtype == np.float64
    assert mean.tolist() == [2.5, 5.0]


def test_voting_is_rejected_for_regression() -> None:
    with pytest.raises(EnsembleError, match="cannot vote"):
        combine({1: np.zeros(3)}.__getitem__, Ensemble((1,), (1.0,), "vote"))


def test_pool_contains_successful_trials(make_history) -> None:
    assert get_pool(make_history(5, 2, failed=(1, 4))).tolist() == [2, 3, 5]


def test_empty_pool_is_rejected_with_advice(make_history) -> None:
    with pytest.raises(EnsembleError, match="trials failed"):
        get_pool(make_history(2, 2, failed=(1, 2)))


def test_tie_break_of_single_candidate_is_not_random() -> None:
    rng = np.random.default_rng(0)
    assert break_tie(np.array([5]), rng) == 5
    assert rng.random() == np.random.default_rng(0).random()


def test_ties_are_broken_uniformly_at_random() -> None:
    rng = np.random.default_rng(0)
    assert {break_tie(np.array([2, 4, 8]), rng) for _ in range(50)} == {2, 4, 8}


class FirstTrialBuilder(EnsembleBuilder):
    """Selects the first trial."""

    key = "oldest"

    def build(self, history, metric, seed):
        assert (metric, seed) == ("metric", 7)
        return Ensemble((int(history.list_numbers()[0]), len(history)), (0.5, 0.5), "vote")


def test_default_builder_hooks_have_no_effect(make_history) -> None:
    builder, history = FirstTrialBuilder(), make_history(5, 2, failed=(1,))
    assert builder.always_votes is False
    assert builder.with_budget(10) is builder.with_generation(lambda: 3) is builder
    assert builder.get_search_loss("metric") is None
    assert builder.build_after(history, 3, "metric", 7).members == (2, 3)
    # The full history, which builders recognise.
    assert builder.build_after(history, 5, "metric", 7).members == (2, 5)
    history.prefix = None
    assert builder.build_after(history, 5, "metric", 7).members == (2, 5)
    ensemble = Ensemble.from_single_trial(2)
    assert builder.fit_temperature(ensemble, history, "metric") is ensemble
    with pytest.raises(EnsembleError, match="other members"):
        builder.fit_layer(history, (2, 3))


def test_vote_provides_mean_probabilities_for_display() -> None:
    get_predictions = {1: SURE_0, 2: SURE_1}.__getitem__
    weights = (0.75, 0.25)
    mean = combine(get_predictions, Ensemble((1, 2), weights, "mean"))
    assert (
        compute_probabilities(get_predictions, Ensemble((1, 2), weights, "vote")).tolist()
        == mean.tolist()
    )
    assert (
        compute_probabilities(get_predictions, Ensemble((1, 2), weights, "mean")).tolist()
        == mean.tolist()
    )
    layer = Layer(((1.0, 0.0, 2.0, 0.0), (0.0, 1.0, 0.0, 2.0)), (0.0, 0.5), (0.5,) * 4)
    stack = Ensemble((1, 2), weights, "stack", layer)
    assert (
        compute_probabilities(get_predictions, stack).tolist()
        == combine(get_predictions, stack).tolist()
    )


def test_builder_base_is_abstract() -> None:
    base: type = EnsembleBuilder
    with pytest.raises(TypeError, match="abstract"):
        base()


def test_stack_applies_linear_layer() -> None:
    layer = Layer(((1.0, 0.0, 2.0, 0.0), (0.0, 1.0, 0.0, 2.0)), (0.0, 0.5), (0.5,) * 4)
    stack = Ensemble((2, 1), (0.4, 0.6), "stack", layer)
    shares = combine({1: SURE_0, 2: SURE_1}.__getitem__, stack)
    scores = SURE_1 + 2 * SURE_0 + [0.0, 0.5]
    expected = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(shares, expected, atol=1e-12)
    values = Ensemble((1, 2), (0.5, 0.5), "stack", Layer(((2.0, -1.0),), (1.0,), (0.0, 0.0)))
    predictions = {1: np.array([1.0, 0.0]), 2: np.array([0.0, 3.0])}
    assert combine(predictions.__getitem__, values).tolist() == [3.0, -2.0]


def test_weight_of_removed_member_is_redistributed() -> None:
    remaining_ensemble = Ensemble((7, 3, 5), (0.5, 0.3, 0.2), "vote").select_members({5, 7, 9})
    assert remaining_ensemble.members == (7, 5)
    assert remaining_ensemble.weights == pytest.approx((5 / 7, 2 / 7))
    assert remaining_ensemble.combination == "vote"
    with pytest.raises(EnsembleError, match="is left"):
        remaining_ensemble.select_members({3})


def test_stack_replaces_missing_member_by_its_mean() -> None:
    layer = Layer(((2.0, -1.0, 4.0),), (1.0,), (0.5, 10.0, 0.0))
    remaining_ensemble = Ensemble((1, 2, 3), (0.2, 0.2, 0.6), "stack", layer).select_members((1, 3))
    assert remaining_ensemble.layer == Layer(((2.0, 4.0),), (-9.0,), (0.5, 0.0))
    assert remaining_ensemble.weights == pytest.approx((0.25, 0.75))


def test_single_member_ensemble_predicts_like_member() -> None:
    alone = Ensemble.from_single_trial(4)
    predictions = np.array([[0.7, 0.3], [0.4, 0.6]])
    np.testing.assert_array_equal(combine({4: predictions}.__getitem__, alone), predictions)
