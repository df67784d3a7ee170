"""Treatment of odd values: the same in training, new tables, pickles and plain pandas."""

import pickle
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from studio.data.columns import describe_all_columns
from studio.data.problem import Problem
from studio.data.read_options import ReadOptions
from studio.data.reading import read
from studio.data.table import Table
from studio.data.treatments import MergeRareLabels, ValueLimits, make_rare_name, parse_treatment
from studio.errors import DataError, UsageError
from studio.export.preprocessing import RawColumn, make_matrix_transformer
from studio.export.skops_model import make_column_transformer, make_reading_code
from tests.facts import facts

TOWNS = ["Ulm", " Ulm ", "Bonn", "Köln", "rare values", "True"]
CODES = ["01", "1.0", "2", "7", "008", "9e0", "x"]
KINDS: dict[str, Any] = {"code": "category", "pay": "number"}
CHOICES = {"pay": "missing ..20000", "age": "limit 10..90", "town": "merge 10", "code": "merge 4"}


def cells(seed: int, n: int = 80) -> str:
    rng = np.random.default_rng(seed)
    lines = ["pay,age,town,code,plain,y"]
    for _ in range(n):
        pay = rng.choice(["1200", "3e3", "4100.5", "715897", "", "20000", "oops"])
        age = rng.choice(["45", "-3", "140", "?", "10"])
        town = rng.choice(TOWNS, p=[0.3, 0.2, 0.4, 0.04, 0.03, 0.03])
        code = rng.choice(CODES, p=[0.3, 0.3, 0.3, 0.03, 0.03, 0.02, 0.02])
        lines.append(f"{pay},{age},{town},{code},{rng.integers(9)},{'ab'[rng.integers(2)]}")
    return "\n".join(lines) + "\n"


def table(folder: Path, seed: int, **choices: str) -> Any:
    path = folder / f"{seed}.csv"
    path.write_text(cells(seed), "utf-8")
    raw = read(path)
    return raw, Table.from_raw(raw, kinds=KINDS, target="y", treatments=choices)


def test_treatments_round_trip_through_text() -> None:
    for how in (
        ValueLimits("missing", low=-0.1),
        ValueLimits("limit", 3.0, 1e-7 + 4),
        MergeRareLabels(12),
    ):
        assert parse_treatment(how.to_text()) == how
    assert parse_treatment("limit ..7159") == ValueLimits("limit", high=7159.0)
    for invalid in ("limit", "limit ..", "limit 5..1", "missing a..b", "merge 1", "merge x", "drop",
                  "missing nan..2"):  # fmt: skip
        with pytest.raises(UsageError):
            parse_treatment(invalid)
    assert make_rare_name(["a"]) == "rare values"
    assert make_rare_name(["rare values"]) == "(rare values)"


def test_treated_table_is_stored(tmp_path: Path) -> None:
    _, plain = table(tmp_path, 1)
    _, treated_table = table(tmp_path, 1, **CHOICES)
    pay, before = treated_table.get_column("pay").values, plain.get_column("pay").values
    assert np.nanmax(pay) == 20000
    np.testing.assert_array_equal(np.isnan(pay), np.isnan(before) | (before > 20000))
    np.testing.assert_array_equal(
        treated_table.get_column("age").values, np.clip(plain.get_column("age").values, 10, 90)
    )
    town = treated_table.get_column("town")
    assert town.categories == ("Bonn", "Ulm", "(rare values)")
    assert {label for label, _ in town.merged} == {"Köln", "rare values", "True"}
    assert {replacement for _, replacement in town.merged} == {"(rare values)"}
    assert treated_table.get_column("code").categories[:2] == ("2", "01")
    restored = Table.from_parts(treated_table.to_description(), treated_table.to_arrays())
    assert restored.columns[0].limits == ValueLimits("missing", high=20000.0)
    assert restored.get_column("town").merged == town.merged


@pytest.mark.slow
def test_treatments_are_equal_in_all_exports(tmp_path: Path) -> None:
    raw, treated_table = table(tmp_path, 1, **CHOICES)
    problem = Problem.from_table(treated_table)
    recipe = problem.make_recipe()
    np.testing.assert_array_equal(recipe.encode(raw).X, problem.X)
    new, _ = table(tmp_path, 2)
    expected = recipe.encode(new).X
    columns = [RawColumn.from_column(each) for each in treated_table.features]
    front = make_matrix_transformer(columns, pd.DataFrame({each.name: ["0"] for each in columns}))
    front = pickle.loads(pickle.dumps(front))
    for frame in (pd.read_csv(StringIO(cells(2))), pd.read_csv(StringIO(cells(2)), dtype=str)):
        np.testing.assert_array_equal(front.transform(frame), expected)
    code = make_reading_code(columns, "pd.read_csv(source, na_values=['?', 'oops'])")
    names: dict[str, Any] = {"pd": pd, "source": StringIO(cells(2))}
    exec(code, names)  # the code exported with a model
    matrix = make_column_transformer(columns).transform(names["table"])
    for index, column in enumerate(columns):
        if column.name in {"pay", "age", "plain"}:
            np.testing.assert_array_equal(matrix[:, index], expected[:, index])
    town = [column.name for column in columns].index("town")
    spaces = pd.read_csv(StringIO(cells(2)), dtype=str)["town"].str.startswith(" ").to_numpy()
    np.testing.assert_array_equal(matrix[~spaces, town], expected[~spaces, town])


def test_outlying_targets_are_treated_as_missing(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "".join(f"{i % 7},{i}\n" for i in range(50)) + "1,9999\n", "utf-8")
    raw = read(path)
    treated_table = Table.from_raw(raw, target="y", treatments={"y": "missing ..100"})
    problem = Problem.from_table(treated_table)
    assert len(problem.y) == 50
    assert len(problem.make_recipe().encode_labelled(raw).y) == 50
    for invalid in ({"y": "limit ..100"}, {"x": "merge 5"}):
        with pytest.raises(DataError, match="Undo that choice"):
            Table.from_raw(raw, target="y", treatments=invalid)
    with pytest.raises(DataError):
        Table.from_raw(raw, target="y", treatments={"z": "merge 5"})


def test_similar_labels_are_merged_in_features_and_target(save: Any) -> None:
    rows = "".join(f"{word},{goal}\n" for word, goal in [("Yes", "no"), ("yes", "NO")] * 3)
    text = "a,y\n" + rows + "yes,Ja\nno,Ja\n"
    raw = read(save(text), ReadOptions(separator=",", header=True))
    treatments = dict.fromkeys(("a", "y"), "merge alike")
    table = Table.from_raw(raw, roles={"a": "feature"}, target="y", treatments=treatments)
    assert table.get_column("a").categories == ("no", "yes")
    assert table.get_column("a").merged == (("Yes", "yes"),)
    restored = Table.from_parts(table.to_description(), table.to_arrays())
    assert restored.get_column("a").merged == table.get_column("a").merged
    problem = Problem.from_table(restored)
    assert len(problem.classes) == 2
    np.testing.assert_array_equal(problem.make_recipe().encode(raw).X, problem.X)
    labelled = problem.make_recipe().encode_labelled(raw)
    np.testing.assert_array_equal(labelled.y, problem.y)
    columns = [RawColumn.from_column(column) for column in restored.features]
    frame = pd.DataFrame(dict(zip(raw.names, raw.columns, strict=True)), dtype=object)
    np.testing.assert_array_equal(
        make_matrix_transformer(columns, frame).transform(frame), problem.X
    )


@pytest.mark.parametrize(
    ("treatment", "listed"),
    [("missing ..300", [998.0, 999.0]), ("missing ..10", None), ("limit ..300", None)],
)
def test_treated_numbers_are_described_as_in_question(
    raw: Any, treatment: str, listed: list[float] | None
) -> None:
    lines = "".join(f"{i % 50},{'pq'[i % 2]}\n" for i in range(100)) + "999,p\n998,q\n999,p\n"
    table = raw("a,y\n" + lines, header=True)
    column = describe_all_columns(table, "y", treatments={"a": treatment})[0]
    (finding,) = (each for each in column.findings if each.kind == "treated")
    assert facts(finding.sentence).get("value") == listed
