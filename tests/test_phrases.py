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


def test_phrase_equals_english_text_and_keeps_values() -> None:
    message = phrase(
        "{name!r} has {n:,} rows, {share:.1%} of {whole}.",
        name="a", n=np.int64(12345), share=np.float32(0.25), whole=[1, 2],
    )  # fmt: skip
    assert message == "'a' has 12,345 rows, 25.0% of [1, 2]."
    assert isinstance(message, Phrase)
    assert dict(message.values) == {"name": "'a'", "n": 12345, "share": 0.25, "whole": "[1, 2]"}


def test_phrase_without_values_keeps_braces() -> None:
    assert phrase("Choose {another}.") == "Choose {another}."
    assert phrase("{n} of {{all}}.", n=1) == "1 of {all}."


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_non_json_values_become_text(value: float) -> None:
    message = phrase("It is {value:.2f}.", value=value)
    assert round_trip(message) == message == f"It is {value:.2f}."


def test_phrases_are_kept_in_errors_copies_and_joins() -> None:
    assert isinstance(str(DataError("The table is empty.")), Phrase)
    error = DataError("{name!r} is empty.", name="a.csv")
    assert str(error) == "'a.csv' is empty."
    for message_copy in (
        str(error),
        copy.deepcopy(str(error)),
        pickle.loads(pickle.dumps(str(error))),
    ):
        assert isinstance(message_copy, Phrase)
        assert (message_copy.template, dict(message_copy.values)) == (
            "{name!r} is empty.",
            {"name": "'a.csv'"},
        )
    both = join_phrases((str(error), "", "Export it again."))
    assert both == "'a.csv' is empty. Export it again."
    assert isinstance(both, Phrase)
    assert str(error) in both.values.values()
    assert join_phrases(()) == ""


def test_phrases_round_trip_through_json_at_any_depth() -> None:
    inner = phrase("{n:,} columns", n=3000)
    outer = phrase("It has {what}.", what=inner)
    nested_value = {"notes": [outer, "plain"], "more": ({"deep": inner},), "number": 1.5}
    decoded_value = round_trip(nested_value)
    assert decoded_value == {"notes": [outer, "plain"], "more": [{"deep": inner}], "number": 1.5}
    assert isinstance(decoded_value, dict)
    assert isinstance(decoded_value["notes"][0].values["what"], Phrase)
    assert not isinstance(decoded_value["notes"][1], Phrase)


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


def test_other_objects_are_unchanged() -> None:
    for plain_object in (
        {"$phrase": "a"},
        {"$phrase": "a", "values": {}, "more": 1},
        {"values": 2},
    ):
        assert phrase_from_json(plain_object) is plain_object


def test_overlong_phrase_becomes_text() -> None:
    long_phrase = phrase("{word}{word}", word="x" * MAX_LENGTH)
    assert round_trip(long_phrase) == long_phrase
    assert not isinstance(round_trip(long_phrase), Phrase)


def test_values_follow_format_spec() -> None:
    filled_text = fill_template(
        "{n:,} of {word}", {"n": 1200, "word": "a"}, lambda n, form: f"<{n}{form}>"
    )
    assert filled_text == "<1200,> of a"


@pytest.mark.parametrize(("count", "text"), [(1, "1 row"), (0, "0 rows"), (1200, "1,200 rows")])
def test_singular_is_used_for_one(count: int, text: str) -> None:
    assert count_phrase("1 row", "{count:,} rows", count) == text


def test_significant_digits_do_not_round_integer_digits() -> None:
    message = phrase("{sum:.4g} of {hits:.2g}, {tiny:g}", sum=6_008_123.4, hits=120.0, tiny=1e-7)
    assert message == "6,008,123 of 120, 10⁻⁷"


def test_listed_names_have_language_specific_quotes() -> None:
    message = phrase("Not used: {names}.", names=join_quoted(["a", "it's", "c"], max_names=2))
    assert message == "Not used: 'a', \"it's\", …."
    assert translate(message) == "Not used: “a”, “it's”, …."
    assert join_quoted([]) == ""
