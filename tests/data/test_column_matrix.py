"""All kinds of columns in all input formats give the same matrix.

The recipe reads text (:mod:`studio.data.recipe`); the exported pickle reads pandas' version of
it (:mod:`studio.export.preprocessing`), text or typed. Both use the same pairs, patterns and keys.
"""

import io
import pickle
import re
import warnings
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studio.data.frames import make_table_from_frame
from studio.data.problem import Problem
from studio.data.read_options import ReadOptions
from studio.data.reading import RawTable, read
from studio.data.table import Table
from studio.errors import DataError
from studio.export.preprocessing import (
    MISSING_COLUMNS_WARNING,
    UNREAD_DATES_WARNING,
    RawColumn,
    make_matrix_transformer,
)
from studio.export.skops_model import make_column_transformer, make_reading_code

KINDS: dict[str, list[str]] = {
    "numbers": ["1", "2.5", "", "-3", "1e5", "0.1"],
    "decimal commas": ["1,5", "2,25", "", "-3,0", "1234", "0,1"],
    "points for thousands": ["1.234,5", "12", "", "-3,5", "1.234.567", "0,1"],
    "commas for thousands": ["1,234", "12", "", "-3,500", "1,234,567", "7.5"],
    "blanks for thousands": ["1 234,5", "12", "", "-3,5", "1\u202f234\u202f567,0", "0,1"],
    "lakh": ["1,45,595", "12", "", "5,431", "12,34,567", "43,499"],
    "currency in front": ["$44,882", "$7.50", "", "-$3", "$1,234,567", "$0"],
    "currency behind": ["44.882,10 €", "7,50 €", "", "-3 €", "1.234,00€", "0 €"],
    "unit": ["75 kg", "7.5 kg", "", "80kg", "82 kg", "79 kg"],
    "percent": ["47.7%", "5 %", "", "-3%", "100%", "0.5%"],
    "brackets": ["511.43", "(315.07)", "", "(1,213.30)", "424.15", "3"],
    "trailing minus": ["511.43", "315.07-", "", "13.30-", "424.15", "3"],
    "minus signs": ["5.1", "\u22123.2", "", "\u20132.1", "-4", "7"],
    "signs apart": ["+ 5.1", "- 3.2", "", "1.5e\u221203", "2.5e+02", "7"],
    "letters for thousands": ["5K", "1.2M", "", "300", "2.5k", "1B"],
    "limits": ["0.5", "<0.01", "", "> 3", "0.2", "0.7"],
    "at least": ["10,000+", "500+", "", "1,000,000+", "100", "5,000+"],
    "dashes for cents": ["CHF 1'250.\u2013", "CHF 80.--", "", "CHF 9.50", "CHF 7.-", "CHF 3"],
    "lakhs and crores": ["1.2 Lakh", "3 Crore", "", "2.5 Cr", "80 Lakh", "1 Lakh"],
    "ten thousands": ["1.2\u4e07\u5143", "3\u4e07\u5143", "", "2\u4ebf\u5143", "8\u5143"],
    "powers of ten": ["9,533E-03", "1,2E+05", "", "3,141", "2,718E0", "1,000E-9"],
    "rates": ["$35 per night", "$7 per night", "", "$1,250 per night", "$3 per night"],
    "footnotes": ["0.4*", "1.5**", "", "2.5", "3.5", "4.5", "5.5\u2020"],
    "other scripts": ["\uff11\uff0c\uff12\uff13\uff14\uff0e\uff15", "\u0667\u066b\u0662", "",
                      "\u06f3", "\u200e12.5\u200e", "\uff0d\uff18"],
    "spreadsheet quotes": ['="12.5"', "'7.25", "", "'-3", "4"],
    "debits": ["1,250.50 CR", "80.25 DR", "", "9 Cr", "7.00 dr", "3"],
    "footnote marks": ["79.2[1]", "26", "", "5.5 [a][b]", "1"],
    "minus before a unit": ["5,25- \u20ac", "7,50 \u20ac", "", "1.234,00- \u20ac", "3 \u20ac"],
    "glued units": ["12.5bpm", "80bpm", "", "7bpm", "91bpm"],
    "both decimal marks": ["1.5", "2,25", "", "7", "-3.75"],
    "remarks": ["20.2 p", "19.7", "", "18.1", "17 e", "20"],
    "nulls": ["1.5", "\\N", "(null)", "#DIV/0!", "7", ":"],
    "words": ["red", "green", "", " red", "dark  blue", "None"],
    "numbers as words": ["1", "x", "", "2.5", "07", "y"],
    "codes": ["01", "02", "", "10", "11", "07"],
    "decimal codes": ["250.1", "250.10", "", "V57", "250", "250.0"],
    "truth": ["TRUE", "FALSE", "", "TRUE", "FALSE", "TRUE"],
    "accents": ["Caf\u00e9", "Cafe\u0301", "", "Z\u00fcrich", "Zu\u0308rich", "Bern"],
    "long numbers": ["202401150000000001", "202401150000000002", "", "202401150000000003", "5"],
    "dates": ["2024-01-31", "2024/2/1", "", "1999-12-31 23:59:30", "2024-02-29T06:00Z"],
    "day first": ["31.01.2024", "1.2.2024 08:15", "", "29.02.2024", "24.12.1999", "13.05.2020"],
    "month first": ["01/31/2024", "2/13/2024", "", "02/29/2024", "12/24/1999", "5/13/2020"],
    "short years": ["31.01.24", "13.02.99 09:05", "", "29.02.24", "24.12.68", "13.05.69"],
    "AM and PM": ["01/15/2024 09:00 AM", "01/16/2024 12:00 AM", "", "1/17/2024 12:30 pm",
                  "01/18/2024 11:59:59 PM", "01/19/2024"],
    "names of months": ["18-Jan-2024", "1 March 2024", "", "24. Dezember 1999", "2 f\u00e9vr. 2020",
                        "3rd May 2021"],
    "quarters": ["2024-Q1", "1999Q4", "", "Q2 2020", "2021-Q3", "2000-Q4"],
    "months of years": ["Jan-24", "Dec-99", "", "Feb-20", "Mar-21", "Jul-00"],
    "web server": ["[15/Jan/2024:09:05:00 +0000]", "[24/Dec/1999:23:59:30 +0100]", ""],
    "C": ["Mon Jan 15 09:05:00 2024", "Fri Dec 24 23:59:30 1999", "", "Sat Feb 29 00:00:01 2020"],
    "French": ["1er mars 2024 \u00e0 9h05", "24 d\u00e9cembre 1999", "", "29 mai 2020 23h59"],
    "Spanish": ["15 de enero de 2024", "24 de diciembre de 1999", "", "3 de marzo de 2020"],
    "Japanese": ["2024\u5e741\u670815\u65e5 9:05", "1999\u5e7412\u670824\u65e5", ""],
    "Google Forms": ["2024/01/15 9:05:12 AM GMT+1", "2024/01/16 11:05:12 PM GMT+2", ""],
    "SAS": ["15JAN2024:09:05:00", "24DEC1999:23:59:30", "", "29FEB2020:00:00:01"],
    "blanks in dates": ["2024. 01. 31.", "1999. 12. 24.", "", "2020. 2. 29. 8:15"],
    "programs": ["2024-01-15-09.05.07.000000", "1999:12:24 23:59:30", "", "2024-01-15 09",
                 "1999-12-24T23", '="2024-01-15"', "'2020-02-29",
                 "2024-01-15T09:05Z[Europe/Berlin]",
                 "\uff12\uff10\uff12\uff14\uff0f\uff11\uff0f\uff15"],
    "languages": ["15 \u044f\u043d\u0432\u0430\u0440\u044f 2024 \u0433.", "24. prosince 1999", "",
                  "3 May\u0131s 2020", "15th of January 2024"],
    "East Asian times": ["2024\u5e741\u670815\u65e5 9\u65f65\u5206", "",
                         "2024\u5e741\u670815\u65e5 23\u65f6", "1999. 12. 24. \uc624\ud6c4 11:59"],
    "Oracle": ["15-JAN-24 09.05.07.000000 AM", "24-DEC-99 11.59.30.000000 PM", ""],
    "points in times": ["15.01.2024 9.05", "24.12.1999 23.59", "", "29.02.2020 00.01"],
    "compact with a clock": ["20240115 09:05", "19991224_235930", "", "20200229", "20240101:0910"],
    "short and full years": ["15/01/24", "24/12/1999", "", "29/02/20", "31/03/2021", "13/04/68",
                             "14/04/69", "30/06/1831"],
    "compact as decimals": ["20240115.0", "19991224.0", "", "20200229.0"],
    "compact with a time": ["20240115T090500", "19991224T2359", "", "20200229T000001Z"],
    "epoch time": ["1706659200", "1706659201", "", "1330000000", "1900000000", "1500000000.0",
                   "0"],
    "time stamp": ["1706659200123", "1706659200999", "", "1330000000000", "1900000000500",
                   "1500000000000"],
    "months": ["2024-01", "1999-12", "", "2020-02", "2021-03", "2000-07"],
    "Stata": ["2024m1", "1999m12", "", "2020m2", "2021m3", "2000m7"],
    "months behind": ["Jan 2024", "Dec 1999", "", "Feb 2020", "March 2021", "Jul 2000"],
    "durations": ["1 days 02:30:00", "00:45:00", "", "2 days 00:00:00", "23:59:59"],
    "any durations": ["8:30 AM", "12:15 am", "", "07:05:09 p.m.", "01:30.0", "2 h 30 min", "1h20m",
                      "3 days 2 hrs", "1H 5M 9S", "PT15M", "P1DT2H", "PT116M", "01:31,0"],
    "said times of day": ["kl. 08.30", "kl 23.15", "", "klo 7", "um 21:45 Uhr", "12.05 Uhr"],
    "Soll and Haben": ["1.250,50 H", "80,25 S", "", "9,00 H", "7,00 S", "3,10 H"],
    "no amounts": ["$1,250.50", "$ -", "", "$(9.00)", "$7.00", "$-"],
    "ratings": ["4/5", "3/5", "", "1/5", "5/5", "2/5"],
    "stars": ["4.0 out of 5 stars", "3.5 out of 5 stars", "", "1.0 out of 5 stars"],
    "times of day with letters": ["09.00 AM", "9:05 pm", "", "12.30 a.m.", "7pm", "12 AM"],
    "French times of day": ["14h30", "8 h 05", "", "0H00", "23h59", "9h"],
    "times of day": ["09:30", "23:15", "", "00:05", "7:45", "12:00"],
    "free text": ["Great view, but a late refund", "refund was late: no view", "",
                  "No refund! No view", "Caf\u00e9 with a great view", "Cafe\u0301: late refund"],
    "compact": ["20240115", "19991231", "", "20200229", "20210301", "20000704"],
}  # fmt: skip

CHOSEN = {"decimal codes": "category", "numbers as words": "category", "free text": "text"}
"""Columns whose kind the user chose."""


def load_transformer(table: Table) -> Any:
    """Return the unpickled transformer of a table's features."""
    columns = [RawColumn.from_column(column) for column in table.features]
    sample = pd.DataFrame({column.name: ["0"] for column in columns})
    return pickle.loads(pickle.dumps(make_matrix_transformer(columns, sample)))


class Sample:
    """The table of a kind's cells, and the transformers of both exports."""

    def __init__(self, save: Any, name: str) -> None:
        self.raw, self.table, self.problem = make_table_of_cells(save, name, KINDS[name])
        self.columns = [RawColumn.from_column(column) for column in self.table.features]

    @cached_property
    def transformer(self) -> Any:
        """Return the unpickled transformer."""
        return load_transformer(self.table)

    @cached_property
    def skops_transformer(self) -> Any:
        """Return the transformer of a skops model, without its reading code."""
        return make_column_transformer(self.columns)

    @cached_property
    def reading_code(self) -> str:
        """Return the code exported with a skops model, reading from ``source``."""
        reading = "pd.read_csv(source, dtype=str, keep_default_na=False)"
        return f"import pandas as pd\n{make_reading_code(self.columns, reading)}"


_SAMPLES: dict[str, Sample] = {}
"""Cached samples of the columns above, shared by several tests, as transformers are costly."""


def make_sample_once(save: Any, name: str) -> Sample:
    """Return the cached sample of a kind."""
    if name not in _SAMPLES:
        _SAMPLES[name] = Sample(save, name)
    return _SAMPLES[name]


def make_table_of_cells(save: Any, name: str, cells: list[str]) -> tuple[RawTable, Table, Problem]:
    """Return a table with one column (three times the cells), a number beside it and a target."""
    frame = pd.DataFrame({name: cells * 3, "beside": np.arange(3 * len(cells)) % 5})
    frame["y"] = ["no", "yes", "no"] * len(cells)
    raw = read(save(frame.to_csv(index=False)), ReadOptions(separator=",", header=True))
    kinds = {name: CHOSEN[name]} if name in CHOSEN else {}
    table = Table.from_raw(raw, kinds, {name: "feature"}, "y")  # type: ignore[arg-type]
    return raw, table, Problem.from_table(table)


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_matrix_is_equal_from_file_and_frames(save, name):
    sample = make_sample_once(save, name)
    raw = sample.raw
    X = sample.problem.make_recipe().encode(raw).X
    np.testing.assert_array_equal(X, sample.problem.X)
    text = pd.DataFrame(dict(zip(raw.names, raw.columns, strict=True)), dtype=object)
    ways = {
        "text": text,
        "strings": text.astype("string"),
        "categorical": text.where(text != "", None)
        .astype("category")[text.columns[::-1]]
        .assign(extra=1),
        "one row": text.iloc[[3]],
        "typed": typed(text, sample.table),
    }
    for way, frame in ways.items():
        expected = X[[3]] if way == "one row" else X
        np.testing.assert_array_equal(sample.transformer.transform(frame), expected, err_msg=way)
    names: dict[str, Any] = {"source": io.StringIO(text.to_csv(index=False))}
    exec(sample.reading_code, names)
    np.testing.assert_array_equal(sample.skops_transformer.transform(names["table"]), X)


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_missing_column_is_empty_for_every_source(save, name):
    sample = make_sample_once(save, name)
    beside = pd.DataFrame({"beside": ["1", "4"], "extra": ["x", "y"]})
    raw = read(save(beside.to_csv(index=False)), ReadOptions(separator=",", header=True))
    X = sample.problem.make_recipe().encode(raw).X
    assert [*X[:, -1]] == [1.0, 4.0]
    with pytest.warns(UserWarning, match=MISSING_COLUMNS_WARNING):
        np.testing.assert_array_equal(sample.transformer.transform(beside), X)
    names: dict[str, Any] = {"source": io.StringIO(beside.to_csv(index=False))}
    with pytest.warns(UserWarning, match=MISSING_COLUMNS_WARNING):
        exec(sample.reading_code, names)
    np.testing.assert_array_equal(sample.skops_transformer.transform(names["table"]), X)
    unrelated = beside[["extra"]]
    with pytest.raises(DataError):
        sample.problem.make_recipe().encode(read(save(unrelated.to_csv(index=False))))
    with pytest.raises(ValueError, match="minimum of 1"):
        sample.transformer.transform(unrelated)
    names["source"] = io.StringIO(unrelated.to_csv(index=False))
    with pytest.raises(ValueError, match="most of the columns"):
        exec(sample.reading_code, names)


def typed(text: pd.DataFrame, table: Table) -> pd.DataFrame:
    """Return the frame with pandas' types for its columns."""
    frame = text.copy()
    for column in table.features:
        own = column.aliases[-1] if column.is_derived else column.name
        if column.date is not None and column.date.part == "days":
            frame[own] = pd.to_datetime(np.round(column.values * 86400), unit="s")
        elif column.number_format.duration:
            frame[own] = pd.to_timedelta(np.round(column.values * 86400), unit="s")
        elif column.kind == "number" and not column.is_derived:
            frame[own] = column.values
        elif set(column.categories) == {"TRUE", "FALSE"}:
            frame[own] = pd.array([None if c < 0 else column.categories[c] == "TRUE"
                                   for c in column.values], dtype="boolean")  # fmt: skip
    return frame


@pytest.mark.parametrize("name", KINDS)
def test_labels_are_returned_in_original_spelling(save, name):
    for column in make_sample_once(save, name).table.features:
        composed = {" ".join(cell.split()) for cell in KINDS[name]}
        assert set(column.categories) <= composed | {"Z\u00fcrich", "Caf\u00e9"}


def test_different_number_format_is_parsed_with_note(save):
    _, _, problem = make_table_of_cells(save, "pay", ["1.5", "2.25", "1234.5", "3", "4", "7.125"])
    other = read(save("pay;beside\n1,5;0\n2,25;1\n1.234,5;2\n"))
    encoded = problem.make_recipe().encode(other)
    assert encoded.X[:, 0].tolist() == [1.5, 2.25, 1234.5]
    assert any("'pay'" in note for note in encoded.notes)


@pytest.mark.parametrize(
    ("known", "cell", "found"),
    [
        (["1", "2"], 1.0, "1"),
        (["01", "02"], 1, "01"),
        (["1.0", "2.0"], 2, "2.0"),
        (["250.1", "V57"], 250.1, "250.1"),
        (["TRUE", "FALSE"], True, "TRUE"),
        (["yes", "no"], "yes ", "yes"),
        (["yes", "no"], "y\u200bes\ufeff", "yes"),
        (["1", "01"], 1.0, None),
        (["1", "01"], "01", "01"),
        (["a", "b"], 7, None),
    ],
)
def test_cell_matches_label_by_spelling_or_number(save, known, cell, found):
    raw = read(save("c,y\n" + "".join(f"{each},{i % 2}\n" for i, each in enumerate(known * 3))),
               ReadOptions(separator=",", header=True))  # fmt: skip
    table = Table.from_raw(raw, {"c": "category"}, {"c": "feature"}, "y")
    code = load_transformer(table).transform(pd.DataFrame({"c": [cell]}))[0, 0]
    assert (None if np.isnan(code) else table.get_column("c").categories[int(code)]) == found


CELL = st.sampled_from(
    ["1", "01", "1.0", "1e0", "2", "2.5", "2.50", "true", "True", "FALSE", "x", " x", "NA", "", "?",
     "none", "None", "inf", "-0", "0", "9007199254740993", "1e308", "-", "0.1", "1_0", "NAN",
     "$5", "5 kg", "(3)", "1,5", "2024-01-31", "31.01.24", "5%", "\u22127", "5K", "<3",
     "x\u200b", ".", "(blank)", "5 kg¹", "Jan 15, 2024", "15. V. 2024"]
)  # fmt: skip


@pytest.mark.filterwarnings(f"ignore:{UNREAD_DATES_WARNING}")
@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(
    st.lists(CELL, min_size=4, max_size=9),
    st.lists(CELL, min_size=1, max_size=6),
    st.sampled_from(["number", "category", "date", "text", None]),
)
def test_matrix_of_any_cells_is_equal_for_both_sources(save, training, new, kind):
    frame = pd.DataFrame({"a": training * 2, "y": [i % 2 for i in range(2 * len(training))]})
    options = ReadOptions(separator=",", header=True)
    raw = read(save(frame.to_csv(index=False)), options)
    assume_kind = {} if kind is None else {"a": kind}
    try:
        table = Table.from_raw(raw, assume_kind, {"a": "feature"}, "y")  # type: ignore[arg-type]
    except Exception as error:
        assert any(phrase in str(error) for phrase in ("none of", "no word"))
        return
    problem = Problem.from_table(table)
    np.testing.assert_array_equal(problem.make_recipe().encode(raw).X, problem.X)
    # A second column, since an empty cell of a single one is an empty line.
    text = pd.DataFrame({"a": new, "z": 1}).to_csv(index=False)
    other = read(save(text), options)
    X = load_transformer(table).transform(
        pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)
    )
    encoded = problem.make_recipe().encode(other)
    if not any("differently" in note for note in encoded.notes):
        np.testing.assert_array_equal(X, encoded.X)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pima", "car", "german_credit", "adult", "auto_mpg", "titanic"])
def test_matrix_of_real_tables_is_equal_for_every_source(shared_data, name):
    path = shared_data / f"{name}.csv.gz"
    raw = read(path)
    table = Table.from_raw(raw)
    problem = Problem.from_table(table)
    np.testing.assert_array_equal(problem.make_recipe().encode(raw).X[problem.rows], problem.X)
    transformer = load_transformer(table)
    plain = pd.read_csv(path, dtype=str, keep_default_na=False).iloc[:400]
    for frame in (plain, pd.read_csv(path, keep_default_na=False, na_values=[""]).iloc[:400]):
        np.testing.assert_array_equal(transformer.transform(frame), problem.X[:400])


@pytest.mark.parametrize("name", ["footnote marks", "debits"])
def test_skops_reading_code_has_valid_expressions(save, monkeypatch, name):
    patterns = []
    replace = pd.Series.str.replace

    def record_pattern(self, pat, *arguments, **more):
        patterns.append(pat)
        return replace(self, pat, *arguments, **more)

    monkeypatch.setattr(pd.Series.str, "replace", record_pattern)
    sample = make_sample_once(save, name)
    raw = sample.raw
    text = pd.DataFrame(dict(zip(raw.names, raw.columns, strict=True)), dtype=object)
    exec(sample.reading_code, {"source": io.StringIO(text.to_csv(index=False))})
    assert patterns
    assert all(isinstance(each, re.Pattern) for each in patterns)


@pytest.mark.parametrize("written", ["bool", "boolean", "object", "int64", "float64", "str"])
@pytest.mark.parametrize("trained", ["bool", "int64", "object"])
def test_booleans_equal_0_and_1_for_every_source(trained, written):
    truth = pd.Series([True, False, False, True] * 3)
    training_frame = pd.DataFrame(
        {"a": truth.astype(trained), "b": range(12), "y": ["u", "v", "v"] * 4}
    )
    table = Table.from_raw(
        make_table_from_frame(training_frame), {}, {"a": "feature", "b": "feature"}, "y"
    )
    problem = Problem.from_table(table)
    if written == "str":  # formatted like the training column
        truth = training_frame["a"]
    new = pd.DataFrame({"a": truth.astype(written), "b": range(12)})
    np.testing.assert_array_equal(
        problem.make_recipe().encode(make_table_from_frame(new)).X, problem.X
    )
    np.testing.assert_array_equal(load_transformer(table).transform(new), problem.X)


DOTTED_DATES = ["%d.%m.%Y", "%m.%d.%Y", "%Y.%m.%d"]


@pytest.mark.slow
@pytest.mark.parametrize("date_format", DOTTED_DATES)
def test_dates_without_points_are_read_in_training_order(save, date_format):
    days = pd.date_range("2023-01-05", periods=500, freq="37h").strftime(date_format)
    _, table, problem = make_table_of_cells(save, "when", [*days, ""])
    text = pd.DataFrame({"when": [*days, ""], "beside": 1})
    written = save(text.to_csv(index=False, sep=";"))
    parsed = pd.read_csv(written, sep=";", decimal=",", thousands=".")
    assert parsed["when"].dtype == np.float64  # integers beside an empty cell
    whole = parsed.dropna().astype({"when": np.int64})
    recipe, transformer = problem.make_recipe(), load_transformer(table)
    expected = recipe.encode(make_table_from_frame(text)).X
    ways = {"typed": parsed, "text": whole.astype(str), "integers": whole, "one row": whole[:1],
            "categories": whole.astype({"when": "category"})}  # fmt: skip
    for way, frame in ways.items():
        rows = frame.index.to_numpy()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            np.testing.assert_array_equal(transformer.transform(frame), expected[rows], way)
        encoded = recipe.encode(make_table_from_frame(frame))
        np.testing.assert_array_equal(encoded.X, expected[rows], way)
        assert any("'when'" in note for note in encoded.notes)


def test_days_of_ambiguous_order_without_points_are_read_as_in_training(save):
    days = pd.date_range("2023-01-05", periods=90, freq="37h").strftime("%d.%m.%Y")
    _, table, problem = make_table_of_cells(save, "when", [*days])
    frame = pd.DataFrame({"when": [2062024, 3042024, 12012024, 5052023, 1122023], "beside": 1})
    X = load_transformer(table).transform(frame)
    np.testing.assert_array_equal(problem.make_recipe().encode(make_table_from_frame(frame)).X, X)
    names = [column.date.part for column in table.features if column.date is not None]
    assert X[:, names.index("day")].tolist() == [2, 3, 12, 5, 1]


@pytest.mark.parametrize(
    ("cells", "warns"),
    [
        (["soon"], True),
        ([122024, 512024, 1132024], True),  # one or two digits of days and months
        ([2062024, 122024, 512024], True),
        ([45306, 45307], True),  # days since 1900
        ([4.06], True),
        ([40062024, 2992024], True),  # no days of the calendar
        ([2062024, 3062024, 5], False),
        (["02.06.2024", "soon"], False),
        (["", "NA", None], False),
        ([None, "2.6.2024"], False),
        ([pd.Timestamp("2024-06-02")], False),
    ],
)
def test_exported_transformer_warns_of_unread_dates_at_each_call(save, cells, warns):
    days = pd.date_range("2023-01-05", periods=90, freq="37h").strftime("%d.%m.%Y")
    _, table, _ = make_table_of_cells(save, "when", [*days])
    transformer = load_transformer(table)
    for _ in range(2):
        with warnings.catch_warnings(record=True) as shown:
            warnings.simplefilter("default")
            X = transformer.transform(pd.DataFrame({"when": cells, "beside": 1}))
        texts = [str(each.message) for each in shown]
        assert texts == [f"{UNREAD_DATES_WARNING}: 'when'"] * warns
        assert X.shape[1] == len(table.features)


def test_integers_of_dates_in_training_stay_numbers(save):
    cells = [str(each) for each in [2062024, 122, 512024, 4500, 99, 7012, 1132024, 8]]
    _, table, _ = make_table_of_cells(save, "when", cells)
    assert table.features[0].date is None
