"""What combines the members in an ONNX graph: committee, vote, mean at a temperature, or layer."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from studio.document.decision import Decision
from studio.ensembles.base import Ensemble
from studio.ensembles.calibration import SMALLEST


def committee_mean(
    names: Sequence[str], prefix: str, n_classes: int, constants: list[Any]
) -> list[Any]:
    """Return the nodes of a committee: the mean of what its fold models give, as ``…mean``."""
    from onnx import helper

    nodes: list[Any] = []
    blocks = []
    for fold, name in enumerate(names):
        more, block = _block(name, f"{prefix}{fold}_", n_classes, constants, votes=False)
        nodes += more
        blocks.append(block)
    share = constant(constants, prefix + "share", np.float32(1 / len(names)))
    return [
        *nodes,
        helper.make_node("Sum", blocks, [prefix + "sum"]),
        helper.make_node("Mul", [prefix + "sum", share], [prefix + "mean"]),
    ]


def combined(
    ensemble: Ensemble,
    given: Sequence[str],
    classes: Sequence[str | int],
    constants: list[Any],
    decision: Decision | None = None,
) -> list[Any]:
    """Return the nodes from what the members give to the outputs; labels follow the decision."""
    from onnx import helper

    nodes: list[Any] = []
    blocks = _blocks(given, "", len(classes), constants, nodes, votes=False)
    if ensemble.layer is not None:
        total = _layered(ensemble, blocks, constants, nodes)
    else:
        total = _weighted(ensemble, blocks, "total", constants, nodes)
    if not classes:
        shape = constant(constants, "flat", np.array([-1]))
        nodes.append(helper.make_node("Reshape", [total, shape], ["value"]))
        return nodes
    deciding = total
    if decision is None and ensemble.combination == "vote":
        votes = _blocks(given, "vote_", len(classes), constants, nodes, votes=True)
        deciding = _weighted(ensemble, votes, "votes", constants, nodes)
    nodes += _at_temperature(ensemble.temperature, total, constants)
    if decision is None:
        nodes += _largest(deciding, constants)
    else:
        nodes += _flagged(decision, classes, constants)
    if isinstance(classes[0], int):
        table = constant(constants, "classes", np.array(classes, dtype=np.int64))
        nodes.append(helper.make_node("Gather", [table, "code"], ["label"]))
        return nodes
    nodes.append(
        helper.make_node(
            "LabelEncoder",
            ["code"],
            ["label"],
            domain="ai.onnx.ml",
            keys_int64s=list(range(len(classes))),
            values_strings=list(map(str, classes)),
            default_string="",
        )
    )
    return nodes


def _blocks(
    given: Sequence[str],
    prefix: str,
    n_classes: int,
    constants: list[Any],
    nodes: list[Any],
    *,
    votes: bool,
) -> list[str]:
    """Add what makes shares or values of each member's output; return the names of those."""
    blocks = []
    for place, name in enumerate(given):
        made, block = _block(name, f"{prefix}block_{place}_", n_classes, constants, votes=votes)
        nodes += made
        blocks.append(block)
    return blocks


def _weighted(
    ensemble: Ensemble, blocks: list[str], out: str, constants: list[Any], nodes: list[Any]
) -> str:
    """Add the weighted sum of blocks; return its name."""
    from onnx import helper

    weighted = []
    for place, (name, weight) in enumerate(zip(blocks, ensemble.weights, strict=True)):
        factor = constant(constants, f"{out}_weight_{place}", np.float32(weight))
        nodes.append(helper.make_node("Mul", [name, factor], [f"{out}_weighted_{place}"]))
        weighted.append(f"{out}_weighted_{place}")
    nodes.append(helper.make_node("Sum", weighted, [out]))
    return out


def _largest(deciding: str, constants: list[Any]) -> list[Any]:
    """Return the nodes of the code of the largest share."""
    from onnx import helper

    # Equal shares differ in their last bits; the first class wins them, as everywhere.
    scale = constant(constants, "digits", np.float32(2**16))
    return [
        helper.make_node("Mul", [deciding, scale], ["scaled"]),
        helper.make_node("Round", ["scaled"], ["rounded"]),
        helper.make_node("ArgMax", ["rounded"], ["code"], axis=1, keepdims=0),
    ]


def _flagged(decision: Decision, classes: Sequence[str | int], constants: list[Any]) -> list[Any]:
    """Return the nodes of the code of the class looked for where it is probable enough."""
    from onnx import helper

    wanted = decision.code(classes)
    place = constant(constants, "wanted", np.int64(wanted))
    other = constant(constants, "unwanted", np.int64(1 - wanted))
    threshold = constant(constants, "threshold", np.float32(decision.threshold))
    return [
        helper.make_node("Gather", ["probabilities", place], ["wanted_share"], axis=1),
        helper.make_node("GreaterOrEqual", ["wanted_share", threshold], ["flagged"]),
        helper.make_node("Where", ["flagged", place, other], ["code"]),
    ]


def _at_temperature(temperature: float, total: str, constants: list[Any]) -> list[Any]:
    """Return the nodes of :func:`studio.ensembles.calibration.tempered`."""
    from onnx import helper

    if temperature == 1.0:
        return [helper.make_node("Identity", [total], ["probabilities"])]
    smallest = constant(constants, "smallest", np.float32(SMALLEST))
    sharpness = constant(constants, "sharpness", np.float32(1.0 / temperature))
    return [
        helper.make_node("Add", [total, smallest], ["above_zero"]),
        helper.make_node("Log", ["above_zero"], ["logarithms"]),
        helper.make_node("Mul", ["logarithms", sharpness], ["sharpened"]),
        helper.make_node("Softmax", ["sharpened"], ["probabilities"], axis=1),
    ]


def _block(
    name: str, prefix: str, n_classes: int, constants: list[Any], *, votes: bool
) -> tuple[list[Any], str]:
    """Return nodes that make (n, C) shares or (n, 1) values of it, and the name of those."""
    from onnx import helper

    out = prefix + "block"
    if not n_classes:
        shape = constant(constants, prefix + "column_shape", np.array([-1, 1]))
        return [helper.make_node("Reshape", [name, shape], [out])], out
    label_only = is_label(name)
    if not votes and not label_only:
        return [], name
    code, nodes = name, []
    if not label_only:
        code = prefix + "vote"
        nodes.append(helper.make_node("ArgMax", [name], [code], axis=1, keepdims=0))
    depth = constant(constants, prefix + "depth", np.int64(n_classes))
    values = constant(constants, prefix + "off_on", np.array([0.0, 1.0], dtype=np.float32))
    nodes.append(helper.make_node("OneHot", [code, depth, values], [out], axis=-1))
    return nodes, out


def is_label(name: str) -> bool:
    """Return whether an output holds class codes and no probabilities."""
    return name.endswith("label")


def _layered(ensemble: Ensemble, blocks: list[str], constants: list[Any], nodes: list[Any]) -> str:
    from onnx import helper

    layer = ensemble.layer
    assert layer is not None
    matrix = constant(
        constants, "coefficients", np.array(layer.coefficients, dtype=np.float32).T.copy()
    )
    shift = constant(constants, "intercepts", np.array(layer.intercepts, dtype=np.float32))
    nodes += [
        helper.make_node("Concat", blocks, ["features"], axis=1),
        helper.make_node("MatMul", ["features", matrix], ["products"]),
        helper.make_node("Add", ["products", shift], ["scores"]),
    ]
    if len(layer.intercepts) == 1:
        return "scores"
    nodes.append(helper.make_node("Softmax", ["scores"], ["total"], axis=1))
    return "total"


def constant(constants: list[Any], name: str, value: Any) -> str:
    """Add an array that the graph holds; return its name."""
    from onnx import numpy_helper

    constants.append(numpy_helper.from_array(np.asarray(value), name))
    return name
