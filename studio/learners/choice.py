"""From a configuration of a space to a learner and its values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from studio.errors import LearnerError, UsageError
from studio.learners.base import Learner
from studio.learners.registry import REGISTRY
from studio.parts import find
from studio.trial import Configuration, Value

ALGORITHM = "algorithm"
"""What the parameter that chooses the learner sets."""


@dataclass(frozen=True)
class Choice:
    """A learner and the values that a configuration gives it.

    Attributes
    ----------
    learner : str
        The learner's key.
    values : Mapping
        Values by the learner's own hyperparameter names.
    names : Mapping
        The space's parameter name of each hyperparameter, to report clipped values under it.
    """

    learner: str
    values: Mapping[str, Value]
    names: Mapping[str, str] = field(default_factory=dict)


def learner_for(
    configuration: Configuration,
    sets: Mapping[str, str],
    registry: Sequence[type[Learner]] = REGISTRY,
) -> Choice:
    """Return what a configuration trains.

    A parameter that sets ``algorithm`` names the learner; one that sets ``rbf-svm.C`` gives C to
    rbf-svm and to no other learner; one that sets a plain ``C`` gives C to whichever is chosen.

    Parameters
    ----------
    configuration : Configuration
        Values of the active parameters.
    sets : Mapping
        What each of them sets, by the parameter's name (``Parameter.sets``).
    registry : sequence of Learner classes
        The learners there are.

    Raises
    ------
    LearnerError
        If not exactly one parameter names a learner, the named one does not exist, or two
        parameters set the same thing.
    """
    chosen = [configuration[name] for name in configuration if sets[name] == ALGORITHM]
    if len(chosen) != 1:
        raise LearnerError(
            "Exactly one active parameter of the search space must set 'algorithm', to say which "
            f"learner is trained; here {len(chosen)} do. Open the space and mend it, or choose a "
            "shipped space."
        )
    try:
        learner = find(registry, str(chosen[0]), "learner")
    except UsageError as error:
        raise LearnerError(f"{error} Change the space's choice of algorithm.") from error
    values: dict[str, Value] = {}
    names: dict[str, str] = {}
    for name, value in configuration.items():
        owner, dot, hyperparameter = sets[name].rpartition(".")
        if sets[name] == ALGORITHM or (dot and owner != learner.key):
            continue
        if hyperparameter in values:
            raise LearnerError(
                f"The parameters {names[hyperparameter]!r} and {name!r} both set "
                f"{learner.key}.{hyperparameter}: remove one, or make them exclude each other."
            )
        values[hyperparameter] = value
        names[hyperparameter] = name
    return Choice(learner.key, values, names)
