"""Branches as text: what is written is read back, also from a mail; broken text says where."""

import textwrap
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.errors import SpaceError
from studio.gui.pages.space.branch_text import Branches, branch_text, read_branches
from studio.gui.pages.space.clipping import paste
from studio.gui.pages.space.outline import Key, outline
from studio.space.base import Condition, Parameter
from studio.space.library import load, shipped
from studio.space.parameters import Boolean, Categorical, Constant, Float, Integer, Ordinal
from studio.trial import Value

NAMES = st.one_of(st.text(max_size=12), st.sampled_from(["and", "C", "rbf-svm.C", "a b", "x..y"]))
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
WHOLE = st.integers(-(10**12), 10**12)
VALUES: st.SearchStrategy[Value] = st.one_of(NAMES, st.booleans(), WHOLE, FLOATS)


@st.composite
def rules(draw: st.DrawFn) -> Condition:
    values = draw(st.none() | st.lists(VALUES, max_size=3).map(tuple))
    ends = st.none() | FLOATS
    return Condition(draw(NAMES), values, draw(ends), draw(ends))


@st.composite
def parameters(draw: st.DrawFn) -> Parameter:
    name = draw(NAMES)
    shared = {
        "sets": draw(NAMES),
        "note": draw(NAMES),
        "conditions": tuple(draw(st.lists(rules(), max_size=3))),
    }
    kind = draw(st.sampled_from([Float, Integer, Categorical, Ordinal, Boolean, Constant]))
    if kind is Float:
        low, high, default = draw(FLOATS), draw(FLOATS), draw(FLOATS)
        return Float(name, low, high, draw(st.booleans()), default=default, **shared)
    if kind is Integer:
        low, high, default = draw(WHOLE), draw(WHOLE), draw(WHOLE)
        return Integer(name, low, high, draw(st.booleans()), default=default, **shared)
    if kind is Boolean:
        return Boolean(name, default=draw(st.booleans()), **shared)
    if kind is Constant:
        return Constant(name, draw(VALUES), **shared)
    choices = tuple(draw(st.lists(VALUES, max_size=4)))
    made = Categorical if kind is Categorical else Ordinal
    return made(name, choices, **shared)


@given(
    st.lists(parameters(), min_size=1, max_size=4).map(tuple),
    st.none() | st.tuples(NAMES, VALUES),
)
@settings(deadline=None)
def test_any_branch_is_read_back_as_it_was(
    found: tuple[Parameter, ...], value: tuple[str, Value] | None
) -> None:
    branches = Branches(found, value)
    assert read_branches(branch_text(branches)) == branches


@given(st.text())
@settings(deadline=None)
def test_any_text_is_read_or_refused_in_a_sentence(text: str) -> None:
    try:
        read_branches(text)
    except SpaceError as error:
        assert str(error).endswith(".")


@pytest.mark.parametrize("key", [each.key for each in shipped()])
def test_a_mail_may_wrap_quote_and_indent(key: str) -> None:
    found = load(key).parameters
    text = branch_text(Branches(found))
    wrapped = [textwrap.fill(line, 60, break_on_hyphens=False) for line in text.splitlines()]
    mail = "\r\n".join(f"> {line}" for each in wrapped for line in each.split("\n"))
    assert read_branches(mail).parameters == found


def test_it_reads_like_words() -> None:
    rule = (Condition("kernel", ("rbf", "poly")), Condition("C", None, 10))
    parameter = Integer("degree", 1, 10, default=3, conditions=rule, sets="svm.degree")
    assert branch_text(Branches((parameter,), ("kernel", "rbf")), [1]) == (
        "value rbf of kernel\n"
        "  degree: whole number 1 … 10; default 3; sets svm.degree; "
        "only if kernel is rbf or poly and C at least 10\n"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no hyperparameter"),
        ("C: number 1 … 10\nD: nubmer 1 … 2", "Line 2: expected what kind it is .* found “nubmer”"),
        ("C: number 1", "Line 1: Expected the smallest and the largest"),
        ("C: whole number 1 … 2.5", "Line 1: Expected a whole number"),
        ("C: number 1 … 2; defualt 1", "Line 1: expected “default”.* found “defualt”"),
        ("C: number 1 … 2; default x", "Line 1: the default “x” is no number"),
        ("C: yes or no; default 3", "neither yes nor no"),
        ("C: fixed 3; default 3", "no default"),
        ('C: choice "a', "Line 1: a quotation mark is not closed"),
        ("C: choice a, b; only if", "Line 1: expected the name .* the line ends"),
        ("C: choice a\n;only if k was b", "Line 2: expected “is …”.* found “was”"),
        ("C: choice a; only if k at least b", "expected a number, found “b”"),
        ("Dear Bob,\nC: number 1 … 2", "Line 1: expected “:”, found “Bob”"),
        ("C: choice a\nvalue a of C", "first line only"),
    ],
)
def test_broken_text_says_what_and_where(text: str, said: str) -> None:
    with pytest.raises(SpaceError, match=said):
        read_branches(text)


def test_the_example_of_the_documentation_is_read() -> None:
    page = (Path(__file__).parents[3] / "docs" / "spaces.md").read_text(encoding="utf-8")
    told = read_branches(page.split("```")[1])
    assert [type(p) for p in told.parameters] == [Categorical, Float, Integer, Boolean, Constant]
    assert told.parameters[2].conditions == (
        Condition("kernel", ("poly",)),
        Condition("C", None, 10),
    )


@given(st.lists(parameters(), min_size=1, max_size=4).map(tuple), st.booleans())
@settings(deadline=None)
def test_whatever_is_pasted_makes_a_space_or_is_refused(
    found: tuple[Parameter, ...], under: bool
) -> None:
    space = load("svm-kernels")
    row = outline(space).find(Key("kernel", 0, Condition("kernel", ("poly",)))) if under else None
    made = paste(space, branch_text(Branches(found)), row)
    assert len(made.space.parameters) == len(space.parameters) + len(found)
    made.space.problems()
    outline(made.space)
