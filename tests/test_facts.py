"""The comparison of facts distinguishes messages."""

import pytest

from studio.errors import DataError
from studio.phrases import phrase
from tests.facts import about, contains_facts, facts


def test_facts_include_nested_phrases() -> None:
    rows = phrase("{count:,} rows of {name!r}", count=1200, name="a")
    both = phrase("{first}, {second}; {name!r}.", first=rows, second=phrase("none"), name="b")
    assert facts(both) == {"count": 1200, "name": ["'a'", "'b'"]}


@pytest.mark.parametrize(
    "error",
    [DataError("Column {name!r}.", name="b"), DataError("No column."), DataError("{row}", row=1)],
)
def test_error_with_different_facts_does_not_match(error: DataError) -> None:
    with pytest.raises(AssertionError), pytest.raises(DataError, check=about(name="'a'")):
        raise error


def test_facts_are_found_in_order() -> None:
    assert contains_facts("3 of 10 rows are “b”", "3 of 10", "“b”")
    assert not contains_facts("3 of 10 rows are “b”", "“b”", "3 of 10")
    assert not contains_facts("3 of 10 rows are “b”", "4 of 10")
