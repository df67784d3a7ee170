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
)
