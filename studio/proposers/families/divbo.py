"""DivBO, and the searches of single models that it is compared with (DivBO 4.1)."""

from collections.abc import Mapping

from studio.proposers.families.base import SELECTION, Preset

MODEL: Mapping[str, str] = {
    "surrogate": "random-forest",
    "acquisition": "ei",
    "maximiser": "global-local",
}
"""OpenBox's forest and expected improvement, over the candidates of DivBO's appendix A.4."""

DIVERSE: Mapping[str, str] = {"proposer": "divbo", **MODEL, "diversity": "lightgbm"}
"""The same, and the surrogate of diversity that did best in DivBO's figure 2."""

PRESETS: tuple[Preset, ...] = (
    Preset(
        key="BO",
        family="Diversity",
        summary="Learns with a random forest where good settings lie and keeps the best single "
        "model. Quick also with many trials and large search spaces.",
        reference="DivBO 4.1 and appendix A.4; Hutter et al. 2011",
        parts={"proposer": "bo", **MODEL, "ensemble": "single-best"},
        options={"proposer.initial": 5},
    ),
    Preset(
        key="BO-ES",
        family="Diversity",
        summary="Learns with a random forest where good settings lie, then selects an ensemble of "
        "25 from all models. What auto-sklearn does.",
        reference="DivBO 4.1 and appendix A.4; Feurer et al. 2015",
        parts={"proposer": "bo", **MODEL, "ensemble": "greedy"},
        options={"proposer.initial": 5, **SELECTION},
    ),
    Preset(
        key="DivBO",
        family="Diversity",
        summary="Searches for models that are good and predict differently from those that the "
        "ensemble has already. An ensemble of 25 is selected from all of them.",
        reference="Shen et al. 2022 (DivBO), algorithm 1",
        parts={**DIVERSE, "ensemble": "greedy"},
        options=SELECTION,
    ),
    Preset(
        key="DivBO-fixed",
        family="Diversity",
        summary="DivBO with a weight of diversity that stays the same from the first suggestion "
        "to the last. Shows what the growing weight is good for.",
        reference="DivBO appendix A.5, table 8",
        parts={**DIVERSE, "ensemble": "greedy"},
        options={"proposer.weight": "fixed", "proposer.fixed_weight": 0.1, **SELECTION},
    ),
    Preset(
        key="DivBO-",
        family="Diversity",
        summary="Searches like DivBO but keeps the best single model. "
        "Shows that diversity only pays where models are combined.",
        reference="DivBO 4.1, figure 3",
        parts={**DIVERSE, "ensemble": "single-best"},
    ),
)
