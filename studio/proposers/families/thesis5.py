"""Thesis chapter 5: surrogates for spaces with conditions, single best."""

from collections.abc import Mapping

from studio.parts import OptionValue
from studio.phrases import joined, phrase
from studio.proposers.families.base import Preset

_FAMILY = "Conditional spaces"

_SAMPLES: Mapping[str, str] = {
    "proposer": "bo",
    "surrogate": "gp",
    "acquisition": "ei",
    "maximiser": "random",
    "ensemble": "single-best",
}
"""EI over 1,000 random configurations."""

_SEARCH: Mapping[str, str] = {**_SAMPLES, "maximiser": "local-search"}
"""The -ls variants."""

_SECTION = "thesis 5.5"


def _pair(
    key: str, summary: tuple[str, str], reference: str, options: Mapping[str, OptionValue]
) -> tuple[Preset, Preset]:
    """Return a method by random samples, and its ``-ls`` variant: its first sentence, searched."""
    searched = phrase("A local search looks for where improvement is likeliest and largest.")
    return (
        Preset(key, _FAMILY, joined(summary), reference, _SAMPLES, options),
        Preset(
            f"{key}-ls",
            _FAMILY,
            joined((summary[0], searched)),
            f"{reference}; eq. 5.7-5.8",
            _SEARCH,
            options,
        ),
    )


PRESETS: tuple[Preset, ...] = (
    Preset(
        key="Spearmint",
        family=_FAMILY,
        summary="A Gaussian process that treats the space as if it had no conditions, and follows "
        "the slope to the next trial. The classic of Bayesian optimisation.",
        reference=phrase("Snoek et al. 2012; {section}", section=_SECTION),
        parts={**_SAMPLES, "maximiser": "sobol-lbfgs"},
        options={"surrogate.kernel": "matern", "surrogate.imputation": "none"},
    ),
    Preset(
        key="SMAC",
        family=_FAMILY,
        summary="A random forest and a local search, with every second trial at random. "
        "Robust in large spaces with many choices.",
        reference=phrase("Hutter et al. 2011; {section}", section=_SECTION),
        parts={**_SEARCH, "surrogate": "random-forest"},
        options={"proposer.interleave": 0.5, "surrogate.imputation": "middle"},
    ),
    Preset(
        key="GP-matern-noimpute",
        family=_FAMILY,
        summary="Spearmint's Gaussian process with random candidates in place of slopes. "
        "Shows what filling in inactive settings is good for.",
        reference=_SECTION,
        parts=_SAMPLES,
        options={"surrogate.kernel": "matern", "surrogate.imputation": "none"},
    ),
    *_pair(
        "GP-matern",
        (
            phrase("A Gaussian process that gives settings of other branches a fixed value."),
            phrase("The best of many random candidates is tried next."),
        ),
        _SECTION,
        {"surrogate.kernel": "matern"},
    ),
    *_pair(
        "GP-cond",
        (
            phrase("A Gaussian process that compares settings within a branch of the space only."),
            phrase("The best of many random candidates is tried next."),
        ),
        f"{_SECTION}, eq. 5.9",
        {"surrogate.kernel": "conditional"},
    ),
    *_pair(
        "GP-laplace",
        (
            phrase(
                "A Gaussian process with the rougher kernel that random cuts of the space lead to."
            ),
            phrase("The best of many random candidates is tried next."),
        ),
        f"{_SECTION}, eq. 5.15",
        {"surrogate.kernel": "laplace"},
    ),
)
