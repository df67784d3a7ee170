"""What comes before every learner (studio/learners/preparation.py) as ONNX nodes.

It is built here and not by a converter, so that missing categories and those that share a column
keep their meaning, and numbers are scaled in double precision.
"""

from typing import Any

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.errors import ExportError
from studio.export.onnx_combining import constant


def preparation_nodes(
    prepare: Any, matrix: str, prefix: str, n_codes: int
) -> tuple[list[Any], list[Any], str, int]:
    """Return the nodes of a fitted preparation.

    Parameters
    ----------
    prepare : sklearn.compose.ColumnTransformer
        Fitted, with the blocks "numbers", "holes" and "categories".
    matrix : str
        The name of its input, shape (n, d), double.
    prefix : str
        What the names of its nodes begin with.
    n_codes : int
        One more than the largest category code.

    Returns
    -------
    list, list, str, int
        Nodes, constants, the name of the output (n, width), float32, and the width.
    """
    from onnx import TensorProto, helper

    nodes: list[Any] = []
    constants: list[Any] = []
    parts, width = [], 0

    def kept(name: str, value: AnyArray) -> str:
        return constant(constants, prefix + name, value)

    def node(kind: str, inputs: list[str], name: str, **more: Any) -> str:
        nodes.append(helper.make_node(kind, inputs, [prefix + name], **more))
        return prefix + name

    for name, block, columns in prepare.transformers_:
        places = np.asarray(columns, dtype=np.int64)
        if name == "numbers":
            medians, mean, scale = _numbers(block)
            found = node("Gather", [matrix, kept("at", places)], "numbers", axis=1)
            empty = node("IsNaN", [found], "empty")
            found = node("Where", [empty, kept("medians", medians), found], "full")
            found = node("Sub", [found, kept("mean", mean)], "centred")
            found = node("Div", [found, kept("scale", scale)], "scaled")
            parts.append(found)
            width += len(places)
        elif name == "holes":
            parts.append(node("Gather", [matrix, kept("holes_at", places)], "holes", axis=1))
            width += len(places)
        elif name == "categories":
            for place, table in enumerate(_tables(block, len(places), n_codes)):
                where = kept(f"place{place}", places[place : place + 1])
                found = node("Gather", [matrix, where], f"code{place}", axis=1)
                missing = node("IsNaN", [found], f"missing{place}")
                last = kept(f"last{place}", np.array([[float(n_codes)]]))
                found = node("Where", [missing, last, found], f"known{place}")
                shape = kept(f"shape{place}", np.array([-1]))
                found = node("Reshape", [found, shape], f"flat{place}")
                found = node("Cast", [found], f"index{place}", to=TensorProto.INT64)
                rows = kept(f"table{place}", table)
                parts.append(node("Gather", [rows, found], f"columns{place}", axis=0))
                width += table.shape[1]
        elif name != "remainder":
            raise ExportError("The block {name!r} of the preparation has no ONNX form.", name=name)
    found = node("Concat", parts, "prepared", axis=1)
    return nodes, constants, node("Cast", [found], "single", to=TensorProto.FLOAT), width


def _numbers(block: Any) -> tuple[Floats, Floats, Floats]:
    """Return medians, means and scales, (d,), of a fitted imputer, or one followed by a scaler."""
    steps = [step for _, step in getattr(block, "steps", [("impute", block)])]
    medians = np.asarray(steps[0].statistics_, dtype=np.float64)
    if len(steps) == 1:
        return medians, np.zeros_like(medians), np.ones_like(medians)
    return medians, np.asarray(steps[1].mean_), np.asarray(steps[1].scale_)


def _tables(encoder: Any, n_columns: int, n_codes: int) -> list[Floats]:
    """Return what each code of a column becomes, (n_codes + 1, width); last is a missing one.

    Raises
    ------
    ExportError
        If the treatment of a code depends on other columns, too.
    """
    asked = np.full((n_codes + 1, n_columns), np.nan)
    asked[:n_codes] = np.arange(n_codes, dtype=np.float64)[:, None]
    given = np.asarray(encoder.transform(asked), dtype=np.float64)
    # One-hot columns differ in number; all other encoders make as many of each column.
    same = [given.shape[1] // n_columns] * n_columns
    widths = getattr(encoder, "_n_features_outs", None) or same
    tables = np.split(given, np.cumsum(widths)[:-1], axis=1)
    # Columns one code apart from each other: looked up one by one, they must give the same.
    codes = (np.arange(n_codes + 1)[:, None] + np.arange(n_columns)) % (n_codes + 1)
    looked_up = [table[codes[:, place]] for place, table in enumerate(tables)]
    together = np.asarray(encoder.transform(asked[codes, 0]), dtype=np.float64)
    if sum(widths) != given.shape[1] or not np.allclose(np.hstack(looked_up), together):
        raise ExportError(
            "Pairs of categories have no ONNX form. Export a pickle or a skops file instead, or "
            "search a space without the encoder crossed-means."
        )
    return tables
