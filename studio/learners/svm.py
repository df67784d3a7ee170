"""Support vector machines.

Classifiers give labels only: calibrating probabilities would cost five more fits, and votes need
none. Targets of the regressors are standardised inside the learner, so that the tube and C mean
the same on every table.
"""

from dataclasses import dataclass
from typing import Any

from studio.learners.base import CLASSIFICATION, REGRESSION, Learner
from studio.learners.facts import Facts
from studio.learners.values import Values

KERNEL_ITERATIONS = 100_000
"""Most steps of libsvm's solver (for each pair of classes). At C = 1e5 it may otherwise go round
for hours; unlike a time limit, a count of steps gives the same model on every machine."""

LINEAR_ITERATIONS = 1000
"""Most steps of liblinear's solver, scikit-learn's default."""

CACHE_MEGABYTES = 100
"""Kernel cache of libsvm."""


@dataclass(frozen=True)
class RbfSvm(Learner):
    """Support vector classifier with kernel exp(-‖x-x′‖²/(2τ²))."""

    key = "rbf-svm"
    title = "SVM with RBF kernel"
    summary = (
        "Draws a smooth curved border between the classes with the widest possible margin. "
        "Strong on small and middle-sized tables; its two settings matter a great deal."
    )
    reference = "Cortes & Vapnik 1995; thesis 3.3, EO 4.2"
    tasks = CLASSIFICATION
    predicts = "labels"
    hyperparameters = ("C", "width", "gamma")

    def estimator(self, values: Values, facts: Facts) -> Any:
        """Return an ``SVC`` with gamma = 1/(2τ²)."""
        from sklearn.svm import SVC

        return SVC(
            C=values.number("C", 1.0),
            gamma=values.rbf_gamma(default_width=max(1, facts.n_columns) ** 0.5),
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
    title = "SVM with a choice of kernels"
    summary = (
        "Draws a border between the classes with the widest possible margin, straight or curved. "
        "The kernel says which curves are possible."
    )
    reference = "Cortes & Vapnik 1995; EO 4.1"
    tasks = CLASSIFICATION
    predicts = "labels"
    hyperparameters = ("kernel", "C", "width", "gamma", "degree", "intercept")

    def estimator(self, values: Values, facts: Facts) -> Any:
        """Return an ``SVC``."""
        from sklearn.svm import SVC

        kernel = values.word("kernel", "rbf", ("linear", "rbf", "poly", "sigmoid"))
        columns = max(1, facts.n_columns)
        gamma = values.rbf_gamma(default_width=columns**0.5)
        return SVC(
            kernel=kernel,
            C=values.number("C", 1.0),
            gamma=1.0 / columns if kernel == "poly" and "gamma" not in values else gamma,
            degree=values.whole("degree", 3),
            coef0=values.number("intercept", 1.0),
            max_iter=KERNEL_ITERATIONS,
            cache_size=CACHE_MEGABYTES,
            random_state=facts.seed,
        )


@dataclass(frozen=True)
class LinearSvm(Learner):
    """Support vector classifier without a kernel, one against the rest."""

    key = "linear-svm"
    title = "Linear SVM"
    summary = (
        "Draws a straight border between the classes with the widest possible margin. "
        "Fast, and hard to beat when there are many columns."
    )
    reference = "Fan et al. 2008 (LIBLINEAR); EO 4.2"
    tasks = CLASSIFICATION
    predicts = "labels"
    hyperparameters = ("C",)

    def estimator(self, values: Values, facts: Facts) -> Any:
        """Return a ``LinearSVC``, primal where there are more rows than columns."""
        from sklearn.svm import LinearSVC

        return LinearSVC(
            C=values.number("C", 1.0),
            dual="auto",
            max_iter=LINEAR_ITERATIONS,
            random_state=facts.seed,
        )


@dataclass(frozen=True)
class RbfSvr(Learner):
    """Support vector regression with an RBF kernel, by its width τ or its gamma."""

    key = "rbf-svr"
    title = "SVM regression with RBF kernel"
    summary = (
        "Fits a smooth curve that ignores errors inside a narrow tube. "
        "Strong on small and middle-sized tables; its settings matter a great deal."
    )
    reference = "Smola & Schölkopf 2004; SMBEO 6.1"
    tasks = REGRESSION
    predicts = "values"
    hyperparameters = ("C", "width", "gamma", "epsilon")

    def estimator(self, values: Values, facts: Facts) -> Any:
        """Return an ``SVR`` behind a standardised target."""
        from sklearn.svm import SVR

        return _on_standard_target(
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
    """Linear support vector regression with the squared epsilon-insensitive loss."""

    key = "linear-svr"
    title = "Linear SVM regression"
    summary = (
        "Fits a straight line that ignores small errors. "
        "Fast, and steady when there are many columns."
    )
    reference = "Fan et al. 2008 (LIBLINEAR)"
    tasks = REGRESSION
    predicts = "values"
    hyperparameters = ("C", "epsilon")

    def estimator(self, values: Values, facts: Facts) -> Any:
        """Return a ``LinearSVR`` behind a standardised target.

        The squared loss can be solved in the primal, which converges at C = 1e5 too; the plain
        one only in the dual, which then does not.
        """
        from sklearn.svm import LinearSVR

        return _on_standard_target(
            LinearSVR(
                C=values.number("C", 1.0),
                epsilon=values.number("epsilon", 0.01),
                loss="squared_epsilon_insensitive",
                dual="auto",
                max_iter=LINEAR_ITERATIONS,
                random_state=facts.seed,
            )
        )


def _on_standard_target(regressor: Any) -> Any:
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.preprocessing import StandardScaler

    return TransformedTargetRegressor(regressor, transformer=StandardScaler(), check_inverse=False)
