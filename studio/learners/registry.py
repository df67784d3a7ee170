"""Registry of learners."""

from studio.learners.base import Learner
from studio.learners.catboost import CatBoost, CatBoostRegressor
from studio.learners.convolution import ConvolutionalNetwork
from studio.learners.discriminant import Lda, NaiveBayes, Qda
from studio.learners.forests import (
    ExtraTrees,
    ExtraTreesRegressor,
    ForestLearner,
    ForestRegressor,
    Tree,
    TreeRegressor,
)
from studio.learners.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from studio.learners.gradient_boosting import (
    AdaBoost,
    AdaBoostRegressor,
    GradientBoosting,
    GradientBoostingRegressor,
)
from studio.learners.lightgbm import (
    BoostedTrees,
    BoostedTreesRegressor,
    LightGbm,
    LightGbmRegressor,
)
from studio.learners.linear import Lasso, LogisticRegression, Ridge
from studio.learners.neighbours import Neighbours, NeighboursRegressor
from studio.learners.perceptron import Perceptron, PerceptronRegressor
from studio.learners.real_mlp import RealMlp, RealMlpRegressor
from studio.learners.svm import KernelSvm, KernelSvr, LinearSvm, LinearSvr, RbfSvm, RbfSvr
from studio.learners.tabicl import TabIcl, TabIclRegressor
from studio.learners.xgboost import XgBoost, XgBoostRegressor

PRELOADED = (
    "lightgbm",
    "sklearn.compose",
    "sklearn.discriminant_analysis",
    "sklearn.ensemble",
    "sklearn.impute",
    "sklearn.linear_model",
    "sklearn.naive_bayes",
    "sklearn.neighbors",
    "sklearn.pipeline",
    "sklearn.preprocessing",
    "sklearn.svm",
    "sklearn.tree",
)
"""Modules loaded by a worker before its first job, so that no trial includes their import."""

REGISTRY: tuple[type[Learner], ...] = (
    Neighbours,
    RbfSvm,
    LinearSvm,
    Tree,
    ForestLearner,
    AdaBoost,
    NaiveBayes,
    Lda,
    Qda,
    KernelSvm,
    ExtraTrees,
    GradientBoosting,
    LightGbm,
    LogisticRegression,
    Perceptron,
    ConvolutionalNetwork,
    NeighboursRegressor,
    RbfSvr,
    LinearSvr,
    TreeRegressor,
    ForestRegressor,
    AdaBoostRegressor,
    Ridge,
    Lasso,
    KernelSvr,
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    LightGbmRegressor,
    PerceptronRegressor,
    BoostedTrees,
    BoostedTreesRegressor,
    GaussianProcessClassifier,
    GaussianProcessRegressor,
    RealMlp,
    RealMlpRegressor,
    XgBoost,
    XgBoostRegressor,
    CatBoost,
    CatBoostRegressor,
    TabIcl,
    TabIclRegressor,
)
