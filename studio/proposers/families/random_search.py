"""Random search and what can be made of its trials."""

from studio.proposers.families.base import POST, SELECTION, Preset

PRESETS: tuple[Preset, ...] = (
    Preset(
        key="RS",
        family="Random search",
        summary="Tries settings at random and keeps the best single model. "
        "The baseline that every other method should beat.",
        reference="Bergstra & Bengio 2012; EO 4; thesis 2.1, 3.3 and 5.5",
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
    Preset(
        key="RS-ES",
        family="Random search",
        summary="Tries settings at random, then selects an ensemble of 25 from all models. "
        "Hard to beat where the search space is large.",
        reference="DivBO 4.1 and appendix A.1",
        parts={"proposer": "random", "ensemble": "greedy"},
        options=SELECTION,
    ),
    Preset(
        key="ERS",
        family="Random search",
        summary="Tries settings at random and weighs each model by how often it is the best on "
        "resampled validation rows. Random search's counterpart of ESMBO.",
        reference="Lacoste et al. 2014, SMBEO, sections 3 and 6",
        parts={"proposer": "random", "ensemble": "agnostic-bayes"},
    ),
)
