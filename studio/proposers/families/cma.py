"""CMA-ES as EO and thesis 4 and 5 run it."""

from studio.proposers.families.base import Preset

PRESETS: tuple[Preset, ...] = (
    Preset(
        key="CMA-best",
        family="Evolution",
        summary="Moves a cloud of settings towards the better ones and keeps the best single "
        "model. Strong for numbers, weak where there are choices.",
        reference="Hansen 2016; thesis 4.4 and 5.5 (λ = 4 + 3 ln d)",
        parts={"proposer": "cma-es", "ensemble": "single-best"},
    ),
)
