"""Support vector machines for numbers.

Targets are standardised inside the learner, so that the tube and C mean the same on every table.
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from studio.learners.base import REGRESSION, Learner
from studio.learners.domains import Clash, Flag, Positive, Real, Whole, Word, settings
from studio.learners.facts import TableFacts
from studio.learners.library.scikit_learn import SCIKIT_LEARN
from studio.learners.svm import CACHE_MEGABYTES, KERNEL_ITERATIONS, LINEAR_ITERATIONS
from studio.learners.targets import on_standard_target
from studio.learners.values import WIDTH_TWICE, Values


@dataclass(frozen=True)
class RbfSvr(Learner):
    """Support vector regression with an RBF kernel, by its width τ or its gamma."""

    key = "rbf-svr"
    title = "SVM regression with RBF kernel"
    noun = "an SVM with RBF kernel"
    short = "RBF SVM"
    place = 5
    summary = (
        "Fits a smooth curve that ignores errors inside a narrow tube. Strong on small and "
        "medium-sized tables; its settings matter a great deal."
    )
    reference = "Smola & Schölkopf 2004; SMBEO 6.1"
    tasks = REGRESSION
    library = SCIKIT_LEARN
    weighted = True
    predicts = "values"
    hyperparameters = settings(
        C=Positive(),
        width=Positive(),
        gamma=Positive(),
        epsilon=Positive(),
    )
    clashes = (WIDTH_TWICE,)

    def estimator(self, values: Values, facts: TableFacts) -> Any:
        """Return an ``SVR`` on a standardised target."""
        from sklearn.svm import SVR

        return on_standard_target(
            SVR(
                C=values.number("C", 1.0),
                gamma=values.rbf_gamma(default_width=max(1, facts.n_columns) ** 0.5),
                epsilon=values.number("epsilon", 0.1),
                max_iter=KERNEL_ITERATIONS,
                cache_size=CACHE_MEGABYTES,
            )
        )


@dataclass(frozen=True)
class LinearSvr(Learner):
    """Linear support vector regression with the (squared, if not said) epsilon-insensitive loss."""

    key = "linear-svr"
    title = "Linear SVM regression"
    noun = "a linear SVM"
    short = "Linear SVM"
    place = 8
    summary = (
        "Fits a straight line that ignores small errors. "
        "Fast, and steady when there are many columns."
    )
    reference = "Fan et al. 2008 (LIBLINEAR)"
    tasks = REGRESSION
    library = SCIKIT_LEARN
    weighted = True
    predicts = "values"
    hyperparameters = settings(
        C=Positive(),
        epsilon=Positive(),
        loss=Word("squared_epsilon_insensitive", "epsilon_insensitive"),
        dual=Flag(),
        tol=Positive(),
    )
    clashes = (Clash(loss="epsilon_insensitive", dual=False),)

    def estimator(self, values: Values, facts: TableFacts) -> Any:
        """Return a ``LinearSVR`` on a standardised target.

        The squared loss can be solved in the primal, which converges at C = 1e5 too; the plain
        one only in the dual, which then does not.
        """
        from sklearn.svm import LinearSVR

        dual: bool | str = values.flag("dual", True) if "dual" in values else "auto"

        return on_standard_target(
            LinearSVR(
                C=values.number("C", 1.0),
                epsilon=values.number("epsilon", 0.01),
                loss=values.word("loss"),
                dual=dual,
                tol=values.number("tol", 1e-4),
                max_iter=LINEAR_ITERATIONS,
                random_state=facts.seed,
            )
        )


@dataclass(frozen=True)
class KernelSvr(Learner):
    """Support vector regression with a choice of kernels, by their gamma.

    rbf exp(-γ‖x-x′‖²), poly (γ x·x′ + c)^degree, sigmoid tanh(γ x·x′ + c), linear x·x′ with the
    intercept c; γ is 1/columns where nothing is said.
    """

    key = "kernel-svr"
    title = "SVM regression with a choice of kernels"
    noun = "a kernel SVM"
    short = "Kernel SVM"
    place = 15
    summary = (
        "Fits a line or a curve that ignores errors inside a narrow tube. The kernel determines "
        "which curves are possible."
    )
    reference = "Smola & Schölkopf 2004; the regression counterpart of DivBO A.3"
    tasks = REGRESSION
    library = SCIKIT_LEARN
    renamed = MappingProxyType({"coef0": "intercept"})
    weighted = True
    predicts = "values"
    hyperparameters = settings(
        kernel=Word("rbf", "linear", "poly", "sigmoid"),
        C=Positive(),
        epsilon=Positive(),
        gamma=Positive(),
        degree=Whole(),
        intercept=Real(),
        shrinking=Flag(),
        tol=Positive(),
        max_iter=Whole(),
    )

    def estimator(self, values: Values, facts: TableFacts) -> Any:
        """Return an ``SVR`` on a standardised target."""
        from sklearn.svm import SVR

        return on_standard_target(
            SVR(
                kernel=values.word("kernel"),
                C=values.number("C", 1.0),
                epsilon=values.number("epsilon", 0.1),
                gamma=values.number("gamma", 1.0 / max(1, facts.n_columns)),
                degree=values.whole("degree", 3),
                coef0=values.real("intercept", 0.0),
                shrinking=values.flag("shrinking", True),
                tol=values.number("tol", 1e-3),
                max_iter=values.whole("max_iter", KERNEL_ITERATIONS, high=KERNEL_ITERATIONS),
                cache_size=CACHE_MEGABYTES,
            )
        )
