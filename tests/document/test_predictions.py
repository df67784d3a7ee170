import numpy as np
import pytest

from studio.document import predictions
from studio.errors import DocumentError


@pytest.mark.parametrize("classes", [2, 256, 257])
def test_one_hot_rows_are_stored_as_labels(classes):
    labels = np.random.default_rng(0).integers(0, classes, 500)
    rows = np.eye(classes, dtype=np.float16)[labels]
    stored_labels = predictions.to_labels(rows)
    assert stored_labels is not None
    assert stored_labels.itemsize == (1 if classes <= 256 else 2)
    back = predictions.from_labels(stored_labels, classes)
    assert back.dtype == np.float16
    np.testing.assert_array_equal(back, rows)


@pytest.mark.parametrize(
    "rows",
    [
        [[0.5, 0.5], [1, 0]],
        [[1, 1], [0, 0]],
        [[-0.0, 1.0], [1.0, 0.0]],
        [[0, 2], [1, 0]],
        [[0, 0], [1, 0]],
        [[1], [1]],
    ],
)
def test_non_one_hot_rows_are_not_stored_as_labels(rows):
    assert predictions.to_labels(np.array(rows, dtype=np.float16)) is None


def test_values_and_empty_rows_are_not_stored_as_labels():
    assert predictions.to_labels(np.array([0, 1], dtype=np.float32)) is None
    assert predictions.to_labels(np.zeros((0, 3), dtype=np.float16)) is None


@pytest.mark.parametrize("shape", [(4, 2), (4, 2, 2)])
def test_double_precision_predictions_are_rejected(shape):
    with pytest.raises(DocumentError, match="half-precision"):
        predictions.check(np.zeros(shape))


def test_label_out_of_range_is_reported_as_damage():
    with pytest.raises(DocumentError, match="damaged"):
        predictions.from_labels(np.array([0, 3], dtype=np.uint8), 3)
