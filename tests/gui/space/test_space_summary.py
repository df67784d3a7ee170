"""The description of a space."""

import math

import pytest

from studio.gui.pages.space.space_summary import (
    N_EXAMPLES,
    compute_meaning,
    format_headline,
    format_size,
)
from studio.space.base import Condition
from studio.space.editing import change
from studio.space.library import list_shipped_spaces, load
from studio.space.parameters import Categorical, Float
from studio.space.space import Space
from tests.facts import facts

CASH = load("sklearn-cash")


def test_valid_space_has_examples() -> None:
    summary = compute_meaning(CASH, "binary", 1)
    assert summary.n_dimensions == 14
    assert (summary.size, summary.errors, summary.notes) == ("∞", (), ())
    assert len(summary.examples) == N_EXAMPLES
    for configuration in summary.examples:
        CASH.validate(configuration)


def test_examples_depend_on_seed() -> None:
    assert compute_meaning(CASH, None, 1) == compute_meaning(CASH, None, 1)
    assert compute_meaning(CASH, None, 1).examples != compute_meaning(CASH, None, 2).examples


def test_invalid_space_has_no_examples() -> None:
    summary = compute_meaning(change(CASH, "rbf-svm.C", low=-1.0), None, 1)
    assert summary.examples == ()
    assert summary.n_dimensions is None
    assert [problem.field for problem in summary.errors] == ["low"]


def test_unsuitable_learners_are_reported() -> None:
    notes = compute_meaning(CASH, "regression", 1).notes
    assert "cannot predict a number" in notes[0].message


def test_space_without_algorithm_is_reported() -> None:
    assert "algorithm" in compute_meaning(load("dummy"), None, 1).notes[0].message


def test_unknown_learners_are_reported() -> None:
    (warning,) = compute_meaning(
        Space("s", (Categorical("algorithm", ("knn", "magic")),)), None, 1
    ).errors
    assert (warning.parameter, warning.field) == ("algorithm", "choices")
    assert facts(warning.message) == {"name": "magic"}
    depth = Float("b", 0, 1, sets="tree.max_depth")
    summary = compute_meaning(
        Space("s", (Categorical("algorithm", ("art", "magic")), depth)), None, 1
    )
    assert not summary.errors
    assert "art and magic" in summary.notes[0].message


def test_setting_under_wrong_learner_is_reported() -> None:
    space = change(CASH, "tree.max_depth", conditions=(Condition("algorithm", ("linear-svm",)),))
    (note,) = compute_meaning(space, "binary", 1).notes
    assert (note.parameter, note.field) == ("tree.max_depth", "conditions")
    assert "under tree" in note.message


def test_invalid_learner_value_is_error() -> None:
    (error,) = compute_meaning(change(CASH, "rbf-svm.C", log=False, low=-1.0), "binary", 1).errors
    assert (error.parameter, error.field) == ("rbf-svm.C", "low")
    assert facts(error.message) == {"owner": "rbf-svm", "setting": "C", "values": "-1"}


def test_shipped_spaces_have_no_remarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studio.learners.base.find_spec", lambda name: name)
    monkeypatch.setattr("studio.learners.tabicl.find_cached_weights", lambda *given: given)
    for each in list_shipped_spaces():
        if each.tasks:
            assert compute_meaning(load(each.key), each.tasks[0], 1).notes == (), each.key


def test_unknown_operators_are_reported() -> None:
    space = Space(
        "s",
        (
            Categorical("algorithm", ("knn",)),
            Categorical("preprocessor", ("empty", "pca", "magic")),
            Float("b", 0.5, 0.9, sets="pca.keep_variance"),
        ),
    )
    messages = [note.message for note in compute_meaning(space, None, 1).notes]
    assert sum("magic " in message for message in messages) == 1
    assert not any("“keep_variance”" in message for message in messages)


def test_large_space_has_no_remarks() -> None:
    assert compute_meaning(load("large-cash"), "binary", 1).notes == ()
    assert compute_meaning(load("large-cash-regression"), "regression", 1).notes == ()


def test_space_sizes_are_described() -> None:
    assert [format_size(n) for n in (9, 12_000, 3 * 10**12, math.inf)] == [
        "9",
        "12,000",
        "3.0e12",
        "∞",
    ]


def test_example_title_is_algorithm() -> None:
    headline = format_headline(CASH, {"algorithm": "knn", "knn.n_neighbors": 3})
    assert headline == ("Nearest neighbours", "n_neighbors 3")


def test_number_of_active_dimensions_is_shown() -> None:
    assert compute_meaning(load("dummy"), None, 1).active_dimensions == "2 active"
    assert compute_meaning(load("sklearn-cash"), None, 1).active_dimensions.startswith(
        "1–5 active, mean 2."
    )
