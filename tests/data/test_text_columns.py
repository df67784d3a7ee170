"""Columns of free text: their terms and term weights."""

from io import StringIO
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from studio.analysis.one_row.row_ensemble import make_fields
from studio.data.columns import describe_all_columns
from studio.data.findings import describe_by_choice, list_unread_text_columns
from studio.data.problem import Problem
from studio.data.read_options import ReadOptions
from studio.data.reading import RawTable, read
from studio.data.table import Table
from studio.data.terms import MAX_TERMS, Terms
from studio.errors import DataError
from studio.export.preprocessing import RawColumn
from studio.export.skops_model import make_column_transformer, make_reading_code
from studio.runs.prepare import PreparedRun

WORDS = ["refund", "late", "the", "package", "of", "invoice", "no", "Größe", "crash", "app"]


def texts(seed: int, rows: int) -> list[str]:
    rng = np.random.default_rng(seed)
    return [
        f"The {' '.join(rng.choice(WORDS, 6))}!" if rng.random() < 0.9 else "" for _ in range(rows)
    ]


def write_file(save: Any, cells: list[str]) -> RawTable:
    frame = pd.DataFrame({"note": cells, "size": np.arange(len(cells)) % 7})
    frame["y"] = ["ab"["refund" in cell] for cell in cells]
    return read(save(frame.to_csv(index=False)), ReadOptions(separator=",", header=True))


@pytest.fixture
def raw(save: Any) -> RawTable:
    return write_file(save, texts(0, 120))


@pytest.fixture
def table(raw: RawTable) -> Table:
    return Table.from_raw(raw, {"note": "text"}, target="y")


def test_tf_idf_weights_agree_with_sklearn() -> None:
    cells = texts(1, 200)
    terms = Terms.from_texts(cells, np.ones(len(cells), dtype=np.int64))
    vectorizer = TfidfVectorizer(
        vocabulary=list(terms.words), ngram_range=(1, 2), strip_accents="unicode"
    ).fit(cells)
    np.testing.assert_allclose(vectorizer.idf_, terms.idf, rtol=1e-15)
    np.testing.assert_allclose(
        vectorizer.transform(cells).toarray(), terms.compute_weights(cells), atol=1e-15
    )


def test_terms_equal_brute_force_selection() -> None:
    cells = texts(2, 150)
    counts = np.arange(1, 151)
    terms = Terms.from_texts(cells, counts)
    having: dict[str, int] = {}
    for cell, rows in zip(cells, counts.tolist(), strict=True):
        words = cell.lower().strip("!").replace("ö", "o").split()
        for word in {*words, *map(" ".join, pairwise(words))}:
            having[word] = having.get(word, 0) + rows
    n_texts = int(counts.sum())
    weight = {w: n * np.log(n_texts / n) for w, n in having.items() if n >= 0.005 * n_texts}
    limit = sorted(weight.values())[-MAX_TERMS]
    assert len(terms.words) == MAX_TERMS
    assert all(weight[word] >= limit - 1e-9 for word in terms.words)


@pytest.mark.parametrize("cells", [["", "", ""], ["a", "b", "! ?"], ["one", "two", "three"]])
def test_texts_without_common_words_have_no_terms(cells: list[str]) -> None:
    terms = Terms.from_texts(cells, np.ones(3, dtype=np.int64))
    assert terms.words == ()
    assert Terms.from_texts([], np.zeros(0, dtype=np.int64)) == terms


def test_column_without_terms_is_rejected_as_text(raw: RawTable) -> None:
    with pytest.raises(DataError):
        Table.from_raw(raw, {"size": "text"}, target="y")


def test_free_text_is_excluded_by_default(raw: RawTable) -> None:
    column = describe_all_columns(raw, "y")[0]
    assert column.role == "ignore"
    (finding,) = column.findings
    assert (finding.kind, finding.level) == ("free-text", "decide")
    way, exclusion = finding.remedies
    assert (exclusion.choice, exclusion.value) == ("role", "ignore")
    ignored_column = describe_by_choice(raw, {}, {"note": "ignore"}, "y")[0]
    assert [each.level for each in ignored_column.findings] == ["done"], (
        "also what is proposed is a choice"
    )
    proposed = Table.from_raw(raw, target="y")
    assert list_unread_text_columns(proposed.findings) == ("note",)
    assert list_unread_text_columns(ignored_column.findings) == ()
    term_table = Table.from_raw(raw, {"note": way.value}, target="y")  # type: ignore[dict-item]
    assert "note: refund" in [each.name for each in term_table.features]
    assert term_table.get_column("note").role == "ignore"
    assert list_unread_text_columns(term_table.findings) == ()


def test_repeated_sentences_can_be_used_as_text(save: Any) -> None:
    some = texts(3, 60)
    (finding,) = describe_all_columns(write_file(save, some * 4), "y")[0].findings
    assert finding.kind == "many-categories"
    assert finding.remedies[0].value == "text"
    (finding,) = describe_all_columns(write_file(save, [*some, *some[:40]]), "y")[0].findings
    assert (finding.kind, finding.level) == ("free-text", "decide"), "most are different"
    (finding,) = describe_all_columns(write_file(save, [cell[:9] for cell in some] * 4), "y")[
        0
    ].findings
    assert "text" not in [each.value for each in finding.remedies]


COMPLAINTS = [
    f"{who} {what}{when}{end}"
    for who in ("Caller reports", "Mother tells us about", "He has", "patient says")
    for what in ("back pain", "a deep cut", "high fever of a child", "mild headache")
    for when in (" since night", " for two weeks", " after a fall", "")
    for end in (".", "", ", very worried.")
]
STREETS = ("Main Street", "Old Mill Road", "Rue de la Paix", "Elm Park Avenue")
TOWNS = ("Springfield", "New York City", "Salt Lake City", "Bern")


def find_text_level(save: Any, cells: list[str]) -> str:
    """Return the level of the finding about free text; empty if there is none."""
    findings = describe_all_columns(write_file(save, cells), "y")[0].findings
    if any(each.kind == "free-text" for each in findings):
        assert "alike-labels" not in {each.kind for each in findings}
    return next((each.level for each in findings if each.kind == "free-text"), "")


def test_sentences_with_repeats_raise_question(save: Any) -> None:
    assert find_text_level(save, COMPLAINTS * 2 + COMPLAINTS[::3] * 2) == "decide"
    frequent = ["No complaint at all."] * 900 + ["Called to ask for the result."] * 300
    assert find_text_level(save, frequent + COMPLAINTS[:120]) == "decide", "most occur once"
    german = [
        f"{who} klagt {how} über starke {what}"
        for who in ("Patient", "Anruferin", "Kind", "Nachbar")
        for how in ("seit gestern", "wieder", "nach dem Essen", "noch immer", "nicht mehr")
        for what in ("Schmerzen", "Kopfschmerzen", "Übelkeit")
    ]
    assert find_text_level(save, german * 3) == "decide"


@pytest.mark.parametrize(
    "cells",
    [
        [f"{i} {street}, {town}" for i in range(9) for street in STREETS for town in TOWNS],
        [f"San {a} del {b} City" for a in "ABCDEFGHIJ" for b in "KLMNOPQ"],
        [f"Senior {a}{i} Manager of {b}" for a in "ABCD" for b in "KLMN" for i in range(5)],
        [f"Model {a} {i} Pro Max" for a in "XYZ" for i in range(100, 2000, 50)],
        [f"BAG {a} WHITE LARGE {b}" for a in STREETS for b in TOWNS * 2],
        [f"Maria {a}. del {b}. Lopez Garcia" for a in "ABCDEFGH" for b in "KLMNOPQR"],
        [f"sku{i} m{i} x{i} size {i % 9}" for i in range(80)],
    ],
)
def test_repeated_names_and_codes_raise_no_question_about_text(save: Any, cells: list[str]) -> None:
    assert find_text_level(save, cells * 3) == ""
    assert find_text_level(save, ["none"] * 900 + cells) == ""


def test_scales_raise_no_question_about_text(save: Any) -> None:
    scale = [f"I {each} agree with this statement" for each in ("fully", "partly", "do not")]
    assert find_text_level(save, scale * 40) == ""
    assert find_text_level(save, COMPLAINTS[:40] * 6) == "", "six rows for each sentence"
    notes = ["seen again", "asks for a bed", "no", "left early"]
    assert find_text_level(save, notes * 40) == ""


def test_used_text_column_is_described(raw: RawTable, table: Table) -> None:
    column = describe_all_columns(raw, "y", {"note": "text"})[0]
    assert (column.role, column.missing) == ("feature", texts(0, 120).count(""))
    assert [each.kind for each in column.findings] == []
    assert Problem.from_table(table).notes == ()


def test_table_is_stored_with_terms(table: Table) -> None:
    restored = Table.from_parts(table.to_description(), table.to_arrays())
    assert [each.term for each in restored.columns] == [each.term for each in table.columns]
    description = table.to_description()
    index = next(i for i, each in enumerate(description["columns"]) if "term" in each)
    for invalid in ([0, 10_000], [3, 0], [0, -1], "x"):
        description["columns"][index]["term"] = invalid
        with pytest.raises(DataError):
            Table.from_parts(description, table.to_arrays())


def test_typical_text_is_most_similar_to_the_others(save: Any) -> None:
    cells = ["", "", "late parcel", *["parcel crash refund"] * 3, "refund", "late app", *[""] * 5]
    cells += [f"{word} parcel refund" for word in ("app", "invoice", "late", "crash")] * 4
    rows = np.arange(1, len(cells))
    table = Table.from_raw(write_file(save, cells), {"note": "text"}, target="y")
    problem = Problem.from_table(table)
    (note,) = (
        each
        for each in make_fields(
            cast(PreparedRun, SimpleNamespace(table=table, problem=problem)), rows
        )
        if each.column.kind == "text"
    )
    W = problem.X[:, note.matrix_columns]
    similarity = {
        cells[i]: sum(float(W[i] @ W[j]) for j in rows.tolist()) for i in rows.tolist() if cells[i]
    }
    assert note.column.default_value == max(similarity, key=lambda text: similarity[text])
    empty_rows = np.array([i for i, cell in enumerate(cells) if not cell])
    fields = make_fields(
        cast(PreparedRun, SimpleNamespace(table=table, problem=problem)), empty_rows
    )
    assert {each.column.default_value for each in fields if each.column.kind == "text"} == {None}


def test_new_table_is_encoded_with_training_terms(save: Any, table: Table) -> None:
    recipe = Problem.from_table(table).make_recipe()
    assert recipe.table_columns == ("note", "size")
    new = write_file(save, texts(5, 40))
    X = recipe.encode(new).X
    (terms,) = {each.term.terms for each in table.features if each.term}
    weights = terms.compute_weights(texts(5, 40))
    at = [i for i, each in enumerate(table.features) if each.term]
    np.testing.assert_array_equal(X[:, at], weights)
    other = read(save("size,y\n" + "1,a\n2,b\n" * 9))
    without = recipe.encode(other)
    assert without.missing_columns == ("note",)
    assert not without.X[:, at].any()


def test_exported_reading_code_gives_equal_weights(raw: RawTable, table: Table) -> None:
    columns = [RawColumn.from_column(column) for column in table.features]
    frame = pd.DataFrame(dict(zip(raw.names, raw.columns, strict=True)))
    code = make_reading_code(columns, "pd.read_csv(source, dtype=str)")
    names: dict[str, Any] = {"pd": pd, "source": StringIO(frame.to_csv(index=False))}
    exec(code, names)  # the code exported with a model
    matrix = make_column_transformer(columns).transform(names["table"])
    np.testing.assert_array_equal(matrix, Problem.from_table(table).X)


@pytest.mark.slow
def test_row_form_accepts_text(table: Table) -> None:
    problem = Problem.from_table(table)
    prepared = SimpleNamespace(table=table, problem=problem)
    fields = make_fields(cast("PreparedRun", prepared), np.arange(100))
    note = fields[0]
    assert (note.column.name, note.column.kind, len(fields)) == ("note", "text", 2)
    for row in range(20):
        value = note.get_value(table, row)
        assert value == (texts(0, 120)[row] or None)
        encoded_cells = note.encode(value, table.features)
        np.testing.assert_array_equal(encoded_cells, problem.X[row, list(note.matrix_columns)])
