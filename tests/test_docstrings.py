"""Public functions that take or give arrays say of which shape, held by reading the code."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
ARRAYS = re.compile(r"\b(Floats|Integers|Flags|AnyArray|NDArray|ndarray)\b")

SHAPE = re.compile(
    r"\b[Ss]hapes?\b|\((…|\w|n_\w+)( [·*+] \w+)*,[^()]*\)|:(class|func|meth):|\bAs for\b"
)
"""A shape by name, a tuple such as ``(n,)`` or ``(S, q, n)``, or where else it is to be found."""

SECTION = re.compile(r"^(\w+)\n-{3,}\n", re.M)

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(tree: ast.Module | ast.ClassDef) -> Iterator[Function]:
    """Yield the public functions of a module and the public methods of its public classes."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from functions(node)
        elif isinstance(node, Function) and not node.name.startswith("_"):
            yield node


def holds_arrays(annotation: ast.expr | None) -> bool:
    return annotation is not None and bool(ARRAYS.search(ast.unparse(annotation)))


def unsaid(function: Function) -> list[str]:
    """Return the parameters, and "return", of whose shape the docstring says nothing."""
    described = ast.get_docstring(function) or ""
    first, *sections = SECTION.split(described)
    by_title = dict(zip(sections[::2], sections[1::2], strict=True))
    entries = {
        name: entry
        for entry in re.split(r"\n(?=\S)", by_title.pop("Parameters", ""))
        for name in re.split(" : |\n", entry)[0].split(", ")
    }
    given = function.args
    every = (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg)
    texts = {
        each.arg: entries.get(each.arg, described)
        for each in every
        if each and holds_arrays(each.annotation)
    }
    if holds_arrays(function.returns):
        texts["return"] = "\n".join([first, *by_title.values()])
    return [name for name, text in texts.items() if not SHAPE.search(text)]


def test_arrays_have_shapes_in_docstrings() -> None:
    missing = [
        f"{path.relative_to(ROOT)}:{function.lineno} {function.name}: {', '.join(names)}"
        for path in sorted((ROOT / "studio").rglob("*.py"))
        for function in functions(ast.parse(path.read_text(encoding="utf-8")))
        if (names := unsaid(function))
    ]
    assert missing == []
