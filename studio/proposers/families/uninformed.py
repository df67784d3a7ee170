"""Searches that spread their trials evenly and learn nothing from them."""

from studio.proposers.families.base import Preset

PRESETS: tuple[Preset, ...] = (
    Preset(
        key="grid",
        family="Evenly spread",
        summary="Tries all combinations of equal steps and keeps the best single model. "
        "The oldest way to tune, and wasteful beyond two or three settings.",
        reference="thesis 3.3 (10 × 10)",
        parts={"proposer": "grid", "ensemble": "single-best"},
    ),
    Preset(
        key="sobol",
        family="Evenly spread",
        summary="Spreads its trials over the whole space without gaps and keeps the best single "
        "model. A better-spread random search.",
        reference="Sobol 1967",
        parts={"proposer": "sobol", "ensemble": "single-best"},
    ),
)
