"""The codec, and a twin of it made of pandas alone that reads only a recipe in JSON.

The twin shows that the recipe is complete: on a data frame that pandas typed itself, on one read
all as text, and on text that kept the words for missing cells, it gives the very same matrix.
"""

import io
import json
import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studio.data.codec import Codec
from studio.data.missing import MISSING_TOKENS
from studio.data.numbers import EXACT, LIMIT
from studio.data.problem import Problem
from studio.data.read_options import ReadOptions
from studio.data.reading import read
from studio.data.table import Table
from studio.errors import DataError

TEXT = "a,b,y\n1,x,no\n2,y,yes\n3,,no\n4,01,yes\n"


def recipe_of(codec: Codec) -> dict[str, Any]:
    """Return as plain JSON all that the twin has to know."""
    recipe = {
        "missing": sorted(MISSING_TOKENS),
        "limit": LIMIT,
        "exact": EXACT,
        "features": [
            {
                "name": feature.name,
                "aliases": feature.aliases,
                "kind": "number" if feature.categories is None else "category",
                "categories": feature.categories,
                "decimal": feature.number_format.decimal,
                "grouping": feature.number_format.grouping,
                "pattern": feature.number_format.pattern,
            }
            for feature in codec.features
        ],
    }
    return json.loads(json.dumps(recipe))


def twin_number(cell: Any, recipe: dict[str, Any], feature: dict[str, Any]) -> float:
    if cell is None or cell is pd.NA or isinstance(cell, bool | np.bool_):
        return math.nan
    if isinstance(cell, str):
        text = cell.strip()
        if text in recipe["missing"]:
            return math.nan
        if feature["pattern"] and re.fullmatch(feature["pattern"], text):
            for mark in feature["grouping"]:
                text = text.replace(mark, "")
            text = text.replace(feature["decimal"], ".")
        return float(pd.to_numeric(pd.Series([text], dtype=object), errors="coerce").iloc[0])
    return float(cell)


def twin_label(cell: Any, recipe: dict[str, Any], feature: dict[str, Any]) -> str | None:
    if isinstance(cell, bool | np.bool_):
        return str(bool(cell))
    if isinstance(cell, str):
        text = cell.strip()
        if text in recipe["missing"]:
            return None
        if text.lower() in ("true", "false"):
            return text.capitalize() if text.islower() else text.lower().capitalize()
    number = twin_number(cell, recipe, feature)
    if math.isnan(number):
        return cell.strip() if isinstance(cell, str) else None
    if math.isfinite(number):
        if abs(number) <= recipe["exact"] and number == int(number):
            return str(int(number))
        number = min(max(number, -recipe["limit"]), recipe["limit"])
    return f"{number:.15g}"


def twin(recipe: dict[str, Any], frame: pd.DataFrame) -> np.ndarray:
    columns = []
    for feature in recipe["features"]:
        name = next((n for n in (feature["name"], *feature["aliases"]) if n in frame), None)
        if name is None:
            columns.append([math.nan] * len(frame))
            continue
        cells = frame[name].tolist()
        if feature["kind"] == "number":
            numbers = [twin_number(cell, recipe, feature) for cell in cells]
            limit = recipe["limit"]
            columns.append(
                [min(max(x, -limit), limit) if math.isfinite(x) else math.nan for x in numbers]
            )
        else:
            position = {label: float(i) for i, label in enumerate(feature["categories"])}
            labels = [twin_label(cell, recipe, feature) for cell in cells]
            columns.append([position.get(label, math.nan) for label in labels])
    return np.array(columns, dtype=float).T


def frames_of(text: str, **options: Any) -> list[pd.DataFrame]:
    return [
        pd.read_csv(io.StringIO(text), low_memory=False, **options),
        pd.read_csv(io.StringIO(text), dtype=str, **options),
        pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False, **options),
        pd.read_csv(io.StringIO(text), dtype=object, **options),
    ]


def assert_same_everywhere(save, text: str, codec: Codec, **options: Any) -> None:
    chosen = ReadOptions(separator=options.get("sep", ","), header=True)
    X = codec.encode(read(save(text), chosen)).X
    recipe = recipe_of(codec)
    for frame in frames_of(text, **options):
        np.testing.assert_array_equal(twin(recipe, frame), X)


def test_the_training_table_encodes_to_the_training_matrix(problem, save):
    made = problem(TEXT)
    encoded = made.codec().encode(read(save(TEXT)))
    np.testing.assert_array_equal(encoded.X, made.X)
    assert encoded.notes == ()


def test_columns_are_found_by_name_in_any_order(problem, raw):
    found = problem(TEXT).codec().encode(raw("b,z,a\nx,9,4\n01,8,1\n", header=True))
    np.testing.assert_array_equal(found.X, [[4, 1], [1, 0]])
    assert found.notes == ("1 other column was not needed and not used.",)


def test_missing_columns_and_unseen_categories_are_missing_and_told(problem, raw):
    codec = problem(TEXT).codec()
    found = codec.encode(raw("b,y\nx,no\nnew,no\n,no\n", header=True))
    np.testing.assert_array_equal(found.X, [[np.nan, 1], [np.nan, np.nan], [np.nan, np.nan]])
    assert "1 of 2 columns is missing ('a') and is treated as empty" in found.notes[0]
    assert "1 cell of 'b' is a category not seen in training ('new')" in found.notes[1]
    words = codec.encode(raw("a,b\nten,x\n2,y\n", header=True))
    assert "1 cell of 'a' is not a number ('ten')" in words.notes[0]


def test_a_column_of_dates_is_counted_and_named_once(problem, raw):
    text = "a,when,b,y\n" + "".join(f"{i},{i + 1:02}.03.2024,x{i % 2},{i % 2}\n" for i in range(9))
    codec = problem(text).codec()
    assert len(codec.features) > 3
    assert codec.own_columns == ("a", "when", "b")
    assert "1 of 3 columns is missing ('when')" in codec.encode(raw("a,b\n1,x0\n")).notes[0]
    with pytest.raises(DataError, match=r"2 of the 3 columns .*'a', 'when'"):
        codec.encode(raw("b\nx0\nx1\n", header=True))
    with pytest.raises(DataError, match="'a', 'when', 'b'…"):
        codec.encode(raw("p,q\n1,2\n3,4\n"))


def test_a_table_with_none_of_the_columns_is_refused(problem, raw):
    with pytest.raises(DataError, match="none of the columns that the ensemble was trained on"):
        problem(TEXT).codec().encode(raw("p,q\n1,2\n3,4\n"))


@pytest.mark.parametrize(("there", "refused"), [(1, True), (2, True), (3, False), (4, False)])
def test_a_table_that_lacks_more_than_half_of_the_columns_is_refused(problem, raw, there, refused):
    names = list("abcdef")
    rows = "".join(",".join(str(i * k % 7) for k in range(1, 7)) + f",{i % 2}\n" for i in range(9))
    codec = problem(",".join([*names, "y"]) + "\n" + rows).codec()
    new = raw(",".join(names[:there]) + "\n" + ",".join("1" * there) + "\n", header=True)
    if refused:
        with pytest.raises(DataError, match=f"{6 - there} of the 6 columns") as error:
            codec.encode(new)
        assert all(repr(name) in str(error.value) for name in names[there:])
    else:
        found = codec.encode(new)
        assert found.absent == tuple(names[there:])
        assert f"{6 - there} of 6 columns are missing" in found.notes[0]


def test_columns_spelled_in_another_case_or_with_blanks_are_found_and_said(problem, raw):
    codec = problem("First Name,b,y\n1,x,no\n2,y,yes\n3,,no\n4,01,yes\n").codec()
    same = codec.encode(raw("First Name,b\n7,y\n"))
    found = codec.encode(raw("B,extra,FIRST  name\ny,1,7\n"))
    assert found.X.tolist() == same.X.tolist()
    assert found.absent == ()
    assert any("'FIRST name' ('First Name')" in note for note in found.notes)
    assert not same.notes
    labelled = codec.encode_labelled(raw("FIRSTNAME,b,Y\n7,y,yes\n5,x,\n"))
    assert (labelled.y.tolist(), labelled.rows.tolist()) == ([1], [0])


def test_known_targets_are_encoded_like_those_of_training(problem, raw):
    labelled = (
        problem(TEXT).codec().encode_labelled(raw("y,a,b\nyes,1,x\nmaybe,2,y\nno,3,x\n,4,y\n"))
    )
    assert labelled.y.tolist() == [1, 0]
    assert "2 rows have no usable value of 'y'" in labelled.notes[-1]
    numbers = problem("a,y\n1,0.5\n2,1.5\n3,2.5\n").codec()
    assert numbers.encode_labelled(raw("a,y\n1,7.5\n2,x\n")).y.tolist() == [7.5]
    whole = problem("a,y\n1,3\n2,4\n3,3\n4,4\n").codec()
    assert whole.encode_labelled(raw("a,y\n1,4.0\n2,03\n")).y.tolist() == [1, 0]


def test_a_test_table_without_the_target_is_refused(problem, raw):
    codec = problem(TEXT).codec()
    with pytest.raises(DataError, match="has no column 'y'"):
        codec.encode_labelled(raw("a,b\n1,x\n2,y\n"))
    with pytest.raises(DataError, match="has a usable value"):
        codec.encode_labelled(raw("a,b,y\n1,x,u\n2,y,v\n"))


TRICKY = [
    "a,b,c,d,e\n1,True,01,x,9007199254740993\n,false,1.0,NA,2\n3,TRUE,2,None,3\n4,,03,?,5\n",
    "a,b,c,d,e\n0.1,1,inf,1e308,007\n0.30000000000000004,x,-inf,2,7\n3,01,1,NaN,08\n",
    "a,b,c,d,e\n 1, x ,true,-,1_000\n2,y,maybe,.,2\n3, x,FALSE,1,3\n",
    "a,b,c,d,e\n12345678901234567,1e5,1.50,nan,0x1\n3,100000,1.5,null,1\n4,abc,x,N/A,2\n",
    "a,a,,d,e\n1,x,3,4,p\n2,y,5,6,q\n",
    "a,b,c,d,e\n99999999999999999999999,T,1e400,+5,-0\n5,F,3,x,0\n,T,4,y,0.0\n",
]


@pytest.mark.slow
@pytest.mark.parametrize("text", TRICKY)
@pytest.mark.parametrize("kind", ["number", "category", None])
def test_the_twin_of_pandas_gives_the_same_matrix_however_it_reads(save, text, kind):
    lines = text.splitlines()
    labelled = "\n".join([lines[0] + ",y", *(f"{x},{i % 2}" for i, x in enumerate(lines[1:]))] * 1)
    # Each row twice, so that classes have two members whatever the table.
    labelled += "\n" + "\n".join(labelled.splitlines()[1:]) + "\n"
    raw = read(save(labelled), ReadOptions(separator=",", header=True))
    kinds = dict.fromkeys(raw.names[:-1], kind) if kind else {}
    roles = dict.fromkeys(raw.names[:-1], "feature")
    table = Table.from_raw(raw, kinds, roles)  # type: ignore[arg-type]
    made = Problem.from_table(table, "multiclass")
    np.testing.assert_array_equal(made.codec().encode(raw).X, made.X)
    assert_same_everywhere(save, labelled, made.codec())
    # Parts of the table make pandas type the columns differently; the labels must not change.
    for rows in ([1], [2], [1, 3], [2, 3]):
        part = "\n".join([labelled.splitlines()[0], *(labelled.splitlines()[i] for i in rows)])
        assert_same_everywhere(save, part + "\n", made.codec())


@pytest.mark.parametrize("kind", ["number", "category"])
def test_converted_columns_encode_as_they_were_converted(save, kind):
    text = "a,b,y\n1e308,01,p\n1.50,2,q\ninf,x,p\n,2.0,q\n0.1,3,p\n"
    raw = read(save(text))
    table = Table.from_raw(raw, roles={"a": "feature", "b": "feature"})
    a, b, target = table.columns
    table = replace(table, columns=(a.as_kind(kind), b.as_kind(kind), target))
    made = Problem.from_table(table)
    np.testing.assert_array_equal(made.codec().encode(raw).X, made.X)
    assert_same_everywhere(save, text, made.codec())


def test_decimal_commas_are_read_alike_as_text_and_by_pandas_told_of_them(save):
    text = "a;b;y\n1.000,92;1,5;p\n3,5;2,5;q\n7,25;1,50;p\n2,5;x;q\n"
    made = Problem.from_table(Table.from_raw(read(save(text))))
    assert made.X[:, 0].tolist() == [1000.92, 3.5, 7.25, 2.5]
    assert made.categories[1] == ("1.5", "2.5", "x")
    assert_same_everywhere(save, text, made.codec(), sep=";")
    recipe = recipe_of(made.codec())
    told = pd.read_csv(io.StringIO(text), sep=";", decimal=",", thousands=".")
    np.testing.assert_array_equal(twin(recipe, told), made.X)


CELL = st.sampled_from(
    ["1", "01", "1.0", "1e0", "2", "2.5", "2.50", "true", "True", "FALSE", "x", " x", "NA", "", "?",
     "none", "None", "inf", "-0", "0", "9007199254740993", "1e308", "-", "0.1", "1_0", "NAN"]
)  # fmt: skip


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=80)
@given(
    st.lists(st.tuples(CELL, CELL), min_size=3, max_size=8),
    st.lists(st.tuples(CELL, CELL), min_size=1, max_size=6),
    st.sampled_from(["number", "category"]),
)
def test_labels_never_depend_on_how_pandas_typed_a_column(save, training, new, kind):
    rows = [f"{a},{b},{i % 2}" for i, (a, b) in enumerate([*training, *training])]
    options = ReadOptions(separator=",", header=True, decimal=".", thousands="")
    raw = read(save("a,b,y\n" + "\n".join(rows) + "\n"), options)
    table = Table.from_raw(
        raw, {"a": kind, "b": kind}, {"a": "feature", "b": "feature"}, target="y"
    )
    codec = Problem.from_table(table).codec()
    text = "a,b\n" + "\n".join(f"{a},{b}" for a, b in new) + "\n"
    X = codec.encode(read(save(text), options)).X
    for frame in frames_of(text, skip_blank_lines=False):
        np.testing.assert_array_equal(twin(recipe_of(codec), frame), X)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pima", "car", "german_credit", "adult", "auto_mpg"])
def test_real_tables_are_encoded_alike_by_the_twin(shared_data, name):
    path = shared_data / f"{name}.csv.gz"
    raw = read(path)
    made = Problem.from_table(Table.from_raw(raw))
    np.testing.assert_array_equal(made.codec().encode(raw).X[made.rows], made.X)
    frame = pd.read_csv(path).iloc[:400]
    np.testing.assert_array_equal(twin(recipe_of(made.codec()), frame), made.X[:400])
