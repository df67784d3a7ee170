"""Who takes, gives or holds arrays says of which shape, held by reading the docstrings."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
ARRAYS = re.compile(r"\b(Floats|Integers|Flags|AnyArray|NDArray|ndarray)\b")

SHAPE = re.compile(
    r"\b[Ss]hapes?\b|\((…|\w|n_\w+)( [·*+] \w+)*,[^()]*\)|:(class|func|meth):|\bAs for\b"
)
"""A shape by name, a tuple such as ``(n,)`` or ``(S, q, n)``, or where else it is to be found."""

SECTION = re.compile(r"^(\w+)\n-{3,}\n", re.M)

RETURNED = "what is returned"

Function = ast.FunctionDef | ast.AsyncFunctionDef


def public(tree: ast.Module | ast.ClassDef) -> Iterator[Function | ast.ClassDef]:
    """Yield public classes with their public methods, and public functions."""
    for node in tree.body:
        if isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from public(node)


def annotated(node: Function | ast.ClassDef) -> dict[str, ast.expr | None]:
    """Return a function's parameters and what it returns, or a class' public fields."""
    if isinstance(node, ast.ClassDef):
        fields = (each for each in node.body if isinstance(each, ast.AnnAssign))
        found = {ast.unparse(each.target): each.annotation for each in fields}
        return {name: each for name, each in found.items() if not name.startswith("_")}
    given = node.args
    every = (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg)
    return {each.arg: each.annotation for each in every if each} | {RETURNED: node.returns}


def entries(section: str) -> Mapping[str, str]:
    """Return what a section such as ``Parameters`` says of each name."""
    return {
        name: entry
        for entry in re.split(r"\n(?=\S)", section)
        for name in re.split(" : |\n", entry)[0].split(", ")
    }


def unsaid(node: Function | ast.ClassDef) -> list[str]:
    """Return the names of arrays of whose shape the docstring says nothing."""
    described = ast.get_docstring(node) or ""
    first, *sections = SECTION.split(described)
    by_title = dict(zip(sections[::2], sections[1::2], strict=True))
    own = entries(by_title.pop("Parameters", "") + "\n" + by_title.get("Attributes", ""))
    apart = {RETURNED: "\n".join([first, *by_title.values()])}
    return [
        name
        for name, annotation in annotated(node).items()
        if annotation is not None
        and ARRAYS.search(ast.unparse(annotation))
        and not SHAPE.search(apart.get(name) or own.get(name) or described)
    ]


def test_arrays_have_shapes_in_docstrings() -> None:
    missing = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}: {', '.join(names)}"
        for path in sorted((ROOT / "studio").rglob("*.py"))
        for node in public(ast.parse(path.read_text(encoding="utf-8")))
        if (names := unsaid(node))
    ]
    assert missing == []


def test_shapes_of_parameters_do_not_stand_for_what_is_returned() -> None:
    described = "Scale.\n\nParameters\n----------\nx : array, shape (n,)\nby : array\n"
    tree = ast.parse(f"def scaled(x: Floats, by: Floats | None) -> Floats: {described!r}")
    (function,) = public(tree)
    assert unsaid(function) == ["by", RETURNED]
