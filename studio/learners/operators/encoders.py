"""Encoders of categorical columns."""

import itertools
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

import numpy as np

from studio.learners.domains import NOT_NEGATIVE, make_settings
from studio.learners.facts import TableFacts, get_category_cap
from studio.learners.operators.base import ChosenOperator, Operator
from studio.learners.values import LearnerValues
from studio.trial import Value

NO_CATEGORY = -1
"""Code of missing and unseen categories; LightGBM's "missing"."""

MIN_ROWS = 2
"""Minimum number of training rows of a category; rarer ones share one code."""

FOLDS = 5
"""Number of folds of a target encoding; each fold's means come from the other folds."""


@dataclass(frozen=True)
class Encoder(Operator):
    """Base of the encoders, which are part of the preparation and receive codes of categories.

    Attributes:
        measures: Whether its columns are measures, standardised like numbers.
        codes: Whether its columns are codes that a learner may split as categories.
    """

    stage = "encoder"
    monotone = True
    measures: ClassVar[bool] = True
    codes: ClassVar[bool] = False

    @abstractmethod
    def count_columns(self, facts: TableFacts) -> int:
        """Return the number of columns made from the categorical ones."""

    def get_encoded_facts(self, facts: TableFacts) -> TableFacts:
        """Return the facts with the encoded columns."""
        n_encoded, n_numeric = self.count_columns(facts), int((~facts.categorical).sum())
        return replace(
            facts, n_columns=n_numeric + n_encoded, n_codes=n_encoded if self.codes else 0
        )


def find_encoder(
    operators: Sequence[ChosenOperator], default: Encoder
) -> tuple[Encoder, Mapping[str, Value]]:
    """Return a configuration's encoder and its values; or the default one."""
    for chosen_operator in operators:
        if chosen_operator.stage == "encoder" and chosen_operator.operator is not None:
            return cast(Encoder, chosen_operator.operator), chosen_operator.values
    return default, {}


@dataclass(frozen=True)
class OneHotEncoding(Encoder):
    """A column per category, at most 50 per table column; the rarest categories share one."""

    key = "one-hot"
    title = "A column for each category"
    summary = (
        "Makes a yes-or-no column for every category, missing being one of them. In columns "
        "with more than 50 categories, the rarest share one."
    )
    reference = "scikit-learn: OneHotEncoder"
    measures = False

    def make_transformer(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn.preprocessing import OneHotEncoder

        return OneHotEncoder(
            handle_unknown="infrequent_if_exist",
            max_categories=get_category_cap(facts.categorical),
            sparse_output=False,
        )

    def count_columns(self, facts: TableFacts) -> int:
        """Return the number of training categories that have a column."""
        return facts.n_columns - int((~facts.categorical).sum())


@dataclass(frozen=True)
class TargetMeans(Encoder):
    """Each category as the mean target of its training rows, shrunk to the overall mean.

    A training row's means come from the four fifths of the training rows without it, so that no row
    uses its target. With three classes or more, each class of the training rows has a column with
    its share. Categories with a single training row share their means.
    """

    key = "target-means"
    title = "Mean target of each category"
    summary = (
        "Replaces every category by its average target, learned from other rows. Keeps "
        "columns with thousands of categories small."
    )
    reference = "Micci-Barreca 2001; out of fold as in AutoGluon"
    hyperparameters = make_settings(smooth=NOT_NEGATIVE)

    def make_transformer(self, values: LearnerValues, facts: TableFacts) -> Any:
        """Return codes of categories, then a ``TargetEncoder`` (its ``fit_transform`` folds)."""
        from sklearn.model_selection import KFold, StratifiedKFold
        from sklearn.pipeline import Pipeline
        from sklearn.preprocessing import TargetEncoder

        # Folds stratified by class, if each class has enough rows.
        splitter = StratifiedKFold if facts.smallest_class >= FOLDS else KFold
        n_folds = max(2, min(FOLDS, facts.n_rows))
        encode = TargetEncoder(
            target_type="continuous" if facts.task == "regression" else "auto",
            smooth=values.get_number("smooth", 10.0),
            cv=splitter(n_folds, shuffle=True, random_state=facts.seed),
        )
        return Pipeline([("codes", _make_code_encoder()), ("means", encode)])

    def count_columns(self, facts: TableFacts) -> int:
        """Return the number of categorical columns, times the classes if above two."""
        n_per_column = facts.seen_classes if facts.seen_classes > 2 else 1
        return int(facts.categorical.sum()) * n_per_column


MAX_CROSSED = 10
"""Maximum number of crossed categorical columns: 45 pairs."""


@dataclass(frozen=True)
class CrossedMeans(TargetMeans):
    """Mean targets of each category, and of each pair of categories of two columns.

    Pairs are formed from the first ten categorical columns.
    """

    key = "crossed-means"
    title = "Mean target of categories and their pairs"
    summary = (
        "Replaces every category by its average target, and adds columns for pairs of categories. "
        "Finds interactions of two columns."
    )
    reference = "Micci-Barreca 2001; crosses as in AutoGluon"

    def make_transformer(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn.pipeline import FeatureUnion, Pipeline
        from sklearn.preprocessing import FunctionTransformer

        pairs = _list_pairs(facts)
        if not pairs:
            return super().make_transformer(values, facts)
        # Combine two codes into one number: the factor exceeds all codes.
        factor = facts.max_categories + 2
        weigh = np.zeros((int(facts.categorical.sum()), len(pairs)))
        for index, (first, second) in enumerate(pairs):
            weigh[first, index], weigh[second, index] = factor, 1.0
        cross = FunctionTransformer(np.dot, kw_args={"b": weigh})
        columns_and_pairs = FeatureUnion([("columns", "passthrough"), ("pairs", cross)])
        pipeline = super().make_transformer(values, facts)
        return Pipeline(
            [("numbered", _make_code_encoder()), ("cross", columns_and_pairs), *pipeline.steps]
        )

    def count_columns(self, facts: TableFacts) -> int:
        """Return the number of categorical columns and pairs, times the classes if above two."""
        columns = int(facts.categorical.sum())
        if columns:
            return super().count_columns(facts) // columns * (columns + len(_list_pairs(facts)))
        return 0


def _list_pairs(facts: TableFacts) -> list[tuple[int, int]]:
    n_crossed = min(MAX_CROSSED, int(facts.categorical.sum()))
    return list(itertools.combinations(range(n_crossed), 2))


@dataclass(frozen=True)
class OrdinalEncoding(Encoder):
    """Each category as its code, in the order of the table's categories."""

    key = "ordinal"
    title = "Categories in their order"
    summary = (
        "Numbers the categories in their order, so a column stays a single column. Good for "
        "ordered categories; trees need no order."
    )
    reference = "scikit-learn: OrdinalEncoder"

    def make_transformer(self, values: LearnerValues, facts: TableFacts) -> Any:
        return _make_code_encoder()

    def count_columns(self, facts: TableFacts) -> int:
        return int(facts.categorical.sum())


@dataclass(frozen=True)
class NativeEncoding(OrdinalEncoding):
    """Category codes that boosted trees split into sets and networks embed; otherwise ordinal."""

    key = "native"
    title = "The default encoding of the model"
    summary = (
        "Passes integer codes to boosted trees, which split the categories into two sets by "
        "their targets, and to the network for tables, which learns a vector of eight numbers "
        "for each category. All other models treat the codes as ordered numbers."
    )
    reference = "Fisher 1958; Ke et al. 2017 (LightGBM); Guo & Berkhahn 2016"
    codes = True


def _make_code_encoder() -> Any:
    from sklearn.preprocessing import OrdinalEncoder

    return OrdinalEncoder(
        handle_unknown="use_encoded_value",
        unknown_value=NO_CATEGORY,
        encoded_missing_value=NO_CATEGORY,
        min_frequency=MIN_ROWS,
    )
