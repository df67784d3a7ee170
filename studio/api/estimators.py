"""``EnsembleSearchClassifier`` and ``EnsembleSearchRegressor``: a whole run behind ``fit``."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from studio.api.columns import FrameReader, feature_column, is_frame, role_column
from studio.api.searching import search
from studio.arrays import AnyArray, Floats
from studio.data.column import Column, Role
from studio.data.splits import SplitPlan
from studio.data.tasks import Task
from studio.ensembles.base import combine, probabilities
from studio.errors import StudioError
from studio.runs.advice import is_advised
from studio.runs.choices import DEFAULT_BUDGET, DEFAULT_TRIAL_SECONDS, ClassWeights
from studio.runs.final_models import predicted
from studio.runs.settings import RunSettings, Source
from studio.space.library import load

CELLS_A_SECOND, MOST_CELLS = 2000, 60_000
"""Cells of X, for each second given and at all, up to which trials stay in the calling process.

In a larger table a fit that cannot be cut short (of a support vector machine) may last longer than
a twentieth of the time, while starting a worker process takes one or two seconds."""


class _EnsembleSearch(BaseEstimator):  # type: ignore[misc]
    """What the classifier and the regressor share.

    Parameters
    ----------
    method : str
        A method by name (``studio methods``); "auto" takes the task's default, "best".
    space : str, Path or Mapping
        A shipped search space (``studio spaces``), a JSON file, or a space as JSON; "auto" takes
        the method's own.
    budget : int
        Number of trials.
    seconds : float or None
        Wall seconds until the run's result is there; ``None`` for no limit.
    metric : str
        What is minimised, such as "error" or "rmse"; "auto" takes the task's default.
    folds : int, "auto" or None
        Folds of cross-validation; ``None`` holds out a share of the rows; "auto" leaves the
        split to the program where the method does ("best"), and else is ``None``.
    validation : float
        The share that is held out, between 0 and 1.
    refit : bool or "auto"
        Whether the members are refitted on all rows. If not they stay as the search
        trained them: with folds, each is the committee of its fold models. "auto" is by the
        method: "best" keeps the committees.
    class_weights : {"none", "balanced"}
        Whether every class weighs the same while training, however few its rows; for classes only.
    options : Mapping or None
        Options of the method's parts, as ``--set`` takes them: ``{"surrogate.kernel": "matern"}``.
    roles : Mapping or None
        Columns of a data frame that are not features, by name: "weight", "group", "time" or
        "ignore". They need not be there when predicting.
    random_state : int, RandomState or None
        Random seed. The same seed gives the same result with ``n_jobs`` None or 1.
    n_jobs : int or None
        Trials at the same time, in worker processes that hold the limits of a trial; -1 for one a
        core. ``None``: one after another in this process, without limits; but in one worker
        process where ``seconds`` are given and X has more than 2,000 cells for each of them, or
        60,000, since no fit can be ended in this process.
    trial_seconds : float
        Longest time of a trial, in worker processes only.
    document : str, Path or None
        A ``.studio`` file to keep the run in (it is added to one that exists), to be opened in the
        window; ``None`` keeps nothing.

    Attributes
    ----------
    members_ : tuple of estimators
        The fitted members: plain scikit-learn pipelines over a matrix of numbers, or voters over
        the models of each fold.
    weights_ : array, shape (n_members,)
        Their weights, summing to 1.
    temperature_ : float
        Mean probabilities are raised to 1/temperature and scaled to sum to 1; 1: not at all.
    estimator_ : VotingClassifier, VotingRegressor or the like
        The same ensemble as one plain scikit-learn estimator of the matrix of numbers.
    trials_ : tuple of studio.trial.Trial
        Every trial of the search.
    n_features_in_ : int
    feature_names_in_ : array of str
        Only where X was a data frame.
    """

    def __init__(
        self,
        *,
        method: str = "auto",
        space: Any = "auto",
        budget: int = DEFAULT_BUDGET,
        seconds: float | None = None,
        metric: str = "auto",
        folds: int | Literal["auto"] | None = "auto",
        validation: float = 0.25,
        refit: bool | Literal["auto"] = "auto",
        class_weights: ClassWeights = "none",
        options: Mapping[str, Any] | None = None,
        roles: Mapping[str, Role] | None = None,
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
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.trial_seconds = trial_seconds
        self.document = document

    def __sklearn_tags__(self) -> Any:
        """Declare that missing values are welcome."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.non_deterministic = self.n_jobs not in {None, 1}
        return tags

    def _read(self, X: Any, y: Any, *, numeric: bool) -> tuple[list[Column], AnyArray]:
        """Return the features and other columns of X, and the checked target, shape (n,)."""
        roles = dict(self.roles or {})
        others: list[Column] = []
        self._reader = None
        if is_frame(X):
            absent = [name for name in roles if name not in X.columns]
            if absent:
                raise ValueError(f"roles names {absent[0]!r}, which is no column of X.")
            others = [
                role_column(f"{role} {name}", role, X[name])
                for name, role in roles.items()
                if role != "ignore"
            ]
            X = X.drop(columns=list(roles))
            self._reader = FrameReader.of(X)
            X = self._reader.numbers(X)
        elif roles:
            raise ValueError("roles names columns, so X must be a pandas data frame.")
        matrix, target = validate_data(
            self,
            X,
            y,
            dtype=np.float64,
            ensure_all_finite="allow-nan",
            ensure_min_samples=2,
            y_numeric=numeric,
        )
        categories = self._reader.categories if self._reader else (None,) * matrix.shape[1]
        features = [
            feature_column(f"x{position}", matrix[:, position], labels)
            for position, labels in enumerate(categories)
        ]
        return [*features, *others], column_or_1d(target)

    def _matrix(self, X: Any) -> Floats:
        """Return new rows as the members take them, shape (n, d)."""
        check_is_fitted(self, "members_")
        if self._reader is not None and is_frame(X):
            X = X.drop(columns=list(self.roles or {}), errors="ignore")
            if tuple(X.columns) == self._reader.names:
                X = self._reader.numbers(X)
        checked: Floats = validate_data(
            self, X, reset=False, dtype=np.float64, ensure_all_finite="allow-nan"
        )
        return checked

    def _search(self, columns: list[Column], target: Column, task: Task) -> None:
        """Search, and keep what was found.

        Raises
        ------
        ValueError
            If the data or the settings cannot work; the message says what to change.
        """
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        try:
            advised = is_advised(self.method)
            folds = None if self.folds == "auto" else self.folds
            settings = RunSettings(
                method=self.method,
                overrides=dict(self.options or {}),
                space=self._space(),
                source=Source(target=target.name, task=task),
                metric=None if self.metric == "auto" else self.metric,
                budget=self.budget,
                seconds=self.seconds,
                plan=SplitPlan(1 - self.validation, self.validation, 0.0, folds, seed),
                seed=seed,
                workers=_workers(self.n_jobs),
                trial_seconds=self.trial_seconds,
                class_weights=self.class_weights,
                refit=not advised if self.refit == "auto" else self.refit,
                advised=advised and self.folds == "auto",
            )
            path = None if self.document is None else Path(self.document)
            inline = self.n_jobs is None and not _may_be_late(columns, self.seconds)
            found = search([*columns, target], settings, path, inline=inline)
        except StudioError as error:
            raise ValueError(str(error)) from error
        self.members_ = found.members
        self.weights_ = np.array(found.ensemble.weights)
        self.temperature_ = found.ensemble.temperature
        self.estimator_ = found.estimator
        self.trials_ = found.trials
        self._ensemble = found.ensemble
        self._models = found.models
        self._learners = found.learners

    def _space(self) -> dict[str, Any] | None:
        if isinstance(self.space, Mapping):
            return dict(self.space)
        return None if self.space == "auto" else dict(load(self.space).to_json())

    def _combined(self, X: Any, n_classes: int) -> Floats:
        """Return the ensemble's predictions: shape (n, C), or (n,) where ``n_classes`` is 0."""
        return combine(self._each(X, n_classes), self._ensemble)

    def _each(self, X: Any, n_classes: int) -> Callable[[int], AnyArray]:
        """Return the members' predictions, (n, C) or (n,), by their trials' numbers."""
        matrix = self._matrix(X)
        numbers = self._ensemble.members
        found = {
            number: predicted(models, learner, matrix, n_classes)
            for number, models, learner in zip(numbers, self._models, self._learners, strict=True)
        }
        return found.__getitem__


class EnsembleSearchClassifier(ClassifierMixin, _EnsembleSearch):  # type: ignore[misc]
    """Search for an ensemble of classifiers, as the window and ``studio run`` do.

    >>> from studio import EnsembleSearchClassifier
    >>> search = EnsembleSearchClassifier(seconds=60, budget=1000, random_state=0)
    >>> search.fit(X, y).predict(X_new)  # doctest: +SKIP

    Attributes
    ----------
    classes_ : array, shape (n_classes,)
    """

    __doc__ = (__doc__ or "") + "\n".join((_EnsembleSearch.__doc__ or "").split("\n")[1:])

    def fit(self, X: Any, y: Any) -> Self:
        """Search on rows X, shape (n, d), with classes y, shape (n,); train the ensemble on all.

        Raises
        ------
        ValueError
            If the data or the settings cannot work; the message says what to change.
        """
        columns, target = self._read(X, y, numeric=False)
        check_classification_targets(target)
        self.classes_, codes = np.unique(target, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                "The target holds one class only, so there is nothing to learn; rows of at least "
                "two classes are needed."
            )
        labels = tuple(str(label) for label in self.classes_.tolist())
        if len(set(labels)) < len(labels):
            labels = tuple(str(code) for code in range(len(labels)))
        column = Column("target", "category", "target", codes.astype(np.int32), labels)
        self._search(columns, column, "binary" if len(labels) == 2 else "multiclass")
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class, shape (n, n_classes), rows summing to 1.

        Where members vote it is the mean of their probabilities, and the class that :meth:`predict`
        gives, the vote's, need not be the most probable one.
        """
        check_is_fitted(self, "members_")
        found = probabilities(self._each(X, len(self.classes_)), self._ensemble)
        sure: Floats = found / found.sum(axis=1, keepdims=True)
        return sure

    def predict(self, X: Any) -> AnyArray:
        """Return the predicted classes, shape (n,); of equal shares the first class."""
        check_is_fitted(self, "members_")
        codes = self._combined(X, len(self.classes_)).argmax(axis=1)
        predicted: AnyArray = self.classes_[codes]
        return predicted


class EnsembleSearchRegressor(RegressorMixin, _EnsembleSearch):  # type: ignore[misc]
    """Search for an ensemble of regressors, as the window and ``studio run`` do.

    >>> from studio import EnsembleSearchRegressor
    >>> search = EnsembleSearchRegressor(seconds=60, budget=1000, random_state=0)
    >>> search.fit(X, y).predict(X_new)  # doctest: +SKIP
    """

    __doc__ = (__doc__ or "") + "\n".join((_EnsembleSearch.__doc__ or "").split("\n")[1:])

    def fit(self, X: Any, y: Any) -> Self:
        """Search on rows X, shape (n, d), with values y, shape (n,); train the ensemble on all.

        Raises
        ------
        ValueError
            If the data or the settings cannot work; the message says what to change.
        """
        columns, target = self._read(X, y, numeric=True)
        column = Column("target", "number", "target", target.astype(np.float64))
        self._search(columns, column, "regression")
        return self

    def predict(self, X: Any) -> Floats:
        """Return the predicted values, shape (n,)."""
        return self._combined(X, 0)


def _may_be_late(columns: list[Column], seconds: float | None) -> bool:
    """Return whether a fit that cannot be ended may last far longer than seconds are left."""
    if seconds is None:
        return False
    cells = len(columns) * len(columns[0].values)
    return cells > min(MOST_CELLS, CELLS_A_SECOND * seconds)


def _workers(n_jobs: int | None) -> int:
    """Return how many trials run at the same time; -1 is one a core, as in scikit-learn."""
    cores = os.cpu_count() or 1
    if n_jobs is None:
        return 1
    return max(1, cores + 1 + n_jobs) if n_jobs < 0 else n_jobs
