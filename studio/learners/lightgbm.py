"""LightGBM with a fixed number of rounds, or with early stopping on held-out rows."""

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.learners.base import CLASSIFICATION, REGRESSION, Learner
from studio.learners.domains import (
    NOT_NEGATIVE,
    SHARE,
    Domain,
    Flag,
    IntegerInterval,
    LowerBoundedInteger,
    Positive,
    RealInterval,
    StringOptions,
    Text,
    make_settings,
)
from studio.learners.facts import TableFacts
from studio.learners.library import (
    COLUMNS,
    DEVICE,
    EACH_COLUMN,
    FILES,
    REPRODUCIBLE,
    ROUNDS,
    SEED,
    SET_BY_LIMITS,
    SET_BY_LOGGING,
    SET_BY_TASK,
    THREADS,
    LibrarySettings,
    read_documentation,
)
from studio.learners.values import LearnerValues
from studio.learners.watched_rounds import (
    DEFAULT_ROUNDS,
    BoostedLearner,
    EarlyStopper,
    RoundsTraining,
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
         "auc_mu_weights", "sigmoid", "reg_sqrt"), SET_BY_TASK,
    ),
    **dict.fromkeys(
        ("early_stopping_round", "early_stopping_min_delta", "first_metric_only"), SET_BY_LIMITS,
    ),
    **dict.fromkeys(("metric_freq", "is_provide_training_metric"), SET_BY_LOGGING),
    **dict.fromkeys(
        ("device_type", "gpu_platform_id", "gpu_device_id", "gpu_device_id_list", "gpu_use_dp",
         "num_gpu"), DEVICE,
    ),
    **dict.fromkeys(("deterministic", "force_row_wise", "force_col_wise"), REPRODUCIBLE),
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
"""Reasons by the main name in LightGBM's list of parameters."""

_DART, _GOSS = ("boosting_type", "dart"), ("data_sample_strategy", "goss")
_REQUIRED_SETTINGS: Mapping[str, tuple[str, Value]] = {
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

_CHOICES = {
    "data_sample_strategy": ("bagging", "goss"),
    "monotone_constraints_method": ("basic", "intermediate", "advanced"),
}

_BOUND_ERROR = re.compile(r"Check failed: \(\w+\) (<=|>=|<|>) \(([-+.\de]+)\)")
_HUGE_VALUE = 10**9


@dataclass(frozen=True)
class _LightGbm(LibrarySettings):
    """``LGBMClassifier`` and ``LGBMRegressor``, which pass on all of LightGBM's parameters."""

    def explain_control(self, name: str) -> str:
        """Return why the program controls a setting, by any of its aliases."""
        # The window reads spaces without loading libraries.
        names = (name, *self.list_aliases(name)) if "lightgbm" in sys.modules else (name,)
        return next(
            (reason for each in names if (reason := super(_LightGbm, self).explain_control(each))),
            "",
        )

    def list_names(self, estimator: Any) -> tuple[str, ...]:
        """Return the parameters of the estimator, and all others of LightGBM."""
        params = estimator.get_params()
        remaining = [
            first
            for first, alias_names in _get_alias_groups().items()
            if params.keys().isdisjoint((first, *alias_names))
        ]
        return (*params, *remaining)

    def list_aliases(self, name: str) -> tuple[str, ...]:
        first = _get_main_names().get(name, name)
        all_names = dict.fromkeys((first, *_get_alias_groups().get(first, ())))
        return tuple(each for each in all_names if each != name)

    def get_domain(self, name: str, estimator: Any) -> Domain:
        """Return the type and the bounds enforced by LightGBM's parser."""
        first = _get_main_names().get(name)
        if first is None:  # not a parameter of LightGBM itself
            return super().get_domain(name, estimator)
        message = _get_parser_error(first, "x")
        if "of type int" in message:
            return IntegerInterval(*_find_bounds(first))
        if '"true"' in message:
            return Flag()
        if "Unknown token" in message:
            return RealInterval(*_find_bounds(first))
        choices = self.documented_choices.get(first, ())
        if message and not choices:
            # Words at the beginning of the lines of its documentation.
            _, description = read_documentation(estimator).get(name, ("", ""))
            choices = tuple(re.findall(r"'(\w+)',", description))
        return StringOptions(*choices) if choices else Text()

    def format_error(self, error: Exception) -> str:
        """Return LightGBM's error message in one line, without its source location."""
        return re.sub(r" at /\S+, line \d+ ?\.?$", ".", super().format_error(error))

    def find_unmet_requirements(self, owner: str, estimator: Any) -> str:
        """Return that a random forest needs a subsample of rows or columns per tree."""
        params = estimator.get_params()
        rows = params["subsample"] < 1.0 and params["subsample_freq"] > 0
        if params["boosting_type"] != "rf" or rows or params["colsample_bytree"] < 1.0:
            return ""
        return phrase(
            "LightGBM's random forest trains each tree on a sample of the rows or columns. Set "
            "{owner}.subsample or {owner}.colsample_bytree below 1 where boosting_type is rf.",
            owner=owner,
        )

    def silence(self) -> AbstractContextManager[object]:
        return _silence_library()

    def get_defaults(self, estimator: Any) -> Mapping[str, Value | None]:
        """Return the estimator's defaults, and LightGBM's from a saved model."""
        estimator_defaults = super().get_defaults(estimator)
        library_defaults: dict[str, Value] = {}
        for name, text in _read_model_parameters().items():
            if self.explain_control(name):  # a huge number of classes would use memory
                continue
            domain = self.get_domain(name, estimator)
            if domain.accepts(text) and text:
                library_defaults[name] = text
            elif isinstance(domain, Flag):
                library_defaults[name] = text == "1"
            elif isinstance(domain, RealInterval) and text:
                library_defaults[name] = int(text) if domain.is_integer else float(text)
        return {**library_defaults, **estimator_defaults}


@cache
def _get_alias_groups() -> Mapping[str, tuple[str, ...]]:
    from lightgbm.basic import _ConfigAliases

    _ConfigAliases.get("seed")
    return {
        name: tuple(sorted(alias_names))
        for name, alias_names in (_ConfigAliases.aliases or {}).items()
    }


@cache
def _get_main_names() -> Mapping[str, str]:
    return {
        each: first
        for first, alias_names in _get_alias_groups().items()
        for each in (first, *alias_names)
    }


@cache
def _get_parser_error(name: str, value: str) -> str:
    """Return LightGBM's parser error about a value, without training."""
    from lightgbm.basic import _LIB  # type: ignore[attr-defined]

    with _silence_library():
        config = f"verbosity=-1 {name}={value}".encode()
        if not _LIB.LGBM_DatasetUpdateParamChecking(config, b""):
            return ""
        return str(_LIB.LGBM_GetLastError().decode())


@cache
def _find_bounds(name: str) -> tuple[float, float, bool, bool]:
    low = _BOUND_ERROR.search(_get_parser_error(name, str(-_HUGE_VALUE)))
    high = _BOUND_ERROR.search(_get_parser_error(name, str(_HUGE_VALUE)))
    return (
        float("-inf") if low is None else float(low[2]),
        float("inf") if high is None else float(high[2]),
        low is not None and low[1] == ">",
        high is not None and high[1] == "<",
    )


@cache
def _read_model_parameters() -> Mapping[str, str]:
    import lightgbm

    with _silence_library():
        rows = lightgbm.Dataset(np.arange(8.0)[:, None], np.arange(8.0))
        text = lightgbm.train({"verbosity": -1, "num_threads": 1}, rows, 1).model_to_string()
    return dict(re.findall(r"^\[(\w+): (.*)\]$", text, re.MULTILINE))


@contextmanager
def _silence_library() -> Iterator[None]:
    """Silence LightGBM: errors are expected and returned."""
    try:
        stderr_copy = os.dup(2)
    except OSError:  # programs without a console have no standard output
        yield
        return
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, 2)
    os.close(devnull)
    try:
        yield
    finally:
        os.dup2(stderr_copy, 2)
        os.close(stderr_copy)


# Unsupported: linear leaves, and zeros treated as missing.
_UNBOUND = frozenset(("linear_tree", "zero_as_missing"))

_REPLACEMENTS: Mapping[tuple[str, Value], tuple[str, Value]] = {("boosting_type", "goss"): _GOSS}

LIGHT_GBM = _LightGbm("LightGBM", _OWNED, _REQUIRED_SETTINGS, _CHOICES, _UNBOUND, _REPLACEMENTS)
WATCHED_LIGHT_GBM = _LightGbm(
    "LightGBM",
    {**_OWNED, **dict.fromkeys(("boosting", "boosting_type"), ROUNDS)},
    {name: only for name, only in _REQUIRED_SETTINGS.items() if only != _DART},
    _CHOICES,
    _UNBOUND,
)
"""Rounds of a training with early stopping."""

MAX_DELTA_STEP = 8.0
"""Maximum output of a leaf before the learning rate.

A leaf's output is its mean gradient over the mean of p (1 - p): for rows of a class predicted with
probability 0.001 it is 1000, from which boosting does not recover (docs/studies/large-tables.md).
Initial leaves of classes with more than an eighth of the rows stay below 8.
"""


@dataclass(frozen=True)
class LightGbm(Learner):
    """LightGBM on the log loss."""

    key = "lightgbm"
    title = "LightGBM"
    noun = "LightGBM"
    colour_index = 0
    summary = (
        "Gradient boosting that sorts every column into bins first, and so grows large trees "
        "fast. Strong on medium-sized and large tables; on very small ones it may find nothing "
        "to split."
    )
    reference = "Ke et al. 2017; DivBO A.3"
    tasks = CLASSIFICATION
    library = LIGHT_GBM
    monotone = True
    hyperparameters = make_settings(
        n_estimators=LowerBoundedInteger(),
        num_leaves=LowerBoundedInteger(2),
        learning_rate=Positive(),
        min_child_samples=LowerBoundedInteger(0),
        min_child_weight=NOT_NEGATIVE,
        max_depth=LowerBoundedInteger(),
        subsample=SHARE,
        colsample_bytree=SHARE,
        reg_alpha=NOT_NEGATIVE,
        reg_lambda=NOT_NEGATIVE,
    )
    needs_scaling = False

    def make_estimator(self, values: LearnerValues, facts: TableFacts) -> Any:
        from lightgbm import LGBMClassifier, LGBMRegressor

        make = LGBMRegressor if facts.task == "regression" else LGBMClassifier
        return make(
            **values.read(n_estimators=100, min_child_weight=1e-3, max_depth=-1),
            **_make_options(values, facts, 0.1),
            **facts.make_constraint("monotone_constraints"),
        )


def _make_options(
    values: LearnerValues, facts: TableFacts, learning_rate: float, **further: Any
) -> dict[str, Any]:
    # LightGBM rejects a subsample without rows.
    subsample = values.get_number("subsample", 1.0, low=min(1.0, 2.0 / facts.n_rows))
    return {
        **values.read(learning_rate=learning_rate, num_leaves=31, min_child_samples=20),
        "subsample": subsample,
        # Without a frequency LightGBM ignores the share.
        "subsample_freq": int(subsample < 1.0),
        **values.read(colsample_bytree=1.0, reg_alpha=0.0, reg_lambda=0.0),
        **further,
        "n_jobs": 1,
        "random_state": facts.seed,
        "deterministic": True,
        "force_row_wise": True,
        "verbosity": -1,
    }


@dataclass(frozen=True)
class LightGbmRegressor(LightGbm):
    """LightGBM on the squared loss."""

    key = "lightgbm-regressor"
    title = "LightGBM (regression)"
    reference = "Ke et al. 2017"
    tasks = REGRESSION
    prediction_type = "values"


@dataclass(frozen=True)
class BoostedTrees(BoostedLearner):
    """LightGBM on the log loss, with early stopping."""

    key = "boosted-trees"
    title = "Boosted trees"
    noun = "boosted trees"
    colour_index = 0
    summary = (
        "Grows small trees one after the other, each on what those before got wrong, and stops "
        "when predictions of held-out rows no longer improve. Strong on most tables of 500 rows "
        "or more."
    )
    reference = "Ke et al. 2017 (LightGBM)"
    tasks = CLASSIFICATION
    library = WATCHED_LIGHT_GBM
    library_names = MappingProxyType({"n_estimators": "rounds"})
    hyperparameters = make_settings(
        rounds=LowerBoundedInteger(),
        learning_rate=Positive(),
        num_leaves=LowerBoundedInteger(2),
        min_child_samples=LowerBoundedInteger(),
        subsample=SHARE,
        colsample_bytree=SHARE,
        reg_alpha=NOT_NEGATIVE,
        reg_lambda=NOT_NEGATIVE,
        extra_trees=Flag(),
        cat_smooth=NOT_NEGATIVE,
        cat_l2=NOT_NEGATIVE,
        max_cat_to_onehot=LowerBoundedInteger(),
    )

    def make_estimator(self, values: LearnerValues, facts: TableFacts) -> Any:
        return BoostedTreesTraining(
            _make_options(
                values,
                facts,
                0.05,
                **values.read(extra_trees=False, cat_smooth=10.0, cat_l2=10.0, max_cat_to_onehot=4),
            )
            | _make_objective(facts)
            | facts.make_constraint("monotone_constraints"),
            **values.read(rounds=None),
            is_classification=facts.task != "regression",
            categories=range(facts.n_columns - facts.n_codes, facts.n_columns),
        )


def _make_objective(facts: TableFacts) -> dict[str, Any]:
    """Return LightGBM's loss, the default one except for quantiles, and the maximum leaf output."""
    if facts.task != "regression":
        return {"max_delta_step": MAX_DELTA_STEP}
    return {} if facts.level is None else {"objective": "quantile", "alpha": facts.level}


@dataclass(frozen=True)
class BoostedTreesRegressor(BoostedTrees):
    """LightGBM on the squared or pinball loss, with early stopping."""

    key = "boosted-trees-regressor"
    title = "Boosted trees (regression)"
    tasks = REGRESSION
    prediction_type = "values"


class BoostedTreesTraining(RoundsTraining):
    """Trains an ``LGBMClassifier`` or ``LGBMRegressor``.

    Args:
        options, rounds, is_classification: See
            :class:`~studio.learners.watched_rounds.RoundsTraining`.
        categories: Columns of codes, which LightGBM splits as categories.
    """

    def __init__(
        self,
        options: Mapping[str, Any],
        *,
        rounds: int | None,
        is_classification: bool,
        categories: Sequence[int] = (),
    ) -> None:
        super().__init__(options, rounds=rounds, is_classification=is_classification)
        self.categories = list(categories)

    def train(self, X: Floats, y: AnyArray, sample_weight: Floats | None) -> Any:
        model = super().train(X, y, sample_weight)
        if self.categories:
            # A clone copies only the parameters, and is then trained identically.
            model.set_params(categorical_feature=self.categories)
        return model

    def train_rounds(
        self,
        X: Floats,
        y: AnyArray,
        sample_weight: Floats | None,
        rounds: int,
        stopper: EarlyStopper | None = None,
    ) -> Any:
        from lightgbm import Booster

        model = self._make_estimator(rounds)
        codes: Any = self.categories or "auto"
        if stopper is None:
            model.fit(X, y, sample_weight=sample_weight, categorical_feature=codes)
            return model
        watched = stopper.validation_data
        model.fit(
            X,
            y,
            sample_weight=sample_weight,
            eval_X=(watched.X,),
            eval_y=(watched.y,),
            eval_sample_weight=None if watched.weights is None else [watched.weights],
            categorical_feature=codes,
            callbacks=[_StopByClock(stopper)],
        )
        # The returned model has no trees after the best round.
        trees = model.booster_.model_to_string(num_iteration=stopper.rounds)
        model._Booster = Booster(model_str=trees)
        model._best_iteration = 0
        model.set_params(n_estimators=stopper.rounds)
        return model

    def make_library_estimator(self) -> Any:
        return self._make_estimator(DEFAULT_ROUNDS)

    def _make_estimator(self, rounds: int) -> Any:
        from lightgbm import LGBMClassifier, LGBMRegressor

        make = LGBMClassifier if self.is_classification else LGBMRegressor
        return make(**self.options, n_estimators=rounds)


class _StopByClock:
    order = 30
    before_iteration = False

    def __init__(self, stopper: EarlyStopper) -> None:
        self._stopper = stopper

    def __call__(self, state: Any) -> None:
        """Report the validation loss to the stopper after a round."""
        from lightgbm.callback import EarlyStopException

        loss = state.evaluation_result_list[0][2]
        if self._stopper.is_over(state.iteration + 1, loss, state.model.predict):
            raise EarlyStopException(self._stopper.rounds - 1, state.evaluation_result_list)
