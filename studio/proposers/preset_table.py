"""The table of presets: methods as choices of parts, explained in docs/methods/presets.md."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from studio.parts import OptionValue
from studio.phrases import join_phrases, phrase
from studio.proposers.composition import FROM_SEARCH, GP, Preset

_Parts = Mapping[str, str]
_Options = Mapping[str, OptionValue]

_SINGLE = {"ensemble": "single-best"}
_GREEDY = {"ensemble": "greedy"}
_OWN = {"ensemble": FROM_SEARCH}
_RANDOM = {"proposer": "random"}
_BO = {"proposer": "bo"}

_POST: _Options = {
    "ensemble.size": 12, "ensemble.start": 3, "ensemble.combination": "auto",
}  # fmt: skip
"""Post-hoc selection of EO and the thesis: start with the three best, majority vote (or the mean if
the metric scores probabilities, which the papers do not consider). The papers give no size; EO's
number of slots makes the two comparable.
"""

_SELECTION: _Options = {"ensemble.ties": "seed"}
"""DivBO's ensemble selection; size, replacement and the error of mean probabilities are the
defaults of greedy selection. Ties are broken at random: from an empty start the first of equal
models would be selected repeatedly, giving an ensemble of one if no second model lowers the error.
"""

_EO = {"proposer": "eo", **GP}
_ONLY_VALUES = phrase("its loss is defined for predicted values; for classes choose EO-sqm")
_ONLY_VOTES = phrase("its loss counts votes of classes, which numbers do not have; choose EO-mse")

_SOBOL = {"surrogate": "gp", "acquisition": "ei", "maximiser": "sobol-lbfgs"}
_MATERN: _Options = {"surrogate.kernel": "matern"}
"""SMBEO 2 and the thesis' GPEIOptChooser: Matérn-5/2 with one length scale per dimension, EI by
Sobol points and L-BFGS; inference by maximum likelihood and by slice sampling.
"""
_ML: _Options = {**_MATERN, "surrogate.inference": "ml"}

_SPLIT: _Options = {"evaluation.selection": 0.2}
"""Thesis 3: a fifth of the rows outside the test is reserved for the final selection."""
_CMA: _Options = {"proposer.population": 6, "proposer.survival": "plus"}
"""Thesis 3: (μ + λ) with μ = 3 and λ = 6."""

_SAMPLES = {**_BO, "surrogate": "gp", "acquisition": "ei", "maximiser": "random", **_SINGLE}
"""Thesis 5: EI over 1,000 random configurations; the -ls variants search locally."""
_SEARCH = {**_SAMPLES, "maximiser": "local-search"}
_THESIS5 = "Lévesque 2018, 5.5"

_FOREST = {"surrogate": "random-forest", "acquisition": "ei", "maximiser": "global-local"}
"""OpenBox's forest and expected improvement, over the candidates of DivBO's appendix A.4."""
_DIVBO = {"proposer": "divbo", **_FOREST, "diversity": "lightgbm"}
"""The same, with the best surrogate of diversity in DivBO's figure 2."""
_ARMS: _Options = {"proposer.initial": 3}
"""OpenBox's initial design, in every arm."""


def _make_thesis3_presets(
    name: tuple[str, str], parts: _Parts, options: _Options, section: str, summary: tuple[str, str]
) -> Iterator[Preset]:
    """Yield a method (key, title) of thesis chapter 3 on fixed rows, and its reshuffled ``-r``."""
    key, title = name
    fixed = Preset(
        key,
        title=title,
        family="Against overfitting",
        parts=parts,
        options=options,
        reference=phrase("Lévesque 2018, 3.3; {section}", section=section),
        summary=join_phrases(summary),
    )
    reshuffled_note = phrase("Every trial is trained and scored on new splits.")
    yield fixed
    yield replace(
        fixed,
        key=f"{key}-r",
        title=phrase("{method}, new splits", method=title),
        parts={**parts, "evaluation": "reshuffle"},
        reference=phrase("Lévesque 2018, 3.3; {section}", section=f"{section}; 3.2.1"),
        summary=join_phrases((summary[0], reshuffled_note)),
    )


def _make_thesis5_presets(
    key: str, title: str, kernel: str, reference: str, first: str
) -> Iterator[Preset]:
    """Yield a Gaussian process of thesis chapter 5, and its ``-ls`` variant with a local search."""
    sampled = phrase("The best of many random candidates is tried next.")
    searched = phrase("A local search looks for where improvement is likeliest and largest.")
    base_preset = Preset(
        key,
        title=title,
        family="Conditional spaces",
        parts=_SAMPLES,
        options={"surrogate.kernel": kernel},
        reference=reference,
        summary=join_phrases((first, sampled)),
    )
    yield base_preset
    yield replace(
        base_preset,
        key=f"{key}-ls",
        title=phrase("{method}, local search", method=title),
        parts=_SEARCH,
        reference=f"{reference}; eq. 5.7-5.8",
        summary=join_phrases((first, searched)),
    )


# fmt: off
PRESETS: tuple[Preset, ...] = (
    Preset(
        "best", title="Best result", family="Best result", advised=True,
        parts={
            "proposer": "proven-starts", "surrogate": "random-forest", "maximiser": "global-local",
            "evaluation": "early-end", **_GREEDY,
        },
        options={
            "ensemble.loss": "guided", "ensemble.calibrate": True,
            "ensemble.correct": True,
            # Good candidates are near good trials; a minute is too short for a global search.
            "maximiser.everywhere": 20, "maximiser.around": 500,
        },
        spaces={"binary": "best", "multiclass": "best", "regression": "best-regression"},
        reference="Ensemble Studio's own",
        summary="First tries configurations proven on many tables, then searches for the largest "
        "improvement of the ensemble per second. The method to choose for a good result.",
    ),
    # Random search, and ensembles of its trials.
    Preset(
        "RS", title="Random search", family="Random search",
        parts={**_RANDOM, **_SINGLE}, aliases=("rs", "RS-best"),
        reference="Bergstra & Bengio 2012; Lévesque et al. 2016; Lévesque 2018, 2.1, 3.3 and 5.5",
        summary=(
            "Tries random configurations and keeps the best single model. The baseline for every "
            "other method."
        ),
    ),
    Preset(
        "RS-post", title="Random search, small ensemble", family="Random search",
        parts={**_RANDOM, **_GREEDY}, options=_POST,
        reference="Caruana et al. 2004; Lévesque 2018, 4.4",
        summary=(
            "Tries random configurations, then combines several of the models found. Often a "
            "large gain over the single best, for no extra training."
        ),
    ),
    Preset(
        "RS-ES", title="Random search, ensemble", family="Random search",
        parts={**_RANDOM, **_GREEDY}, options=_SELECTION,
        reference="Shen et al. 2022, 4.1 and appendix A.1",
        summary=(
            "Tries random configurations, then selects an ensemble from all models. "
            "Hard to beat where the search space is large."
        ),
    ),
    Preset(
        "ERS", title="Random search, Bayesian ensemble", family="Random search",
        parts={**_RANDOM, "ensemble": "agnostic-bayes"},
        reference="Lacoste et al. 2014, sections 3 and 6",
        summary="Tries random configurations and weighs each model by how often it is the best on "
        "resampled validation rows. Random search's counterpart of ESMBO.",
    ),
    # Searches that do not learn from their trials.
    Preset(
        "grid", title="Grid search", family="Evenly spread", parts={"proposer": "grid", **_SINGLE},
        reference="Lévesque 2018, 3.3 (10 × 10)",
        summary=(
            "Tries all combinations of equal steps and keeps the best single model. The oldest way "
            "to tune, and wasteful beyond two or three hyperparameters."
        ),
    ),
    Preset(
        "sobol", title="Evenly spread search", family="Evenly spread",
        parts={"proposer": "sobol", **_SINGLE},
        reference="Sobol 1967",
        summary="Spreads its trials over the whole space without gaps and keeps the best single "
        "model. A better-spread random search.",
    ),
    # Sequential model-based ensemble optimisation.
    Preset(
        "SMBO", title="Model-based search", family="Bootstrapped ensembles",
        parts={**_BO, **_SOBOL, **_SINGLE}, options=_ML,
        reference="Lacoste et al. 2014, sections 2 and 6",
        summary="Learns from every trial where good configurations lie and keeps the best single "
        "model. The baseline for ESMBO.",
    ),
    Preset(
        "ESMBO", title="Bootstrapped ensemble search", family="Bootstrapped ensembles",
        parts={"proposer": "esmbo", **_SOBOL, **_OWN},
        options=_ML,
        reference="Lacoste et al. 2014, section 4, algorithm 2 (agnostic Bayes)",
        summary="Searches for the best model on many resamples of the validation rows in turn. "
        "Each model then weighs as much as the share of resamples on which it is the best.",
    ),
    # Single models, as in EO and chapter 4 of the thesis.
    Preset(
        "BO-best", title="Bayesian search", family="Bayesian optimisation",
        parts={**_BO, **GP, **_SINGLE},
        reference="Snoek et al. 2012; Lévesque et al. 2016; Lévesque 2018, 4.4",
        summary="Learns from every trial where good configurations lie and keeps the best single "
        "model. The usual choice when only one model may be used.",
    ),
    Preset(
        "BO-post", title="Bayesian search, ensemble", family="Bayesian optimisation",
        parts={**_BO, **GP, **_GREEDY}, options=_POST,
        reference="Lévesque et al. 2016; Lévesque 2018, 4.4",
        summary="Learns where good configurations lie, then combines several of the models "
        "found. The search looks for good single models; the ensemble comes afterwards.",
    ),
    Preset(
        "EO-sqm", title="Ensemble search, squared margin", family="Ensemble optimisation",
        aliases=("EO", "EO-squared-margin"),
        parts={**_EO, **_OWN}, options={"proposer.loss": "sqm"},
        rejections={"regression": _ONLY_VOTES},
        reference="Lévesque et al. 2016, algorithm 1; Lévesque 2018, eq. 4.15",
        summary="Looks at every step for the model that improves the ensemble most, "
        "not for the best model alone. The ensemble is ready at any moment.",
    ),
    Preset(
        "EO-C", title="Ensemble search, C-bound", family="Ensemble optimisation",
        parts={**_EO, **_OWN},
        options={"proposer.loss": "C"}, rejections={"regression": _ONLY_VOTES},
        reference="Lévesque et al. 2016; Lévesque 2018, 4.3, eq. 4.22 (C-bound)",
        summary="Ensemble optimisation by a bound that rewards members for being right and for "
                "disagreeing. The bound grows loose where the votes are close.",
    ),
    Preset(
        "EO-sig", title="Ensemble search, sigmoid", family="Ensemble optimisation",
        parts={**_EO, **_OWN},
        options={"proposer.loss": "sig"}, rejections={"regression": _ONLY_VOTES},
        reference="Lévesque 2018, 4.3 (sigmoid loss)",
        summary="Ensemble optimisation by a smooth step that comes close to counting errors. "
        "Unlike a count of errors, it sees how narrowly a vote was lost.",
    ),
    Preset(
        "EO-post", title="Ensemble search, rebuilt", family="Ensemble optimisation",
        parts={**_EO, **_GREEDY}, options=_POST,
        reference="Lévesque et al. 2016; Lévesque 2018, 4.4",
        summary=(
            "Searches for models that help the ensemble, one member's place at a time. The final "
            "ensemble is then built from scratch from all models found."
        ),
    ),
    Preset(
        "EO-mse", title="Ensemble search for numbers", family="Ensemble optimisation",
        parts={**_EO, **_OWN},
        options={"proposer.loss": "mse"},
        rejections={"binary": _ONLY_VALUES, "multiclass": _ONLY_VALUES},
        reference="Ensemble Studio's own, after EO-sqm",
        summary="Looks at every step for the model that improves the averaged prediction most. "
        "Ensemble optimisation for predicting numbers.",
    ),
    # CMA-ES in the variants of EO and of chapters 4 and 5 of the thesis.
    Preset(
        "CMA-best", title="Evolution (CMA-ES)", family="Evolution",
        parts={"proposer": "cma-es", **_SINGLE},
        reference="Hansen 2016; Lévesque 2018, 4.4 and 5.5 (λ = 4 + 3 ln d)",
        summary=(
            "Moves a population of configurations towards better ones and keeps the best single "
            "model. Strong for numbers, weak where there are choices."
        ),
    ),
    # Thesis chapter 3: against overfitting the validation rows.
    *_make_thesis3_presets(
        ("gp", phrase("Bayesian search, Matérn")), {**_BO, **_SOBOL, **_SINGLE}, _MATERN, "2.3",
        (phrase("Bayesian optimisation that keeps the best single model by validation."),
         phrase("The baseline for the strategies against overfitting.")),
    ),
    *_make_thesis3_presets(
        ("gp-sel", phrase("Bayesian search, separate choice")),
        {**_BO, **_SOBOL, "ensemble": "selection-best"}, {**_MATERN, **_SPLIT}, "3.2.2",
        (phrase("Bayesian optimisation whose final choice is made on rows that the search never "
                "sees."),
         phrase("It reveals models with mere luck on the validation rows.")),
    ),
    *_make_thesis3_presets(
        ("gp-pm", phrase("Bayesian search, predicted best")),
        {**_BO, **_SOBOL, "ensemble": "posterior-mean"}, _MATERN, "3.4",
        (phrase(
            "Bayesian optimisation that ends with the configuration predicted to be best by its "
            "surrogate."
        ),
         phrase("The surrogate smooths out the luck of single trials.")),
    ),
    *_make_thesis3_presets(
        ("cma", phrase("Evolution strategy")),
        {"proposer": "cma-es", **_SINGLE}, _CMA, "3.2 (Hansen 2005)",
        (phrase("An evolution strategy of three parents and six children that keeps the best "
                "single model."),
         phrase("Made for numeric hyperparameters.")),
    ),
    *_make_thesis3_presets(
        ("cma-pv", phrase("Evolution, last population")),
        {"proposer": "cma-es", "ensemble": "population"},
        {**_CMA, **_SPLIT, "ensemble.strategy": "pv"}, "3.2.2, eq. 3.6",
        (phrase("An evolution strategy that takes the best survivor on held-out rows."),
         phrase("Only the last population counts (partial validation).")),
    ),
    *_make_thesis3_presets(
        ("cma-bw", phrase("Evolution, backwarding")),
        {"proposer": "cma-es", "ensemble": "population"},
        {**_CMA, **_SPLIT, "ensemble.strategy": "bw"}, "3.2.2, eq. 3.7",
        (phrase(
            "An evolution strategy that archives each population's best by validation if held-out "
            "rows agree."
        ),
         phrase("The archive remembers what later generations lose (backwarding).")),
    ),
    *_make_thesis3_presets(
        ("cma-gv", phrase("Evolution, all populations")),
        {"proposer": "cma-es", "ensemble": "population"},
        {**_CMA, **_SPLIT, "ensemble.strategy": "gv"}, "3.2.2, eq. 3.8",
        (phrase("An evolution strategy that archives the best survivor on held-out rows."),
         phrase("All populations count (global validation).")),
    ),
    # Thesis chapter 5: surrogates for spaces with conditions.
    Preset(
        "Spearmint", title="Spearmint", family="Conditional spaces",
        parts={**_SAMPLES, "maximiser": "sobol-lbfgs"},
        options={**_MATERN, "surrogate.imputation": "none"},
        reference=phrase("Snoek et al. 2012; {section}", section=_THESIS5),
        summary=(
            "A Gaussian process that treats the space as if it had no conditions, and follows "
            "the gradient to the next trial. The classic of Bayesian optimisation."
        ),
    ),
    Preset(
        "SMAC", title="SMAC", family="Conditional spaces",
        parts={**_SEARCH, "surrogate": "random-forest"},
        options={"proposer.interleave": 0.5, "surrogate.imputation": "middle"},
        reference=phrase("Hutter et al. 2011; {section}", section=_THESIS5),
        summary="A random forest and a local search, with every second trial at random. "
        "Robust in large spaces with many choices.",
    ),
    Preset(
        "GP-matern-noimpute", title="Gaussian process, plain", family="Conditional spaces",
        parts=_SAMPLES,
        options={**_MATERN, "surrogate.imputation": "none"},
        reference=_THESIS5,
        summary=(
            "Spearmint's Gaussian process with random candidates instead of gradients. Shows the "
            "effect of filling in inactive hyperparameters."
        ),
    ),
    *_make_thesis5_presets(
        "GP-matern", phrase("Gaussian process, Matérn"), "matern", _THESIS5,
        phrase("A Gaussian process that gives hyperparameters of other branches a fixed value."),
    ),
    *_make_thesis5_presets(
        "GP-cond", phrase("Gaussian process by branch"), "conditional", f"{_THESIS5}, eq. 5.9",
        phrase(
            "A Gaussian process that compares configurations only within a branch of the space."
        ),
    ),
    *_make_thesis5_presets(
        "GP-laplace", phrase("Gaussian process, rough kernel"), "laplace", f"{_THESIS5}, eq. 5.15",
        phrase("A Gaussian process with the rougher kernel that random cuts of the space lead to."),
    ),
    # DivBO, and the searches it is compared with (DivBO 4.1).
    Preset(
        "BO", title="Forest-guided search", family="Diversity", parts={**_BO, **_FOREST, **_SINGLE},
        options={"proposer.initial": 5},
        reference="Shen et al. 2022, 4.1 and appendix A.4; Hutter et al. 2011",
        summary=(
            "Learns with a random forest where good configurations lie and keeps the best single "
            "model. Fast even with many trials and large search spaces."
        ),
    ),
    Preset(
        "BO-ES", title="Forest-guided search, ensemble", family="Diversity",
        parts={**_BO, **_FOREST, **_GREEDY},
        options={"proposer.initial": 5, **_SELECTION},
        reference="Shen et al. 2022, 4.1 and appendix A.4; Feurer et al. 2015",
        summary=(
            "Learns with a random forest where good configurations lie, then selects an ensemble "
            "from all models. As in auto-sklearn."
        ),
    ),
    Preset(
        "DivBO", title="Diverse search, ensemble", family="Diversity",
        parts={**_DIVBO, **_GREEDY}, options=_SELECTION,
        reference="Shen et al. 2022, algorithm 1",
        summary="Searches for models that are good and predict differently from those that the "
        "ensemble has already. An ensemble is selected from all of them.",
    ),
    Preset(
        "DivBO-fixed", title="Diverse search, fixed weight", family="Diversity",
        parts={**_DIVBO, **_GREEDY},
        options={"proposer.weight": "fixed", "proposer.fixed_weight": 0.1, **_SELECTION},
        reference="Shen et al. 2022, appendix A.5, table 8",
        summary=(
            "DivBO with a constant weight of diversity. Shows the benefit of the growing weight."
        ),
    ),
    Preset(
        "DivBO-", title="Diverse search", family="Diversity", parts={**_DIVBO, **_SINGLE},
        reference="Shen et al. 2022, 4.1, figure 3",
        summary="Searches like DivBO but keeps the best single model. "
        "Shows that diversity only pays where models are combined.",
    ),
    # DivBO's other baselines: searches that divide their trials among algorithms, and evolution.
    Preset(
        "RB", title="Race of algorithms", family="Choosing algorithms", options=_ARMS,
        parts={"proposer": "rising-bandit", **_FOREST, **_SINGLE},
        reference="Li et al. 2020; Shen et al. 2022, 4.1 and appendix A.4",
        summary="Tunes every algorithm for a while and drops those that can no longer catch up. "
        "The best single model is kept.",
    ),
    Preset(
        "RB-ES", title="Race of algorithms, ensemble", family="Choosing algorithms",
        options={**_ARMS, **_SELECTION},
        parts={"proposer": "rising-bandit", **_FOREST, **_GREEDY},
        reference="Li et al. 2021 (VolcanoML); Shen et al. 2022, 4.1 and appendix A.4",
        summary="Drops algorithms that can no longer catch up, then selects an ensemble from "
        "all models. What VolcanoML does.",
    ),
    Preset(
        "kBO-ES", title="Equal shares for algorithms", family="Choosing algorithms",
        options={**_ARMS, **_SELECTION},
        parts={"proposer": "k-bo", **_FOREST, **_GREEDY},
        reference="Shen et al. 2022, appendix A.5, table 11",
        summary="Tunes every algorithm with the same number of trials, then selects an ensemble "
                "from all models. Shows the benefit of allocating the budget "
                "adaptively.",
    ),
    Preset(
        "NES", title="Evolved ensemble", family="Choosing algorithms", options=_SELECTION,
        parts={"proposer": "nes", **_GREEDY},
        reference="Zaidi et al. 2021; Shen et al. 2022, 4.1 and appendix A.4",
        summary="Breeds new configurations from the members of the best ensemble of the last 30 "
        "trials. An ensemble is selected from all models.",
    ),
    # The searches of other libraries, unchanged.
    Preset(
        "optuna", title="Optuna (TPE)", family="Others",
        parts={"proposer": "optuna-tpe", **_SINGLE},
        reference="Akiba et al. 2019",
        summary="Optuna's tree-structured Parzen estimator, and the best single model found. "
        "Knows conditions; the space's defaults are not used.",
    ),
    Preset(
        "optuna-gp", title="Optuna (Gaussian process)", family="Others",
        parts={"proposer": "optuna-gp", **_SINGLE},
        reference="Akiba et al. 2019; Ament et al. 2023",
        summary="Optuna's Gaussian process, and the best single model found. Conditional "
        "hyperparameters are drawn at random; the space's defaults are not used.",
    ),
)
"""All methods by name, grouped by family."""
# fmt: on
