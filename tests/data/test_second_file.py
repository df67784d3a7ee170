"""A second file's rows: weights, groups, times, and reasons why a test would be biased."""

from types import SimpleNamespace

import numpy as np
import pytest

from studio.data.problem import Problem
from studio.data.row_facts import get_group_codes, get_more_group_codes
from studio.data.second_file import ExternalTestRows, read_like_training, read_test_file
from studio.errors import DataError
from tests.facts import facts

RNG = np.random.default_rng(5)
VALUES = RNG.normal(size=(40, 2)).round(4)


def lines(values, *others, header="a,b,y,x"):
    """Write a table: two numbers, a target, and the given columns."""
    rows = [
        ",".join(map(str, (*pair, int(pair[0] > 0), *more)))
        for pair, *more in zip(values.tolist(), *others, strict=True)
    ]
    return "\n".join([header, *rows]) + "\n"


@pytest.fixture
def read_both_files(table, raw):
    """Read two texts, the first one's column x with a role; return problem, file and notes."""

    def make(first, other, role=None):
        learned = table(first, target="y", roles={} if role is None else {"x": role})
        problem = Problem.from_table(learned)
        return (problem, *read_test_file(raw(other), problem, learned))

    return make


def test_second_file_weights_are_used(read_both_files):
    weights = [0.5, 3, 1, 0]
    problem, test_file, notes = read_both_files(
        lines(VALUES[:30], range(30)), lines(VALUES[30:34], weights), "weight"
    )
    assert test_file.weights.tolist() == weights
    joined_problem = test_file.append_to(problem)
    assert joined_problem.weights.tolist() == [*range(30), *weights]
    assert notes == ()
    with pytest.raises(DataError, match="finite"):
        read_both_files(lines(VALUES[:30], range(30)), lines(VALUES[30:32], [1, ""]), "weight")
    with pytest.raises(DataError, match="negative"):
        read_both_files(lines(VALUES[:30], range(30)), lines(VALUES[30:32], [1, -1]), "weight")


@pytest.mark.parametrize("names", [list("pqr"), ["1", "02", "3.5"]], ids=["words", "numbers"])
def test_group_in_both_files_is_shared_with_note(read_both_files, names):
    groups = [names[i % 3] for i in range(30)]
    theirs = [names[2], "99", "", names[0], "99", ""]
    problem, test_file, _ = read_both_files(
        lines(VALUES[:30], groups), lines(VALUES[30:36], theirs), "group"
    )
    codes = dict(zip(groups, problem.groups.tolist(), strict=True))
    assert [test_file.groups[0], test_file.groups[3]] == [codes[names[2]], codes[names[0]]]
    new = test_file.groups[[1, 2, 5]]
    assert test_file.groups[4] == test_file.groups[1]
    assert len({*new.tolist()}) == 3
    assert new.min() > problem.groups.max()
    [note] = test_file.list_notes(problem)
    assert note.values == {"n_shared": 2, "n_rows": 6, "count": 2}
    _, apart, _ = read_both_files(
        lines(VALUES[:30], groups), lines(VALUES[30:32], ["98", "99"]), "group"
    )
    assert apart.list_notes(problem) == ()


def test_group_codes_equal_codes_of_joined_table(table):
    """Groups are identified jointly in both tables."""
    groups = RNG.integers(0, 9, 40)
    joined_column = table(lines(VALUES, groups), target="y", roles={"x": "group"}).get_column("x")
    rows = np.arange(40)
    codes = np.r_[
        get_group_codes(joined_column, rows[:20]),
        get_more_group_codes(joined_column, rows[:20], joined_column, rows[20:]),
    ]
    pairs = {*zip(groups.tolist(), codes.tolist(), strict=True)}
    assert len(pairs) == len(set(groups)) == len(set(codes))


@pytest.mark.slow
def test_second_file_times_are_used_with_note(read_both_files):
    dates = [f"2024-02-{day:02}" for day in range(1, 29)]
    theirs = ["2024-02-27", "2024-03-01", "2024-01-31", "", "2024-02-28"]
    problem, test_file, notes = read_both_files(
        lines(VALUES[:28], dates), lines(VALUES[30:35], theirs), "time"
    )
    assert (test_file.times - problem.times.max()).tolist() == [-86400, 2 * 86400, -28 * 86400, 0]
    assert len(test_file.y) == 4
    assert "without a time" in notes[0]
    [note] = test_file.list_notes(problem)
    assert note.values == {"count": 2, "n_rows": 4}
    same_day = lines(VALUES[30:33], ["2024-03-01"] * 3)
    _, later, _ = read_both_files(lines(VALUES[:28], dates), same_day, "time")
    assert later.list_notes(problem) == ()
    with pytest.raises(DataError, match="time"):
        read_both_files(lines(VALUES[:28], dates), lines(VALUES[30:33], [""] * 3), "time")


@pytest.mark.parametrize("role", ["weight", "group", "time"])
def test_missing_role_column_of_second_file_adds_note(read_both_files, role):
    header = "a,b,y"
    problem, test_file, notes = read_both_files(
        lines(VALUES[:30], range(1, 31)), lines(VALUES[30:], header=header), role
    )
    assert (test_file.weights, test_file.groups, test_file.times) == (None, None, None)
    assert facts(notes[-1])["name"] == "'x'"
    joined_problem = test_file.append_to(problem)
    if role == "weight":
        assert joined_problem.weights[30:].tolist() == [1.0] * 10
    if role == "group":
        assert len(np.unique(joined_problem.groups[30:])) == 10
        assert joined_problem.groups[30:].min() > joined_problem.groups[:30].max()
    if role == "time":
        assert np.isnan(joined_problem.times[30:]).all()


def test_column_of_second_file_is_found_by_similar_name(read_both_files):
    other = lines(VALUES[30:32], [2, 3], header="A , b,y,X")
    _, test_file, notes = read_both_files(lines(VALUES[:30], range(30)), other, "weight")
    assert test_file.weights.tolist() == [2, 3]
    assert len(notes) == 1, "not that a column was not needed"


def test_rows_shared_by_files_are_counted(read_both_files):
    header = "a,b,y"
    first = lines(VALUES[:30], header=header)
    problem, test_file, _ = read_both_files(first, lines(VALUES[25:35], header=header))
    assert test_file.seen_rows.tolist() == list(range(5))
    [note] = test_file.list_notes(problem)
    assert note.values == {"count": 5, "n_rows": 10}
    problem, test_file, _ = read_both_files(first, lines(VALUES[30:], header=header))
    assert test_file.list_notes(problem) == ()


@pytest.mark.parametrize(("n_rows", "is_bias"), [(100, True), (101, False)])
def test_few_shared_rows_are_counted_but_no_bias(n_rows, is_bias):
    rows = ExternalTestRows(np.zeros((n_rows, 1)), np.zeros(n_rows), seen_rows=np.arange(1))
    problem = SimpleNamespace(groups=None, times=None)
    [note] = rows.list_notes(problem)
    assert note.values == {"count": 1, "n_rows": n_rows}
    assert rows.list_biases(problem) == ((note,) if is_bias else ())


def test_few_distinct_shared_rows_are_not_reported(read_both_files):
    values = RNG.integers(0, 2, (120, 2)).astype(float)
    header = "a,b,y"
    problem, test_file, _ = read_both_files(
        lines(values[:80], header=header), lines(values[80:], header=header)
    )
    assert test_file.list_notes(problem) == ()


def test_second_file_round_trips_through_document(read_both_files):
    problem, test_file, _ = read_both_files(
        lines(VALUES[:30], range(30)), lines(VALUES[28:34], range(6)), "group"
    )
    restored = ExternalTestRows.from_arrays(test_file.to_arrays())
    assert restored.list_notes(problem) == test_file.list_notes(problem) != ()
    for name, array in test_file.to_arrays().items():
        assert array.tolist() == restored.to_arrays()[name].tolist()
    assert ExternalTestRows.from_arrays({"train": np.arange(3)}) is None
    # Documents of earlier versions store only these.
    old = ExternalTestRows.from_arrays({"test_X": test_file.X, "test_y": test_file.y})
    assert old.list_notes(problem) == ()
    assert len(np.unique(old.append_to(problem).groups)) == 30 + len(test_file.y)


def test_second_file_may_have_other_encoding_and_separator(table, save):
    learned = table("größe,zeit,y\n" + "".join(f"{i}.5,ü{i % 3},{i % 2}\n" for i in range(20)),
                    target="y")  # fmt: skip
    text = "größe;zeit;y\n" + "".join(f"{i},5;ü{i % 3};{i % 2}\n" for i in range(6))
    path = save(text.encode("latin-1"), "other.csv")
    read = read_like_training(path, learned.options, learned.known_names)
    test_file, notes = read_test_file(read, Problem.from_table(learned), learned)
    assert test_file.X[:, 0].tolist() == [i + 0.5 for i in range(6)]
    assert test_file.X[:, 1].tolist() == [0, 1, 2, 0, 1, 2]
    assert len(notes) == 1


def test_second_file_may_have_other_date_order(read_both_files):
    days = [(1 + i % 12, 13 + i % 15) for i in range(34)]
    ours, theirs = [f"{m}/{d}/2024" for m, d in days], [f"{d}.{m}.2024" for m, d in days]
    _, test_file, _ = read_both_files(
        lines(VALUES[:30], ours[:30]), lines(VALUES[30:34], theirs[30:]), "time"
    )
    _, expected, _ = read_both_files(
        lines(VALUES[:30], ours[:30]), lines(VALUES[30:34], ours[30:]), "time"
    )
    assert test_file.times.tolist() == expected.times.tolist()


@pytest.mark.parametrize(
    ("known", "make_facts"),
    [
        ({}, lambda seen, rows: {"seen_rows": np.arange(seen)}),
        (
            {"groups": np.zeros(3)},
            lambda seen, rows: {"groups": np.r_[np.zeros(seen), 1 : 1 + rows - seen]},
        ),
        (
            {"times": np.full(3, 5.0)},
            lambda seen, rows: {"times": np.r_[np.zeros(seen), np.full(rows - seen, 9.0)]},
        ),
    ],
    ids=["equal rows", "groups", "times"],
)
@pytest.mark.parametrize(("seen", "rows"), [(1, 1), (1, 4), (3, 4)])
def test_second_file_notes_count_test_rows(known, make_facts, seen, rows):
    problem = SimpleNamespace(**{"groups": None, "times": None} | known)

    def list_notes(n_seen):
        X, y = np.zeros((rows, 1)), np.zeros(rows)
        return ExternalTestRows(X, y, **make_facts(n_seen, rows)).list_notes(problem)

    (note,) = map(facts, list_notes(seen))
    assert (note.get("n_shared", note["count"]), note["n_rows"]) == (seen, rows)
    assert not list_notes(0)


def test_classes_are_matched_by_case_and_blanks(table, raw):
    learned = table("x,y\n" + "1,no\n2,yes\n" * 20, target="y")
    problem = Problem.from_table(learned)
    test_file, notes = read_test_file(raw("x,y\n1,No\n2,YES \n2,maybe\n1,no\n"), problem, learned)
    assert test_file.y.tolist() == [0, 1, 0]
    assert [("'No', 'YES'" in note, "'maybe'" in note) for note in map(str, notes)] == [
        (True, False),
        (False, True),
    ]
    mixed = table("x,y\n" + "1,no\n2,No\n3,yes\n" * 20, target="y")
    with pytest.raises(DataError, match="different classes"):
        read_test_file(raw("x,y\n1,NO\n"), Problem.from_table(mixed), mixed)
