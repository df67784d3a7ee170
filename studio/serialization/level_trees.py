"""XGBoost models as arrays, converted to XGBoost's JSON when read.

XGBoost does not validate its files: a child or column index out of range would read foreign memory.
Therefore it never receives text from the document. Trees are stored as arrays with checked indices,
and their JSON is generated here from a few stored numbers and the name of the loss.
"""

import json
import math
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, Protocol

import numpy as np

from studio.arrays import AnyArray, Integers
from studio.errors import SerializationError

TYPES = ("|b1", "|u1", "<i2", "<i4", "<i8", "<f4", "<f8")

_MAX_DIMENSIONS = 4
_MAX_LENGTH = 1 << 40


class Packer:
    """Collects arrays; :meth:`add` returns the reference of each."""

    def __init__(self) -> None:
        self._parts: dict[str, list[AnyArray]] = {}
        self._lengths: dict[str, int] = {}

    def add(self, array: AnyArray) -> list[Any]:
        """Add an array of any shape; return its type, position and shape as plain JSON."""
        kind = array.dtype.newbyteorder("<").str
        if kind not in TYPES:
            raise SerializationError(
                "Arrays of {array} are not supported in stored models.", array=array.dtype
            )
        start = self._lengths.get(kind, 0)
        flat = np.ascontiguousarray(array).reshape(-1)
        self._parts.setdefault(kind, []).append(flat)
        self._lengths[kind] = start + flat.size
        return [kind, start, list(array.shape), bool(array.ndim > 1 and array.flags.f_contiguous)]

    def get_arrays(self) -> dict[str, AnyArray]:
        """Return the concatenated arrays by type, each shape (total,)."""
        return {kind: np.concatenate(parts) for kind, parts in self._parts.items()}


class ArrayUnpacker:
    """Extracts arrays by reference."""

    def __init__(self, arrays: Mapping[str, AnyArray]) -> None:
        for kind, array in arrays.items():
            if kind not in TYPES or array.ndim != 1 or array.dtype != np.dtype(kind):
                raise SerializationError("The arrays of a stored model are damaged.")
        self._arrays = arrays

    def get_array(self, reference: Sequence[Any]) -> AnyArray:
        """Return a copy of a stored array of any shape; raise SerializationError if invalid."""
        view, by_columns = self._find(reference)
        return np.asfortranarray(view) if by_columns else view.copy()

    def get_view(self, reference: Sequence[Any]) -> AnyArray:
        """Return an array, as :meth:`get_array`, in row order and perhaps of shared memory."""
        return self._find(reference)[0]

    def _find(self, reference: Sequence[Any]) -> tuple[AnyArray, bool]:
        kind, start, shape, by_columns = reference
        numbers = [start, *shape]
        if (
            not all(type(each) is int and 0 <= each <= _MAX_LENGTH for each in numbers)
            or len(shape) > _MAX_DIMENSIONS
            or type(by_columns) is not bool
        ):
            raise SerializationError("An array of a stored model has an impossible shape.")
        size = prod(shape)
        if kind not in TYPES:
            raise SerializationError("An array of a stored model has an unknown type.")
        stored_array = self._arrays.get(kind, np.empty(0, dtype=kind))
        if start + size > stored_array.size:
            raise SerializationError("An array of a stored model is longer than the data.")
        return stored_array[start : start + size].reshape(shape), by_columns


class ValueWriter(Protocol):
    """Serialiser of values, for the special forms of classes."""

    packer: Packer

    def write_value(self, value: Any) -> Any:
        """Serialise a value."""


class ValueReader(Protocol):
    """Deserialiser of values, for the special forms of classes."""

    unpacker: ArrayUnpacker
    only_to_predict: bool

    def read_value(self, value: Any) -> Any:
        """Deserialise a value."""


_OBJECTIVES = ("reg:squarederror", "binary:logistic", "multi:softprob")
_INTEGER_FIELDS = ("left_children", "right_children", "split_indices", "default_left")
_FLOAT_FIELDS = ("split_conditions", "base_weights", "loss_changes", "sum_hessian")
_CATEGORY_FIELDS = ("categories", "categories_nodes", "categories_segments", "categories_sizes")
_ROOT, _LEAF, _MAX_CLASSES, _MAX_NODES = 2147483647, -1, 1 << 20, 1 << 20


def pack_booster(booster: Any, packer: Packer) -> dict[str, Any]:
    """Serialise a booster, or raise SerializationError for an unsupported kind."""
    learner = json.loads(booster.save_raw("json"))["learner"]
    model = learner["gradient_booster"].get("model", {})
    trees = model.get("trees", [])
    numbers = learner["learner_model_param"]
    counts = np.array([len(tree["left_children"]) for tree in trees], dtype=np.int64)
    header = {
        "objective": learner["objective"]["name"],
        "classes": int(numbers["num_class"]),
        "features": int(numbers["num_feature"]),
        "base": json.loads(numbers["base_score"]),
    }
    integers = {name: _concatenate(trees, name, np.int32) for name in _INTEGER_FIELDS}
    floats = {name: _concatenate(trees, name, np.float32) for name in _FLOAT_FIELDS}
    if json.loads(_format_model(header, counts, integers, floats))["learner"] != _to_plain(learner):
        raise SerializationError("An XGBoost model of this kind cannot be stored.")
    _check(header, counts, integers, floats)
    columns = {name: packer.add(array) for name, array in {**integers, **floats}.items()}
    return {**header, "counts": packer.add(counts), "columns": columns}


def unpack_booster(header: Mapping[str, Any], unpacker: ArrayUnpacker) -> Any:
    """Deserialise a booster, or raise SerializationError."""
    from xgboost import Booster

    counts = unpacker.get_array(header["counts"])
    columns = header["columns"]
    integers = {name: unpacker.get_array(columns[name]) for name in _INTEGER_FIELDS}
    floats = {name: unpacker.get_array(columns[name]) for name in _FLOAT_FIELDS}
    _check(header, counts, integers, floats)
    booster = Booster({"nthread": 1})
    booster.load_model(bytearray(_format_model(header, counts, integers, floats), "ascii"))
    return booster


def _concatenate(trees: list[dict[str, Any]], name: str, dtype: type[Any]) -> AnyArray:
    return np.array([each for tree in trees for each in tree[name]], dtype=dtype)


def _to_plain(learner: dict[str, Any]) -> dict[str, Any]:
    """Convert XGBoost's JSON, with numbers in our format."""
    learner["learner_model_param"]["base_score"] = _format_base_score(
        json.loads(learner["learner_model_param"]["base_score"])
    )
    for tree in learner["gradient_booster"]["model"]["trees"]:
        for name in _FLOAT_FIELDS:
            tree[name] = np.array(tree[name], dtype=np.float32).tolist()
    return learner


def _format_base_score(score: Any) -> str:
    """Return the initial score, one number or one per class, as text."""
    return json.dumps(np.array(score, dtype=np.float32).astype(np.float64).tolist())


def _format_model(
    header: Mapping[str, Any],
    counts: Integers,
    integers: Mapping[str, AnyArray],
    floats: Mapping[str, AnyArray],
) -> str:
    """Return a model in XGBoost's format, of t trees, counts (t,), with N nodes, (N,) by name."""
    from xgboost import __version__

    per_round = max(1, header["classes"])
    ends = np.cumsum(counts).tolist()
    trees = []
    for index, (end, count) in enumerate(zip(ends, counts.tolist(), strict=True)):
        node_range = slice(end - count, end)
        tree: dict[str, Any] = {
            name: column[node_range].tolist() for name, column in {**integers, **floats}.items()
        }
        tree |= {
            "id": index,
            "parents": _find_parents(tree["left_children"], tree["right_children"]),
            "split_type": [0] * count,
            "tree_param": {
                "num_deleted": "0",
                "num_feature": str(header["features"]),
                "num_nodes": str(count),
                "size_leaf_vector": "1",
            },
            **{name: [] for name in _CATEGORY_FIELDS},
        }
        trees.append(tree)
    objective: dict[str, Any] = {"name": header["objective"]}
    if header["classes"]:
        objective["softmax_multiclass_param"] = {"num_class": str(header["classes"])}
    else:
        objective["reg_loss_param"] = {"scale_pos_weight": "1"}
    learner = {
        "attributes": {},
        "feature_names": [],
        "feature_types": [],
        "gradient_booster": {
            "model": {
                "cats": {"enc": [], "feature_segments": [], "sorted_idx": []},
                "gbtree_model_param": {"num_parallel_tree": "1", "num_trees": str(len(trees))},
                "iteration_indptr": list(range(0, len(trees) + 1, per_round)),
                "tree_info": [tree_index % per_round for tree_index in range(len(trees))],
                "trees": trees,
            },
            "name": "gbtree",
        },
        "learner_model_param": {
            "base_score": _format_base_score(header["base"]),
            "boost_from_average": "1",
            "num_class": str(header["classes"]),
            "num_feature": str(header["features"]),
            "num_target": "1",
        },
        "objective": objective,
    }
    version = [int(part) for part in __version__.split(".")[:3]]
    return json.dumps({"learner": learner, "version": version}, allow_nan=False)


def _find_parents(left: list[int], right: list[int]) -> list[int]:
    parents = [_ROOT] * len(left)
    for node, children in enumerate(zip(left, right, strict=True)):
        for child in children:
            if child != _LEAF:
                parents[child] = node
    return parents


def _check(
    header: Mapping[str, Any],
    counts: Integers,
    integers: Mapping[str, AnyArray],
    floats: Mapping[str, AnyArray],
) -> None:
    """Reject trees with invalid indices or numbers; as for :func:`_format_model`."""
    classes, features, base = header["classes"], header["features"], header["base"]
    scores = base if isinstance(base, list) else [base]
    per_round = max(1, classes) if type(classes) is int else 0
    if (
        header["objective"] not in _OBJECTIVES
        or not 1 <= per_round <= _MAX_CLASSES
        or (classes > 0) != (header["objective"] == "multi:softprob")
        or type(features) is not int
        or not 1 <= features <= _MAX_NODES
        or not all(type(each) in {int, float} and math.isfinite(each) for each in scores)
        or len(scores) not in {1, per_round}
        or counts.dtype.kind not in "iu"
        or counts.ndim != 1
        or not len(counts)
        or len(counts) % per_round
        or not 1 <= counts.min() <= counts.max() <= _MAX_NODES
    ):
        raise _make_model_error()
    total = int(counts.sum(dtype=np.int64))
    if not all(
        a.ndim == 1 and len(a) == total for a in (*integers.values(), *floats.values())
    ) or not (
        all(a.dtype.kind in "iu" for a in integers.values())
        and all(a.dtype == np.float32 and np.isfinite(a).all() for a in floats.values())
    ):
        raise _make_model_error()
    left, right, feature, missing = (integers[name].astype(np.int64) for name in _INTEGER_FIELDS)
    starts = np.repeat(np.cumsum(counts, dtype=np.int64) - counts, counts)
    node_index, n_nodes = np.arange(total) - starts, np.repeat(counts.astype(np.int64), counts)
    inner = left != _LEAF
    children = np.concatenate([(left + starts)[inner], (right + starts)[inner]])
    roots = np.cumsum(counts, dtype=np.int64) - counts
    if (
        not np.array_equal(inner, right != _LEAF)
        or any(
            (child[inner] <= node_index[inner]).any() or (child[inner] >= n_nodes[inner]).any()
            for child in (left, right)
        )
        # Each node except the roots is the child of one other.
        or not np.array_equal(np.sort(np.concatenate([roots, children])), np.arange(total))
        or not 0 <= feature.min() <= feature.max() < features
        or not 0 <= missing.min() <= missing.max() <= 1
    ):
        raise _make_model_error()


def _make_model_error() -> SerializationError:
    return SerializationError("A stored XGBoost model is damaged.")
