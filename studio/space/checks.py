"""Validation of a space as a whole: names, conditions, reachability, size."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from studio.errors import SpaceError
from studio.phrases import phrase
from studio.space.base import (
    Condition,
    DependencyGraph,
    Parameter,
    SpaceProblem,
    find_cycle,
    format_plain_number,
    join_values,
)
from studio.space.choices import Boolean, Categorical, Constant
from studio.space.ranges import Float, Integer
from studio.trial import Value

MAX_PARAMETERS = 5_000

MAX_DEPTH = 60


MAX_STEPS = 300_000
"""Maximum number of comparisons of rules in reachability checks, which take about a second."""

_TOO_COMPLEX = phrase(
    "The rules are too complex to check which hyperparameters can be active together; "
    "contradictions would appear only when the space is used."
)


@dataclass(frozen=True)
class AllowedValues:
    """The possible values of a parent under a chain of conditions.

    ``values`` is ``None`` without a set, when only the range applies.
    """

    values: frozenset[Value] | None = None
    low: float = -math.inf
    high: float = math.inf

    def narrow(self, condition: Condition) -> "AllowedValues":
        """Return the remaining values under another condition on the same parent."""
        return self.intersect_with(
            AllowedValues(
                None if condition.values is None else frozenset(condition.values),
                -math.inf if condition.low is None else condition.low,
                math.inf if condition.high is None else condition.high,
            )
        )

    def intersect_with(self, other: "AllowedValues") -> "AllowedValues":
        """Return the intersection."""
        values = self.values if other.values is None else other.values
        if self.values is not None and other.values is not None:
            values = self.values & other.values
        return AllowedValues(values, max(self.low, other.low), min(self.high, other.high))

    def overlaps(self, other: "AllowedValues") -> bool:
        """Return whether the intersection is non-empty."""
        return self.intersect_with(other).is_possible

    @property
    def is_possible(self) -> bool:
        """Whether any value is possible."""
        if self.values is None:
            return self.low <= self.high
        return any(isinstance(v, str) or self.low <= v <= self.high for v in self.values)


def find_problems(
    parameters: Sequence[Parameter], graph: DependencyGraph
) -> Iterator[SpaceProblem]:
    """Yield all problems of the space: parameters, names, conditions, reachability."""
    if not parameters:
        yield SpaceProblem("", "parameters", phrase("The space is empty; add a hyperparameter."))
    if len(parameters) > MAX_PARAMETERS:
        message = phrase(
            "There are {n_parameters} hyperparameters; the maximum is {most_parameters}.",
            n_parameters=len(parameters),
            most_parameters=MAX_PARAMETERS,
        )
        yield SpaceProblem("", "parameters", message)
    for index, parameter in enumerate(parameters):
        yield from parameter.find_local_problems()
        if graph.index[parameter.name] != index:
            message = phrase(
                "There is another hyperparameter called {name}; rename one.", name=parameter.name
            )
            yield parameter.make_problem("name", message)
        for condition in parameter.conditions:
            for message in _check_condition(parameter, condition, parameters, graph):
                yield parameter.make_problem("conditions", message)
    yield from _check_depth(parameters, graph)
    yield from _check_reachability(parameters, graph)


def raise_first_error(name: str, problems: Iterable[SpaceProblem]) -> None:
    """Raise SpaceError for a space's first error, listing the others."""
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors:
        first = errors[0]
        sentence = first.message
        other_names = dict.fromkeys(each.parameter or each.field for each in errors[1:])
        other_names.pop(first.parameter, None)
        if other_names:
            sentence = phrase(
                "{problem} There are also problems with {others}.",
                problem=sentence,
                others=join_values(tuple(other_names), "and"),
            )
        if first.parameter:
            sentence = phrase(
                "The space {name!r} cannot be used. {parameter}: {problem}",
                name=name,
                parameter=first.parameter,
                problem=sentence,
            )
        else:
            sentence = phrase(
                "The space {name!r} cannot be used. {problem}", name=name, problem=sentence
            )
        raise SpaceError(sentence)


def _check_condition(
    parameter: Parameter,
    condition: Condition,
    parameters: Sequence[Parameter],
    graph: DependencyGraph,
) -> Iterator[str]:
    """Yield a sentence for each problem of a rule."""
    index = graph.index.get(condition.parent)
    has_range = condition.low is not None or condition.high is not None
    if index is None:
        yield phrase(
            "It depends on {parent!r}, which does not exist; choose another parent or "
            "drop the rule.",
            parent=condition.parent,
        )
        return
    if condition.parent == parameter.name:
        yield phrase("It depends on itself; choose another parent or drop the rule.")
        return
    parent = parameters[index]
    if condition.values is not None and has_range:
        yield phrase(
            "The rule on {parent} names both values and a range; keep one of them.",
            parent=parent.name,
        )
    elif condition.values is not None:
        yield from _check_value_rule(condition.values, parent)
    elif isinstance(parent, Categorical | Boolean | Constant):
        yield phrase(
            "The rule on {parent} needs the values that make it active; {offer}.",
            parent=parent.name,
            offer=_describe_choices(parent),
        )
    else:
        yield from _check_range_rule(condition, parent)


def _check_value_rule(values: tuple[Value, ...], parent: Parameter) -> Iterator[str]:
    if not values:
        yield phrase(
            "The rule on {parent} names no value, so it could never be active; {offer}.",
            parent=parent.name,
            offer=_describe_choices(parent),
        )
    if isinstance(parent, Float):
        yield phrase(
            "{parent} is continuous; give a range in the rule, not single values.",
            parent=parent.name,
        )
        return
    if isinstance(parent, Integer):
        invalid = [v for v in values if isinstance(v, str) or not parent.low <= v <= parent.high]
    else:
        assert isinstance(parent, Categorical | Boolean | Constant)
        valid = set(parent.choices)
        invalid = [value for value in values if value not in valid]
    if invalid:
        yield phrase(
            "{parent} cannot be {values}; {offer}.",
            parent=parent.name,
            values=join_values(invalid, "or"),
            offer=_describe_choices(parent),
        )


def _check_range_rule(condition: Condition, parent: Parameter) -> Iterator[str]:
    assert isinstance(parent, Float | Integer)
    low = -math.inf if condition.low is None else condition.low
    high = math.inf if condition.high is None else condition.high
    if math.isnan(low) or math.isnan(high):
        yield phrase("The rule on {parent} has a non-numeric bound.", parent=parent.name)
    elif low > high:
        yield phrase(
            "The rule on {parent} goes from {low} down to {high}; swap them.",
            parent=parent.name,
            low=format_plain_number(low),
            high=format_plain_number(high),
        )
    elif low > parent.high or high < parent.low:
        yield phrase(
            "The rule lies outside the range of {parent}, so it could never be active; {offer}.",
            parent=parent.name,
            offer=_describe_choices(parent),
        )


def _describe_choices(parent: Parameter) -> str:
    if isinstance(parent, Categorical | Boolean | Constant):
        return phrase("choose among {values}", values=join_values(parent.choices, "and"))
    low, high = parent.low, parent.high  # type: ignore[attr-defined]
    return phrase(
        "its range is {low} to {high}", low=format_plain_number(low), high=format_plain_number(high)
    )


def _check_depth(parameters: Sequence[Parameter], graph: DependencyGraph) -> Iterator[SpaceProblem]:
    for index in graph.cyclic:
        names = find_cycle(parameters, graph, index)
        # Self-dependence has a separate message, and parameters below a cycle need none.
        if len(names) > 2:
            path = " → ".join(names if len(names) <= 8 else [*names[:7], "…", names[-1]])
            message = phrase(
                "It depends on itself in a cycle: {path}. Remove one of these rules.", path=path
            )
            yield parameters[index].make_problem("conditions", message)
    for index, level in enumerate(graph.level):
        if level > MAX_DEPTH:
            message = phrase(
                "It is nested {level} levels deep; the maximum is {deepest}.",
                level=level,
                deepest=MAX_DEPTH,
            )
            yield parameters[index].make_problem("conditions", message)


def _check_reachability(
    parameters: Sequence[Parameter], graph: DependencyGraph
) -> Iterator[SpaceProblem]:
    """Find unreachable parameters, and learner parameters that are set twice simultaneously."""
    allowed: dict[int, dict[str, AllowedValues]] = {}
    groups: dict[str, list[int]] = {}
    steps = 0
    for index in graph.order:
        if graph.level[index] > MAX_DEPTH:
            continue
        parameter = parameters[index]
        rules: dict[str, AllowedValues] = {}
        contradiction = ""
        for condition in parameter.conditions:
            parent_index = graph.index.get(condition.parent)
            chain = dict(allowed.get(parent_index, {})) if parent_index is not None else {}
            steps += 1 + len(chain)
            if steps > MAX_STEPS:
                yield SpaceProblem("", "parameters", _TOO_COMPLEX, "note")
                return
            chain[condition.parent] = chain.get(condition.parent, AllowedValues()).narrow(condition)
            for name, rule in chain.items():
                combined_rules = rules.get(name, AllowedValues())
                # Impossible conditions have been reported already.
                if (
                    rule.is_possible
                    and combined_rules.is_possible
                    and not combined_rules.overlaps(rule)
                ):
                    contradiction = name
                rules[name] = combined_rules.intersect_with(rule)
        allowed[index] = rules
        if contradiction:
            message = phrase(
                "Its rules contradict each other on {contradiction}: it is never active.",
                contradiction=contradiction,
            )
            yield parameter.make_problem("conditions", message)
        else:
            groups.setdefault(parameter.sets, []).append(index)
    yield from _check_conflicting_settings(groups, parameters, allowed, steps)


def _check_conflicting_settings(
    groups: Mapping[str, Sequence[int]],
    parameters: Sequence[Parameter],
    allowed: Mapping[int, Mapping[str, AllowedValues]],
    steps: int,
) -> Iterator[SpaceProblem]:
    for sets, indices in groups.items():
        for i, index in enumerate(indices):
            for other_index in indices[:i]:
                rules, other_rules = allowed[index], allowed[other_index]
                steps += 1 + min(len(rules), len(other_rules))
                if steps > MAX_STEPS:
                    yield SpaceProblem("", "parameters", _TOO_COMPLEX, "note")
                    return
                if parameters[index].name == parameters[other_index].name:
                    continue
                if all(
                    rules[name].overlaps(other_rules[name])
                    for name in rules.keys() & other_rules.keys()
                ):
                    other_name = parameters[other_index].name
                    message = phrase(
                        "It sets {sets}, which {other} sets at the same time; let it set "
                        "something else, or put the two under different choices.",
                        sets=sets,
                        other=other_name,
                    )
                    yield parameters[index].make_problem("sets", message)
                    break
