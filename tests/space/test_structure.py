from studio.space.base import build_structure, find_cycle
from studio.space.parameters import Boolean, Condition


def chain(*pairs: tuple[str, tuple[str, ...]]) -> list[Boolean]:
    return [
        Boolean(name, conditions=tuple(Condition(parent, (True,)) for parent in parents))
        for name, parents in pairs
    ]


def test_parents_precede_children_for_any_list_order():
    graph = build_structure(chain(("c", ("b",)), ("b", ("a",)), ("a", ())))
    assert graph.order == (2, 1, 0)
    assert graph.level == (2, 1, 0)
    assert graph.children == ((), (0,), (1,))


def test_child_follows_both_parents():
    graph = build_structure(chain(("a", ()), ("c", ("a", "b")), ("b", ())))
    assert graph.order == (0, 2, 1)
    assert graph.level == (0, 1, 0)


def test_children_follow_parent_directly():
    graph = build_structure(chain(("a", ()), ("b", ()), ("a1", ("a",)), ("b1", ("b",))))
    assert graph.order == (0, 2, 1, 3)


def test_parameters_on_or_below_cycle_are_unplaced():
    parameters = chain(("a", ("c",)), ("b", ("a",)), ("c", ("b",)), ("d", ("a",)), ("e", ()))
    graph = build_structure(parameters)
    assert graph.cyclic == (0, 1, 2, 3)
    assert find_cycle(parameters, graph, 3) == []


def test_cycle_is_reported_in_rule_order():
    parameters = chain(("a", ("c",)), ("b", ("a",)), ("c", ("b",)))
    names = find_cycle(parameters, build_structure(parameters), 0)
    assert names[0] == names[-1] == "a"
    assert sorted(names[1:3]) == ["b", "c"]


def test_unknown_parents_are_omitted():
    graph = build_structure(chain(("a", ("nobody",))))
    assert graph.order == (0,)
