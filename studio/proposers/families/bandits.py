"""Searches that divide their trials among algorithms, and evolution: DivBO's other baselines."""

from studio.parts import OptionValue
from studio.proposers.families.base import SELECTION, Preset
from studio.proposers.families.divbo import MODEL

_FAMILY = "Choosing algorithms"

_ARMS: dict[str, OptionValue] = {"proposer.initial": 3}
"""OpenBox's initial design, in every arm."""

PRESETS: tuple[Preset, ...] = (
    Preset(
        key="RB",
        family=_FAMILY,
        summary="Tunes every algorithm for a while and drops those that can no longer catch up. "
        "The best single model is kept.",
        reference="Li et al. 2020; DivBO 4.1 and appendix A.4",
        parts={"proposer": "rising-bandit", **MODEL, "ensemble": "single-best"},
        options=_ARMS,
    ),
    Preset(
        key="RB-ES",
        family=_FAMILY,
        summary="Drops algorithms that can no longer catch up, then selects an ensemble of 25 "
        "from all models. What VolcanoML does.",
        reference="Li et al. 2021 (VolcanoML); DivBO 4.1 and appendix A.4",
        parts={"proposer": "rising-bandit", **MODEL, "ensemble": "greedy"},
        options={**_ARMS, **SELECTION},
    ),
    Preset(
        key="kBO-ES",
        family=_FAMILY,
        summary="Tunes every algorithm with the same number of trials, then selects an ensemble of "
        "25 from all models. Shows what dividing the budget wisely is good for.",
        reference="DivBO appendix A.5, table 11",
        parts={"proposer": "k-bo", **MODEL, "ensemble": "greedy"},
        options={**_ARMS, **SELECTION},
    ),
    Preset(
        key="NES",
        family=_FAMILY,
        summary="Breeds new settings from the members of the best ensemble of the last 30 trials. "
        "An ensemble of 25 is selected from all models.",
        reference="Zaidi et al. 2021; DivBO 4.1 and appendix A.4",
        parts={"proposer": "nes", "ensemble": "greedy"},
        options=SELECTION,
    ),
)
