"""Monotonic constraints: columns with a never falling, or never rising, effect.

The constrained output is the predicted value, or the probability of the rarer of two classes.
Models then use only those parts of dates that increase with them: otherwise a month or weekday
could lower the output for a later date. Rows without a value are unconstrained.
"""

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np

from studio.arrays import AnyArray, Integers
from studio.data.balance import find_rarer_class
from studio.data.column import Column, Direction
from studio.data.recipe import Recipe
from studio.data.table import Table
from studio.data.tasks import Task
from studio.errors import DataError, UsageError
from studio.phrases import phrase

_RISING_PARTS = {"days", "year"}  # parts of a date that increase with time


def drop_violating_parts(table: Table, monotone: Mapping[str, Direction]) -> Table:
    """Drop date parts that violate a constraint; raise DataError for text and unused columns."""
    features = {each.column_name: each for each in table.features}
    for name in monotone:
        if name not in features:
            raise DataError(
                "Predictions cannot be made to rise or fall with {name!r}: models do not learn "
                "from that column. Use it to predict, or remove its constraint.",
                name=name,
            )
        if features[name].kind == "category" or features[name].term is not None:
            raise DataError(
                "Predictions cannot be made to rise or fall with {name!r}: it holds words, and "
                "only numbers and dates have an order. Remove its constraint.",
                name=name,
            )
    remaining = (
        each
        for each in table.columns
        if each.column_name not in monotone or each.date is None or each.date.part in _RISING_PARTS
    )
    return dataclasses.replace(table, columns=tuple(remaining)) if monotone else table


def get_constraint_signs(
    features: Sequence[Column], monotone: Mapping[str, Direction], task: Task, y: AnyArray
) -> Integers | None:
    """Return the sign of the constraint by matrix column, shape (d,); ``None`` without any.

    1 where the value, or the probability of the second class, never falls with a column, -1 where
    it never rises, 0 where it is unconstrained. The target y, (n,), must not have more than two
    classes (UsageError).
    """
    check_task(monotone, task)
    if not monotone:
        return None
    up_sign = -1 if task == "binary" and find_rarer_class(y) == 0 else 1
    sign_of = {"up": up_sign, "down": -up_sign}
    names = (each.column_name for each in features)
    return np.array([sign_of[monotone[name]] if name in monotone else 0 for name in names])


def check_task(monotone: Mapping[str, Direction], task: Task) -> None:
    """Reject constraints with more than two classes, which have no order, with a UsageError."""
    if monotone and task == "multiclass":
        raise UsageError(
            "With more than two classes there is no single value to rise or fall with {name!r}. "
            "Remove the constraint, or predict a number or one of two classes.",
            name=next(iter(monotone)),
        )


def describe_constraints(
    recipe: Recipe, signs: Integers | None, monotone: Mapping[str, Direction]
) -> dict[str, str]:
    """Return a sentence about the effect of each constrained column, by signs of shape (d,)."""
    if signs is None:
        return {}
    classes = recipe.target.classes
    descriptions = {}
    for index in np.flatnonzero(signs).tolist():
        name = recipe.features[index].column_name
        # For two classes, name the one whose probability has the constrained direction.
        code = int(signs[index] == (1 if monotone[name] == "up" else -1))
        template = _EFFECTS[monotone[name]][bool(classes)]
        class_name = str(classes[code]) if classes else None
        descriptions[name] = phrase(template, column=name, name=class_name)
    return descriptions


_EFFECTS: Mapping[Direction, tuple[str, str]] = {
    "up": (
        phrase("As you chose, a higher value of {column!r} never lowers the prediction."),
        phrase(
            "As you chose, a higher value of {column!r} never lowers the probability of {name!r}."
        ),
    ),
    "down": (
        phrase("As you chose, a higher value of {column!r} never raises the prediction."),
        phrase(
            "As you chose, a higher value of {column!r} never raises the probability of {name!r}."
        ),
    ),
}
"""The effect on a number, and on the probability of a class."""
