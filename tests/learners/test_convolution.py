"""The convolutional network: rejected input, and training if PyTorch is installed."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

from studio.errors import LearnerError
from studio.learners.convolution import ConvolutionalNetwork
from studio.learners.facts import TableFacts
from studio.learners.values import LearnerValues
from tests.facts import about


def bars(n_rows, seed, side=8):
    """Return images of a horizontal (0), a vertical (1) or no (2) bar somewhere, with noise."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % 3
    images = rng.normal(scale=0.3, size=(n_rows, side, side))
    for image, code, offset in zip(images, y, rng.integers(0, side, n_rows), strict=True):
        if code == 0:
            image[offset, :] += 1.5
        elif code == 1:
            image[:, offset] += 1.5
    return images.reshape(n_rows, -1), y, np.zeros(side * side, dtype=bool)


def make_estimator(X, y, flags):
    """Make the estimator for these rows without importing PyTorch elsewhere."""
    reader = LearnerValues("cnn", {}, ConvolutionalNetwork.hyperparameters)
    return ConvolutionalNetwork().make_estimator(reader, make_facts(X, y, flags))


def make_facts(X, y, flags):
    return TableFacts.from_rows(X, y, task="multiclass", n_classes=3, categorical=flags, seed=1)


def test_missing_pytorch_error_contains_install_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(LearnerError, match=r"needs PyTorch.* \"torch"):
        ConvolutionalNetwork().build({}, make_facts(*bars(9, 1)))


@pytest.mark.parametrize("columns", [4, 9, 15, 60])
def test_non_square_images_are_rejected(columns):
    X, y, _ = bars(30, 1)
    with pytest.raises(LearnerError, match="square images", check=about(count=columns)):
        make_estimator(X[:, :columns], y, np.zeros(columns, dtype=bool))


def test_categorical_columns_are_rejected():
    X, y, flags = bars(30, 1)
    flags[3] = True
    with pytest.raises(LearnerError, match="1 column "):
        make_estimator(np.abs(X).round(), y, flags)


def test_square_image_size_is_inferred():
    assert make_estimator(*bars(30, 1)).side == 8


def test_convolution_is_translation_invariant(trained):
    pytest.importorskip("torch")
    X, y, flags = bars(240, 1)
    pipeline = trained(ConvolutionalNetwork(), "multiclass", X, y, flags, epochs=15)
    new, truth, _ = bars(120, 2)
    shares = pipeline.estimator.predict_proba(new)
    assert np.allclose(shares.sum(axis=1), 1.0)
    assert np.mean(shares.argmax(axis=1) == truth) > 0.9
    assert np.array_equal(pipeline.estimator.predict(new), shares.argmax(axis=1))


def test_convolution_is_determined_by_seed(trained):
    torch = pytest.importorskip("torch")
    X, y, flags = bars(60, 1)
    torch.manual_seed(5)
    before = torch.get_rng_state()
    one, two, other = (
        trained(ConvolutionalNetwork(), "binary", X, y % 2, flags, seed=seed, epochs=2)
        .estimator.predict_proba(X)
        .tobytes()
        for seed in (4, 4, 5)
    )
    assert one == two != other
    assert torch.equal(before, torch.get_rng_state())


def test_convolution_ignores_zero_weight_rows(trained):
    pytest.importorskip("torch")
    X, y, flags = bars(60, 1)
    training = ConvolutionalNetwork().build({"epochs": 40}, make_facts(X, y, flags)).estimator
    labels = np.concatenate([y, (y + 1) % 3])
    weights = np.repeat([1.0, 0.0], 60)
    training.fit(np.vstack([X, X]), labels, learner__sample_weight=weights)
    probabilities = (
        training.named_steps["learner"]
        .to_sklearn()
        .predict_proba(training.named_steps["preparation"].transform(X))
    )
    assert np.mean(probabilities.argmax(axis=1) == y) > 0.8


LOADER = """
import pickle, sys
import numpy as np

class Wall:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "studio":
            raise ImportError("this package is not installed here")

sys.meta_path.insert(0, Wall())
with open(sys.argv[1] + "/cnn.pkl", "rb") as file:
    pipeline = pickle.load(file)
X = np.load(sys.argv[1] + "/X.npy")
assert np.allclose(pipeline.predict_proba(X), np.load(sys.argv[1] + "/shares.npy"))
"""


def test_convolution_pickle_needs_only_pytorch_and_scikit_learn(trained, tmp_path):
    pytest.importorskip("torch")
    X, y, flags = bars(60, 1)
    pipeline = trained(ConvolutionalNetwork(), "multiclass", X, y, flags, epochs=1).estimator
    content = pickle.dumps(pipeline)
    assert b"torch.nn." in content
    (tmp_path / "cnn.pkl").write_bytes(content)
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "shares.npy", pipeline.predict_proba(X))
    process = subprocess.run(
        [sys.executable, "-c", LOADER, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr
