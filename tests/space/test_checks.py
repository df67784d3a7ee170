import pytest

from studio.space.checks import AllowedValues
from studio.space.parameters import Boolean, Categorical, Condition, Constant, Float, Integer
from studio.space.space import Space
from tests.facts import facts

KERNEL = Categorical("kernel", ("rbf", "poly"))
DEPTH = Integer("depth", 1, 10)
SHARE = Float("share", 0, 1)


def errors(*parameters):
    space = Space("s", parameters)
    return [
        (p.parameter, p.field, p.message) for p in space.find_problems() if p.severity == "error"
    ]


def test_empty_space_is_reported():
    ((name, field, message),) = errors()
    assert (name, field) == ("", "parameters")
    assert "empty" in message


def test_duplicate_name_is_reported_at_later_parameter():
    ((name, field, message),) = errors(Boolean("a", sets="x"), Boolean("a", sets="y"))
    assert (name, field) == ("a", "name")
    assert facts(message) == {"name": "a"}


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (Condition("gone", (1,)), {"parent": "'gone'"}),
        (Condition("x", (True,)), {}),
        (
            Condition("kernel", ("rbf", "linear")),
            {"parent": "kernel", "values": "linear", "first": "rbf", "last": "poly"},
        ),
        (Condition("kernel", ()), {"parent": "kernel", "first": "rbf", "last": "poly"}),
        (Condition("kernel", low=1), {"parent": "kernel", "first": "rbf", "last": "poly"}),
        (Condition("kernel", ("rbf",), low=1), {"parent": "kernel"}),
        (
            Condition("depth", (3, 12)),
            {"parent": "depth", "values": "12", "low": "1", "high": "10"},
        ),
        (
            Condition("depth", ("deep",)),
            {"parent": "depth", "values": "deep", "low": "1", "high": "10"},
        ),
        (Condition("depth", low=5, high=2), {"parent": "depth", "low": "5", "high": "2"}),
        (Condition("depth", low=11), {"parent": "depth", "low": "1", "high": "10"}),
        (Condition("depth", low=float("nan")), {"parent": "depth"}),
        (Condition("share", (0.5,)), {"parent": "share"}),
    ],
)
def test_invalid_rules_are_reported_at_conditions(rule, expected):
    child = Boolean("x", conditions=(rule,))
    ((name, field, message),) = errors(KERNEL, DEPTH, SHARE, child)
    assert (name, field, facts(message)) == ("x", "conditions", expected)


def test_cycles_are_reported_with_names():
    cycle_errors = errors(
        Boolean("a", conditions=(Condition("c", (True,)),)),
        Boolean("b", conditions=(Condition("a", (True,)),)),
        Boolean("c", conditions=(Condition("b", (True,)),)),
        Boolean("below", conditions=(Condition("a", (True,)),)),
    )
    assert [name for name, _, _ in cycle_errors] == ["a", "b", "c"]
    assert facts(cycle_errors[0][2]) == {"path": "a → c → b → a"}


def test_contradictory_rules_are_never_active():
    ((name, field, message),) = errors(
        KERNEL,
        Boolean("y", conditions=(Condition("kernel", ("poly",)),)),
        Boolean("x", conditions=(Condition("y", (True,)), Condition("kernel", ("rbf",)))),
    )
    assert (name, field, facts(message)) == ("x", "conditions", {"contradiction": "kernel"})


@pytest.mark.slow
def test_overly_complex_rules_add_note_quickly():
    rows = [Boolean(f"p0.{j}") for j in range(80)]
    for level in range(1, 8):
        rules = tuple(Condition(f"p{level - 1}.{j}", (True,)) for j in range(80))
        rows += [Boolean(f"p{level}.{j}", conditions=rules) for j in range(80)]
    (problem,) = Space("layers", tuple(rows)).find_problems()
    assert problem.severity == "note"
    assert "too complex" in problem.message


def test_simultaneous_settings_of_one_name_are_reported():
    ((name, field, message),) = errors(Float("C", 0, 1), Float("C2", 0, 1, sets="C"))
    assert (name, field) == ("C2", "sets")
    assert facts(message) == {"sets": "C", "other": "C"}


def test_mutually_exclusive_settings_of_one_name_are_valid():
    assert not errors(
        KERNEL,
        Integer("d1", 1, 2, sets="d", conditions=(Condition("kernel", ("rbf",)),)),
        Integer("d2", 1, 9, sets="d", conditions=(Condition("kernel", ("poly",)),)),
        Constant("e1", 1, sets="e", conditions=(Condition("d1", low=2),)),
        Constant("e2", 2, sets="e", conditions=(Condition("d2", low=2),)),
        DEPTH,
        Constant("f1", 1, sets="f", conditions=(Condition("depth", high=4),)),
        Constant("f2", 2, sets="f", conditions=(Condition("depth", low=5),)),
    )


def test_depth_of_60_levels_is_accepted_and_61_rejected():
    def make_nested_space(levels):
        rows = [Boolean("p0", default=True)]
        for i in range(levels):
            rows.append(
                Boolean(f"p{i + 1}", default=True, conditions=(Condition(f"p{i}", (True,)),))
            )
        return Space("deep", tuple(rows))

    sixty = make_nested_space(60)
    sixty.check()
    assert len(sixty.find_active(sixty.get_default())) == 61
    assert sixty.count_configurations() == 62
    (problem,) = make_nested_space(61).find_problems()
    assert facts(problem.message) == {"level": "61", "deepest": "60"}


def test_space_with_thousands_of_parameters_is_checked():
    many = tuple(Integer(f"p{i}", 1, 9) for i in range(5001))
    (problem,) = Space("many", many).find_problems()
    assert facts(problem.message) == {"n_parameters": "5001", "most_parameters": "5000"}


def test_sets_and_ranges_overlap_if_they_intersect():
    either = AllowedValues()
    assert either.narrow(Condition("p", (1, 2))).overlaps(either.narrow(Condition("p", low=2)))
    assert not either.narrow(Condition("p", (1,))).overlaps(either.narrow(Condition("p", low=2)))
    assert not either.narrow(Condition("p", high=1)).overlaps(either.narrow(Condition("p", low=2)))
