"""What some classes are kept as beside, or instead of, their attributes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from studio.errors import KeepingError
from studio.keeping.boosters import booster_of, text_of
from studio.keeping.level_trees import pack_booster, unpack_booster
from studio.keeping.packing import InnerReading, Writing
from studio.keeping.trees import pack_trees, unpack_trees

_OF_TRAINING = frozenset({"_random_state", "_rng", "_optimizer", "_evals_result", "_best_score"})
"""Attributes that nothing but a training reads."""

_METRICS = ("euclidean", "manhattan", "minkowski", "chebyshev")
_OF_EACH_TREE = ("tree_", "random_state")
_TREES = (
    "DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeClassifier", "ExtraTreeRegressor"
)  # fmt: skip


@dataclass(frozen=True)
class WrittenForm:
    """Plain JSON that a form makes of something which is no value."""

    content: Any


def serialize(model: Any, writer: Writing) -> dict[str, Any]:
    """Return the attributes that are kept of a fitted model, forms in the place of some."""
    state = {name: each for name, each in vars(model).items() if name not in _OF_TRAINING}
    apart = _FORMS.get(type(model).__name__)
    return state if apart is None else apart[0](state, writer)


def deserialize(kind: type[Any], state: dict[str, Any], reader: InnerReading) -> dict[str, Any]:
    """Return a model's attributes, with forms replaced by what they represent."""
    together = _FORMS.get(kind.__name__)
    if together is not None:
        state = together[1](kind, state, reader)
    if any(isinstance(each, WrittenForm) for each in state.values()):
        raise KeepingError("A kept model has a form where none belongs.")
    return state


# ---- trees, and forests of trees that have nearly all attributes in common


def are_trees(values: Sequence[Any]) -> bool:
    """Say whether all are fitted decision trees of one class."""
    return (
        len(values) > 0
        and all(hasattr(each, "tree_") for each in values)
        and len({type(each) for each in values}) == 1
    )


def write_trees(trees: Sequence[Any], writer: Writing) -> dict[str, Any]:
    """Return the plain form of fitted trees: common attributes once, nodes in a row."""
    first = trees[0]
    common = {name: each for name, each in vars(first).items() if name not in _OF_EACH_TREE}
    for tree in trees:
        if not _alike(vars(tree), common):
            raise KeepingError("The trees of a forest differ in more than is kept.")
    template = object.__new__(type(first))
    template.__dict__.update(common)
    return {
        "like": writer.value(template),
        "nodes": pack_trees([tree.tree_ for tree in trees], writer.packer),
        "seeds": [_seed(tree.random_state) for tree in trees],
    }


def read_trees(given: Mapping[str, Any], reader: InnerReading) -> list[Any]:
    """Return fitted trees."""
    template = reader.value(given["like"])
    if type(template).__name__ not in _TREES:
        raise KeepingError("A kept forest is damaged.")
    trees = unpack_trees(given["nodes"], reader.unpacker)
    common = vars(template)
    made = []
    for tree, seed in zip(trees, given["seeds"], strict=True):
        if common["n_features_in_"] != tree.n_features:
            raise KeepingError("A kept forest is damaged.")
        each = object.__new__(type(template))
        each.__dict__.update(common, tree_=tree, random_state=_seed(seed))
        made.append(each)
    return made


def _alike(found: Mapping[str, Any], common: Mapping[str, Any]) -> bool:
    names = set(found) - set(_OF_EACH_TREE)
    return names == set(common) and all(
        np.array_equal(found[name], each) if isinstance(each, np.ndarray) else found[name] == each
        for name, each in common.items()
    )


def _seed(given: Any) -> int | None:
    """Return a whole number as it is; what else a training drew from is over."""
    return int(given) if type(given) is int or isinstance(given, np.integer) else None


def _tree_apart(state: dict[str, Any], writer: Writing) -> dict[str, Any]:
    if "tree_" in state:
        state["tree_"] = WrittenForm(pack_trees([state["tree_"]], writer.packer))
    return state


def _tree_together(kind: Any, state: dict[str, Any], reader: InnerReading) -> dict[str, Any]:
    if "tree_" in state:
        (state["tree_"],) = unpack_trees(state["tree_"].content, reader.unpacker)
    return state


# ---- gradient boosting: a grid of trees, and a loss that follows from the settings


def _boosting_apart(state: dict[str, Any], writer: Writing) -> dict[str, Any]:
    state.pop("_loss", None)
    if "estimators_" in state:
        grid = state["estimators_"]
        trees = write_trees(grid.reshape(-1).tolist(), writer)
        state["estimators_"] = WrittenForm([list(grid.shape), trees])
    return state


def _boosting_together(kind: Any, state: dict[str, Any], reader: InnerReading) -> dict[str, Any]:
    if "estimators_" in state:
        shape, trees = state["estimators_"].content
        grid = np.empty(len(trees["seeds"]), dtype=object)
        grid[:] = read_trees(trees, reader)
        state["estimators_"] = grid.reshape(tuple(shape))
        model = object.__new__(kind)
        model.__dict__.update(state)
        state["_loss"] = model._get_loss(sample_weight=None)
    return state


# ---- neighbours: the search tree grows again from the same rows


def _neighbours_apart(state: dict[str, Any], writer: Writing) -> dict[str, Any]:
    del writer
    state.pop("_tree", None)
    return state


def _neighbours_together(kind: Any, state: dict[str, Any], reader: InnerReading) -> dict[str, Any]:
    from sklearn.neighbors import BallTree, KDTree

    del kind, reader
    method = state.get("_fit_method")
    if method is None:
        return state
    state["_tree"] = None
    if state["effective_metric_"] not in _METRICS or not isinstance(state["leaf_size"], int):
        raise KeepingError("Kept neighbours have an unknown distance.")
    if method in {"kd_tree", "ball_tree"}:
        state["_tree"] = (KDTree if method == "kd_tree" else BallTree)(
            state["_fit_X"],
            state["leaf_size"],
            metric=state["effective_metric_"],
            **state["effective_metric_params_"],
        )
    return state


# ---- LightGBM: its own text


def _light_gbm_apart(state: dict[str, Any], writer: Writing) -> dict[str, Any]:
    if state.get("_Booster") is not None:
        text = np.frombuffer(text_of(state["_Booster"]).encode("ascii"), dtype=np.uint8)
        state["_Booster"] = WrittenForm(writer.packer.add(text))
    return state


def _light_gbm_together(kind: Any, state: dict[str, Any], reader: InnerReading) -> dict[str, Any]:
    del kind
    if state.get("_Booster") is not None:
        text = reader.unpacker.array(state["_Booster"].content).tobytes().decode("ascii")
        state["_Booster"] = booster_of(text, state["_n_features"])
    return {**state, "_evals_result": {}, "_best_score": {}}


# ---- XGBoost: arrays, from which its JSON is rewritten


def _xgboost_apart(state: dict[str, Any], writer: Writing) -> dict[str, Any]:
    return {**state, "_Booster": WrittenForm(pack_booster(state["_Booster"], writer.packer))}


def _xgboost_together(kind: Any, state: dict[str, Any], reader: InnerReading) -> dict[str, Any]:
    del kind
    return {**state, "_Booster": unpack_booster(state["_Booster"].content, reader.unpacker)}


_Apart = Callable[[dict[str, Any], Writing], dict[str, Any]]
_Together = Callable[[Any, dict[str, Any], InnerReading], dict[str, Any]]

# ---- mean targets: how rows were divided, a parameter by which a clone is trained alike


def _target_means_apart(state: dict[str, Any], writer: Writing) -> dict[str, Any]:
    del writer
    deal = state["cv"]
    if isinstance(deal, int):
        return state
    seed = None if deal.random_state is None else int(deal.random_state)
    return {**state, "cv": WrittenForm([type(deal).__name__, deal.n_splits, deal.shuffle, seed])}


def _target_means_together(
    kind: Any, state: dict[str, Any], reader: InnerReading
) -> dict[str, Any]:
    from sklearn.model_selection import KFold, StratifiedKFold

    del kind, reader
    if not isinstance(state["cv"], WrittenForm):
        return state
    name, folds, shuffle, seed = state["cv"].content
    deals = {"KFold": KFold, "StratifiedKFold": StratifiedKFold}
    if name not in deals:
        raise KeepingError("Kept mean targets were divided in an unknown way.")
    return {**state, "cv": deals[name](folds, shuffle=shuffle, random_state=seed)}


_FORMS: Mapping[str, tuple[_Apart, _Together]] = {
    **dict.fromkeys(_TREES, (_tree_apart, _tree_together)),
    **dict.fromkeys(
        ("GradientBoostingClassifier", "GradientBoostingRegressor"),
        (_boosting_apart, _boosting_together),
    ),
    **dict.fromkeys(
        ("KNeighborsClassifier", "KNeighborsRegressor"),
        (_neighbours_apart, _neighbours_together),
    ),
    **dict.fromkeys(("LGBMClassifier", "LGBMRegressor"), (_light_gbm_apart, _light_gbm_together)),
    **dict.fromkeys(("XGBClassifier", "XGBRegressor"), (_xgboost_apart, _xgboost_together)),
    "TargetEncoder": (_target_means_apart, _target_means_together),
}  # fmt: skip
