"""A dataclass as an answer of the helper: what is an array, and what is JSON."""

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from studio.helper.registry import Answer


def split_fields(found: "DataclassInstance") -> "Answer":
    """Return a dataclass' fields: plain JSON, and arrays by name."""
    words: dict[str, Any] = {}
    arrays = {}
    for each in dataclasses.fields(found):
        value = getattr(found, each.name)
        if isinstance(value, np.ndarray):
            arrays[each.name] = value
        else:
            words[each.name] = value
    return words, arrays
