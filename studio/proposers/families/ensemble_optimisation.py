"""Ensemble optimisation (EO 2016; thesis 4)."""

from studio.phrases import phrase
from studio.proposers.families.base import FROM_SEARCH, GP, POST, Preset

_ONLY_VALUES = phrase("its loss is defined for predicted values; for classes choose EO-sqm")
_ONLY_VOTES = phrase("its loss counts votes of classes, which numbers do not have; choose EO-mse")

PRESETS: tuple[Preset, ...] = (
    Preset(
        key="EO-sqm",
        family="Ensemble optimisation",
        summary="Looks at every step for the model that improves the ensemble most, "
        "not for the best model alone. The ensemble is ready at any moment.",
        reference="Lévesque, Gagné & Sabourin 2016, algorithm 1; thesis, algorithm 4.1, eq. 4.15",
        parts={"proposer": "eo", **GP, "ensemble": FROM_SEARCH},
        options={"proposer.loss": "sqm"},
        aliases=("EO", "EO-squared-margin"),
        refused={"regression": _ONLY_VOTES},
    ),
    Preset(
        key="EO-C",
        family="Ensemble optimisation",
        summary="Ensemble optimisation by a bound that rewards members which are right and "
        "disagree. The bound grows loose where the votes are close.",
        reference="Lévesque et al. 2016; thesis 4.3, eq. 4.22 (C-bound)",
        parts={"proposer": "eo", **GP, "ensemble": FROM_SEARCH},
        options={"proposer.loss": "C"},
        refused={"regression": _ONLY_VOTES},
    ),
    Preset(
        key="EO-sig",
        family="Ensemble optimisation",
        summary="Ensemble optimisation by a smooth step that comes close to counting errors. "
        "Unlike a count of errors, it sees how narrowly a vote was lost.",
        reference="thesis 4.3 (sigmoid loss)",
        parts={"proposer": "eo", **GP, "ensemble": FROM_SEARCH},
        options={"proposer.loss": "sig"},
        refused={"regression": _ONLY_VOTES},
    ),
    Preset(
        key="EO-post",
        family="Ensemble optimisation",
        summary="Searches for models that help the ensemble, one member's place at a time. The "
        "final ensemble is then built from scratch from everything that was found.",
        reference="EO 4; thesis 4.4",
        parts={"proposer": "eo", **GP, "ensemble": "greedy"},
        options=POST,
    ),
    Preset(
        key="EO-mse",
        family="Ensemble optimisation",
        summary="Looks at every step for the model that improves the averaged prediction most. "
        "Ensemble optimisation for predicting numbers.",
        reference="ours: the counterpart of EO-sqm for regression",
        parts={"proposer": "eo", **GP, "ensemble": FROM_SEARCH},
        options={"proposer.loss": "mse"},
        refused={"binary": _ONLY_VALUES, "multiclass": _ONLY_VALUES},
    ),
)
