"""Phrases keep their arguments in copies, in errors and through JSON."""

import copy
import json
import pickle

import numpy as np
import pytest

from studio.errors import DataError
from studio.language import translate
from studio.phrases import (
    MAX_LENGTH,
    Phrase,
    count_phrase,
    fill_template,
    join_phrases,
    join_quoted,
    phrase,
    phrase_from_json,
    phrase_to_json,
)


def round_trip(value: object) -> object:
    """Return a value after a JSON round trip."""
    return json.loads(json.dumps(phrase_to_json(value)), object_hook=phrase_from_json)


def test_phrase_is_its_english_text_and_keeps_its_values() -> None:
    made = phrase(
        "{name!r} has {n:,} rows, {share:.1%} of {whole}.",
        name="a", n=np.int64(12345), share=np.float32(0.25), whole=[1, 2],
    )  # fmt: skip
    assert made == "'a' has 12,345 rows, 25.0% of [1, 2]."
    assert isinstance(made, Phrase)
    assert dict(made.values) == {"name": "'a'", "n": 12345, "share": 0.25, "whole": "[1, 2]"}


def test_phrase_without_values_keeps_braces() -> None:
    assert phrase("Choose {another}.") == "Choose {another}."
    assert phrase("{n} of {{all}}.", n=1) == "1 of {all}."


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_json_cannot_hold_is_kept_as_its_text(value: float) -> None:
    made = phrase("It is {value:.2f}.", value=value)
    assert round_trip(made) == made == f"It is {value:.2f}."


def test_phrases_survive_errors_copies_and_joins() -> None:
    assert isinstance(str(DataError("The table is empty.")), Phrase)
    error = DataError("{name!r} is empty.", name="a.csv")
    assert str(error) == "'a.csv' is empty."
    for kept in (str(error), copy.deepcopy(str(error)), pickle.loads(pickle.dumps(str(error)))):
        assert isinstance(kept, Phrase)
        assert (kept.template, dict(kept.values)) == ("{name!r} is empty.", {"name": "'a.csv'"})
    both = join_phrases((str(error), "", "Export it again."))
    assert both == "'a.csv' is empty. Export it again."
    assert isinstance(both, Phrase)
    assert str(error) in both.values.values()
    assert join_phrases(()) == ""


def test_phrases_come_back_from_json_at_any_depth() -> None:
    inner = phrase("{n:,} columns", n=3000)
    outer = phrase("It has {what}.", what=inner)
    given = {"notes": [outer, "plain"], "more": ({"deep": inner},), "number": 1.5}
    found = round_trip(given)
    assert found == {"notes": [outer, "plain"], "more": [{"deep": inner}], "number": 1.5}
    assert isinstance(found, dict)
    assert isinstance(found["notes"][0].values["what"], Phrase)
    assert not isinstance(found["notes"][1], Phrase)


@pytest.mark.parametrize(
    ("template", "values"),
    [
        ("{n:1000000000,}", {"n": 1}),
        ("{n.real}", {"n": 1}),
        ("{n}", {"m": 1}),
        ("{n", {"n": 1}),
        ("{n:e}", {"n": 10**400}),
        ("{n}", {"n": [1]}),
        ("{n}{n}", {"n": "x" * MAX_LENGTH}),
    ],
)
def test_malformed_phrase_is_rejected(template: str, values: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"phrase|expected"):
        phrase_from_json({"$phrase": template, "values": values})


def test_other_objects_are_left_only() -> None:
    for given in ({"$phrase": "a"}, {"$phrase": "a", "values": {}, "more": 1}, {"values": 2}):
        assert phrase_from_json(given) is given


def test_phrase_too_long_to_be_read_is_kept_as_text() -> None:
    made = phrase("{word}{word}", word="x" * MAX_LENGTH)
    assert round_trip(made) == made
    assert not isinstance(round_trip(made), Phrase)


def test_values_are_written_as_asked() -> None:
    shown = fill_template(
        "{n:,} of {word}", {"n": 1200, "word": "a"}, lambda n, form: f"<{n}{form}>"
    )
    assert shown == "<1200,> of a"


@pytest.mark.parametrize(("count", "text"), [(1, "1 row"), (0, "0 rows"), (1200, "1,200 rows")])
def test_singular_is_used_for_one(count: int, text: str) -> None:
    assert count_phrase("1 row", "{count:,} rows", count) == text


def test_significant_digits_never_cost_digit_before_point() -> None:
    made = phrase("{sum:.4g} of {hits:.2g}, {tiny:g}", sum=6_008_123.4, hits=120.0, tiny=1e-7)
    assert made == "6,008,123 of 120, 10⁻⁷"


def test_listed_names_have_quotes_of_language() -> None:
    found = phrase("Not used: {names}.", names=join_quoted(["a", "it's", "c"], max_names=2))
    assert found == "Not used: 'a', \"it's\", …."
    assert translate(found) == "Not used: “a”, “it's”, …."
    assert join_quoted([]) == ""
