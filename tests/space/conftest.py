"""Random valid spaces for property-based tests."""

import pytest
from hypothesis import strategies as st

from studio.space.parameters import (
    Boolean,
    Categorical,
    Condition,
    Constant,
    Float,
    Integer,
    Ordinal,
    Parameter,
)
from studio.space.space import Space


@st.composite
def _parameters(draw: st.DrawFn, name: str, finite: bool) -> Parameter:
    kinds = ["integer", "categorical", "ordinal", "boolean", "constant"]
    kind = draw(st.sampled_from(kinds if finite else [*kinds, "float", "float"]))
    if kind == "float":
        log = draw(st.booleans())
        low = draw(st.floats(1e-6, 10) if log else st.floats(-100, 100))
        high = low * draw(st.floats(1.001, 1e8)) if log else low + draw(st.floats(1e-3, 1e4))
        return Float(name, low, high, log)
    if kind == "integer":
        log = draw(st.booleans())
        low = draw(st.integers(1, 50) if log else st.integers(-50, 50))
        return Integer(name, low, low + draw(st.integers(0, 5 if finite else 500)), log)
    if kind in {"categorical", "ordinal"}:
        choices = ("a", "b", 3, 2.5)[: draw(st.integers(1, 4))]
        parameter_type = Categorical if kind == "categorical" else Ordinal
        return parameter_type(name, choices, default=draw(st.sampled_from(choices)))
    if kind == "boolean":
        return Boolean(name, default=draw(st.booleans()))
    return Constant(name, draw(st.sampled_from(["fixed", 7, 0.5])))


@st.composite
def _conditions(draw: st.DrawFn, parent: Parameter) -> Condition:
    if isinstance(parent, Float | Integer):
        ends = st.floats(parent.low, parent.high)
        if isinstance(parent, Integer) and draw(st.booleans()):
            values = st.integers(parent.low, parent.high)
            return Condition(
                parent.name, tuple(draw(st.lists(values, min_size=1, max_size=3, unique=True)))
            )
        low, high = sorted((draw(ends), draw(ends)))
        if isinstance(parent, Integer):
            low, high = int(low), int(high) + 1
        return Condition(
            parent.name,
            low=draw(st.sampled_from([low, None])),
            high=draw(st.sampled_from([high, None])),
        )
    values = st.sampled_from(parent.choices)
    return Condition(parent.name, tuple(draw(st.lists(values, min_size=1, unique=True))))


@st.composite
def _spaces(draw: st.DrawFn, finite: bool = False) -> Space:
    parameters: list[Parameter] = []
    for number in range(draw(st.integers(1, 7))):
        parameter = draw(_parameters(f"p{number}", finite))
        if parameters and draw(st.booleans()):
            parents = draw(
                st.lists(st.integers(0, len(parameters) - 1), min_size=1, max_size=2, unique=True)
            )
            rules = tuple(draw(_conditions(parameters[index])) for index in parents)
            object.__setattr__(parameter, "conditions", rules)
        parameters.append(parameter)
    return Space("random", tuple(parameters))


def _valid(space: Space) -> bool:
    return all(problem.severity == "note" for problem in space.find_problems())


@pytest.fixture(scope="session")
def any_space() -> st.SearchStrategy[Space]:
    return _spaces().filter(_valid)


@pytest.fixture(scope="session")
def finite_space() -> st.SearchStrategy[Space]:
    return _spaces(finite=True).filter(_valid)


@pytest.fixture(scope="session")
def cash() -> Space:
    """Return a small space with a root choice, two levels, and a child of several values."""

    def under(parent: str, *values: str) -> tuple[Condition, ...]:
        return (Condition(parent, values),)

    return Space(
        "small-cash",
        (
            Categorical("algorithm", ("svm", "knn", "bayes", "lda")),
            Categorical(
                "svm.kernel", ("linear", "rbf", "poly"), conditions=under("algorithm", "svm")
            ),
            Float("svm.C", 1e-5, 1e5, True, conditions=under("algorithm", "svm"), default=10.0),
            Float("svm.width", 1e-5, 1e5, True, conditions=under("svm.kernel", "rbf", "poly")),
            Integer("svm.degree", 1, 10, conditions=under("svm.kernel", "poly"), default=3),
            Integer("knn.neighbours", 1, 30, conditions=under("algorithm", "knn"), default=5),
        ),
    )
