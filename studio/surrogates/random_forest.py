"""The random forest surrogate of SMAC and OpenBox (docs/methods/random-forest.md)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, Self, cast, get_args

import numpy as np

from studio.arrays import Floats
from studio.errors import SurrogateError
from studio.parts import option
from studio.space.encoding import Imputation, get_one_hot_columns, impute, to_one_hot
from studio.space.space import Space
from studio.surrogates.base import (
    Posterior,
    PredictionGradients,
    Surrogate,
    check_observations,
    standardise,
)

Encoding = Literal["index", "one-hot"]

Fill = Imputation | Literal["outside"]

ENCODINGS: tuple[Encoding, ...] = get_args(Encoding)
"""Encodings of categories, documented in the help of the options."""

IMPUTATIONS: tuple[Imputation, ...] = get_args(Imputation)
"""Imputations of inactive coordinates (docs/methods/encoding.md)."""

FILL_OBSERVED = 1
"""Seed of the dense draws of imputation "none": the i-th trial always gets the same draw."""

_CONSTANTS: Mapping[Fill, float] = {"middle": 0.5, "outside": -1.0}


@dataclass(frozen=True)
class Features:
    """Conversion of unit rows to complete features.

    Attributes:
        encoding: Categories as scaled index (the thesis' choice), or as one coordinate per
            category.
        imputation: The value of inactive coordinates: 0.5 (also in every coordinate of a one-hot
            choice, which is then equally far from all categories), the default, a dense uniform
            draw, or -1 (outside every range, so that a tree can separate it: SMAC3).
        fill: Seed of the dense draws: row i of an array is filled identically in every call.
        has_common_fill: Whether all rows, also queried ones, are filled with the same dense draw,
            so that predictions are a smooth function of the configuration.
    """

    space: Space
    encoding: Encoding
    imputation: Fill
    fill: int
    has_common_fill: bool = False

    def complete(self, U: Floats) -> Floats:
        """Return rows (n, D) as complete features (n, E); raise SurrogateError for other spaces."""
        dimensions = self.space.dimensions
        if U.ndim != 2 or U.shape[1] != dimensions:
            raise SurrogateError(
                "A surrogate of this space reads rows of {dimensions} coordinates; an array "
                "of shape {shape} was given.",
                dimensions=dimensions,
                shape=U.shape,
            )
        is_one_hot = self.encoding == "one-hot"
        constant = _CONSTANTS.get(self.imputation)
        if constant is not None:
            coordinates = to_one_hot(self.space, U) if is_one_hot else U
            return np.where(np.isnan(coordinates), constant, coordinates)
        imputation, rng = cast(Imputation, self.imputation), np.random.default_rng(self.fill)
        if imputation == "none" and self.has_common_fill:
            filled = np.where(np.isnan(U), rng.random(dimensions), U)
        else:
            filled = impute(self.space, U, imputation, rng)
        return to_one_hot(self.space, filled) if is_one_hot else filled

    def compute_vjp(self, gradient: Floats) -> Floats:
        """Convert a gradient in the features (…, E) to a gradient in the unit coordinates (…, D).

        A one-hot category does not change with a small step of its unit coordinate, so its gradient
        is 0. (A scaled index is treated as a number and has a gradient.)
        """
        if self.encoding == "index":
            return gradient
        columns, category = get_one_hot_columns(self.space)
        numbers = category < 0
        unit_gradient = np.zeros((*gradient.shape[:-1], self.space.dimensions))
        unit_gradient[..., columns[numbers]] = gradient[..., numbers]
        return unit_gradient


MIN_VARIANCE = 1e-10
"""Lower bound of a predicted variance of standardised targets (1e-10 as in SMAC and OpenBox)."""

_MAX_SEED = 2**31


class _TrainingData(NamedTuple):
    """The training data of a forest.

    Attributes:
        X: Shape (n, E). Complete rows.
        targets: Shape (n,). Standardised.
    """

    X: Floats
    targets: Floats


@dataclass(frozen=True)
class _Forest:
    """Trees of scikit-learn, if any; ``within_leaves`` adds the variance inside the leaves."""

    trees: tuple[Any, ...]
    within_leaves: bool

    def predict_by_tree(self, X: Floats) -> tuple[Floats, Floats]:
        """Return each tree's mean and variance for X, shape (trees, q); 0 and 1 without trees."""
        if not self.trees:
            return np.zeros((1, len(X))), np.ones((1, len(X)))
        # The type in which scikit-learn's trees compare; its own predict converts once per tree.
        rows = np.ascontiguousarray(X, dtype=np.float32)
        leaves = [tree.apply(rows) for tree in self.trees]
        pairs = list(zip(self.trees, leaves, strict=True))
        means = np.array([tree.value[leaf, 0, 0] for tree, leaf in pairs])
        # The impurity of a squared error tree is the variance; rounding may leave -1e-17.
        leaf_variances = np.array([np.maximum(tree.impurity[leaf], 0.0) for tree, leaf in pairs])
        return means, leaf_variances

    def predict(self, X: Floats) -> tuple[Floats, Floats]:
        """Return mean and variance of the objective at each row, shape (q,) each."""
        means, leaf_variances = self.predict_by_tree(X)
        variance = means.var(axis=0)
        if self.within_leaves or not self.trees:
            variance = variance + leaf_variances.mean(axis=0)
        return means.mean(axis=0), np.maximum(variance, MIN_VARIANCE)

    def draw(self, X: Floats, rng: np.random.Generator) -> Floats:
        """Draw the outcomes at all rows jointly, shape (q,), from a single tree."""
        means, leaf_variances = self.predict_by_tree(X)
        tree = int(rng.integers(len(means)))
        outcomes: Floats = means[tree]
        if self.within_leaves or not self.trees:
            outcomes = outcomes + np.sqrt(leaf_variances[tree]) * rng.standard_normal(len(X))
        return outcomes


@dataclass(frozen=True)
class _GrowthParameters:
    """Growth parameters of forests.

    Attributes:
        min_samples_split, min_samples_leaf: Minimum number of observations in a node to be split,
            and in a leaf.
        max_features: Share of the coordinates considered per split; at least one is (pyrfr).
        bootstrap: Whether each tree is grown on a resample of n observations.
        within_leaves: See :class:`_Forest`.
    """

    n_trees: int
    max_features: float
    min_samples_split: int
    min_samples_leaf: int
    bootstrap: bool
    within_leaves: bool

    def grow(self, training_data: _TrainingData, rng: np.random.Generator) -> _Forest:
        """Grow a forest; only its seed is drawn from ``rng``."""
        seed = int(rng.integers(_MAX_SEED))
        if not len(training_data.targets):
            return _Forest((), self.within_leaves)
        # scikit-learn is slow to import, and the other surrogates do not need it.
        from sklearn.ensemble import RandomForestRegressor

        forest = RandomForestRegressor(
            n_estimators=self.n_trees,
            max_features=max(1, int(self.max_features * training_data.X.shape[1])),
            min_samples_split=self.min_samples_split,
            min_samples_leaf=self.min_samples_leaf,
            bootstrap=self.bootstrap,
            random_state=seed,
            n_jobs=1,
        )
        forest.fit(training_data.X, training_data.targets)
        return _Forest(tuple(tree.tree_ for tree in forest.estimators_), self.within_leaves)


@dataclass(frozen=True)
class _ForestPosterior(Posterior):
    """One forest, or one per fantasy of the outcomes of pending trials.

    Attributes:
        complete: Maps unit rows (q, D) to complete rows for the trees, (q, E).
        shift, scale: Targets = shift + scale * standardised targets.
        n_fantasies: Number of draws for pending trials, at least one per forest.
    """

    complete: Callable[[Floats], Floats]
    growth: _GrowthParameters
    observed: tuple[_TrainingData, ...]
    forests: tuple[_Forest, ...]
    shift: float
    scale: float
    n_fantasies: int

    @property
    def best(self) -> Floats:
        """The lowest training target of each forest, shape (S,); 0 without targets."""
        lowest = [float(data.targets.min()) if len(data.targets) else 0.0 for data in self.observed]
        return self.shift + self.scale * np.array(lowest)

    def predict(self, V: Floats) -> tuple[Floats, Floats]:
        X = self.complete(V)
        pairs = [forest.predict(X) for forest in self.forests]
        means = np.array([mean for mean, _ in pairs])
        variances = np.array([variance for _, variance in pairs])
        return self.shift + self.scale * means, self.scale**2 * variances

    @property
    def model_kind(self) -> Literal["draws", "trees"]:
        return "trees"

    def predict_by_model(self, V: Floats) -> Floats:
        X = self.complete(V)
        trees = np.concatenate([forest.predict_by_tree(X)[0] for forest in self.forests])
        tree_predictions: Floats = self.shift + self.scale * trees
        return tree_predictions

    def predict_with_gradients(self, V: Floats) -> PredictionGradients:
        """Raise SurrogateError for V of any shape: a forest is piecewise constant."""
        del V
        raise SurrogateError(
            "A random forest has no gradients, which sobol-lbfgs needs; "
            "choose the maximiser local-search or random, or a Gaussian process."
        )

    def condition_on(self, V: Floats, rng: np.random.Generator) -> "_ForestPosterior":
        if not len(V):
            return self
        X = self.complete(V)
        n_forests_each = -(-self.n_fantasies // len(self.forests))
        extended_data = tuple(
            _TrainingData(
                np.concatenate([data.X, X]), np.concatenate([data.targets, forest.draw(X, rng)])
            )
            for data, forest in zip(self.observed, self.forests, strict=True)
            for _ in range(n_forests_each)
        )
        forests = tuple(self.growth.grow(data, rng) for data in extended_data)
        return replace(self, observed=extended_data, forests=forests)


@dataclass(frozen=True)
class RandomForest(Surrogate):
    """Random forest: mean and variance of the trees' predicted means (Hutter et al. 2011).

    The defaults are those of SMAC's pyrfr, which OpenBox and therefore DivBO use.
    Targets are standardised first, which only matters for tolerances. scikit-learn counts repeated
    rows of a bootstrap once in the minimum leaf size.

    Pending trials enter as fantasies: a tree drawn at random predicts the outcomes of all of them
    (with variance ``total``, plus noise with its leaves' variance). Mean and variance of such a
    draw equal the forest's prediction. A forest is regrown for each fantasy. There are no
    gradients.
    """

    key = "random-forest"
    title = "Random forest"
    summary = (
        "Predicts the loss of untried configurations with decision trees; where the trees "
        "disagree, the prediction is uncertain. Stays fast with thousands of trials and a hundred "
        "hyperparameters."
    )
    reference = "Hutter et al. 2011 (SMAC); DivBO 4.2 and A.4"

    trees: int = option(10, low=1, high=1000, help="Trees in the forest.")
    features: float = option(
        5 / 6, low=0.0, high=1.0, help="Share of the coordinates considered at each split."
    )
    split: int = option(
        3,
        low=2,
        high=1000,
        unit="trials",
        help="Minimum number of trials in a node for it to be split.",
    )
    leaf: int = option(
        3, low=1, high=1000, unit="trials", help="Minimum number of trials in each leaf."
    )
    bootstrap: bool = option(
        True, help="Grow each tree on a resample of the trials instead of on all of them."
    )
    variance: str = option(
        "trees",
        choices=["trees", "total"],
        help="Uncertainty from how much the trees disagree (trees), or with the spread in their "
        "leaves added (total).",
    )
    imputation: str = option(
        "default",
        choices=["default", "middle", "outside"],
        help=(
            "The value of inactive hyperparameters, those of other branches; outside is below "
            "every range."
        ),
    )
    encoding: str = option(
        "by-target",
        choices=["by-target", "index", "one-hot"],
        help=(
            "Categories in the order of their mean loss, in the order of the space, or one axis "
            "per category."
        ),
    )
    fantasies: int = option(
        10,
        low=1,
        high=1000,
        help="Number of simulated outcomes (fantasies) of trials still running.",
    )

    def fit(
        self, space: Space, U: Floats, targets: Floats, rng: np.random.Generator
    ) -> _ForestPosterior:
        check_observations(space, U, targets)
        shift, scale, standard = standardise(targets)
        orders_categories = self.encoding == "by-target"
        coding = ForestFeatures(
            features=Features(
                space,
                "index" if orders_categories else cast(Encoding, self.encoding),
                cast(Fill, self.imputation),
                fill=0,
            ),
            order=TargetOrder.fit(space, U, standard) if orders_categories else TargetOrder({}),
        )
        growth = _GrowthParameters(
            n_trees=self.trees,
            max_features=self.features,
            min_samples_split=self.split,
            min_samples_leaf=self.leaf,
            bootstrap=self.bootstrap,
            within_leaves=self.variance == "total",
        )
        training_data = _TrainingData(coding.complete(U), standard)
        return _ForestPosterior(
            complete=coding.complete,
            growth=growth,
            observed=(training_data,),
            forests=(growth.grow(training_data, rng),),
            shift=shift,
            scale=scale,
            n_fantasies=self.fantasies,
        )


@dataclass(frozen=True)
class TargetOrder:
    """Each unordered choice with its categories ordered by mean target.

    The best split of the categories into two sets by squared error is a cut of this order (Fisher
    1958; Breiman et al. 1984, section 9.4). So a cut of one coordinate corresponds to a categorical
    split in SMAC's forest, except that here the order is that of all observations, not of those in
    the node.

    Attributes:
        category_positions: Column → new unit coordinate of each category, by index, shape (k,).
    """

    category_positions: dict[int, Floats]

    @classmethod
    def fit(cls, space: Space, U: Floats, targets: Floats) -> Self:
        """Order the categories by their mean targets, (n,), at the observations U (n, D).

        A category without observations is placed at the mean of all targets.
        """
        columns, category = get_one_hot_columns(space)
        one_hot = to_one_hot(space, U) == 1.0
        position_by_column = {}
        for column in np.unique(columns[category >= 0]).tolist():
            is_category = one_hot[:, columns == column]
            counts = is_category.sum(axis=0)
            residuals = targets - targets.mean() if len(targets) else targets
            means = np.where(counts > 0, residuals @ is_category / np.maximum(counts, 1), 0.0)
            order = np.argsort(means, kind="stable")
            position = np.empty(len(order))
            position[order] = (np.arange(len(order)) + 0.5) / len(order)
            position_by_column[column] = position
        return cls(position_by_column)

    def reorder(self, U: Floats) -> Floats:
        """Return unit rows (n, D) with reordered categories; NaN stays NaN."""
        reordered_rows = U.copy()
        for column, position in self.category_positions.items():
            is_active = ~np.isnan(U[:, column])
            index = np.floor(U[is_active, column] * len(position)).astype(np.int64)
            reordered_rows[is_active, column] = position[np.clip(index, 0, len(position) - 1)]
        return reordered_rows


@dataclass(frozen=True)
class ForestFeatures:
    """Conversion of unit rows to the trees' features; ``order`` first moves categories."""

    features: Features
    order: TargetOrder

    def complete(self, U: Floats) -> Floats:
        """Return the rows (n, D) as complete rows, shape (n, E)."""
        if self.features.imputation == "default":
            U = impute(self.features.space, U, "default")
        X = self.features.complete(self.order.reorder(U))
        # A space of a single configuration has no coordinate; trees need one.
        return X if X.shape[1] else np.zeros((len(X), 1))
