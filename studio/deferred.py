"""Imports of scikit-learn and LightGBM without rarely used dependencies.

Modules of scikit-learn and joblib import ``scipy.stats``, other parts of scipy and ``asyncio`` for
a few functions that prediction hardly ever calls, and pandas, if installed. These take longer to
load than all other requirements of a fitted pipeline. The program's own processes may therefore
defer them: names imported by scikit-learn become proxies that are resolved on use, and any other
name loads the module immediately. Processes without tables may hide pandas.
"""

import importlib
import importlib.util
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from types import ModuleType
from typing import Any

DEFERRED_NAMES: Mapping[str, frozenset[str]] = {
    "scipy.stats": frozenset(("chi2", "gmean", "rankdata", "spearmanr")),
    "scipy.fft": frozenset(("fft", "ifft")),
    "scipy.integrate": frozenset(("trapezoid",)),
    "scipy.interpolate": frozenset(("BSpline",)),
    "scipy.optimize": frozenset(("linear_sum_assignment", "linprog", "minimize")),
    "scipy.spatial": frozenset(("distance",)),
    "asyncio": frozenset(),
    "numpy.f2py": frozenset(),
}
"""Names imported by scikit-learn's modules, by module; joblib and scipy import the last two."""


def defer_imports() -> None:
    """Defer the import of :data:`DEFERRED_NAMES` to first use, unless it is imported already."""
    for name in DEFERRED_NAMES:
        _defer(name)


def _defer(name: str) -> None:
    if name in sys.modules:
        return
    spec = importlib.util.find_spec(name)
    assert spec is not None, "a required library"
    module = importlib.util.module_from_spec(spec)
    module.__class__ = _Deferred
    sys.modules[name] = module
    package, _, submodule = name.rpartition(".")
    if package:  # as after an import; find_spec has imported the package
        setattr(sys.modules[package], submodule, module)


@contextmanager
def hide_library(library: str) -> Iterator[None]:
    """Hide a library that is not yet imported from imports inside this context."""
    if library in sys.modules:
        yield
        return
    finder = _HidingFinder(library)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


class _HidingFinder(MetaPathFinder):
    """Prevents the import of a library, without an entry in ``sys.modules`` for it."""

    def __init__(self, library: str) -> None:
        self._library = library

    def find_spec(self, fullname: str, path: object, target: object = None) -> None:
        """Raise ModuleNotFoundError for the library; leave others to the next finder."""
        if fullname == self._library:
            raise ModuleNotFoundError(f"{fullname} is hidden here", name=fullname)


class _Deferred(ModuleType):
    """A lazily imported module."""

    def __getattr__(self, name: str) -> Any:
        if name in DEFERRED_NAMES[self.__name__]:
            return _DeferredAttribute(self, name)
        submodule = f"{self.__name__}.{name}"
        if name.startswith("_") and importlib.util.find_spec(submodule) is not None:
            # Imported by another submodule, which the whole package may import as well.
            return importlib.import_module(submodule)
        return getattr(_load_module(self), name)


class _DeferredAttribute:
    """A function or distribution of the module, resolved on use."""

    def __init__(self, module: ModuleType, name: str) -> None:
        self._module = module
        self._name = name

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return getattr(_load_module(self._module), self._name)(*arguments, **keywords)

    def __getattr__(self, attribute: str) -> Any:
        return getattr(getattr(_load_module(self._module), self._name), attribute)


def _load_module(module: Any) -> Any:
    if type(module) is _Deferred:
        spec = module.__spec__
        assert spec is not None and spec.loader is not None, "it was found"
        loaded_module: Any = module
        loaded_module.__class__ = ModuleType
        try:
            spec.loader.exec_module(module)
        except BaseException:  # such as insufficient memory in a trial
            loaded_module.__class__ = _Deferred
            raise
    return module
