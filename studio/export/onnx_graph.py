"""An ONNX graph: the table's columns → the matrix → every member → the ensemble.

Each member is converted by itself (so that one which cannot be is named); what comes before it is
built here, what combines them in :mod:`studio.export.onnx_combining`.
"""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from studio.document.decision import Decision
from studio.ensembles.base import Ensemble
from studio.errors import ExportError
from studio.export.onnx_combining import combined, committee_mean, constant, is_label
from studio.export.onnx_preparation import preparation_nodes
from studio.export.raw_table import RawColumn
from studio.phrases import phrase
from studio.version import VERSION

OPSET = 17
ML_OPSET = 3
IR_VERSION = 10
"""What onnxruntime has read for years; newer ones are of no use here."""

MATRIX = "matrix"


def ensemble_graph(
    columns: Sequence[RawColumn],
    models: Sequence[Sequence[Any]],
    ensemble: Ensemble,
    classes: Sequence[str | int],
    titles: Sequence[str],
    *,
    decision: Decision | None = None,
) -> Any:
    """Return the model.

    Parameters
    ----------
    columns : sequence of RawColumn
        Its inputs, each of shape (n, 1): double, or text for categories.
    models : sequence of sequences of pipelines
        The members in the ensemble's order, from the matrix to codes or values: itself each, or
        the fold models of a committee.
    ensemble : Ensemble
        What combines them.
    classes : sequence
        Empty for regression.
    titles : sequence of str
        What to call each member in an error.
    decision : Decision or None
        How labels are decided, where not as the ensemble has them.

    Returns
    -------
    onnx.ModelProto
        Outputs ``label`` (n,) and ``probabilities`` (n, C), or ``value`` (n,).

    Raises
    ------
    ExportError
        If a member has no ONNX form.
    """
    from onnx import checker, helper

    inputs, nodes = _front(columns)
    constants: list[Any] = []
    n_codes = max((len(each.categories or ()) for each in columns), default=0)
    given = []
    for number, folds, title in zip(ensemble.members, models, titles, strict=True):
        names = []
        for fold, model in enumerate(folds):
            prefix = f"m{number}_{fold}_"
            before, kept, ready, width = preparation_nodes(
                model[0], MATRIX, prefix + "before_", n_codes
            )
            behind, more, found = _member(model, width, prefix, title, len(classes))
            nodes += [*before, _same(ready, prefix + MATRIX), *behind]
            constants += [*kept, *more]
            names.append(found)
        if len(names) > 1:
            nodes += committee_mean(names, f"m{number}_", len(classes), constants)
            names = [f"m{number}_mean"]
        given += names
    nodes += combined(ensemble, given, classes, constants, decision)
    outputs = _outputs(classes)
    _name_apart(columns, inputs, outputs, nodes, constants)
    graph = helper.make_graph(nodes, "ensemble", inputs, outputs, constants)
    # A converter names the oldest versions with its operators; these have the same ones.
    made = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", ML_OPSET)],
        ir_version=IR_VERSION,
        producer_name="Ensemble Studio",
        producer_version=VERSION,
    )
    checker.check_model(made)
    return made


def _front(columns: Sequence[RawColumn]) -> tuple[list[Any], list[Any]]:
    """Return inputs and nodes from columns to the matrix (n, d); unknown labels become NaN."""
    from onnx import TensorProto, helper

    inputs, nodes, parts = [], [], []
    for place, column in enumerate(columns):
        is_number = column.categories is None
        kind = TensorProto.DOUBLE if is_number else TensorProto.STRING
        source = f"input_{place}"
        inputs.append(helper.make_tensor_value_info(source, kind, [None, 1]))
        name = f"column_{place}"
        parts.append(name)
        if is_number:
            nodes.append(helper.make_node("Identity", [source], [name]))
            continue
        labels = column.categories or ("\x00",)
        nodes.append(
            helper.make_node(
                "LabelEncoder",
                [source],
                [name + "_code"],
                domain="ai.onnx.ml",
                keys_strings=list(labels),
                values_floats=[float(code) for code in range(len(labels))],
                default_float=float("nan"),
            )
        )
        nodes.append(helper.make_node("Cast", [name + "_code"], [name], to=TensorProto.DOUBLE))
    nodes.append(helper.make_node("Concat", parts, [MATRIX], axis=1))
    return inputs, nodes


def _name_apart(
    columns: Sequence[RawColumn],
    inputs: list[Any],
    outputs: list[Any],
    nodes: list[Any],
    constants: list[Any],
) -> None:
    """Give the inputs the columns' names, and everything else names that no column has."""
    taken = {column.title for column in columns}
    prefix = "inside/"
    while any(name.startswith(prefix) for name in taken):
        prefix = f"_{prefix}"
    names = {each.name: column.title for each, column in zip(inputs, columns, strict=True)}
    for each in outputs:
        name = each.name
        while name in taken:
            name = f"predicted_{name}"
        names[each.name] = name
        taken.add(name)
    for each in (*inputs, *outputs, *constants):
        each.name = names.get(each.name, prefix + each.name)
    for node in nodes:
        for places in (node.input, node.output):
            for place, name in enumerate(places):
                if name:  # an empty one is an input that is left out
                    places[place] = names.get(name, prefix + name)


def _member(
    member: Any, width: int, prefix: str, title: str, n_classes: int
) -> tuple[list[Any], list[Any], str]:
    """Return nodes and constants after a member's preparation, and the name of what it gives.

    Each step is converted by itself: some converters do not work in a pipeline. Classes that
    training did not have get the probability 0.
    """
    from onnx import helper

    nodes: list[Any] = []
    constants: list[Any] = []
    given = prefix + MATRIX
    for place, (_, step) in enumerate(member.steps[1:]):
        last = place == len(member.steps) - 2
        sure = last and n_classes > 0 and hasattr(step, "predict_proba")
        own = f"{prefix}{place}_"
        scaler = getattr(step, "transformer_", None) if last else None
        step = step if scaler is None else step.regressor_  # noqa: PLW2901 - what is inside it
        graph = _converted(step, width, own, title, {"zipmap": False} if sure else None)
        nodes += [_same(given, own + MATRIX), *graph.node]
        constants += graph.initializer
        names = [each.name for each in graph.output]
        given = names[1] if sure else names[0]
        if scaler is not None:
            more, kept, given = _unscaled(given, own, scaler)
            nodes += more
            constants += kept
        if not last:
            width = step.transform(np.zeros((2, width))).shape[1]
    seen = np.asarray(getattr(member, "classes_", ()), dtype=np.int64)
    if not is_label(given) and 0 < seen.size < n_classes:
        places = constant(constants, prefix + "seen", np.eye(n_classes, dtype=np.float32)[seen])
        nodes.append(helper.make_node("MatMul", [given, places], [prefix + "all"]))
        given = prefix + "all"
    return nodes, constants, given


def _unscaled(name: str, prefix: str, scaler: Any) -> tuple[list[Any], list[Any], str]:
    """Return what brings values that were predicted on a standardised target back to its own."""
    from onnx import helper

    constants: list[Any] = []
    scale = constant(constants, prefix + "scale", np.float32(scaler.scale_[0]))
    mean = constant(constants, prefix + "mean", np.float32(scaler.mean_[0]))
    wide, moved = prefix + "wide", prefix + "moved"
    nodes = [
        helper.make_node("Mul", [name, scale], [wide]),
        helper.make_node("Add", [wide, mean], [moved]),
    ]
    return nodes, constants, moved


def _same(name: str, other: str) -> Any:
    from onnx import helper

    return helper.make_node("Identity", [name], [other])


def _converted(
    step: Any, width: int, prefix: str, title: str, options: dict[str, Any] | None
) -> Any:
    from onnx.compose import add_prefix
    from skl2onnx import to_onnx
    from skl2onnx.common.data_types import FloatTensorType
    from skl2onnx.common.exceptions import MissingConverter, MissingShapeCalculator

    _know_light_gbm()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the converters read attributes on their way out
            part = to_onnx(
                step,
                initial_types=[(MATRIX, FloatTensorType([None, width]))],
                options=None if options is None else {id(step): options},
                target_opset={"": OPSET, "ai.onnx.ml": ML_OPSET},
            )
    except (
        MissingConverter,
        MissingShapeCalculator,
        NotImplementedError,
        RuntimeError,
        TypeError,
        ValueError,
        NameError,
        AttributeError,
        KeyError,
        IndexError,
    ) as error:
        # The converters refuse in many ways; whichever it is, the member has no ONNX form.
        said = str(error).strip().splitlines() or [type(error).__name__]
        raise ExportError(
            "{title} cannot be converted to ONNX ({reason}). Export a pickle or a skops file "
            "instead, or search a space without that algorithm.",
            title=phrase(title),
            reason=said[0][:200],
        ) from error
    return add_prefix(part, prefix).graph


def _know_light_gbm() -> None:
    """Register converters of LightGBM's estimators with skl2onnx, where it is installed."""
    from lightgbm import LGBMClassifier, LGBMRegressor
    from onnxmltools.convert.lightgbm.operator_converters.LightGbm import convert_lightgbm
    from skl2onnx import update_registered_converter
    from skl2onnx.common.shape_calculator import (
        calculate_linear_classifier_output_shapes,
        calculate_linear_regressor_output_shapes,
    )

    update_registered_converter(
        LGBMClassifier,
        "LightGbmLGBMClassifier",
        calculate_linear_classifier_output_shapes,
        convert_lightgbm,
        options={"nocl": [True, False], "zipmap": [True, False, "columns"]},
    )
    update_registered_converter(
        LGBMRegressor,
        "LightGbmLGBMRegressor",
        calculate_linear_regressor_output_shapes,
        convert_lightgbm,
        options={"split": None},
    )


def _outputs(classes: Sequence[str | int]) -> list[Any]:
    from onnx import TensorProto, helper

    if not classes:
        return [helper.make_tensor_value_info("value", TensorProto.FLOAT, [None])]
    kind = TensorProto.INT64 if isinstance(classes[0], int) else TensorProto.STRING
    return [
        helper.make_tensor_value_info("label", kind, [None]),
        helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, [None, len(classes)]),
    ]
