"""What people would use instead: the searches of other libraries, as they are."""

from studio.proposers.families.base import Preset

FAMILY = "Others"

PRESETS: tuple[Preset, ...] = (
    Preset(
        key="optuna",
        family=FAMILY,
        summary="Optuna's tree-structured Parzen estimator, and the best single model found. "
        "Knows conditions; the space's defaults are not used.",
        reference="Akiba et al. 2019",
        parts={"proposer": "optuna-tpe", "ensemble": "single-best"},
    ),
    Preset(
        key="optuna-gp",
        family=FAMILY,
        summary="Optuna's Gaussian process, and the best single model found. Settings under "
        "conditions are drawn at random; the space's defaults are not used.",
        reference="Akiba et al. 2019; Ament et al. 2023",
        parts={"proposer": "optuna-gp", "ensemble": "single-best"},
    ),
    Preset(
        key="smac3",
        family=FAMILY,
        summary="SMAC3's random forest, and the best single model that it finds. "
        "Knows conditions; the space's defaults are not used.",
        reference="Lindauer et al. 2022",
        parts={"proposer": "smac3", "ensemble": "single-best"},
        aliases=("smac",),
    ),
    Preset(
        key="flaml",
        family=FAMILY,
        summary="FLAML's cost-frugal local search, and the best single model that it finds. "
        "Does not know conditions, nor seconds: every trial costs the same here.",
        reference="Wu, Wang & Huang 2021",
        parts={"proposer": "flaml-cfo", "ensemble": "single-best"},
    ),
)
