"""Names of learners and operators in the window."""

from collections.abc import Iterator

import pytest

from studio.gui.base.localisation import set_languages
from studio.gui.session.learner_names import (
    format_choice,
    format_named_value,
    get_learner_name,
    get_learner_short_name,
    get_parameter_name,
)
from studio.language import translate
from studio.learners.operators.registry import REGISTRY as OPERATORS
from studio.trial import Value


@pytest.fixture
def french() -> Iterator[None]:
    set_languages("fr")
    yield
    set_languages("en")


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("preprocessor", "pca", "Principal components"),
        ("boosted-trees.encoder", "native", "The default encoding of the model"),
        ("rescaler", "empty", "none"),
        ("rescaler", "mine", "mine"),
        ("tabicl.normalisation", "quantile", "quantile"),
        ("forest.bootstrap", True, "yes"),
        ("forest.bootstrap", False, "no"),
        ("knn.k", 5, "5"),
    ],
)
def test_operators_are_named_where_a_stage_chooses_them(
    name: str, value: Value, expected: str
) -> None:
    assert format_named_value(name, value) == expected


def test_choices_are_learners_or_operators() -> None:
    assert format_choice("algorithm", "forest") == get_learner_short_name("forest")
    assert format_choice("model", "forest", get_learner_name) == get_learner_name("forest")
    assert format_choice("rescaler", "quantile") == "Ranks"
    assert format_choice("tabicl.normalisation", "quantile") == "quantile"


def test_every_operator_has_a_french_name(french: None) -> None:
    for each in OPERATORS:
        name = format_named_value(each.stage, each.key)
        assert name == translate(each.title) and name not in {each.title, each.key}


def test_choice_of_learner_has_a_french_name(french: None) -> None:
    assert get_parameter_name("algorithm") == "algorithme"
    assert get_parameter_name("knn.algorithm").endswith(": algorithm"), "a setting's own name"
