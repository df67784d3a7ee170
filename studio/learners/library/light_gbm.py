"""LightGBM: names and aliases, types and bounds as its own parser says them."""

import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from studio.learners.domains import Domain, Flag, Span, Text, WholeSpan, Word
from studio.learners.library.base import (
    AIM,
    COLUMNS,
    DEVICE,
    EACH_COLUMN,
    ENDING,
    FILES,
    QUIET,
    ROUNDS,
    SAME,
    SEED,
    THREADS,
    LibrarySettings,
    documentation,
)
from studio.phrases import phrase
from studio.trial import Value

_OWNED = {
    **dict.fromkeys(
        ("seed", "data_random_seed", "feature_fraction_seed", "bagging_seed", "drop_seed",
         "extra_seed", "objective_seed"), SEED,
    ),
    **dict.fromkeys(
        ("objective", "num_class", "metric", "alpha", "fair_c", "poisson_max_delta_step",
         "tweedie_variance_power", "lambdarank_truncation_level", "lambdarank_norm", "label_gain",
         "lambdarank_position_bias_regularization", "eval_at", "multi_error_top_k",
         "auc_mu_weights", "sigmoid", "reg_sqrt"), AIM,
    ),
    **dict.fromkeys(
        ("early_stopping_round", "early_stopping_min_delta", "first_metric_only"), ENDING,
    ),
    **dict.fromkeys(("metric_freq", "is_provide_training_metric"), QUIET),
    **dict.fromkeys(
        ("device_type", "gpu_platform_id", "gpu_device_id", "gpu_device_id_list", "gpu_use_dp",
         "num_gpu"), DEVICE,
    ),
    **dict.fromkeys(("deterministic", "force_row_wise", "force_col_wise"), SAME),
    **dict.fromkeys(
        ("num_threads", "num_machines", "machines", "local_listen_port", "time_out", "tree_learner",
         "pre_partition"), THREADS,
    ),
    **dict.fromkeys(
        ("data", "valid", "input_model", "output_model", "output_result", "config", "task",
         "save_binary", "snapshot_freq", "convert_model", "convert_model_language", "two_round",
         "header", "label_column", "weight_column", "group_column", "ignore_column",
         "saved_feature_importance_type", "precise_float_parser", "machine_list_filename",
         "forcedsplits_filename", "forcedbins_filename", "initscore_filename",
         "parser_config_file", "refit_decay_rate", "start_iteration_predict",
         "num_iteration_predict", "predict_raw_score", "predict_leaf_index", "predict_contrib",
         "predict_disable_shape_check", "pred_early_stop", "pred_early_stop_freq",
         "pred_early_stop_margin", "importance_type"), FILES,
    ),
    "categorical_feature": COLUMNS,
    **dict.fromkeys(
        ("monotone_constraints", "interaction_constraints", "max_bin_by_feature", "feature_contri",
         "cegb_penalty_feature_lazy", "cegb_penalty_feature_coupled"), EACH_COLUMN,
    ),
}  # fmt: skip
"""By the name that comes first in LightGBM's own list of parameters."""

_DART, _GOSS = ("boosting_type", "dart"), ("data_sample_strategy", "goss")
_ONLY: Mapping[str, tuple[str, Value]] = {
    **dict.fromkeys(
        ("drop_rate", "max_drop", "skip_drop", "xgboost_dart_mode", "uniform_drop"), _DART,
    ),
    **dict.fromkeys(("top_rate", "other_rate"), _GOSS),
    "linear_lambda": ("linear_tree", True),
    **dict.fromkeys(
        ("num_grad_quant_bins", "quant_train_renew_leaf", "stochastic_rounding"),
        ("use_quantized_grad", True),
    ),
}  # fmt: skip

_WORDS = {
    "data_sample_strategy": ("bagging", "goss"),
    "monotone_constraints_method": ("basic", "intermediate", "advanced"),
}

_BOUND = re.compile(r"Check failed: \(\w+\) (<=|>=|<|>) \(([-+.\de]+)\)")
_FAR = 10**9


@dataclass(frozen=True)
class _LightGbm(LibrarySettings):
    """``LGBMClassifier`` and ``LGBMRegressor``, which pass on whatever LightGBM has."""

    def refusal(self, name: str) -> str:
        """Return why the program decides a setting, by whichever of its names."""
        names = (name, *self.aliases(name)) if _loaded() else (name,)
        return next((why for each in names if (why := super(_LightGbm, self).refusal(each))), "")

    def names(self, estimator: Any) -> tuple[str, ...]:
        """Return the parameters of the estimator, and all others that LightGBM has."""
        own = estimator.get_params()
        rest = [
            first for first, others in _groups().items() if own.keys().isdisjoint((first, *others))
        ]
        return (*own, *rest)

    def aliases(self, name: str) -> tuple[str, ...]:
        """Return the other names of a parameter, as LightGBM lists them."""
        first = _first_names().get(name, name)
        every = dict.fromkeys((first, *_groups().get(first, ())))
        return tuple(each for each in every if each != name)

    def takes(self, name: str, estimator: Any) -> Domain:
        """Return the type and the bounds on which LightGBM's parser insists."""
        first = _first_names().get(name)
        if first is None:  # of the estimator alone
            return super().takes(name, estimator)
        message = _refused(first, "x")
        if "of type int" in message:
            return WholeSpan(*_bounds(first))
        if '"true"' in message:
            return Flag()
        if "Unknown token" in message:
            return Span(*_bounds(first))
        words = self.words.get(first, ())
        if message and not words:
            words = _quoted(estimator, name)
        return Word(*words) if words else Text()

    def reason(self, error: Exception) -> str:
        """Return in a line why LightGBM refuses, without the place in its own sources."""
        return re.sub(r" at /\S+, line \d+ ?\.?$", ".", super().reason(error))

    def unmet(self, owner: str, estimator: Any) -> str:
        """Return that a random forest needs a part of the rows, or of the columns, for a tree."""
        given = estimator.get_params()
        rows = given["subsample"] < 1.0 and given["subsample_freq"] > 0
        if given["boosting_type"] != "rf" or rows or given["colsample_bytree"] < 1.0:
            return ""
        return phrase(
            "A random forest of LightGBM trains each tree on a part of the rows or columns. Set "
            "{owner}.subsample or {owner}.colsample_bytree below 1 where boosting_type is rf.",
            owner=owner,
        )

    def silently(self) -> AbstractContextManager[object]:
        """Return a context in which LightGBM prints nothing."""
        return _silent()

    def defaults(self, estimator: Any) -> Mapping[str, Value | None]:
        """Return the estimator's own, and LightGBM's as it writes them into a model."""
        own = super().defaults(estimator)
        rest: dict[str, Value] = {}
        for name, text in _written().items():
            if self.refusal(name):  # a huge number of classes would even take memory to parse
                continue
            takes = self.takes(name, estimator)
            if takes.accepts(text) and text:
                rest[name] = text
            elif isinstance(takes, Flag):
                rest[name] = text == "1"
            elif isinstance(takes, Span) and text:
                rest[name] = int(text) if takes.whole else float(text)
        return {**rest, **own}


def _loaded() -> bool:
    """Say whether LightGBM may be asked: the window looks at spaces, too, and loads no library."""
    return "lightgbm" in sys.modules


@cache
def _groups() -> Mapping[str, tuple[str, ...]]:
    """Return the aliases of every parameter by its first name."""
    from lightgbm.basic import _ConfigAliases

    _ConfigAliases.get("seed")
    return {name: tuple(sorted(others)) for name, others in (_ConfigAliases.aliases or {}).items()}


@cache
def _first_names() -> Mapping[str, str]:
    return {each: first for first, others in _groups().items() for each in (first, *others)}


@cache
def _refused(name: str, value: str) -> str:
    """Return what LightGBM's parser says against a value; nothing is trained or allocated."""
    from lightgbm.basic import _LIB  # type: ignore[attr-defined]

    with _silent():
        given = f"verbosity=-1 {name}={value}".encode()
        if not _LIB.LGBM_DatasetUpdateParamChecking(given, b""):
            return ""
        return str(_LIB.LGBM_GetLastError().decode())


@cache
def _bounds(name: str) -> tuple[float, float, bool, bool]:
    """Return the ends of a number, and whether each is left out."""
    low = _BOUND.search(_refused(name, str(-_FAR)))
    high = _BOUND.search(_refused(name, str(_FAR)))
    return (
        float("-inf") if low is None else float(low[2]),
        float("inf") if high is None else float(high[2]),
        low is not None and low[1] == ">",
        high is not None and high[1] == "<",
    )


def _quoted(estimator: Any, name: str) -> tuple[str, ...]:
    """Return the words with which lines on a parameter begin, as LightGBM documents choices."""
    _, about = documentation(estimator).get(name, ("", ""))
    return tuple(re.findall(r"'(\w+)',", about))


@cache
def _written() -> Mapping[str, str]:
    """Return the parameters of a model of one round, by name, as LightGBM writes them."""
    import lightgbm

    with _silent():
        rows = lightgbm.Dataset(np.arange(8.0)[:, None], np.arange(8.0))
        text = lightgbm.train({"verbosity": -1, "num_threads": 1}, rows, 1).model_to_string()
    return dict(re.findall(r"^\[(\w+): (.*)\]$", text, re.MULTILINE))


@contextmanager
def _silent() -> Iterator[None]:
    """Let LightGBM print nothing: refusals are its answers here, and it prints each."""
    try:
        kept = os.dup(2)
    except OSError:  # a program without a console has nothing to print to
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


# Leaves with slopes of their own, and zeros that go where missing values do.
_UNBOUND = frozenset(("linear_tree", "zero_as_missing"))

_INSTEAD: Mapping[tuple[str, Value], tuple[str, Value]] = {("boosting_type", "goss"): _GOSS}

LIGHT_GBM = _LightGbm("LightGBM", _OWNED, _ONLY, _WORDS, _UNBOUND, _INSTEAD)
WATCHED_LIGHT_GBM = _LightGbm(
    "LightGBM",
    {
        **_OWNED,
        **dict.fromkeys(("boosting", "boosting_type"), ROUNDS),
    },
    {name: only for name, only in _ONLY.items() if only != _DART},
    _WORDS,
    _UNBOUND,
)
"""Of a training that ends by the watched rows."""
