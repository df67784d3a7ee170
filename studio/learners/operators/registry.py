"""The one list of operators."""

from studio.learners.operators.arithmetic import Arithmetic
from studio.learners.operators.balancers import WeightBalancer
from studio.learners.operators.base import Operator
from studio.learners.operators.encoders import CrossedMeans, Native, OneHot, Ordinal, TargetMeans
from studio.learners.operators.expansions import CrossFeatures, Polynomial, RandomTrees
from studio.learners.operators.kernels import KernelPca, KitchenSinks, Nystroem
from studio.learners.operators.projections import (
    FastIca,
    FeatureAgglomeration,
    LdaDecomposer,
    Pca,
    Svd,
)
from studio.learners.operators.rescalers import MinMax, Quantile, Robust, RowNormalizer, Standard
from studio.learners.operators.selectors import (
    ExtraTreesSelector,
    LinearSvmSelector,
    SelectPercentile,
    SelectUnivariate,
)
from studio.learners.operators.targets import LogTarget

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
