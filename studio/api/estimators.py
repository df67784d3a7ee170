"""``EnsembleSearchClassifier`` and ``EnsembleSearchRegressor``: a whole run behind ``fit``."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_array, check_consistent_length, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from studio.api.searching import (
    PARAMETER_TYPES,
    FrameInput,
    can_exceed_time,
    check_column_choices,
    find_known_rows,
    find_scorer,
    get_target_name,
    is_frame,
    make_group_column,
    parse_constraint_signs,
    reject_class_labels,
    reject_unordered_classes,
    resolve_workers,
    search,
    to_frame,
    to_numbers,
    to_target,
)
from studio.arrays import AnyArray, Floats
from studio.data.column import Column, ColumnKind, Role, find_free_name
from studio.data.frames import make_table_from_frame, make_table_from_matrix
from studio.data.metrics.scorer_metric import Scorer, ScorerPlaceholder
from studio.data.problem import ONE_CLASS
from studio.data.splits import SplitPlan
from studio.data.table import make_columns
from studio.data.tasks import Task
from studio.ensembles.base import combine, compute_probabilities
from studio.errors import StudioError
from studio.phrases import count_phrase, phrase
from studio.runs.advice import is_advised
from studio.runs.checked_predictions import predict_mean
from studio.runs.choices import DEFAULT_TRIAL_SECONDS, ClassWeights
from studio.runs.settings import RunSettings, TableSource
from studio.space.library import load


class _EnsembleSearch(BaseEstimator):  # type: ignore[misc]
    """Common base of the classifier and the regressor.

    Args:
        method: A method by name (``studio methods``); "auto" is the task's default, "best".
        space: A shipped search space (``studio spaces``), a JSON file, or a space as JSON; "auto"
            is the method's own.
        budget: Number of trials; ``None``: as many as fit in ``seconds``, or 100 without a limit.
        metric: The loss to minimise, such as "error" or "rmse"; "auto" is the task's default. Also
            the name of a scikit-learn scorer, or a scorer (``make_scorer``, or a function of
            estimator, X and y; higher is better), which receives predictions only: its X has no
            columns. Such a run is not stored in a document, and no trial ends early. Trials in
            which the scorer raises an error count as failed; slow scorers are called less often
            with ``seconds``. Pickles of a fitted search contain only the name of a custom scorer:
            they can predict, but cannot be fitted again without it.
        folds: Folds of cross-validation; ``None`` holds out a share of the rows; "auto" uses the
            split of the method "best", and is ``None`` for others.
        validation: The held-out share, between 0 and 1.
        refit: Whether the members are refitted on all rows. Otherwise the search's models are used:
            with folds, each member is the average of its fold models. "auto" depends on the
            method: "best" keeps the fold models.
        class_weights: Whether all classes have equal weight in training; only for classification.
        options: Options of the method's parts, as for ``--set``: ``{"surrogate.kernel":
            "matern"}``.
        roles: Columns of a data frame that are not features, by name: "weight", "group", "time" or
            "ignore". They are not needed for predictions.
        kinds: Kinds of a data frame's columns, by name, to override the inferred ones: "number",
            "category", "date" or "text" (as words and pairs of words).
        monotonic_cst: Columns of numbers or dates with which the prediction never falls (1) or
            never rises (-1), by name, or one number per column of X, 0 for none. With two classes,
            the probability of ``classes_[1]`` is constrained, as in scikit-learn.
        random_state: Random seed. The same seed gives the same result with ``n_jobs`` None or 1.
        n_jobs: Simultaneous trials, in worker processes with the limits of a trial; -1 for one per
            core. ``None``: sequentially in this process, without limits; but in one worker process
            if ``seconds`` are given and X has more than 2,000 cells per second, or 60,000, as fits
            in this process cannot be interrupted.
        trial_seconds: Time limit of a trial, in worker processes only.
        document: A ``.studio`` file for the run (added to an existing one), to be opened in the
            window; ``None`` stores nothing.

    Attributes:
        members_: The fitted members: plain scikit-learn pipelines over a matrix of numbers, or
            voters over the models of each fold.
        weights_: Shape (n_members,). Their weights, summing to 1.
        temperature_: Mean probabilities are raised to 1/temperature and normalised; 1 leaves them
            unchanged.
        estimator_: The same ensemble as a plain scikit-learn estimator of frames (or matrices of
            numbers) like X, with the same classes.
        feature_names_in_: Only where X was a data frame.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = dict(PARAMETER_TYPES)

    def __init__(
        self,
        *,
        method: str = "auto",
        space: Any = "auto",
        budget: int | None = None,
        seconds: float | None = None,
        metric: str | Scorer | None = "auto",
        folds: int | Literal["auto"] | None = "auto",
        validation: float = 0.25,
        refit: bool | Literal["auto"] = "auto",
        class_weights: ClassWeights = "none",
        options: Mapping[str, Any] | None = None,
        roles: Mapping[str, Role] | None = None,
        kinds: Mapping[str, ColumnKind] | None = None,
        monotonic_cst: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        trial_seconds: float = DEFAULT_TRIAL_SECONDS,
        document: str | Path | None = None,
    ) -> None:
        self.method = method
        self.space = space
        self.budget = budget
        self.seconds = seconds
        self.metric = metric
        self.folds = folds
        self.validation = validation
        self.refit = refit
        self.class_weights = class_weights
        self.options = options
        self.roles = roles
        self.kinds = kinds
        self.monotonic_cst = monotonic_cst
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.trial_seconds = trial_seconds
        self.document = document

    def __sklearn_tags__(self) -> Any:
        """Declare support for missing values."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.non_deterministic = self.n_jobs not in {None, 1}
        return tags

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to pickle; that of a fitted search omits the caller's functions.

        Other programs can rarely unpickle them, and predictions do not need them.
        """
        state = dict(super().__getstate__())
        if callable(self.metric) and hasattr(self, "members_"):
            state["metric"] = ScorerPlaceholder.from_scorer(self.metric)
        return state

    def _read(
        self, X: Any, y: Any, sample_weight: Any, groups: Any, *, numeric: bool
    ) -> tuple[list[Column], AnyArray]:
        """Return the features and other columns of X, and the checked target, shape (n,)."""
        self._validate_params()
        roles, kinds = dict(self.roles or {}), dict(self.kinds or {})
        frame = to_frame(X)
        if y is None:
            raise ValueError("This estimator requires y to be passed, but the target y is None.")
        if frame is None:
            if roles or kinds:
                raise ValueError("roles and kinds name columns, so X must be a pandas data frame.")
            X, y = validate_data(
                self,
                X,
                y,
                dtype=np.float64,
                ensure_all_finite="allow-nan",
                ensure_min_samples=2,
                y_numeric=numeric,
            )
            names = [f"x{index}" for index in range(X.shape[1])]
            table = make_table_from_matrix(X, names)
            labels: Sequence[Any] = names
            self._labels = None
        else:
            check_consistent_length(frame, y, groups)
            has_target = find_known_rows(y)
            if has_target is not None:
                if sample_weight is not None:
                    sample_weight = _check_sample_weight(sample_weight, frame.index)[has_target]
                groups = None if groups is None else column_or_1d(groups)[has_target]
                frame, y = frame[has_target], y[has_target]
            y = to_target(y, len(frame), numeric=numeric)
            check_column_choices(frame.columns, roles, kinds)
            feature_frame = frame.drop(columns=list(roles)) if is_frame(X) and roles else X
            validate_data(self, feature_frame, skip_check_array=True)
            table = make_table_from_frame(frame)
            labels = frame.columns
            self._labels = {str(label): label for label in frame.columns if label not in roles}
        constraint_signs = dict(
            zip(table.names, parse_constraint_signs(self.monotonic_cst, labels), strict=True)
        )
        self._signs = {name: sign for name, sign in constraint_signs.items() if sign}
        columns: list[Column] = []
        for index, name in enumerate(table.names):
            label = name if frame is None else frame.columns[index]
            role: Role = roles.get(label, "feature")
            if role != "ignore":
                columns += make_columns(
                    table, index, kinds.get(label, table.formats[index].kind), role
                )
        if sample_weight is not None:
            weights = _check_sample_weight(sample_weight, np.zeros((table.n_rows, 1)))
            if any(column.role == "weight" for column in columns):
                raise ValueError("sample_weight and a column with the role weight: give only one.")
            columns.append(
                Column(find_free_name("sample_weight", table.names), "number", "weight", weights)
            )
        if groups is not None:
            columns.append(make_group_column(groups, table))
        self._names = tuple(name for name in table.names if name not in map(str, roles))
        self._is_array = frame is None or not hasattr(X, "columns")
        return columns, column_or_1d(y)

    def _to_matrix(self, X: Any) -> Floats:
        """Convert new rows to the members' matrix, shape (n, d)."""
        check_is_fitted(self, "members_")
        if self._labels is None:
            checked: Floats = validate_data(
                self, X, reset=False, dtype=np.float64, ensure_all_finite="allow-nan"
            )
            return checked
        frame = to_frame(X, self._names)
        if is_frame(X):
            X = frame = (
                frame.drop(columns=list(self.roles), errors="ignore") if self.roles else frame
            )
        if frame is None:
            import pandas as pd

            X = check_array(X, dtype=None, ensure_all_finite="allow-nan")
            frame = pd.DataFrame(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        encoded = self._recipe.encode(make_table_from_frame(frame, self._names))
        for note in encoded.notes:  # such as categories unknown to training
            warnings.warn(note, stacklevel=3)
        return encoded.X

    def _search(
        self, columns: list[Column], target: Column, task: Task, classes: tuple[Any, ...] = ()
    ) -> None:
        """Search and set the fitted attributes; raise ValueError with a remedy if impossible."""
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        input_table = FrameInput((*columns, target), classes, self._labels, self._is_array)
        try:
            is_method_advised = is_advised(self.method)
            folds = None if self.folds == "auto" else self.folds
            metric = find_scorer(self.metric)
            scorer = metric if callable(metric) else None
            metric_name = None if callable(metric) or metric == "auto" else metric
            settings = RunSettings(
                method=self.method,
                overrides=dict(self.options or {}),
                space=self._load_space(),
                source=TableSource(
                    target=target.name,
                    task=task,
                    monotone=input_table.parse_directions(self._signs, task),
                ),
                metric=metric_name,
                budget=self.budget,
                seconds=self.seconds,
                plan=SplitPlan(1 - self.validation, self.validation, 0.0, folds, seed),
                seed=seed,
                workers=resolve_workers(self.n_jobs),
                trial_seconds=self.trial_seconds,
                class_weights=self.class_weights,
                refit=not is_method_advised if self.refit == "auto" else self.refit,
                optional_refit=is_method_advised and self.refit == "auto",
                advised=is_method_advised and self.folds == "auto",
            )
            path = None if self.document is None else Path(self.document)
            runs_inline = self.n_jobs is None and not can_exceed_time(columns, self.seconds)
            result = search(input_table, settings, path, scorer, inline=runs_inline)
        except StudioError as error:
            raise ValueError(str(error)) from error
        self.members_ = result.members
        self.weights_ = np.array(result.ensemble.weights)
        self.temperature_ = result.ensemble.temperature
        self.estimator_ = result.estimator
        self.trials_ = result.trials
        self._recipe = result.recipe
        self._ensemble = result.ensemble
        self._models = result.models
        self._n_folds = result.n_folds
        self._learners = result.learners

    def _load_space(self) -> dict[str, Any] | None:
        if isinstance(self.space, Mapping):
            return dict(self.space)
        return None if self.space == "auto" else dict(load(self.space).to_json())

    def _predict_ensemble(self, X: Any, n_classes: int) -> Floats:
        """Return the ensemble's predictions: shape (n, C), or (n,) where ``n_classes`` is 0."""
        return combine(self._predict_members(X, n_classes), self._ensemble)

    def _predict_members(self, X: Any, n_classes: int) -> Callable[[int], AnyArray]:
        """Return the members' predictions, (n, C) or (n,), by their trials' numbers."""
        matrix = self._to_matrix(X)
        numbers = self._ensemble.members
        predictions = {
            number: predict_mean(models, learner, matrix, n_classes, self._n_folds)
            for number, models, learner in zip(numbers, self._models, self._learners, strict=True)
        }
        return predictions.__getitem__


class EnsembleSearchClassifier(ClassifierMixin, _EnsembleSearch):  # type: ignore[misc]
    """Search for an ensemble of classifiers, as the window and ``studio run`` do.

    >>> from studio import EnsembleSearchClassifier
    >>> search = EnsembleSearchClassifier(seconds=60, random_state=0)
    >>> search.fit(X, y).predict(X_new)  # doctest: +SKIP

    ``classes_`` holds the classes, shape (n_classes,), of the same type as y.
    """

    __doc__ = (__doc__ or "") + "\n".join((_EnsembleSearch.__doc__ or "").split("\n")[1:])

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Search on rows X, shape (n, d), with classes y, shape (n,); train the ensemble on all.

        Args:
            X: Shape (n, d). Of any types; formats are inferred as in the window.
            y: Shape (n,). Classes of any type, which :meth:`predict` returns.
            sample_weight: Shape (n,). Used in training and in every loss.
            groups: Shape (n,). Rows of a group stay on one side of every split.

        Raises:
            ValueError: If the data or the settings are invalid; the message contains a remedy.
        """
        columns, target = self._read(X, y, sample_weight, groups, numeric=False)
        reject_unordered_classes(target)
        check_classification_targets(target)
        self.classes_, codes = np.unique(target, return_inverse=True)
        name = get_target_name(y, columns)
        if len(self.classes_) < 2:
            rows = count_phrase("1 row", "{count:,} rows", len(target))
            label = str(self.classes_[0])
            raise ValueError(str(phrase(ONE_CLASS, target=name, label=label, rows=rows)))
        labels = tuple(str(label) for label in self.classes_.tolist())
        if len(set(labels)) < len(labels):
            labels = tuple(str(code) for code in range(len(labels)))
        column = Column(name, "category", "target", codes.astype(np.int32), labels)
        task: Task = "binary" if len(labels) == 2 else "multiclass"
        self._search(columns, column, task, tuple(self.classes_))
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class, shape (n, n_classes), rows summing to 1.

        For a vote, these are the members' mean probabilities, and the class returned by
        :meth:`predict` is not necessarily the most probable one.
        """
        check_is_fitted(self, "members_")
        proba = compute_probabilities(self._predict_members(X, len(self.classes_)), self._ensemble)
        normalised: Floats = proba / proba.sum(axis=1, keepdims=True)
        return normalised

    def predict(self, X: Any) -> AnyArray:
        """Return the predicted classes, shape (n,); ties go to the first class."""
        check_is_fitted(self, "members_")
        codes = self._predict_ensemble(X, len(self.classes_)).argmax(axis=1)
        labels: AnyArray = self.classes_[codes]
        return labels


class EnsembleSearchRegressor(RegressorMixin, _EnsembleSearch):  # type: ignore[misc]
    """Search for an ensemble of regressors, as the window and ``studio run`` do.

    >>> from studio import EnsembleSearchRegressor
    >>> search = EnsembleSearchRegressor(seconds=60, random_state=0)
    >>> search.fit(X, y).predict(X_new)  # doctest: +SKIP
    """

    __doc__ = (__doc__ or "") + "\n".join((_EnsembleSearch.__doc__ or "").split("\n")[1:])

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Search on rows X, shape (n, d), with values y, shape (n,); train the ensemble on all.

        Args:
            X: Shape (n, d). Of any types; formats are inferred as in the window.
            y: Shape (n,). Numbers.
            sample_weight: Shape (n,). Used in training and in every loss.
            groups: Shape (n,). Rows of a group stay on one side of every split.

        Raises:
            ValueError: If the data or the settings are invalid; the message contains a remedy.
        """
        reject_class_labels(y)
        columns, target = self._read(X, y, sample_weight, groups, numeric=True)
        column = Column(get_target_name(y, columns), "number", "target", to_numbers(target))
        self._search(columns, column, "regression")
        return self

    def predict(self, X: Any) -> Floats:
        """Return the predicted values, shape (n,)."""
        return self._predict_ensemble(X, 0)
