import numpy as np
import pytest

from studio.ensembles.layer import NEVER, Layer, features_of


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def classes_layer(rng: np.random.Generator, members: int = 3, classes: int = 4) -> Layer:
    return Layer.of(
        rng.normal(size=(classes, members * classes)),
        rng.normal(size=classes),
        rng.random(members * classes),
    )


def test_classes_are_the_softmax_of_the_linear_scores(rng) -> None:
    layer, given = classes_layer(rng), [rng.random((5, 4)) for _ in range(3)]
    scores = np.hstack(given) @ np.array(layer.coefficients).T + layer.intercepts
    expected = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(layer.apply(given), expected, rtol=1e-12)


def test_values_are_the_linear_score_itself(rng) -> None:
    layer = Layer(((2.0, -1.0),), (0.5,), (0.0, 0.0))
    found = layer.apply([np.array([1.0, 3.0], np.float32), np.array([4.0, 0.0], np.float32)])
    assert found.tolist() == [-1.5, 6.5]


def test_huge_scores_do_not_overflow_and_a_class_never_seen_has_probability_zero() -> None:
    layer = Layer(((1e4, 0.0), (0.0, 1e4), (0.0, 0.0)), (0.0, 0.0, NEVER), (0.0, 0.0))
    features = [np.array([[1.0, 0.0]])]
    assert layer.apply(features)[0, 2] == 0.0
    assert layer.apply(features)[0, 0] == 1.0


def test_a_member_that_is_left_out_always_gives_its_mean(rng) -> None:
    layer, given = classes_layer(rng), [rng.random((5, 4)) for _ in range(3)]
    centre = np.broadcast_to(np.array(layer.centre)[4:8], (5, 4))
    np.testing.assert_allclose(
        layer.keeping([0, 2]).apply([given[0], given[2]]),
        layer.apply([given[0], centre, given[2]]),
        rtol=1e-12,
    )
    assert layer.keeping([0, 1, 2]) == layer


def test_influence_is_each_members_share_of_the_coefficients() -> None:
    layer = Layer(((1.0, 0.0, -3.0, 0.0), (0.0, 1.0, 0.0, 3.0)), (0.0, 0.0), (0.0,) * 4)
    assert layer.influence().tolist() == [0.25, 0.75]
    nothing = Layer(((0.0, 0.0),), (1.0,), (0.0, 0.0))
    assert nothing.influence().tolist() == [0.5, 0.5]
    barely = Layer(((2.0, 0.0),), (1.0,), (0.0, 0.0))
    assert barely.influence() == pytest.approx([1.0, 1e-9], rel=1e-6)


def test_features_are_the_predictions_side_by_side(rng) -> None:
    first, second = rng.random((3, 2)), rng.random((3, 2))
    np.testing.assert_array_equal(features_of([first, second]), np.hstack([first, second]))
    assert features_of([first[:, 0], second[:, 0]]).shape == (3, 2)
