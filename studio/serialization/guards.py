"""Checks of values that compiled code of fitted models uses without validation.

Models that only multiply matrices need no guard, as numpy checks shapes. Trees, LightGBM and
XGBoost models are checked on reading.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from studio.errors import SerializationError

_FIXED_SETTINGS = {"n_jobs": (None, 1), "memory": (None,)}
"""Required values of settings that could make a model start processes or write files."""

_MAX_PRODUCTS = 50_000
_MAX_DEGREE = 5
_MAX_COLUMNS = 10_000_000
_KERNELS = ("linear", "poly", "rbf", "sigmoid")

LIGHT_GBM = frozenset(
    ("boosting_type", "objective", "num_leaves", "max_depth", "learning_rate", "n_estimators",
     "subsample_for_bin", "min_split_gain", "min_child_weight", "min_child_samples", "subsample",
     "subsample_freq", "colsample_bytree", "reg_alpha", "reg_lambda", "random_state", "n_jobs",
     "importance_type", "class_weight", "verbosity", "deterministic", "force_row_wise",
     "force_col_wise", "extra_trees", "cat_smooth", "cat_l2", "max_cat_to_onehot", "max_bin",
     "min_data_in_bin", "path_smooth", "feature_fraction_bynode", "colsample_bynode",
     "categorical_feature", "max_cat_threshold", "min_data_per_group", "alpha",
     "bagging_by_query", "boost_from_average",
     "cegb_penalty_split", "cegb_tradeoff", "data_sample_strategy", "drop_rate", "enable_bundle",
     "feature_pre_filter", "histogram_pool_size", "is_enable_sparse", "is_unbalance",
     "linear_lambda", "linear_tree", "max_delta_step", "max_drop", "monotone_constraints",
     "monotone_constraints_method",
     "monotone_penalty", "neg_bagging_fraction", "num_grad_quant_bins", "other_rate",
     "pos_bagging_fraction", "quant_train_renew_leaf", "scale_pos_weight", "skip_drop",
     "stochastic_rounding", "top_k", "top_rate", "uniform_drop", "use_missing",
     "use_quantized_grad", "xgboost_dart_mode", "zero_as_missing")
)  # fmt: skip
"""Allowed LightGBM settings of a stored model: those used in training only."""

_LIGHT_GBM_WORDS = frozenset(
    ("gbdt", "dart", "rf", "bagging", "goss", "basic", "intermediate", "advanced", "balanced")
)


def check(model: Any) -> None:
    """Reject models that could start processes, write files or read foreign memory."""
    state = vars(model)
    for name, allowed in _FIXED_SETTINGS.items():
        if state.get(name) not in allowed:
            raise SerializationError(
                "A model with {name}={value!r:.40} cannot be stored.", name=name, value=state[name]
            )
    guard = _GUARDS.get(type(model).__name__)
    if guard is not None and not guard(state):
        raise SerializationError("A stored {model} is damaged.", model=type(model).__name__)


def _is_valid_forest(state: Mapping[str, Any]) -> bool:
    """Return whether all trees have the forest's number of columns; trees do not check it."""
    trees = state.get("estimators_", [])
    return all(
        _is_tree(tree) and tree.tree_.n_features == state["n_features_in_"] for tree in trees
    )


def _is_tree(model: Any) -> bool:
    return hasattr(model, "tree_")


def _is_valid_tree(state: Mapping[str, Any]) -> bool:
    return "tree_" not in state or state["tree_"].n_features == state["n_features_in_"]


def _is_valid_boosting(state: Mapping[str, Any]) -> bool:
    """Return whether each tree of a round adds to a separate column of the scores."""
    if "estimators_" not in state:
        return True
    grid = state["estimators_"]
    classes = state.get("n_classes_", 1)
    width = 1 if classes <= 2 else classes
    init = state["init_"]
    prior = getattr(init, "class_prior_", None)
    values = getattr(init, "constant_", None)
    return (
        grid.ndim == 2
        and grid.shape[1] == width == state["n_trees_per_iteration_"]
        and all(
            _is_tree(tree)
            and tree.tree_.n_features == state["n_features_in_"]
            and tree.tree_.value.shape[1:] == (1, 1)
            for tree in grid.flat
        )
        and (prior is None or np.shape(prior) == (max(classes, 2),))
        and (values is None or np.size(values) == 1)
        and (prior is not None or values is not None)
    )


def _is_valid_one_hot(state: Mapping[str, Any]) -> bool:
    """Return whether category codes are valid indices, as they are written unchecked."""
    if "categories_" not in state:
        return True
    widths = state["_n_features_outs"]
    infrequent_by_column = (
        state.get("_infrequent_indices") if state["_infrequent_enabled"] else None
    )
    maps = (
        state.get("_default_to_infrequent_mappings") if infrequent_by_column is not None else None
    )
    if state.get("drop_idx_") is not None or len(widths) != len(state["categories_"]):
        return False
    for index, categories in enumerate(state["categories_"]):
        infrequent = None if infrequent_by_column is None else infrequent_by_column[index]
        width = len(categories) - (0 if infrequent is None else len(infrequent) - 1)
        codes = None if maps is None else maps[index]
        if int(widths[index]) != width or (infrequent is None) != (codes is None):
            return False
        if codes is not None and not _are_valid_codes(codes, len(categories), width):
            return False
        if infrequent is not None and not _are_valid_codes(
            infrequent, len(infrequent), len(categories)
        ):
            return False
    return True


def _are_valid_codes(codes: Any, length: int, end: int) -> bool:
    return (
        isinstance(codes, np.ndarray)
        and codes.dtype.kind in "iu"
        and codes.shape == (length,)
        and (not length or 0 <= codes.min() <= codes.max() < end)
    )


def _is_valid_neighbours(state: Mapping[str, Any]) -> bool:
    """Return whether neighbours' class codes are valid, as they are counted unchecked."""
    rows, labels = state.get("_fit_X"), state.get("_y")
    if rows is None:
        return True
    is_consistent = (
        isinstance(rows, np.ndarray)
        and rows.ndim == 2
        and rows.dtype == np.float64
        and rows.flags.c_contiguous
        and rows.shape == (state["n_samples_fit_"], state["n_features_in_"])
        and callable(state["weights"]) is False
        and isinstance(labels, np.ndarray)
        and len(labels) == len(rows)
    )
    if not is_consistent or "classes_" not in state:
        return is_consistent
    return _are_valid_codes(labels, len(rows), len(state["classes_"]))


def _is_valid_machine(state: Mapping[str, Any]) -> bool:
    """Return whether the sizes are consistent, as libsvm does not check them."""
    if "support_vectors_" not in state:
        return True
    vectors, dual, counts = state["support_vectors_"], state["_dual_coef_"], state["_n_support"]
    classes = len(state["classes_"]) if "classes_" in state else 2
    pairs = classes * (classes - 1) // 2
    total = int(counts.sum(dtype=np.int64)) if "classes_" in state else len(vectors)
    return (
        state["kernel"] in _KERNELS
        and state["_sparse"] is False
        and type(state["degree"]) is int
        and vectors.ndim == 2
        and all(each.dtype == np.float64 for each in (vectors, dual, state["_intercept_"]))
        and counts.dtype == np.int32
        and (not counts.size or counts.min() >= 0)
        and (counts.shape == (classes,) or "classes_" not in state)
        and vectors.shape == (total, state["n_features_in_"])
        and dual.shape == ((classes - 1) if "classes_" in state else 1, len(vectors))
        and state["_intercept_"].shape == (pairs,)
        and state["support_"].shape == (len(vectors),)
        and state["support_"].dtype == np.int32
        and not np.size(state["_probA"])
        and not np.size(state["_probB"])
        and state["shape_fit_"][1] == state["n_features_in_"]
    )


def _is_valid_products(state: Mapping[str, Any]) -> bool:
    if "_n_out_full" not in state:
        return True
    if type(state["_max_degree"]) is not int or not 1 <= state["_max_degree"] <= _MAX_DEGREE:
        return False
    from sklearn.preprocessing import PolynomialFeatures

    output_counts = state["_n_out_full"], state["n_output_features_"]
    expected = PolynomialFeatures._num_combinations(
        n_features=state["n_features_in_"],
        min_degree=0,
        max_degree=state["_max_degree"],
        interaction_only=state["interaction_only"],
        include_bias=state["include_bias"],
    )
    return bool(
        output_counts[0] == expected <= _MAX_PRODUCTS and 0 < output_counts[1] <= output_counts[0]
    )


def _is_valid_clusters(state: Mapping[str, Any]) -> bool:
    labels = state.get("labels_")
    return labels is None or _are_valid_codes(labels, state["n_features_in_"], len(labels))


def _is_valid_light_gbm(state: Mapping[str, Any]) -> bool:
    parameters = state["_other_params"]
    return set(parameters) <= LIGHT_GBM and all(
        each is None
        or type(each) in {bool, int, float}
        or (type(each) is str and each in _LIGHT_GBM_WORDS)
        or _are_constraint_signs(name, each)
        or _are_categorical_columns(name, each)
        for name, each in parameters.items()
    )


def _are_categorical_columns(name: str, value: Any) -> bool:
    """Return whether a setting lists categorical columns, used in training only."""
    is_valid = type(value) is list and all(
        type(each) is int and 0 <= each < _MAX_COLUMNS for each in value
    )
    return name == "categorical_feature" and is_valid


def _are_constraint_signs(name: str, value: Any) -> bool:
    """Return whether a setting is a monotonic constraint, used in training only."""
    is_valid = type(value) is tuple and {-1, 0, 1}.issuperset(value)
    return name == "monotone_constraints" and is_valid


def _is_valid_xgboost(state: Mapping[str, Any]) -> bool:
    """Return whether settings are plain values, which training would neither call nor read."""
    return all(
        each is None
        or type(each) in {bool, int, float, str}
        or (name == "base_score" and type(each) is list)
        or _are_constraint_signs(name, each)
        for name, each in state.items()
        if name != "_Booster"
    )


_GUARDS: Mapping[str, Callable[[Mapping[str, Any]], bool]] = {
    **dict.fromkeys(
        ("RandomForestClassifier", "RandomForestRegressor", "ExtraTreesClassifier",
         "ExtraTreesRegressor", "RandomTreesEmbedding"),
        _is_valid_forest,
    ),
    **dict.fromkeys(
        ("DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeClassifier",
         "ExtraTreeRegressor"),
        _is_valid_tree,
    ),
    **dict.fromkeys(
        ("GradientBoostingClassifier", "GradientBoostingRegressor"), _is_valid_boosting
    ),
    **dict.fromkeys(("KNeighborsClassifier", "KNeighborsRegressor"), _is_valid_neighbours),
    **dict.fromkeys(("SVC", "SVR"), _is_valid_machine),
    **dict.fromkeys(("LGBMClassifier", "LGBMRegressor"), _is_valid_light_gbm),
    **dict.fromkeys(("XGBClassifier", "XGBRegressor"), _is_valid_xgboost),
    "OneHotEncoder": _is_valid_one_hot,
    "PolynomialFeatures": _is_valid_products,
    "FeatureAgglomeration": _is_valid_clusters,
}  # fmt: skip
