import numpy as np
import pytest

from studio.ensembles.layer import MISSING_CLASS_SCORE, Layer, make_features


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def classes_layer(rng: np.random.Generator, members: int = 3, classes: int = 4) -> Layer:
    return Layer.from_coefficients(
        rng.normal(size=(classes, members * classes)),
        rng.normal(size=classes),
        rng.random(members * classes),
    )


def test_layer_applies_softmax_to_scores(rng) -> None:
    layer, predictions = classes_layer(rng), [rng.random((5, 4)) for _ in range(3)]
    scores = np.hstack(predictions) @ np.array(layer.coefficients).T + layer.intercepts
    expected = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(layer.apply(predictions), expected, rtol=1e-12)


def test_layer_of_regression_is_linear(rng) -> None:
    layer = Layer(((2.0, -1.0),), (0.5,), (0.0, 0.0))
    values = layer.apply([np.array([1.0, 3.0], np.float32), np.array([4.0, 0.0], np.float32)])
    assert values.tolist() == [-1.5, 6.5]


def test_layer_handles_huge_scores_and_unseen_classes() -> None:
    layer = Layer(((1e4, 0.0), (0.0, 1e4), (0.0, 0.0)), (0.0, 0.0, MISSING_CLASS_SCORE), (0.0, 0.0))
    features = [np.array([[1.0, 0.0]])]
    assert layer.apply(features)[0, 2] == 0.0
    assert layer.apply(features)[0, 0] == 1.0


def test_omitted_member_is_replaced_by_mean(rng) -> None:
    layer, predictions = classes_layer(rng), [rng.random((5, 4)) for _ in range(3)]
    centre = np.broadcast_to(np.array(layer.centre)[4:8], (5, 4))
    np.testing.assert_allclose(
        layer.select_members([0, 2]).apply([predictions[0], predictions[2]]),
        layer.apply([predictions[0], centre, predictions[2]]),
        rtol=1e-12,
    )
    assert layer.select_members([0, 1, 2]) == layer


def test_influence_equals_share_of_coefficients() -> None:
    layer = Layer(((1.0, 0.0, -3.0, 0.0), (0.0, 1.0, 0.0, 3.0)), (0.0, 0.0), (0.0,) * 4)
    assert layer.get_influence().tolist() == [0.25, 0.75]
    nothing = Layer(((0.0, 0.0),), (1.0,), (0.0, 0.0))
    assert nothing.get_influence().tolist() == [0.5, 0.5]
    barely = Layer(((2.0, 0.0),), (1.0,), (0.0, 0.0))
    assert barely.get_influence() == pytest.approx([1.0, 1e-9], rel=1e-6)


def test_layer_features_concatenate_predictions(rng) -> None:
    first, second = rng.random((3, 2)), rng.random((3, 2))
    np.testing.assert_array_equal(make_features([first, second]), np.hstack([first, second]))
    assert make_features([first[:, 0], second[:, 0]]).shape == (3, 2)
