import numpy as np
import pytest

from studio.data.problem import Problem
from studio.data.reading import read
from studio.data.samples import list_samples
from studio.data.table import Table
from studio.errors import DataError
from tests.facts import about, facts

TEXT = "a,b,y\n1,x,no\n,y,yes\n3,,no\n4,x,\n5,y,yes\n"


def test_table_becomes_matrix_and_codes(problem):
    learning_problem = problem(TEXT)
    np.testing.assert_array_equal(learning_problem.X, [[1, 0], [np.nan, 1], [3, np.nan], [5, 1]])
    assert learning_problem.y.tolist() == [0, 1, 0, 1]
    assert learning_problem.classes == ("no", "yes")
    assert learning_problem.task == "binary"
    assert learning_problem.feature_names == ("a", "b")
    assert learning_problem.categorical.tolist() == [False, True]
    assert learning_problem.categories == (None, ("x", "y"))
    assert learning_problem.rows.tolist() == [0, 1, 2, 4]
    (note,) = learning_problem.notes
    assert "1 row " in note and "'y'" in note


def test_integral_classes_become_integers(problem):
    learning_problem = problem("a,y\n1,3\n2,10\n3,3.0\n4,10\n")
    assert learning_problem.classes == (3, 10)
    assert problem("a,y\n1,0.0\n2,10.0\n3,0.0\n4,10.0\n").classes == ("0.0", "10.0")
    stars = problem("a;y\n1;2,5\n2;3,0\n3;2,5\n4;3,0\n", task="binary")
    assert stars.classes == ("2,5", "3,0")
    assert stars.y.tolist() == [0, 1, 0, 1]
    assert learning_problem.y.tolist() == [0, 1, 0, 1]
    assert problem("a,y\n1,01\n2,02\n3,01\n4,02\n").classes == ("01", "02")


def test_table_with_identifier_only_is_rejected_with_remedy(problem):
    with pytest.raises(DataError) as error_info:
        problem("key id,y\n" + "".join(f"C-{i:04},{'pq'[i % 2]}\n" for i in range(60)))
    text = str(error_info.value)
    assert "60 of 60 values are distinct" in text
    assert "--role 'key id=feature'" in text


def test_regression_target_is_numeric(problem):
    regression_problem = problem("a,y\n1,0.5\n2,NA\n3,2.5\n")
    assert regression_problem.task == "regression"
    assert regression_problem.y.tolist() == [0.5, 2.5]
    assert regression_problem.classes == ()
    assert regression_problem.n_classes == 0


def test_task_can_be_specified(problem):
    assert problem("a,y\n1,1\n2,2\n3,3\n4,1\n", task="regression").task == "regression"
    learning_problem = problem("a,y\n1,0.5\n2,1.5\n3,0.5\n", task="binary")
    assert learning_problem.classes == ("0.5", "1.5")
    assert problem("a,y\n1,0.5\n2,7\n3,7\n", task="regression").y.tolist() == [0.5, 7.0, 7.0]


MANY = "".join(f"{i},c{i % 1000}\n" for i in range(3000))


@pytest.mark.parametrize(
    ("text", "choices", "sentence"),
    [
        ("y\na\nb\n", {}, "No column is left"),
        ("a,y\n1,x\n2,x\n", {}, "'y' is 'x' "),
        ("a,y\n1,\n2,NA\n", {}, "'y' is missing"),
        ("a,y\n1,x\n2,y\n", {"roles": {"y": "ignore"}}, "No column to"),
        ("a,y\n1,p\n2,q\n3,r\n", {}, "All 3 values of 'y'"),
        ("a,y\n1,5\n2,5\n", {"task": "regression"}, "'y' is 5 "),
        ("a,y\n1,p\n2,q\n", {"task": "regression"}, "words ('p', 'q')"),
        ("a,y\n1,p\n2,q\n3,r\n3,r\n", {"task": "binary"}, "has 3 classes; binary"),
        ("a,y\n1,p\n2,q\n", {"task": "ranking"}, "of auto, binary"),
    ],
)
def test_unusable_problem_is_rejected(problem, text, choices, sentence):
    with pytest.raises(DataError) as error_info:
        problem(text, **choices)
    assert sentence in str(error_info.value)
    assert str(error_info.value).endswith(".")


@pytest.mark.parametrize(
    ("cell", "task", "value"),
    [("no", "auto", "'no'"), ("1234567.5", "regression", 1234567.5), ("3", "binary", "'3'")],
)
def test_constant_target_is_rejected_with_value_and_rows(problem, cell, task, value):
    text = "a,y\n" + "".join(f"{i},{cell}\n" for i in range(6)) + "7,\n"
    with pytest.raises(DataError) as error_info:
        problem(text, task=task)
    expected = {"target": "'y'", "count": 6}
    values = facts(error_info.value)
    assert {**values, **expected} == values
    assert value in values.values()
    if task == "regression":
        assert cell in str(error_info.value).replace(",", "")


def test_single_row_class_adds_note(problem):
    learning_problem = problem("a,y\n1,p\n2,p\n3,q\n4,r\n5,r\n")
    assert "1 class " in learning_problem.notes[0] and "('q')" in learning_problem.notes[0]


def test_thousand_classes_are_possible(problem):
    learning_problem = problem("a,y\n" + MANY, roles={"a": "feature"})
    assert learning_problem.n_classes == 1000


def test_more_columns_than_rows_adds_note(problem):
    header = ",".join(f"c{i}" for i in range(50))
    rows = [",".join(str((i * j * 7 + i) % 11) for i in range(50)) for j in range(1, 9)]
    learning_problem = problem(
        header + ",y\n" + "".join(f"{r},{'pq'[k % 2]}\n" for k, r in enumerate(rows))
    )
    assert any("more columns" in note for note in learning_problem.notes)


def test_ignored_columns_are_excluded_with_note(problem):
    learning_problem = problem("a,b,y\n1,7,p\n2,7,q\n3,7,p\n4,7,q\n")
    assert learning_problem.feature_names == ("a",)
    (note,) = (each for each in learning_problem.notes if each.startswith("Ignored"))
    assert note.values["name"] == "'b'", "it can be translated"
    assert "7" in note.values["why"]


def test_excluded_columns_are_listed_or_counted(problem):
    rows = [[str(k * (i + 3) % (11 + i)) for i in range(8)] + ["pq"[k % 2]] for k in range(19)]
    text = "".join(",".join(row) + "\n" for row in [[*(f"c{i}" for i in range(8)), "y"], *rows])
    learning_problem = problem(text, roles={f"c{i}": "ignore" for i in (1, 2)})
    (note,) = (each for each in learning_problem.notes if each.startswith("Ignored"))
    assert note.values["listed"] == "'c1', 'c2'"
    assert "choice" in note, "there is no evidence against them"
    learning_problem = problem(text, roles={f"c{i}": "ignore" for i in range(1, 8)})
    listing_note, others = (each for each in learning_problem.notes if "ignored" in each.lower())
    assert listing_note.values["listed"].count("'c") == 5
    assert others.values["more"] == 2


def test_target_is_not_among_features(problem):
    text = "a,t,y\n" + "".join(f"{i * 7 % 13},{'pq'[i % 2]},{'pq'[i % 2]}\n" for i in range(30))
    assert problem(text).feature_names == ("a",)


@pytest.mark.slow
def test_sample_tables_are_valid_problems():
    for sample in list_samples():
        problem = Problem.from_table(Table.from_raw(read(sample.path), target=sample.target))
        assert len(problem.y) > 400
        assert not np.isnan(problem.X).any()


ROLES_TEXT = "w,g,t,a,y\n" + "".join(
    f"{i % 3},{'pqr'[i % 3]},{day},{i},{'no' if i % 2 else 'yes'}\n"
    for i, day in enumerate(f"2024-01-{i:02d}" if i != 5 else "" for i in range(1, 9))
)


def test_role_columns_are_not_features(problem):
    learning_problem = problem(ROLES_TEXT, roles={"w": "weight", "g": "group", "t": "ignore"})
    assert learning_problem.feature_names == ("a",)
    assert learning_problem.weights.tolist() == [0.0, 1.0, 2.0] * 2 + [0.0, 1.0]
    assert learning_problem.groups.tolist() == [0, 1, 2] * 2 + [0, 1]
    assert learning_problem.times is None
    assert [feature.name for feature in learning_problem.make_recipe().features] == ["a"]
    weighted, together = learning_problem.notes[:2]
    assert "weighted by 'w'" in weighted and "the same 'g'" in together
    without = problem(ROLES_TEXT)
    assert (without.weights, without.groups, without.times) == (None, None, None)


def test_rows_without_time_are_omitted(problem):
    learning_problem = problem(ROLES_TEXT, roles={"w": "weight", "g": "ignore", "t": "time"})
    assert learning_problem.rows.tolist() == [0, 1, 2, 3, 5, 6, 7]
    assert np.diff(learning_problem.times).tolist() == [86400.0] * 3 + [172800.0] + [86400.0] * 2
    assert learning_problem.weights.tolist() == [0.0, 1.0, 2.0, 0.0, 2.0, 0.0, 1.0]
    assert any("without a time" in note for note in learning_problem.notes)


def test_groups_and_times_together_are_rejected_early(problem):
    with pytest.raises(DataError, check=about(group="'g'", time="'t'")):
        problem(ROLES_TEXT, roles={"g": "group", "t": "time"})


def test_table_without_target_in_dated_rows_is_rejected(problem):
    text = "t,a,y\n1,1,\n2,2,\n,3,yes\n,4,no\n"
    with pytest.raises(DataError, match="a time", check=about(target="'y'")):
        problem(text, target="y", roles={"t": "time"})


def test_rows_of_second_file_are_appended(problem):
    learning_problem = problem(ROLES_TEXT, roles={"w": "weight", "g": "group", "t": "ignore"})
    longer = learning_problem.with_rows(np.array([[50.0], [60.0]]), np.array([1, 0]))
    assert longer.X[:, 0].tolist() == [*range(8), 50.0, 60.0]
    assert longer.y[-2:].tolist() == [1, 0]
    assert longer.rows.tolist() == [*range(8), -1, -1]
    assert longer.weights[-2:].tolist() == [1.0, 1.0]
    assert longer.groups[-2:].tolist() == [3, 4]
    timed = problem(ROLES_TEXT, roles={"g": "ignore", "t": "time"})
    assert np.isnan(timed.with_rows(np.zeros((1, 2)), np.array([1])).times[-1])
    plain = problem(ROLES_TEXT)
    plain = plain.with_rows(np.zeros((1, plain.X.shape[1])), np.array([1]))
    assert (plain.weights, plain.groups, plain.times) == (None, None, None)
