"""Cells of the tree: columns, texts, and editable values."""

from typing import NamedTuple

from studio.gui.pages.space import edits, formatting
from studio.gui.pages.space.edits import SpaceEdit
from studio.gui.pages.space.outline import OutlineRow
from studio.language import N_, tr, translate
from studio.space.base import Parameter
from studio.space.choices import Boolean, Categorical, Constant
from studio.space.ranges import Float, Integer
from studio.space.space import Space


class TreeColumn(NamedTuple):
    """A column of the tree: header, the fields whose problems it shows, and the editable field."""

    title: str
    tip: str
    problem_fields: tuple[str, ...] = ()
    editable_field: str = ""


NAME, KIND, VALUES, SCALE, DEFAULT, EXAMPLE = range(6)
COLUMNS = (
    TreeColumn(
        N_("Name"),
        N_("Hyperparameters, and under a choice its values"),
        ("name", "sets", "conditions"),
        "name",
    ),
    TreeColumn(N_("Kind"), N_("Kind of values: number, choice, fixed value, …")),
    TreeColumn(
        N_("Range or values"),
        N_("The smallest and largest value, or the values to choose from"),
        ("low", "high", "choices", "value", "values"),
        "values",
    ),
    TreeColumn(
        N_("Scale"), N_("Linear, or logarithmic: equal factors are equally likely"), ("log",)
    ),
    TreeColumn(
        N_("Default"),
        N_("Tried first, and used where nothing else is known"),
        ("default",),
        "default",
    ),
    TreeColumn(N_("Example"), N_("The value in the selected random example; empty if inactive")),
)


def format_cell(parameter: Parameter, column: int) -> str:
    """Return a hyperparameter's text for a cell right of the name."""
    if column == KIND:
        return translate(parameter.title)
    if column == SCALE:
        if not isinstance(parameter, Float | Integer):
            return ""
        return tr(formatting.SCALE_NAMES[parameter.log])
    if column == VALUES:
        return formatting.format_range(parameter)
    if column == EXAMPLE or isinstance(parameter, Constant):
        return ""
    return formatting.format_choice(parameter, parameter.get_default())


def get_editable_text(row: OutlineRow, column: int) -> str:
    """Return the editable text of a cell, which can be parsed without loss."""
    parameter = row.parameter
    if column == NAME:
        name = parameter.name if row.rule is None else ""
        return name if row.value is None else formatting.format_value(row.value)
    if column == KIND:
        return parameter.type
    if column == SCALE and isinstance(parameter, Float | Integer):
        return formatting.SCALE_NAMES[parameter.log]
    if column == VALUES:
        return formatting.format_values(parameter)
    if column == DEFAULT and not isinstance(parameter, Constant):
        return formatting.format_value(parameter.get_default())
    return format_cell(parameter, column)


def list_choices(row: OutlineRow, column: int) -> list[tuple[str, str]]:
    """Return the choices of a cell as (value, label); empty if it is free text."""
    if column == KIND:
        return [(kind, translate(text)) for kind, text in edits.KINDS.items()]
    if column == SCALE:
        return [(word, tr(word)) for word in formatting.SCALE_NAMES.values()]
    if column == DEFAULT and isinstance(row.parameter, Categorical | Boolean):
        return [
            (formatting.format_value(v), formatting.format_choice(row.parameter, v))
            for v in row.parameter.choices
        ]
    return []


def is_editable(row: OutlineRow, column: int) -> bool:
    """Whether a cell can be edited in place."""
    parameter = row.parameter
    if row.rule is not None:
        is_choice_value = row.value is not None and isinstance(parameter, Categorical)
        return column == NAME and is_choice_value
    return {
        VALUES: not isinstance(parameter, Boolean),
        SCALE: isinstance(parameter, Float | Integer),
        DEFAULT: not isinstance(parameter, Constant),
        EXAMPLE: False,
    }.get(column, True)


def edit_cell(space: Space, row: OutlineRow, column: int, text: str) -> SpaceEdit:
    """Apply the text typed or chosen in a cell, or raise SpaceError."""
    if column == KIND:
        return edits.set_kind(space, row, text)
    if column == SCALE:
        return edits.set_values(space, row, log=text == formatting.SCALE_NAMES[True])
    return edits.apply_input(space, row, COLUMNS[column].editable_field, text)
