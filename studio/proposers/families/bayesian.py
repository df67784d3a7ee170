"""Bayesian optimisation of single models as EO and thesis 4 run it."""

from studio.proposers.families.base import GP, POST, Preset

PRESETS: tuple[Preset, ...] = (
    Preset(
        key="BO-best",
        family="Bayesian optimisation",
        summary="Learns from every trial where good settings lie and keeps the best single model. "
        "The usual choice when only one model may be used.",
        reference="Snoek et al. 2012; EO 4; thesis 4.4",
        parts={"proposer": "bo", **GP, "ensemble": "single-best"},
    ),
    Preset(
        key="BO-post",
        family="Bayesian optimisation",
        summary="Learns where good settings lie, then combines a dozen of the models found. "
        "The search looks for good single models; the ensemble comes afterwards.",
        reference="EO 4; thesis 4.4",
        parts={"proposer": "bo", **GP, "ensemble": "greedy"},
        options=POST,
    ),
)
