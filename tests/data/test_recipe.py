"""The recipe of a table on others: reordered or missing columns, unseen labels."""

import numpy as np
import pytest

from studio.data.reading import read
from studio.errors import DataError
from tests.facts import about, contains_facts

NOT_USED = "1 other column was not needed and not used: 'z'."
TEXT = "a,b,y\n1,x,no\n2,y,yes\n3,,no\n4,01,yes\n"


def test_recipe_reproduces_training_matrix(problem, save):
    learning_problem = problem(TEXT)
    encoded = learning_problem.make_recipe().encode(read(save(TEXT)))
    np.testing.assert_array_equal(encoded.X, learning_problem.X)
    assert encoded.notes == ()


def test_columns_are_found_by_name_in_any_order(problem, raw):
    encoded_table = problem(TEXT).make_recipe().encode(raw("b,z,a\nx,9,4\n01,8,1\n", header=True))
    np.testing.assert_array_equal(encoded_table.X, [[4, 1], [1, 0]])
    (note,) = encoded_table.notes
    assert "'z'" in note


def test_missing_columns_and_unseen_categories_are_reported(problem, raw):
    recipe = problem(TEXT).make_recipe()
    encoded_table = recipe.encode(raw("b,y\nx,no\nnew,no\n,no\n", header=True))
    np.testing.assert_array_equal(
        encoded_table.X, [[np.nan, 1], [np.nan, np.nan], [np.nan, np.nan]]
    )
    assert "1 of 2 columns " in encoded_table.notes[0] and "('a')" in encoded_table.notes[0]
    assert "1 cell of 'b'" in encoded_table.notes[1] and "('new')" in encoded_table.notes[1]
    encoded = recipe.encode(raw("a,b\nten,x\n2,y\n", header=True))
    assert "1 cell of 'a'" in encoded.notes[0] and "('ten')" in encoded.notes[0]


def test_date_column_is_counted_and_listed_once(problem, raw):
    text = "a,when,b,y\n" + "".join(f"{i},{i + 1:02}.03.2024,x{i % 2},{i % 2}\n" for i in range(9))
    recipe = problem(text).make_recipe()
    assert len(recipe.features) > 3
    assert recipe.table_columns == ("a", "when", "b")
    note = recipe.encode(raw("a,b\n1,x0\n")).notes[0]
    assert "1 of 3 columns " in note and "('when')" in note
    with pytest.raises(DataError, check=about(n_absent=2, n_columns=3, listed="'a', 'when'")):
        recipe.encode(raw("b\nx0\nx1\n", header=True))
    with pytest.raises(DataError, check=about(expected="'a', 'when', 'b'")):
        recipe.encode(raw("p,q\n1,2\n3,4\n"))


def test_table_without_known_columns_is_rejected(problem, raw):
    with pytest.raises(DataError, match="has none", check=about(expected="'a', 'b'")):
        problem(TEXT).make_recipe().encode(raw("p,q\n1,2\n3,4\n"))


@pytest.mark.parametrize(("there", "refused"), [(1, True), (2, True), (3, False), (4, False)])
def test_table_with_half_of_columns_missing_is_rejected(problem, raw, there, refused):
    names = list("abcdef")
    rows = "".join(",".join(str(i * k % 7) for k in range(1, 7)) + f",{i % 2}\n" for i in range(9))
    recipe = problem(",".join([*names, "y"]) + "\n" + rows).make_recipe()
    new = raw(",".join(names[:there]) + "\n" + ",".join("1" * there) + "\n", header=True)
    if refused:
        lacking = ", ".join(map(repr, names[there:]))
        with pytest.raises(DataError, check=about(n_absent=6 - there, n_columns=6, listed=lacking)):
            recipe.encode(new)
    else:
        encoded_table = recipe.encode(new)
        assert encoded_table.missing_columns == tuple(names[there:])
        assert f"{6 - there} of 6 columns" in encoded_table.notes[0]


def test_misspelt_columns_are_found_with_note(problem, raw):
    recipe = problem("First Name,b,y\n1,x,no\n2,y,yes\n3,,no\n4,01,yes\n").make_recipe()
    same = recipe.encode(raw("First Name,b\n7,y\n"))
    encoded_table = recipe.encode(raw("B,extra,FIRST  name\ny,1,7\n"))
    assert encoded_table.X.tolist() == same.X.tolist()
    assert encoded_table.missing_columns == ()
    assert any("FIRST name" in note and "('First Name')" in note for note in encoded_table.notes)
    assert not same.notes
    labelled = recipe.encode_labelled(raw("FIRSTNAME,b,Y\n7,y,yes\n5,x,\n"))
    assert (labelled.y.tolist(), labelled.rows.tolist()) == ([1], [0])


@pytest.mark.slow
def test_new_targets_are_encoded_as_in_training(problem, raw):
    labelled = (
        problem(TEXT)
        .make_recipe()
        .encode_labelled(raw("y,a,b\nyes,1,x\nmaybe,2,y\nno,3,x\n,4,y\n"))
    )
    assert labelled.y.tolist() == [1, 0]
    unknown, _missing = (note.values for note in labelled.notes)
    assert unknown["listed"] == "'maybe'"
    numbers = problem("a,y\n1,0.5\n2,1.5\n3,2.5\n").make_recipe()
    assert numbers.encode_labelled(raw("a,y\n1,7.5\n2,x\n")).y.tolist() == [7.5]
    recipe = problem("a,y\n1,3\n2,4\n3,3\n4,4\n").make_recipe()
    assert recipe.encode_labelled(raw("a,y\n1,4.0\n2,03\n")).y.tolist() == [1, 0]


def test_target_is_parsed_in_format_of_test_table(problem, raw):
    recipe = problem("a,y\n1,0.5\n2,1.5\n3,2.5\n").make_recipe()
    labelled = recipe.encode_labelled(raw("a;y\n1;7,5\n2;1.234,25\n"))
    assert labelled.y.tolist() == [7.5, 1234.25]
    assert any("'y'" in note for note in labelled.notes)


def test_unit_different_from_training_is_rejected(problem, raw):
    rows = "".join(f"{i}.5 kg,{i % 2}\n" for i in range(30))
    recipe = problem("mass,y\n" + rows).make_recipe()
    pounds = recipe.encode(raw("mass,z\n165.5 lb,1\n90 lb,2\n7 lb,3\n"))
    assert np.isnan(pounds.X).all()
    assert pounds.unreadable == ("mass",) and pounds.notes == (
        pounds.missing_columns_note,
        NOT_USED,
    )
    assert contains_facts(pounds.notes[0], "“mass” is in lb", "in kg")
    assert recipe.encode(raw("mass,z\n165.5 kgs,1\n90,2\n")).X.tolist() == [[165.5], [90.0]]


def test_unreadable_column_is_reported_with_examples_and_remedy(problem, raw):
    days = "".join(f"{1 + i % 28:02}.03.2024,{i % 7},{i % 2}\n" for i in range(30))
    recipe = problem("when,size,y\n" + days).make_recipe()
    encoded_table = recipe.encode(raw("when,size\nn/a,tall\nsoon,1\nlater,2\nnever,3\n"))
    assert encoded_table.unreadable == ("when",) and encoded_table.unused == {"when"}
    assert contains_facts(
        encoded_table.notes[0], "“when”", "as dates ('soon', 'later')", "31.12.2024"
    )
    assert len([note for note in encoded_table.notes if "when" in note]) == 1
    assert contains_facts(encoded_table.notes[1], "1 cell of 'size'", "('tall')")
    cells = "".join(f"01.03.2024,{'tall' if i else i}\n" for i in range(20))
    nearly = recipe.encode(raw("when,size\n" + cells)).notes[0]
    assert contains_facts(nearly, "“size”", "as numbers ('tall')", "19 of its 20")


def test_test_table_without_target_is_rejected(problem, raw):
    recipe = problem(TEXT).make_recipe()
    with pytest.raises(DataError, match="no column", check=about(target="'y'")):
        recipe.encode_labelled(raw("a,b\n1,x\n2,y\n"))
    with pytest.raises(DataError, match="usable value"):
        recipe.encode_labelled(raw("a,b,y\n1,x,\n2,y,\n"))
    with pytest.raises(DataError, match=r"'u', 'v'.*'no', 'yes'"):
        recipe.encode_labelled(raw("a,b,y\n1,x,u\n2,y,v\n"))


def test_percent_sign_mismatch_is_reported(problem, raw):
    shares = "".join(f"{i / 100},{i % 2}\n" for i in range(30))
    percent = shares.replace(",", "%,")
    encoded_table = problem("w,y\n" + percent).make_recipe().encode(raw("w,z\n" + shares))
    assert [note.values["listed"] for note in encoded_table.notes if "listed" in note.values][
        :1
    ] == ["'w'"]
    refused = problem("w,y\n" + shares).make_recipe().encode(raw("w,z\n" + percent))
    assert np.isnan(refused.X).all()


@pytest.mark.slow
def test_different_date_order_is_parsed_with_note(problem, raw):
    days = [(1 + i % 12, 1 + i % 28) for i in range(40)]
    recipe = problem(
        "when,y\n" + "".join(f"{m}/{d}/2024,{i % 2}\n" for i, (m, d) in enumerate(days))
    ).make_recipe()
    expected = recipe.encode(raw("when,z\n" + "".join(f"{m}/{d}/2024,0\n" for m, d in days)))
    for date_format in ("{d}.{m}.2024", "2024-{m}-{d}"):
        cells = "".join(f"{date_format.format(m=m, d=d)};0\n" for m, d in days)
        encoded_table = recipe.encode(raw("when;z\n" + cells))
        np.testing.assert_array_equal(encoded_table.X, expected.X)
    cells = "".join(f"{d}.{m}.2024;0\n" for m, d in days)
    notes = recipe.encode(raw("when;z\n" + cells)).notes
    assert any("'when' (day-first)" in note for note in notes)
    # Ambiguous dates are read as in training.
    ambiguous_rows = recipe.encode(raw("when,z\n2/1/2024,0\n3/4/2024,0\n"))
    assert ambiguous_rows.X[:, 2].tolist() == [2.0, 3.0]
