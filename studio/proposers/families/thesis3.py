"""Thesis chapter 3: strategies against overfitting the validation rows."""

from collections.abc import Mapping

from studio.parts import OptionValue
from studio.phrases import joined, phrase
from studio.proposers.families.base import Preset

_FAMILY = "Against overfitting"

_SPLIT: Mapping[str, OptionValue] = {"evaluation.selection": 0.2}
"""A fifth of the rows outside the test is kept aside for the final choice."""

_GP: Mapping[str, str] = {
    "proposer": "bo",
    "surrogate": "gp",
    "acquisition": "ei",
    "maximiser": "sobol-lbfgs",
}
_GP_OPTIONS: Mapping[str, OptionValue] = {"surrogate.kernel": "matern"}
"""The thesis' GPEIOptChooser: Matérn-5/2, slice sampling, Sobol points and L-BFGS."""

_CMA: Mapping[str, str] = {"proposer": "cma-es"}
_CMA_OPTIONS: Mapping[str, OptionValue] = {"proposer.population": 6, "proposer.survival": "plus"}
"""(μ + λ) with μ = 3 and λ = 6."""

_RESHUFFLED = phrase("Every trial is trained and scored on new splits.")


def _preset(
    key: str,
    summary: str,
    section: str,
    parts: Mapping[str, str],
    options: Mapping[str, OptionValue],
) -> Preset:
    return Preset(
        key=key,
        family=_FAMILY,
        summary=summary,
        reference=phrase("thesis 3.3; {section}", section=section),
        parts=parts,
        options=options,
    )


def _pair(
    key: str,
    summary: tuple[str, str],
    section: str,
    parts: Mapping[str, str],
    options: Mapping[str, OptionValue],
) -> tuple[Preset, Preset]:
    """Return a method on fixed rows, and its ``-r`` variant: its first sentence, reshuffled."""
    again = {**parts, "evaluation": "reshuffle"}
    return (
        _preset(key, joined(summary), section, parts, options),
        _preset(f"{key}-r", joined((summary[0], _RESHUFFLED)), f"{section}; 3.2.1", again, options),
    )


PRESETS: tuple[Preset, ...] = (
    *_pair(
        "gp",
        (
            phrase("Bayesian optimisation that keeps the best single model by validation."),
            phrase("The plain search that the strategies against overfitting are compared with."),
        ),
        "2.3",
        {**_GP, "ensemble": "single-best"},
        _GP_OPTIONS,
    ),
    *_pair(
        "gp-sel",
        (
            phrase(
                "Bayesian optimisation whose final choice is made on rows that the search never "
                "sees."
            ),
            phrase("A model that is only lucky on the validation rows is found out."),
        ),
        "3.2.2",
        {**_GP, "ensemble": "selection-best"},
        {**_GP_OPTIONS, **_SPLIT},
    ),
    *_pair(
        "gp-pm",
        (
            phrase(
                "Bayesian optimisation that ends with the settings that its surrogate "
                "believes in most."
            ),
            phrase("The surrogate has smoothed the luck of single trials."),
        ),
        "3.4",
        {**_GP, "ensemble": "posterior-mean"},
        _GP_OPTIONS,
    ),
    *_pair(
        "cma",
        (
            phrase(
                "An evolution strategy of three parents and six children that keeps the best "
                "single model."
            ),
            phrase("Made for settings that are numbers."),
        ),
        "3.2 (Hansen 2005)",
        {**_CMA, "ensemble": "single-best"},
        _CMA_OPTIONS,
    ),
    *_pair(
        "cma-pv",
        (
            phrase(
                "An evolution strategy that takes the survivor which is best on rows never seen."
            ),
            phrase("Only the last population counts (partial validation)."),
        ),
        "3.2.2, eq. 3.6",
        {**_CMA, "ensemble": "population"},
        {**_CMA_OPTIONS, **_SPLIT, "ensemble.strategy": "pv"},
    ),
    *_pair(
        "cma-bw",
        (
            phrase(
                "An evolution strategy that archives each population's best by validation if "
                "rows never seen agree."
            ),
            phrase("The archive remembers what later generations lose (backwarding)."),
        ),
        "3.2.2, eq. 3.7",
        {**_CMA, "ensemble": "population"},
        {**_CMA_OPTIONS, **_SPLIT, "ensemble.strategy": "bw"},
    ),
    *_pair(
        "cma-gv",
        (
            phrase(
                "An evolution strategy that archives the survivor which is best on rows never seen."
            ),
            phrase("All populations count (global validation)."),
        ),
        "3.2.2, eq. 3.8",
        {**_CMA, "ensemble": "population"},
        {**_CMA_OPTIONS, **_SPLIT, "ensemble.strategy": "gv"},
    ),
)
