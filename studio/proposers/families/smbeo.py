"""Sequential model-based ensemble optimisation (Lacoste et al. 2014)."""

from collections.abc import Mapping

from studio.parts import OptionValue
from studio.proposers.families.base import FROM_SEARCH, Preset

_PARTS: Mapping[str, str] = {"surrogate": "gp", "acquisition": "ei", "maximiser": "sobol-lbfgs"}
_OPTIONS: Mapping[str, OptionValue] = {"surrogate.kernel": "matern", "surrogate.inference": "ml"}
"""SMBEO 2: Matérn-5/2 with one length scale a dimension, maximum likelihood, EI by L-BFGS."""

PRESETS: tuple[Preset, ...] = (
    Preset(
        key="SMBO",
        family="Bootstrapped ensembles",
        summary="Learns from every trial where good settings lie and keeps the best single model. "
        "The plain search that ESMBO is compared with.",
        reference="Lacoste et al. 2014, SMBEO, sections 2 and 6",
        parts={"proposer": "bo", **_PARTS, "ensemble": "single-best"},
        options=_OPTIONS,
    ),
    Preset(
        key="ESMBO",
        family="Bootstrapped ensembles",
        summary="Searches for the best model on many resamples of the validation rows in turn. "
        "Each model then weighs as much as the share of resamples on which it is the best.",
        reference="Lacoste et al. 2014, SMBEO, section 4, algorithm 2 (agnostic Bayes)",
        parts={"proposer": "esmbo", **_PARTS, "ensemble": FROM_SEARCH},
        options=_OPTIONS,
    ),
)
