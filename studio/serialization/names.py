"""The classes and functions that a kept model may consist of, by fixed names: there are no others.

The list is the program's own. What a file names and is not here is refused, whatever it says.
"""

import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from studio.errors import KeepingError

CLASSES: Mapping[str, tuple[str, ...]] = {
    "lightgbm": ("LGBMClassifier", "LGBMRegressor"),
    "sklearn.cluster": ("FeatureAgglomeration",),
    "sklearn.compose": ("ColumnTransformer", "TransformedTargetRegressor"),
    "sklearn.decomposition": ("FastICA", "KernelPCA", "PCA", "TruncatedSVD"),
    "sklearn.discriminant_analysis": (
        "LinearDiscriminantAnalysis",
        "QuadraticDiscriminantAnalysis",
    ),
    "sklearn.dummy": ("DummyClassifier", "DummyRegressor"),
    "sklearn.ensemble": (
        "AdaBoostClassifier",
        "AdaBoostRegressor",
        "ExtraTreesClassifier",
        "ExtraTreesRegressor",
        "GradientBoostingClassifier",
        "GradientBoostingRegressor",
        "RandomForestClassifier",
        "RandomForestRegressor",
        "RandomTreesEmbedding",
    ),
    "sklearn.feature_selection": (
        "GenericUnivariateSelect",
        "SelectFromModel",
        "SelectPercentile",
        "VarianceThreshold",
    ),
    "sklearn.gaussian_process": ("GaussianProcessRegressor",),
    "sklearn.gaussian_process.kernels": ("RBF", "ConstantKernel", "Matern", "Product"),
    "sklearn.impute": ("MissingIndicator", "SimpleImputer"),
    "sklearn.kernel_approximation": ("Nystroem", "RBFSampler"),
    "sklearn.linear_model": (
        "ElasticNet",
        "Lasso",
        "LinearRegression",
        "LogisticRegression",
        "Ridge",
        "RidgeClassifier",
    ),
    "sklearn.multiclass": ("OneVsRestClassifier",),
    "sklearn.naive_bayes": ("GaussianNB",),
    "sklearn.neighbors": ("KNeighborsClassifier", "KNeighborsRegressor"),
    "sklearn.neural_network": ("MLPClassifier", "MLPRegressor"),
    "sklearn.pipeline": ("FeatureUnion", "Pipeline"),
    "sklearn.preprocessing": (
        "FunctionTransformer",
        "KBinsDiscretizer",
        "KernelCenterer",
        "LabelBinarizer",
        "LabelEncoder",
        "MaxAbsScaler",
        "MinMaxScaler",
        "Normalizer",
        "OneHotEncoder",
        "OrdinalEncoder",
        "PolynomialFeatures",
        "PowerTransformer",
        "QuantileTransformer",
        "RobustScaler",
        "StandardScaler",
        "TargetEncoder",
    ),
    "sklearn.svm": ("LinearSVC", "LinearSVR", "SVC", "SVR"),
    "sklearn.tree": (
        "DecisionTreeClassifier",
        "DecisionTreeRegressor",
        "ExtraTreeClassifier",
        "ExtraTreeRegressor",
    ),
    "xgboost": ("XGBClassifier", "XGBRegressor"),
}
"""By the module from which people import them."""

FUNCTIONS: Mapping[str, tuple[str, ...]] = {
    "numpy": (
        "asarray",
        "clip",
        "dot",
        "hstack",
        "max",
        "mean",
        "median",
        "prod",
        "reshape",
        "take",
    ),
    "sklearn.feature_selection": ("chi2", "f_classif", "f_regression", "mutual_info_classif"),
}
"""Beside these, every ufunc of numpy and scipy.special: they compute and do nothing else."""

_WITH_UFUNCS = ("numpy", "scipy.special")


def class_named(name: str) -> type[Any]:
    """Return a class of the list.

    Raises:
        KeepingError: If it is not there.
    """
    module, _, short = name.rpartition(".")
    if short not in CLASSES.get(module, ()):
        raise KeepingError("{name!r} is not part of models that can be kept.", name=name[:80])
    kind = getattr(importlib.import_module(module), short)
    assert isinstance(kind, type)
    return kind


def name_of_class(kind: type[Any]) -> str:
    """Return the name of a class of the list.

    Raises:
        KeepingError: If it is not there.
    """
    for module, names in CLASSES.items():
        if kind.__name__ in names and kind.__module__.startswith(module):
            name = f"{module}.{kind.__name__}"
            if class_named(name) is kind:
                return name
    raise KeepingError(
        "{module}.{kind} is not part of models that can be kept.",
        module=kind.__module__,
        kind=kind.__name__,
    )


def function_named(name: str) -> Any:
    """Return a function of the list, or a ufunc.

    Raises:
        KeepingError: If it is neither.
    """
    module, _, short = name.rpartition(".")
    if short.isidentifier() and module in {*FUNCTIONS, *_WITH_UFUNCS}:
        found = getattr(importlib.import_module(module), short, None)
        if short in FUNCTIONS.get(module, ()):
            return found
        if module in _WITH_UFUNCS and isinstance(found, np.ufunc):
            return found
    raise KeepingError(
        ("The function {name!r} is not part of models that can be kept."), name=name[:80]
    )


def name_of_function(function: Any) -> str:
    """Return the name of a function of the list, or of a ufunc.

    Raises:
        KeepingError: If it is neither.
    """
    short = getattr(function, "__name__", "")
    for module in (*FUNCTIONS, *_WITH_UFUNCS):
        if getattr(importlib.import_module(module), short or "-", None) is function:
            function_named(f"{module}.{short}")
            return f"{module}.{short}"
    raise KeepingError(
        "The function {function!r:.80} is not part of models that can be kept.", function=function
    )
