"""Columns that let a straight line follow a kernel's curves."""

from dataclasses import dataclass
from typing import Any

from studio.learners.domains import Positive, Real, Whole, Word, settings
from studio.learners.facts import TableFacts
from studio.learners.operators.base import Operator
from studio.learners.operators.clipping import behind_zero
from studio.learners.values import Values

_KERNEL = settings(
    n_components=Whole(),
    gamma=Positive(),
    degree=Whole(),
    coef0=Real(),
)


def _kernel(values: Values) -> dict[str, Any]:
    """Return a kernel and those of its settings that it reads."""
    kernel = values.word("kernel")
    settings: dict[str, Any] = {"kernel": kernel}
    if kernel != "cosine":
        settings["gamma"] = values.number("gamma", 0.1)
    if kernel == "poly":
        settings["degree"] = values.whole("degree", 3)
    if kernel in {"poly", "sigmoid"}:
        settings["coef0"] = values.real("coef0", 0.0)
    return settings


@dataclass(frozen=True)
class KernelPca(Operator):
    """Principal components in a kernel's space; at most as many as rows."""

    key = "kernel-pca"
    title = "Kernel principal components"
    summary = (
        "Principal components of what a kernel sees, so that curves become straight. "
        "Needs time and memory for every pair of rows; for small tables."
    )
    reference = "Schölkopf et al. 1998; DivBO A.3"
    hyperparameters = settings(**_KERNEL, kernel=Word("rbf", "poly", "sigmoid", "cosine"))

    def transformer(self, values: Values, facts: TableFacts) -> Any:
        """Return a ``KernelPCA``."""
        from sklearn.decomposition import KernelPCA

        return KernelPCA(
            n_components=values.whole("n_components", 100, high=facts.n_rows),
            random_state=facts.seed,
            n_jobs=1,
            **_kernel(values),
        )


@dataclass(frozen=True)
class KitchenSinks(Operator):
    """Random cosines whose inner products come close to an RBF kernel."""

    key = "kitchen-sinks"
    title = "Random kitchen sinks"
    summary = (
        "Replaces the columns by many random waves of them. A quick stand-in for a kernel "
        "machine on large tables."
    )
    reference = "Rahimi & Recht 2007; DivBO A.3"
    hyperparameters = settings(gamma=Positive(), n_components=Whole())

    def transformer(self, values: Values, facts: TableFacts) -> Any:
        """Return an ``RBFSampler``."""
        from sklearn.kernel_approximation import RBFSampler

        return RBFSampler(
            gamma=values.number("gamma", 1.0),
            n_components=values.whole("n_components", 100),
            random_state=facts.seed,
        )


@dataclass(frozen=True)
class Nystroem(Operator):
    """Similarities to some random rows, whitened; at most as many as rows."""

    key = "nystroem"
    title = "Similarity to some rows"
    summary = (
        "Describes every row by how much it is like some random rows. "
        "A stand-in for a kernel machine that a straight line can use."
    )
    reference = "Williams & Seeger 2001; DivBO A.3"
    hyperparameters = settings(**_KERNEL, kernel=Word("rbf", "poly", "sigmoid", "cosine", "chi2"))

    def transformer(self, values: Values, facts: TableFacts) -> Any:
        """Return a ``Nystroem``; the chi2 kernel, which knows no negatives, sees them as 0."""
        from sklearn.kernel_approximation import Nystroem as Transformer

        settings = _kernel(values)
        transformer = Transformer(
            n_components=values.whole("n_components", 100, high=facts.n_rows),
            random_state=facts.seed,
            n_jobs=1,
            **settings,
        )
        return behind_zero(transformer) if settings["kernel"] == "chi2" else transformer
