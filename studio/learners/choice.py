"""Selection of the learner and its values from a configuration."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from studio.errors import LearnerError, UsageError
from studio.learners.base import Learner
from studio.learners.operators.base import EMPTY, STAGES, ChosenOperator, Operator, Stage
from studio.learners.operators.registry import REGISTRY as OPERATORS
from studio.learners.registry import REGISTRY
from studio.parts import find_part
from studio.phrases import phrase
from studio.trial import Configuration, Value

ALGORITHM = "algorithm"
"""Name set by the parameter that chooses the learner."""


@dataclass(frozen=True)
class LearnerConfiguration:
    """A learner and the values that a configuration gives it.

    Attributes:
        names: The space's parameter name of each hyperparameter (for operators: of ``key.name``),
            to report clipped values.
        operators: The operators before the learner, in the order of the stages.
    """

    learner: str
    values: Mapping[str, Value]
    names: Mapping[str, str] = field(default_factory=dict)
    operators: tuple[ChosenOperator, ...] = ()

    def with_fixed_values(
        self, used: Mapping[str, Value], names: Sequence[str]
    ) -> "LearnerConfiguration":
        """Return the choice with values fixed by an earlier training.

        Args:
            used: By the space's parameter names, as of :meth:`get_named_values`.
            names: The hyperparameters that the training determines.
        """
        fixed = {
            name: used[key]
            for name in names
            for key in self.get_named_values({name: 0})
            if key in used
        }
        return replace(self, values={**self.values, **fixed})

    def get_named_values(self, used: Mapping[str, Value]) -> dict[str, Value]:
        """Return a pipeline's clipped values by the space's parameter names.

        They are the clipped values of :class:`studio.learners.base.BuiltPipeline`. A default that
        was clipped is named ``key.name``.
        """
        return {
            self.names.get(name, name if "." in name else f"{self.learner}.{name}"): value
            for name, value in used.items()
        }


def find_learner(
    configuration: Configuration,
    sets: Mapping[str, str],
    registry: Sequence[type[Learner]] = REGISTRY,
) -> LearnerConfiguration:
    """Return the learner of a configuration, and its values.

    A parameter that sets ``algorithm`` names the learner; one that sets ``rbf-svm.C`` gives C to
    rbf-svm only; one that sets a plain ``C`` gives C to the chosen learner. One that sets
    ``balancer``, ``preprocessor`` or ``rescaler`` names the operator of that stage ("empty": none),
    and one that sets ``pca.whiten`` gives that value to pca.

    Args:
        sets: ``Parameter.sets`` by the parameter's name.

    Raises:
        LearnerError: If not exactly one parameter names a learner, it does not exist, or two
            parameters set the same hyperparameter.
    """
    learner_keys = [configuration[name] for name in configuration if sets[name] == ALGORITHM]
    if len(learner_keys) != 1:
        raise LearnerError(
            "Exactly one active parameter of the search space must set 'algorithm', to say "
            "which learner is trained; here {count} do. Open the space and fix it, or choose a "
            "shipped space.",
            count=len(learner_keys),
        )
    try:
        learner = find_part(registry, str(learner_keys[0]), phrase("kind of model"))
    except UsageError as error:
        raise LearnerError(
            "{error} Change the space's choice of algorithm.", error=error
        ) from error
    stages = _list_operators(configuration, sets)
    values_by_key: dict[str, dict[str, Value]] = {
        learner.key: {},
        **{operator.key: {} for operator in stages.values() if operator is not None},
    }
    names: dict[str, str] = {}
    for name, value in configuration.items():
        owner, dot, hyperparameter = sets[name].rpartition(".")
        owner = owner if dot else learner.key
        if sets[name] in {ALGORITHM, *STAGES} or owner not in values_by_key:
            continue
        full_name = hyperparameter if owner == learner.key else f"{owner}.{hyperparameter}"
        if full_name in names:
            raise LearnerError(
                "The parameters {first!r} and {name!r} both set {owner}.{hyperparameter}: "
                "remove one, or make them exclude each other.",
                first=names[full_name],
                name=name,
                owner=owner,
                hyperparameter=hyperparameter,
            )
        values_by_key[owner][hyperparameter] = value
        names[full_name] = name
    chosen_operators = tuple(
        ChosenOperator(stage, operator, {} if operator is None else values_by_key[operator.key])
        for stage, operator in stages.items()
    )
    return LearnerConfiguration(learner.key, values_by_key[learner.key], names, chosen_operators)


def choose_learner(
    configuration: Configuration,
    sets: Mapping[str, str],
    registry: Sequence[type[Learner]] = REGISTRY,
) -> tuple[Learner, LearnerConfiguration]:
    """Return a configuration's learner, created, and its values, as of :func:`find_learner`."""
    choice = find_learner(configuration, sets, registry)
    return find_part(registry, choice.learner, phrase("kind of model"))(), choice


def _list_operators(
    configuration: Configuration, sets: Mapping[str, str]
) -> dict[Stage, Operator | None]:
    operators: dict[Stage, Operator | None] = {}
    for stage in STAGES:
        keys = [str(configuration[name]) for name in configuration if sets[name] == stage]
        if len(keys) > 1:
            raise LearnerError(
                "Two active parameters of the search space set {stage!r}; one operator is "
                "possible there. Remove one of them, or make them exclude each other.",
                stage=stage,
            )
        for key in keys:
            operators[stage] = None if key == EMPTY else _find_operator(stage, key)
    return operators


def _find_operator(stage: Stage, key: str) -> Operator:
    fitting = [operator for operator in OPERATORS if operator.stage == stage]
    try:
        return find_part(fitting, key, stage)()
    except UsageError as error:
        raise LearnerError(
            "{error} Change the space's choice of {stage}.", error=error, stage=stage
        ) from error
