"""Trees of classes store class counts instead of shares, equal to the last bit."""

from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier

from studio.errors import SerializationError
from studio.serialization import forms
from studio.serialization.forms import pack_trees, unpack_trees
from studio.serialization.level_trees import ArrayUnpacker, Packer

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 5))
CLASSES = RNG.integers(0, 3, 400)


def pack(trees: list[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    packer = Packer()
    content = pack_trees(trees, packer)
    return content, packer.get_arrays()


def fit_trees(model: Any, y: Any, **options: Any) -> list[Any]:
    return [each.tree_ for each in model.fit(X, y, **options).estimators_]


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("cls", [ExtraTreesClassifier, RandomForestClassifier])
def test_counts_give_equal_nodes(cls: type[Any], criterion: str) -> None:
    trees = fit_trees(cls(n_estimators=5, random_state=0, criterion=criterion), CLASSES)
    content, arrays = pack(trees)
    assert content["values"][0] in {"|u1", "<i2"}
    assert len(arrays["<f8"]) == 2 * sum(tree.node_count for tree in trees)
    for tree, restored in zip(trees, unpack_trees(content, ArrayUnpacker(arrays)), strict=True):
        before, after = tree.__getstate__(), restored.__getstate__()
        assert before["values"].tobytes() == after["values"].tobytes()
        for name in before["nodes"].dtype.names:
            assert before["nodes"][name].tobytes() == after["nodes"][name].tobytes()


@pytest.mark.parametrize(
    "trees",
    [
        fit_trees(RandomForestRegressor(n_estimators=3, random_state=0), X[:, 0]),
        fit_trees(
            ExtraTreesClassifier(n_estimators=3, random_state=0),
            CLASSES,
            sample_weight=X[:, 0] ** 2,
        ),
        [DecisionTreeClassifier(class_weight="balanced").fit(X, CLASSES).tree_],
    ],
    ids=["regression", "weights", "balanced"],
)
def test_other_trees_keep_their_values(trees: list[Any]) -> None:
    content, arrays = pack(trees)
    assert content["values"][0] == "<f8"
    for tree, restored in zip(trees, unpack_trees(content, ArrayUnpacker(arrays)), strict=True):
        assert tree.value.tobytes() == restored.value.tobytes()


def test_shares_of_earlier_documents_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    trees = fit_trees(RandomForestClassifier(n_estimators=3, random_state=0), CLASSES)
    monkeypatch.setattr(forms, "_find_class_counts", lambda values, weights: None)
    content, arrays = pack(trees)
    assert content["values"][0] == "<f8"
    for tree, restored in zip(trees, unpack_trees(content, ArrayUnpacker(arrays)), strict=True):
        assert tree.value.tobytes() == restored.value.tobytes()


@pytest.mark.parametrize("weight", [0, -1])
def test_counts_of_impossible_weights_are_rejected(weight: int) -> None:
    trees = fit_trees(RandomForestClassifier(n_estimators=3, random_state=0), CLASSES)
    content, arrays = pack(trees)
    kind, start, *_ = content["nodes"]["weighted_n_node_samples"]
    arrays[kind][start] = weight
    with pytest.raises(SerializationError):
        unpack_trees(content, ArrayUnpacker(arrays))
    content["nodes"]["weighted_n_node_samples"][2] = [1]
    with pytest.raises(SerializationError):
        unpack_trees(content, ArrayUnpacker(arrays))
