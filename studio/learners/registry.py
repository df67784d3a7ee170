"""The one list of learners."""

from studio.learners.base import Learner
from studio.learners.bayes import NaiveBayes
from studio.learners.boosting import AdaBoost, AdaBoostRegressor
from studio.learners.discriminant import Lda, Qda
from studio.learners.linear import Ridge
from studio.learners.neighbours import Neighbours, NeighboursRegressor
from studio.learners.svm import KernelSvm, LinearSvm, LinearSvr, RbfSvm, RbfSvr
from studio.learners.trees import Forest, ForestRegressor, Tree, TreeRegressor

REGISTRY: tuple[type[Learner], ...] = (
    Neighbours,
    RbfSvm,
    LinearSvm,
    Tree,
    Forest,
    AdaBoost,
    NaiveBayes,
    Lda,
    Qda,
    KernelSvm,
    NeighboursRegressor,
    RbfSvr,
    LinearSvr,
    TreeRegressor,
    ForestRegressor,
    AdaBoostRegressor,
    Ridge,
)
