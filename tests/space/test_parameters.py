from studio.space.parameters import (
    REGISTRY,
    Boolean,
    Categorical,
    Condition,
    Constant,
    Float,
    Integer,
)


def test_every_kind_has_its_own_word_and_title():
    assert len({kind.type for kind in REGISTRY}) == len({kind.title for kind in REGISTRY}) == 6


def test_every_kind_describes_itself():
    words = [
        Float("x", 1e-5, 10, True),
        Integer("n", 1, 30),
        Categorical("c", ("a", "b")),
        Boolean("b"),
        Constant("k", "fixed"),
    ]
    assert [p.describe() for p in words] == [
        "a number from 1e-05 to 10, on a log scale",
        "a whole number from 1 to 30",
        "one of a or b",
        "yes or no (true or false)",
        "always fixed",
    ]


def test_parameters_are_values_that_can_be_compared_and_hashed():
    rule = (Condition("k", ("a",)),)
    one, other = Float("x", 0, 1, conditions=rule), Float("x", 0, 1, conditions=rule)
    assert one == other
    assert len({one, other}) == 1
    assert one != Float("x", 0, 1)
