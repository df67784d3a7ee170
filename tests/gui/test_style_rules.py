"""Sizes and colours are defined in the theme only, checked statically.

Counts and the geometry of drawings (the width of a handle, the distance of two signs) are exempt.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.gui.base import motion, theme

GUI = Path(__file__).parents[2] / "studio" / "gui"
PLACES = {"base/theme.py", "base/style.py", "base/motion.py"}
DISTANCES = {0, 1, theme.GRID // 2, theme.GRID, 12, 2 * theme.GRID, 3 * theme.GRID, 6 * theme.GRID}
"""In pixels; 1 is beside a hairline, and 6 units are between the columns of a slide."""

BOXES = {"row", "column"}
SPACED = {"setContentsMargins", "setSpacing", "addSpacing", "setHorizontalSpacing",
          "setVerticalSpacing", "setTextMargins"}  # fmt: skip
FONTS = {"QFont", "setPixelSize", "setPointSize", "setPointSizeF", "setWeight", "setBold",
         "setStyleSheet"}  # fmt: skip
SIZED = {"font", "give_font", "drawn_font"}
MOVING = {"setDuration", "setEasingCurve"}


@pytest.mark.slow
def test_styles_are_defined_in_theme_only() -> None:
    violations = [
        f"{name}:{line}: {text}"
        for path in sorted(GUI.rglob("*.py"))
        if (name := path.relative_to(GUI).as_posix()) not in PLACES
        for line, text in find_local_styles(path.read_text("utf-8"))
    ]
    assert violations == []


@pytest.mark.parametrize(
    "code",
    [
        'edge = "#a1b2c3"', "QColor(12, 30, 200)", "QColor('red')", "pen(Qt.GlobalColor.red)",
        "made.setPixelSize(13)", "QFont('Arial')", "theme.font(14)", "theme.font(theme.SMALL - 1)",
        "give_font(label, 11)", "kit.row(a, b, spacing=5)", "kit.column(a, 7, b)",
        "kit.column(a, on=self, margin=(GRID, 3, 0, 0))", "grid.setSpacing(2 * GRID + 1)",
        "box.setContentsMargins(0, 0, 5, 0)", "kit.row(a, spacing=4 * theme.GRID)",
        "painter.drawRoundedRect(box, 5, 5)", "widget.setStyleSheet('color: red')",
        "motion.setDuration(300)", "motion.setEasingCurve(QEasingCurve.Type.InCubic)",
    ],
)  # fmt: skip
def test_local_styles_are_detected(code: str) -> None:
    assert list(find_local_styles(code))


@pytest.mark.parametrize(
    "code",
    [
        'words = "#1"', "QColor(tokens.text)", "Qt.GlobalColor.transparent",
        "theme.font(theme.SMALL)", "theme.font(bold=True)", "theme.make_painter_font(shape.size)",
        "kit.row(a, 2 * GRID, None, (b, 1))", "kit.row(a, spacing=None, margin=1)",
        "kit.card(margin=0)", "grid.setSpacing(GRID + GRID // 2)",
        "painter.drawRoundedRect(box, theme.CARD, theme.CARD)", "shown.setDuration(duration)",
        "made.setEasingCurve(motion.EASE)",
    ],
)  # fmt: skip
def test_theme_styles_may_be_used(code: str) -> None:
    assert list(find_local_styles(code)) == []


def test_style_sheet_uses_theme_tokens() -> None:
    sheet = theme._SHEET
    assert not re.search(r"#[0-9a-fA-F]{3}", sheet)
    for what in ("font-size", "font-weight", "border-radius", "font-family"):
        values = re.findall(rf"{what}: *([^;]+);", sheet)
        assert {each for each in values if not re.fullmatch(r"\{\w+\}(px)?", each)} == set(), what


def test_theme_has_few_sizes_and_weights() -> None:
    sizes = {theme.SMALL, theme.BODY, theme.LARGE, theme.TITLE}
    assert len(sizes) == 4
    of_sheet = re.findall(r"font-size: \{(\w+)\}", theme._SHEET)
    assert {theme._SHEET_SIZES[name] for name in of_sheet} <= sizes
    assert {theme.REGULAR.value, theme.BOLD.value} == {400, 600}
    assert 120 <= motion.MILLISECONDS <= 200


def find_local_styles(code: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of each local style."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.expr) and _is_style(node):
            yield node.lineno, ast.unparse(node)


def _is_style(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=str(text)):
            return bool(re.search(r"#[0-9a-fA-F]{6}\b|font-size: *\d|font-family", text))
        case ast.Attribute(value=ast.Attribute(attr="GlobalColor"), attr=name):
            return name != "transparent"
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
            return _is_style_call(name, node)
    return False


def _is_style_call(name: str, call: ast.Call) -> bool:
    arguments = [*call.args, *(each.value for each in call.keywords)]
    numbers = [each for each in arguments if _number(each) is not None]
    if name == "QColor":
        return bool(arguments) and all(isinstance(each, ast.Constant) for each in arguments)
    if name == "setStyleSheet" or name in FONTS:
        return True
    if name in SIZED:
        return any(isinstance(each, ast.BinOp) for each in arguments) or bool(numbers)
    if name in MOVING:
        return bool(numbers) or "QEasingCurve" in ast.unparse(call)
    if name == "drawRoundedRect":
        return any(_number(each) is not None for each in call.args[-2:])
    return any(_number(each) not in {None, *DISTANCES} for each in _distances(name, call))


def _distances(name: str, call: ast.Call) -> Iterator[ast.expr]:
    """Yield the gaps and margins set by a call."""
    if name in SPACED or name in BOXES:
        yield from call.args
    for each in call.keywords if name in BOXES else ():
        if each.arg in {"margin", "spacing"}:
            yield from each.value.elts if isinstance(each.value, ast.Tuple) else [each.value]


def _number(node: ast.expr) -> float | None:
    """Evaluate an expression of numbers and grid units in pixels; ``None`` for others."""
    match node:
        case ast.Constant(value=bool()):
            return None
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.Name(id="GRID") | ast.Attribute(attr="GRID"):
            return theme.GRID
        case ast.BinOp(left=left, op=op, right=right):
            one, other = _number(left), _number(right)
            if one is not None and other is not None:
                return _result(op, one, other)
    return None


def _result(op: ast.operator, one: float, other: float) -> float | None:
    match op:
        case ast.Add():
            return one + other
        case ast.Sub():
            return one - other
        case ast.Mult():
            return one * other
        case ast.Div() | ast.FloorDiv():
            return one / other
    return None
