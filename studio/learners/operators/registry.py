"""Registry of operators."""

from studio.learners.operators.arithmetic import Arithmetic
from studio.learners.operators.base import Operator
from studio.learners.operators.encoders import CrossedMeans, Native, OneHot, Ordinal, TargetMeans
from studio.learners.operators.expansions import (
    CrossFeatures,
    KernelPca,
    KitchenSinks,
    Nystroem,
    Polynomial,
    RandomTrees,
)
from studio.learners.operators.rescalers import MinMax, Quantile, Robust, RowNormalizer, Standard
from studio.learners.operators.selectors import (
    ExtraTreesSelector,
    FastIca,
    FeatureAgglomeration,
    LdaDecomposer,
    LinearSvmSelector,
    Pca,
    SelectPercentile,
    SelectUnivariate,
    Svd,
)
from studio.learners.operators.targets import LogTarget, WeightBalancer

REGISTRY: tuple[type[Operator], ...] = (
    WeightBalancer,
    OneHot,
    TargetMeans,
    CrossedMeans,
    Ordinal,
    Native,
    Arithmetic,
    CrossFeatures,
    FastIca,
    FeatureAgglomeration,
    KernelPca,
    KitchenSinks,
    LdaDecomposer,
    Nystroem,
    Pca,
    Polynomial,
    RandomTrees,
    Svd,
    SelectPercentile,
    SelectUnivariate,
    ExtraTreesSelector,
    LinearSvmSelector,
    MinMax,
    RowNormalizer,
    Standard,
    Quantile,
    Robust,
    LogTarget,
)
