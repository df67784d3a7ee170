"""Python code that makes an unfitted scikit-learn estimator like a given one."""

import importlib
import inspect
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from studio.errors import ExportError
from studio.export.literals import quoted

WIDTH = 88
_QUIET = ("n_jobs",)
"""Arguments that change no prediction, left out for the reader's sake."""


@dataclass(frozen=True)
class Call:
    """A call or a list: ``head``, items with their names (empty for places), ``tail``."""

    head: str
    items: tuple[tuple[str, "Node"], ...]
    tail: str


Node = str | Call


@dataclass
class Coder:
    """Turns estimators into code, and collects what has to be imported.

    Parameters
    ----------
    known : Mapping
        Lists of whole numbers that have a name in the script.
    """

    known: Mapping[tuple[int, ...], str] = field(default_factory=dict)
    imports: dict[str, set[str]] = field(default_factory=dict)

    def node(self, value: Any) -> Node:
        """Return the code of a value.

        Raises
        ------
        ExportError
            If it has none: it is not a number, text, list, numpy function or scikit-learn
            estimator.
        """
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, bool | int | float | str):
            return _plain(value)
        if isinstance(value, np.ndarray):
            return Call("np.array(", (("", self.node(value.tolist())),), ")")
        if isinstance(value, Mapping | list | tuple):
            return self._collection(value)
        if not isinstance(value, type) and (hasattr(value, "get_params") or _splits(value)):
            return self._estimator(value)
        return self._function(value)

    def import_lines(self) -> list[str]:
        """Return the imports, sorted."""
        return [
            f"from {module} import {', '.join(sorted(names))}"
            for module, names in sorted(self.imports.items())
        ]

    def need(self, module: str, name: str) -> str:
        """Import a name and return it."""
        self.imports.setdefault(module, set()).add(name)
        return name

    def _collection(self, value: Mapping[Any, Any] | Sequence[Any]) -> Node:
        if isinstance(value, Mapping):
            named = tuple((f"{key!r}: ", self.node(each)) for key, each in value.items())
            return Call("{", named, "}")
        whole = all(isinstance(each, int) and not isinstance(each, bool) for each in value)
        if whole and tuple(value) in self.known and len(value) > 0:
            return self.known[tuple(value)]
        items = tuple(("", self.node(each)) for each in value)
        if isinstance(value, tuple):
            return Call("(", items, ",)" if len(items) == 1 else ")")
        return Call("[", items, "]")

    def _estimator(self, value: Any) -> Node:
        name = type(value).__name__
        if name == "Pipeline":
            self.need("sklearn.pipeline", "make_pipeline")
            items = tuple(("", self.node(step)) for _, step in value.steps)
            return Call("make_pipeline(", items, ")")
        public = _public_module(type(value))
        self.need(public, name)
        parameters = inspect.signature(type(value).__init__).parameters
        given = (
            {key: getattr(value, key) for key in parameters if key != "self"}
            if _splits(value)
            else value.get_params(deep=False)
        )
        found: list[tuple[str, Node]] = []
        for key, each in given.items():
            if key in _QUIET or (key in parameters and _same(parameters[key].default, each)):
                continue
            # What must be given goes by place, as people write it.
            required = key in parameters and parameters[key].default is inspect.Parameter.empty
            found.append(("" if required else f"{key}=", self.node(each)))
        found.sort(key=lambda item: bool(item[0]))
        return Call(f"{name}(", tuple(found), ")")

    def _function(self, value: Any) -> Node:
        name = getattr(value, "__name__", "")
        if name and getattr(np, name, None) is value:
            return f"np.{name}"
        raise ExportError(
            "A member uses {name!r}, which cannot be written down as a few lines of "
            "scikit-learn. Export a pickle instead.",
            name=name or type(value).__name__,
        )


def rendered(node: Node, indent: int, used: int = 0) -> str:
    """Return a node's code, broken into lines where it would be wider than :data:`WIDTH`."""
    flat = _flat(node)
    if isinstance(node, str) or len(flat) + indent + used <= WIDTH or not node.items:
        return flat
    inner = " " * (indent + 4)
    if all(isinstance(each, str) and not label for label, each in node.items):
        filled = textwrap.fill(
            ", ".join(str(each) for _, each in node.items) + ",",
            WIDTH,
            initial_indent=inner,
            subsequent_indent=inner,
            break_long_words=False,
            break_on_hyphens=False,
        )
        if not any("'" in str(each) or '"' in str(each) for _, each in node.items):
            return f"{node.head}\n{filled}\n{' ' * indent}{node.tail.lstrip(',')}"
    lines = [
        f"{inner}{label}{rendered(each, indent + 4, len(label) + 1)}," for label, each in node.items
    ]
    body = "\n".join(lines)
    return f"{node.head}\n{body}\n{' ' * indent}{node.tail.lstrip(',')}"


def _flat(node: Node) -> str:
    if isinstance(node, str):
        return node
    return node.head + ", ".join(label + _flat(each) for label, each in node.items) + node.tail


def _plain(value: Any) -> str:
    if isinstance(value, float) and not np.isfinite(value):
        return {"nan": "np.nan", "inf": "np.inf", "-inf": "-np.inf"}[str(value)]
    if isinstance(value, str):
        return quoted(value)
    return repr(value)


def _splits(value: Any) -> bool:
    """Say whether it is a splitter of scikit-learn, which has no ``get_params``."""
    return hasattr(value, "split") and type(value).__module__.startswith("sklearn.model_selection")


def _public_module(kind: type) -> str:
    """Return the module from which a class is imported: ``sklearn.svm`` of ``sklearn.svm._x``."""
    parts = kind.__module__.split(".")
    for length in range(1, len(parts) + 1):
        module = ".".join(parts[:length])
        if parts[0] in {"sklearn", "lightgbm"} and hasattr(
            importlib.import_module(module), kind.__name__
        ):
            return module
    raise ExportError(
        "A member uses {kind}, which belongs neither to scikit-learn nor to LightGBM, so no "
        "plain script can train it. Export a pickle instead.",
        kind=kind.__name__,
    )


def _same(default: Any, value: Any) -> bool:
    if isinstance(value, np.ndarray | list) or isinstance(default, np.ndarray):
        return False
    if type(default) is not type(value) and not (
        isinstance(default, int | float) and isinstance(value, int | float)
    ):
        return False
    return bool(default == value) or (value != value and default != default)  # noqa: PLR0124
