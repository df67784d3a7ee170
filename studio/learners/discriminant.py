"""Discriminant analysis and naive Bayes."""

from dataclasses import dataclass
from typing import Any

from studio.errors import LearnerError
from studio.learners.base import CLASSIFICATION, Learner
from studio.learners.domains import (
    NOT_NEGATIVE,
    Positive,
    RealInterval,
    StringOptions,
    make_settings,
)
from studio.learners.facts import TableFacts
from studio.learners.library import SCIKIT_LEARN
from studio.learners.values import LearnerValues


@dataclass(frozen=True)
class Lda(Learner):
    """Linear discriminant analysis.

    ``shrinkage`` "none" uses a singular value decomposition, which handles collinear columns;
    "auto" shrinks the covariance towards a sphere by the factor of Ledoit and Wolf, "manual" by
    ``shrinkage_factor``, both by least squares, where ``tol`` has no effect.
    """

    key = "lda"
    title = "Linear discriminant analysis"
    noun = "linear discriminant analysis"
    short_name = "LDA"
    colour_index = 2
    summary = (
        "Treats every class as a bell-shaped cloud of the same form and draws straight "
        "boundaries. Fast, and good without any settings."
    )
    reference = "Fisher 1936; EO 4.2"
    tasks = CLASSIFICATION
    supports_sample_weight = False
    library = SCIKIT_LEARN
    hyperparameters = make_settings(
        shrinkage=StringOptions("none", "auto", "manual"),
        shrinkage_factor=RealInterval(0.0, 1.0),
        tol=Positive(),
    )

    def make_estimator(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

        shrinkage = values.get_word("shrinkage")
        if shrinkage == "none":
            return LinearDiscriminantAnalysis(tol=values.get_number("tol", 1e-4))
        if shrinkage == "auto":
            return LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
        shrinkage_factor = values.get_number("shrinkage_factor", 0.5)
        return LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage_factor)


@dataclass(frozen=True)
class Qda(Learner):
    """Quadratic discriminant analysis: covariance (1-r)Σ_c + r·I for each class c.

    The papers' range of ``reg_param`` extends to 1e3, but above 1 the formula subtracts Σ_c, which
    does not give a covariance; such values are clipped to 1 and recorded. A class with no more rows
    than there are columns has no full Σ_c: there the identity is scaled by the mean variance,
    (1-r)Σ_c + r·tr(Σ_c)/d·I, which scikit-learn can decompose in that case.
    """

    key = "qda"
    title = "Quadratic discriminant analysis"
    noun = "quadratic discriminant analysis"
    short_name = "QDA"
    colour_index = 10
    summary = (
        "Treats every class as a bell-shaped cloud with its own shape and draws curved boundaries. "
        "Its setting shrinks the clouds towards a sphere; values above 1 count as 1."
    )
    reference = "Friedman 1989; EO 4.2"
    tasks = CLASSIFICATION
    supports_sample_weight = False
    library = SCIKIT_LEARN
    hyperparameters = make_settings(reg_param=NOT_NEGATIVE)

    def make_estimator(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

        if facts.smallest_class < 2:
            raise LearnerError(
                "Quadratic discriminant analysis needs two training rows of every class, and "
                "the rarest class has one. Leave it out of the space, or merge the rare "
                "classes."
            )
        shrinkage = values.get_number("reg_param", 0.1, high=1.0)
        if facts.smallest_class > facts.n_columns:
            return QuadraticDiscriminantAnalysis(reg_param=shrinkage)
        return QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=shrinkage, tol=1e-12)


@dataclass(frozen=True)
class NaiveBayes(Learner):
    """Gaussian naive Bayes; no hyperparameters."""

    key = "naive-bayes"
    title = "Naive Bayes"
    noun = "naive Bayes"
    colour_index = 7
    summary = (
        "Treats every column as an independent bell curve in each class. Very fast and rough; "
        "often a usefully different member of an ensemble."
    )
    reference = "EO 4.2"
    tasks = CLASSIFICATION
    library = SCIKIT_LEARN

    def make_estimator(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn.naive_bayes import GaussianNB

        return GaussianNB()
