"""Row numbers and keys are distinguished from measurements."""

import numpy as np
import pytest

from studio.data.columns import describe_all_columns
from studio.data.identifiers import is_key_name
from studio.data.read_options import ReadOptions
from studio.data.reading import read

N = 80


@pytest.fixture
def role(raw):
    """Return the inferred role of a column with this name."""

    def find(cells, name: str = "x") -> str:
        lines = "".join(f"{cell},{i * 7 % 5},{'yn'[i % 3 == 0]}\n" for i, cell in enumerate(cells))
        described = describe_all_columns(raw(f"{name},a,y\n{lines}", header=True))[0]
        kinds = {each.kind for each in described.findings}
        assert ("identifier" in kinds) == (described.role == "ignore")
        return described.role

    return find


def shuffled(first: int, n: int = N) -> np.ndarray:
    return np.random.default_rng(1).permutation(np.arange(first, first + n))


@pytest.mark.parametrize("first", [0, 1, 100, 1000, 500_000])
def test_row_numbers_are_ignored_in_any_order(role, first):
    for cells in (shuffled(first), sorted(shuffled(first)), sorted(shuffled(first))[::-1]):
        assert role(cells) == "ignore"
    assert role([f"{each}.0" for each in shuffled(first)]) == "ignore"


@pytest.mark.parametrize("name", ["wavelength(nm)", "time [s]", "Depth (m)"])
def test_measured_integers_are_not_row_numbers(role, name):
    assert role(range(325, 325 + N), name) == "feature"
    assert role(range(325, 325 + N), name.split("(")[0].split("[")[0]) == "ignore"


def test_row_numbers_may_have_gaps_and_duplicates(role):
    remaining_numbers = [each for each in shuffled(1, 86) if each % 15]
    assert role(remaining_numbers) == "ignore", "rows were removed later"
    assert (
        role([*remaining_numbers[3:], *remaining_numbers[:1], *remaining_numbers[:2]]) == "ignore"
    ), "some rows are there twice"


@pytest.mark.parametrize(
    "name",
    ["PassengerId", "CustomerId", "EmployeeNumber", "account_id", "Unnamed: 0", "index", "#",
     "rowid", "Sr. No.", "Kunden-Nr.", "Bestellnummer", "ID клиента", "客户编号", "order key"],
)  # fmt: skip
def test_numeric_key_columns_are_ignored(role, name):
    sparse = np.random.default_rng(2).choice(100_000, N, replace=False)
    assert role(sparse, name) == "ignore"
    assert role([*sparse[:-2], *sparse[:2]], name) == "ignore"
    assert role(np.random.default_rng(2).integers(0, 20, N), name) == "feature"


def test_index_without_name_is_ignored(save):
    numbers = np.random.default_rng(3).choice(500, N, replace=False)
    lines = "".join(f"{each},{i % 7}.5,{'ab'[i % 2]}\n" for i, each in enumerate(numbers))
    described = describe_all_columns(read(save(f",a,y\n{lines}"), ReadOptions(header=True)))
    assert described[0].role == "ignore"


def test_unique_codes_are_ignored(role):
    assert role([f"{i:05d}" for i in shuffled(1)]) == "ignore"
    assert role([f"C-{i:06d}" for i in shuffled(1)]) == "ignore"
    assert role([f"{i * 7919 % 65_536:04x}" for i in range(1, N + 1)]) == "ignore"


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("income", np.random.default_rng(4).choice(np.arange(18_000, 90_000), N, replace=False)),
        ("income", np.random.default_rng(4).choice(np.arange(1000, 1400), N, replace=False)),
        ("year", np.arange(1940, 1940 + N)),
        ("year", shuffled(1940)),
        ("built", shuffled(1925)),
        ("rank", shuffled(1)),
        ("days", shuffled(1)),
        ("Score", range(1, 61)),
        ("age", shuffled(18, 70)),
        ("distance", np.arange(N) * 10),
        ("NO2", np.random.default_rng(4).choice(np.arange(1000), N, replace=False)),
        ("number of users", np.random.default_rng(4).choice(np.arange(9000), N, replace=False)),
        ("temperature", np.random.default_rng(4).normal(size=N).round(6)),
        ("id", np.random.default_rng(4).normal(size=N).round(6)),
    ],
)
def test_distinct_measurements_are_features(role, name, cells):
    assert len(set(cells)) == len(cells)
    assert role(cells, name) == "feature"


def test_random_integers_are_not_row_numbers(role):
    rng = np.random.default_rng(5)
    for most in (N, 2 * N, 10 * N, 1000 * N):
        assert role(rng.integers(0, most, N)) == "feature"


@pytest.mark.parametrize("name", ["patient_nbr", "nbr_client", "N° dossier", "Folio"])
def test_abbreviated_identifier_columns_are_ignored(role, name):
    cells = np.random.default_rng(4).choice(10**8, N, replace=False)
    assert role(cells, name) == "ignore"
    assert role(cells) == "feature"


def test_few_rows_raise_no_row_number_finding(role):
    assert role(range(1, 19)) == "feature"


@pytest.mark.parametrize(
    "name",
    ["Matrikelnr.", "Auftragsnr", "Numer klienta", "Codigo", "Item Code", "kod", "ISBN", "MRN"],
)
def test_keys_of_other_languages_are_recognised(name):
    assert is_key_name(name)


@pytest.mark.parametrize(
    "name",
    ["covid", "paid", "humid", "price index", "stock_index", "rooms", "phone", "turkey", "narrow",
     "no of employees", "num_customers", "n", "x", "day", "width", "notes", "median", "valid"],
)  # fmt: skip
def test_columns_with_key_like_names_are_kept(name):
    assert not is_key_name(name)


def test_free_text_is_ignored(raw):
    phrases = ["it works well", "came late and broken", "would buy again soon", "not as shown here"]
    lines = "".join(f'"{phrases[i % 4]} on day {i}",{i % 5},{i % 2}\n' for i in range(N))
    column = describe_all_columns(raw(f"note,a,y\n{lines}", header=True))[0]
    assert (column.role, [each.kind for each in column.findings]) == ("ignore", ["free-text"])
