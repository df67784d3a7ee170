"""LightGBM models in LightGBM's text format, checked before LightGBM parses it.

LightGBM does not validate its input: a child or column index out of range would read foreign
memory, a wrong size would read past the end, and a letter among a tree's numbers aborts the
process. Therefore every line must have LightGBM's format, every list the length required by its
tree, and every index must be in range.
"""

import re
import warnings
from collections.abc import Mapping, Sequence
from itertools import accumulate, compress, pairwise
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
_SPLIT_STATISTICS = frozenset(("split_gain", "internal_value", "internal_weight", "internal_count"))
_LEAF_STATISTICS = frozenset(("leaf_weight", "leaf_count"))
_USED_LINES = tuple(name for name in _LINES if name not in _SPLIT_STATISTICS | _LEAF_STATISTICS)
"""The lines on which predictions depend: all without the statistics of training."""


def _compile_block(names: Sequence[str]) -> re.Pattern[bytes]:
    """Return the pattern of a tree, with a group for each line of these names."""
    lines = (
        f"(?:{name}={'(' if name in names else '(?:'}[0-9e.+ infa-]*)\n)"
        + ("?" if name.startswith("cat") else "")
        for name in _LINES
    )
    return re.compile("".join(lines).encode("ascii") + rb"\n\n?")


_BLOCK, _USED_BLOCK = _compile_block(_LINES), _compile_block(_USED_LINES)
_USED_TREE = "".join(f"{name}=%b\n" for name in _USED_LINES).encode("ascii") + b"\n\n"
_SUMS = re.compile(r"\nnum_class=1\n(.*\n)*objective=(regression|quantile( alpha:\S+)?)\n")
"""The head of models whose predictions are the sums of their trees."""
_MODEL_HEAD = re.compile(
    r"tree\nversion=v4\nnum_class=\d{1,7}\nnum_tree_per_iteration=\d{1,7}\nlabel_index=\d{1,7}\n"
    r"max_feature_idx=\d{1,7}\nobjective=[a-z0-9_:.+ -]+\nfeature_names=[!-~ ]+\n"
    r"feature_infos=[!-~ ]+\ntree_sizes=(\d{1,9}( \d{1,9})*)?\n\n"
)
_CONSTRAINTS = re.compile(r"^monotone_constraints=[-0-9 ]+\n", re.MULTILINE)
_END = "end of trees"


# The grammar of numbers: -?d+(.d+)?(e[+-]d+)?, with a space or the end of the line after it. Each
# character has two sets of groups as bits: those that may follow it, and those to which it belongs.
_DIGITS, _MINUS, _MARKS, _PLUS = 1, 2, 4, 8
_GROUPS = {
    b"0123456789": (_DIGITS | _MARKS, _DIGITS),
    b"-": (_DIGITS, _MINUS),
    b"+": (_DIGITS, _PLUS),
    b".": (_DIGITS, _MARKS),
    b"e": (_MINUS | _PLUS, _MARKS),
    b" \n": (_DIGITS | _MINUS, _MARKS),
}
_CHARACTERS = bytes(
    sum(followers << 4 | own for each, (followers, own) in _GROUPS.items() if code in each)
    for code in range(256)
)
_REPEATS = (b"..", b"ee", b"e.")
"""A number has at most one point, and at most one exponent after it."""
_UNUSUAL = re.compile(rb"(?<![^ \n])(?:-?inf|-?nan)(?![^ \n])")
_MAX_LEAVES = 1 << 20


def dump_booster(booster: Any) -> str:
    """Return a booster's trees in LightGBM's format, or raise SerializationError."""
    text: str = booster.model_to_string(num_iteration=-1)
    trees, end, _ = text.partition(_END)
    header, first, rest = trees.partition("Tree=0\n")
    header = _CONSTRAINTS.sub("", header, count=1)
    # All trees of a model have one format; the reader checks each.
    if not _MODEL_HEAD.fullmatch(header) or (
        rest and not _BLOCK.fullmatch((first + rest.partition("Tree=1\n")[0]).encode())
    ):
        raise SerializationError("A LightGBM model of this kind cannot be stored.")
    _check_head(header, booster.num_feature())
    return f"{header}{first}{rest}{end}\n"


def load_booster(text: bytes, n_features: int, *, only_to_predict: bool = False) -> Any:
    """Load a booster for ``n_features`` columns from text, or raise SerializationError.

    Args:
        only_to_predict: Whether to load only what predictions need, without statistics of training.
    """
    from lightgbm import Booster

    header, fields = check_booster(text, n_features, _USED_LINES if only_to_predict else _LINES)
    if not only_to_predict or not fields:
        return Booster(model_str=text.decode("ascii"))
    trees = [_USED_TREE % tree for tree in zip(*fields.values(), strict=True)]
    sizes = " ".join(str(len(tree)) for tree in trees)
    used_head = f"{header.partition('tree_sizes=')[0]}tree_sizes={sizes}\n\n"
    used_text = f"{used_head}{b''.join(trees).decode('ascii')}{_END}\n"
    if not _SUMS.search(header):
        return Booster(model_str=used_text)
    from studio.serialization.tree_blocks import BlockwiseBooster

    leaves = _parse_integers(b" ".join(fields["num_leaves"]))
    values = np.fromstring(b" ".join(fields["leaf_value"]), dtype=np.float64, sep=" ")
    return BlockwiseBooster(used_text, values, leaves)


def check_booster(
    text: bytes, n_features: int, names: Sequence[str] = _LINES
) -> tuple[str, dict[str, Sequence[bytes]]]:
    """Check the format of LightGBM's text and all its indices, or raise SerializationError.

    Args:
        names: The lines whose values are checked.

    Returns:
        The head, and the checked lines of all trees by name; none without trees.
    """
    if not text.isascii() or not text.endswith(f"{_END}\n".encode()) or b"\0" in text:
        raise _make_model_error()
    end = len(text) - len(f"{_END}\n")
    header = text[: text.find(b"\nTree=0\n", 0, end) + 1 or end].decode("ascii")
    per_round, sizes = _check_head(header, n_features)
    bounds = list(accumulate(sizes, initial=len(header)))
    is_valid_head = _MODEL_HEAD.fullmatch(header) and _END not in header
    if bounds[-1] != end or len(sizes) % per_round or not is_valid_head:
        raise _make_model_error()
    pattern = _BLOCK if names is _LINES else _USED_BLOCK
    blocks = [pattern.fullmatch(text, a, b) for a, b in pairwise(bounds)]
    trees = [block.groups(b"") for block in blocks if block is not None]
    if len(trees) != len(blocks):
        raise _make_model_error()
    if not trees:
        return header, {}
    fields: dict[str, Sequence[bytes]] = dict(zip(names, zip(*trees, strict=True), strict=True))
    _check_trees(fields, n_features)
    return header, fields


def _check_head(header: str, n_features: int) -> tuple[int, list[int]]:
    """Return the trees per round, and the sizes of all trees in bytes."""
    first, _, rest = header.partition("\n")
    fields = _parse_fields(rest)
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
        raise _make_model_error()
    return n_classes, list(map(int, fields["tree_sizes"].split()))


def _parse_fields(block: str) -> dict[str, str]:
    """Parse the lines ``name=value`` of a block with unique names."""
    pairs = [line.partition("=") for line in block.split("\n") if line]
    fields = {name: value for name, equals, value in pairs if equals}
    if len(fields) != len(pairs):
        raise _make_model_error()
    return fields


def _check_trees(fields: Mapping[str, Sequence[bytes]], n_features: int) -> None:
    """Check the lines of all trees (t > 0) by name."""
    n_trees = len(fields["Tree"])
    if list(fields["Tree"]) != [b"%d" % index for index in range(n_trees)]:
        raise _make_model_error()
    ones = np.ones(n_trees, dtype=np.int64)
    leaves = _parse_field(fields["num_leaves"], ones)
    categorical = _parse_field(fields["num_cat"], ones)
    linear = _parse_field(fields["is_linear"], ones)
    _check_numbers(fields["shrinkage"], ones)
    if linear.any() or leaves.min() < 1 or leaves.max() > _MAX_LEAVES or categorical.min() < 0:
        raise _make_model_error()
    splits = leaves - 1
    for name in ("threshold", *sorted(_SPLIT_STATISTICS & fields.keys())):
        _check_numbers(fields[name], splits)
    _check_numbers(fields["leaf_value"], leaves)
    has_splits = leaves > 1
    for name in sorted(_LEAF_STATISTICS & fields.keys()):  # missing in a tree with a single leaf
        _check_numbers(list(compress(fields[name], has_splits)), leaves[has_splits])
    feature = _parse_field(fields["split_feature"], splits)
    kinds = _parse_field(fields["decision_type"], splits)
    if feature.size and not 0 <= feature.min() <= feature.max() < n_features:
        raise _make_model_error()
    if kinds.size and not 0 <= kinds.min() <= kinds.max() < 16:
        raise _make_model_error()
    starts = np.repeat(np.cumsum(splits) - splits, splits)
    node_index = np.arange(starts.size) - starts
    n_splits = np.repeat(splits, splits)
    for name in ("left_child", "right_child"):
        child = _parse_field(fields[name], splits)
        is_inner = child >= 0
        # Nodes are numbered in the order of splits, so a child follows its parent.
        if (child[is_inner] <= node_index[is_inner]).any() or (
            child[is_inner] >= n_splits[is_inner]
        ).any():
            raise _make_model_error()
        if (~child[~is_inner] > n_splits[~is_inner]).any():
            raise _make_model_error()
    if (kinds & 1).any() or categorical.any():
        for count, *lines in zip(
            categorical.tolist(), *(fields[name] for name in _CATEGORY_LINES), strict=True
        ):
            _check_categories(count, *lines)


_CATEGORY_LINES = ("decision_type", "threshold", "cat_boundaries", "cat_threshold")


def _check_categories(
    count: int, decision_types: bytes, thresholds: bytes, boundaries: bytes, bit_words: bytes
) -> None:
    """Check a tree's category sets: bit sets in words, delimited by bounds."""
    kinds = _parse_integers(decision_types)
    sets = np.array(thresholds.split(), dtype=np.float64)[(kinds & 1) == 1]
    if not count:
        if sets.size:
            raise _make_model_error()
        return
    bounds, words = _parse_integers(boundaries), _parse_integers(bit_words)
    if (
        len(bounds) != count + 1
        or bounds[0] != 0
        or (np.diff(bounds) < 0).any()
        or bounds[-1] != len(words)
        or (words.size and not 0 <= words.min() <= words.max() < 1 << 32)
        or (sets != np.floor(sets)).any()
        or (sets.size and not 0 <= sets.min() <= sets.max() < count)
    ):
        raise _make_model_error()


def _parse_integers(text: bytes) -> Integers:
    return np.array(list(map(int, text.split())), dtype=np.int64)


def _parse_field(lines: Sequence[bytes], lengths: Integers) -> Integers:
    """Return a field of all trees, lengths (t,), as one array, shape (lengths.sum(),)."""
    text = _check_numbers(lines, lengths)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # numpy only warns about an invalid number and stops parsing
        values: Integers = np.fromstring(text, dtype=np.int64, sep=" ")
    if values.size != int(lengths.sum()):
        raise _make_model_error()
    return values


def _check_numbers(lines: Sequence[bytes], lengths: Integers) -> bytes:
    """Return a field of trees with lengths (t,) in one line, without parsing its numbers."""
    non_empty = [line for line in lines if line]
    if len(non_empty) < len(lines) and [bool(line) for line in lines] != (lengths > 0).tolist():
        raise _make_model_error()
    if not non_empty:  # no tree has a split
        return b""
    joined = b"\n".join(non_empty)
    if b"n" in joined:
        joined = _UNUSUAL.sub(b"0", joined)
    text = b"\n%b\n" % joined
    characters = np.frombuffer(text.translate(_CHARACTERS), dtype=np.uint8)
    marks = text.translate(None, b"0123456789+-")
    if not (characters[:-1] >> 4 & characters[1:]).all() or any(map(marks.__contains__, _REPEATS)):
        raise _make_model_error()
    ends = np.flatnonzero(np.frombuffer(marks.translate(None, b".e"), dtype=np.uint8) == ord("\n"))
    if not np.array_equal(np.diff(ends), lengths[lengths > 0]):
        raise _make_model_error()
    return joined.replace(b"\n", b" ")


def _make_model_error() -> SerializationError:
    return SerializationError("A stored LightGBM model is damaged.")
