"""The papers' methods by name: each preset is only a choice of parts (METHODS 10).

Keys are exact, in the command line, the document and JSON alike. Whoever wants another
combination takes the nearest preset and names the parts or options that differ.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from studio.data.tasks import Task
from studio.errors import UsageError
from studio.parts import OptionValue

FROM_SEARCH = "from-search"
"""As ensemble part: the ensemble that the search itself maintains."""


@dataclass(frozen=True)
class Preset:
    """A named choice of parts.

    Attributes
    ----------
    key : str
        The exact name.
    family : str
        The heading under which it is offered.
    summary : str
        Two plain sentences.
    reference : str
        Paper and section.
    parts : Mapping
        Part name ("proposer", "surrogate", …) → key of the part.
    options : Mapping
        ``"part.option"`` → value, where it differs from the part's default.
    aliases : tuple of str
        Other names under which papers print it.
    refused : Mapping
        Task → why the method does not exist for it.
    """

    key: str
    family: str
    summary: str
    reference: str
    parts: Mapping[str, str]
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    refused: Mapping[Task, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the preset as plain JSON; ``name`` is the key."""
        return {
            "name": self.key,
            "family": self.family,
            "summary": self.summary,
            "reference": self.reference,
            "aliases": list(self.aliases),
            "parts": dict(self.parts),
            "options": dict(self.options),
            "refused": dict(self.refused),
        }


_GP = {"surrogate": "gp", "acquisition": "ei", "maximiser": "local-search"}
# METHODS gives the posts no size; as many as EO has slots makes them comparable.
_POST: Mapping[str, OptionValue] = {
    "ensemble.size": 12,
    "ensemble.start": 3,
    "ensemble.combination": "vote",
}
_ONLY_VALUES = "its loss is defined for predicted values; for classes choose EO-sqm"
_ONLY_VOTES = "its loss counts votes of classes, which numbers do not have; choose EO-mse"

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
        options=_POST,
    ),
    Preset(
        key="BO-best",
        family="Bayesian optimisation",
        summary="Learns from every trial where good settings lie and keeps the best single model. "
        "The usual choice when only one model may be used.",
        reference="Snoek et al. 2012; EO 4; thesis 4.4",
        parts={"proposer": "bo", **_GP, "ensemble": "single-best"},
    ),
    Preset(
        key="BO-post",
        family="Bayesian optimisation",
        summary="Learns where good settings lie, then combines a dozen of the models found. "
        "The search looks for good single models; the ensemble comes afterwards.",
        reference="EO 4; thesis 4.4",
        parts={"proposer": "bo", **_GP, "ensemble": "greedy"},
        options=_POST,
    ),
    Preset(
        key="EO-sqm",
        family="Ensemble optimisation",
        summary="Looks at every step for the model that improves the ensemble most, "
        "not for the best model alone. The ensemble is ready at any moment.",
        reference="Lévesque, Gagné & Sabourin 2016, algorithm 1; thesis, algorithm 4.1, eq. 4.15",
        parts={"proposer": "eo", **_GP, "ensemble": FROM_SEARCH},
        options={"proposer.loss": "sqm"},
        aliases=("EO", "EO-squared-margin"),
        refused={"regression": _ONLY_VOTES},
    ),
    Preset(
        key="EO-post",
        family="Ensemble optimisation",
        summary="Searches for models that help the ensemble, then builds the final one afresh "
        "from everything it found.",
        reference="EO 4; thesis 4.4",
        parts={"proposer": "eo", **_GP, "ensemble": "greedy"},
        options=_POST,
    ),
    Preset(
        key="EO-mse",
        family="Ensemble optimisation",
        summary="Looks at every step for the model that improves the averaged prediction most. "
        "Ensemble optimisation for predicting numbers.",
        reference="METHODS 10: the counterpart of EO-sqm for regression (ours)",
        parts={"proposer": "eo", **_GP, "ensemble": FROM_SEARCH},
        options={"proposer.loss": "mse"},
        refused={"binary": _ONLY_VALUES, "multiclass": _ONLY_VALUES},
    ),
)
"""Every method by name: a new one is one more entry."""


def default_for(task: Task) -> str:
    """Return the key of the method that is offered first for a task."""
    return "EO-mse" if task == "regression" else "EO-sqm"


def preset_for(name: str) -> Preset:
    """Return the preset with this key or alias.

    Raises
    ------
    UsageError
        If there is none; the message lists those there are.
    """
    for preset in PRESETS:
        if name == preset.key or name in preset.aliases:
            return preset
    names = ", ".join(preset.key for preset in PRESETS)
    raise UsageError(f"There is no method called {name!r}; there are: {names}.")
