"""Ticks of hyperparameters, in unit coordinates."""

import math
from collections.abc import Sequence

import numpy as np

from studio.gui.session.learner_names import format_choice
from studio.language import localise_number, number
from studio.numerals import format_decade
from studio.space.space import Space

_MAX_TICKS = 5


def make_parameter_ticks(space: Space, name: str) -> tuple[tuple[float, str], ...]:
    """Return unit coordinates and texts of a hyperparameter with several values."""
    parameter = space.get_parameter(name)
    axis = parameter.make_axis()
    assert axis is not None, "only hyperparameters with several values have a column"
    if choices := getattr(parameter, "choices", ()):
        positions = (np.arange(len(choices)) + 0.5) / len(choices)
        texts = [format_choice(name, choice) for choice in choices]
        return tuple(zip(positions.tolist(), texts, strict=True))
    values = _choose_tick_values(axis.low, axis.high, axis.log)
    if axis.discrete:
        values = sorted({float(round(value)) for value in values})
    scaled = [(math.log(v) if axis.log else v) for v in values]
    return tuple(
        ((position - axis.start) / axis.width, text)
        for position, text in zip(scaled, _format_values(values, log=axis.log), strict=True)
    )


def _format_values(values: Sequence[float], *, log: bool) -> list[str]:
    """Format the values of an axis, powers of ten by one rule: "0.01", "250", "10⁻⁵"."""
    powers = [math.log10(value) for value in values] if log else []
    if powers and all(abs(power - round(power)) < 1e-9 for power in powers):
        low, high = round(powers[0]), round(powers[-1])
        return [localise_number(format_decade(round(power), low, high)) for power in powers]
    return [number(value, ".3g") for value in values]


def _choose_tick_values(low: float, high: float, log: bool) -> list[float]:
    """Return low, high and some round numbers between them."""
    if not log:
        return [float(value) for value in np.linspace(low, high, 3)]
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    if last - first < 1:
        middle = float(f"{math.sqrt(low * high):.1g}")
        return [low, middle, high] if low < middle < high else [low, high]
    step = -(-(last - first) // (_MAX_TICKS - 1))
    return [10.0**power for power in range(first, last + 1, step)]
