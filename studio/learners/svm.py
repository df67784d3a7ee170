"""Support vector machines."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from studio.learners.base import CLASSIFICATION, REGRESSION, Learner
from studio.learners.domains import (
    Flag,
    ForbiddenCombination,
    LowerBoundedInteger,
    Positive,
    RealInterval,
    StringOptions,
    make_settings,
)
from studio.learners.facts import TableFacts
from studio.learners.library import SCIKIT_LEARN
from studio.learners.targets import standardise_target
from studio.learners.values import WIDTH_TWICE, LearnerValues

KERNEL_ITERATIONS = 100_000
"""Maximum iterations of libsvm's solver (per pair of classes). At C = 1e5 it may otherwise run for
hours; unlike a time limit, it gives the same model on all machines.
"""

LINEAR_ITERATIONS = 1000
"""Maximum iterations of liblinear's solver, scikit-learn's default."""

CACHE_MEGABYTES = 100


@dataclass(frozen=True)
class RbfSvm(Learner):
    """Support vector classifier with kernel exp(-‖x-x′‖²/(2τ²))."""

    key = "rbf-svm"
    title = "SVM with RBF kernel"
    noun = "an SVM with RBF kernel"
    short_name = "RBF SVM"
    colour_index = 5
    summary = (
        "Draws a smooth curved boundary between the classes with the widest possible margin. "
        "Strong on small and medium-sized tables; its two settings matter a great deal."
    )
    reference = "Cortes & Vapnik 1995; thesis 3.3, EO 4.2"
    tasks = CLASSIFICATION
    library = SCIKIT_LEARN
    prediction_type = "labels"
    hyperparameters = make_settings(C=Positive(), width=Positive(), gamma=Positive())
    forbidden_combinations = (WIDTH_TWICE,)

    def make_estimator(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn.svm import SVC

        return SVC(
            C=values.get_number("C", 1.0),
            gamma=values.get_rbf_gamma(default_width=max(1, facts.n_columns) ** 0.5),
            max_iter=KERNEL_ITERATIONS,
            cache_size=CACHE_MEGABYTES,
            random_state=facts.seed,
        )


@dataclass(frozen=True)
class KernelSvm(Learner):
    """Support vector classifier with a choice of kernels (EO 4.1).

    With γ = 1/(2τ²) of the width τ and the intercept c: linear x·x′, rbf exp(-γ‖x-x′‖²), poly
    (γ₀ x·x′ + c)^degree with γ₀ = 1/columns, sigmoid tanh(γ x·x′ + c).
    """

    key = "kernel-svm"
    title = "Kernel SVM"
    noun = "a kernel SVM"
    short_name = "Kernel SVM"
    colour_index = 14
    summary = (
        "Draws a boundary between the classes with the widest possible margin, straight or "
        "curved. The kernel determines which curves are possible."
    )
    reference = "Cortes & Vapnik 1995; EO 4.1"
    tasks = CLASSIFICATION
    library = SCIKIT_LEARN
    library_names = MappingProxyType({"coef0": "intercept"})
    prediction_type = "labels"
    hyperparameters = make_settings(
        kernel=StringOptions("rbf", "linear", "poly", "sigmoid"),
        C=Positive(),
        width=Positive(),
        gamma=Positive(),
        degree=LowerBoundedInteger(),
        intercept=RealInterval(),
        shrinking=Flag(),
        tol=Positive(),
        max_iter=LowerBoundedInteger(),
    )
    forbidden_combinations = (WIDTH_TWICE,)

    def make_estimator(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn.svm import SVC

        kernel = values.get_word("kernel")
        columns = max(1, facts.n_columns)
        gamma = values.get_rbf_gamma(default_width=columns**0.5)
        return SVC(
            kernel=kernel,
            **values.read(C=1.0, degree=3, shrinking=True, tol=1e-3),
            gamma=1.0 / columns if kernel == "poly" and "gamma" not in values else gamma,
            coef0=values.get_number("intercept", 1.0),
            max_iter=values.get_integer("max_iter", KERNEL_ITERATIONS, high=KERNEL_ITERATIONS),
            cache_size=CACHE_MEGABYTES,
            random_state=facts.seed,
        )


@dataclass(frozen=True)
class LinearSvm(Learner):
    """Linear support vector classifier, one against the rest.

    LIBLINEAR supports four of the eight combinations of penalty, loss and form: the absolute
    penalty requires the squared hinge and the primal, the plain hinge requires the dual.
    """

    key = "linear-svm"
    title = "Linear SVM"
    noun = "a linear SVM"
    colour_index = 1
    summary = (
        "Draws a straight boundary between the classes with the widest possible margin. Fast, "
        "and hard to beat when there are many columns."
    )
    reference = "Fan et al. 2008 (LIBLINEAR); EO 4.2"
    tasks = CLASSIFICATION
    library = SCIKIT_LEARN
    prediction_type = "labels"
    hyperparameters = make_settings(
        C=Positive(),
        penalty=StringOptions("l2", "l1"),
        loss=StringOptions("squared_hinge", "hinge"),
        dual=Flag(),
        tol=Positive(),
    )
    forbidden_combinations = (
        ForbiddenCombination(penalty="l1", loss="hinge"),
        ForbiddenCombination(penalty="l1", dual=True),
        ForbiddenCombination(loss="hinge", dual=False),
    )

    def make_estimator(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn.svm import LinearSVC

        return LinearSVC(
            **values.read("penalty", "loss", C=1.0, tol=1e-4),
            dual=values.get_boolean("dual", True) if "dual" in values else "auto",
            max_iter=LINEAR_ITERATIONS,
            random_state=facts.seed,
        )


@dataclass(frozen=True)
class RbfSvr(Learner):
    """Support vector regression with an RBF kernel, by its width τ or its gamma."""

    key = "rbf-svr"
    title = "SVM regression with RBF kernel"
    noun = "an SVM with RBF kernel"
    short_name = "RBF SVM"
    colour_index = 5
    summary = (
        "Fits a smooth curve that ignores errors inside a narrow tube. Strong on small and "
        "medium-sized tables; its settings matter a great deal."
    )
    reference = "Smola & Schölkopf 2004; SMBEO 6.1"
    tasks = REGRESSION
    library = SCIKIT_LEARN
    prediction_type = "values"
    hyperparameters = make_settings(
        C=Positive(), width=Positive(), gamma=Positive(), epsilon=Positive()
    )
    forbidden_combinations = (WIDTH_TWICE,)

    def make_estimator(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn.svm import SVR

        return standardise_target(
            SVR(
                **values.read(C=1.0, epsilon=0.1),
                gamma=values.get_rbf_gamma(default_width=max(1, facts.n_columns) ** 0.5),
                max_iter=KERNEL_ITERATIONS,
                cache_size=CACHE_MEGABYTES,
            )
        )


@dataclass(frozen=True)
class LinearSvr(Learner):
    """Linear support vector regression with the (by default squared) epsilon-insensitive loss."""

    key = "linear-svr"
    title = "Linear SVM regression"
    noun = "a linear SVM"
    short_name = "Linear SVM"
    colour_index = 1
    summary = (
        "Fits a straight line that ignores small errors. "
        "Fast, and steady when there are many columns."
    )
    reference = "Fan et al. 2008 (LIBLINEAR)"
    tasks = REGRESSION
    library = SCIKIT_LEARN
    prediction_type = "values"
    hyperparameters = make_settings(
        C=Positive(),
        epsilon=Positive(),
        loss=StringOptions("squared_epsilon_insensitive", "epsilon_insensitive"),
        dual=Flag(),
        tol=Positive(),
    )
    forbidden_combinations = (ForbiddenCombination(loss="epsilon_insensitive", dual=False),)

    def make_estimator(self, values: LearnerValues, facts: TableFacts) -> Any:
        """Return a ``LinearSVR`` on a standardised target.

        The squared loss can be solved in the primal, which also converges at C = 1e5; the plain
        loss only in the dual, which does not converge there.
        """
        from sklearn.svm import LinearSVR

        return standardise_target(
            LinearSVR(
                **values.read("loss", C=1.0, epsilon=0.01, tol=1e-4),
                dual=values.get_boolean("dual", True) if "dual" in values else "auto",
                max_iter=LINEAR_ITERATIONS,
                random_state=facts.seed,
            )
        )


@dataclass(frozen=True)
class KernelSvr(Learner):
    """Support vector regression with a choice of kernels, by their gamma.

    rbf exp(-γ‖x-x′‖²), poly (γ x·x′ + c)^degree, sigmoid tanh(γ x·x′ + c), linear x·x′ with the
    intercept c; γ is 1/columns by default.
    """

    key = "kernel-svr"
    title = "Kernel SVM (regression)"
    noun = "a kernel SVM"
    short_name = "Kernel SVM"
    colour_index = 14
    summary = (
        "Fits a line or a curve that ignores errors inside a narrow tube. The kernel determines "
        "which curves are possible."
    )
    reference = "Smola & Schölkopf 2004; the regression counterpart of DivBO A.3"
    tasks = REGRESSION
    library = SCIKIT_LEARN
    library_names = MappingProxyType({"coef0": "intercept"})
    prediction_type = "values"
    hyperparameters = make_settings(
        kernel=StringOptions("rbf", "linear", "poly", "sigmoid"),
        C=Positive(),
        epsilon=Positive(),
        gamma=Positive(),
        degree=LowerBoundedInteger(),
        intercept=RealInterval(),
        shrinking=Flag(),
        tol=Positive(),
        max_iter=LowerBoundedInteger(),
    )

    def make_estimator(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn.svm import SVR

        return standardise_target(
            SVR(
                **values.read("kernel", C=1.0, epsilon=0.1, degree=3, shrinking=True, tol=1e-3),
                **values.read(gamma=1.0 / max(1, facts.n_columns)),
                coef0=values.get_number("intercept", 0.0),
                max_iter=values.get_integer("max_iter", KERNEL_ITERATIONS, high=KERNEL_ITERATIONS),
                cache_size=CACHE_MEGABYTES,
            )
        )
