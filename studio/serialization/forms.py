"""Special serialised forms of some classes, in addition to or instead of attributes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.errors import SerializationError
from studio.serialization.boosters import dump_booster, load_booster
from studio.serialization.level_trees import (
    ArrayUnpacker,
    Packer,
    ValueReader,
    ValueWriter,
    pack_booster,
    unpack_booster,
)

_LEAF = -1
_MAX_COUNT = 1 << 31
_WEIGHT = "weighted_n_node_samples"
_COLUMNS = {
    "left_child": np.int64,
    "right_child": np.int64,
    "feature": np.int64,
    "threshold": np.float64,
    "impurity": np.float64,
    "n_node_samples": np.int64,
    _WEIGHT: np.float64,
    "missing_go_to_left": np.uint8,
}
"""The fields of scikit-learn's nodes."""


def pack_trees(trees: Sequence[Any], packer: Packer) -> dict[str, Any]:
    """Pack the trees' arrays; return plain JSON that refers to them.

    Args:
        trees: All with the same columns, outputs and classes.

    Raises:
        SerializationError: If these differ, or if a tree has unknown fields.
    """
    states = [tree.__getstate__() for tree in trees]
    first = trees[0]
    kinds = {(tree.n_features, tree.n_outputs, tuple(tree.n_classes.tolist())) for tree in trees}
    nodes = np.concatenate([state["nodes"] for state in states])
    if len(kinds) != 1 or set(nodes.dtype.names or ()) != set(_COLUMNS):
        raise SerializationError("Trees of this kind cannot be stored.")
    columns = {name: nodes[name] for name in _COLUMNS}
    values = np.concatenate([state["values"] for state in states])
    counts = _find_class_counts(values, columns[_WEIGHT])
    if counts is not None:
        values = counts
        columns[_WEIGHT] = columns[_WEIGHT].astype(np.int64)
    return {
        "n_features": int(first.n_features),
        "n_classes": first.n_classes.tolist(),
        "counts": packer.add(_narrow_integers(np.array([state["node_count"] for state in states]))),
        "depths": packer.add(_narrow_integers(np.array([state["max_depth"] for state in states]))),
        "values": packer.add(_narrow_integers(values)),
        "nodes": {name: packer.add(_narrow_integers(each)) for name, each in columns.items()},
    }


def _find_class_counts(values: Floats, weights: Floats) -> Integers | None:
    """Return the nodes' class counts, shape of values, if their shares are equal to the last bit.

    Args:
        values: Class shares, or means of a target, shape (nodes, outputs, C).
        weights: Sums of weights, shape (nodes,).
    """
    if not (np.array_equal(np.trunc(weights), weights) and weights.max() < _MAX_COUNT):
        return None
    counts = np.rint(values * weights[:, None, None])
    if not (np.abs(counts) <= weights[:, None, None]).all():
        return None
    is_equal = (counts / weights[:, None, None]).tobytes() == values.tobytes()
    return counts.astype(np.int64) if is_equal else None


def unpack_trees(content: dict[str, Any], unpacker: ArrayUnpacker) -> list[Any]:
    """Deserialise the trees; raise SerializationError for invalid nodes."""
    from sklearn.tree._tree import NODE_DTYPE, Tree

    n_features, n_classes = content["n_features"], content["n_classes"]
    if type(n_features) is not int or not all(type(each) is int for each in n_classes):
        raise _make_tree_error()
    counts, depths, values = (
        unpacker.get_view(content[name]) for name in ("counts", "depths", "values")
    )
    columns = {name: unpacker.get_view(content["nodes"][name]) for name in _COLUMNS}
    if values.dtype.kind in "iu":
        weights = columns[_WEIGHT]
        if weights.shape != values.shape[:1] or not (weights > 0).all():
            raise _make_tree_error()
        weights = columns[_WEIGHT] = weights.astype(np.float64)
        values = values / weights[:, None, None]
    _check(columns, counts, depths, values, n_features, n_classes)
    nodes = np.zeros(len(values), dtype=NODE_DTYPE)
    for name in _COLUMNS:
        nodes[name] = columns[name]
    classes = np.array(n_classes, dtype=np.intp)
    trees = []
    start = 0
    for count, depth in zip(counts.tolist(), depths.tolist(), strict=True):
        tree = Tree(n_features, classes, len(n_classes))
        part = slice(start, start + count)
        tree.__setstate__(
            {
                "max_depth": depth,
                "node_count": count,
                "nodes": nodes[part],
                "values": np.ascontiguousarray(values[part]),
            }
        )
        trees.append(tree)
        start += count
    return trees


def _check(  # noqa: PLR0917 - the parts of one record
    columns: dict[str, AnyArray],
    counts: AnyArray,
    depths: AnyArray,
    values: AnyArray,
    n_features: int,
    n_classes: Sequence[int],
) -> None:
    integer_columns = [
        counts,
        depths,
        *(columns[n] for n, kind in _COLUMNS.items() if kind is not np.float64),
    ]
    n_nodes = len(values)
    right_kind = all(
        each.ndim == 1 and each.dtype.kind in "iu" for each in integer_columns
    ) and all(
        columns[n].dtype == kind and columns[n].ndim == 1
        for n, kind in _COLUMNS.items()
        if kind is np.float64
    )
    if (
        not right_kind
        or values.dtype != np.float64
        or values.shape[1:] != (len(n_classes), max(n_classes, default=0))
        or any(len(each) != n_nodes for each in columns.values())
        or len(counts) != len(depths)
        or not len(counts)
        or counts.min() < 1
        or depths.min() < 0
        or int(counts.sum(dtype=np.int64)) != n_nodes
    ):
        raise _make_tree_error()
    starts = np.repeat(np.cumsum(counts, dtype=np.int64) - counts, counts)
    node_index: Integers = np.arange(n_nodes) - starts
    ends = np.repeat(counts.astype(np.int64), counts)
    left, right = (columns[n].astype(np.int64) for n in ("left_child", "right_child"))
    is_inner = left != _LEAF
    if not np.array_equal(is_inner, right != _LEAF):
        raise _make_tree_error()
    for child in (left, right):
        if ((child[is_inner] <= node_index[is_inner]) | (child[is_inner] >= ends[is_inner])).any():
            raise _make_tree_error()
    feature = columns["feature"][is_inner]
    if feature.size and not 0 <= feature.min() <= feature.max() < n_features:
        raise _make_tree_error()


def _narrow_integers(array: AnyArray) -> AnyArray:
    """Return integers, any shape, in the narrowest type; others unchanged."""
    if array.dtype.kind not in "iu" or not array.size:
        return np.ascontiguousarray(array)
    low, high = int(array.min()), int(array.max())
    for kind in (np.uint8, np.int16, np.int32):
        if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
            return array.astype(kind)
    return array.astype(np.int64)


def _make_tree_error() -> SerializationError:
    return SerializationError("A stored decision tree is damaged.")


_TRAINING_ATTRIBUTES = frozenset(
    {"_random_state", "_rng", "_optimizer", "_evals_result", "_best_score"}
)
"""Attributes used only in training."""

_METRICS = ("euclidean", "manhattan", "minkowski", "chebyshev")
_TREE_ATTRIBUTES = ("tree_", "random_state")
_TREES = (
    "DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeClassifier", "ExtraTreeRegressor"
)  # fmt: skip


@dataclass(frozen=True)
class SerializedForm:
    """Plain JSON of a value without a generic form."""

    content: Any


def serialize(model: Any, writer: ValueWriter) -> dict[str, Any]:
    """Return the attributes of a fitted model to be stored, some in special forms."""
    state = {name: each for name, each in vars(model).items() if name not in _TRAINING_ATTRIBUTES}
    form = _FORMS.get(type(model).__name__)
    return state if form is None else form[0](state, writer)


def deserialize(cls: type[Any], state: dict[str, Any], reader: ValueReader) -> dict[str, Any]:
    """Return a model's attributes, with special forms resolved."""
    form = _FORMS.get(cls.__name__)
    if form is not None:
        state = form[1](cls, state, reader)
    if any(isinstance(each, SerializedForm) for each in state.values()):
        raise SerializationError("A stored model has a form where none is expected.")
    return state


# ---- trees, and forests of trees with mostly equal attributes


def are_trees(values: Sequence[Any]) -> bool:
    """Return whether all are fitted decision trees of one class."""
    return (
        len(values) > 0
        and all(hasattr(each, "tree_") for each in values)
        and len({type(each) for each in values}) == 1
    )


def write_trees(trees: Sequence[Any], writer: ValueWriter) -> dict[str, Any]:
    """Serialise fitted trees: common attributes once, nodes concatenated."""
    first = trees[0]
    common = {name: each for name, each in vars(first).items() if name not in _TREE_ATTRIBUTES}
    for tree in trees:
        if not _have_equal_constants(vars(tree), common):
            raise SerializationError(
                "The trees of a forest differ in attributes that are not stored."
            )
    template = object.__new__(type(first))
    template.__dict__.update(common)
    return {
        "like": writer.write_value(template),
        "nodes": pack_trees([tree.tree_ for tree in trees], writer.packer),
        "seeds": [_get_integer_seed(tree.random_state) for tree in trees],
    }


def read_trees(content: Mapping[str, Any], reader: ValueReader) -> list[Any]:
    """Deserialise fitted trees."""
    template = reader.read_value(content["like"])
    if type(template).__name__ not in _TREES:
        raise SerializationError("A stored forest is damaged.")
    trees = unpack_trees(content["nodes"], reader.unpacker)
    common = vars(template)
    restored_trees = []
    for tree, seed in zip(trees, content["seeds"], strict=True):
        if common["n_features_in_"] != tree.n_features:
            raise SerializationError("A stored forest is damaged.")
        restored_tree = object.__new__(type(template))
        restored_tree.__dict__.update(common, tree_=tree, random_state=_get_integer_seed(seed))
        restored_trees.append(restored_tree)
    return restored_trees


def _have_equal_constants(attributes: Mapping[str, Any], common: Mapping[str, Any]) -> bool:
    names = set(attributes) - set(_TREE_ATTRIBUTES)
    return names == set(common) and all(
        np.array_equal(attributes[name], each)
        if isinstance(each, np.ndarray)
        else attributes[name] == each
        for name, each in common.items()
    )


def _get_integer_seed(seed: Any) -> int | None:
    """Return an integer seed unchanged; other random states are dropped."""
    return int(seed) if type(seed) is int or isinstance(seed, np.integer) else None


def _pack_tree(state: dict[str, Any], writer: ValueWriter) -> dict[str, Any]:
    if "tree_" in state:
        state["tree_"] = SerializedForm(pack_trees([state["tree_"]], writer.packer))
    return state


def _unpack_tree(cls: Any, state: dict[str, Any], reader: ValueReader) -> dict[str, Any]:
    if "tree_" in state:
        (state["tree_"],) = unpack_trees(state["tree_"].content, reader.unpacker)
    return state


# ---- gradient boosting: a grid of trees, and a loss derived from the settings


def _pack_boosting(state: dict[str, Any], writer: ValueWriter) -> dict[str, Any]:
    state.pop("_loss", None)
    if "estimators_" in state:
        grid = state["estimators_"]
        trees = write_trees(grid.reshape(-1).tolist(), writer)
        state["estimators_"] = SerializedForm([list(grid.shape), trees])
    return state


def _unpack_boosting(cls: Any, state: dict[str, Any], reader: ValueReader) -> dict[str, Any]:
    if "estimators_" in state:
        shape, trees = state["estimators_"].content
        grid = np.empty(len(trees["seeds"]), dtype=object)
        grid[:] = read_trees(trees, reader)
        state["estimators_"] = grid.reshape(tuple(shape))
        model = object.__new__(cls)
        model.__dict__.update(state)
        state["_loss"] = model._get_loss(sample_weight=None)
    return state


# ---- neighbours: the search tree is rebuilt from the same rows


def _pack_neighbours(state: dict[str, Any], writer: ValueWriter) -> dict[str, Any]:
    del writer
    state.pop("_tree", None)
    return state


def _unpack_neighbours(cls: Any, state: dict[str, Any], reader: ValueReader) -> dict[str, Any]:
    from sklearn.neighbors import BallTree, KDTree

    del cls, reader
    method = state.get("_fit_method")
    if method is None:
        return state
    state["_tree"] = None
    if state["effective_metric_"] not in _METRICS or not isinstance(state["leaf_size"], int):
        raise SerializationError("A stored nearest-neighbour model has an unknown distance.")
    if method in {"kd_tree", "ball_tree"}:
        state["_tree"] = (KDTree if method == "kd_tree" else BallTree)(
            state["_fit_X"],
            state["leaf_size"],
            metric=state["effective_metric_"],
            **state["effective_metric_params_"],
        )
    return state


# ---- LightGBM: its own text format


def _pack_light_gbm(state: dict[str, Any], writer: ValueWriter) -> dict[str, Any]:
    if state.get("_Booster") is not None:
        text = np.frombuffer(dump_booster(state["_Booster"]).encode("ascii"), dtype=np.uint8)
        state["_Booster"] = SerializedForm(writer.packer.add(text))
    return state


def _unpack_light_gbm(cls: Any, state: dict[str, Any], reader: ValueReader) -> dict[str, Any]:
    del cls
    if state.get("_Booster") is not None:
        text = reader.unpacker.get_view(state["_Booster"].content).tobytes()
        state["_Booster"] = load_booster(
            text, state["_n_features"], only_to_predict=reader.only_to_predict
        )
    return {**state, "_evals_result": {}, "_best_score": {}}


# ---- XGBoost: arrays, converted to its JSON


def _pack_xgboost(state: dict[str, Any], writer: ValueWriter) -> dict[str, Any]:
    return {**state, "_Booster": SerializedForm(pack_booster(state["_Booster"], writer.packer))}


def _unpack_xgboost(cls: Any, state: dict[str, Any], reader: ValueReader) -> dict[str, Any]:
    del cls
    return {**state, "_Booster": unpack_booster(state["_Booster"].content, reader.unpacker)}


_Serializer = Callable[[dict[str, Any], ValueWriter], dict[str, Any]]
_Deserializer = Callable[[Any, dict[str, Any], ValueReader], dict[str, Any]]

# ---- target encoding: the folds, a parameter of clones


def _pack_target_means(state: dict[str, Any], writer: ValueWriter) -> dict[str, Any]:
    del writer
    splitter = state["cv"]
    if isinstance(splitter, int):
        return state
    seed = None if splitter.random_state is None else int(splitter.random_state)
    return {
        **state,
        "cv": SerializedForm([type(splitter).__name__, splitter.n_splits, splitter.shuffle, seed]),
    }


def _unpack_target_means(cls: Any, state: dict[str, Any], reader: ValueReader) -> dict[str, Any]:
    from sklearn.model_selection import KFold, StratifiedKFold

    del cls, reader
    if not isinstance(state["cv"], SerializedForm):
        return state
    name, folds, shuffle, seed = state["cv"].content
    splitters = {"KFold": KFold, "StratifiedKFold": StratifiedKFold}
    if name not in splitters:
        raise SerializationError("The folds of a stored target encoding are unknown.")
    return {**state, "cv": splitters[name](folds, shuffle=shuffle, random_state=seed)}


_FORMS: Mapping[str, tuple[_Serializer, _Deserializer]] = {
    **dict.fromkeys(_TREES, (_pack_tree, _unpack_tree)),
    **dict.fromkeys(
        ("GradientBoostingClassifier", "GradientBoostingRegressor"),
        (_pack_boosting, _unpack_boosting),
    ),
    **dict.fromkeys(
        ("KNeighborsClassifier", "KNeighborsRegressor"),
        (_pack_neighbours, _unpack_neighbours),
    ),
    **dict.fromkeys(("LGBMClassifier", "LGBMRegressor"), (_pack_light_gbm, _unpack_light_gbm)),
    **dict.fromkeys(("XGBClassifier", "XGBRegressor"), (_pack_xgboost, _unpack_xgboost)),
    "TargetEncoder": (_pack_target_means, _unpack_target_means),
}  # fmt: skip
