"""Conversion of fitted models to plain JSON and arrays, and back.

Numbers, text, lists and ``None`` represent themselves; everything else is an object of one name:
``{"tuple": […]}``, ``{"array": …}``, ``{"model": [class, state]}``. Classes and functions are those
of :data:`CLASSES`. Some classes have special forms beyond attributes
(:mod:`studio.serialization.forms`); assumptions of their compiled code are checked by a guard
(:mod:`studio.serialization.guards`).

A stored model may consist only of the classes and functions listed there under fixed names. Any
other name in a file is rejected.
"""

import functools
import hashlib
import importlib
import json
import math
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np

from studio.arrays import AnyArray
from studio.errors import SerializationError
from studio.serialization import forms, guards
from studio.serialization.level_trees import TYPES, ArrayUnpacker, Packer
from studio.serialization.sequential_forests import make_sequential

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
"""Classes by the module from which they are publicly imported."""

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
"""Allowed functions, besides all ufuncs of numpy and scipy.special, which only compute."""

_WITH_UFUNCS = ("numpy", "scipy.special")


def get_class(name: str) -> type[Any]:
    """Return an allowed class, or raise SerializationError."""
    module, _, class_name = name.rpartition(".")
    if class_name not in CLASSES.get(module, ()):
        raise SerializationError("{name!r} is not supported in stored models.", name=name[:80])
    kind = getattr(importlib.import_module(module), class_name)
    assert isinstance(kind, type)
    return kind


def get_class_name(cls: type[Any]) -> str:
    """Return the name of an allowed class, or raise SerializationError."""
    for module, names in CLASSES.items():
        if cls.__name__ in names and cls.__module__.startswith(module):
            name = f"{module}.{cls.__name__}"
            if get_class(name) is cls:
                return name
    raise SerializationError(
        "{module}.{kind} is not supported in stored models.",
        module=cls.__module__,
        kind=cls.__name__,
    )


def get_function(name: str) -> Any:
    """Return an allowed function, or a ufunc, or raise SerializationError."""
    module, _, function_name = name.rpartition(".")
    if function_name.isidentifier() and module in {*FUNCTIONS, *_WITH_UFUNCS}:
        function = getattr(importlib.import_module(module), function_name, None)
        if function_name in FUNCTIONS.get(module, ()):
            return function
        if module in _WITH_UFUNCS and isinstance(function, np.ufunc):
            return function
    raise SerializationError(
        ("The function {name!r} is not supported in stored models."), name=name[:80]
    )


def get_function_name(function: Any) -> str:
    """Return the name of an allowed function, or a ufunc, or raise SerializationError."""
    function_name = getattr(function, "__name__", "")
    for module in (*FUNCTIONS, *_WITH_UFUNCS):
        if getattr(importlib.import_module(module), function_name or "-", None) is function:
            get_function(f"{module}.{function_name}")
            return f"{module}.{function_name}"
    raise SerializationError(
        "The function {function!r:.80} is not supported in stored models.", function=function
    )


_STRUCTURE = "structure"
_REQUIRED_PACKAGES = ("scikit-learn", "numpy", "lightgbm")
_OPTIONAL_PACKAGES = ("xgboost",)
"""Packages that are imported only if a model names them."""


@dataclass(frozen=True)
class SerializedModels:
    """Fitted models in a form that executes no code when read.

    Attributes:
        structure: JSON: the models, with references to their arrays.
        arrays: Long arrays, shape (total,) each, by type.
    """

    structure: str
    arrays: Mapping[str, AnyArray]

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, AnyArray]) -> "SerializedModels":
        """Rebuild the record from :meth:`to_arrays` (any shapes), or raise SerializationError."""
        text = arrays.get(_STRUCTURE)
        if text is None or text.dtype != np.uint8 or text.ndim != 1:
            raise SerializationError("It has no structure.")
        try:
            structure = text.tobytes().decode("ascii")
        except UnicodeDecodeError as error:
            raise SerializationError("Its structure is not text.") from error
        return cls(structure, {name: each for name, each in arrays.items() if name != _STRUCTURE})

    def to_arrays(self) -> dict[str, AnyArray]:
        """Return all content as arrays by name; the structure as UTF-8 bytes, shape (k,)."""
        text = np.frombuffer(self.structure.encode("ascii"), dtype=np.uint8)
        return {**self.arrays, _STRUCTURE: text}

    def compute_checksum(self) -> str:
        """Return the SHA-256 of the content."""
        digest = hashlib.sha256(self.structure.encode())
        for kind in sorted(self.arrays):
            digest.update(kind.encode())
            digest.update(np.ascontiguousarray(self.arrays[kind]).view(np.uint8).data)
        return digest.hexdigest()


def list_versions(stored: SerializedModels) -> dict[str, str]:
    """Return the versions of the models' libraries, "" for those not installed."""
    optional = [name for name in _OPTIONAL_PACKAGES if f'"{name}.' in stored.structure]
    return {name: version(name) for name in _REQUIRED_PACKAGES} | {
        name: "" if find_spec(name) is None else get_version(name) for name in optional
    }


def get_version(package: str) -> str:
    """Return a package's version, also from another distribution (xgboost-cpu)."""
    try:
        return version(package)
    except PackageNotFoundError:
        return str(import_module(package).__version__)


def encode(models: Sequence[Any]) -> SerializedModels:
    """Serialise fitted models.

    Args:
        models: Fitted estimators of :data:`CLASSES`, or lists of them.

    Raises:
        SerializationError: If a model cannot be stored, with the reason.
    """
    writer = _Writer()
    content = writer.write_value(list(models))
    structure = json.dumps(content, allow_nan=False, separators=(",", ":"))
    return SerializedModels(structure, writer.packer.get_arrays())


def decode(stored: SerializedModels, *, only_to_predict: bool = False) -> list[Any]:
    """Deserialise fitted models.

    No code in the record is executed: it may only name allowed classes and functions, and the
    assumptions of their compiled code are checked.

    Args:
        only_to_predict: Whether models are loaded faster, but without statistics of their training,
            and perhaps of classes of this program: not for export.

    Raises:
        SerializationError: If the record is not valid output of :func:`encode`.
    """
    try:
        models = _ValueReader(
            ArrayUnpacker(stored.arrays), only_to_predict=only_to_predict
        ).read_value(json.loads(stored.structure))
    except SerializationError:
        raise
    except Exception as error:
        # Any error of scikit-learn or LightGBM on an invalid record means that it is invalid.
        raise SerializationError("The stored models are damaged ({error}).", error=error) from error
    if not isinstance(models, list):
        raise SerializationError("The stored models are damaged.")
    return models


_MAX_DEPTH = 40
_TYPES = {"float64": np.float64, "float32": np.float32, "int64": np.int64, "int32": np.int32}
_NON_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


_METHODS = ("predict", "predict_proba")
"""Prediction methods that a model may call on another model."""


class _Writer:
    """Serialises values to plain JSON; their arrays are collected in :attr:`packer`."""

    def __init__(self) -> None:
        self.packer = Packer()
        self._serialized_models: dict[
            int, tuple[Any, Any]
        ] = {}  # includes the models, so that their ids remain unique

    def write_value(self, value: Any) -> Any:
        """Serialise a value, or raise SerializationError."""
        if value is None or type(value) in {bool, int, str}:
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"float": str(value)}
        if type(value) is list:
            return self._list(value)
        for kind, write in self._WRITERS:
            if isinstance(value, kind):
                return write(self, value)
        if hasattr(value, "get_params") and not isinstance(value, type):
            return self._write_model(value)
        return {"function": get_function_name(value)}

    def _list(self, value: list[Any]) -> Any:
        if forms.are_trees(value):
            return {"trees": forms.write_trees(value, self)}
        return [self.write_value(each) for each in value]

    def _write_array(self, value: "np.ndarray[Any, Any]") -> Any:
        if value.dtype == object:
            return {"objects": [list(value.shape), self.write_value(value.reshape(-1).tolist())]}
        return {"array": self.packer.add(value)}

    def _write_scalar(self, value: "np.generic[Any]") -> Any:
        return {"scalar": [value.dtype.str, self.write_value(value.item())]}

    def _write_dict(self, value: dict[Any, Any]) -> Any:
        return {
            "dict": [[self.write_value(key), self.write_value(each)] for key, each in value.items()]
        }

    def _write_method(self, method: Any) -> Any:
        if method.__name__ not in _METHODS:
            raise SerializationError(
                "{method!r} of a model cannot be stored.", method=method.__name__[:80]
            )
        return {"method": [method.__name__, self.write_value(method.__self__)]}

    def _write_model(self, model: Any) -> Any:
        """Serialise a model; the arrays of a model referenced twice are stored once."""
        if id(model) not in self._serialized_models:
            name = get_class_name(type(model))
            guards.check(model)
            content = {"model": [name, self.write_state(forms.serialize(model, self))]}
            self._serialized_models[id(model)] = model, content
        return self._serialized_models[id(model)][1]

    def write_state(self, state: Mapping[str, Any]) -> dict[str, Any]:
        """Serialise an object's attributes."""
        return {name: self.write_value(each) for name, each in state.items()}

    _WRITERS: ClassVar["tuple[tuple[Any, Callable[[_Writer, Any], Any]], ...]"] = (
        (np.ndarray, _write_array),
        (np.generic, _write_scalar),
        (tuple, lambda self, value: {"tuple": [self.write_value(each) for each in value]}),
        (dict, _write_dict),
        (
            slice,
            lambda self, v: {"slice": [self.write_value(e) for e in (v.start, v.stop, v.step)]},
        ),
        (np.dtype, lambda self, value: {"dtype": value.str}),
        (np.random.RandomState, lambda self, value: None),  # not needed after training
        (
            functools.partial,
            lambda self, v: {
                "partial": [get_function_name(v.func), self.write_value(dict(v.keywords))]
            },
        ),
        (types.MethodType, _write_method),
        (type, lambda self, value: {"type": _get_type_name(value)}),
        (forms.SerializedForm, lambda self, value: {"form": value.content}),
    )


def _get_type_name(cls: type[Any]) -> str:
    for name, known_type in _TYPES.items():
        if cls is known_type:
            return name
    raise SerializationError(
        ("The type {kind} is not supported in stored models."), kind=cls.__name__
    )


class _ValueReader:
    """Deserialises plain JSON."""

    def __init__(self, unpacker: ArrayUnpacker, *, only_to_predict: bool) -> None:
        self.unpacker = unpacker
        self.only_to_predict = only_to_predict
        self._depth = 0

    def read_value(self, value: Any) -> Any:
        """Deserialise a value of allowed names only, or raise SerializationError."""
        if value is None or type(value) in {bool, int, float, str}:
            return value
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise SerializationError("A stored model is nested too deeply.")
        try:
            if type(value) is list:
                return [self.read_value(each) for each in value]
            ((tag, content),) = value.items()
            return self._READERS[tag](self, content)
        finally:
            self._depth -= 1

    def read_state(self, attributes: Mapping[str, Any]) -> dict[str, Any]:
        """Deserialise an object's attributes.

        A model that is both the parameter ``x`` and the fitted ``x_``, such as the regressor of a
        transformed target, is restored as one object.
        """
        for name in attributes:
            if not name.isidentifier() or name.startswith("__"):
                raise SerializationError(
                    "{name!r} is not an attribute of a stored model.", name=name[:80]
                )
        shared = {
            name
            for name, each in attributes.items()
            if isinstance(each, dict) and "model" in each and attributes.get(f"{name}_") == each
        }
        state = {
            name: None if name in shared else self.read_value(each)
            for name, each in attributes.items()
        }
        return state | {name: state[f"{name}_"] for name in shared}

    def _read_model(self, content: Any) -> Any:
        name, state = content
        cls = get_class(name)
        model = object.__new__(cls)
        model.__dict__.update(forms.deserialize(cls, self.read_state(state), self))
        guards.check(model)
        if self.only_to_predict:
            make_sequential(model)
        return model

    def _read_objects(self, content: Any) -> Any:
        shape, stored_values = content
        values = self.read_value(stored_values)
        result = np.empty(len(values), dtype=object)
        for index, each in enumerate(values):
            result[index] = each
        return result.reshape(tuple(shape))

    def _read_scalar(self, content: Any) -> Any:
        kind, stored_value = content
        if kind not in TYPES:
            raise SerializationError("A number of a stored model has an unknown type.")
        return np.dtype(kind).type(self.read_value(stored_value))

    def _read_dict(self, content: Any) -> Any:
        return {self.read_value(key): self.read_value(each) for key, each in content}

    def _read_method(self, content: Any) -> Any:
        name, stored_model = content
        model = self.read_value(stored_model)
        if name not in _METHODS or not hasattr(model, "get_params"):
            raise SerializationError("A stored model refers to an unknown attribute of another.")
        return getattr(model, name)

    def _read_partial(self, content: Any) -> Any:
        name, keywords = content
        return functools.partial(get_function(name), **self.read_value(keywords))

    _READERS: ClassVar["Mapping[str, Callable[[_ValueReader, Any], Any]]"] = {
        "float": lambda self, text: _NON_FINITE[text],
        "array": lambda self, given: self.unpacker.get_array(given),
        "objects": _read_objects,
        "scalar": _read_scalar,
        "tuple": lambda self, given: tuple(self.read_value(each) for each in given),
        "dict": _read_dict,
        "slice": lambda self, given: slice(*(self.read_value(each) for each in given)),
        "dtype": lambda self, given: np.dtype(_check_type(given)),
        "type": lambda self, given: _TYPES[given],
        "function": lambda self, given: get_function(given),
        "partial": _read_partial,
        "method": _read_method,
        "model": _read_model,
        "trees": lambda self, given: forms.read_trees(given, self),
        "form": lambda self, given: forms.SerializedForm(given),
    }


def _check_type(type_name: Any) -> str:
    if type_name not in TYPES and type_name != "|O":
        raise SerializationError("A type in a stored model is unknown.")
    return str(type_name)
