"""Random search and what can be made of its trials."""

from studio.proposers.families.base import POST, Preset

PRESETS: tuple[Preset, ...] = (
    Preset(
        key="RS",
        family="Random search",
        summary="Tries settings at random and keeps the best single model. "
        "The baseline that every other method should beat.",
        reference="Bergstra & Bengio 2012; EO 4; thesis 2.1",
        parts={"proposer": "random", "ensemble": "single-best"},
        aliases=("rs", "RS-best"),
    ),
    Preset(
        key="RS-post",
        family="Random search",
        summary="Tries settings at random, then combines a dozen of the models found. "
        "Often a large gain over the single best, for no extra training.",
        reference="Caruana et al. 2004; thesis 4.4",
        parts={"proposer": "random", "ensemble": "greedy"},
        options=POST,
    ),
)
