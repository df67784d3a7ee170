"""Branches of a space as text: the JSON of a space, with the value that they hang on.

What people copy, mail and paste is what a file has (:mod:`studio.space.json_form`), a line a
hyperparameter. Of a value of a choice, with what it governs, it also says
``"value": {"parent": "kernel", "values": ["rbf"]}``.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from studio.errors import SpaceError
from studio.space.base import Condition, Parameter
from studio.space.json_form import (
    condition_json,
    file_text,
    parsed,
    read_condition,
    space_fields,
    space_json,
)

_VALUE = "value"


@dataclass(frozen=True)
class Branches:
    """What a text says.

    Attributes:
        parameters: With their rules, parents first as they were.
        value: The choice and its one value that the branch hangs on, where one was copied.
    """

    parameters: tuple[Parameter, ...]
    value: Condition | None = None


def branch_text(branches: Branches) -> str:
    """Write branches."""
    further = {} if branches.value is None else {_VALUE: condition_json(branches.value)}
    return file_text(space_json(branches.parameters, further))


def read_branches(text: str) -> Branches:
    """Read what :func:`branch_text` writes, or a whole space.

    Raises:
        SpaceError: If it is no JSON of a space, or says nothing.
    """
    whole = parsed(text)
    value = None
    if isinstance(whole, Mapping) and _VALUE in whole:
        value = read_condition(whole[_VALUE], "the branch")
        if value.values is None or len(value.values) != 1:
            raise SpaceError("“value” of the branch must name a choice and one value of it.")
        whole = {key: entry for key, entry in whole.items() if key != _VALUE}
    parameters = space_fields(whole)["parameters"]
    if value is None and not parameters:
        raise SpaceError("There is no hyperparameter in the text.")
    return Branches(parameters, value)
