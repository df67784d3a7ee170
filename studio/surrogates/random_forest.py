"""The random forest surrogate of SMAC and OpenBox (docs/methods/random-forest.md)."""

from dataclasses import dataclass
from typing import ClassVar, Self, cast

import numpy as np

from studio.arrays import Floats
from studio.parts import option
from studio.space.encoding import impute, one_hot, one_hot_columns
from studio.space.space import Space
from studio.surrogates.base import Surrogate, check_observations, standardised
from studio.surrogates.features import Encoding, Features, Fill
from studio.surrogates.forest import Growth, Observed
from studio.surrogates.forest_posterior import ForestPosterior


@dataclass(frozen=True)
class RandomForest(Surrogate):
    """Mean and variance of the means that the trees predict (Hutter et al. 2011).

    The defaults are those of SMAC's pyrfr, which OpenBox and therefore DivBO use.
    Targets are standardised first, which changes nothing but that rounding is judged on their
    scale. scikit-learn counts a repeated row of a bootstrap once towards the smallest leaf.

    Pending trials enter by fantasies: the outcomes at all of them that one tree, drawn at
    random, predicts (with variance ``total`` also noise of its leaves' variance). Mean and
    variance of such a draw are those that the forest predicts. A forest is regrown on every
    one of them. Gradients there are none.
    """

    key: ClassVar[str] = "random-forest"
    title: ClassVar[str] = "Random forest"
    summary: ClassVar[str] = (
        "Predicts with decision trees how good an untried setting would be; where they disagree "
        "it is unsure. Stays fast with thousands of trials and copes with a hundred settings."
    )
    reference: ClassVar[str] = "Hutter et al. 2011 (SMAC); DivBO 4.2 and A.4"

    trees: int = option(10, low=1, high=1000, help="Trees in the forest.")
    features: float = option(
        5 / 6, low=0.0, high=1.0, help="Share of the coordinates looked at for each split."
    )
    split: int = option(
        3,
        low=2,
        high=1000,
        unit="trials",
        help=("Minimum number of trials in a node for it to be split."),
    )
    leaf: int = option(
        3, low=1, high=1000, unit="trials", help=("Minimum number of trials in each leaf.")
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
        help="The value used for settings that another branch does not have; outside is below "
        "every range.",
    )
    encoding: str = option(
        "by-target",
        choices=["by-target", "index", "one-hot"],
        help="Categories in the order of their mean loss, in the order of the space, or an axis "
        "each.",
    )
    fantasies: int = option(
        10, low=1, high=1000, help="Number of imagined outcomes of trials that are still running."
    )

    def fit(
        self, space: Space, U: Floats, targets: Floats, rng: np.random.Generator
    ) -> ForestPosterior:
        """Fit to observed configurations: U (n, D) with NaN where inactive, targets (n,)."""
        check_observations(space, U, targets)
        shift, scale, standard = standardised(targets)
        ordered = self.encoding == "by-target"
        coding = ForestFeatures(
            features=Features(
                space,
                "index" if ordered else cast(Encoding, self.encoding),
                cast(Fill, self.imputation),
                fill=0,
            ),
            order=TargetOrder.learnt(space, U, standard) if ordered else TargetOrder({}),
        )
        growth = Growth(
            trees=self.trees,
            share=self.features,
            split=self.split,
            leaf=self.leaf,
            bootstrap=self.bootstrap,
            within_leaves=self.variance == "total",
        )
        observed = Observed(coding.complete(U), standard)
        return ForestPosterior(
            complete=coding.complete,
            growth=growth,
            observed=(observed,),
            forests=(growth.grown(observed, rng),),
            shift=shift,
            scale=scale,
            fantasies=self.fantasies,
        )


@dataclass(frozen=True)
class TargetOrder:
    """Every unordered choice with its categories in the order of their mean target.

    Among all ways to part the categories in two, the one that leaves the least squared error is a
    cut of this order (Fisher 1958; Breiman et al. 1984, section 9.4). So a cut of one coordinate
    does what the categorical splits of SMAC's forest do; here the order is that of all
    observations, there of those in the node.

    Attributes:
        places: Column → the unit coordinate that each category, by its index, moves to, shape (k,).
    """

    places: dict[int, Floats]

    @classmethod
    def learnt(cls, space: Space, U: Floats, targets: Floats) -> Self:
        """Order the categories by the observations U (n, D) and targets (n,).

        A category that was never seen counts as an average one.
        """
        columns, category = one_hot_columns(space)
        chosen = one_hot(space, U) == 1.0
        places = {}
        for column in np.unique(columns[category >= 0]).tolist():
            seen = chosen[:, columns == column]
            counts = seen.sum(axis=0)
            residuals = targets - targets.mean() if len(targets) else targets
            means = np.where(counts > 0, residuals @ seen / np.maximum(counts, 1), 0.0)
            order = np.argsort(means, kind="stable")
            place = np.empty(len(order))
            place[order] = (np.arange(len(order)) + 0.5) / len(order)
            places[column] = place
        return cls(places)

    def moved(self, U: Floats) -> Floats:
        """Return unit rows (n, D) with the categories in their order; NaN stays NaN."""
        moved = U.copy()
        for column, place in self.places.items():
            known = ~np.isnan(U[:, column])
            index = np.floor(U[known, column] * len(place)).astype(np.int64)
            moved[known, column] = place[np.clip(index, 0, len(place) - 1)]
        return moved


@dataclass(frozen=True)
class ForestFeatures:
    """How unit rows become what the trees cut.

    Attributes:
        order: Moves categories first; an inactive choice that takes its default moves with it.
    """

    features: Features
    order: TargetOrder

    def complete(self, U: Floats) -> Floats:
        """Return the rows (n, D) as complete rows, shape (n, E)."""
        if self.features.imputation == "default":
            U = impute(self.features.space, U, "default")
        X = self.features.complete(self.order.moved(U))
        # A space of a single configuration has no coordinate; trees need one.
        return X if X.shape[1] else np.zeros((len(X), 1))
