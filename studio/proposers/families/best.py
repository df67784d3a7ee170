"""Our own method for the best result in the time that there is."""

from studio.proposers.families.base import Preset

PRESETS: tuple[Preset, ...] = (
    Preset(
        key="best",
        family="Best result",
        summary="Tries settings first that did well on many tables, then searches for what "
        "improves the ensemble most for the time it takes. The one to choose for a good "
        "result.",
        reference="Ensemble Studio's own (studies: portfolio, products)",
        parts={
            "proposer": "proven-starts",
            "surrogate": "random-forest",
            "maximiser": "global-local",
            "evaluation": "early-end",
            "ensemble": "greedy",
        },
        options={
            "ensemble.loss": "guided",
            "ensemble.calibrate": True,
            # What helps is close to what has helped; a minute is too short to look everywhere.
            "maximiser.everywhere": 20,
            "maximiser.around": 500,
        },
        spaces={
            "binary": "best",
            "multiclass": "best",
            "regression": "best-regression",
        },
        advised=True,
    ),
)
