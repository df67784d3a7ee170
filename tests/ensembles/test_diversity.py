import numpy as np
import pytest

from studio.ensembles import diversity
from studio.ensembles.diversity import (
    compute_diversity_to,
    compute_pairwise_disagreement,
    compute_pairwise_diversity,
    sort_by_similarity,
)
from studio.errors import EnsembleError


def test_diversity_of_probabilities_follows_equation_3(make_history) -> None:
    history = make_history(5, 4, rows=300)
    predictions = [history.get_predictions(number) for number in range(1, 6)]
    diversities = compute_pairwise_diversity(predictions, history.truth)
    for i in range(5):
        for j in range(5):
            distances = np.linalg.norm(
                predictions[i].astype(float) - predictions[j].astype(float), axis=1
            )
            assert diversities[i, j] == pytest.approx(np.sqrt(2) / 2 * distances.mean())
    assert np.array_equal(diversities, diversities.T)


def test_diversity_of_many_rows_equals_closed_form(make_history) -> None:
    history = make_history(3, 26, rows=7_001)
    predictions = [history.get_predictions(number).astype(float) for number in (1, 2, 3)]
    diversities = compute_pairwise_diversity(predictions, history.truth)
    distances = np.linalg.norm(predictions[0] - predictions[2], axis=1)
    assert diversities[0, 2] == pytest.approx(np.sqrt(2) / 2 * distances.mean())


@pytest.mark.parametrize("n_classes", [0, 3])
@pytest.mark.parametrize("cells", [1, 50])
def test_diversity_is_equal_for_any_block_size(make_history, monkeypatch, n_classes, cells) -> None:
    history = make_history(4, n_classes)
    predictions = [history.get_predictions(number) for number in range(1, 5)]
    expected = compute_pairwise_diversity(predictions, history.truth)
    for name in ("_BLOCK_CELLS", "_PAIR_CELLS"):
        monkeypatch.setattr(diversity, name, cells)
    np.testing.assert_allclose(
        compute_pairwise_diversity(predictions, history.truth), expected, rtol=1e-13
    )
    diversities = compute_diversity_to(predictions[3], predictions[:3], history.truth)
    np.testing.assert_allclose(diversities, expected[3, :3], rtol=1e-13)


def test_diversity_of_labels_is_disagreement(make_history) -> None:
    history = make_history(6, 3, one_hot=True)
    predictions = [history.get_predictions(number) for number in range(1, 7)]
    votes = [history.get_votes(number) for number in range(1, 7)]
    np.testing.assert_allclose(
        compute_pairwise_diversity(predictions, history.truth),
        compute_pairwise_disagreement(votes),
        atol=1e-12,
    )
    assert compute_pairwise_disagreement(votes)[0, 1] == np.mean(votes[0] != votes[1])


def test_opposite_certain_predictions_have_maximum_diversity() -> None:
    one, other = np.eye(2)[[0, 1, 0]], np.eye(2)[[1, 0, 1]]
    assert compute_pairwise_diversity([one, other], np.zeros(3))[0, 1] == pytest.approx(1.0)


def test_regression_diversity_is_scaled_by_interquartile_range() -> None:
    truth = np.array([0.0, 1.0, 2.0, 3.0, 4.0])
    predictions = [truth, truth + 0.5, truth + 5.0]
    diversities = compute_pairwise_diversity(predictions, truth)
    np.testing.assert_allclose(diversities, [[0, 0.25, 1], [0.25, 0, 1], [1, 1, 0]])


@pytest.mark.parametrize(
    ("truth", "scale"), [(np.array([0.0, 0, 0, 0, 0, 0, 0, 4]), np.sqrt(1.75)), (np.ones(8), 1.0)]
)
def test_zero_interquartile_range_uses_fallback_scale(truth, scale) -> None:
    diversities = compute_pairwise_diversity([np.zeros(8), np.full(8, 0.5)], truth)
    assert diversities[0, 1] == pytest.approx(0.5 / scale)


def test_diversity_of_one_model_is_zero(make_history) -> None:
    history = make_history(1, 2)
    assert compute_pairwise_diversity([history.get_predictions(1)], history.truth).tolist() == [
        [0.0]
    ]
    assert compute_pairwise_disagreement([history.get_votes(1)]).tolist() == [[0.0]]


def test_diversity_without_models_is_rejected() -> None:
    with pytest.raises(EnsembleError, match="one model"):
        compute_pairwise_diversity([], np.zeros(3))
    with pytest.raises(EnsembleError, match="one model"):
        compute_pairwise_disagreement([])


def test_ordering_places_similar_models_adjacent() -> None:
    places = np.array([0.0, 10.0, 0.1, 10.1, 0.2, 10.2])
    order = sort_by_similarity(np.abs(places[:, None] - places))
    assert sorted(order.tolist()) == list(range(6))
    assert {frozenset(order[:3].tolist()), frozenset(order[3:].tolist())} == {
        frozenset({0, 2, 4}),
        frozenset({1, 3, 5}),
    }


def test_ordering_places_outlier_of_three_models_last() -> None:
    places = np.array([0.0, 10.0, 0.1])
    order = sort_by_similarity(np.abs(places[:, None] - places)).tolist()
    assert sorted(order) == [0, 1, 2]
    assert order[1] != 1


@pytest.mark.parametrize("k", [0, 1, 2])
def test_ordering_does_not_change_one_or_two_models(k) -> None:
    assert sort_by_similarity(np.zeros((k, k))).tolist() == list(range(k))


@pytest.mark.parametrize("n_classes", [0, 2, 7])
def test_diversity_to_others_equals_matrix_row(make_history, n_classes) -> None:
    history = make_history(6, n_classes, rows=500)
    predictions = [history.get_predictions(number) for number in range(1, 7)]
    diversities = compute_diversity_to(predictions[5], predictions[:5], history.truth)
    expected = compute_pairwise_diversity(predictions, history.truth)
    np.testing.assert_allclose(diversities, expected[5, :5], rtol=1e-13)
    assert compute_diversity_to(predictions[0], [], history.truth).shape == (0,)
