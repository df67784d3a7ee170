"""Docstrings give the shapes of all array parameters and results, and refer to what exists."""

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from textwrap import dedent

import pyqtgraph
import pytest
from PySide6 import QtCore, QtGui, QtWidgets

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
ARRAYS = re.compile(r"\b(Floats|Integers|Flags|AnyArray|NDArray|ndarray)\b")

SHAPE = re.compile(
    r"\b[Ss]hapes?\b|\((…|\w|n_\w+)( [·*+] \w+)*,[^()]*\)|:(class|func|meth):|\bAs for\b"
)
"""A shape by name, a tuple such as ``(n,)`` or ``(S, q, n)``, or a reference to it."""

REFERENCE = re.compile(r":(?:func|meth|class|data|mod|attr|exc):`~?(studio\.[\w.]+)`")

SECTION = re.compile(r"^(Args|Attributes|Signals|Returns|Yields|Raises|Note):\n", re.M)

RETURNED = "what is returned"

Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def parse(path: Path) -> ast.Module:
    """Return a module's syntax tree, which most tests read."""
    return ast.parse(path.read_text(encoding="utf-8"))


def iter_documented(tree: ast.Module) -> Iterator[Function | ast.ClassDef]:
    """Yield functions and classes with docstrings, including private and inner ones."""
    for node in ast.walk(tree):
        if isinstance(node, Function | ast.ClassDef) and ast.get_docstring(node):
            yield node


def get_annotations(node: Function | ast.ClassDef) -> dict[str, ast.expr | None]:
    """Return a function's parameters and result, or a class's public fields."""
    if isinstance(node, ast.ClassDef):
        fields = (each for each in node.body if isinstance(each, ast.AnnAssign))
        annotations = {ast.unparse(each.target): each.annotation for each in fields}
        return {name: each for name, each in annotations.items() if not name.startswith("_")}
    arguments = node.args
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg)
    return {each.arg: each.annotation for each in every if each} | {RETURNED: node.returns}


def entries(section: str) -> Mapping[str, str]:
    """Return the entries of a section such as ``Args`` by name."""
    return {
        name: entry
        for entry in re.split(r"\n(?=\S)", dedent(section))
        for name in entry.split(": ", 1)[0].split(", ")
    }


def list_undocumented_arrays(node: Function | ast.ClassDef) -> list[str]:
    """Return the names of arrays without a shape in the docstring.

    A section's text applies to its own name only. Other arrays must be described outside such
    sections, where one shape counts for all of them.
    """
    first, *sections = SECTION.split(ast.get_docstring(node) or "")
    by_title = dict(zip(sections[::2], sections[1::2], strict=True))
    own = entries(by_title.pop("Args", "") + "\n" + by_title.pop("Attributes", ""))
    returned = by_title.pop("Returns", "") + by_title.pop("Yields", "")
    prose = "\n".join([first, *by_title.values()])
    apart = own | {RETURNED: prose + "\n" + returned}
    return [
        name
        for name, annotation in get_annotations(node).items()
        if annotation is not None
        and ARRAYS.search(ast.unparse(annotation))
        and not SHAPE.search(apart.get(name) or prose)
    ]


def test_arrays_have_shapes_in_docstrings() -> None:
    missing = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}: {', '.join(names)}"
        for path in sorted((ROOT / "studio").rglob("*.py"))
        for node in iter_documented(parse(path))
        if (names := list_undocumented_arrays(node))
    ]
    assert missing == []


def list_unknown_arguments(tree: ast.Module) -> Iterator[str]:
    """Yield entries of ``Args`` that are not parameters of their function or class."""
    for node in iter_documented(tree):
        _, *sections = SECTION.split(ast.get_docstring(node) or "")
        described = entries(dict(zip(sections[::2], sections[1::2], strict=True)).pop("Args", ""))
        functions = [
            each
            for each in (node.body if isinstance(node, ast.ClassDef) else [node])
            if isinstance(each, Function) and each.name in {node.name, "__init__"}
        ]
        for function in functions:
            arguments = function.args
            every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
            names = {each.arg for each in every}
            names |= {each.arg for each in (arguments.vararg, arguments.kwarg) if each}
            yield from (
                f"{node.name}: {name}"
                for name in described
                if name.isidentifier() and name not in names
            )


def list_unknown_attributes(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> list[str]:
    """Return entries of ``Attributes`` and ``Signals`` that neither class nor bases contain."""
    _, *sections = SECTION.split(ast.get_docstring(node) or "")
    described = dict(zip(sections[::2], sections[1::2], strict=True))
    names = entries(described.get("Attributes", "") + "\n" + described.get("Signals", ""))
    present = {"feature_names_in_"}  # set by scikit-learn
    remaining = [node]
    while remaining:
        each = remaining.pop()
        present |= collect_identifiers(each)
        bases = re.findall(r"\w+", " ".join(map(ast.unparse, each.bases)))
        remaining += [classes[base] for base in bases if base in classes and base != each.name]
    return [name for name in names if name.isidentifier() and name not in present]


def test_described_attributes_exist() -> None:
    classes = collect_classes()
    unknown = {name: list_unknown_attributes(node, classes) for name, node in classes.items()}
    assert {name: missing for name, missing in unknown.items() if missing} == {}
    (renamed,) = ast.parse('class A:\n    """A.\n\n    Attributes:\n        b: B.\n    """').body
    assert isinstance(renamed, ast.ClassDef) and list_unknown_attributes(renamed, {}) == ["b"]


def test_described_arguments_are_parameters() -> None:
    unknown = [
        f"{path.relative_to(ROOT)} {name}"
        for path in sorted((ROOT / "studio").rglob("*.py"))
        for name in list_unknown_arguments(parse(path))
    ]
    assert unknown == []
    renamed = ast.parse(
        'def scale(x, by):\n    """Scale.\n\n    Args:\n        factor: By.\n    """'
    )
    assert [*list_unknown_arguments(renamed)] == ["scale: factor"]


def list_undocumented_in(signature: str, docstring: str) -> list[str]:
    (function,) = iter_documented(ast.parse(f"def {signature}: {docstring!r}"))
    return list_undocumented_arrays(function)


def test_parameter_shapes_do_not_document_return_value() -> None:
    described = "Scale.\n\nArgs:\n    x: Shape (n,).\n    by: What by.\n"
    signature = "scaled(x: Floats, by: Floats | None) -> Floats"
    assert list_undocumented_in(signature, described) == ["by", RETURNED]


def test_returned_shape_does_not_document_parameters() -> None:
    described = "Scale x.\n\nReturns:\n    Shape (n,).\n"
    assert list_undocumented_in("scaled(x: Floats) -> Floats", described) == ["x"]
    assert (
        list_undocumented_in("scaled(x: Floats) -> Floats", described.replace("x.", "x (n,)."))
        == []
    )


def test_private_methods_of_private_classes_are_found() -> None:
    tree = ast.parse("class _Scale:\n def _by(self, x: Floats): 'Scale.'\n def _as(self): pass")
    (method,) = iter_documented(tree)
    assert (method.name, list_undocumented_arrays(method)) == ("_by", ["x"])


def test_docstring_references_exist() -> None:
    names = {path: collect_identifiers(parse(path)) for path in (ROOT / "studio").rglob("*.py")}
    missing = [
        f"{path.relative_to(ROOT)}: {reference}"
        for path in sorted(names)
        for reference in REFERENCE.findall(path.read_text(encoding="utf-8"))
        if not exists(reference.split("."), names)
    ]
    assert missing == []
    inside = [*["studio", "trial", "Trial"], "number"]
    assert exists(inside, names) and not exists([*inside[:2], "absent"], names)


def collect_identifiers(tree: ast.AST) -> set[str]:
    """Return the names that code contains."""
    return {
        name
        for node in ast.walk(tree)
        for field in ("name", "id", "attr", "arg")
        if isinstance(name := getattr(node, field, None), str)
    }


def exists(parts: list[str], names: Mapping[Path, set[str]]) -> bool:
    """Return whether a dotted reference is a module or package, or a name in one."""
    for end in range(len(parts), 0, -1):
        path = ROOT.joinpath(*parts[:end])
        module = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if module in names:
            return set(parts[end:]) <= names[module]
    return False


def collect_classes() -> dict[str, ast.ClassDef]:
    """Return the package's classes by name."""
    return {
        node.name: node
        for path in sorted((ROOT / "studio").rglob("*.py"))
        for node in ast.walk(parse(path))
        if isinstance(node, ast.ClassDef)
    }


QT = (QtCore, QtGui, QtWidgets, pyqtgraph)


def list_undescribed_methods(classes: Mapping[str, ast.ClassDef]) -> list[str]:
    """Return public methods that neither their class nor one of its bases describes."""
    return [
        f"{name}.{method.name}"
        for name, node in classes.items()
        for method in node.body
        if isinstance(method, Function)
        and not name.startswith("_")
        and not method.name.startswith("_")
        and not is_described(name, method.name, classes)
    ]


def is_described(name: str, method: str, classes: Mapping[str, ast.ClassDef]) -> bool:
    """Return whether a class or one of its bases, or of Qt's classes, describes a method."""
    if name not in classes:
        return any(hasattr(getattr(module, name, None), method) for module in QT)
    node = classes[name]
    own = (each for each in node.body if isinstance(each, Function) and each.name == method)
    bases = re.findall(r"\w+", " ".join(map(ast.unparse, node.bases)))
    return any(map(ast.get_docstring, own)) or any(
        is_described(base, method, classes) for base in bases if base != name
    )


def test_public_methods_are_documented_at_declaration() -> None:
    assert list_undescribed_methods(collect_classes()) == []


def test_methods_inherit_docstrings_of_base_classes() -> None:
    (base, child) = ast.parse(
        "class Base(QWidget):\n def of(self): 'Of.'\n def sizeHint(self): pass\n"
        "class Child(Base):\n def of(self): pass\n def by(self): pass\n"
    ).body
    assert list_undescribed_methods({"Base": base, "Child": child}) == ["Child.by"]
