"""TabICL: a network pretrained on synthetic tables; requires its library and its weights."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.awake_clock import read_awake_seconds
from studio.errors import LateTrialError, LearnerError
from studio.extras import find_cached_weights
from studio.learners.base import CLASSIFICATION, REGRESSION, Learner, LibraryDependency
from studio.learners.domains import LowerBoundedInteger, Positive, StringOptions, make_settings
from studio.learners.facts import TableFacts
from studio.learners.operators.encoders import Encoder, OrdinalEncoding
from studio.learners.self_replacing_steps import SelfReplacingStep
from studio.learners.values import LearnerValues
from studio.phrases import phrase

REPOSITORY = "jingang/TabICL"
"""The authors' repository of the weights, under the library's licence (BSD 3-Clause)."""

MAX_COLUMNS = 100
"""Maximum number of columns after preparation: the weights were trained on 2 to 100."""

MAX_CLASSES = 10
"""Maximum number of classes that the weights distinguish in one pass."""

MAX_CELLS = 100_000
"""Maximum number of cells of the known rows: a pass takes about 7 KB per cell."""

ROWS_PER_PASS = 1000
"""Rows predicted in one pass, in addition to the known rows."""

PROBED_ROWS = 20
"""Rows predicted to measure the time of a pass."""

_CALLS = 3
"""Maximum number of arrays that a trial predicts: validation, test and selection rows."""


class TabIclTraining(SelfReplacingStep):
    """Passes known rows to a ``TabICLClassifier`` or ``TabICLRegressor``; nothing is trained.

    All of its time is spent on predictions, so one pass over a few rows is timed, and the number of
    averaged views of the table is chosen to fit the time limit.

    The library reads the weights from this user's cache as plain tensors; nothing is downloaded. A
    pickle holds the known rows and the name of the weights, which are read from the cache of the
    user who loads it.

    Args:
        views: Maximum number of views of the table, with other orders of columns and classes and
            other scales.
        level: The quantile to predict; ``None`` for the mean.
    """

    def __init__(
        self,
        options: dict[str, Any],
        *,
        rows: int,
        views: int,
        is_classification: bool,
        seed: int,
        level: float | None = None,
    ) -> None:
        self.options, self.rows, self.views = options, rows, views
        self.is_classification, self.seed, self.level = is_classification, seed, level

    def train(self, X: Floats, y: AnyArray, sample_weight: Floats | None) -> Any:
        """Return the estimator of X (n, d), y (n,); raise LateTrialError if time is too short."""
        del sample_weight
        self._import_library()  # takes seconds, but only in the first trial of a worker
        start = read_awake_seconds()
        known_rows = self._select_known_rows(y, max(1, min(self.rows, MAX_CELLS // X.shape[1])))
        X, y = np.asarray(X[known_rows], dtype=np.float64), np.asarray(y)[known_rows]
        views, model = self.views, None
        if self.validation_data.seconds is not None:
            model = self._fit_library_estimator(X, y, 1)
            views = min(views, self._count_affordable_views(model, X, start))
        self.self_tuned_values = {"views": views}
        if model is None or views > 1:
            model = self._fit_library_estimator(X, y, views)
        return self._to_predictor(model)

    @staticmethod
    def _import_library() -> None:
        import tabicl  # noqa: F401

    def _select_known_rows(self, y: AnyArray, max_rows: int) -> Integers:
        """Select at most ``max_rows`` rows, (k,), ascending, with all classes of y, (n,)."""
        if len(y) <= max_rows:
            return np.arange(len(y))
        order = np.random.default_rng(self.seed).permutation(len(y))
        if self.is_classification:
            firsts = np.unique(y[order], return_index=True)[1]
            order = np.concatenate([order[firsts], np.delete(order, firsts)])
        return np.sort(order[: max(2, max_rows)])

    def _count_affordable_views(self, one_view: Any, X: Floats, start: float) -> int:
        """Return the number of views, from 1, that can be predicted in the time.

        Args:
            one_view: The library's estimator with one view.
            X: The known rows, shape (n, d).
            start: When the training began, by :func:`studio.awake_clock.read_awake_seconds`.
        """
        seconds, to_predict = self.validation_data.seconds, self.validation_data.to_predict
        assert seconds is not None, "asked only where time is limited"
        time_before = read_awake_seconds()
        one_view.predict(X[:PROBED_ROWS])
        second_time = read_awake_seconds()
        passes = to_predict // ROWS_PER_PASS + min(_CALLS, to_predict)
        seconds_per_row = (second_time - time_before) / (len(X) + min(PROBED_ROWS, len(X)))
        required_seconds = seconds_per_row * (passes * len(X) + to_predict)
        seconds_left = start + seconds - second_time
        if required_seconds > seconds_left:
            raise LateTrialError(
                "TabICL was stopped before its predictions: they would take about {needed:.1f} s, "
                "and {left:.1f} s of this fold's time were left. Give it fewer rows, or more time.",
                needed=required_seconds,
                left=max(0.0, seconds_left),
            )
        return max(1, int(seconds_left / max(required_seconds, 1e-9)))

    def _fit_library_estimator(self, X: Floats, y: AnyArray, n_views: int) -> Any:
        """Return the library's estimator with the known rows X, (n, d), and y, (n,)."""
        import torch
        from tabicl import TabICLClassifier, TabICLRegressor

        make = TabICLClassifier if self.is_classification else TabICLRegressor
        model = make(
            **self.options,
            n_estimators=n_views,
            batch_size=1,  # a batch of several views would take more memory without saving time
            model_path=None,
            allow_auto_download=False,
            device="cpu",
            n_jobs=1,
            random_state=self.seed,
        )
        with torch.random.fork_rng(devices=[]):  # initialises weights that are then replaced
            return model.fit(X, y)

    def _to_predictor(self, model: Any) -> Any:
        """Return the model, or its quantile as a fitted pipeline of scikit-learn."""
        if self.level is None:
            return model
        from sklearn.linear_model import LinearRegression
        from sklearn.pipeline import Pipeline
        from sklearn.preprocessing import FunctionTransformer

        quantile_options = {"output_type": "quantiles", "alphas": [self.level]}
        identity = LinearRegression()
        identity.coef_, identity.intercept_, identity.n_features_in_ = np.ones(1), 0.0, 1
        quantile = FunctionTransformer(model.predict, kw_args=quantile_options)
        return Pipeline([("quantile", quantile), ("same", identity)])


@dataclass(frozen=True)
class TabIcl(Learner):
    """TabICL: predicts classes of new rows from known ones, in one pass through a trained network.

    At most ``rows`` known rows are used, fewer with many columns.

    Attributes:
        weights: The name of the weights' file in :data:`REPOSITORY`.
    """

    weights: ClassVar[str] = "tabicl-classifier-v2-20260212.ckpt"
    key = "tabicl"
    title = "TabICL"
    noun = "TabICL"
    colour_index = 2
    summary = (
        "Reads the known and the new rows together, using a large network pretrained on millions "
        "of synthetic tables. Needs the library TabICL and its weights on this machine, "
        "including where its pickle is loaded; slow, as it runs on the processor."
    )
    reference = "Qu et al. 2025 (TabICL); Qu et al. 2026 (TabICLv2)"
    tasks = CLASSIFICATION
    supports_sample_weight = False
    needs_scaling = False
    self_tuned_hyperparameters = ("views",)
    max_prediction_rows = ROWS_PER_PASS
    required_library = LibraryDependency("TabICL", "tabicl", "tabicl")
    hyperparameters = make_settings(
        views=LowerBoundedInteger(),
        rows=LowerBoundedInteger(2),
        normalisation=StringOptions("both", "none", "power", "quantile", "robust"),
        temperature=Positive(),
    )

    @classmethod
    def get_missing_dependency(cls) -> str:
        if message := super().get_missing_dependency():
            return message
        if find_cached_weights(REPOSITORY, cls.weights) is not None:
            return ""
        return phrase(
            "{title} needs its weights, which are not on this machine. Get them with: {command}, "
            "or leave this kind of model out of the space.",
            title=phrase(cls.title),
            command=f"hf download {REPOSITORY} {cls.weights}",
        )

    def make_default_encoder(self, facts: TableFacts) -> Encoder:
        """Return the default encoder: the weights were trained on categories as codes."""
        return OrdinalEncoding()

    def make_estimator(self, values: LearnerValues, facts: TableFacts) -> Any:
        """Return an estimator of the rows; raise LearnerError beyond the weights' limits."""
        if facts.n_columns > MAX_COLUMNS:
            raise LearnerError(
                "TabICL takes at most {most:,} columns; after preprocessing there are {count:,}. "
                "Leave it out of the space.",
                most=MAX_COLUMNS,
                count=facts.n_columns,
            )
        if facts.n_classes > MAX_CLASSES:
            raise LearnerError(
                "TabICL takes at most {most:,} classes; there are {count:,}. Leave it out of the "
                "space.",
                most=MAX_CLASSES,
                count=facts.n_classes,
            )
        norm = values.get_word("normalisation")
        options: dict[str, Any] = {
            "norm_methods": None if norm == "both" else norm,
            "checkpoint_version": self.weights,
        }
        classes = facts.task != "regression"
        if classes:
            options["softmax_temperature"] = values.get_number("temperature", 0.9)
        return TabIclTraining(
            options,
            **values.read(rows=2000, views=4),
            is_classification=classes,
            seed=facts.seed,
            level=facts.level,
        )


@dataclass(frozen=True)
class TabIclRegressor(TabIcl):
    """TabICL for numbers: predicts the mean or a quantile from known rows.

    At most ``rows`` known rows are used, fewer with many columns.
    """

    weights = "tabicl-regressor-v2-20260212.ckpt"
    key = "tabicl-regressor"
    title = "TabICL (regression)"
    reference = "Qu et al. 2026 (TabICLv2)"
    tasks = REGRESSION
    prediction_type = "values"
    hyperparameters = make_settings(
        views=LowerBoundedInteger(),
        rows=LowerBoundedInteger(2),
        normalisation=StringOptions("both", "none", "power", "quantile", "robust"),
    )
