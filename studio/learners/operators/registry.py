"""Registry of operators."""

from studio.learners.operators.arithmetic import Arithmetic
from studio.learners.operators.base import Operator
from studio.learners.operators.encoders import (
    CrossedMeans,
    NativeEncoding,
    OneHotEncoding,
    OrdinalEncoding,
    TargetMeans,
)
from studio.learners.operators.expansions import (
    CrossFeatures,
    KernelPca,
    KitchenSinks,
    Nystroem,
    Polynomial,
    RandomTrees,
)
from studio.learners.operators.rescalers import (
    MinMaxScaling,
    QuantileScaling,
    RobustScaling,
    RowNormalizer,
    StandardScaling,
)
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
    OneHotEncoding,
    TargetMeans,
    CrossedMeans,
    OrdinalEncoding,
    NativeEncoding,
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
    MinMaxScaling,
    RowNormalizer,
    StandardScaling,
    QuantileScaling,
    RobustScaling,
    LogTarget,
)
