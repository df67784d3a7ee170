"""All texts of the window go through ``tr``, checked statically."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
WINDOW = [
    *sorted((ROOT / "studio" / "gui").rglob("*.py")),
    *sorted((ROOT / "studio" / "questions").rglob("view.py")),
]

# Calls whose first (or named) argument is a text for users.
CALLS = {
    "setText", "setToolTip", "setAccessibleName", "setAccessibleDescription", "setWindowTitle",
    "setPlaceholderText", "setTitle", "setStatusTip", "setWhatsThis", "setInformativeText",
    "setSpecialValueText", "addAction", "addMenu", "addTab", "addRow", "addButton", "setTabText",
    "setTabToolTip", "setLabel", "QLabel", "QPushButton", "QCheckBox", "QRadioButton", "QAction",
    "QGroupBox", "label", "button", "ElidedLabel", "say", "warning", "information", "critical",
    "question", "getOpenFileName", "getSaveFileName", "getExistingDirectory",
}  # fmt: skip
NAMED = {"tip", "name", "text", "title", "tooltip", "also"}

# Names and signs that are the same in all languages.
ALLOWED = {"Ensemble Studio"}


def find_untranslated_texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the untranslated texts of a module, with their lines."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in CALLS:
            for argument in node.args:
                yield from literals(argument)
            for keyword in node.keywords:
                if keyword.arg in NAMED:
                    yield from literals(keyword.value)


def literals(node: ast.expr) -> Iterator[tuple[int, str]]:
    """Yield the untranslated literals of an expression."""
    if isinstance(node, ast.Call):
        return  # the callee translates its result; its arguments are checked at the call
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str) and is_prose(node.value):
            yield node.lineno, node.value
    elif isinstance(node, ast.JoinedStr):
        for value in node.values:
            if isinstance(value, ast.Constant) and is_prose(str(value.value)):
                yield node.lineno, str(value.value)
    elif isinstance(node, ast.IfExp):
        yield from literals(node.body)
        yield from literals(node.orelse)
    elif isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from literals(value)
    elif isinstance(node, ast.BinOp):
        yield from literals(node.left)
        yield from literals(node.right)


def is_prose(text: str) -> bool:
    """Return whether a text is prose: it has a word, and starts with a capital or has a space.

    Roles of the style sheet, keys and names of files are single small words.
    """
    bare = text.strip()
    if bare in ALLOWED:
        return False
    has_word = any(len(part) > 1 and part.isalpha() and not part.isupper() for part in bare.split())
    return has_word and (bare[:1].isupper() or " " in text)


def test_window_texts_are_translated() -> None:
    offenders = [
        f"{path.relative_to(ROOT)}:{line}: {text!r}"
        for path in WINDOW
        for line, text in find_untranslated_texts(path)
    ]
    assert offenders == []


def test_untranslated_text_is_detected(tmp_path: Path) -> None:
    path = tmp_path / "m.py"
    path.write_text(
        'kit.label("Save as", "section")\n'
        'b.setToolTip(f"Open {x} now")\n'
        'kit.button(tr("Fine"), f, icon="save", tip="Not fine")\n'
        'c.setText("ab cd" if x else tr("Right"))\n'
        'd.setText("–")\n'
    )
    texts = [text for _, text in find_untranslated_texts(path)]
    assert texts == ["Save as", "Open ", " now", "Not fine", "ab cd"]
