"""Tables and diagrams as plain JSON: the helper computes them, the window shows them."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from studio.compare.tables.table import Cell, Table
from studio.figures.shapes import Box, Diagram, Dot, Path, Shape, Words

_SHAPES: Mapping[str, type[Shape]] = {"path": Path, "box": Box, "dot": Dot, "words": Words}
_NAMES = {kind: name for name, kind in _SHAPES.items()}


def table_to_json(table: Table) -> dict[str, Any]:
    """Return a table as plain JSON."""
    return asdict(table)


def table_from_json(given: Mapping[str, Any]) -> Table:
    """Return the table that :func:`table_to_json` wrote down."""
    return Table(
        **{
            **given,
            "heads": tuple(given["heads"]),
            "rows": tuple(tuple(Cell(**cell) for cell in row) for row in given["rows"]),
            "remarks": tuple(given["remarks"]),
        }
    )


def diagram_to_json(diagram: Diagram) -> dict[str, Any]:
    """Return a diagram as plain JSON; each shape names its kind under "shape"."""
    return {
        **asdict(diagram),
        "shapes": [{"shape": _NAMES[type(each)], **asdict(each)} for each in diagram.shapes],
    }


def diagram_from_json(given: Mapping[str, Any]) -> Diagram:
    """Return the diagram that :func:`diagram_to_json` wrote down."""
    return Diagram(**{**given, "shapes": tuple(map(_shape, given["shapes"]))})


def _shape(given: Mapping[str, Any]) -> Shape:
    values = {name: value for name, value in given.items() if name != "shape"}
    if given["shape"] == "path":
        values["points"] = tuple((x, y) for x, y in values["points"])
    return _SHAPES[given["shape"]](**values)
