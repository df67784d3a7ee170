"""Decision trees as arrays of their nodes, whole forests in a row, checked on the way back.

scikit-learn's trees walk their nodes without looking: a child or a column out of range would read
foreign memory. Here every child comes after its parent and inside its own tree, and every column is
one that the tree has, so that each walk ends at a leaf.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from studio.arrays import AnyArray, Integers
from studio.errors import KeepingError
from studio.keeping.packing import ArrayUnpacker, Packer

_LEAF = -1
_COLUMNS = {
    "left_child": np.int64,
    "right_child": np.int64,
    "feature": np.int64,
    "threshold": np.float64,
    "impurity": np.float64,
    "n_node_samples": np.int64,
    "weighted_n_node_samples": np.float64,
    "missing_go_to_left": np.uint8,
}
"""The fields of scikit-learn's nodes."""


def pack_trees(trees: Sequence[Any], packer: Packer) -> dict[str, Any]:
    """Put the trees' arrays away; return plain JSON that finds them again.

    Args:
        trees: All with the same columns, outputs and classes.

    Raises:
        KeepingError: If they differ in that, or have other fields than this version knows.
    """
    states = [tree.__getstate__() for tree in trees]
    first = trees[0]
    same = {(tree.n_features, tree.n_outputs, tuple(tree.n_classes.tolist())) for tree in trees}
    nodes = np.concatenate([state["nodes"] for state in states])
    if len(same) != 1 or set(nodes.dtype.names or ()) != set(_COLUMNS):
        raise KeepingError("These trees are of a kind that is not kept.")
    columns = {name: packer.add(_narrow(nodes[name])) for name in _COLUMNS}
    return {
        "n_features": int(first.n_features),
        "n_classes": first.n_classes.tolist(),
        "counts": packer.add(_narrow(np.array([state["node_count"] for state in states]))),
        "depths": packer.add(_narrow(np.array([state["max_depth"] for state in states]))),
        "values": packer.add(np.concatenate([state["values"] for state in states])),
        "nodes": columns,
    }


def unpack_trees(given: dict[str, Any], unpacker: ArrayUnpacker) -> list[Any]:
    """Return the trees.

    Raises:
        KeepingError: If a node leads nowhere, or anything else is not as in a tree.
    """
    from sklearn.tree._tree import NODE_DTYPE, Tree

    n_features, n_classes = given["n_features"], given["n_classes"]
    if type(n_features) is not int or not all(type(each) is int for each in n_classes):
        raise _no_tree()
    counts, depths, values = (
        unpacker.array(given[name]) for name in ("counts", "depths", "values")
    )
    columns = {name: unpacker.array(given["nodes"][name]) for name in _COLUMNS}
    _check(columns, counts, depths, values, n_features, n_classes)
    nodes = np.zeros(len(values), dtype=NODE_DTYPE)
    for name, kind in _COLUMNS.items():
        nodes[name] = columns[name].astype(kind, copy=False)
    classes = np.array(n_classes, dtype=np.intp)
    made = []
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
        made.append(tree)
        start += count
    return made


def _check(  # noqa: PLR0917 - the parts of one record
    columns: dict[str, AnyArray],
    counts: AnyArray,
    depths: AnyArray,
    values: AnyArray,
    n_features: int,
    n_classes: Sequence[int],
) -> None:
    whole = [
        counts,
        depths,
        *(columns[n] for n, kind in _COLUMNS.items() if kind is not np.float64),
    ]
    n_nodes = len(values)
    right_kind = all(each.ndim == 1 and each.dtype.kind in "iu" for each in whole) and all(
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
        raise _no_tree()
    starts = np.repeat(np.cumsum(counts, dtype=np.int64) - counts, counts)
    own: Integers = np.arange(n_nodes) - starts
    ends = np.repeat(counts.astype(np.int64), counts)
    left, right = (columns[n].astype(np.int64) for n in ("left_child", "right_child"))
    inner = left != _LEAF
    if not np.array_equal(inner, right != _LEAF):
        raise _no_tree()
    for child in (left, right):
        if ((child[inner] <= own[inner]) | (child[inner] >= ends[inner])).any():
            raise _no_tree()
    feature = columns["feature"][inner]
    if feature.size and not 0 <= feature.min() <= feature.max() < n_features:
        raise _no_tree()


def _narrow(array: AnyArray) -> AnyArray:
    """Return whole numbers, any shape, in the narrowest type that holds them; others as given."""
    if array.dtype.kind not in "iu" or not array.size:
        return np.ascontiguousarray(array)
    low, high = int(array.min()), int(array.max())
    for kind in (np.uint8, np.int16, np.int32):
        if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
            return array.astype(kind)
    return array.astype(np.int64)


def _no_tree() -> KeepingError:
    return KeepingError("A kept decision tree is damaged.")
