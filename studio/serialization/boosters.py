"""LightGBM models in its own text format, checked before LightGBM parses it.

LightGBM believes its text: a child or a column out of range would read foreign memory, a size that
is not that of the text would read past its end, and a letter among the numbers of a tree ends the
whole process. So every line is of the form that LightGBM writes, every list is as long as its tree
needs, and all that is used as an index is in range.
"""

import re
import warnings
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from studio.arrays import Integers
from studio.errors import SerializationError

_HEAD = frozenset(
    ("version", "num_class", "num_tree_per_iteration", "label_index", "max_feature_idx",
     "objective", "feature_names", "feature_infos", "tree_sizes")
)  # fmt: skip
_OBJECTIVE = re.compile(
    r"(binary|multiclass|multiclassova|cross_entropy|regression|regression_l1|huber|fair|quantile"
    r"|poisson|gamma|tweedie|mape)( (sigmoid|num_class|alpha|sqrt)(:[0-9.e+-]+)?)*"
)
_LINES = (
    "Tree", "num_leaves", "num_cat", "split_feature", "split_gain", "threshold", "decision_type",
    "left_child", "right_child", "leaf_value", "leaf_weight", "leaf_count", "internal_value",
    "internal_weight", "internal_count", "cat_boundaries", "cat_threshold", "is_linear",
    "shrinkage",
)  # fmt: skip
_BLOCK = re.compile(
    "".join(
        rf"({name}=[0-9e.+ infa-]*\n)?" if name.startswith("cat") else rf"{name}=[0-9e.+ infa-]*\n"
        for name in _LINES
    )
    + r"\n\n?"
)
_FRONT = re.compile(
    r"tree\nversion=v4\nnum_class=\d{1,7}\nnum_tree_per_iteration=\d{1,7}\nlabel_index=\d{1,7}\n"
    r"max_feature_idx=\d{1,7}\nobjective=[a-z0-9_:.+ -]+\nfeature_names=[!-~ ]+\n"
    r"feature_infos=[!-~ ]+\ntree_sizes=(\d{1,9}( \d{1,9})*)?\n\n"
)
_CONSTRAINTS = re.compile(r"^monotone_constraints=[-0-9 ]+\n", re.MULTILINE)
_TREE = re.compile(r"^Tree=(\d+)$", re.MULTILINE)
_END = "end of trees"
_MAX_LEAVES = 1 << 20


def dump_booster(booster: Any) -> str:
    """Return a booster's trees in LightGBM's format, or raise SerializationError."""
    text: str = booster.model_to_string(num_iteration=-1)
    trees, end, _ = _CONSTRAINTS.sub("", text, count=1).partition(_END)
    head, _, rest = trees.partition("Tree=0\n")
    first = "Tree=0\n" + rest.partition("Tree=1\n")[0]
    # All trees of a model have one format; the reader checks each.
    if not _FRONT.fullmatch(head) or (rest and not _BLOCK.fullmatch(first)):
        raise SerializationError("A LightGBM model of this kind is not kept.")
    _check_head(head, booster.num_feature())
    return f"{trees}{end}\n"


def load_booster(text: str, n_features: int) -> Any:
    """Load a booster for ``n_features`` columns from text, or raise SerializationError."""
    from lightgbm import Booster

    return Booster(model_str=check_booster(text, n_features))


def check_booster(text: str, n_features: int) -> str:
    """Return the text after checking all its indices, or raise SerializationError."""
    if not text.isascii() or not text.endswith(f"{_END}\n") or "\0" in text:
        raise _model_error()
    starts = [found.start() for found in _TREE.finditer(text)]
    head = text[: starts[0] if starts else text.index(_END)]
    per_round, sizes = _check_head(head, n_features)
    bounds = [*starts, text.index(_END)]
    if sizes != np.diff(bounds).tolist() or len(sizes) % per_round:
        raise _model_error()
    blocks = [text[a:b] for a, b in pairwise(bounds)]
    if not _FRONT.fullmatch(head) or not all(map(_BLOCK.fullmatch, blocks)):
        raise _model_error()
    trees = [_fields(block) for block in blocks]
    if [tree.get("Tree") for tree in trees] != [str(k) for k in range(len(trees))]:
        raise _model_error()
    _check_trees(trees, n_features)
    return text


def _check_head(head: str, n_features: int) -> tuple[int, list[int]]:
    """Return the trees per round, and the sizes of all trees in bytes."""
    first, _, rest = head.partition("\n")
    fields = _fields(rest)
    n_classes = int(fields["num_class"])
    objective = fields["objective"]
    match = re.search(r"num_class:(\d+)", objective)
    if (
        first != "tree"
        or set(fields) != _HEAD
        or not 1 <= n_classes <= _MAX_LEAVES
        or int(fields["num_tree_per_iteration"]) != n_classes
        or int(fields["max_feature_idx"]) != n_features - 1
        or len(fields["feature_names"].split(" ")) != n_features
        or len(fields["feature_infos"].split(" ")) != n_features
        or not _OBJECTIVE.fullmatch(objective)
        or (1 if match is None else int(match[1])) != n_classes
    ):
        raise _model_error()
    return n_classes, list(map(int, fields["tree_sizes"].split()))


def _fields(block: str) -> dict[str, str]:
    """Parse the lines ``name=value`` of a block with unique names."""
    pairs = [line.partition("=") for line in block.split("\n") if line]
    fields = {name: value for name, equals, value in pairs if equals}
    if len(fields) != len(pairs):
        raise _model_error()
    return fields


def _check_trees(trees: Sequence[dict[str, str]], n_features: int) -> None:
    one = np.ones(len(trees), dtype=np.int64)
    leaves = _numbers(trees, "num_leaves", one, np.int64)
    if not leaves.size:
        return
    categorical = _numbers(trees, "num_cat", one, np.int64)
    linear = _numbers(trees, "is_linear", one, np.int64)
    _numbers(trees, "shrinkage", one, np.float64)
    if linear.any() or leaves.min() < 1 or leaves.max() > _MAX_LEAVES or categorical.min() < 0:
        raise _model_error()
    splits = leaves - 1
    for name in ("threshold", "split_gain", "internal_value", "internal_weight", "internal_count"):
        _numbers(trees, name, splits, np.float64)
    _numbers(trees, "leaf_value", leaves, np.float64)
    grown = [tree for tree, each in zip(trees, leaves, strict=True) if each > 1]
    for name in ("leaf_weight", "leaf_count"):  # missing in a tree with a single leaf
        _numbers(grown, name, leaves[leaves > 1], np.float64)
    feature = _numbers(trees, "split_feature", splits, np.int64)
    kinds = _numbers(trees, "decision_type", splits, np.int64)
    if feature.size and not 0 <= feature.min() <= feature.max() < n_features:
        raise _model_error()
    if kinds.size and not 0 <= kinds.min() <= kinds.max() < 16:
        raise _model_error()
    starts = np.repeat(np.cumsum(splits) - splits, splits)
    own = np.arange(starts.size) - starts
    most = np.repeat(splits, splits)
    for name in ("left_child", "right_child"):
        child = _numbers(trees, name, splits, np.int64)
        inner = child >= 0
        # Nodes are numbered in the order of splits, so a child follows its parent.
        if (child[inner] <= own[inner]).any() or (child[inner] >= most[inner]).any():
            raise _model_error()
        if (~child[~inner] > most[~inner]).any():
            raise _model_error()
    sets = (kinds & 1).any() or categorical.any()
    for tree, count in zip(trees, categorical.tolist(), strict=True) if sets else ():
        _check_categories(tree, count)


def _check_categories(tree: dict[str, str], count: int) -> None:
    """Check a tree's sets of categories: bits in words, from bound to bound."""
    kinds = _parse_integers(tree["decision_type"])
    sets = np.array(tree["threshold"].split(), dtype=np.float64)[(kinds & 1) == 1]
    if not count:
        if sets.size:
            raise _model_error()
        return
    bounds, words = _parse_integers(tree["cat_boundaries"]), _parse_integers(tree["cat_threshold"])
    if (
        len(bounds) != count + 1
        or bounds[0] != 0
        or (np.diff(bounds) < 0).any()
        or bounds[-1] != len(words)
        or (words.size and not 0 <= words.min() <= words.max() < 1 << 32)
        or (sets != np.floor(sets)).any()
        or (sets.size and not 0 <= sets.min() <= sets.max() < count)
    ):
        raise _model_error()


def _parse_integers(text: str) -> Integers:
    return np.array(text.split(), dtype=np.int64)


def _numbers(
    trees: Sequence[dict[str, str]], name: str, lengths: Integers, kind: type[Any]
) -> "np.ndarray[Any, Any]":
    """Return a field of all trees, lengths (t,), as one array, shape (lengths.sum(),)."""
    lines = [tree[name] for tree in trees]
    if [line.count(" ") + 1 if line else 0 for line in lines] != lengths.tolist():
        raise _model_error()
    together = " ".join(filter(None, lines))
    if "  " in together or together.startswith(" ") or together.endswith(" "):
        raise _model_error()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # numpy only warns about an invalid number, and stops there
        found: np.ndarray[Any, Any] = np.fromstring(together, dtype=kind, sep=" ")
    if found.size != int(lengths.sum()):
        raise _model_error()
    return found


def _model_error() -> SerializationError:
    return SerializationError("A kept LightGBM model is damaged.")
